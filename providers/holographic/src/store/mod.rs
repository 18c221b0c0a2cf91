//! The file `facts.db`: one writer and one reader connection, opened when first needed.
//!
//! What goes wrong with files is handled here, so that the rest of the crate may think of a database that works:
//!
//! * A damaged file is moved aside with its bytes kept, a fresh one goes on, and [`Store::kept`] names the old one
//!   until the user has taken it away.
//! * A damaged word index alone is built again from the facts.
//! * Another process may do either at any time: before each use the open file is compared with the one that has the
//!   name now. Without that, a process would go on writing into the file that was moved aside.

mod batched;
mod damage;
mod file;
mod migrate;
mod schema;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_provider_api::records::UnixMillis;
use hermes_provider_api::{Call, Host};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::{Error, Result};
use crate::facts::millis;
use crate::index;
pub(crate) use batched::Batched;
use file::Opened;

/// How long a write waits for another process, and a read for one that recovers the file.
const WRITE_WAIT: Duration = Duration::from_secs(15);
const READ_WAIT: Duration = Duration::from_secs(1);
/// How long others that still read the log may keep it from being emptied after an erasure.
const ERASE_WAIT: Duration = Duration::from_secs(2);
/// A health call has ten seconds for everything.
const REHEARSE_WAIT: Duration = Duration::from_secs(4);
/// A larger file would take too long to check: SQLite reads all of it.
const MAX_CHECKED_BYTES: i64 = 64 << 20;

/// The fact store's file.
pub(crate) struct Store {
    host: Host,
    folder: PathBuf,
    writer: Mutex<Option<Opened>>,
    reader: Mutex<Option<Opened>>,
    /// Recalls of each fact that are not in the file yet. They go with the next write: an fsync for each recall would
    /// cost more than the recall. A crash loses these counts and nothing else.
    recalled: Mutex<HashMap<i64, Recalled>>,
    kept: Mutex<Option<String>>,
}

/// How often a fact was recalled, and when last.
#[derive(Clone, Copy, Default)]
struct Recalled {
    times: i64,
    last: UnixMillis,
}

impl Store {
    /// The store in the host's data folder. Opens the file, so that damage shows at once; one that another process holds
    /// is opened by the first call that gets it.
    pub(crate) fn open(host: &Host) -> Result<Self> {
        let folder = host.data_dir()?;
        std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        let store = Self {
            host: host.clone(),
            kept: Mutex::new(damage::newest_kept(&folder)),
            folder,
            writer: Mutex::default(),
            reader: Mutex::default(),
            recalled: Mutex::default(),
        };
        match store.run(&store.reader, READ_WAIT, |_| Ok(())) {
            Err(error) if error.is_busy() => tracing::warn!(%error, "another process holds the fact store"),
            done => done?,
        }
        Ok(store)
    }

    /// Reads. `work` is run again when the file had to be replaced meanwhile.
    pub(crate) fn read<T>(&self, work: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        // One transaction: all statements see the same state, whatever is written beside them.
        self.run(&self.reader, READ_WAIT, |db| work(&*db.transaction()?))
    }

    /// Writes, all or nothing. `work` is run again when the file had to be replaced meanwhile.
    pub(crate) fn write<T>(&self, work: impl Fn(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let recalled = lock(&self.recalled).clone();
        let done = self.run(&self.writer, WRITE_WAIT, |db| {
            let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut count = tx.prepare_cached(
                "UPDATE facts SET retrieval_count = retrieval_count + ?2, used_ms = max(used_ms, ?3) WHERE fact_id = ?1",
            )?;
            for (id, recalled) in &recalled {
                count.execute((id, recalled.times, millis(recalled.last)))?;
            }
            drop(count);
            let done = work(&tx)?;
            index::settle(&tx)?;
            tx.commit()?;
            Ok(done)
        })?;
        let mut waiting = lock(&self.recalled);
        for (id, stored) in recalled {
            if let Some(left) = waiting.get_mut(&id) {
                left.times -= stored.times;
            }
        }
        waiting.retain(|_, left| left.times > 0);
        Ok(done)
    }

    /// Runs `work` as a write and takes it back, to see whether writing works.
    pub(crate) fn rehearse<T>(&self, work: impl Fn(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.waiting(REHEARSE_WAIT, |db| work(&db.transaction_with_behavior(TransactionBehavior::Immediate)?))
    }

    /// Has SQLite check the file and answers what to add to a report: nothing, or that the file is too large to be
    /// checked within the time of a health call. Damage is treated as anywhere else.
    pub(crate) fn check(&self, call: &Call<'_>) -> Result<&'static str> {
        call.check()?;
        self.read(|db| {
            index::check(db)?;
            let pages: i64 = db.pragma_query_value(None, "page_count", |row| row.get(0))?;
            let size: i64 = db.pragma_query_value(None, "page_size", |row| row.get(0))?;
            if pages.saturating_mul(size) > MAX_CHECKED_BYTES {
                return Ok(", file too large to be checked in full");
            }
            // The check of the index goes by what this connection last knew of it, and finds damage where another one
            // has written since. A search makes it look again.
            let _: i64 =
                db.query_row("SELECT count(*) FROM versions_fts WHERE versions_fts MATCH '\"0\"'", (), |row| {
                    row.get(0)
                })?;
            let verdict: String = db.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
            if verdict == "ok" { Ok("") } else { Err(Error::Damaged(verdict)) }
        })
    }

    /// Notes that facts were recalled; stored with the next write.
    pub(crate) fn count_recalls(&self, ids: impl IntoIterator<Item = i64>, now: UnixMillis) {
        let mut recalled = lock(&self.recalled);
        for id in ids {
            let recalled = recalled.entry(id).or_default();
            recalled.times += 1;
            recalled.last = recalled.last.max(now);
        }
    }

    /// Writes, and empties SQLite's log afterwards, which may still hold what was erased. False when another process
    /// kept it from that: the log is then emptied when the last one closes the file.
    pub(crate) fn erase(&self, work: impl Fn(&Transaction<'_>) -> Result<()>) -> Result<bool> {
        self.write(work)?;
        let busy = self.waiting(ERASE_WAIT, |db| {
            Ok(db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, bool>(0))?)
        });
        match busy {
            Err(error) if error.is_busy() => Ok(false),
            busy => Ok(!busy?),
        }
    }

    /// Stores what is waiting.
    pub(crate) fn flush(&self) -> Result<()> {
        if lock(&self.recalled).is_empty() { Ok(()) } else { self.write(|_| Ok(())) }
    }

    /// A sentence about a damaged file that was moved aside and is still there.
    pub(crate) fn kept(&self) -> Option<String> {
        lock(&self.kept).clone()
    }

    /// Looks again whether such a file is still there.
    pub(crate) fn look_for_kept(&self) -> Option<String> {
        let found = damage::newest_kept(&self.folder);
        lock(&self.kept).clone_from(&found);
        found
    }

    /// The damaged file that was moved aside last, if it is still there.
    pub(crate) fn kept_file(&self) -> Option<PathBuf> {
        damage::newest_kept_file(&self.folder)
    }

    /// Runs `work` on the writer, waiting no longer than this for another process.
    fn waiting<T>(&self, wait: Duration, work: impl Fn(&mut Connection) -> Result<T>) -> Result<T> {
        self.run(&self.writer, wait, |db| {
            db.busy_timeout(wait)?;
            let done = work(db);
            db.busy_timeout(WRITE_WAIT)?;
            done
        })
    }

    fn run<T>(
        &self,
        slot: &Mutex<Option<Opened>>,
        wait: Duration,
        work: impl Fn(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        let mut slot = lock(slot);
        let mut tries = 0;
        loop {
            tries += 1;
            if slot.as_ref().is_some_and(|opened| !opened.is_current()) {
                *slot = None;
            }
            let opened = match &mut *slot {
                Some(opened) => opened,
                None => slot.insert(Opened::connect(&self.folder, wait)?),
            };
            match opened.prepare().and_then(|()| work(&mut opened.db)) {
                Ok(done) => return Ok(done),
                Err(error) if tries > 3 || !error.is_damage() => return Err(error),
                // Believed only when a new connection meets it as well.
                Err(_) if tries == 1 => opened.leave_as_it_is(),
                Err(error)
                    if error.is_index_damage() && tries == 2 && migrate::rebuild_indexes(&mut opened.db).is_ok() =>
                {
                    tracing::warn!(%error, "the word index was damaged and has been built again from the facts");
                    continue;
                }
                Err(error) => {
                    opened.leave_as_it_is();
                    if let Some(kept) = opened.set_aside(self.host.now())? {
                        tracing::error!(%error, kept, "the fact store was damaged; a fresh one goes on");
                    }
                    self.look_for_kept();
                }
            }
            *slot = None;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
