//! What a provider hears of changes of the memory files, whatever happens to the process that makes them.
//!
//! A change is noted in the database before the file is replaced, and the note goes in the transaction in which its
//! delivery is written, by a trigger. What is noted after all belongs to a process that was killed in between, or whose
//! disk failed: whoever opens the memory next looks whether the change is in the file, and passes it on with the key that
//! it had. All of that happens under the lock of the file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hermes_provider_api::records::{Caller, MemoryWrite, WriteAction};
use rusqlite::params;

use super::Core;
use crate::clock::{Clock, nonce};
use crate::db::{Db, DbError};
use crate::layers::curated::{Change, Curated, Mirror, Target};
use crate::layers::external::Outgoing;
use crate::outbox::{Delivery, Outbox};

/// Passes changes on to the provider.
pub(super) struct Mirrored {
    outgoing: Outgoing,
    outbox: Arc<Outbox>,
    /// None: a note would not live longer than the process.
    db: Option<Arc<Db>>,
    clock: Clock,
    profile: String,
    nonce: u64,
    next: AtomicU64,
}

impl Mirrored {
    /// None where there is nobody to hear of it.
    pub(super) fn by(core: &Core) -> Option<Self> {
        let (outgoing, outbox) = (core.outgoing.as_ref()?, core.outbox.as_ref()?);
        let (outgoing, outbox, db, clock) = (outgoing.clone(), Arc::clone(outbox), core.db.clone(), core.clock.clone());
        let profile = core.settings.profile.clone();
        Some(Self { outgoing, outbox, db, clock, profile, nonce: nonce(), next: AtomicU64::new(1) })
    }

    /// Passes on what is in the files and was noted by processes that did not come to passing it on.
    pub(super) fn catch_up(&self, curated: &Curated) {
        let Some(db) = &self.db else { return };
        let told = |judged: Result<(), DbError>| {
            if let Err(error) = judged {
                tracing::warn!(%error, "changes of the memory files that the provider has not heard of");
            }
        };
        for target in Target::ALL {
            match self.left(db, target) {
                Ok(left) if left.is_empty() => continue,
                left => told(left.map(drop)),
            }
            // A process that lives may have noted it and hold the lock: it passes it on itself.
            let looked = curated.look_if_idle(target, |entries| {
                told(self.left(db, target).and_then(|left| self.judge(db, &left, entries)));
            });
            if let Err(error) = looked {
                tracing::warn!(%error, "what the provider has not heard of cannot be looked for");
            }
        }
    }

    fn judge(&self, db: &Db, left: &[MemoryWrite], entries: &[String]) -> Result<(), DbError> {
        let (mut deliveries, mut needless) = (Vec::new(), Vec::new());
        for write in left {
            match self.delivery(write).filter(|_| change(write).is_in(entries)) {
                Some(delivery) => deliveries.push(delivery),
                None => needless.push(write.idempotency_key.as_str()),
            }
        }
        self.forget(db, needless.into_iter())?;
        self.send(deliveries);
        Ok(())
    }

    /// A change as a delivery; None where the provider has no use for it, or may not hear of it.
    fn delivery(&self, write: &MemoryWrite) -> Option<Delivery> {
        // Who may not write to a provider does so neither by way of a file.
        self.outgoing.memory_write(write).inspect_err(|error| tracing::debug!(%error, "not mirrored")).ok().flatten()
    }

    fn write(&self, target: Target, change: &Change, caller: &Caller) -> MemoryWrite {
        let (action, content, previous) = match change {
            Change::Add { content } => (WriteAction::Add, content.as_str(), ""),
            Change::Replace { previous, content } => (WriteAction::Replace, content.as_str(), previous.as_str()),
            Change::Remove { previous } => (WriteAction::Remove, "", previous.as_str()),
        };
        let mut caller = caller.clone();
        if caller.scope.profile.is_empty() {
            self.profile.clone_into(&mut caller.scope.profile);
        }
        if caller.origin.at == 0 {
            caller.origin.at = self.clock.now();
        }
        let idempotency_key = format!("{:016x}-m{}", self.nonce, self.next.fetch_add(1, Ordering::Relaxed));
        let (content, previous) = (content.to_owned(), previous.to_owned());
        MemoryWrite { caller, idempotency_key, action, target: target.into(), content, previous }
    }

    /// What cannot be written down now is tried again by the outbox, and told at the end.
    fn send(&self, deliveries: Vec<Delivery>) {
        if !deliveries.is_empty()
            && let Err(error) = self.outbox.push(deliveries)
        {
            tracing::warn!(%error, "a change of the memory files");
        }
    }

    /// What is noted is what the provider would be told: nothing that is not for it stays in the database.
    fn note(&self, db: &Db, target: Target, deliveries: &[Delivery]) -> Result<(), DbError> {
        db.with(|connection| {
            let transaction = connection.transaction()?;
            {
                let sql = "INSERT INTO unmirrored (provider, key, target, write) VALUES (?1, ?2, ?3, ?4)";
                let mut insert = transaction.prepare_cached(sql)?;
                for Delivery { key, payload, .. } in deliveries {
                    insert.execute(params![self.outgoing.provider(), key, target.word(), payload])?;
                }
            }
            transaction.commit()
        })
    }

    /// What is noted for a file, in order.
    fn left(&self, db: &Db, target: Target) -> Result<Vec<MemoryWrite>, DbError> {
        let texts: Vec<String> = db.with(|connection| {
            let sql = "SELECT write FROM unmirrored WHERE provider = ?1 AND target = ?2 ORDER BY id";
            let mut select = connection.prepare_cached(sql)?;
            select.query_map(params![self.outgoing.provider(), target.word()], |row| row.get(0))?.collect()
        })?;
        Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
    }

    fn forget<'a>(&self, db: &Db, keys: impl Iterator<Item = &'a str>) -> Result<(), DbError> {
        db.with_relaxed(|connection| {
            let mut delete = connection.prepare_cached("DELETE FROM unmirrored WHERE provider = ?1 AND key = ?2")?;
            keys.into_iter().try_for_each(|key| delete.execute(params![self.outgoing.provider(), key]).map(drop))
        })
    }
}

impl Mirror for Mirrored {
    fn mirrored(&self, target: Target, changes: &[Change], caller: &Caller, write: &mut dyn FnMut() -> bool) {
        let writes = changes.iter().map(|change| self.write(target, change, caller));
        let deliveries: Vec<Delivery> = writes.filter_map(|write| self.delivery(&write)).collect();
        let db = self.db.as_deref().filter(|_| !deliveries.is_empty());
        if let Some(Err(error)) = db.map(|db| self.note(db, target, &deliveries)) {
            // The file is the memory; that the provider may not hear of it after a crash is no reason not to write it.
            tracing::warn!(%error, "a change of the memory files is not noted beforehand");
        }
        if write() {
            self.send(deliveries);
        } else if let Some(Err(error)) =
            db.map(|db| self.forget(db, deliveries.iter().map(|delivery| delivery.key.as_str())))
        {
            tracing::warn!(%error, "a note of what was not done");
        }
    }
}

/// The change that a write tells of.
fn change(write: &MemoryWrite) -> Change {
    let (content, previous) = (write.content.clone(), write.previous.clone());
    match write.action {
        WriteAction::Remove => Change::Remove { previous },
        WriteAction::Replace => Change::Replace { previous, content },
        _ => Change::Add { content },
    }
}

/// Forgets in a copy of a home what is noted there: the home itself passes it on.
///
/// # Errors
/// When the database cannot be written.
pub fn forget_unmirrored(db: &Db) -> Result<(), DbError> {
    db.with(|connection| connection.execute("DELETE FROM unmirrored", []).map(drop))
}
