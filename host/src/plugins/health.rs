//! How a provider has been doing: calls counted per hook, and what went wrong, kept across processes.
//!
//! Calls are counted in memory and written when the provider is closed, and half a minute after the first of them at the
//! latest: a commit per call would cost more than the call. An incident is written at once, since the process may not
//! live long after it. No lock of this record is held while something is written.

mod circuit;
mod counts;
mod latency;
mod record;
#[cfg(test)]
mod tests;

pub use circuit::{Failing, Streak};
pub use record::read;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_provider_api::Hook;

use counts::{Counts, Noted};
use record::read_crashes;

use crate::clock::{Clock, UnixMillis};
use crate::db::Db;
use crate::secrets::Mask;

/// How many crashes put a provider into quarantine.
const CRASHES: usize = 3;
/// Within which time, and for how long after the last of them.
const WINDOW_MS: u64 = 600_000;
/// How long a quarantine is believed before it is looked at again: somebody may have cleared it.
const BELIEVED: Duration = Duration::from_secs(1);

/// How a call went.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It was answered.
    Ok,
    /// Its deadline passed.
    Timeout,
    /// It failed, and why.
    Error(String),
}

/// What is remembered beyond a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incident {
    /// A panic, or a worker that ended by itself.
    Crash,
    /// A call that did not end even after its late limit.
    Hang,
    /// It could not be opened.
    Open,
    /// It did not shut down cleanly.
    Close,
}

impl Incident {
    const fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Open => "open",
            Self::Close => "close",
        }
    }
}

/// A provider that crashes too often.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Quarantine {
    /// How often it crashed within the last ten minutes.
    pub crashes: usize,
    /// The last crash.
    pub reason: String,
    /// When it began.
    pub since: UnixMillis,
    /// When it is over, if nothing more happens.
    pub until: UnixMillis,
}

/// The record of one provider. Without a database it lasts as long as the process.
pub struct Health {
    provider: String,
    clock: Clock,
    db: Option<Arc<Db>>,
    mask: Mask,
    counts: Counts,
    crashes: Mutex<Crashes>,
    circuits: circuit::Circuits,
}

struct Crashes {
    seen: Vec<(UnixMillis, String)>,
    /// When these were last compared with the database; never again once a crash could not be written there.
    read: Option<Instant>,
}

/// One line of the status.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct HookHealth {
    /// The hook.
    pub hook: String,
    /// How often it was called.
    pub calls: u64,
    /// How often it answered.
    pub ok: u64,
    /// How often it failed.
    pub errors: u64,
    /// How often it did not answer in time.
    pub timeouts: u64,
    /// How often it was not called at all: while it was paused, in quarantine, or where the caller may not write.
    pub refused: u64,
    /// How many items it recalled.
    pub hits: u64,
    /// Mean time of a call.
    pub mean_ms: f64,
    /// Within how many milliseconds half of the last thousands of calls were over; None without calls.
    pub p50_ms: Option<f64>,
    /// The same for 95 of 100.
    pub p95_ms: Option<f64>,
    /// When it last answered.
    pub last_ok_ms: Option<UnixMillis>,
    /// When it last failed.
    pub last_error_ms: Option<UnixMillis>,
    /// How it last failed.
    pub last_error: Option<String>,
}

impl Health {
    /// The record of a provider, with the crashes that earlier processes saw.
    #[must_use]
    pub fn new(provider: &str, clock: Clock, db: Option<Arc<Db>>) -> Self {
        let seen = db.as_deref().and_then(|db| read_crashes(db, provider)).unwrap_or_default();
        Self {
            provider: provider.to_owned(),
            clock,
            counts: Counts::new(provider, db.clone()),
            db,
            mask: Mask::default(),
            crashes: Mutex::new(Crashes { seen, read: Some(Instant::now()) }),
            circuits: circuit::Circuits::default(),
        }
    }

    /// Takes these secrets out of all that is kept: a provider may name its key when it says why a call failed.
    #[must_use]
    pub fn masked(mut self, mask: Mask) -> Self {
        self.mask = mask;
        self
    }

    /// What takes them out.
    #[must_use]
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// Counts a call.
    pub fn record(&self, hook: Hook, outcome: Outcome, took: Duration) {
        let now = self.clock.now();
        self.counts.count(hook, |tally| {
            tally.calls += 1;
            tally.total_ms += took.as_secs_f64() * 1000.0;
            tally.took.add(took);
            match outcome {
                Outcome::Ok => {
                    tally.ok += 1;
                    tally.last_ok = Some(now);
                }
                Outcome::Timeout => {
                    tally.timeouts += 1;
                    tally.last_error = Some((now, format!("no answer within {} ms", took.as_millis())));
                }
                Outcome::Error(text) => {
                    tally.errors += 1;
                    tally.last_error = Some((now, self.mask.apply(&text).into_owned()));
                }
            }
        });
    }

    /// Counts a call that was not made: the hook is paused, the provider in quarantine, or the caller may not write.
    pub fn refused(&self, hook: Hook) {
        self.counts.count(hook, |tally| tally.refused += 1);
    }

    /// Counts recalled items.
    pub fn hits(&self, count: u64) {
        self.counts.count(Hook::Prefetch, |tally| tally.hits += count);
    }

    /// Remembers what went wrong.
    pub fn incident(&self, kind: Incident, reason: &str) {
        let at = self.clock.now();
        let reason = self.mask.apply(reason).into_owned();
        tracing::warn!(provider = self.provider, kind = kind.name(), reason, "incident");
        if kind == Incident::Crash {
            self.crashes.lock().unwrap_or_else(PoisonError::into_inner).seen.push((at, reason.clone()));
        }
        if !self.counts.note(Noted { at, kind, reason }) {
            self.crashes.lock().unwrap_or_else(PoisonError::into_inner).read = None;
        }
    }

    /// Whether it crashed too often. A clock that jumped counts in both directions.
    #[must_use]
    pub fn quarantine(&self) -> Option<Quarantine> {
        let now = self.clock.now();
        let mut crashes = self.crashes.lock().unwrap_or_else(PoisonError::into_inner);
        let found = quarantine(&crashes.seen, now)?;
        if let (Some(db), Some(read)) = (&self.db, crashes.read)
            && read.elapsed() >= BELIEVED
        {
            crashes.read = Some(Instant::now());
            // A database that cannot be read frees nobody.
            crashes.seen = read_crashes(db, &self.provider).unwrap_or(std::mem::take(&mut crashes.seen));
            return quarantine(&crashes.seen, now);
        }
        Some(found)
    }

    /// Writes the counts. A failure is logged, and the counts are kept for the next time.
    pub fn flush(&self) {
        self.counts.flush();
    }
}

fn quarantine(crashes: &[(UnixMillis, String)], now: UnixMillis) -> Option<Quarantine> {
    let recent: Vec<_> = crashes.iter().filter(|(at, _)| at.abs_diff(now) < WINDOW_MS).collect();
    let (since, _) = recent.get(CRASHES - 1)?;
    let (at, reason) = recent.last()?;
    Some(Quarantine { crashes: recent.len(), reason: reason.clone(), since: *since, until: at + WINDOW_MS })
}

/// Ends the quarantine and all pauses of a provider; what happened stays on record. Answers whether there was anything
/// to end.
///
/// # Errors
/// When the database cannot be written.
pub fn clear(db: &Db, provider: &str) -> Result<bool, crate::db::DbError> {
    db.with(|connection| {
        let transaction = connection.transaction()?;
        let sql = "UPDATE incidents SET kind = 'cleared crash' WHERE provider = ?1 AND kind = 'crash'";
        let changed = transaction.execute(sql, [provider])? + circuit::forget(&transaction, provider)?;
        transaction.commit()?;
        Ok(changed > 0)
    })
}

/// The providers of which a crash or failures in a row are on record.
///
/// # Errors
/// When the database cannot be read.
pub fn troubled(db: &Db) -> Result<Vec<String>, crate::db::DbError> {
    db.with(|connection| {
        let sql = "SELECT provider FROM incidents WHERE kind = 'crash' UNION SELECT provider FROM pauses ORDER BY 1";
        let mut query = connection.prepare(sql)?;
        query.query_map([], |row| row.get(0))?.collect()
    })
}
