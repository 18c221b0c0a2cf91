//! The rows: adding, changing, removing, listing.

use hermes_provider_api::records::{Caller, Origin, UnixMillis};
use hermes_provider_api::{ProviderError, Scope};
use hermes_text::{char_count, index_terms, normalize};
use rusqlite::{Connection, OptionalExtension as _, Row};
use serde_json::{Value, json};

use crate::audience::{Audience, VISIBLE};
use crate::error::Result;
use crate::{attributes, contradict, entities};

/// The longest content, in Unicode scalar values.
pub(crate) const MAX_CONTENT: usize = 8000;
/// The only categories.
pub(crate) const CATEGORIES: [&str; 4] = ["user_pref", "project", "tool", "general"];
/// What a new fact is trusted with.
const FIRST_TRUST: f64 = 0.5;

const COLUMNS: &str = "f.fact_id, f.content, f.terms, f.category, f.tags, f.trust, f.created_ms, f.updated_ms, \
                       f.retrieval_count, f.helpful_count, f.unhelpful_count, f.scope, f.origin";

/// A stored fact.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub id: i64,
    pub content: String,
    /// Stems of content and tags, separated by spaces.
    pub terms: String,
    pub category: String,
    pub tags: Vec<String>,
    pub trust: f64,
    pub created: UnixMillis,
    pub updated: UnixMillis,
    pub retrieval_count: i64,
    pub helpful_count: i64,
    pub unhelpful_count: i64,
    pub scope: Scope,
    pub origin: Origin,
}

/// A fact to be stored.
#[derive(Clone, Debug)]
pub(crate) struct NewFact {
    pub content: String,
    pub category: String,
    pub tags: Vec<String>,
}

/// What became of it.
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
}

/// What the model thought of a fact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Feedback {
    Helpful,
    Unhelpful,
}

/// Which facts are asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub category: Option<String>,
    pub min_trust: f64,
}

impl Filter {
    /// Whether a fact is asked for.
    pub(crate) fn admits(&self, fact: &Fact) -> bool {
        fact.trust >= self.min_trust && self.category.as_ref().is_none_or(|category| *category == fact.category)
    }
}

/// Content as it is stored: without control characters but tab and line feed, trimmed, not empty, not too long.
pub(crate) fn clean(content: &str) -> Result<String> {
    let kept: String = content.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let kept = kept.trim();
    if kept.is_empty() {
        return Err(ProviderError::invalid("`content` is empty").hint("say the fact in one sentence").into());
    }
    let count = char_count(kept);
    if count > MAX_CONTENT {
        let message = format!("`content` has {count} characters, a fact may have {MAX_CONTENT}");
        return Err(ProviderError::invalid(message).hint("split it into several facts").into());
    }
    Ok(kept.to_owned())
}

/// Stores a fact, unless this audience has it already.
pub(crate) fn add(db: &Connection, new: &NewFact, caller: &Caller, now: UnixMillis) -> Result<Added> {
    let audience = Audience::for_writing(&caller.scope)?;
    if let Some(id) = find_same(db, &audience, &new.content)? {
        return Ok(Added { id, existed: true });
    }
    let terms = terms_of(&new.content, &new.tags);
    db.prepare_cached(
        "INSERT INTO facts (content, digest, terms, category, tags, trust, created_ms, updated_ms, audience, platform,
                            scope, origin)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute((
        &new.content,
        digest(&new.content),
        &terms,
        &new.category,
        json!(new.tags).to_string(),
        FIRST_TRUST,
        millis(now),
        &audience.key,
        &caller.scope.platform,
        json!(caller.scope).to_string(),
        json!(caller.origin).to_string(),
    ))?;
    let id = db.last_insert_rowid();
    index(db, id, &new.content, &terms)?;
    Ok(Added { id, existed: false })
}

/// The fact of this audience that says the same, if there is one.
pub(crate) fn find_same(db: &Connection, audience: &Audience<'_>, content: &str) -> Result<Option<i64>> {
    let sql = format!("SELECT {COLUMNS} FROM facts f WHERE {VISIBLE} AND f.digest = ?3 ORDER BY f.fact_id");
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map((&audience.key, audience.platform, digest(content)), read)?;
    let wanted = normalize(content);
    for row in rows {
        let fact = row?;
        if normalize(&fact.content) == wanted && fact.scope.visible_to(audience.scope) {
            return Ok(Some(fact.id));
        }
    }
    Ok(None)
}

/// The fact with this id.
pub(crate) fn get(db: &Connection, audience: &Audience<'_>, id: i64) -> Result<Fact> {
    let sql = format!("SELECT {COLUMNS} FROM facts f WHERE {VISIBLE} AND f.fact_id = ?3");
    let fact = db.prepare_cached(&sql)?.query_row((&audience.key, audience.platform, id), read).optional()?;
    fact.filter(|fact| fact.scope.visible_to(audience.scope)).ok_or_else(|| {
        ProviderError::not_found(format!("there is no fact {id}"))
            .hint("call fact_store with action `search` or `list` to see the ids")
            .into()
    })
}

/// Changes a fact.
pub(crate) fn update(
    db: &Connection,
    audience: &Audience<'_>,
    id: i64,
    change: &Change,
    now: UnixMillis,
) -> Result<Fact> {
    let old = get(db, audience, id)?;
    let content = change.content.as_ref().unwrap_or(&old.content);
    if let Some(other) = find_same(db, audience, content)?.filter(|other| *other != id) {
        let message = format!("fact {other} already says this");
        return Err(ProviderError::invalid(message).hint(format!("remove fact {id} or fact {other}")).into());
    }
    let tags = change.tags.as_ref().unwrap_or(&old.tags);
    let terms = terms_of(content, tags);
    let helpful = i64::from(change.feedback == Some(Feedback::Helpful));
    let unhelpful = i64::from(change.feedback == Some(Feedback::Unhelpful));
    // A rating says nothing new about the world, so the fact does not become newer by it.
    let updated = if change.feedback.is_some() { old.updated } else { now };
    let reworded = terms != old.terms || *content != old.content;
    if reworded {
        unindex(db, id, &old.terms)?;
    }
    db.prepare_cached(
        "UPDATE facts SET content = ?2, digest = ?3, terms = ?4, category = ?5, tags = ?6, trust = ?7, updated_ms = ?8,
                helpful_count = helpful_count + ?9, unhelpful_count = unhelpful_count + ?10
         WHERE fact_id = ?1",
    )?
    .execute((
        id,
        content,
        digest(content),
        &terms,
        change.category.as_ref().unwrap_or(&old.category),
        json!(tags).to_string(),
        shifted(old.trust, change.trust_delta),
        millis(updated),
        helpful,
        unhelpful,
    ))?;
    if reworded {
        index(db, id, content, &terms)?;
    }
    get(db, audience, id)
}

/// Deletes a fact for good, with its words and the names that nothing else mentions.
pub(crate) fn remove(db: &Connection, audience: &Audience<'_>, id: i64) -> Result<()> {
    let old = get(db, audience, id)?;
    unindex(db, id, &old.terms)?;
    db.prepare_cached("DELETE FROM facts WHERE fact_id = ?1")?.execute([id])?;
    Ok(())
}

/// Facts, newest first, older than `before`.
pub(crate) fn list(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<Fact>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM facts f
         WHERE {VISIBLE} AND f.fact_id < ?3 AND f.trust >= ?4 AND (?5 IS NULL OR f.category = ?5)
         ORDER BY f.fact_id DESC LIMIT ?6"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let before = before.unwrap_or(i64::MAX);
    let parameters = (&audience.key, audience.platform, before, filter.min_trust, &filter.category, limit);
    let facts = statement.query_map(parameters, read)?.collect::<Result<Vec<_>, _>>()?;
    Ok(facts.into_iter().filter(|fact| fact.scope.visible_to(audience.scope)).collect())
}

/// The facts with these ids that the audience may see and the filter admits, in no particular order.
pub(crate) fn many(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    ids: impl IntoIterator<Item = i64>,
) -> Result<Vec<Fact>> {
    let sql = format!("SELECT {COLUMNS} FROM facts f WHERE {VISIBLE} AND f.fact_id = ?3");
    let mut statement = db.prepare_cached(&sql)?;
    let mut facts = Vec::new();
    for id in ids {
        let fact = statement.query_row((&audience.key, audience.platform, id), read).optional()?;
        facts.extend(fact.filter(|fact| fact.scope.visible_to(audience.scope) && filter.admits(fact)));
    }
    Ok(facts)
}

/// How many facts the file holds, for all audiences.
pub(crate) fn count(db: &Connection) -> Result<i64> {
    Ok(db.query_row("SELECT count(*) FROM facts", (), |row| row.get(0))?)
}

fn index(db: &Connection, id: i64, content: &str, terms: &str) -> Result<()> {
    db.prepare_cached("INSERT INTO facts_fts (rowid, terms) VALUES (?1, ?2)")?.execute((id, terms))?;
    read_again(db, id, content)
}

/// Keeps what is read out of a fact: names, aliases, claims.
pub(crate) fn read_again(db: &Connection, id: i64, content: &str) -> Result<()> {
    let claims = attributes::claims(content);
    entities::store(db, id, content, attributes::named(&claims))?;
    contradict::store(db, id, &claims)
}

fn unindex(db: &Connection, id: i64, terms: &str) -> Result<()> {
    db.prepare_cached("INSERT INTO facts_fts (facts_fts, rowid, terms) VALUES ('delete', ?1, ?2)")?
        .execute((id, terms))?;
    entities::forget(db, id)?;
    contradict::forget(db, id)
}

fn terms_of(content: &str, tags: &[String]) -> String {
    if tags.is_empty() { index_terms(content) } else { index_terms(&format!("{content}\n{}", tags.join("\n"))) }
}

/// Rounded to thousandths, so that two helpful and one unhelpful are exactly where it began.
fn shifted(trust: f64, delta: f64) -> f64 {
    ((trust + delta).clamp(0.0, 1.0) * 1000.0).round() / 1000.0
}

/// FNV-1a of the normalised text: the same in every release, which the standard library's hash is not. Equal digests
/// are compared in full.
fn digest(content: &str) -> i64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    normalize(content).bytes().fold(0xcbf2_9ce4_8422_2325, step).cast_signed()
}

fn millis(time: UnixMillis) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Fact> {
    let time = |at| row.get(at).map(|millis: i64| UnixMillis::try_from(millis).unwrap_or_default());
    let text = |at| row.get::<_, String>(at);
    Ok(Fact {
        id: row.get(0)?,
        content: row.get(1)?,
        terms: row.get(2)?,
        category: row.get(3)?,
        tags: serde_json::from_str(&text(4)?).unwrap_or_default(),
        trust: row.get(5)?,
        created: time(6)?,
        updated: time(7)?,
        retrieval_count: row.get(8)?,
        helpful_count: row.get(9)?,
        unhelpful_count: row.get(10)?,
        // Without its scope a fact is nobody's: a profile that no host uses.
        scope: serde_json::from_str(&text(11)?)
            .unwrap_or_else(|_| Scope { profile: "\0".to_owned(), ..Scope::default() }),
        origin: serde_json::from_str(&text(12)?).unwrap_or_default(),
    })
}

impl Fact {
    /// The fact as tools answer it, before a score is added.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "fact_id": self.id, "content": self.content, "category": self.category, "tags": self.tags,
            "trust": self.trust, "created": self.created, "updated": self.updated,
            "retrieval_count": self.retrieval_count, "helpful_count": self.helpful_count,
            "unhelpful_count": self.unhelpful_count,
        })
    }
}
