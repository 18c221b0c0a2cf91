//! Storing, changing and erasing facts, and what is derived from their words.

use hermes_provider_api::ProviderError;
use hermes_provider_api::records::{Caller, UnixMillis};
use rusqlite::{Connection, params};
use serde::Serialize;
use serde_json::{Value, json};

use super::fold::{Derived, fold, hash};
use super::{COLUMNS, Fact, Source, get, get_any, millis, read};
use crate::audience::{Audience, VISIBLE};
use crate::error::Result;
use crate::index::Numbers;
use crate::{attributes, contradict, entities, history, index, mirror, semantic};

/// A fact to be stored.
#[derive(Clone, Debug)]
pub(crate) struct NewFact {
    pub content: String,
    pub category: String,
    pub tags: Vec<String>,
    pub trust: f64,
    pub source: Source,
    /// Since when it is so; since it is said, when None.
    pub valid_from: Option<UnixMillis>,
    /// When it will cease to be so, or has.
    pub valid_to: Option<UnixMillis>,
    /// What it went through in another memory.
    pub past: Option<Past>,
}

/// What a fact went through before it came here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    pub created: Option<UnixMillis>,
    pub updated: Option<UnixMillis>,
    pub retrieval_count: i64,
    pub helpful_count: i64,
    pub unhelpful_count: i64,
    /// What only the other memory has a place for, as JSON.
    pub extra: Option<String>,
}

impl NewFact {
    /// A general fact of this trust.
    pub(crate) fn new(content: String, source: Source, trust: f64) -> Self {
        let category = "general".to_owned();
        Self { content, category, tags: Vec::new(), trust, source, valid_from: None, valid_to: None, past: None }
    }
}

/// What became of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Added {
    pub id: i64,
    /// It was known to this audience before.
    pub existed: bool,
}

/// What to change of a fact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    pub content: Option<String>,
    pub category: Option<String>,
    pub tags: Option<Vec<String>>,
    pub trust_delta: f64,
    /// Counted as well, when the change is a feedback.
    pub feedback: Option<Feedback>,
    /// Since when the new content is so; of the old content when there is no new one.
    pub valid_from: Option<UnixMillis>,
    /// When it ceases to be so.
    pub valid_to: Option<UnixMillis>,
    /// How the new content came.
    pub source: Option<Source>,
}

/// What the model thought of a fact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Feedback {
    Helpful,
    Unhelpful,
}

/// Stores a fact, unless this audience has it already.
pub(crate) fn add(db: &Connection, new: &NewFact, caller: &Caller, now: UnixMillis) -> Result<Added> {
    let audience = Audience::for_writing(&caller.scope)?;
    let words = Derived::of(&new.content, &new.tags);
    if let Some(id) = find_folded(db, &audience, &words.folded, words.digest)? {
        return Ok(Added { id, existed: true });
    }
    let past = new.past.clone().unwrap_or_default();
    let created = past.created.unwrap_or(now);
    let updated = past.updated.unwrap_or(created);
    db.prepare_cached(
        "INSERT INTO facts (content, digest, bag, words, category, tags, trust, created_ms, updated_ms, audience, platform,
                            scope, origin, source, valid_from_ms, valid_to_ms, recorded_ms, retrieval_count,
                            helpful_count, unhelpful_count, extra)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
    )?
    .execute(params![
        new.content,
        words.digest,
        words.bag,
        Numbers::of(&audience.key).pack(&words.terms),
        new.category,
        json!(new.tags).to_string(),
        new.trust,
        millis(created),
        millis(updated),
        audience.key,
        caller.scope.platform,
        compact(&caller.scope),
        compact(&caller.origin),
        new.source.name(),
        millis(new.valid_from.unwrap_or(created)),
        new.valid_to.map(millis),
        millis(now),
        past.retrieval_count,
        past.helpful_count,
        past.unhelpful_count,
        past.extra,
    ])?;
    let id = db.last_insert_rowid();
    // Its words are entered when the transaction ends.
    read_out(db, id, &new.content)?;
    Ok(Added { id, existed: false })
}

/// The fact of this audience that says the same, if there is one.
pub(crate) fn find_same(db: &Connection, audience: &Audience<'_>, content: &str) -> Result<Option<i64>> {
    let folded = fold(content);
    find_folded(db, audience, &folded, hash(&folded))
}

fn find_folded(db: &Connection, audience: &Audience<'_>, folded: &str, digest: i64) -> Result<Option<i64>> {
    let sql = format!("SELECT {COLUMNS} FROM facts f WHERE {VISIBLE} AND f.digest = ?3 ORDER BY f.fact_id");
    let mut statement = db.prepare_cached(&sql)?;
    for row in statement.query_map((&audience.key, audience.platform, digest), read)? {
        let fact = row?;
        if fold(&fact.content) == folded && fact.scope.visible_to(audience.scope) {
            return Ok(Some(fact.id));
        }
    }
    Ok(None)
}

/// Changes a fact. Words that are replaced become a version of it.
pub(crate) fn update(
    db: &Connection,
    audience: &Audience<'_>,
    id: i64,
    change: &Change,
    now: UnixMillis,
) -> Result<Fact> {
    let old = get(db, audience, id)?;
    let content = change.content.as_ref().unwrap_or(&old.content);
    let tags = change.tags.as_ref().unwrap_or(&old.tags);
    let words = Derived::of(content, tags);
    if let Some(other) = find_folded(db, audience, &words.folded, words.digest)?.filter(|other| *other != id) {
        let message = format!("fact {other} already says this");
        return Err(ProviderError::invalid(message)
            .hint(format!("merge fact {id} into fact {other}, or forget one of them"))
            .into());
    }
    // Another spelling of the same words is no other state of the world.
    let replaced = words.folded != fold(&old.content);
    let valid_from = match (change.valid_from, replaced) {
        (Some(from), _) => from,
        (None, true) => now.max(old.valid_from),
        (None, false) => old.valid_from,
    };
    let valid_to = change.valid_to.or(old.valid_to.filter(|_| !replaced));
    if valid_to.is_some_and(|end| end <= valid_from) {
        let message = "a fact cannot end before it begins";
        return Err(ProviderError::invalid(message).hint("give a `valid_to` after `valid_from`").into());
    }
    if replaced {
        history::keep(db, &old, valid_from, now)?;
    }
    let helpful = i64::from(change.feedback == Some(Feedback::Helpful));
    let unhelpful = i64::from(change.feedback == Some(Feedback::Unhelpful));
    // A rating says nothing new about the world, so the fact does not become newer by it.
    let updated = if change.feedback.is_some() { old.updated } else { now };
    let packed = Numbers::of(&audience.key).pack(&words.terms);
    let reworded = packed != old.words || *content != old.content;
    if reworded {
        unindex(db, audience, &old)?;
    }
    db.prepare_cached(
        "UPDATE facts SET content = ?2, digest = ?3, bag = ?4, words = ?5, category = ?6, tags = ?7, trust = ?8,
                updated_ms = ?9, helpful_count = helpful_count + ?10, unhelpful_count = unhelpful_count + ?11,
                valid_from_ms = ?12, valid_to_ms = ?13, recorded_ms = ?14, source = ?15
         WHERE fact_id = ?1",
    )?
    .execute(params![
        id,
        content,
        words.digest,
        words.bag,
        packed,
        change.category.as_ref().unwrap_or(&old.category),
        json!(tags).to_string(),
        shifted(old.trust, change.trust_delta),
        millis(updated),
        helpful,
        unhelpful,
        millis(valid_from),
        valid_to.map(millis),
        millis(if replaced { now } else { old.recorded }),
        change.source.filter(|_| replaced).unwrap_or(old.source).name(),
    ])?;
    if reworded {
        index(db, audience, id, content, &packed)?;
    }
    get(db, audience, id)
}

/// Erases a fact, its older versions and what was merged into it, with their words and the names that nothing else
/// mentions.
pub(crate) fn forget(db: &Connection, audience: &Audience<'_>, id: i64) -> Result<()> {
    let fact = get_any(db, audience, id)?;
    let merged: Vec<i64> = db
        .prepare_cached("SELECT fact_id FROM facts WHERE merged_into = ?1")?
        .query_map([id], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for other in merged {
        forget(db, audience, other)?;
    }
    unindex(db, audience, &fact)?;
    history::erase(db, id)?;
    mirror::untag_fact(db, id)?;
    semantic::forget(db, id)?;
    db.prepare_cached("DELETE FROM facts WHERE fact_id = ?1")?.execute([id])?;
    Ok(())
}

/// Enters a fact with other words than before.
pub(crate) fn index(db: &Connection, audience: &Audience<'_>, id: i64, content: &str, words: &[u8]) -> Result<()> {
    index::insert(db, id, &audience.key, words)?;
    read_out(db, id, content)
}

/// Keeps what is read out of a fact: names, aliases, claims.
fn read_out(db: &Connection, id: i64, content: &str) -> Result<()> {
    let claims = attributes::claims(content);
    entities::store(db, id, content, attributes::named(&claims))?;
    contradict::store(db, id, &claims)
}

/// Takes the words of a fact out of the indexes.
pub(crate) fn unindex(db: &Connection, audience: &Audience<'_>, fact: &Fact) -> Result<()> {
    index::remove(db, fact.id, &audience.key, &fact.words)?;
    entities::forget(db, fact.id)?;
    contradict::forget(db, fact.id)
}

/// Computes all that is derived from the words of facts anew, but the word indexes, which have yet to be built from them:
/// another release may see other words and names in a text.
pub(crate) fn derive_all(db: &Connection) -> Result<()> {
    db.execute_batch(
        "DELETE FROM fact_entities; DELETE FROM entity_sounds; DELETE FROM entities;
         DELETE FROM claims; DELETE FROM claim_words; DELETE FROM aliases;",
    )?;
    let mut page = db.prepare(
        "SELECT fact_id, content, tags, merged_into IS NULL, audience FROM facts WHERE fact_id > ?1 ORDER BY fact_id LIMIT 500",
    )?;
    let mut set = db.prepare("UPDATE facts SET digest = ?2, bag = ?3, words = ?4 WHERE fact_id = ?1")?;
    let mut last = 0;
    loop {
        let rows = page.query_map([last], |row| {
            let texts = (row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, String>(4)?);
            Ok((row.get::<_, i64>(0)?, texts, row.get::<_, bool>(3)?))
        })?;
        let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
        let Some((newest, ..)) = rows.last() else { return Ok(()) };
        last = *newest;
        for (id, (content, tags, audience), indexed) in &rows {
            let tags: Vec<String> = serde_json::from_str(tags).unwrap_or_default();
            let words = Derived::of(content, &tags);
            let packed = if *indexed { Numbers::of(audience).pack(&words.terms) } else { Vec::new() };
            set.execute((id, words.digest, words.bag, packed))?;
            if *indexed {
                read_out(db, *id, content)?;
            }
        }
    }
}

/// A record as JSON without the fields that are unset: every field has a default, and there is one for each fact.
pub(crate) fn compact(record: &impl Serialize) -> String {
    let mut json = json!(record);
    if let Value::Object(fields) = &mut json {
        fields.retain(|_, value| *value != json!("") && *value != json!(0));
    }
    json.to_string()
}

/// Rounded to thousandths, so that two helpful and one unhelpful are exactly where it began.
pub(crate) fn shifted(trust: f64, delta: f64) -> f64 {
    ((trust + delta).clamp(0.0, 1.0) * 1000.0).round() / 1000.0
}
