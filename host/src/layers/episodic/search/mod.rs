//! The search over the archive: what was said about something ([`discover`](Searcher::discover)), what was said around a
//! message ([`scroll`](Searcher::scroll)), which sessions there are ([`browse`](Searcher::browse)).
//!
//! Everything that is answered are messages as they were said; no model is asked.

mod discover;
mod filter;
mod find;
mod index;
mod passage;
mod query;
mod rank;
mod scroll;
mod settings;
#[cfg(test)]
mod tests;
mod tool;

pub use discover::{Discover, Found, Passage, SessionFound};
pub use filter::{Filter, Others, Reader, SessionInfo};
pub use index::{Filler, Progress, catch_up, clear, forget, progress, settle};
pub use passage::Excerpt;
pub use scroll::{Around, Line, Listed};
pub use settings::Settings;
pub use tool::{Asking, Refused, TOOL, schema};

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::db::{Db, DbError};

/// Searches the archive. It has a connection of its own that only reads, so that nobody who records has to wait.
#[derive(Debug)]
pub struct Searcher {
    db: Arc<Db>,
    settings: Settings,
    reading: Mutex<Option<Reading>>,
}

#[derive(Debug)]
struct Reading {
    connection: Connection,
    /// Device and number of the file: another may have taken its place.
    file: (u64, u64),
}

impl Searcher {
    /// Of the archive in a database.
    #[must_use]
    pub fn new(db: Arc<Db>, settings: Settings) -> Self {
        Self { db, settings, reading: Mutex::default() }
    }

    /// Enters some of the messages that are not in the index yet: the newest ones, whose words no misspelling is known of
    /// before, and what a time without an index left.
    pub fn catch_up(&self, most: i64) {
        let is_behind = self.progress().is_ok_and(|progress| progress.on && progress.behind > 0);
        if !is_behind || self.db.is_read_only() {
            return;
        }
        let entered = self.db.with_relaxed(|db| {
            let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let entered = index::catch_up(&transaction, &self.settings, most)?;
            transaction.commit()?;
            Ok(entered)
        });
        match entered {
            Ok(entered) => tracing::debug!(entered, "messages that were not in the index"),
            Err(error) => tracing::warn!(%error, "the index cannot be brought up to date"),
        }
    }

    /// By what settings it is searched.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Looks for a query among what `reader` may see.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn discover(&self, reader: &Reader, ask: &Discover<'_>) -> Result<Found, DbError> {
        self.read(|db| discover::discover(db, reader, ask, &self.settings))
    }

    /// What was said around a message, so many messages before and after it, each no longer than so many characters; across
    /// the sessions that the conversation went through. None where there is no such message that `reader` may see.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn scroll(
        &self,
        reader: &Reader,
        around: i64,
        counts: [usize; 2],
        chars: usize,
    ) -> Result<Option<Around>, DbError> {
        self.read(|db| scroll::scroll(db, reader, around, counts, chars))
    }

    /// The sessions that were last spoken in, the newest first, with `title` in their title; at most `limit`, the opening
    /// of each no longer than so many characters.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn browse(
        &self,
        reader: &Reader,
        filter: &Filter,
        title: Option<&str>,
        limit: usize,
        chars: usize,
    ) -> Result<Vec<Listed>, DbError> {
        self.read(|db| scroll::browse(db, reader, filter, title, limit, chars))
    }

    /// How far the index is.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn progress(&self) -> Result<Progress, DbError> {
        self.read(|db| index::progress(db, &self.settings))
    }

    /// Reads in one transaction, so that all that is read belongs together.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, DbError> {
        let Some(path) = self.db.path().filter(|_| !self.db.is_read_only()) else {
            return self.db.with(|db| work(db));
        };
        let failed = |source| DbError::Sqlite { path: path.to_owned(), source };
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let file = file_id(path);
        if reading.as_ref().is_none_or(|reading| Some(reading.file) != file) {
            *reading = None;
            let Some(file) = file else { return self.db.with(|db| work(db)) };
            *reading = Some(Reading { connection: open(path).map_err(failed)?, file });
        }
        let Some(Reading { connection, .. }) = &mut *reading else { return self.db.with(|db| work(db)) };
        let transaction = connection.transaction().map_err(failed)?;
        let done = work(&transaction).map_err(failed);
        transaction.finish().map_err(failed)?;
        done
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    connection.set_prepared_statement_cache_capacity(64);
    // A statement is planned once, and not again for other values: that took half of a search.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // More than a search reads.
    connection.pragma_update(None, "cache_size", -32_000)?;
    Ok(connection)
}

fn file_id(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}
