//! Who delivers for a provider, of all processes on a home, and whether the provider is left alone.
//!
//! Two things make an owner. A lock on a file says that it lives: the system gives it back however the process ends. A
//! row with a time says that it moves: a process that was stopped keeps its lock, and loses its place when the time is
//! over.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::sql::signed;
use super::{UnixMillis, millis};
use crate::home::files::FileLock;

/// How much longer than the longest delivery an owner may keep its place without a sign.
pub(super) const MARGIN: Duration = Duration::from_secs(15);

/// No lease is longer, whatever the clocks were when it was written: the longest deadline of a hook that can be set is
/// a day.
const LONGEST: Duration = Duration::from_secs(25 * 3600);

/// This process as an owner.
pub(super) struct Lease {
    owner: String,
    /// None: nobody else can have the database.
    file: Option<PathBuf>,
    held: Mutex<Option<FileLock>>,
    /// Who took this one's place while it had the lock: that the lock is free says nothing about it.
    successor: Mutex<Option<String>>,
    /// Since when another has had the lock and no place.
    nobody_since: Mutex<Option<UnixMillis>>,
}

/// Who has the lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lock {
    Own,
    Anothers,
    /// There are no locks here.
    Unknown,
}

/// The owner that stands in the database.
pub(super) struct Taken {
    owner: String,
    until: UnixMillis,
}

/// A provider that is left alone.
pub(super) struct Held {
    pub(super) until: UnixMillis,
    pub(super) reason: String,
    /// The provider named the time.
    pub(super) asked: bool,
}

impl Lease {
    pub(super) fn new(db: Option<&Path>, provider: &str) -> Self {
        let owner = format!("{}-{:016x}", std::process::id(), crate::clock::nonce());
        let file = db.map(|db| db.with_extension(format!("outbox-{provider}.lock")));
        let (held, successor, nobody_since) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { owner, file, held, successor, nobody_since }
    }

    /// Tries to get the lock. With it, whoever stands in the database is gone.
    pub(super) fn hold(&self) -> Lock {
        let Some(file) = &self.file else { return Lock::Own };
        let mut held = self.held();
        if held.is_none() {
            match FileLock::try_acquire(file) {
                Ok(None) => return Lock::Anothers,
                Ok(lock) => *held = lock,
                Err(error) => {
                    tracing::debug!(%error, "only the time in the database tells whether an owner is there");
                    return Lock::Unknown;
                }
            }
        }
        Lock::Own
    }

    /// Whether another has the lock and does not stand in the database yet, or any more. It is about to, and would take
    /// whoever came in between for one that is gone. One that was stopped just then is waited for no longer than others.
    pub(super) fn is_about_to_be_taken(&self, lock: Lock, taken: Option<&Taken>, now: UnixMillis) -> bool {
        let mut since = self.nobody_since.lock().unwrap_or_else(PoisonError::into_inner);
        if lock != Lock::Anothers || taken.is_some() {
            *since = None;
            return false;
        }
        let first = since.filter(|first| *first <= now).unwrap_or(now);
        *since = Some(first);
        now - first < millis(MARGIN)
    }

    pub(super) fn is_held(&self) -> bool {
        self.held().is_some()
    }

    pub(super) fn let_go(&self) {
        *self.held() = None;
    }

    /// Another has taken this one's place.
    pub(super) fn make_way_for(&self, other: Taken) {
        *self.successor.lock().unwrap_or_else(PoisonError::into_inner) = Some(other.owner);
    }

    fn made_way_for(&self, owner: &str) -> bool {
        self.successor.lock().unwrap_or_else(PoisonError::into_inner).as_deref() == Some(owner)
    }

    fn held(&self) -> MutexGuard<'_, Option<FileLock>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Whether another owner is there and moves.
    pub(super) fn is_of_another(&self, own: &Lease, alone: bool, now: UnixMillis) -> bool {
        let in_time = self.until > now && self.until <= now.saturating_add(millis(LONGEST));
        let gone = alone && !own.made_way_for(&self.owner);
        self.owner != own.owner && !gone && in_time
    }
}

/// The owner, and whether the provider is left alone.
pub(super) fn read(from: &Connection, provider: &str) -> rusqlite::Result<(Option<Taken>, Option<Held>)> {
    let time = |row: &rusqlite::Row<'_>, at: usize| row.get::<_, Option<i64>>(at).map(|at| at.map(i64::cast_unsigned));
    let row = from
        .prepare_cached(
            "SELECT owner, lease_until_ms, held_until_ms, held_reason, held_asked FROM outbox_providers
             WHERE provider = ?1",
        )?
        .query_row([provider], |row| {
            let (owner, until): (Option<String>, _) = (row.get(0)?, time(row, 1)?);
            let taken = owner.zip(until).map(|(owner, until)| Taken { owner, until });
            let (reason, asked) = (row.get::<_, Option<String>>(3)?.unwrap_or_default(), row.get(4)?);
            Ok((taken, time(row, 2)?.map(|until| Held { until, reason, asked })))
        });
    Ok(row.optional()?.unwrap_or_default())
}

/// Becomes the owner, or stays it for longer.
pub(super) fn take(to: &Connection, provider: &str, own: &Lease, until: UnixMillis) -> rusqlite::Result<()> {
    to.prepare_cached(
        "INSERT INTO outbox_providers (provider, owner, lease_until_ms) VALUES (?1, ?2, ?3)
         ON CONFLICT (provider) DO UPDATE SET owner = ?2, lease_until_ms = ?3",
    )?
    .execute(params![provider, own.owner, signed(until)])
    .map(drop)
}

/// Is the owner no longer.
pub(super) fn give_back(to: &Connection, provider: &str, own: &Lease) -> rusqlite::Result<()> {
    to.prepare_cached(
        "UPDATE outbox_providers SET owner = NULL, lease_until_ms = NULL WHERE provider = ?1 AND owner = ?2",
    )?
    .execute(params![provider, own.owner])
    .map(drop)
}

/// Leaves the provider alone.
pub(super) fn held(to: &Connection, provider: &str, hold: &Held) -> rusqlite::Result<()> {
    to.execute(
        "INSERT INTO outbox_providers (provider, held_until_ms, held_reason, held_asked, refusals) VALUES (?1, ?2, ?3, ?4, 1)
         ON CONFLICT (provider) DO UPDATE
         SET held_until_ms = ?2, held_reason = ?3, held_asked = ?4, refusals = refusals + 1",
        params![provider, signed(hold.until), hold.reason, hold.asked],
    )
    .map(drop)
}

/// The provider took something.
pub(super) fn not_held(to: &Connection, provider: &str) -> rusqlite::Result<()> {
    to.prepare_cached(
        "UPDATE outbox_providers SET held_until_ms = NULL, held_reason = NULL, held_asked = 0, refusals = 0
         WHERE provider = ?1 AND refusals > 0",
    )?
    .execute([provider])
    .map(drop)
}

/// Forgets until when the provider was to be left alone, unless it named the time itself.
pub(super) fn end_own_hold(to: &Connection, provider: &str) -> rusqlite::Result<()> {
    let end = "UPDATE outbox_providers SET held_until_ms = NULL WHERE provider = ?1 AND held_asked = 0";
    to.execute(end, [provider]).map(drop)
}

/// How often in a row the provider refused everything.
pub(super) fn refusals(from: &Connection, provider: &str) -> rusqlite::Result<u32> {
    let ask = "SELECT refusals FROM outbox_providers WHERE provider = ?1";
    Ok(from.query_row(ask, [provider], |row| row.get(0)).optional()?.unwrap_or_default())
}
