//! The curated memory, mirrored: its committed writes become facts of the same text.
//!
//! Every write may come more than once, so each is made so that the second time changes nothing.

use hermes_provider_api::records::{MemoryTarget, MemoryWrite, UnixMillis, WriteAction};
use rusqlite::Connection;

use crate::audience::Audience;
use crate::error::Result;
use crate::facts::{self, Change, NewFact};

/// Does to the facts what was done to the curated memory.
pub(crate) fn apply(db: &Connection, write: &MemoryWrite, now: UnixMillis) -> Result<()> {
    let audience = Audience::for_writing(&write.caller.scope)?;
    // Looked for as it was stored; what could not be stored is not there.
    let same_as = |text: &str| facts::clean(text).map_or(Ok(None), |text| facts::find_same(db, &audience, &text));
    match write.action {
        WriteAction::Add => add(db, write, now),
        WriteAction::Remove => match same_as(&write.previous)? {
            Some(id) => facts::remove(db, &audience, id),
            None => Ok(()),
        },
        WriteAction::Replace => {
            let content = facts::clean(&write.content)?;
            match (same_as(&write.previous)?, same_as(&content)?) {
                (Some(old), Some(new)) if old != new => facts::remove(db, &audience, old),
                (Some(old), _) => {
                    let change = Change { content: Some(content), ..Change::default() };
                    facts::update(db, &audience, old, &change, now).map(drop)
                }
                (None, Some(_)) => Ok(()),
                (None, None) => add(db, write, now),
            }
        }
        // What a newer host does to the curated memory cannot be repeated here.
        _ => Ok(()),
    }
}

fn add(db: &Connection, write: &MemoryWrite, now: UnixMillis) -> Result<()> {
    let category = match write.target {
        MemoryTarget::User => "user_pref",
        _ => "general",
    };
    let new = NewFact { content: facts::clean(&write.content)?, category: category.to_owned(), tags: Vec::new() };
    facts::add(db, &new, &write.caller, now).map(drop)
}
