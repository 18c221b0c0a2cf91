//! The Python agent's `state.db`.
//!
//! Its columns grow with each release, so they are found by name. The database is copied while it stands still, since even
//! a reader would leave files beside it; one that never does is read where it is, in one transaction.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_provider_api::records::{ChatKind, Context, Role, Scope, ToolCall};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row};
use serde_json::Value;

use super::{File, ImportError, NewMessage, Session, SessionHead, Sink, Source, Step, Unit, parts};
use crate::clock::{self, UnixMillis, nonce};
use crate::home::files::create_dir;
use crate::home::snapshot::{self, SnapshotError};

/// Stands before a content of several parts.
const PARTS: &str = "\0json:";
/// How long a writer is waited for where the database is read in place.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reads all conversations; false when it is another database.
pub(super) fn read(path: &Path, work: &Path, sink: &mut dyn Sink) -> Result<bool, ImportError> {
    let failed = |source| ImportError::Source { path: path.to_owned(), source };
    create_dir(work)?;
    let copy = Copy(work.join(format!("import-{:016x}.db", nonce())));
    let db = match snapshot::snapshot(path, &copy.0) {
        Ok(()) => open(&copy.0),
        Err(SnapshotError::Damaged { reason, .. }) => {
            sink.remark(format!("`{}`", path.display()), format!("the database is damaged: {reason}"));
            open(&copy.0)
        }
        Err(SnapshotError::Busy(_)) => open(path),
        Err(error) => return Err(error.into()),
    };
    let mut db = db.map_err(failed)?;
    let transaction = db.transaction().map_err(failed)?;
    let tables = tables(&transaction).map_err(failed)?;
    if tables.contains("audiences") && tables.contains("outbox") {
        return Err(ImportError::Ours(path.to_owned()));
    }
    if !is_agents(&transaction, &tables).map_err(failed)? {
        return Ok(false);
    }
    let reader = Reader { db: &transaction, file: File::at(path), sink };
    reader.all().map_err(|error| match error {
        Stop::Sqlite(source) => failed(source),
        Stop::Import(error) => error,
    })?;
    Ok(true)
}

/// A copy in a folder of the host, which goes when this is dropped.
struct Copy(PathBuf);

impl Drop for Copy {
    fn drop(&mut self) {
        snapshot::remove(&self.0);
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(PATIENCE)?;
    Ok(db)
}

fn tables(db: &Connection) -> rusqlite::Result<HashSet<String>> {
    db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?.query_map((), |row| row.get(0))?.collect()
}

/// Whether it has what every release has. Others have tables of these names too.
fn is_agents(db: &Connection, tables: &HashSet<String>) -> rusqlite::Result<bool> {
    for (table, wanted) in [("sessions", ["id"].as_slice()), ("messages", &["id", "session_id", "role", "content"])] {
        if !tables.contains(table) {
            return Ok(false);
        }
        let known = columns(db, table)?;
        if wanted.iter().any(|name| !known.contains(*name)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn columns(db: &Connection, table: &str) -> rusqlite::Result<HashSet<String>> {
    let known = db.prepare(&format!("SELECT * FROM {table} LIMIT 0"))?;
    Ok(known.column_names().map(str::to_owned).collect())
}

enum Stop {
    Sqlite(rusqlite::Error),
    Import(ImportError),
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<ImportError> for Stop {
    fn from(error: ImportError) -> Self {
        Self::Import(error)
    }
}

const SESSION: [&str; 17] = [
    "id",
    "source",
    "user_id",
    "session_key",
    "chat_id",
    "chat_type",
    "model",
    "model_config",
    "parent_session_id",
    "started_at",
    "ended_at",
    "end_reason",
    "git_repo_root",
    "cwd",
    "title",
    "thread_id",
    "display_name",
];
const MESSAGE: [&str; 10] = [
    "role",
    "content",
    "tool_call_id",
    "tool_calls",
    "tool_name",
    "timestamp",
    "token_count",
    "active",
    "compacted",
    "id",
];

struct Reader<'a> {
    db: &'a Connection,
    file: File,
    sink: &'a mut dyn Sink,
}

impl Reader<'_> {
    fn all(mut self) -> Result<(), Stop> {
        let total: i64 = self.db.query_row("SELECT count(*) FROM messages", (), |row| row.get(0))?;
        let total = total.cast_unsigned();
        self.sink.step(Step::Begins { what: self.file.shown.clone(), unit: Unit::Messages, total });
        let sessions = format!("SELECT {} FROM sessions WHERE rowid = ?", self.columns("sessions", &SESSION)?);
        let messages = format!("SELECT {} FROM messages WHERE id = ?", self.columns("messages", &MESSAGE)?);
        // Row by row: what is damaged is one row and not the rest.
        let rows: Vec<i64> = self.numbers("SELECT rowid FROM sessions ORDER BY rowid", ())?;
        let mut read = 0;
        for row in rows {
            let place = format!("`{}`, session {row}", self.file.shown);
            let session = match self.db.prepare_cached(&sessions)?.query_row([row], |row| Ok(session(row))) {
                Ok(Some(session)) => session,
                Ok(None) => {
                    self.sink.left_out(place, "a session without an id".to_owned());
                    continue;
                }
                Err(error) => {
                    self.sink.left_out(place, error.to_string());
                    continue;
                }
            };
            let ids = self.numbers("SELECT id FROM messages WHERE session_id = ? ORDER BY id", [&session.head.name]);
            self.sink.session(session)?;
            let ids = match ids {
                Ok(ids) => ids,
                Err(error) => {
                    self.sink.left_out(place, error.to_string());
                    continue;
                }
            };
            for id in ids {
                read += 1;
                self.message(&messages, id)?;
                self.sink.step(Step::At(read));
            }
            self.sink.part()?;
        }
        let lost = "SELECT count(*) FROM messages WHERE session_id NOT IN (SELECT id FROM sessions)";
        let lost: i64 = self.db.query_row(lost, (), |row| row.get(0))?;
        if lost > 0 {
            let reason = format!("{lost} messages belong to sessions that are not there");
            self.sink.left_out(format!("`{}`", self.file.shown), reason);
        }
        Ok(())
    }

    fn message(&mut self, select: &str, id: i64) -> Result<(), Stop> {
        let read = self.db.prepare_cached(select)?.query_row([id], |row| Ok(said(row))).optional();
        let place = || format!("`{}`, message {id}", self.file.shown);
        match read {
            Ok(None) => {}
            Ok(Some(Ok(Some(said)))) => self.sink.message(said)?,
            Ok(Some(Ok(None))) => self.sink.taken_back(1),
            Ok(Some(Err(reason))) => self.sink.left_out(place(), reason),
            Err(error) => self.sink.left_out(place(), error.to_string()),
        }
        Ok(())
    }

    fn numbers(&self, select: &str, values: impl rusqlite::Params) -> rusqlite::Result<Vec<i64>> {
        self.db.prepare_cached(select)?.query_map(values, |row| row.get(0))?.collect()
    }

    /// What to select: the columns, and NULL for those that this release does not have.
    fn columns(&self, table: &str, wanted: &[&str]) -> rusqlite::Result<String> {
        let known = columns(self.db, table)?;
        let columns: Vec<String> = wanted
            .iter()
            .map(|name| if known.contains(*name) { (*name).to_owned() } else { format!("NULL AS {name}") })
            .collect();
        Ok(columns.join(", "))
    }
}

fn text(row: &Row<'_>, name: &str) -> Option<String> {
    let text = match row.get_ref(name).ok()? {
        ValueRef::Null => return None,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
    };
    Some(text).filter(|text| !text.is_empty())
}

fn number(row: &Row<'_>, name: &str) -> Option<i64> {
    row.get(name).ok()
}

fn time(row: &Row<'_>, name: &str) -> Option<UnixMillis> {
    match row.get_ref(name).ok()? {
        ValueRef::Real(seconds) => clock::seconds(seconds),
        ValueRef::Integer(seconds) => clock::read(&seconds.into()),
        ValueRef::Text(text) => clock::read(&String::from_utf8_lossy(text).into()),
        _ => None,
    }
}

fn session(row: &Row<'_>) -> Option<Session> {
    let source = text(row, "source").unwrap_or_default();
    let is_delegated = text(row, "model_config").is_some_and(|config| config.contains("\"_delegate_from\""));
    let context = match source.as_str() {
        "cron" => Context::Cron,
        "subagent" | "tool" => Context::Subagent,
        _ if is_delegated => Context::Subagent,
        _ => Context::Primary,
    };
    let key = text(row, "session_key").unwrap_or_default();
    // `agent:main:telegram:group:-100`, from before there was a column for it.
    let kind = text(row, "chat_type").or_else(|| key.split(':').nth(3).map(str::to_owned)).unwrap_or_default();
    let chat_kind = match kind.as_str() {
        "" | "dm" | "private" | "direct" => ChatKind::Private,
        _ => ChatKind::Group,
    };
    let is_platform = !matches!(source.as_str(), "cron" | "subagent" | "tool" | "unknown");
    let scope = Scope {
        platform: if is_platform { source } else { String::new() },
        chat: text(row, "chat_id").unwrap_or_default(),
        chat_kind,
        user: text(row, "user_id").unwrap_or_default(),
        project: text(row, "git_repo_root").or_else(|| text(row, "cwd")).unwrap_or_default(),
        ..Scope::default()
    };
    let head = SessionHead {
        name: text(row, "id")?,
        scope,
        context,
        source: None,
        parent: text(row, "parent_session_id"),
        title: text(row, "title"),
        model: text(row, "model"),
        started_ms: time(row, "started_at").unwrap_or_default(),
        ended_ms: time(row, "ended_at"),
        reason: text(row, "end_reason"),
    };
    Some(Session { source: Source::Hermes, head, pinned: false })
}

/// None for a message that was taken back. One that was folded into a summary is not active either, and stays.
fn said(row: &Row<'_>) -> Result<Option<NewMessage>, String> {
    let folded = number(row, "compacted").is_some_and(|mark| mark != 0);
    if number(row, "active") == Some(0) && !folded {
        return Ok(None);
    }
    let role = match text(row, "role").as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool" | "function") => Role::Tool,
        Some("system" | "developer") => Role::System,
        Some(other) => return Err(format!("the role `{}` is not known", other.escape_debug())),
        None => return Err("a message without a role".to_owned()),
    };
    let content = text(row, "content").unwrap_or_default();
    let parts = content.strip_prefix(PARTS).and_then(|json| super::json::parse::<Value>(json).ok());
    let parts = parts.as_ref().and_then(parts::read);
    let mut tool_calls = match text(row, "tool_calls") {
        Some(calls) => match super::json::parse::<Value>(&calls) {
            Ok(list) => parts::tool_calls(&list),
            Err(_) => vec![ToolCall { arguments: calls, ..ToolCall::default() }],
        },
        None => Vec::new(),
    };
    let content = match parts {
        Some(parts) => {
            tool_calls.extend(parts.calls);
            parts.text
        }
        None => content,
    };
    Ok(Some(NewMessage {
        role,
        content,
        tool_calls,
        tool_call: text(row, "tool_call_id").unwrap_or_default(),
        tool: text(row, "tool_name").unwrap_or_default(),
        at_ms: time(row, "timestamp").unwrap_or_default(),
        tokens: number(row, "token_count").and_then(|count| u64::try_from(count).ok()),
        folded,
        ..NewMessage::default()
    }))
}
