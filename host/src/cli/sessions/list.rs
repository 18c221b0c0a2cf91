//! `hermes sessions list`.

use super::{Which, archive};
use crate::cli::{Context, Exit, counted_of};
use crate::error::Failure;
use crate::guard::fence;
use crate::layers::episodic::Session;
use crate::open::ago;

/// The longest title in a listing, in characters.
const TITLE: usize = 60;

#[derive(Debug, clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    which: Which,
    /// At most so many; 0 for all
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 20)]
    limit: usize,
}

pub(super) fn run(list: &List, context: &Context) -> Result<Exit, Failure> {
    let now = context.clock.now();
    // One more tells whether there are more.
    let limit = (list.limit > 0).then_some(list.limit);
    let filter = list.which.filter(limit.map(|limit| limit.saturating_add(1)), now);
    let mut sessions = archive(context)?.map(|archive| archive.list(&filter)).transpose()?.unwrap_or_default();
    let more = limit.is_some_and(|limit| sessions.len() > limit);
    sessions.truncate(limit.unwrap_or(usize::MAX));
    if context.json {
        context.ui.json(&sessions);
        return Ok(Exit::Success);
    }
    for session in &sessions {
        context.ui.out(line(session, now));
        if context.ui.is_closed() {
            return Ok(Exit::Success);
        }
    }
    if sessions.is_empty() {
        context.ui.note("no session fits");
    }
    if more {
        context.ui.note("there are more: `--limit 0` lists all, `--until` goes further back");
    }
    Ok(Exit::Success)
}

/// A session in one line.
pub(super) fn line(session: &Session, now: u64) -> String {
    let head = &session.head;
    let title = head.title.as_deref().map_or("(no title)".into(), |title| fence::shorten(title, TITLE));
    let title = title.replace(['\n', '\r'], " ");
    let messages = counted_of(session.messages, "message");
    let mut told = format!("{}  {title}  {}, {messages}", head.name, ago(session.last_ms, now));
    if !head.scope.platform.is_empty() {
        told.push_str(&format!(", {}", head.scope.platform));
    }
    if session.pinned {
        told.push_str(", pinned");
    }
    told
}
