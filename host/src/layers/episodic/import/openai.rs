//! Messages as OpenAI's API takes them, which many programs write: a conversation in a line, or a message in a line.

use std::collections::HashSet;
use std::fmt::Write as _;

use hermes_provider_api::records::{Role, Scope};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{File, ImportError, NewMessage, Session, SessionHead, Sink, Source, is_empty, parts};
use crate::clock::{self, UnixMillis};

const IDS: [&str; 3] = ["session_id", "conversation_id", "session"];
const TIMES: [&str; 6] = ["timestamp", "created_at", "create_time", "created", "time", "started_at"];

/// A conversation with its `messages`.
pub(super) fn conversation(
    value: &Value,
    raw: &str,
    file: &File,
    place: &str,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let id = id(value, &["id"]).unwrap_or_else(|| made_up(&file.stem, raw));
    sink.session(session(value, id, file))?;
    for (number, message) in value["messages"].as_array().into_iter().flatten().enumerate() {
        match said(message) {
            Ok(several) => several.into_iter().try_for_each(|said| sink.message(said))?,
            Err(reason) => sink.left_out(format!("{place}, message {}", number + 1), reason),
        }
    }
    Ok(())
}

/// Messages that are a line each: of the sessions that they name, or all of one.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Of those that name none.
    own: Option<String>,
    current: Option<String>,
    begun: HashSet<String>,
}

impl Lines {
    /// Another session is begun in between.
    pub(super) fn pause(&mut self) {
        self.current = None;
    }

    pub(super) fn message(
        &mut self,
        value: &Value,
        raw: &str,
        file: &File,
        place: &str,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        let several = match said(value) {
            Ok(several) => several,
            Err(reason) => {
                sink.left_out(place.to_owned(), reason);
                return Ok(());
            }
        };
        let id = id(value, &[]).unwrap_or_else(|| self.own.get_or_insert_with(|| made_up(&file.stem, raw)).clone());
        if self.current.as_ref() != Some(&id) {
            let mut session = session(value, id.clone(), file);
            if !self.begun.insert(id.clone()) {
                session.head.started_ms = 0;
            }
            sink.session(session)?;
            self.current = Some(id);
        }
        several.into_iter().try_for_each(|said| sink.message(said))
    }
}

fn session(value: &Value, id: String, file: &File) -> Session {
    let text = |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let scope = value.get("scope").and_then(|scope| serde_json::from_value::<Scope>(scope.clone()).ok());
    let head = SessionHead {
        name: id,
        title: text("title"),
        model: text("model"),
        parent: text("parent_session_id"),
        started_ms: time(value).or(file.modified).unwrap_or_default(),
        scope: scope.unwrap_or_default(),
        ..SessionHead::default()
    };
    Session { source: Source::Messages, head, pinned: false }
}

fn id(value: &Value, more: &[&str]) -> Option<String> {
    IDS.iter().chain(more).find_map(|key| match value.get(*key)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// The same whenever and wherever the file is read again, also when it has grown by lines.
fn made_up(stem: &str, first: &str) -> String {
    let mut id = format!("{stem}-");
    for byte in &Sha256::digest(first.as_bytes())[..6] {
        let _ = write!(id, "{byte:02x}");
    }
    id
}

fn time(value: &Value) -> Option<UnixMillis> {
    TIMES.iter().find_map(|key| clock::read(value.get(*key)?))
}

/// The messages in a message: results of tools that stand among its parts are messages of their own, before it.
pub(super) fn said(message: &Value) -> Result<Vec<NewMessage>, String> {
    let Some(fields) = message.as_object() else { return Err("a message is not an object".to_owned()) };
    let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
    let role = match fields.get("role").and_then(Value::as_str) {
        Some("user" | "human") => Role::User,
        Some("assistant" | "model") => Role::Assistant,
        Some("tool" | "function") => Role::Tool,
        Some("system" | "developer") => Role::System,
        Some(other) => return Err(format!("the role `{}` is not known", other.escape_debug())),
        None => return Err("a message without a role".to_owned()),
    };
    let content = parts::read(fields.get("content").unwrap_or(&Value::Null));
    let mut content = content.ok_or("`content` is neither a text nor a list of parts")?;
    content.calls.extend(fields.get("tool_calls").map(parts::tool_calls).unwrap_or_default());
    content.calls.extend(fields.get("function_call").map(parts::tool_calls).unwrap_or_default());
    if content.text.is_empty() {
        content.push(text("refusal"));
    }
    let at_ms = time(message).unwrap_or_default();
    let mut several: Vec<NewMessage> = content.results.into_iter().map(|result| result.message(at_ms)).collect();
    let name = if text("name").is_empty() { text("tool_name") } else { text("name") };
    let own = NewMessage {
        role,
        content: content.text,
        tool_calls: content.calls,
        tool_call: text("tool_call_id").to_owned(),
        tool: if role == Role::Tool { name.to_owned() } else { String::new() },
        at_ms,
        ..NewMessage::default()
    };
    if several.is_empty() || !is_empty(&own) {
        several.push(own);
    }
    Ok(several)
}
