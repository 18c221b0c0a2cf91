//! The names in a text: people, places, products, handles, identifiers.
//!
//! Two facts belong together when they mention the same thing, so names are kept beside the words: by their stems,
//! which makes «Анны Смирновой» and «Анна Смирнова» one, and by their sound, which makes «Анна» and "Anna" one.
//! In scripts without capitals titles and what a fact claims show a name; and the pairs of characters in the word index
//! find it wherever it stands.

mod aliases;
mod extract;
pub(crate) mod names;
mod sound;
mod unspaced;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use hermes_text::{Token, TokenKind, tokens};
use rusqlite::{Connection, OptionalExtension as _};

use crate::error::Result;
use crate::index::Map;
use crate::store::Batched;

pub(crate) use aliases::others as other_names;
pub(crate) use names::{USER, same_name};
pub(crate) use unspaced::is_unspaced;

/// More names than this in one fact are a list, not a fact about them.
const MAX_NAMES: usize = 64;
/// No more facts than this are looked at for one sound, nor more names in one alphabet.
const MAX_SOUND: usize = 2000;
const MAX_SOUNDING: i64 = 500;

/// The names of facts, in the order of their texts.
static NAMES: LazyLock<Batched> = LazyLock::new(|| {
    Batched::new(
        "SELECT fe.fact_id, e.entity_id, e.stems FROM {ids} wanted CROSS JOIN fact_entities fe ON fe.fact_id = wanted.id
         CROSS JOIN entities e ON e.entity_id = fe.entity_id",
    )
});
/// The same by their numbers.
static ENTITIES: LazyLock<Batched> = LazyLock::new(|| {
    Batched::new(
        "SELECT fe.fact_id, fe.entity_id FROM {ids} wanted CROSS JOIN fact_entities fe ON fe.fact_id = wanted.id",
    )
});

/// The names in a text, as they stand there.
pub(crate) fn names(text: &str) -> Vec<&str> {
    let mut found = extract::names(text);
    found.extend(unspaced::names(text));
    found
}

/// Keeps the names of a fact: those in its text, and `more`.
pub(crate) fn store(db: &Connection, fact: i64, content: &str, more: Vec<&str>) -> Result<()> {
    aliases::store(db, fact, content)?;
    let mut known = HashSet::new();
    let mut place = 0;
    for name in names(content).into_iter().chain(more).take(MAX_NAMES) {
        let words = words_of(name);
        let stems = key(&words);
        if stems.is_empty() || !known.insert(stems.clone()) {
            continue;
        }
        let entity = entity_of(db, &stems, &words)?;
        db.prepare_cached("INSERT INTO fact_entities (fact_id, place, entity_id) VALUES (?1, ?2, ?3)")?
            .execute((fact, place, entity))?;
        place += 1;
    }
    Ok(())
}

/// Takes the names of a fact away, and those names that no other fact has.
pub(crate) fn forget(db: &Connection, fact: i64) -> Result<()> {
    aliases::forget(db, fact)?;
    let mut of_fact = db.prepare_cached("SELECT entity_id FROM fact_entities WHERE fact_id = ?1")?;
    let entities = of_fact.query_map([fact], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<_>, _>>()?;
    db.prepare_cached("DELETE FROM fact_entities WHERE fact_id = ?1")?.execute([fact])?;
    let unused = "NOT EXISTS (SELECT 1 FROM fact_entities WHERE entity_id = ?1)";
    for entity in entities {
        db.prepare_cached(&format!("DELETE FROM entities WHERE entity_id = ?1 AND {unused}"))?.execute([entity])?;
        db.prepare_cached(&format!("DELETE FROM entity_sounds WHERE entity_id = ?1 AND {unused}"))?
            .execute([entity])?;
    }
    Ok(())
}

/// The names of each of these facts, in the order of the text: stems, separated by spaces.
pub(crate) fn of_facts(db: &Connection, facts: impl IntoIterator<Item = i64>) -> Result<HashMap<i64, Vec<Entity>>> {
    let facts: Vec<i64> = facts.into_iter().collect();
    let mut found: HashMap<i64, Vec<Entity>> = facts.iter().map(|fact| (*fact, Vec::new())).collect();
    NAMES.each(db, &facts, |row| {
        let (fact, entity) = (row.get(0)?, Entity { id: row.get(1)?, stems: row.get(2)? });
        found.entry(fact).or_default().push(entity);
        Ok(())
    })?;
    Ok(found)
}

/// The most that one of the names of each of these facts is worth by its stems, for those facts that have one that is worth
/// something. Each name is judged once.
pub(crate) fn strongest(
    db: &Connection,
    facts: impl IntoIterator<Item = i64>,
    worth: impl Fn(&str) -> Option<f64>,
) -> Result<Map<i64, f64>> {
    let facts: Vec<i64> = facts.into_iter().collect();
    let mut stems = db.prepare_cached("SELECT stems FROM entities WHERE entity_id = ?1")?;
    let mut judged: Map<i64, Option<f64>> = Map::default();
    let mut found = Map::default();
    ENTITIES.each(db, &facts, |row| {
        let (fact, id) = (row.get(0)?, row.get(1)?);
        let worth = match judged.get(&id) {
            Some(known) => *known,
            None => {
                let stems = stems.query_row([id], |row| row.get::<_, String>(0)).optional()?;
                *judged.entry(id).or_insert(stems.and_then(|stems| worth(&stems)))
            }
        };
        if let Some(worth) = worth {
            let best: &mut f64 = found.entry(fact).or_insert(worth);
            *best = best.max(worth);
        }
        Ok(())
    })?;
    Ok(found)
}

/// A stored name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entity {
    /// Its number in the file.
    pub id: i64,
    /// Its stems, sorted, separated by spaces.
    pub stems: String,
}

/// Up to `limit` facts that mention an entity, newest first.
pub(crate) fn facts_with(db: &Connection, entity: i64, limit: usize) -> Result<Vec<i64>> {
    let mut select =
        db.prepare_cached("SELECT fact_id FROM fact_entities WHERE entity_id = ?1 ORDER BY fact_id DESC LIMIT ?2")?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(select.query_map((entity, limit), |row| row.get(0))?.collect::<Result<Vec<_>, _>>()?)
}

/// Facts with a name that sounds like this word but may not be found by its stem: a name in the other alphabet, or one
/// in Cyrillic with another ending.
pub(crate) fn facts_that_sound_like(db: &Connection, token: &Token) -> Result<Vec<i64>> {
    Ok(sounding(db, token)?.into_keys().collect())
}

/// The same, with whether the name is in the alphabet of the word; the newest names first.
pub(crate) fn sounding(db: &Connection, token: &Token) -> Result<HashMap<i64, bool>> {
    let Some((sound, script)) = sound::of(token) else { return Ok(HashMap::new()) };
    // In Latin letters a stem finds the name in its own alphabet.
    let scripts = if script == "cyrillic" { &["cyrillic", "latin"][..] } else { &["cyrillic"] };
    let mut names = db.prepare_cached(
        "SELECT entity_id FROM entity_sounds WHERE sound = ?1 AND script = ?2 ORDER BY entity_id DESC LIMIT ?3",
    )?;
    let mut found: HashMap<i64, bool> = HashMap::new();
    for of in scripts {
        let mut names = names.query((&sound, of, MAX_SOUNDING))?;
        while found.len() < MAX_SOUND
            && let Some(name) = names.next()?
        {
            for fact in facts_with(db, name.get(0)?, MAX_SOUND - found.len())? {
                *found.entry(fact).or_default() |= *of == script;
            }
        }
    }
    Ok(found)
}

/// Up to `limit` facts with exactly this name, newest first.
pub(crate) fn facts_named(db: &Connection, name: &str, limit: usize) -> Result<Vec<i64>> {
    let mut known = db.prepare_cached("SELECT entity_id FROM entities WHERE stems = ?1")?;
    let entity: Option<i64> = known.query_row([key(&words_of(name))], |row| row.get(0)).optional()?;
    entity.map_or(Ok(Vec::new()), |entity| facts_with(db, entity, limit))
}

/// How a word sounds, alike in Latin and Cyrillic; none for short words and other scripts.
pub(crate) fn sound_of(token: &Token) -> Option<String> {
    sound::of(token).map(|(sound, _)| sound)
}

/// Whether a word is a part of a name in the store.
pub(crate) fn is_in_a_name(db: &Connection, token: &Token) -> Result<bool> {
    let Some((sound, _)) = sound::of(token) else { return Ok(false) };
    let mut select = db.prepare_cached("SELECT EXISTS (SELECT 1 FROM entity_sounds WHERE sound = ?1)")?;
    Ok(select.query_row([sound], |row| row.get(0))?)
}

fn entity_of(db: &Connection, stems: &str, words: &[Token]) -> Result<i64> {
    let known = db
        .prepare_cached("SELECT entity_id FROM entities WHERE stems = ?1")?
        .query_row([stems], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    db.prepare_cached("INSERT INTO entities (stems) VALUES (?1)")?.execute([stems])?;
    let id = db.last_insert_rowid();
    for (sound, script) in words.iter().filter_map(sound::of) {
        db.prepare_cached("INSERT OR IGNORE INTO entity_sounds (sound, script, entity_id) VALUES (?1, ?2, ?3)")?
            .execute((sound, script, id))?;
    }
    Ok(id)
}

fn words_of(name: &str) -> Vec<Token> {
    let mut words = tokens(name);
    // The pairs of a quoted Chinese title are its name; the pairs inside a Korean word only repeat it.
    if words.iter().any(|word| word.kind != TokenKind::Gram) {
        words.retain(|word| word.kind != TokenKind::Gram);
    }
    words
}

fn key(words: &[Token]) -> String {
    let mut stems: Vec<_> = words.iter().map(|word| word.stem.as_str()).collect();
    stems.sort_unstable();
    stems.dedup();
    stems.join(" ")
}
