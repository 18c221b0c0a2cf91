//! What waits for the user, and the user's decision.

use hermes_provider_api::records::Choice;
use serde_json::{Value, json};

use super::{Switch, files, memory};
use crate::cli::{Context, Exit, open};
use crate::error::Failure;
use crate::layers::curated::{Curated, Proposal, Proposed};
use crate::open::OpenMemory;
use crate::turn::{Approved, News};

pub(super) fn list(context: &Context) -> Result<Exit, Failure> {
    let all = files(context)?.proposals();
    if context.json {
        context.ui.json(&all);
        return Ok(Exit::Success);
    }
    for proposal in &all {
        context.ui.out(proposal.line(context.clock.now()));
    }
    match all.is_empty() {
        true => context.ui.note("nothing waits for your approval"),
        false => context.ui.note("hint: `hermes memory diff` shows one whole, `approve` writes it, `reject` drops it"),
    }
    Ok(Exit::Success)
}

pub(super) fn diff(id: &str, context: &Context) -> Result<Exit, Failure> {
    let curated = files(context)?;
    say_one(&curated.proposal(id)?, &curated, context)
}

/// Shows a proposal whole.
pub(super) fn say_one(proposal: &Proposal, curated: &Curated, context: &Context) -> Result<Exit, Failure> {
    if context.json {
        context.ui.json(proposal);
        return Ok(Exit::Success);
    }
    proposal.lines().into_iter().for_each(|line| context.ui.out(line));
    if let Proposed::File { target, .. } = &proposal.what
        && proposal.has_moved(&curated.list(*target)?.entries)
    {
        let file = target.file_name();
        context.ui.warn(format!("{file} has changed since: an entry that this replaces is not there any more"));
        context.ui.note(format!("hint: `hermes memory approve {} --rebase` looks for it anew", proposal.id));
    }
    Ok(Exit::Success)
}

pub(super) fn approve(id: &str, rebase: bool, context: &Context) -> Result<Exit, Failure> {
    let opened = memory(context)?;
    let ids = match chosen(id, opened.memory.curated()) {
        Ok(ids) => ids,
        Err(failure) => {
            open::close(opened, &context.ui);
            return Err(failure);
        }
    };
    let mut failed = false;
    let mut done = Vec::new();
    for id in &ids {
        match opened.memory.approve(id, rebase) {
            Ok(approved) => done.push(json!({"id": id, "ok": true, "result": said(id, &approved, context)})),
            Err(failure) => {
                failed = true;
                done.push(json!({"id": id, "ok": false, "error": failure.message}));
                context.ui.failure(&failure);
            }
        }
    }
    let closed = open::close(opened, &context.ui);
    if context.json {
        context.ui.json(&done);
    }
    Ok(if failed { Exit::Failed } else { closed })
}

fn said(id: &str, approved: &Approved, context: &Context) -> Value {
    match approved {
        Approved::File(outcome) => {
            if !context.json {
                super::change::say(outcome, context);
            }
            json!({"target": outcome.target, "changes": outcome.changes, "usage": outcome.usage})
        }
        Approved::Tool(answer) => {
            if !context.json {
                context.ui.note(format!("{id} is done: {answer}"));
            }
            answer.clone()
        }
    }
}

pub(super) fn reject(id: &str, context: &Context) -> Result<Exit, Failure> {
    let curated = files(context)?;
    let ids = chosen(id, Some(&curated))?;
    for id in &ids {
        let dropped = curated.drop_proposal(id)?;
        if !context.json {
            context.ui.note(format!("dropped {}: {}", dropped.id, dropped.preview()));
        }
    }
    if context.json {
        context.ui.json(&json!({"dropped": ids}));
    }
    Ok(Exit::Success)
}

fn chosen(id: &str, curated: Option<&Curated>) -> Result<Vec<String>, Failure> {
    let curated = curated.ok_or_else(|| Failure::new("this memory has no files"))?;
    if id == "all" {
        return Ok(curated.proposals().into_iter().map(|proposal| proposal.id).collect());
    }
    Ok(vec![curated.proposal(id)?.id])
}

pub(super) fn switch(switch: Option<Switch>, context: &Context) -> Result<Exit, Failure> {
    let curated = files(context)?;
    if let Some(switch) = switch {
        curated.set_approval(switch == Switch::On)?;
    }
    let on = curated.approval();
    if context.json {
        context.ui.json(&json!({"write_approval": on}));
        return Ok(Exit::Success);
    }
    context.ui.note(match on {
        true => "every write of the agent waits for you: `hermes memory pending`",
        false => {
            "the agent writes in a conversation without asking; what it replaces or removes unattended still waits for \
             you"
        }
    });
    Ok(Exit::Success)
}

/// Asks about what was proposed just now, where somebody is there. Whatever is not decided goes on waiting.
pub(in crate::cli) fn ask_now(opened: &OpenMemory, news: &[News], context: &Context) {
    let (Some(curated), true) = (opened.memory.curated(), context.ui.is_interactive()) else { return };
    for proposal in news.iter().filter_map(|news| curated.proposal(news.proposal.as_deref()?).ok()) {
        let place = proposal.place();
        context.ui.note(format!("The agent wants to change what it remembers in {place}:"));
        proposal.lines().into_iter().for_each(|line| context.ui.note(line));
        let choices = ["decide later", "write it", "drop it"]
            .map(|value| Choice { value: value.to_owned(), ..Choice::default() });
        let done = match context.ui.select(&format!("Change {place}?"), &choices, 0, "`hermes memory approve`") {
            Ok(Some(1)) => {
                opened.memory.approve(&proposal.id, false).map(|approved| _ = said(&proposal.id, &approved, context))
            }
            Ok(Some(2)) => curated.drop_proposal(&proposal.id).map(drop).map_err(Failure::from),
            Ok(_) => Ok(()),
            Err(failure) => Err(failure),
        };
        if let Err(failure) = done {
            context.ui.failure(&failure);
        }
    }
}
