//! What the user changes in the memory files. It is written at once: whoever types it has approved it.

use std::io::Read as _;

use serde_json::json;

use super::{File, find, memory, user};
use crate::cli::{Context, Exit, open};
use crate::error::Failure;
use crate::layers::curated::{Curated, Operation, Outcome, Request, Target, preview};
use crate::open::OpenMemory;

/// A new entry.
#[derive(Debug, clap::Args)]
pub(in crate::cli::memory) struct Add {
    /// Its text; `-` reads it from stdin
    text: String,
    /// In which file: `memory` for what the agent should know, `user` for who you are
    #[arg(long, value_name = "FILE", default_value = "memory")]
    target: File,
    /// Do not show it to a model any more after so long: `30d`, `12h`
    #[arg(long, value_name = "TIME", value_parser = span)]
    expires_in: Option<u64>,
}

/// An earlier version, put back.
#[derive(Debug, clap::Args)]
pub(in crate::cli::memory) struct Undo {
    /// Of which file; by default the one that was changed last
    #[arg(long, value_name = "FILE")]
    target: Option<File>,
    /// This version, as `hermes memory history` names it
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,
}

pub(super) fn add(args: &Add, context: &Context) -> Result<Exit, Failure> {
    let content = typed(&args.text)?;
    let target = Target::from(args.target);
    let expires = args.expires_in.map(|span| context.clock.now().saturating_add(span));
    with_memory(context, |opened| {
        let request = Request::one(target, Operation::Add { content: content.clone() });
        let outcome = opened.memory.change(&request, &user(context))?;
        if let (Some(expires), Some(curated)) = (expires, opened.memory.curated()) {
            curated.expire(target, &content, Some(expires))?;
        }
        Ok(outcome)
    })
}

pub(super) fn edit(which: &str, text: String, context: &Context) -> Result<Exit, Failure> {
    let content = typed(&text)?;
    let curated = super::files(context)?;
    if which.starts_with('p')
        && let Ok(proposal) = curated.proposal(which)
    {
        let proposal = curated.reword(&proposal.id, &content)?;
        return super::pending::say_one(&proposal, &curated, context);
    }
    let (target, entry) = find(&curated, which)?;
    let request = Request::one(target, Operation::Replace { old_text: entry.text, content });
    with_memory(context, |opened| opened.memory.change(&request, &user(context)))
}

pub(super) fn remove(which: &str, context: &Context) -> Result<Exit, Failure> {
    let (target, entry) = find(&super::files(context)?, which)?;
    let request = Request::one(target, Operation::Remove { old_text: entry.text });
    with_memory(context, |opened| opened.memory.change(&request, &user(context)))
}

pub(super) fn undo(args: &Undo, context: &Context) -> Result<Exit, Failure> {
    let target = match args.target {
        Some(file) => file.into(),
        None => last_changed(&super::files(context)?, args.to.as_deref()),
    };
    let opened = memory(context)?;
    let undone = opened.memory.undo(target, args.to.as_deref(), &user(context));
    let closed = open::close(opened, &context.ui);
    let undone = undone?;
    if context.json {
        context.ui.json(&json!({"target": target, "version": undone.version, "changes": undone.changes}));
    } else {
        let what = if undone.changes.is_empty() { "no entry is another".to_owned() } else { preview(&undone.changes) };
        context.ui.note(format!("{} is as it was: {what}", target.file_name()));
    }
    Ok(closed)
}

/// The file whose last change was the last of all, or that has this version.
fn last_changed(curated: &Curated, version: Option<&str>) -> Target {
    let mut last = (0, Target::Memory);
    for target in Target::ALL {
        for kept in curated.history(target) {
            let is_meant = version.map_or(!kept.undone, |id| kept.id.starts_with(id));
            if is_meant && kept.replaced_at > last.0 {
                last = (kept.replaced_at, target);
            }
        }
    }
    last.1
}

fn with_memory(
    context: &Context,
    change: impl FnOnce(&OpenMemory) -> Result<Outcome, Failure>,
) -> Result<Exit, Failure> {
    let opened = memory(context)?;
    let outcome = change(&opened);
    let closed = open::close(opened, &context.ui);
    say(&outcome?, context);
    Ok(closed)
}

/// Says what was changed.
pub(super) fn say(outcome: &Outcome, context: &Context) {
    let Outcome { target, changes, duplicates, entries, usage, .. } = outcome;
    if context.json {
        return context.ui.json(&json!({
            "target": target, "changes": changes, "duplicates": duplicates, "entries": entries, "usage": usage,
        }));
    }
    let what = if changes.is_empty() { "nothing changed: it was so already".to_owned() } else { preview(changes) };
    context.ui.note(format!("{} ({usage}): {what}", target.file_name()));
    if usage.is_nearly_full() {
        context.ui.note("hint: it is nearly full; `hermes memory list` shows what could go");
    }
}

fn typed(text: &str) -> Result<String, Failure> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut read = String::new();
    std::io::stdin()
        .lock()
        .read_to_string(&mut read)
        .map_err(|error| Failure::new(format!("cannot read the text from stdin: {error}")))?;
    Ok(read)
}

/// A time such as `30d` or `12h`, in milliseconds.
fn span(text: &str) -> Result<u64, String> {
    let unit =
        [("d", 86_400_000), ("h", 3_600_000)].into_iter().find_map(|(unit, ms)| Some((text.strip_suffix(unit)?, ms)));
    let span = unit.and_then(|(number, ms)| number.parse::<u64>().ok()?.checked_mul(ms)).filter(|span| *span > 0);
    span.ok_or_else(|| "must be a number of days or hours, such as `30d` or `12h`".to_owned())
}
