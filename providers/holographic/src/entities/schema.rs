//! The tables of what is read out of facts: claims and aliases. They can always be made again from the facts.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use crate::error::Result;
use crate::facts;

/// Raised when texts are read in another way: names, claims and aliases are then read again from every fact.
const READING: i64 = 1;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS readings (version INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS claims (
    subject TEXT NOT NULL,         -- see `attributes::Claim`
    attribute TEXT NOT NULL,
    fact_id INTEGER NOT NULL,
    said TEXT NOT NULL,
    value TEXT NOT NULL,
    negated INTEGER NOT NULL,
    PRIMARY KEY (subject, attribute, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_by_fact ON claims (fact_id);
CREATE TABLE IF NOT EXISTS claim_words (
    word TEXT NOT NULL,            -- of subjects that have several
    subject TEXT NOT NULL,
    PRIMARY KEY (word, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS aliases (
    name TEXT NOT NULL,            -- see `names::key`
    other TEXT NOT NULL,           -- as it is written
    fact_id INTEGER NOT NULL,      -- the fact that says so
    PRIMARY KEY (name, other, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS aliases_by_fact ON aliases (fact_id);
";

/// Makes the tables, and fills them from the facts where they are missing or were read by another release.
pub(crate) fn prepare(db: &mut Connection) -> Result<()> {
    let version = |db: &Connection| -> Result<Option<i64>> {
        let there: bool =
            db.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'readings')", (), |row| row.get(0))?;
        Ok(if there { db.query_row("SELECT version FROM readings", (), |row| row.get(0)).optional()? } else { None })
    };
    if version(db)? == Some(READING) {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been first.
    if version(&tx)? != Some(READING) {
        tx.execute_batch(TABLES)?;
        read_again(&tx)?;
        tx.execute("DELETE FROM readings", ())?;
        tx.execute("INSERT INTO readings (version) VALUES (?1)", [READING])?;
    }
    tx.commit()?;
    Ok(())
}

fn read_again(db: &Connection) -> Result<()> {
    db.execute_batch(
        "DELETE FROM claims; DELETE FROM claim_words; DELETE FROM aliases;
         DELETE FROM fact_entities; DELETE FROM entity_sounds; DELETE FROM entities;",
    )?;
    let mut facts = db.prepare("SELECT fact_id, content FROM facts")?;
    let mut rows = facts.query(())?;
    while let Some(row) = rows.next()? {
        let (id, content): (i64, String) = (row.get(0)?, row.get(1)?);
        facts::read_again(db, id, &content)?;
    }
    Ok(())
}
