//! How full the memory files are, who wrote what, and what waits.

use std::collections::BTreeMap;

use serde_json::json;

use super::{author, files};
use crate::cli::{Context, Exit, counted};
use crate::error::Failure;
use crate::layers::curated::{Listing, Target, entries_in_words};
use crate::open::ago;

pub(super) fn run(context: &Context) -> Result<Exit, Failure> {
    let curated = files(context)?;
    let now = context.clock.now();
    let mut all = Vec::new();
    for target in Target::ALL {
        let listing = curated.list(target)?;
        let mut authors: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &listing.entries {
            *authors.entry(author(entry.facts.as_ref())).or_default() += 1;
        }
        let dates = || listing.entries.iter().filter_map(|entry| entry.facts.as_ref().map(|facts| facts.created));
        let (oldest, newest, versions) = (dates().min(), dates().max(), curated.history(target).len());
        let expired = listing.entries.iter().filter(|entry| entry.expired).count();
        let Listing { usage, entries, on, .. } = &listing;
        all.push(json!({
            "target": target, "on": on, "entries": entries.len(), "usage": usage, "authors": authors, "expired": expired,
            "oldest": oldest, "newest": newest, "versions": versions,
        }));
        if context.json {
            continue;
        }
        let count = entries_in_words(entries.len());
        context.ui.out(format!(
            "{} · {count} · {usage} · {}",
            target.file_name(),
            counted(versions, "earlier version")
        ));
        let by: Vec<String> = authors.iter().map(|(author, count)| format!("{author} {count}")).collect();
        if !by.is_empty() {
            context.ui.out(format!("  written: {}", by.join(", ")));
        }
        if let (Some(oldest), Some(newest)) = (oldest, newest) {
            context.ui.out(format!("  oldest {}, newest {}; {expired} expired", ago(oldest, now), ago(newest, now)));
        }
    }
    let waiting = curated.waiting();
    if context.json {
        let waiting = waiting
            .map(|waiting| json!({"count": waiting.count, "not_stored": waiting.not_stored, "oldest": waiting.oldest}));
        context.ui.json(&json!({"files": all, "waiting": waiting}));
        return Ok(Exit::Success);
    }
    if let Some(waiting) = waiting {
        context.ui.out(crate::open::waiting_line(&waiting, now));
    }
    Ok(Exit::Success)
}
