//! `hermes sessions rename`, `pin` and `unpin`.

use super::session;
use crate::cli::{Context, Exit};
use crate::error::Failure;

pub(super) fn rename(which: &str, title: &str, context: &Context) -> Result<Exit, Failure> {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        return Err(Failure::usage("a title has at least one character"));
    }
    let (archive, session) = session(which, context)?;
    archive.rename(&session, &title)?;
    changed(&session.head.name, &format!("is called “{title}” now"), context)
}

pub(super) fn pin(which: &str, pinned: bool, context: &Context) -> Result<Exit, Failure> {
    let (archive, session) = session(which, context)?;
    archive.pin(&session, pinned)?;
    let told = if pinned { "is never pruned now" } else { "is pruned like others now" };
    changed(&session.head.name, told, context)
}

/// Tells what became of a session.
fn changed(name: &str, told: &str, context: &Context) -> Result<Exit, Failure> {
    match context.json {
        true => {
            let (_, now) = session(name, context)?;
            context.ui.json(&now);
        }
        false => context.ui.note(format!("{name} {told}")),
    }
    Ok(Exit::Success)
}
