//! Rows of the tables `sessions`, `messages` and `audiences`, and the words in them.

use hermes_provider_api::records::{ChatKind, Context, Role, Scope};
use rusqlite::Row;

use super::{FOLDED, Message, NewMessage, PARTIAL, Session, SessionHead};

/// What [`session`] reads, from `sessions s JOIN audiences a`.
pub(super) const SESSION: &str =
    "s.id, s.name, s.context, s.source, s.parent, s.title, s.model, s.started_ms, s.last_ms,
    s.ended_ms, s.reason, s.messages, s.tokens, s.last_turn, s.pinned,
    a.profile, a.platform, a.chat, a.chat_kind, a.user, a.project";

pub(super) fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    let number = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
    let context: String = row.get(2)?;
    let head = SessionHead {
        name: row.get(1)?,
        scope: scope(row, 15)?,
        context: read(&context),
        source: row.get(3)?,
        parent: row.get(4)?,
        title: row.get(5)?,
        model: row.get(6)?,
        started_ms: number(7)?,
        ended_ms: row.get::<_, Option<i64>>(9)?.map(i64::cast_unsigned),
        reason: row.get(10)?,
    };
    Ok(Session {
        row: row.get(0)?,
        head,
        last_ms: number(8)?,
        messages: number(11)?,
        tokens: number(12)?,
        last_turn: number(13)?,
        pinned: row.get(14)?,
    })
}

/// What [`message`] reads, from `messages m JOIN sessions s JOIN audiences a`, the audience being that of the message.
pub(super) const MESSAGE: &str =
    "m.id, m.turn, m.role, m.content, m.tool_calls, m.tool_call, m.tool, m.at_ms, m.tokens,
    m.flags, m.audience <> s.audience, a.profile, a.platform, a.chat, a.chat_kind, a.user, a.project";

pub(super) fn message(row: &Row<'_>) -> rusqlite::Result<Message> {
    let number = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
    let text = |at: usize| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
    let (role, calls): (String, Option<String>) = (row.get(2)?, row.get(4)?);
    let flags: i64 = row.get(9)?;
    let said = NewMessage {
        turn: number(1)?,
        role: read(&role),
        content: row.get(3)?,
        // A row says whatever it says; what was said is worth more than what was called.
        tool_calls: calls.and_then(|calls| serde_json::from_str(&calls).ok()).unwrap_or_default(),
        tool_call: text(5)?,
        tool: text(6)?,
        at_ms: number(7)?,
        tokens: row.get::<_, Option<i64>>(8)?.map(i64::cast_unsigned),
        folded: flags & FOLDED != 0,
        partial: flags & PARTIAL != 0,
        scope: if row.get(10)? { Some(scope(row, 11)?) } else { None },
    };
    Ok(Message { id: row.get(0)?, said })
}

fn scope(row: &Row<'_>, at: usize) -> rusqlite::Result<Scope> {
    let kind: String = row.get(at + 3)?;
    let mut scope = Scope::default();
    (scope.profile, scope.platform, scope.chat) = (row.get(at)?, row.get(at + 1)?, row.get(at + 2)?);
    (scope.chat_kind, scope.user, scope.project) = (read(&kind), row.get(at + 4)?, row.get(at + 5)?);
    Ok(scope)
}

/// A word that a record is known by; one that this side does not know is the most careful case.
pub(super) fn read<T: serde::de::DeserializeOwned + Default>(word: &str) -> T {
    serde_json::from_value(word.into()).unwrap_or_default()
}

pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        _ => "tool",
    }
}

pub(super) fn context(context: Context) -> &'static str {
    match context {
        Context::Primary => "primary",
        Context::Subagent => "subagent",
        Context::Cron => "cron",
        _ => "review",
    }
}

pub(super) fn chat_kind(kind: ChatKind) -> &'static str {
    match kind {
        ChatKind::Private => "private",
        _ => "group",
    }
}

/// SQLite's integers have a sign.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
