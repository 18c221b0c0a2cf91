//! The rows: one vector a fact, with the model that made it and the words that it is of.
//!
//! A vector counts only as long as its fact still has these words, so a change of a fact needs no step here. With
//! another model a fact's vector is replaced, not joined by a second one.

use rusqlite::{Connection, OptionalExtension as _};

use super::vector::Vector;
use crate::error::Result;

/// What format 3 adds.
pub(crate) const TABLES: &str = "
CREATE TABLE IF NOT EXISTS semantic_models (
    model_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    probes BLOB NOT NULL,          -- vectors of `probes`, one behind the other
    UNIQUE (name, dimensions)
) STRICT;
CREATE TABLE IF NOT EXISTS semantic_vectors (
    fact_id INTEGER PRIMARY KEY,
    model_id INTEGER NOT NULL,
    digest INTEGER NOT NULL,       -- of the fact's words when the vector was made
    vector BLOB NOT NULL           -- see `vector`
) STRICT;
";

/// A model of which there are vectors.
pub(super) struct Model {
    pub(super) id: i64,
    /// Vectors of sentences that have nothing to do with anything.
    pub(super) probes: Vec<Vec<u8>>,
}

/// A fact that needs a vector.
pub(super) struct Waiting {
    pub(super) id: i64,
    pub(super) content: String,
    pub(super) digest: i64,
}

/// Whether there is any vector.
pub(super) fn any(db: &Connection) -> Result<bool> {
    Ok(db.query_row("SELECT EXISTS (SELECT 1 FROM semantic_vectors)", (), |row| row.get(0))?)
}

/// The model of this name whose vectors have so many numbers.
pub(super) fn model(db: &Connection, name: &str, dimensions: usize) -> Result<Option<Model>> {
    let dimensions = i64::try_from(dimensions).unwrap_or_default();
    let sql = "SELECT model_id, probes FROM semantic_models WHERE name = ?1 AND dimensions = ?2";
    let row = db.prepare_cached(sql)?.query_row((name, dimensions), |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?)));
    let each = super::vector::blob_len(usize::try_from(dimensions).unwrap_or_default());
    Ok(row.optional()?.map(|(id, probes)| Model { id, probes: probes.chunks(each).map(<[u8]>::to_vec).collect() }))
}

/// The newest model of this name.
pub(super) fn newest(db: &Connection, name: &str) -> Result<Option<i64>> {
    let sql = "SELECT max(model_id) FROM semantic_models WHERE name = ?1";
    Ok(db.prepare_cached(sql)?.query_row([name], |row| row.get(0))?)
}

/// Makes a model known; answers its id. The same one keeps its id.
pub(super) fn add_model(db: &Connection, name: &str, probes: &[Vector]) -> Result<i64> {
    let dimensions = i64::try_from(probes.first().map_or(0, Vector::len)).unwrap_or_default();
    let blob: Vec<u8> = probes.iter().flat_map(Vector::to_blob).collect();
    db.prepare_cached("INSERT OR IGNORE INTO semantic_models (name, dimensions, probes) VALUES (?1, ?2, ?3)")?
        .execute((name, dimensions, blob))?;
    let sql = "SELECT model_id FROM semantic_models WHERE name = ?1 AND dimensions = ?2";
    Ok(db.query_row(sql, (name, dimensions), |row| row.get(0))?)
}

/// The next facts behind `after` that have no vector of this model and of their words.
pub(super) fn waiting(db: &Connection, model: i64, after: i64, limit: usize) -> Result<Vec<Waiting>> {
    let mut select = db.prepare_cached(
        "SELECT f.fact_id, f.content, f.digest FROM facts f LEFT JOIN semantic_vectors v ON v.fact_id = f.fact_id
         WHERE f.fact_id > ?2 AND f.merged_into IS NULL
           AND (v.fact_id IS NULL OR v.model_id != ?1 OR v.digest != f.digest)
         ORDER BY f.fact_id LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = select.query_map((model, after, limit), |row| {
        Ok(Waiting { id: row.get(0)?, content: row.get(1)?, digest: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Keeps a vector, unless its fact was forgotten or changed meanwhile.
pub(super) fn save(db: &Connection, model: i64, of: &Waiting, vector: &Vector) -> Result<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO semantic_vectors (fact_id, model_id, digest, vector)
         SELECT fact_id, ?2, digest, ?4 FROM facts WHERE fact_id = ?1 AND digest = ?3",
    )?
    .execute((of.id, model, of.digest, vector.to_blob()))?;
    Ok(())
}

/// Erases the vector of a fact.
pub(crate) fn forget(db: &Connection, fact: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM semantic_vectors WHERE fact_id = ?1")?.execute([fact])?;
    Ok(())
}

/// How many facts have a vector of this model, and how many there are.
pub(super) fn progress(db: &Connection, name: &str) -> Result<(i64, i64)> {
    let done = "SELECT count(*) FROM semantic_vectors v JOIN facts f ON f.fact_id = v.fact_id
                WHERE v.model_id = ?1 AND v.digest = f.digest AND f.merged_into IS NULL";
    let done = match newest(db, name)? {
        Some(model) => db.prepare_cached(done)?.query_row([model], |row| row.get(0))?,
        None => 0,
    };
    Ok((done, crate::facts::count(db)?))
}
