//! Messages as OpenAI's API takes them, which many programs write: a conversation in a line, or a message in a line.

use std::collections::HashSet;
use std::fmt::Write as _;

use hermes_provider_api::records::{Role, Scope};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{File, ImportError, Said, Session, Sink, Source, parts};
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
                session.started = None;
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
    Session {
        source: Source::Messages,
        id,
        title: text("title"),
        model: text("model"),
        parent: text("parent_session_id"),
        started: time(value).or(file.modified),
        scope: scope.unwrap_or_default(),
        ..Session::default()
    }
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
pub(super) fn said(message: &Value) -> Result<Vec<Said>, String> {
    let Some(fields) = message.as_object() else { return Err("a message is not an object".to_owned()) };
    let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
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
        content.push(&text("refusal").unwrap_or_default());
    }
    let at = time(message);
    let results = content.results.into_iter().map(|result| Said {
        role: Role::Tool,
        content: result.text,
        call: Some(result.call).filter(|call| !call.is_empty()),
        tool: Some(result.tool).filter(|tool| !tool.is_empty()),
        at,
        ..Said::default()
    });
    let mut several: Vec<Said> = results.collect();
    let is_tool = role == Role::Tool;
    let own = Said {
        role,
        content: content.text,
        calls: content.calls,
        call: text("tool_call_id"),
        tool: is_tool.then(|| text("name").or_else(|| text("tool_name"))).flatten(),
        at,
        ..Said::default()
    };
    if several.is_empty() || !own.is_empty() {
        several.push(own);
    }
    Ok(several)
}
