//! How a provider has been doing: calls counted per hook, and what went wrong, kept across processes.
//!
//! Calls are counted in memory and written when the provider is closed, and now and then in between: a commit per
//! call would cost more than the call. An incident is written at once, since the process may not live long after it.

mod circuit;

pub use circuit::{Failing, Streak};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_provider_api::Hook;

use crate::clock::{Clock, UnixMillis};
use crate::db::Db;
use crate::secrets::Mask;

/// How many crashes put a provider into quarantine.
const CRASHES: usize = 3;
/// Within which time, and for how long after the last of them.
const WINDOW_MS: u64 = 600_000;
/// How many incidents of a provider are kept: one that cannot be opened may fail every few seconds, for days.
const INCIDENTS_KEPT: i64 = 1000;
/// How often counts are written while a process lives on.
const FLUSH_EVERY: Duration = Duration::from_secs(30);
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
    kept: Mutex<Kept>,
    circuits: circuit::Circuits,
}

struct Kept {
    tallies: BTreeMap<Hook, Tally>,
    crashes: Vec<(UnixMillis, String)>,
    /// When these were last compared with the database; never again once a crash could not be written there.
    read: Option<Instant>,
    flushed: Instant,
}

/// Calls of one hook since the last flush.
#[derive(Clone, Debug, Default)]
struct Tally {
    calls: u64,
    ok: u64,
    errors: u64,
    timeouts: u64,
    hits: u64,
    total_ms: f64,
    last_ok: Option<UnixMillis>,
    last_error: Option<(UnixMillis, String)>,
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
    /// How many items it recalled.
    pub hits: u64,
    /// Mean time of a call.
    pub mean_ms: f64,
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
        let crashes = db.as_deref().and_then(|db| read_crashes(db, provider)).unwrap_or_default();
        let now = Instant::now();
        let kept = Kept { tallies: BTreeMap::new(), crashes, read: Some(now), flushed: now };
        Self {
            provider: provider.to_owned(),
            clock,
            db,
            mask: Mask::default(),
            kept: Mutex::new(kept),
            circuits: circuit::Circuits::default(),
        }
    }

    /// Takes these secrets out of all that is kept: a provider may name its key when it says why a call failed.
    #[must_use]
    pub fn masked(mut self, mask: Mask) -> Self {
        self.mask = mask;
        self
    }

    /// Counts a call.
    pub fn record(&self, hook: Hook, outcome: Outcome, took: Duration) {
        let now = self.clock.now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = kept.tallies.entry(hook).or_default();
        tally.calls += 1;
        tally.total_ms += took.as_secs_f64() * 1000.0;
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
        if kept.flushed.elapsed() >= FLUSH_EVERY {
            drop(kept);
            self.flush();
        }
    }

    /// Counts recalled items.
    pub fn hits(&self, count: u64) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).tallies.entry(Hook::Prefetch).or_default().hits +=
            count;
    }

    /// Remembers what went wrong.
    pub fn incident(&self, kind: Incident, reason: &str) {
        let now = self.clock.now();
        let reason = &*self.mask.apply(reason);
        tracing::warn!(provider = self.provider, kind = kind.name(), reason, "incident");
        if kind == Incident::Crash {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).crashes.push((now, reason.to_owned()));
        }
        let Some(db) = &self.db else { return };
        let written = db.with(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute(
                "INSERT INTO incidents (provider, at_ms, kind, reason) VALUES (?1, ?2, ?3, ?4)",
                (&self.provider, now.cast_signed(), kind.name(), reason),
            )?;
            transaction.execute(
                "DELETE FROM incidents WHERE provider = ?1 AND id <=
                   (SELECT id FROM incidents WHERE provider = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                (&self.provider, INCIDENTS_KEPT),
            )?;
            transaction.commit()
        });
        if let Err(error) = written {
            tracing::warn!(%error, "an incident was not written");
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).read = None;
        }
    }

    /// Whether it crashed too often. A clock that jumped counts in both directions.
    #[must_use]
    pub fn quarantine(&self) -> Option<Quarantine> {
        let now = self.clock.now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = quarantine(&kept.crashes, now)?;
        if let (Some(db), Some(read)) = (&self.db, kept.read)
            && read.elapsed() >= BELIEVED
        {
            kept.read = Some(Instant::now());
            // A database that cannot be read frees nobody.
            kept.crashes = read_crashes(db, &self.provider).unwrap_or(std::mem::take(&mut kept.crashes));
            return quarantine(&kept.crashes, now);
        }
        Some(found)
    }

    /// Writes the counts. A failure is logged, and the counts are kept for the next time.
    pub fn flush(&self) {
        let Some(db) = &self.db else { return };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.flushed = Instant::now();
        if kept.tallies.is_empty() {
            return;
        }
        match db.with(|connection| {
            let transaction = connection.transaction()?;
            for (hook, tally) in &kept.tallies {
                add(&transaction, &self.provider, *hook, tally)?;
            }
            transaction.commit()
        }) {
            Ok(()) => kept.tallies.clear(),
            Err(error) => tracing::warn!(%error, "the health record was not written"),
        }
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

fn add(connection: &rusqlite::Connection, provider: &str, hook: Hook, tally: &Tally) -> rusqlite::Result<()> {
    let signed = |count: u64| count.cast_signed();
    let (error_at, error) = tally.last_error.clone().unzip();
    connection.execute(
        "INSERT INTO hook_health (provider, hook, calls, ok, errors, timeouts, hits, total_ms, last_ok_ms,
                                  last_error_ms, last_error)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (provider, hook) DO UPDATE SET
           calls = calls + excluded.calls, ok = ok + excluded.ok, errors = errors + excluded.errors,
           timeouts = timeouts + excluded.timeouts, hits = hits + excluded.hits,
           total_ms = total_ms + excluded.total_ms,
           last_ok_ms = coalesce(excluded.last_ok_ms, last_ok_ms),
           last_error_ms = coalesce(excluded.last_error_ms, last_error_ms),
           last_error = coalesce(excluded.last_error, last_error)",
        rusqlite::params![
            provider,
            hook.name(),
            signed(tally.calls),
            signed(tally.ok),
            signed(tally.errors),
            signed(tally.timeouts),
            signed(tally.hits),
            tally.total_ms,
            tally.last_ok.map(signed),
            error_at.map(signed),
            error,
        ],
    )?;
    Ok(())
}

/// The last crashes, the oldest first; None when they cannot be read.
fn read_crashes(db: &Db, provider: &str) -> Option<Vec<(UnixMillis, String)>> {
    let read = db.with(|connection| {
        let mut query = connection.prepare(
            "SELECT at_ms, reason FROM incidents WHERE provider = ?1 AND kind = 'crash' ORDER BY id DESC LIMIT 10",
        )?;
        let rows = query.query_map([provider], |row| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?)))?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    });
    match read {
        Ok(mut crashes) => {
            crashes.reverse();
            Some(crashes)
        }
        Err(error) => {
            tracing::warn!(%error, "earlier crashes cannot be read");
            None
        }
    }
}

/// What is known of each hook of a provider.
///
/// # Errors
/// When the database cannot be read.
pub fn read(db: &Db, provider: &str) -> Result<Vec<HookHealth>, crate::db::DbError> {
    db.with(|connection| {
        let mut query = connection.prepare(
            "SELECT hook, calls, ok, errors, timeouts, hits, total_ms, last_ok_ms, last_error_ms, last_error
             FROM hook_health WHERE provider = ?1 ORDER BY hook",
        )?;
        let count = |row: &rusqlite::Row<'_>, at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
        let time =
            |row: &rusqlite::Row<'_>, at: usize| row.get::<_, Option<i64>>(at).map(|at| at.map(i64::cast_unsigned));
        let rows = query.query_map([provider], |row| {
            let calls = count(row, 1)?;
            #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
            let mean_ms = if calls == 0 { 0.0 } else { row.get::<_, f64>(6)? / calls as f64 };
            Ok(HookHealth {
                hook: row.get(0)?,
                calls,
                ok: count(row, 2)?,
                errors: count(row, 3)?,
                timeouts: count(row, 4)?,
                hits: count(row, 5)?,
                mean_ms,
                last_ok_ms: time(row, 7)?,
                last_error_ms: time(row, 8)?,
                last_error: row.get(9)?,
            })
        })?;
        rows.collect()
    })
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::Secret;

    use super::*;
    use crate::home::Home;

    #[test]
    fn what_is_kept_holds_no_secret() {
        let folder = tempfile::tempdir().unwrap();
        let db = Arc::new(Db::open(&Home::at(folder.path())).unwrap().db);
        let mask = Mask::new([("NOTES_KEY", Secret::new("nt_123456"))]);
        let health = Health::new("notes", Clock::fixed(7), Some(Arc::clone(&db))).masked(mask);
        health.record(Hook::Health, Outcome::Error("401 for nt_123456".to_owned()), Duration::from_millis(1));
        (0..3).for_each(|_| health.incident(Incident::Crash, "it saw nt_123456"));
        health.flush();
        assert_eq!(read(&db, "notes").unwrap()[0].last_error.as_deref(), Some("401 for [NOTES_KEY]"));
        assert_eq!(health.quarantine().unwrap().reason, "it saw [NOTES_KEY]");
        let again = Health::new("notes", Clock::fixed(7), Some(db));
        assert_eq!(again.quarantine().unwrap().reason, "it saw [NOTES_KEY]");
        (0..3).for_each(|_| health.failed(Hook::Prefetch, Failing::Broken, "nt_123456 is refused"));
        assert_eq!(again.paused(Hook::Prefetch).unwrap().reason, "[NOTES_KEY] is refused");
    }

    #[test]
    fn the_record_of_incidents_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let db = Arc::new(Db::open(&Home::at(folder.path())).unwrap().db);
        let sql = format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {INCIDENTS_KEPT})
             INSERT INTO incidents (provider, at_ms, kind, reason) SELECT 'notes', i, 'open', 'no key' FROM n"
        );
        db.with(|connection| connection.execute_batch(&sql)).unwrap();
        let of = |provider: &str| Health::new(provider, Clock::fixed(7), Some(Arc::clone(&db)));
        of("other").incident(Incident::Open, "no key");
        of("notes").incident(Incident::Open, "the newest");
        let seen = |sql: &str| db.with(|connection| connection.query_row(sql, [], |row| row.get::<_, i64>(0))).unwrap();
        assert_eq!(seen("SELECT count(*) FROM incidents WHERE provider = 'notes'"), INCIDENTS_KEPT);
        assert_eq!(seen("SELECT min(at_ms) FROM incidents WHERE reason = 'no key' AND provider = 'notes'"), 2);
        assert_eq!(seen("SELECT count(*) FROM incidents WHERE reason = 'the newest'"), 1);
        assert_eq!(seen("SELECT count(*) FROM incidents WHERE provider = 'other'"), 1);
    }

    #[test]
    fn what_is_cleared_is_over_in_every_process() {
        let folder = tempfile::tempdir().unwrap();
        let db = Arc::new(Db::open(&Home::at(folder.path())).unwrap().db);
        let health = Health::new("notes", Clock::fixed(7), Some(Arc::clone(&db)));
        (0..3).for_each(|_| health.incident(Incident::Crash, "it fell"));
        assert_eq!(troubled(&db).unwrap(), ["notes"]);
        assert!(clear(&db, "notes").unwrap() && !clear(&db, "notes").unwrap());
        assert!(troubled(&db).unwrap().is_empty());
        assert!(Health::new("notes", Clock::fixed(7), Some(Arc::clone(&db))).quarantine().is_none());
        assert!(health.quarantine().is_some(), "it is believed for a moment");
        health.kept.lock().unwrap().read = Instant::now().checked_sub(BELIEVED);
        assert!(health.quarantine().is_none());
        // Nor does a database that cannot be read free anybody.
        (0..3).for_each(|_| health.incident(Incident::Crash, "it fell"));
        db.with(|connection| connection.execute_batch("DROP TABLE incidents")).unwrap();
        health.kept.lock().unwrap().read = Instant::now().checked_sub(BELIEVED);
        assert!(health.quarantine().is_some());
        // Without a database to ask, the memory of the process counts.
        let alone = Health::new("notes", Clock::fixed(7), None);
        (0..3).for_each(|_| alone.incident(Incident::Crash, "it fell"));
        assert!(alone.quarantine().is_some());
    }
}
