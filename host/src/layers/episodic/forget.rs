//! Deleting for good: the text, the index, the log of the database.
//!
//! SQLite overwrites what is deleted (`secure_delete`); what still stands in its log goes when that is emptied.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::rows::{self, SESSION, signed};
use super::{Archive, ArchiveError, Session};
use crate::clock::UnixMillis;
use crate::db::DbError;

/// How long others who read are waited for, so that the log can be emptied.
const PATIENCE: Duration = Duration::from_secs(2);

/// What deleting left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emptied {
    /// The log is empty. Otherwise somebody reads from it just now, and it is when they have ended.
    pub log: bool,
}

/// Deletes a session with all that stands for it: the one place where messages are deleted.
///
/// # Errors
/// What SQLite says.
pub fn forget(from: &Transaction<'_>, session: i64) -> rusqlite::Result<()> {
    let mut select = from.prepare_cached("SELECT id FROM messages WHERE session = ?1")?;
    let messages = select.query_map([session], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
    super::search::forget(from, &messages)?;
    from.prepare_cached("DELETE FROM messages WHERE session = ?1")?.execute([session])?;
    from.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([session]).map(drop)
}

impl Archive {
    /// Deletes sessions, all or none.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn delete(&self, sessions: &[Session]) -> Result<Emptied, ArchiveError> {
        self.db.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            sessions.iter().try_for_each(|session| forget(&transaction, session.row))?;
            transaction.commit()
        })?;
        self.empty_log()
    }

    /// Sessions that are over, were last heard of before this time, and are not pinned; the oldest first. One that never
    /// ended is over when it has been silent for as long.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn older_than(&self, before: UnixMillis) -> Result<Vec<Session>, ArchiveError> {
        let sql = format!(
            "SELECT {SESSION} FROM sessions s JOIN audiences a ON a.id = s.audience
             WHERE s.last_ms < ?1 AND coalesce(s.ended_ms, 0) < ?1 AND NOT s.pinned ORDER BY s.last_ms, s.id"
        );
        let read = |connection: &mut Connection| {
            connection.prepare(&sql)?.query_map([signed(before)], rows::session)?.collect()
        };
        Ok(self.db.with(read)?)
    }

    /// Deletes those of these sessions that are still old enough, one after the other. Stopped in the middle, it leaves
    /// each whole or gone. Answers how many went.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn prune(&self, sessions: &[Session], before: UnixMillis) -> Result<(usize, Emptied), ArchiveError> {
        let mut pruned = 0;
        for session in sessions {
            pruned += usize::from(self.prune_one(session, before)?);
        }
        Ok((pruned, self.empty_log()?))
    }

    fn prune_one(&self, session: &Session, before: UnixMillis) -> Result<bool, DbError> {
        let still =
            "SELECT 1 FROM sessions WHERE id = ?1 AND last_ms < ?2 AND coalesce(ended_ms, 0) < ?2 AND NOT pinned";
        // It comes back in a power cut, and goes the next time.
        self.db.with_relaxed(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let row = params![session.row, signed(before)];
            if transaction.prepare_cached(still)?.query_row(row, |_| Ok(())).optional()?.is_none() {
                return Ok(false);
            }
            forget(&transaction, session.row)?;
            transaction.commit()?;
            Ok(true)
        })
    }

    /// Gives the room of what was deleted back to the disk, and forgets audiences that nobody belongs to any more.
    ///
    /// # Errors
    /// When the database cannot be written, or the disk has no room for a copy of it.
    pub fn vacuum(&self) -> Result<Emptied, ArchiveError> {
        self.db.with(|connection| {
            connection.execute(
                "DELETE FROM audiences WHERE id NOT IN (SELECT audience FROM sessions)
                    AND id NOT IN (SELECT audience FROM messages)",
                [],
            )?;
            // The copy may be larger than the memory.
            connection.execute_batch("PRAGMA temp_store = DEFAULT")?;
            let vacuumed = connection.execute_batch("VACUUM");
            connection.execute_batch("PRAGMA temp_store = MEMORY")?;
            vacuumed
        })?;
        self.empty_log()
    }

    /// Moves what stands in the log of the database into its file, and empties the log.
    fn empty_log(&self) -> Result<Emptied, ArchiveError> {
        let empty = |connection: &mut Connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
        };
        let busy = self.db.within(PATIENCE, empty)?;
        Ok(Emptied { log: !busy })
    }
}
