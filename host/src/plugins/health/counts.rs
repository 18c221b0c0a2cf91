//! Counts that are not written yet, and the thread that writes them: at most half a minute of them is lost with the
//! process, whether or not another call comes.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_provider_api::Hook;

use super::latency::Histogram;
use super::{Incident, record};
use crate::clock::UnixMillis;
use crate::db::Db;

/// How long counts are kept in memory before they are written.
const WRITTEN_AFTER: Duration = Duration::from_secs(30);
/// How long another process that writes is waited for in between, and at the end. Nobody waits for this meanwhile.
const PATIENCE: Duration = Duration::from_millis(250);
const LAST_PATIENCE: Duration = Duration::from_secs(2);
/// How many incidents that could not be written are kept for the next time.
const NOTED: usize = 100;

/// Calls of one hook since the last time that they were written.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) calls: u64,
    pub(super) ok: u64,
    pub(super) errors: u64,
    pub(super) timeouts: u64,
    pub(super) refused: u64,
    pub(super) hits: u64,
    pub(super) total_ms: f64,
    pub(super) took: Histogram,
    pub(super) last_ok: Option<UnixMillis>,
    pub(super) last_error: Option<(UnixMillis, String)>,
}

/// An incident that is to be written.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    pub(super) at: UnixMillis,
    pub(super) kind: Incident,
    pub(super) reason: String,
}

/// What is not written yet, of one provider.
pub(super) struct Counts(Arc<Inner>);

struct Inner {
    provider: String,
    /// None when nothing can be written.
    db: Option<Arc<Db>>,
    kept: Mutex<Kept>,
    ended: Condvar,
}

#[derive(Default)]
struct Kept {
    unwritten: Unwritten,
    /// A thread waits to write what is here.
    awaited: bool,
    ended: bool,
}

#[derive(Default)]
struct Unwritten {
    tallies: BTreeMap<Hook, Tally>,
    incidents: Vec<Noted>,
}

impl Tally {
    /// Adds what came before.
    fn precede(&mut self, before: Self) {
        self.calls += before.calls;
        self.ok += before.ok;
        self.errors += before.errors;
        self.timeouts += before.timeouts;
        self.refused += before.refused;
        self.hits += before.hits;
        self.total_ms += before.total_ms;
        self.took.merge(&before.took);
        self.last_ok = self.last_ok.or(before.last_ok);
        self.last_error = self.last_error.take().or(before.last_error);
    }
}

impl Counts {
    pub(super) fn new(provider: &str, db: Option<Arc<Db>>) -> Self {
        let db = db.filter(|db| !db.is_read_only());
        let inner = Inner { provider: provider.to_owned(), db, kept: Mutex::default(), ended: Condvar::new() };
        Self(Arc::new(inner))
    }

    /// Counts something of a hook.
    pub(super) fn count(&self, hook: Hook, count: impl FnOnce(&mut Tally)) {
        let mut kept = self.0.lock();
        count(kept.unwritten.tallies.entry(hook).or_default());
        self.await_writing(&mut kept);
    }

    /// Writes an incident now, since the process may not live long. Answers whether it is written; if not, it is with
    /// the next counts.
    pub(super) fn note(&self, noted: Noted) -> bool {
        let Some(db) = &self.0.db else { return true };
        let written = db.within(LAST_PATIENCE, |connection| {
            let transaction = connection.transaction()?;
            record::note(&transaction, &self.0.provider, &noted)?;
            transaction.commit()
        });
        let Err(error) = written else { return true };
        tracing::warn!(%error, "an incident was not written");
        let mut kept = self.0.lock();
        if kept.unwritten.incidents.len() < NOTED {
            kept.unwritten.incidents.push(noted);
        }
        self.await_writing(&mut kept);
        false
    }

    /// Writes what there is. A failure is logged, and all is kept for the next time.
    pub(super) fn flush(&self) {
        self.0.write(LAST_PATIENCE);
    }

    /// Has a thread write what is there, in a while.
    fn await_writing(&self, kept: &mut Kept) {
        if kept.awaited || self.0.db.is_none() {
            return;
        }
        let inner = Arc::clone(&self.0);
        let thread = std::thread::Builder::new().name("health".to_owned()).spawn(move || inner.write_in_a_while());
        // Without a thread they are written at the end.
        kept.awaited = thread.is_ok();
    }
}

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.ended.notify_all();
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_in_a_while(&self) {
        let deadline = Instant::now() + WRITTEN_AFTER;
        let mut kept = self.lock();
        while !kept.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // From here on, what is counted needs another thread.
                kept.awaited = false;
                drop(kept);
                return self.write(PATIENCE);
            }
            kept = self.ended.wait_timeout(kept, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Takes all out of memory before it is written, so that no call waits for the disk.
    fn write(&self, patience: Duration) {
        let Some(db) = &self.db else { return };
        let unwritten = std::mem::take(&mut self.lock().unwritten);
        if unwritten.tallies.is_empty() && unwritten.incidents.is_empty() {
            return;
        }
        let written = db.within(patience, |connection| {
            let transaction = connection.transaction()?;
            for (hook, tally) in &unwritten.tallies {
                record::add(&transaction, &self.provider, *hook, tally)?;
            }
            for noted in &unwritten.incidents {
                record::note(&transaction, &self.provider, noted)?;
            }
            record::prune(&transaction)?;
            transaction.commit()
        });
        if let Err(error) = written {
            tracing::warn!(%error, "the health record was not written");
            self.put_back(unwritten);
        }
    }

    fn put_back(&self, unwritten: Unwritten) {
        let mut kept = self.lock();
        for (hook, tally) in unwritten.tallies {
            kept.unwritten.tallies.entry(hook).or_default().precede(tally);
        }
        let newer = std::mem::replace(&mut kept.unwritten.incidents, unwritten.incidents);
        kept.unwritten.incidents.extend(newer);
        kept.unwritten.incidents.truncate(NOTED);
    }
}
