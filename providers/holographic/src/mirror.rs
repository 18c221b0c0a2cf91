//! The curated memory, mirrored: its committed writes become facts of the same text, or tags, or nothing.
//!
//! Every write may come more than once, so each is made so that the second time changes nothing.
//!
//! As tags, the text of an entry is not taken over. The facts that are about the same, up to five and as they are at that
//! moment, get those of its words that they lack, so that they are found by them. What an entry brought goes with it.

use hermes_provider_api::Call;
use hermes_provider_api::records::{MemoryTarget, MemoryWrite, UnixMillis, WriteAction};
use hermes_text::{is_stop_word, tokens};
use rusqlite::Connection;
use serde_json::json;

use crate::audience::Audience;
use crate::config::{Mirror, Settings};
use crate::error::Result;
use crate::facts::{self, Change, Fact, Filter, NewFact, Source, digest};
use crate::index::{Numbers, Packed};
use crate::search::{self, Query};

/// How many facts an entry tags, with how many words each.
const MAX_TAGGED: usize = 5;
const MAX_WORDS: usize = 8;
/// The part of an entry's words, by what they say, that a fact must have to be about the same.
const SAME: f64 = 0.4;

/// Does to the facts what was done to the curated memory.
pub(crate) fn apply(
    db: &Connection,
    write: &MemoryWrite,
    settings: &Settings,
    now: UnixMillis,
    call: &Call<'_>,
) -> Result<()> {
    let audience = Audience::for_writing(&write.caller.scope)?;
    match settings.mirror {
        Mirror::Off => Ok(()),
        Mirror::Facts => as_facts(db, &audience, write, settings, now),
        Mirror::Tags => as_tags(db, &audience, write, now, call),
    }
}

fn as_facts(
    db: &Connection,
    audience: &Audience<'_>,
    write: &MemoryWrite,
    settings: &Settings,
    now: UnixMillis,
) -> Result<()> {
    // Looked for as it was stored; what could not be stored is not there.
    let same_as = |text: &str| facts::clean(text).map_or(Ok(None), |text| facts::find_same(db, audience, &text));
    let add = || {
        let category = match write.target {
            MemoryTarget::User => "user_pref",
            _ => "general",
        };
        let new = NewFact::new(facts::clean(&write.content)?, Source::Mirror, settings.default_trust);
        let new = NewFact { category: category.to_owned(), ..new };
        facts::add(db, &new, &write.caller, now).map(drop)
    };
    match write.action {
        WriteAction::Add => add(),
        WriteAction::Remove => match same_as(&write.previous)? {
            Some(id) => facts::forget(db, audience, id),
            None => Ok(()),
        },
        WriteAction::Replace => {
            let content = facts::clean(&write.content)?;
            match (same_as(&write.previous)?, same_as(&content)?) {
                (Some(old), Some(new)) if old != new => facts::forget(db, audience, old),
                (Some(old), _) => {
                    let change = Change { content: Some(content), source: Some(Source::Mirror), ..Change::default() };
                    facts::update(db, audience, old, &change, now).map(drop)
                }
                (None, Some(_)) => Ok(()),
                (None, None) => add(),
            }
        }
        // What a newer host does to the curated memory cannot be repeated here.
        _ => Ok(()),
    }
}

fn as_tags(
    db: &Connection,
    audience: &Audience<'_>,
    write: &MemoryWrite,
    now: UnixMillis,
    call: &Call<'_>,
) -> Result<()> {
    match write.action {
        WriteAction::Add => tag(db, audience, &write.content, now, call),
        WriteAction::Remove => untag(db, audience, &write.previous, now),
        WriteAction::Replace => {
            untag(db, audience, &write.previous, now)?;
            tag(db, audience, &write.content, now, call)
        }
        _ => Ok(()),
    }
}

/// Tags the facts that an entry is about, unless it did so before.
fn tag(db: &Connection, audience: &Audience<'_>, entry: &str, now: UnixMillis, call: &Call<'_>) -> Result<()> {
    let digest = digest(entry);
    let known = db
        .prepare_cached("SELECT 1 FROM mirrored_tags WHERE entry = ?1 AND audience = ?2")?
        .exists((digest, &audience.key))?;
    if known {
        return Ok(());
    }
    let query = Query::new(db, entry, call)?;
    let filter = Filter { now, ..Filter::default() };
    for hit in search::search(db, audience, &filter, &query, MAX_TAGGED, call)? {
        let words = words_beyond(entry, &hit.fact, audience);
        if hit.coverage < SAME || words.is_empty() {
            continue;
        }
        let tags = hit.fact.tags.iter().chain(&words).cloned().collect();
        retag(db, audience, &hit.fact, tags, now)?;
        db.prepare_cached("INSERT INTO mirrored_tags (entry, audience, fact_id, tags) VALUES (?1, ?2, ?3, ?4)")?
            .execute((digest, &audience.key, hit.fact.id, json!(words).to_string()))?;
    }
    Ok(())
}

/// Takes off what an entry brought.
fn untag(db: &Connection, audience: &Audience<'_>, entry: &str, now: UnixMillis) -> Result<()> {
    let digest = digest(entry);
    let tagged: Vec<(i64, String)> = db
        .prepare_cached("SELECT fact_id, tags FROM mirrored_tags WHERE entry = ?1 AND audience = ?2")?
        .query_map((digest, &audience.key), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (id, words) in tagged {
        let words: Vec<String> = serde_json::from_str(&words).unwrap_or_default();
        let Some(fact) = facts::many(db, audience, &Filter::default(), [id])?.pop() else { continue };
        let tags = fact.tags.iter().filter(|tag| !words.contains(tag)).cloned().collect();
        retag(db, audience, &fact, tags, now)?;
    }
    db.prepare_cached("DELETE FROM mirrored_tags WHERE entry = ?1 AND audience = ?2")?
        .execute((digest, &audience.key))?;
    Ok(())
}

/// Forgets what a fact got from entries.
pub(crate) fn untag_fact(db: &Connection, fact: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM mirrored_tags WHERE fact_id = ?1")?.execute([fact])?;
    Ok(())
}

fn retag(db: &Connection, audience: &Audience<'_>, fact: &Fact, tags: Vec<String>, now: UnixMillis) -> Result<()> {
    let change = Change { tags: Some(tags), ..Change::default() };
    facts::update(db, audience, fact.id, &change, now).map(drop)
}

/// Words of an entry that say something and that a fact lacks, in the order of the entry.
fn words_beyond(entry: &str, fact: &Fact, audience: &Audience<'_>) -> Vec<String> {
    let (own, numbers) = (Packed::read(&fact.words).unwrap_or_default().distinct(), Numbers::of(&audience.key));
    let mut words: Vec<String> = Vec::new();
    for token in tokens(entry) {
        let known = own.binary_search(&numbers.word(&token.stem)).is_ok();
        if !known && !is_stop_word(&token.text) && !words.contains(&token.text) && words.len() < MAX_WORDS {
            words.push(token.text);
        }
    }
    words
}
