//! The content of a message, as the APIs of models take it: a text, or a list of parts.

use hermes_provider_api::records::{Role, ToolCall};
use serde_json::Value;

use super::NewMessage;
use crate::clock::UnixMillis;

/// What is in a content.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// Its texts, each on lines of its own; what is no text is told in brackets.
    pub(super) text: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) results: Vec<ResultPart>,
}

/// The result of a tool, in the middle of a content.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ResultPart {
    pub(super) call: String,
    pub(super) tool: String,
    pub(super) text: String,
}

impl ResultPart {
    /// As a message of its own, said with the one that it stood in.
    pub(super) fn message(self, at_ms: UnixMillis) -> NewMessage {
        let Self { call: tool_call, tool, text: content } = self;
        NewMessage { role: Role::Tool, content, tool_call, tool, at_ms, ..NewMessage::default() }
    }
}

/// Reads a content; None when it is neither a text nor parts. What a model thought is left out.
pub(super) fn read(content: &Value) -> Option<Parts> {
    let mut parts = Parts::default();
    match content {
        Value::Null => {}
        Value::String(text) => parts.text.clone_from(text),
        Value::Array(list) => list.iter().for_each(|part| parts.add(part)),
        Value::Object(_) => parts.add(content),
        Value::Bool(_) | Value::Number(_) => return None,
    }
    Some(parts)
}

impl Parts {
    pub(super) fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    fn add(&mut self, part: &Value) {
        if let Value::String(text) = part {
            return self.push(text);
        }
        let text = |key: &str| part.get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = match text("type") {
            "" => text("content_type"),
            kind => kind,
        };
        match kind {
            "tool_use" => self.calls.push(ToolCall {
                id: text("id").to_owned(),
                name: text("name").to_owned(),
                arguments: part.get("input").map_or_else(String::new, arguments),
            }),
            "tool_result" => self.results.push(ResultPart {
                call: text("tool_use_id").to_owned(),
                tool: text("name").to_owned(),
                text: part.get("content").and_then(read).unwrap_or_default().text,
            }),
            "thinking" | "redacted_thinking" | "reasoning" | "token_budget" => {}
            _ if part.get("text").is_some_and(Value::is_string) => self.push(text("text")),
            _ => {
                let file = part.get("file").unwrap_or(part);
                let name = ["filename", "file_name", "name"].iter().find_map(|key| file.get(*key)?.as_str());
                let kind = kind.trim_start_matches("input_").split(['_', ' ']).next().unwrap_or_default();
                match (kind, name) {
                    ("", None) => {}
                    ("", Some(name)) => self.push(&format!("[{name}]")),
                    (kind, None) => self.push(&format!("[{kind}]")),
                    (kind, Some(name)) => self.push(&format!("[{kind}: {name}]")),
                }
            }
        }
    }
}

/// The arguments of a call as JSON text, as the model wrote them where the source kept that.
pub(super) fn arguments(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The calls of an assistant's message, as OpenAI's API gives them; a wrong one is kept as text.
pub(super) fn tool_calls(list: &Value) -> Vec<ToolCall> {
    let list = match list {
        Value::Array(list) => list.as_slice(),
        Value::Null => &[],
        other => std::slice::from_ref(other),
    };
    let call = |call: &Value| {
        let function = call.get("function").unwrap_or(call);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = text(call.get("id").or_else(|| call.get("call_id")));
        let name = text(function.get("name"));
        let given = function.get("arguments").or_else(|| function.get("input"));
        let arguments = match given {
            Some(given) => arguments(given),
            None if name.is_empty() => arguments(call),
            None => String::new(),
        };
        ToolCall { id, name, arguments }
    };
    list.iter().map(call).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(content: Value, expected: &str) {
        assert_eq!(read(&content).map(|parts| parts.text).as_deref(), Some(expected), "{content}");
    }

    #[test]
    fn parts_become_a_text() {
        check(json!(null), "");
        check(json!("чай"), "чай");
        check(json!(["a", {"type": "text", "text": "b"}, {"type": "input_text", "text": "c"}]), "a\nb\nc");
        check(
            json!([{"type": "image_url", "image_url": {"url": "data:…"}}, {"type": "text", "text": "?"}]),
            "[image]\n?",
        );
        check(
            json!([{"type": "file", "file": {"filename": "a.pdf"}}, {"type": "input_audio"}]),
            "[file: a.pdf]\n[audio]",
        );
        check(json!([{"type": "thinking", "thinking": "hm"}, 7, {}]), "");
        check(json!({"type": "text", "text": "one"}), "one");
        assert_eq!(read(&json!(7)), None);
    }

    #[test]
    fn calls_and_results_are_apart() {
        let parts = read(&json!([
            {"type": "text", "text": "look"},
            {"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "."}},
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a.txt"}]},
        ]))
        .unwrap();
        assert_eq!(parts.text, "look");
        let call = ToolCall { id: "t1".into(), name: "ls".into(), arguments: r#"{"path":"."}"#.into() };
        assert_eq!(parts.calls, [call]);
        assert_eq!(parts.results, [ResultPart { call: "t1".into(), tool: String::new(), text: "a.txt".into() }]);
    }

    #[test]
    fn calls_of_any_shape_are_kept() {
        let call = |id: &str, name: &str, arguments: &str| ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        };
        let list = json!([
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"b\": 1, \"a\": 2}"}},
            {"call_id": "2", "name": "g", "arguments": {"x": 1}},
            "broken",
        ]);
        let expected = [call("1", "f", "{\"b\": 1, \"a\": 2}"), call("2", "g", r#"{"x":1}"#), call("", "", "broken")];
        assert_eq!(tool_calls(&list), expected);
        assert_eq!(tool_calls(&json!(null)), []);
    }
}
