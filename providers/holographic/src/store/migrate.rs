//! The formats that the file went through, each made from the one before.

use hermes_text::FTS5_TOKENIZE;
use rusqlite::{Connection, TransactionBehavior};

use super::schema::version;
use crate::error::Result;
use crate::{facts, index, semantic};

/// The format that this release writes; `user_version` of the file.
pub(super) const VERSION: i64 = 3;

/// Raised when texts are read in another way: all that was read out of facts is then read again.
const READING: i64 = 3;

/// Format 1.
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

/// What format 2 adds: history, merges, where a fact comes from.
const HISTORY: &str = "
ALTER TABLE facts ADD COLUMN bag INTEGER NOT NULL DEFAULT 0;           -- of the stems, to find similar ones
ALTER TABLE facts ADD COLUMN source TEXT NOT NULL DEFAULT 'tool';
ALTER TABLE facts ADD COLUMN used_ms INTEGER NOT NULL DEFAULT 0;       -- 0: never
ALTER TABLE facts ADD COLUMN valid_from_ms INTEGER NOT NULL DEFAULT 0; -- when it is so in the world
ALTER TABLE facts ADD COLUMN valid_to_ms INTEGER;
ALTER TABLE facts ADD COLUMN recorded_ms INTEGER NOT NULL DEFAULT 0;   -- when these words were stored
ALTER TABLE facts ADD COLUMN merged_into INTEGER;                      -- its terms are empty then
ALTER TABLE facts ADD COLUMN merge_gain REAL;                          -- what that did to the trust of the other
ALTER TABLE facts ADD COLUMN extra TEXT;                               -- JSON: what only another memory knows
UPDATE facts SET valid_from_ms = created_ms, recorded_ms = updated_ms;
CREATE INDEX facts_by_bag ON facts (audience, bag);
CREATE INDEX facts_merged ON facts (merged_into) WHERE merged_into IS NOT NULL;
CREATE TABLE versions (
    version_id INTEGER PRIMARY KEY,
    fact_id INTEGER NOT NULL,
    content TEXT NOT NULL,
    terms TEXT NOT NULL,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,
    origin TEXT NOT NULL,
    source TEXT NOT NULL,
    valid_from_ms INTEGER NOT NULL,
    valid_to_ms INTEGER NOT NULL,  -- equal to valid_from_ms: it was never so
    recorded_ms INTEGER NOT NULL,
    replaced_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX versions_by_fact ON versions (fact_id);
CREATE TABLE mirrored_tags (
    entry INTEGER NOT NULL,        -- digest of an entry of the curated memory
    audience TEXT NOT NULL,
    fact_id INTEGER NOT NULL,
    tags TEXT NOT NULL,            -- JSON array: what the fact got from it
    PRIMARY KEY (entry, audience, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mirrored_tags_by_fact ON mirrored_tags (fact_id);
";

/// What format 2 keeps of what it reads in facts: claims and aliases. All of it, and names and words, can be made again
/// from the facts.
const READ: &str = "
CREATE TABLE reading (version INTEGER NOT NULL) STRICT;
CREATE TABLE claims (
    subject TEXT NOT NULL,         -- see `attributes::Claim`
    attribute TEXT NOT NULL,
    fact_id INTEGER NOT NULL,
    said TEXT NOT NULL,
    value TEXT NOT NULL,
    negated INTEGER NOT NULL,
    PRIMARY KEY (subject, attribute, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_fact ON claims (fact_id);
CREATE TABLE claim_words (
    word TEXT NOT NULL,            -- of subjects that have several
    subject TEXT NOT NULL,
    PRIMARY KEY (word, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE aliases (
    name TEXT NOT NULL,            -- see `names::key`
    other TEXT NOT NULL,           -- as it is written
    fact_id INTEGER NOT NULL,      -- the fact that says so
    PRIMARY KEY (name, other, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_fact ON aliases (fact_id);
";

/// What format 3 changes: the words of facts as numbers, in an index of our own, see [`index`].
const WORDS: &str = "
DROP TABLE IF EXISTS facts_fts;
ALTER TABLE facts DROP COLUMN terms;
ALTER TABLE facts ADD COLUMN words BLOB NOT NULL DEFAULT x''; -- see `index::Packed`
";

/// Brings the file to [`VERSION`] and its reading to [`READING`], in one transaction.
pub(super) fn migrate(db: &mut Connection) -> Result<()> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been first.
    let found = version(&tx)?;
    if found < 1 {
        tx.execute_batch(TABLES)?;
    }
    if found < 2 {
        tx.execute_batch(HISTORY)?;
        tx.execute_batch(READ)?;
    }
    if found < 3 {
        tx.execute_batch(WORDS)?;
        tx.execute_batch(semantic::TABLES)?;
        tx.pragma_update(None, "user_version", VERSION)?;
    }
    if !is_read(&tx)? {
        facts::derive_all(&tx)?;
        build_indexes(&tx)?;
        tx.execute("DELETE FROM reading", ())?;
        tx.execute("INSERT INTO reading (version) VALUES (?1)", [READING])?;
    }
    tx.commit()?;
    Ok(())
}

/// Whether facts were read as this release reads them.
pub(super) fn is_read(db: &Connection) -> Result<bool> {
    let version: Option<i64> = db.query_row("SELECT max(version) FROM reading", (), |row| row.get(0))?;
    Ok(version == Some(READING))
}

/// Makes the word indexes again: that of the facts, and that of their former versions. The latter reads the terms of what
/// it deletes from the statement, so that `secure-delete` can take removed words out at once; a contentless index would
/// keep them until its next merge.
pub(super) fn rebuild_indexes(db: &mut Connection) -> Result<()> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    build_indexes(&tx)?;
    tx.commit()?;
    Ok(())
}

fn build_indexes(db: &Connection) -> Result<()> {
    index::rebuild(db)?;
    db.execute_batch(&format!(
        "DROP TABLE IF EXISTS versions_fts;
         CREATE VIRTUAL TABLE versions_fts USING fts5 (
             terms, content = 'versions', content_rowid = 'version_id', tokenize = \"{FTS5_TOKENIZE}\");
         INSERT INTO versions_fts (versions_fts, rank) VALUES ('secure-delete', 1);
         INSERT INTO versions_fts (versions_fts) VALUES ('rebuild')"
    ))?;
    Ok(())
}
