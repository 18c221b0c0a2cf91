//! The tables, how a connection is set up, and how older files are brought up to date.
//!
//! `synchronous = FULL`: a fact that was confirmed to the user is still there after a power cut. Facts are written a
//! few times an hour, so one fsync each does not matter; recalls write nothing.

use std::path::Path;

use hermes_text::FTS5_TOKENIZE;
use rusqlite::{Connection, TransactionBehavior};

use crate::entities;
use crate::error::{Error, Result};

/// The format that this release writes; `user_version` of the file.
const VERSION: i64 = 1;

const TABLES: &str = "
CREATE TABLE facts (
    fact_id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: a model may still remember an old one
    content TEXT NOT NULL,
    digest INTEGER NOT NULL,       -- of the normalised content, to find equal ones
    terms TEXT NOT NULL,           -- hermes_text::index_terms of content and tags
    category TEXT NOT NULL,
    tags TEXT NOT NULL,            -- JSON array
    trust REAL NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    retrieval_count INTEGER NOT NULL DEFAULT 0,
    helpful_count INTEGER NOT NULL DEFAULT 0,
    unhelpful_count INTEGER NOT NULL DEFAULT 0,
    audience TEXT NOT NULL,        -- see `audience`
    platform TEXT NOT NULL,
    scope TEXT NOT NULL,           -- JSON
    origin TEXT NOT NULL           -- JSON
) STRICT;
CREATE INDEX facts_by_digest ON facts (audience, digest);
CREATE TABLE entities (
    entity_id INTEGER PRIMARY KEY,
    stems TEXT NOT NULL UNIQUE     -- stems of the name, sorted
) STRICT;
CREATE TABLE entity_sounds (
    sound TEXT NOT NULL,           -- of one word of the name, the same in Latin and Cyrillic
    script TEXT NOT NULL,
    entity_id INTEGER NOT NULL,
    PRIMARY KEY (sound, script, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_sounds_by_entity ON entity_sounds (entity_id);
CREATE TABLE fact_entities (
    fact_id INTEGER NOT NULL,
    place INTEGER NOT NULL,        -- order in the text, from 0
    entity_id INTEGER NOT NULL,
    PRIMARY KEY (fact_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_entities_by_entity ON fact_entities (entity_id, fact_id);
";

/// Sets the connection up and brings the file to [`VERSION`].
pub(super) fn prepare(db: &mut Connection, path: &Path) -> Result<()> {
    // No temporary folder in the sandbox; no functions of the file's schema; no traces of what was removed.
    db.execute_batch(
        "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
         PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF;",
    )?;
    db.set_prepared_statement_cache_capacity(64);
    let found = version(db)?;
    if found > VERSION {
        return Err(Error::Newer { path: path.to_owned(), found, known: VERSION });
    }
    // Where the file system cannot do it SQLite answers with the mode that it stays in, which works too.
    let mode: String = db.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode != "wal" {
        let _: String = db.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    }
    if found < VERSION {
        migrate(db)?;
    }
    entities::schema::prepare(db)?;
    // The words of the index, for `search::query`; of this connection only.
    db.execute_batch("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, facts_fts, row)")?;
    Ok(())
}

fn migrate(db: &mut Connection) -> Result<()> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been first.
    if version(&tx)? < VERSION {
        tx.execute_batch(TABLES)?;
        create_index(&tx)?;
        tx.pragma_update(None, "user_version", VERSION)?;
    }
    tx.commit()?;
    Ok(())
}

/// Makes the word index again from the facts.
pub(super) fn rebuild_index(db: &mut Connection) -> Result<()> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch("DROP TABLE facts_fts")?;
    create_index(&tx)?;
    tx.execute_batch("INSERT INTO facts_fts (facts_fts) VALUES ('rebuild')")?;
    tx.commit()?;
    Ok(())
}

/// The index reads `facts.terms` for what it deletes, so that `secure-delete` can take removed words out at once; a
/// contentless index would keep them until its next merge.
fn create_index(db: &Connection) -> Result<()> {
    db.execute_batch(&format!(
        "CREATE VIRTUAL TABLE facts_fts USING fts5 (
             terms, content = 'facts', content_rowid = 'fact_id', tokenize = \"{FTS5_TOKENIZE}\");
         INSERT INTO facts_fts (facts_fts, rank) VALUES ('secure-delete', 1);"
    ))?;
    Ok(())
}

fn version(db: &Connection) -> Result<i64> {
    Ok(db.pragma_query_value(None, "user_version", |row| row.get(0))?)
}
