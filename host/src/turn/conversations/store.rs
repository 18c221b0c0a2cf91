//! What was put into conversations, in `hermes.db`: written with their turns, read when a client goes on with one that
//! this process does not know.
//!
//! A row is a beginning of a conversation, by its hash, with what the model was given there. What is stored is masked as
//! the archive is; a text in which nothing is masked comes back byte for byte. It goes with its session, and with age.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use serde_json::Value;
use serde_json::value::RawValue;

use super::conversation::{Conversation, Kept, State};
use crate::clock::UnixMillis;
use crate::db::{Db, DbError};
use crate::guard::Redactor;
use crate::model::wire::{Digest, raw};
use crate::outbox::Write;
use crate::turn::Memory;

/// How long a conversation is kept after its last turn.
const LONGEST: UnixMillis = 30 * 24 * 60 * 60 * 1000;
/// How many beginnings are kept of all conversations together: a turn has about five, and one more for each part of an answer that its server names.
const MOST: i64 = 400_000;

/// Where it is kept: where sessions are archived on disk.
#[derive(Clone)]
pub(super) struct Store {
    db: Arc<Db>,
    /// None where the archive keeps secrets.
    redactor: Option<Arc<Redactor>>,
}

impl Store {
    pub(super) fn of(memory: &Memory) -> Option<Self> {
        let core = &memory.core;
        let archiving = core.settings.archive.filter(|_| core.recorder.is_some())?;
        let redactor = archiving.redact.then(|| Arc::clone(&core.redactor));
        Some(Self { db: core.db.clone()?, redactor })
    }

    /// Writes what has changed since it was last written. Nothing waits for the disk.
    pub(super) fn save(&self, conversation: &Conversation, now: UnixMillis) {
        let write = self.write(conversation, now);
        let saved = self.db.with_relaxed(|connection| {
            let transaction = connection.transaction()?;
            write(&transaction)?;
            transaction.commit()
        });
        told(saved);
    }

    /// The same, to be written with something else.
    pub(super) fn write(&self, conversation: &Conversation, now: UnixMillis) -> Write {
        let mut state = conversation.state();
        let changed = std::mem::take(&mut state.changed);
        let row = |at: Digest| (at, state.kept(&at).map(|kept| self.masked(kept)));
        let rows: Vec<(Digest, Option<String>)> = changed.into_iter().map(row).collect();
        let (session, key) = (conversation.session.id().to_owned(), conversation.key.clone());
        let (heads, answered) = (state.heads.concat(), state.answered.map(|both| both.concat()));
        Box::new(move |transaction| {
            let known = "INSERT INTO client_conversations (key, session, heads, answered, last_ms)
                VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET heads = excluded.heads,
                answered = excluded.answered, last_ms = excluded.last_ms";
            let values = params![key, session, heads, answered, now.cast_signed()];
            transaction.prepare_cached(known)?.execute(values)?;
            let beginning = "INSERT INTO client_beginnings (at, key, kept) VALUES (?1, ?2, ?3)
                ON CONFLICT DO UPDATE SET kept = excluded.kept";
            let mut insert = transaction.prepare_cached(beginning)?;
            rows.iter().try_for_each(|(at, kept)| insert.execute(params![at, key, kept]).map(drop))
        })
    }

    fn masked(&self, kept: &Kept) -> String {
        let Some(redactor) = &self.redactor else { return raw(kept).get().to_owned() };
        let message = |message: &RawValue| {
            let Ok(value) = serde_json::from_str::<Value>(message.get()) else { return raw("") };
            let mut masked = value.clone();
            redactor.redact_json(&mut masked);
            if masked == value { message.to_owned() } else { raw(&masked) }
        };
        let mut masked = kept.map(message);
        masked.block = masked.block.map(|block| redactor.redact(&block).into_owned());
        raw(&masked).get().to_owned()
    }

    /// The keys of the conversations that are known by the first of these that any is known by.
    pub(super) fn keys_at(&self, beginnings: &[Digest]) -> Vec<String> {
        let found = self.db.with(|connection| {
            let mut select = connection.prepare_cached("SELECT key FROM client_beginnings WHERE at = ?1 LIMIT 16")?;
            for at in beginnings {
                let keys: Vec<String> =
                    select.query_map([at.as_slice()], |row| row.get(0))?.collect::<Result<_, _>>()?;
                if !keys.is_empty() {
                    return Ok(keys);
                }
            }
            Ok(Vec::new())
        });
        told(found).unwrap_or_default()
    }

    /// A conversation, and its session.
    pub(super) fn load(&self, key: &str) -> Option<(String, State)> {
        told(self.db.with(|connection| load(connection, key))).flatten()
    }

    /// Forgets what is old, and of the rest what is too much.
    pub(super) fn prune(&self, now: UnixMillis) {
        let pruned = self.db.with_relaxed(|connection| {
            let transaction = connection.transaction()?;
            prune(&transaction, now)?;
            transaction.commit()
        });
        told(pruned);
    }
}

/// Conversations go on without what cannot be read or written.
fn told<T>(done: Result<T, DbError>) -> Option<T> {
    let error = match done {
        Ok(done) => return Some(done),
        Err(error) => crate::error::Failure::from(error).message,
    };
    tracing::warn!(error, "what was put into a conversation is in this process alone");
    None
}

fn load(connection: &Connection, key: &str) -> rusqlite::Result<Option<(String, State)>> {
    let sql = "SELECT session, heads, answered FROM client_conversations WHERE key = ?1";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, both(row.get(1)?), row.get(2)?));
    let found = connection.prepare_cached(sql)?.query_row([key], row).optional()?;
    let Some((session, Some(heads), answered)) = found else { return Ok(None) };
    let mut select = connection.prepare_cached("SELECT at, kept FROM client_beginnings WHERE key = ?1")?;
    let stored = select.query_map([key], |row| {
        let kept: Option<String> = row.get(1)?;
        Ok((row.get::<_, Digest>(0)?, kept.and_then(|kept| serde_json::from_str::<Kept>(&kept).ok())))
    })?;
    let stored: Vec<_> = stored.collect::<Result<_, _>>()?;
    let answered = Option::<Vec<u8>>::and_then(answered, both);
    Ok(Some((session, State::of_stored(heads, answered, stored.into_iter()))))
}

fn both(bytes: Vec<u8>) -> Option<[Digest; 2]> {
    let (one, other) = bytes.split_at_checked(32)?;
    Some([one.try_into().ok()?, other.try_into().ok()?])
}

fn prune(transaction: &Transaction<'_>, now: UnixMillis) -> rusqlite::Result<()> {
    let old = now.saturating_sub(LONGEST).cast_signed();
    transaction.execute("DELETE FROM client_conversations WHERE last_ms < ?1", [old])?;
    let too_much = "DELETE FROM client_conversations WHERE key IN (
        SELECT key FROM (
            SELECT key, sum(beginnings) OVER (ORDER BY last_ms DESC, key) AS together FROM (
                SELECT c.key, c.last_ms, count(*) AS beginnings
                FROM client_conversations c JOIN client_beginnings USING (key) GROUP BY c.key))
        WHERE together > ?1)";
    transaction.execute(too_much, [MOST]).map(drop)
}
