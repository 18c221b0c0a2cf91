//! Looking at the memory files.

use serde_json::json;

use super::{author, files, find, listings, name, origin};
use crate::cli::{Context, Exit, counted};
use crate::clock::utc;
use crate::error::Failure;
use crate::guard::fence;
use crate::layers::curated::{Curated, Listing, Target, entries_in_words, preview};
use crate::open::ago;

/// The longest entry in a listing, in characters.
const LISTED: usize = 100;

pub(super) fn list(targets: &[Target], context: &Context) -> Result<Exit, Failure> {
    let curated = files(context)?;
    let mut all = Vec::new();
    let mut exit = Exit::Success;
    for target in targets {
        match curated.list(*target) {
            Ok(listing) => all.push(listing),
            Err(refusal) => {
                exit = Exit::Failed;
                context.ui.failure(&refusal.into());
            }
        }
    }
    if context.json {
        context.ui.json(&all);
        return Ok(exit);
    }
    for listing in &all {
        title(listing, &curated, context);
        for entry in &listing.entries {
            let text = fence::shorten(&entry.text, LISTED).replace('\n', " ⏎ ");
            let name = name(listing.target, entry.number);
            context.ui.out(format!("  {name:<4} {text}  ({})", origin(entry.facts.as_ref(), context)));
        }
        listing.remark.iter().for_each(|remark| context.ui.warn(remark));
    }
    Ok(exit)
}

fn title(listing: &Listing, curated: &Curated, context: &Context) {
    let Listing { target, on, usage, entries, .. } = listing;
    let off = if *on { String::new() } else { format!(" · off: `{}` is false", target.switch()) };
    let count = entries_in_words(entries.len());
    context.ui.out(format!("{} · {count} · {usage}{off}", target.file_name()));
    if entries.is_empty() {
        context.ui.detail(format!("`{}`", curated.path(*target).display()));
    }
}

pub(super) fn show(which: &str, context: &Context) -> Result<Exit, Failure> {
    let (target, entry) = find(&files(context)?, which)?;
    if context.json {
        context.ui.json(&json!({"target": target, "entry": entry}));
        return Ok(Exit::Success);
    }
    context.ui.out(&entry.text);
    let facts = entry.facts.unwrap_or_default();
    let mut told = format!("{} of {}, id {}", name(target, entry.number), target.file_name(), entry.id);
    told.push_str(&format!("; written: {}", author(Some(&facts))));
    if facts.created > 0 {
        told.push_str(&format!(", {}", utc(facts.created)));
    }
    if let Some(changed) = facts.changed {
        told.push_str(&format!(", changed {}", utc(changed)));
    }
    if !facts.session.is_empty() {
        told.push_str(&format!(", session {}", facts.session));
    }
    if let Some(expires) = facts.expires {
        told.push_str(&format!("; {} {}", if entry.expired { "expired" } else { "expires" }, utc(expires)));
    }
    context.ui.note(told);
    Ok(Exit::Success)
}

/// Entries with all the words, in any case and width, also inside of longer words.
pub(super) fn search(words: &str, context: &Context) -> Result<Exit, Failure> {
    let curated = files(context)?;
    let words = hermes_text::normalize(words);
    let mut found = Vec::new();
    for listing in listings(&curated) {
        let listing = listing?;
        let target = listing.target;
        let has_all = |text: &str| {
            let text = hermes_text::normalize(text);
            words.split(' ').all(|word| text.contains(word))
        };
        found.extend(listing.entries.into_iter().filter(|entry| has_all(&entry.text)).map(|entry| (target, entry)));
    }
    if context.json {
        let found: Vec<_> = found.iter().map(|(target, entry)| json!({"target": target, "entry": entry})).collect();
        context.ui.json(&found);
        return Ok(Exit::Success);
    }
    for (target, entry) in &found {
        context.ui.out(format!("{:<4} {}", name(*target, entry.number), entry.text.replace('\n', " ⏎ ")));
    }
    if found.is_empty() {
        context.ui.note("no entry has all of that");
    }
    Ok(Exit::Success)
}

pub(super) fn history(targets: &[Target], context: &Context) -> Result<Exit, Failure> {
    let curated = files(context)?;
    let mut all = Vec::new();
    for target in targets {
        all.push((*target, curated.history(*target)));
    }
    if context.json {
        let all: Vec<_> =
            all.iter().map(|(target, versions)| json!({"target": target, "versions": versions})).collect();
        context.ui.json(&all);
        return Ok(Exit::Success);
    }
    for (target, versions) in all {
        context.ui.out(format!("{} · {}", target.file_name(), counted(versions.len(), "earlier version")));
        for version in versions {
            let undone = if version.undone { " (undone)" } else { "" };
            let when = ago(version.replaced_at, context.clock.now());
            let what = preview(&version.changes);
            context.ui.out(format!("  {}  {when}{undone}  {what}", version.id));
        }
    }
    context.ui.note("hint: `hermes memory undo` takes the last change back, `--to` with one of these goes further");
    Ok(Exit::Success)
}
