//! Which messages of a session are in the archive.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use rusqlite::{Connection, OptionalExtension as _};

use super::super::rows::{self, MESSAGE, SESSION};
use super::{NewMessage, Session, SessionHead, Source};
use crate::layers::episodic;

/// A session of the archive, and what of it was met in the source.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// None: it is new.
    session: Option<episodic::Session>,
    /// What its first message says.
    first: Option<u64>,
    /// The keys of its messages with their ids, in order; and whether they are folded.
    messages: Vec<(u64, i64, bool)>,
    /// How many of a key were met.
    met: HashMap<u64, usize>,
    is_refused: bool,
}

/// Whether a message is in the archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    New,
    Known {
        id: i64,
        is_folded: bool,
    },
    /// Its session cannot be taken.
    Refused,
}

impl Known {
    /// A session that cannot be taken.
    pub(super) fn refused() -> Self {
        Self { is_refused: true, ..Self::default() }
    }

    /// The session of this id, without its messages.
    pub(super) fn of(from: &Connection, name: &str) -> rusqlite::Result<Option<Self>> {
        let one = format!("SELECT {SESSION} FROM sessions s JOIN audiences a ON a.id = s.audience WHERE s.name = ?1");
        let session = from.prepare_cached(&one)?.query_row([name], rows::session).optional()?;
        let Some(session) = session else { return Ok(None) };
        let first = from.prepare_cached(&select("LIMIT 1"))?.query_row([session.row], rows::message).optional()?;
        let first = first.map(|first| key(&first.said));
        Ok(Some(Self { session: Some(session), first, ..Self::default() }))
    }

    /// Its messages.
    pub(super) fn load(&mut self, from: &Connection) -> rusqlite::Result<()> {
        let Some(session) = &self.session else { return Ok(()) };
        let mut query = from.prepare_cached(&select(""))?;
        let rows = query.query_map([session.row], rows::message)?;
        self.messages = rows
            .map(|row| row.map(|message| (key(&message.said), message.id, message.said.folded)))
            .collect::<rusqlite::Result<_>>()?;
        self.messages.sort_unstable();
        Ok(())
    }

    /// Whether it is the session that a source tells of.
    pub(super) fn is_same(&self, told: &Session, first: Option<&NewMessage>) -> bool {
        let Some(episodic::Session { head, .. }) = &self.session else { return false };
        let is_from = head.source == told.head.source;
        match told.source {
            Source::Export => is_from && head.started_ms == told.head.started_ms && head.scope == told.head.scope,
            // Ids in such files are whatever somebody chose.
            Source::Messages => is_from && self.first == first.map(key),
            Source::Hermes | Source::ChatGpt | Source::Claude => is_from,
        }
    }

    pub(super) fn is_new(&self) -> bool {
        self.session.is_none() && !self.is_refused
    }

    /// Whether it has ended since, and nothing was said in it here afterwards.
    pub(super) fn ends_with(&self, head: &SessionHead) -> bool {
        let session = self.session.as_ref().filter(|session| session.head.ended_ms.is_none());
        session.is_some_and(|session| head.ended_ms.is_some_and(|ended| ended >= session.last_ms))
    }

    /// Meets a message once more.
    pub(super) fn take(&mut self, key: u64) -> Taken {
        if self.is_refused {
            return Taken::Refused;
        }
        let first = self.messages.partition_point(|(other, _, _)| *other < key);
        let met = self.met.entry(key).or_default();
        match self.messages.get(first + *met) {
            Some((other, id, is_folded)) if *other == key => {
                *met += 1;
                Taken::Known { id: *id, is_folded: *is_folded }
            }
            _ => Taken::New,
        }
    }
}

fn select(limit: &str) -> String {
    format!(
        "SELECT {MESSAGE} FROM messages m JOIN sessions s ON s.id = m.session JOIN audiences a ON a.id = m.audience
         WHERE m.session = ?1 ORDER BY m.id {limit}"
    )
}

/// What a message says, in a number. Its time is left out: a source that has none gives it another one each time.
pub(super) fn key(said: &NewMessage) -> u64 {
    let calls: Vec<_> = said.tool_calls.iter().map(|call| (&call.id, &call.name, &call.arguments)).collect();
    hash(&(rows::role(said.role), &said.content, calls, &said.tool_call))
}

/// The same number in every run.
pub(super) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
