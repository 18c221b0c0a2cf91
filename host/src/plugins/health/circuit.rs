//! Hooks that keep the host waiting or keep failing are left alone for a while, in every process.
//!
//! What counts is failures in a row. They are kept in `hermes.db`: a program that runs for one turn would otherwise
//! find out anew each time. Times are those of the wall clock, which may jump, so a pause holds only from the failure
//! that began it and never longer than the longest pause, whatever the clock says then.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_provider_api::Hook;
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior};
use serde::Serialize;

use super::Health;
use crate::clock::{UnixMillis, utc};
use crate::db::Db;

const FAILURES_TO_PAUSE: u32 = 3;
const FIRST_PAUSE_MS: u64 = 10_000;
const LONGEST_PAUSE_MS: u64 = 300_000;
/// Failures with so much time between them are not in a row.
const FORGOTTEN_AFTER_MS: u64 = 600_000;
/// How long what other processes wrote is not looked at again.
const FRESH: Duration = Duration::from_secs(1);
/// How long a process that writes is waited for: calls of this one wait meanwhile.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long only this process's own memory counts after something could not be written.
const ALONE: Duration = Duration::from_secs(600);

/// How a call failed, as far as a circuit cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// There was no answer in time.
    Slow,
    /// The provider answered that it cannot, for a reason that may pass.
    Broken,
}

/// Failures of a hook in a row, and the pause that came of them.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Streak {
    /// The hook.
    pub hook: String,
    /// How many calls failed in a row.
    pub failures: u32,
    /// How many of them by not answering in time.
    pub timeouts: u32,
    /// The last failure, and when the pause began.
    pub since: UnixMillis,
    /// When the hook is tried again; None while there were too few failures for a pause.
    pub until: Option<UnixMillis>,
    /// The last failure.
    pub reason: String,
}

impl Streak {
    /// What it is once one more call has failed. After a pause, one more is enough for the next, twice as long. A call
    /// that fails during a pause began before it, and is no reason for a longer one: else one stumble of a provider that
    /// many calls waited for would be a pause of minutes.
    fn next(before: Option<Self>, hook: Hook, failing: Failing, reason: &str, now: UnixMillis) -> Self {
        if let Some(paused) = before.as_ref().filter(|before| before.paused_until(now).is_some()) {
            return paused.clone();
        }
        let (failures, timeouts) =
            before.filter(|before| before.lasts(now)).map_or((0, 0), |before| (before.failures, before.timeouts));
        let failures = failures.saturating_add(1);
        let pause = failures
            .checked_sub(FAILURES_TO_PAUSE)
            .map(|more| FIRST_PAUSE_MS.saturating_mul(2_u64.saturating_pow(more)).min(LONGEST_PAUSE_MS));
        Self {
            hook: hook.name().to_owned(),
            failures,
            timeouts: timeouts.saturating_add(u32::from(failing == Failing::Slow)),
            since: now,
            until: pause.map(|pause| now + pause),
            reason: reason.to_owned(),
        }
    }

    /// Whether the next failure belongs to it.
    fn lasts(&self, now: UnixMillis) -> bool {
        self.since <= now && now - self.since < FORGOTTEN_AFTER_MS
    }

    /// When the hook is tried again, if it is paused.
    #[must_use]
    pub fn paused_until(&self, now: UnixMillis) -> Option<UnixMillis> {
        let holds = |until: &UnixMillis| {
            self.since <= now && now < *until && until.saturating_sub(self.since) <= LONGEST_PAUSE_MS
        };
        self.until.filter(holds)
    }

    /// `3 timeouts: no answer within 2000 ms`.
    #[must_use]
    pub fn why(&self) -> String {
        let what = if self.timeouts == self.failures { "timeouts" } else { "failed calls" };
        format!("{} {what}: {}", self.failures, self.reason)
    }

    /// What the status and the list of pauses say.
    #[must_use]
    pub fn sentence(&self) -> String {
        let until = self.until.map(utc).unwrap_or_default();
        format!("{} paused until {until} after {}", self.hook, self.why())
    }
}

/// What is known of a provider's hooks in this process.
#[derive(Default)]
pub(super) struct Circuits(Mutex<Known>);

#[derive(Default)]
struct Known {
    streaks: BTreeMap<Hook, Streak>,
    read: Option<Instant>,
    /// Something could not be written: until then, only this process's own memory counts.
    alone: Option<Instant>,
}

impl Circuits {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn failed_to_write(&mut self, error: &crate::db::DbError) {
        tracing::warn!(%error, "a pause was not written");
        self.alone = Instant::now().checked_add(ALONE);
    }

    fn is_alone(&self) -> bool {
        self.alone.is_some_and(|until| Instant::now() < until)
    }
}

impl Health {
    /// The failures for which a hook is paused now, by whichever process they were seen.
    #[must_use]
    pub fn paused(&self, hook: Hook) -> Option<Streak> {
        let now = self.clock.now();
        self.known().streaks.get(&hook).filter(|streak| streak.paused_until(now).is_some()).cloned()
    }

    /// The same for all hooks.
    #[must_use]
    pub fn all_paused(&self) -> Vec<Streak> {
        let now = self.clock.now();
        let known = self.known();
        known.streaks.values().filter(|streak| streak.paused_until(now).is_some()).cloned().collect()
    }

    /// A hook answered: its failures are over.
    pub fn answered(&self, hook: Hook) {
        let mut known = self.circuits.lock();
        if known.streaks.remove(&hook).is_some()
            && let Some(db) = self.db.as_ref().filter(|db| !db.is_read_only())
            && let Err(error) = db.within(PATIENCE, |connection| {
                let sql = "DELETE FROM pauses WHERE provider = ?1 AND hook = ?2";
                connection.execute(sql, (&self.provider, hook.name()))
            })
        {
            known.failed_to_write(&error);
        }
    }

    /// The provider is healthy: all of its hooks are tried again.
    pub fn healthy(&self) {
        let mut known = self.circuits.lock();
        known.streaks.clear();
        if let Some(db) = self.db.as_ref().filter(|db| !db.is_read_only())
            && let Err(error) = db.within(PATIENCE, |connection| forget(connection, &self.provider))
        {
            known.failed_to_write(&error);
        }
    }

    /// A call failed.
    pub fn failed(&self, hook: Hook, failing: Failing, reason: &str) {
        // It is asked whatever happened, so nobody should be told that it is left alone.
        if hook == Hook::Health {
            return;
        }
        let reason = &*self.mask.apply(reason);
        let now = self.clock.now();
        let mut known = self.circuits.lock();
        let own = known.streaks.get(&hook).cloned();
        let streak = match &self.db {
            Some(db) if !known.is_alone() && !db.is_read_only() => {
                let written = db.within(PATIENCE, |connection| {
                    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                    let streak =
                        Streak::next(read_one(&transaction, &self.provider, hook)?, hook, failing, reason, now);
                    write(&transaction, &self.provider, &streak)?;
                    transaction.commit()?;
                    Ok(streak)
                });
                written.unwrap_or_else(|error| {
                    known.failed_to_write(&error);
                    Streak::next(own, hook, failing, reason, now)
                })
            }
            _ => Streak::next(own, hook, failing, reason, now),
        };
        if streak.until.is_some() {
            tracing::warn!(provider = self.provider, pause = streak.sentence(), "a hook is left alone");
        }
        known.streaks.insert(hook, streak);
    }

    /// What is known, with what other processes wrote.
    fn known(&self) -> MutexGuard<'_, Known> {
        let mut known = self.circuits.lock();
        if let Some(db) = &self.db
            && !known.is_alone()
            && known.read.is_none_or(|read| read.elapsed() >= FRESH)
        {
            match read_all(db, &self.provider) {
                Ok(streaks) => known.streaks = streaks,
                Err(error) => tracing::warn!(%error, "pauses cannot be read"),
            }
            known.read = Some(Instant::now());
        }
        known
    }
}

const COLUMNS: &str = "hook, failures, timeouts, since_ms, until_ms, reason";

fn streak(row: &Row<'_>) -> rusqlite::Result<Streak> {
    Ok(Streak {
        hook: row.get(0)?,
        failures: row.get(1)?,
        timeouts: row.get(2)?,
        since: row.get::<_, i64>(3)?.cast_unsigned(),
        until: row.get::<_, Option<i64>>(4)?.map(i64::cast_unsigned),
        reason: row.get(5)?,
    })
}

fn read_one(connection: &Connection, provider: &str, hook: Hook) -> rusqlite::Result<Option<Streak>> {
    let sql = format!("SELECT {COLUMNS} FROM pauses WHERE provider = ?1 AND hook = ?2");
    connection.query_row(&sql, (provider, hook.name()), streak).optional()
}

fn read_all(db: &Db, provider: &str) -> Result<BTreeMap<Hook, Streak>, crate::db::DbError> {
    db.with(|connection| {
        let mut query = connection.prepare(&format!("SELECT {COLUMNS} FROM pauses WHERE provider = ?1"))?;
        let mut streaks = BTreeMap::new();
        for found in query.query_map([provider], streak)? {
            let streak = found?;
            // A newer host may know more hooks.
            if let Some(hook) = Hook::from_name(&streak.hook) {
                streaks.insert(hook, streak);
            }
        }
        Ok(streaks)
    })
}

fn write(connection: &Connection, provider: &str, streak: &Streak) -> rusqlite::Result<()> {
    let Streak { hook, failures, timeouts, since, until, reason } = streak;
    connection.execute(
        "INSERT OR REPLACE INTO pauses (provider, hook, failures, timeouts, since_ms, until_ms, reason)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (provider, hook, failures, timeouts, since.cast_signed(), until.map(u64::cast_signed), reason),
    )?;
    Ok(())
}

/// Ends all pauses of a provider.
pub(super) fn forget(connection: &Connection, provider: &str) -> rusqlite::Result<usize> {
    connection.execute("DELETE FROM pauses WHERE provider = ?1", [provider])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::Clock;
    use crate::home::Home;

    const NOW: UnixMillis = 1_767_225_600_000;

    fn slow(health: &Health, times: u32) {
        (0..times).for_each(|_| health.failed(Hook::Prefetch, Failing::Slow, "no answer within 50 ms"));
    }

    /// One failure after each pause.
    fn slow_after_pauses(health: &Health, times: u32) {
        for _ in 0..times {
            health.clock.set(health.clock.now() + left(health).unwrap_or_default());
            slow(health, 1);
        }
    }

    fn left(health: &Health) -> Option<u64> {
        health.paused(Hook::Prefetch)?.until.map(|until| until - health.clock.now())
    }

    #[test]
    fn three_failures_in_a_row_pause_one_hook() {
        let health = Health::new("notes", Clock::fixed(NOW), None);
        // An answer in between begins anew, one of another hook does not.
        slow(&health, 2);
        health.answered(Hook::Prefetch);
        slow(&health, 2);
        health.answered(Hook::SyncTurn);
        assert_eq!(left(&health), None);
        slow(&health, 1);
        assert_eq!(left(&health), Some(FIRST_PAUSE_MS));
        assert_eq!(
            health.paused(Hook::Prefetch).unwrap().sentence(),
            "prefetch paused until 2026-01-01 00:00:10 UTC after 3 timeouts: no answer within 50 ms"
        );
        assert_eq!(health.paused(Hook::SyncTurn), None);
        // Calls that were under way when the pause began change nothing.
        slow(&health, 40);
        assert_eq!(left(&health), Some(FIRST_PAUSE_MS));
        // Each failure after a pause doubles it, up to the longest.
        health.clock.set(NOW + FIRST_PAUSE_MS);
        health.failed(Hook::Prefetch, Failing::Broken, "the service is down");
        assert_eq!(left(&health), Some(2 * FIRST_PAUSE_MS));
        assert_eq!(health.paused(Hook::Prefetch).unwrap().why(), "4 failed calls: the service is down");
        slow_after_pauses(&health, 40);
        assert_eq!(left(&health), Some(LONGEST_PAUSE_MS));
        health.healthy();
        assert_eq!(left(&health), None);
    }

    #[test]
    fn a_check_of_health_is_never_paused() {
        let health = Health::new("notes", Clock::fixed(NOW), None);
        (0..5).for_each(|_| health.failed(Hook::Health, Failing::Slow, "no answer within 50 ms"));
        assert_eq!(health.all_paused(), []);
    }

    #[test]
    fn failures_far_apart_are_not_in_a_row() {
        let clock = Clock::fixed(NOW);
        let health = Health::new("notes", clock.clone(), None);
        slow(&health, 2);
        clock.set(NOW + FORGOTTEN_AFTER_MS);
        slow(&health, 1);
        assert_eq!(left(&health), None);
        slow(&health, 2);
        assert_eq!(left(&health), Some(FIRST_PAUSE_MS));
    }

    #[test]
    fn a_clock_that_jumps_pauses_nothing_for_ever() {
        let clock = Clock::fixed(NOW);
        let health = Health::new("notes", clock.clone(), None);
        slow(&health, 3);
        slow_after_pauses(&health, 10);
        let failed = clock.now();
        clock.set(failed - 1);
        assert_eq!(left(&health), None, "it went back behind the failure");
        clock.set(failed + LONGEST_PAUSE_MS);
        assert_eq!(left(&health), None, "it went on");
        // Written while the clock was wrong, or by somebody else.
        let odd = Streak { until: Some(u64::MAX), ..Streak::next(None, Hook::Prefetch, Failing::Slow, "", NOW) };
        assert_eq!(odd.paused_until(NOW), None);
    }

    #[test]
    fn other_processes_count_and_honour_and_close() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let process = || {
            let db = Arc::new(Db::open(&home).unwrap().db);
            Health::new("notes", Clock::fixed(NOW), Some(db))
        };
        for _ in 0..3 {
            slow(&process(), 1);
        }
        let (here, there) = (process(), process());
        assert_eq!(left(&here), Some(FIRST_PAUSE_MS));
        let other = Health::new("other", Clock::fixed(NOW), here.db.clone());
        assert_eq!(left(&other), None, "a pause is of one provider");
        there.healthy();
        assert_eq!(left(&process()), None);
        here.circuits.lock().read = None;
        assert_eq!(left(&here), None, "a process that runs on hears of it");
    }
}
