//! What facts said before: bi-temporal history.
//!
//! A version keeps two stretches of time: from when to when it was so in the world (`valid_from`, `valid_to`), and from
//! when to when the store said so (`recorded`, `replaced`). It is found by a timeline and by a question of what was
//! true on a date, and by nothing else.

use hermes_provider_api::records::UnixMillis;
use rusqlite::{Connection, Row, params};
use serde_json::{Value, json};

use crate::audience::{Audience, WITHIN};
use crate::dates::rfc3339;
use crate::error::Result;
use crate::facts::{self, Fact, millis};

/// A fact has no more versions in an answer.
const MAX_VERSIONS: usize = 500;

/// The columns that [`facts::read`] reads, of a version `v` of a fact `f`, and when it was replaced.
const COLUMNS: &str =
    "f.fact_id, v.content, x'', v.category, v.tags, f.trust, f.created_ms, v.recorded_ms, f.retrieval_count,
     f.helpful_count, f.unhelpful_count, f.scope, v.origin, v.source, f.used_ms, v.valid_from_ms, v.valid_to_ms,
     v.recorded_ms, f.merged_into, v.replaced_ms, v.terms";

/// One state of a fact.
pub(crate) struct State {
    /// The fact as it was then.
    pub fact: Fact,
    /// Its terms then, of a former version.
    pub terms: String,
    /// When the store ceased to say so; None for what it says now.
    pub replaced: Option<UnixMillis>,
}

/// Keeps a fact as it is, before its words are replaced by some that are so from `until` on. One that was never so, since
/// the new words hold from its very beginning, is kept with an empty stretch.
pub(crate) fn keep(db: &Connection, old: &Fact, until: UnixMillis, now: UnixMillis) -> Result<()> {
    let terms = facts::terms_of(&old.content, &old.tags);
    let end = old.valid_to.unwrap_or(until).min(until).max(old.valid_from);
    db.prepare_cached(
        "INSERT INTO versions (fact_id, content, terms, category, tags, origin, source, valid_from_ms, valid_to_ms,
                               recorded_ms, replaced_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        old.id,
        old.content,
        terms,
        old.category,
        json!(old.tags).to_string(),
        facts::compact(&old.origin),
        old.source.name(),
        millis(old.valid_from),
        millis(end),
        millis(old.recorded),
        millis(now),
    ])?;
    let id = db.last_insert_rowid();
    db.prepare_cached("INSERT INTO versions_fts (rowid, terms) VALUES (?1, ?2)")?.execute((id, &terms))?;
    Ok(())
}

/// Erases the versions of a fact.
pub(crate) fn erase(db: &Connection, fact: i64) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO versions_fts (versions_fts, rowid, terms)
         SELECT 'delete', version_id, terms FROM versions WHERE fact_id = ?1",
    )?
    .execute([fact])?;
    db.prepare_cached("DELETE FROM versions WHERE fact_id = ?1")?.execute([fact])?;
    Ok(())
}

/// All states of a fact and of those that were merged into it, as the world went: by when they began to be so.
pub(crate) fn of_fact(db: &Connection, audience: &Audience<'_>, id: i64) -> Result<Vec<State>> {
    let fact = facts::get_any(db, audience, id)?;
    let mut ids = vec![fact.id];
    let mut states = Vec::new();
    let mut merged = db.prepare_cached("SELECT fact_id FROM facts WHERE merged_into = ?1")?;
    while let Some(id) = ids.pop() {
        ids.extend(merged.query_map([id], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<_>, _>>()?);
        states.push(State::current(facts::get_any(db, audience, id)?));
        states.extend(select(db, audience, "v.fact_id = ?3", &id)?);
    }
    in_order(&mut states);
    Ok(states)
}

/// Versions that were so at a time, newest first.
pub(crate) fn at(db: &Connection, audience: &Audience<'_>, at: UnixMillis) -> Result<Vec<State>> {
    select(db, audience, "v.valid_from_ms <= ?3 AND ?3 < v.valid_to_ms", &millis(at))
}

/// Versions that have some of the words of an FTS5 expression.
pub(crate) fn matching(db: &Connection, audience: &Audience<'_>, expression: &str) -> Result<Vec<State>> {
    let condition = "v.version_id IN (SELECT rowid FROM versions_fts WHERE versions_fts MATCH ?3)";
    select(db, audience, condition, &expression)
}

fn select(
    db: &Connection,
    audience: &Audience<'_>,
    condition: &str,
    value: &dyn rusqlite::ToSql,
) -> Result<Vec<State>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM versions v JOIN facts f USING (fact_id)
         WHERE {WITHIN} AND {condition} ORDER BY v.version_id DESC LIMIT {MAX_VERSIONS}"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let states = statement.query_map(params![audience.key, audience.platform, value], read)?;
    let states = states.collect::<Result<Vec<_>, _>>()?;
    Ok(states.into_iter().filter(|state| state.fact.scope.visible_to(audience.scope)).collect())
}

fn read(row: &Row<'_>) -> rusqlite::Result<State> {
    let replaced: i64 = row.get(19)?;
    let replaced = UnixMillis::try_from(replaced).unwrap_or_default();
    Ok(State { fact: facts::read(row)?, terms: row.get(20)?, replaced: Some(replaced) })
}

/// Sorts states by when they began to be so, then by when they were stored.
pub(crate) fn in_order(states: &mut [State]) {
    states.sort_by_key(|state| {
        (state.fact.valid_from, state.fact.recorded, state.replaced.unwrap_or(UnixMillis::MAX), state.fact.id)
    });
}

impl State {
    /// What a fact says now.
    pub(crate) fn current(fact: Fact) -> Self {
        Self { fact, terms: String::new(), replaced: None }
    }

    /// The state as tools answer it.
    pub(crate) fn to_json(&self, now: UnixMillis) -> Value {
        let fact = &self.fact;
        let ended = fact.valid_to.is_some_and(|end| end <= now);
        let state = match self.replaced {
            Some(_) if fact.valid_to == Some(fact.valid_from) => "corrected",
            Some(_) => "replaced",
            None if fact.merged_into.is_some() => "merged",
            None if ended => "ended",
            None => "current",
        };
        let mut json = json!({
            "fact_id": fact.id, "content": fact.content, "state": state, "source": fact.source.name(),
            "valid_from": rfc3339(fact.valid_from), "valid_to": fact.valid_to.and_then(rfc3339),
            "recorded": rfc3339(fact.recorded),
        });
        if let Value::Object(json) = &mut json {
            json.extend(self.replaced.map(|at| ("replaced".to_owned(), json!(rfc3339(at)))));
            json.extend(fact.merged_into.map(|into| ("merged_into".to_owned(), json!(into))));
        }
        json
    }
}
