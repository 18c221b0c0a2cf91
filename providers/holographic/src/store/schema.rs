//! How a connection is set up.
//!
//! `synchronous = FULL`: a fact that was confirmed to the user is still there after a power cut. Facts are written a
//! few times an hour, so one fsync each does not matter; recalls write nothing.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::migrate::{VERSION, is_read, migrate};
use crate::error::{Error, Result};

/// After so many pages of the log, 16 MB, they are written into the file. A new fact writes some twenty, most of which the
/// next one writes again: the longer that waits, the less is written at all, and the fewer facts wait for it.
const LOG_PAGES: u32 = 4000;

/// Sets the connection up and brings the file to [`VERSION`].
pub(super) fn prepare(db: &mut Connection, path: &Path) -> Result<()> {
    // No temporary folder in the sandbox; no functions of the file's schema; no traces of what was removed.
    db.execute_batch(
        "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
         PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF;
         PRAGMA cache_size = -8000;",
    )?;
    db.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    db.set_prepared_statement_cache_capacity(128);
    // A plan that does not depend on the values: without this SQLite makes the plans of many statements again for each
    // value, which takes longer than to run them.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let found = version(db)?;
    if found > VERSION {
        return Err(Error::Newer { path: path.to_owned(), found, known: VERSION });
    }
    // Where the file system cannot do it SQLite answers with the mode that it stays in, which works too.
    let mode: String = db.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode != "wal" {
        let _: String = db.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    }
    if found < VERSION || !is_read(db)? {
        migrate(db)?;
    }
    Ok(())
}

/// The format of the file.
pub(super) fn version(db: &Connection) -> Result<i64> {
    Ok(db.pragma_query_value(None, "user_version", |row| row.get(0))?)
}
