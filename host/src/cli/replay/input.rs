//! The lines of a recorded conversation: OpenAI message objects with a session, a time and a scope.

use hermes_provider_api::Scope;
use hermes_provider_api::records::{Message, Role, ToolCall};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::cli::in_one_line;
use crate::clock::{self, UnixMillis};

/// One message of the recording.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Line {
    /// Its place in the file, from 1.
    pub(in crate::cli) number: usize,
    pub(in crate::cli) session: String,
    pub(in crate::cli) at: Option<UnixMillis>,
    pub(in crate::cli) scope: Option<Scope>,
    pub(in crate::cli) message: Message,
    /// What a pilot looks for in the recall, as it stands in the line; null where it looks for nothing.
    pub(in crate::cli) expects: Value,
}

/// A line that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct BadLine {
    pub(in crate::cli) number: usize,
    pub(in crate::cli) reason: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Raw {
    role: String,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    timestamp: Value,
    #[serde(default)]
    scope: Option<Map<String, Value>>,
    #[serde(default)]
    tool_calls: Option<Vec<RawCall>>,
    #[serde(default)]
    tool_call_id: Option<String>,
    #[serde(default)]
    expects: Value,
}

#[derive(Deserialize)]
#[serde(expecting = "a tool call, an object with `id` and `function`")]
struct RawCall {
    #[serde(default)]
    id: String,
    function: RawFunction,
}

#[derive(Deserialize)]
#[serde(expecting = "a function, an object with `name` and `arguments`")]
struct RawFunction {
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// Reads all lines, the good and the bad; empty ones are passed over. A scope is `default` with the fields that it names.
pub(in crate::cli) fn read(bytes: &[u8], default: &Scope) -> (Vec<Line>, Vec<BadLine>) {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    for (place, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = place + 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read_line(line, number, default) {
            Ok(line) => good.push(line),
            Err(reason) => bad.push(BadLine { number, reason }),
        }
    }
    (good, bad)
}

fn read_line(line: &[u8], number: usize, default: &Scope) -> Result<Line, String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8: {error}"))?;
    // Serde would take a list for an object without names.
    if text.trim_start().starts_with('[') && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return Err("not a message: a list, expected an object".to_owned());
    }
    let raw: Raw = serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => format!("not a message: {}", in_one_line(&error)),
        _ => format!("not JSON: {}", in_one_line(&error)),
    })?;
    if raw.session_id.is_empty() {
        return Err("no `session_id`".to_owned());
    }
    let role = match raw.role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        "system" | "developer" => Role::System,
        other => return Err(format!("`role` is `{}`, not user, assistant, tool or system", other.escape_debug())),
    };
    let calls = raw.tool_calls.unwrap_or_default().into_iter().map(|call| ToolCall {
        id: call.id,
        name: call.function.name,
        arguments: match call.function.arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        },
    });
    let message = Message {
        role,
        content: content(raw.content)?,
        tool_calls: calls.collect(),
        tool_call_id: raw.tool_call_id.unwrap_or_default(),
    };
    let scope = raw.scope.map(|fields| overlay(default, fields)).transpose()?;
    let at = timestamp(&raw.timestamp)?;
    Ok(Line { number, session: raw.session_id, at, scope, message, expects: raw.expects })
}

/// A text, or the texts among the parts of a message.
fn content(value: Value) -> Result<String, String> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect();
            Ok(texts.join("\n"))
        }
        _ => Err("`content` is neither a text nor a list of parts".to_owned()),
    }
}

fn overlay(default: &Scope, fields: Map<String, Value>) -> Result<Scope, String> {
    let mut scope = serde_json::to_value(default).map_err(|error| error.to_string())?;
    for (key, value) in fields {
        match scope.get_mut(&key) {
            Some(field) => *field = value,
            None => return Err(format!("`scope` has no field `{}`", key.escape_debug())),
        }
    }
    serde_json::from_value(scope).map_err(|error| format!("`scope`: {error}"))
}

fn timestamp(value: &Value) -> Result<Option<UnixMillis>, String> {
    match value {
        Value::Null => Ok(None),
        _ => clock::read(value)
            .map(Some)
            .ok_or_else(|| format!("`timestamp` is {value}, neither RFC 3339 nor a Unix time")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_bad(line: &[u8], reason: &str) {
        let input = [b"\n".as_slice(), line, b"\r\n"].concat();
        let (good, bad) = read(&input, &Scope::default());
        assert!(good.is_empty() && bad.len() == 1 && bad[0].number == 2, "{bad:?}");
        assert!(bad[0].reason.starts_with(reason), "{}", bad[0].reason);
    }

    #[test]
    fn bad_lines_are_named() {
        check_bad(b"{", "not JSON: ");
        check_bad(b"\xff", "not UTF-8: ");
        check_bad(b"[", "not JSON: ");
        check_bad(b"[]", "not a message: a list, expected an object");
        check_bad(b"[\"user\", \"x\", \"s\"]", "not a message: a list, expected an object");
        check_bad(b"1", "not a message: invalid type: integer `1`, expected an object");
        check_bad(b"{}", "not a message: missing field `role`");
        let calls =
            |calls: &str| format!("{{\"role\": \"assistant\", \"session_id\": \"s\", \"tool_calls\": [{calls}]}}");
        check_bad(calls("1").as_bytes(), "not a message: invalid type: integer `1`, expected a tool call");
        check_bad(
            calls("{\"function\": 1}").as_bytes(),
            "not a message: invalid type: integer `1`, expected a function",
        );
        check_bad(b"{\"role\": \"user\", \"content\": \"x\"}", "no `session_id`");
        check_bad(b"{\"role\": \"god\", \"session_id\": \"s\"}", "`role` is `god`");
        check_bad(b"{\"role\": \"user\", \"session_id\": \"s\", \"content\": 1}", "`content` is neither");
        check_bad(b"{\"role\": \"user\", \"session_id\": \"s\", \"timestamp\": \"now\"}", "`timestamp` is \"now\"");
        check_bad(
            b"{\"role\": \"user\", \"session_id\": \"s\", \"scope\": {\"usr\": \"a\"}}",
            "`scope` has no field `usr`",
        );
        check_bad(b"{\"role\": \"user\", \"session_id\": \"s\", \"scope\": {\"user\": 1}}", "`scope`: ");
    }

    #[test]
    fn messages_come_whole() {
        let line = json!({
            "role": "assistant", "session_id": "s", "content": [{"type": "text", "text": "чай"}, {"type": "image_url"}],
            "scope": {"user": "anna"}, "timestamp": 1, "name": "ignored", "expects": ["чай"],
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "note", "arguments": "{\"a\":1}"}}],
        });
        let default = Scope { profile: "default".to_owned(), ..Scope::default() };
        let (good, bad) = read(format!("\u{feff}{line}").as_bytes(), &default);
        assert_eq!(bad, []);
        let call = ToolCall { id: "c1".to_owned(), name: "note".to_owned(), arguments: "{\"a\":1}".to_owned() };
        let message = Message { tool_calls: vec![call], ..Message::new(Role::Assistant, "чай") };
        let scope = Some(Scope { user: "anna".to_owned(), ..default });
        let expects = json!(["чай"]);
        assert_eq!(good, [Line { number: 1, session: "s".to_owned(), at: Some(1000), scope, message, expects }]);
    }
}
