//! The rows: written with the turn that they belong to, claimed one at a time, and gone when they have arrived.
//!
//! A row stands in each of its lanes, and may go when it is the first in all of them. A dead letter is passed by.
//! Writing a row down is synced to the disk; that it is gone is not, since its next delivery would have the same key.

mod lease;
mod sql;
pub(super) mod view;

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::entry::Entry;
use super::{Care, Delivery, RetryPolicy, TurnMark};
use crate::clock::{Clock, UnixMillis};
use crate::db::{Db, DbError};
use lease::Lease;

/// The rows of one provider.
pub(super) struct Store {
    db: Arc<Db>,
    provider: String,
    clock: Clock,
    longest_wait_ms: u64,
    lease: Lease,
}

/// A row that is being delivered.
pub(super) struct Claimed {
    pub(super) id: i64,
    /// Failures that it may have caused.
    pub(super) failures: u32,
    /// All that it had.
    pub(super) tries: u32,
    pub(super) delivery: Delivery,
}

/// What there is to do.
pub(super) enum Claim {
    Row(Box<Claimed>),
    /// Nothing before this time; and, where the provider is left alone, why.
    Wait {
        until: UnixMillis,
        held: Option<String>,
    },
    /// Somebody else delivers for this provider.
    Taken,
    Nothing,
}

/// What became of a try.
pub(super) enum Outcome<'a> {
    Arrived,
    /// It waits. `counted`: it may have been the cause.
    Later {
        wait: Duration,
        counted: bool,
        error: &'a str,
    },
    /// It and all others wait. `asked`: the provider named the time.
    Hold {
        wait: Duration,
        asked: bool,
        error: &'a str,
    },
    Dead {
        error: &'a str,
    },
}

/// What is known of a row that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Open,
    Dead(String),
    Gone,
}

impl Store {
    pub(super) fn new(db: Arc<Db>, provider: &str, policy: &RetryPolicy, clock: Clock) -> Self {
        let lease = Lease::new(db.path(), provider);
        let longest_wait_ms = millis(policy.longest_wait());
        Self { db, provider: provider.to_owned(), clock, longest_wait_ms, lease }
    }

    /// Whether what is written outlives the process.
    pub(super) fn is_durable(&self) -> bool {
        self.db.path().is_some()
    }

    /// Writes groups of entries in one transaction, synced to the disk, and answers the rows of each. What to write is
    /// asked when the database is free, and the rows are noted before it is free again.
    pub(super) fn put<'a>(
        &self,
        groups: impl FnOnce() -> Vec<&'a [Entry]>,
        note: impl FnOnce(&[Vec<Option<i64>>]),
    ) -> Result<Vec<Vec<Option<i64>>>, DbError> {
        self.db.with(|connection| {
            let groups = groups();
            if groups.is_empty() {
                return Ok(Vec::new());
            }
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let now = self.clock.now();
            let put = |entry: &Entry| match entry {
                Entry::Delivery(delivery) => sql::put(&transaction, &self.provider, delivery, now).map(Some),
                Entry::Beside(beside) => (beside.write)(&transaction).map(|()| None),
            };
            let rows: rusqlite::Result<Vec<Vec<Option<i64>>>> =
                groups.iter().map(|group| group.iter().map(put).collect()).collect();
            let rows = rows?;
            transaction.commit()?;
            note(&rows);
            Ok(rows)
        })
    }

    /// Takes the first row that may go. `limit` is how long the delivery of its kind takes at most.
    pub(super) fn claim(&self, limit: impl Fn(&str) -> Duration) -> Result<Claim, DbError> {
        let any = "SELECT 1 FROM outbox WHERE provider = ?1 AND dead_ms IS NULL";
        let look = |connection: &mut Connection| {
            connection.prepare_cached(any)?.query_row([&self.provider], |_| Ok(())).optional()
        };
        if self.db.with(look)?.is_none() {
            self.release()?;
            return Ok(Claim::Nothing);
        }
        // A lock that was just free says that whoever stands in the database is gone. One that was held all along does
        // not: this process may have been stopped for so long that another has taken its place.
        let held = self.lease.is_held();
        let lock = self.lease.hold();
        let alone = lock == lease::Lock::Own && !held;
        let claim = self.change(|transaction| {
            let now = self.clock.now();
            let (lease, hold) = lease::read(transaction, &self.provider)?;
            if self.lease.is_about_to_be_taken(lock, lease.as_ref(), now) {
                return Ok(Claim::Taken);
            }
            if let Some(lease) = lease
                && lease.is_of_another(&self.lease, alone, now)
            {
                if held {
                    self.lease.make_way_for(lease);
                }
                return Ok(Claim::Taken);
            }
            let bound = now.saturating_add(self.longest_wait_ms);
            if let Some(hold) = hold.filter(|hold| hold.until > now && hold.until <= bound) {
                return Ok(Claim::Wait { until: hold.until, held: Some(hold.reason) });
            }
            let row = sql::first_ready(transaction, &self.provider, now, bound)?;
            let Some(row) = row else {
                return Ok(match sql::soonest(transaction, &self.provider, now)? {
                    Some(until) => Claim::Wait { until, held: None },
                    None => Claim::Nothing,
                });
            };
            let until = now.saturating_add(millis(limit(&row.delivery.kind) + lease::MARGIN));
            lease::take(transaction, &self.provider, &self.lease, until)?;
            Ok(Claim::Row(Box::new(row)))
        })?;
        match claim {
            Claim::Row(_) => {}
            Claim::Taken => self.lease.let_go(),
            Claim::Wait { .. } | Claim::Nothing => self.release()?,
        }
        Ok(claim)
    }

    /// How often another database took the place of the first: rows of the old one have no meaning in the new one.
    pub(super) fn generation(&self) -> u64 {
        self.db.generation()
    }

    /// Writes down what became of a try. The number alone may be that of another row, where another database took the
    /// place of the first.
    pub(super) fn settle(&self, id: i64, key: &str, outcome: &Outcome<'_>) -> Result<(), DbError> {
        self.change(|transaction| {
            let now = self.clock.now();
            let after = |wait: Duration| sql::signed(now.saturating_add(millis(wait)));
            match *outcome {
                Outcome::Arrived => {
                    transaction
                        .prepare_cached("DELETE FROM outbox WHERE id = ?1 AND key = ?2")?
                        .execute(params![id, key])?;
                    lease::not_held(transaction, &self.provider)?;
                }
                Outcome::Later { wait, counted, error } => {
                    transaction.execute(
                        "UPDATE outbox SET tries = tries + 1, failures = failures + ?3, not_before_ms = ?4,
                         last_error = ?5 WHERE id = ?1 AND key = ?2",
                        params![id, key, counted, after(wait), error],
                    )?;
                }
                Outcome::Hold { wait, asked, error } => {
                    let why = "UPDATE outbox SET last_error = ?3 WHERE id = ?1 AND key = ?2";
                    transaction.execute(why, params![id, key, error])?;
                    let until = now.saturating_add(millis(wait));
                    lease::held(transaction, &self.provider, &lease::Held { until, reason: error.to_owned(), asked })?;
                }
                Outcome::Dead { error } => {
                    let buried = transaction.execute(
                        "UPDATE outbox SET tries = tries + 1, dead_ms = ?3, last_error = ?4 WHERE id = ?1 AND key = ?2",
                        params![id, key, sql::signed(now), error],
                    )?;
                    if buried > 0 {
                        transaction.execute("UPDATE outbox_lanes SET open = 0 WHERE row = ?1", [id])?;
                    }
                }
            }
            Ok(())
        })
    }

    /// How often in a row the provider refused everything.
    pub(super) fn refusals(&self) -> Result<u32, DbError> {
        self.db.with(|connection| lease::refusals(connection, &self.provider))
    }

    /// A new process waits for nothing but what the provider asked for: what was wrong may be repaired.
    pub(super) fn try_again(&self) -> Result<(), DbError> {
        self.change(|transaction| {
            lease::end_own_hold(transaction, &self.provider)?;
            let now = "UPDATE outbox SET not_before_ms = NULL WHERE provider = ?1 AND not_before_ms IS NOT NULL";
            transaction.execute(now, [&self.provider]).map(drop)
        })
    }

    /// Nobody delivers for the provider any more.
    pub(super) fn release(&self) -> Result<(), DbError> {
        if self.lease.is_held() {
            self.change(|transaction| lease::give_back(transaction, &self.provider, &self.lease))?;
        }
        self.lease.let_go();
        Ok(())
    }

    /// What became of rows.
    pub(super) fn fates(&self, ids: &[i64]) -> Result<Vec<(i64, Fate)>, DbError> {
        self.db.with(|connection| {
            let mut ask =
                connection.prepare_cached("SELECT dead_ms IS NOT NULL, last_error FROM outbox WHERE id = ?1")?;
            let fate = |row: &rusqlite::Row<'_>| match row.get(0)? {
                true => Ok(Fate::Dead(row.get::<_, Option<String>>(1)?.unwrap_or_default())),
                false => Ok(Fate::Open),
            };
            ids.iter().map(|id| Ok((*id, ask.query_row([id], fate).optional()?.unwrap_or(Fate::Gone)))).collect()
        })
    }

    /// The first of what is open for the provider, whoever wrote it.
    pub(super) fn open_whats(&self) -> Result<Vec<String>, DbError> {
        let open = "SELECT what FROM outbox WHERE provider = ?1 AND dead_ms IS NULL ORDER BY id LIMIT 1000";
        self.db.with(|connection| {
            connection.prepare_cached(open)?.query_map([&self.provider], |row| row.get(0))?.collect()
        })
    }

    /// The highest number of a turn of this session that was ever written down, whoever the provider was; 0 without any.
    pub(super) fn last_turn(&self, session: &str) -> Result<u64, DbError> {
        let last = "SELECT number FROM last_turns WHERE session = ?1";
        let last: Option<i64> = self
            .db
            .with(|connection| connection.prepare_cached(last)?.query_row([session], |row| row.get(0)).optional())?;
        Ok(last.and_then(|number| number.try_into().ok()).unwrap_or_default())
    }

    /// A change that need not be on the disk at once.
    fn change<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, DbError> {
        self.db.with_relaxed(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
