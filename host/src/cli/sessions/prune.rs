//! `hermes sessions prune`.

use std::time::Duration;

use serde_json::json;

use super::{archive, list, say_emptied, when};
use crate::cli::{Context, Exit, counted};
use crate::error::Failure;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A session is over when it has ended, or has been silent for as long. Pinned sessions stay; `hermes sessions pin` pins.
Nothing is pruned by itself unless `sessions.auto_prune` is true.")]
pub(super) struct Prune {
    /// Older than this, such as `30d`, instead of `sessions.retention_days`
    #[arg(long, value_name = "AGE", value_parser = when::age)]
    older_than: Option<Duration>,
    /// Only show what would be deleted
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing
    #[arg(short, long)]
    yes: bool,
}

pub(super) fn run(prune: &Prune, context: &Context) -> Result<Exit, Failure> {
    let Some(age) = prune.older_than.or_else(|| context.config.sessions_retention()) else {
        let failure = Failure::new("`sessions.retention_days` is 0: sessions are kept for ever");
        return Err(failure.hint("say how old: `hermes sessions prune --older-than 90d --dry-run`"));
    };
    let now = context.clock.now();
    let before = now.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
    let archive = archive(context)?;
    let old = archive.as_ref().map(|archive| archive.older_than(before)).transpose()?.unwrap_or_default();
    let sessions = counted(old.len(), "session");
    let names: Vec<&String> = old.iter().map(|session| &session.head.name).collect();
    let Some(archive) = archive.filter(|_| !old.is_empty() && !prune.dry_run) else {
        match context.json {
            true => context.ui.json(&json!({ "would_prune": names, "pruned": 0 })),
            false => {
                old.iter().for_each(|session| context.ui.out(list::line(session, now)));
                context.ui.note(format!("{sessions} {} old enough", if old.len() == 1 { "is" } else { "are" }));
            }
        }
        return Ok(Exit::Success);
    };
    if !prune.yes {
        let question = format!("Delete {sessions} for good?");
        context.ui.agree(&question, "nothing was deleted", "`hermes sessions prune --yes`")?;
    }
    let (pruned, emptied) = archive.prune(&old, before)?;
    match context.json {
        true => context.ui.json(&json!({ "pruned": pruned, "log_emptied": emptied.log })),
        false => {
            context.ui.note(format!("{} deleted", counted(pruned, "session")));
            say_emptied(emptied, context);
            context.ui.note("hint: `hermes sessions vacuum` gives the room back to the disk");
        }
    }
    Ok(Exit::Success)
}
