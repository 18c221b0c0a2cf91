//! `hermes sessions stats` and `vacuum`.

use indicatif::HumanBytes;
use serde_json::json;

use super::{archive, say_emptied};
use crate::cli::{Context, Exit, counted_of};
use crate::clock::utc;
use crate::error::Failure;
use crate::layers::episodic::{Archive, Stats};

pub(super) fn stats(context: &Context) -> Result<Exit, Failure> {
    let Some(archive) = archive(context)? else { return nothing(context) };
    let stats = archive.stats()?;
    if context.json {
        context.ui.json(&stats);
        return Ok(Exit::Success);
    }
    let Stats { totals, first_ms, platforms, roles, .. } = &stats;
    let ui = &context.ui;
    ui.out(format!("{}, {}", counted_of(totals.sessions, "session"), counted_of(totals.messages, "message")));
    if let (Some(first), Some(last)) = (first_ms, totals.last_ms) {
        ui.out(format!("from {} to {}", utc(*first), utc(last)));
    }
    for (platform, sessions) in platforms {
        let platform = if platform.is_empty() { "(no platform)" } else { platform };
        ui.out(format!("  {platform}: {}", counted_of(*sessions, "session")));
    }
    for (role, messages) in roles {
        ui.out(format!("  {role}: {}", counted_of(*messages, "message")));
    }
    let Stats { pinned, imported, folded, partial, .. } = stats;
    for (what, count) in [
        ("pinned", counted_of(pinned, "session")),
        ("imported", counted_of(imported, "session")),
        ("folded into a summary", counted_of(folded, "message")),
        ("broken off", counted_of(partial, "message")),
    ] {
        if !count.starts_with("0 ") {
            ui.out(format!("  {what}: {count}"));
        }
    }
    let [text, file, free] = [stats.text_bytes, stats.file_bytes, stats.free_bytes].map(HumanBytes);
    ui.out(format!("text: {text}, the database with all else: {file}, free in it: {free}"));
    if stats.free_bytes > stats.file_bytes / 4 {
        ui.note("hint: `hermes sessions vacuum` gives the room back to the disk");
    }
    Ok(Exit::Success)
}

pub(super) fn vacuum(context: &Context) -> Result<Exit, Failure> {
    let Some(archive) = archive(context)? else { return nothing(context) };
    let size = |archive: &Archive| archive.stats().map(|stats| stats.file_bytes);
    let before = size(&archive)?;
    let bar = context.ui.progress("writing the database anew", None);
    let emptied = archive.vacuum();
    bar.finish_and_clear();
    let (emptied, after) = (emptied?, size(&archive)?);
    if context.json {
        context.ui.json(&json!({ "before_bytes": before, "after_bytes": after, "log_emptied": emptied.log }));
        return Ok(Exit::Success);
    }
    context.ui.note(format!("the database had {}, and has {} now", HumanBytes(before), HumanBytes(after)));
    say_emptied(emptied, context);
    Ok(Exit::Success)
}

/// Nothing was ever recorded.
fn nothing(context: &Context) -> Result<Exit, Failure> {
    match context.json {
        true => context.ui.json(&json!({ "sessions": 0, "messages": 0 })),
        false => context.ui.note("nothing was recorded yet"),
    }
    Ok(Exit::Success)
}
