//! Writing: in the transaction of whoever has something to write with it.

use hermes_provider_api::records::{Role, Scope};
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::rows::{self, chat_kind, context, role, signed};
use super::{FOLDED, NewMessage, PARTIAL, SessionHead};
use crate::clock::UnixMillis;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The row of the session.
    pub session: i64,
    /// The ids of the messages, in order.
    pub messages: Vec<i64>,
}

/// Adds messages to a session, which is made if it is new. One that is there keeps its audience, beginning and parent,
/// and its title, where it has one; whether it has ended is as the head says.
///
/// # Errors
/// What SQLite says.
pub fn append(to: &Transaction<'_>, head: &SessionHead, messages: &[NewMessage]) -> rusqlite::Result<Appended> {
    let audience = audience(to, &head.scope)?;
    let session = upsert(to, head, audience)?;
    let mut insert = to.prepare_cached(
        "INSERT INTO messages
            (session, audience, turn, role, content, tool_calls, tool_call, tool, at_ms, tokens, flags)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    let mut ids = Vec::with_capacity(messages.len());
    let (mut last_ms, mut last_turn, mut tokens) = (0, 0, 0_u64);
    for message in messages {
        let own = match &message.scope {
            Some(scope) => self::audience(to, scope)?,
            None => audience,
        };
        let calls = (!message.tool_calls.is_empty())
            .then(|| serde_json::to_string(&message.tool_calls).expect("calls are texts"));
        let flags = i64::from(message.folded) * FOLDED + i64::from(message.partial) * PARTIAL;
        insert.execute(params![
            session,
            own,
            signed(message.turn),
            role(message.role),
            message.content,
            calls,
            some(&message.tool_call),
            some(&message.tool),
            signed(message.at_ms),
            message.tokens.map(signed),
            flags,
        ])?;
        ids.push(to.last_insert_rowid());
        (last_ms, last_turn) = (message.at_ms.max(last_ms), message.turn.max(last_turn));
        tokens = tokens.saturating_add(message.tokens.unwrap_or_default());
    }
    to.prepare_cached(
        "UPDATE sessions SET messages = messages + ?2, tokens = tokens + ?3, last_ms = max(last_ms, ?4),
            last_turn = max(last_turn, ?5) WHERE id = ?1",
    )?
    .execute(params![
        session,
        i64::try_from(ids.len()).unwrap_or(i64::MAX),
        signed(tokens),
        signed(last_ms),
        signed(last_turn)
    ])?;
    Ok(Appended { session, messages: ids })
}

fn upsert(to: &Transaction<'_>, head: &SessionHead, audience: i64) -> rusqlite::Result<i64> {
    to.prepare_cached(
        "INSERT INTO sessions
            (name, audience, context, source, parent, title, model, started_ms, last_ms, ended_ms, reason)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?10)
         ON CONFLICT DO UPDATE SET title = coalesce(title, excluded.title),
            model = coalesce(excluded.model, model), ended_ms = excluded.ended_ms, reason = excluded.reason
         RETURNING id",
    )?
    .query_row(
        params![
            head.name,
            audience,
            context(head.context),
            head.source,
            head.parent,
            head.title,
            head.model,
            signed(head.started_ms),
            head.ended_ms.map(signed),
            head.reason,
        ],
        |row| row.get(0),
    )
}

/// The row of an audience.
fn audience(to: &Transaction<'_>, scope: &Scope) -> rusqlite::Result<i64> {
    let Scope { profile, platform, chat, user, project, .. } = scope;
    let values = params![profile, platform, chat, chat_kind(scope.chat_kind), user, project];
    let known = to
        .prepare_cached(
            "SELECT id FROM audiences WHERE profile = ?1 AND platform = ?2 AND chat = ?3 AND chat_kind = ?4
                AND user = ?5 AND project = ?6",
        )?
        .query_row(values, |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    to.prepare_cached(
        "INSERT INTO audiences (profile, platform, chat, chat_kind, user, project) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(values)?;
    Ok(to.last_insert_rowid())
}

/// Notes that a session has ended; one that is not in the archive is passed over.
///
/// # Errors
/// What SQLite says.
pub fn end(to: &Transaction<'_>, session: &str, at: UnixMillis, reason: &str) -> rusqlite::Result<()> {
    to.prepare_cached("UPDATE sessions SET ended_ms = ?2, reason = ?3 WHERE name = ?1")?
        .execute(params![session, signed(at), reason])
        .map(drop)
}

/// Marks messages of a session as folded into a summary. `is_folded` is asked for each that is not yet, in order.
///
/// # Errors
/// What SQLite says.
pub fn fold(
    to: &Transaction<'_>,
    session: &str,
    mut is_folded: impl FnMut(Role, &str) -> bool,
) -> rusqlite::Result<()> {
    let mut folded = Vec::new();
    let mut read = to.prepare_cached(
        "SELECT m.id, m.role, m.content FROM messages m JOIN sessions s ON s.id = m.session
         WHERE s.name = ?1 AND m.flags & 1 = 0 ORDER BY m.id",
    )?;
    let mut rows = read.query([session])?;
    while let Some(row) = rows.next()? {
        if is_folded(rows::read(row.get_ref(1)?.as_str()?), row.get_ref(2)?.as_str()?) {
            folded.push(row.get::<_, i64>(0)?);
        }
    }
    let mut mark = to.prepare_cached("UPDATE messages SET flags = flags | 1 WHERE id = ?1")?;
    folded.iter().try_for_each(|id| mark.execute([id]).map(drop))
}

/// The number of the last turn of a session in the archive; 0 without any.
///
/// # Errors
/// What SQLite says.
pub fn last_turn(from: &Connection, session: &str) -> rusqlite::Result<u64> {
    let last = from
        .prepare_cached("SELECT last_turn FROM sessions WHERE name = ?1")?
        .query_row([session], |row| row.get::<_, i64>(0))
        .optional()?;
    Ok(last.map_or(0, i64::cast_unsigned))
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
