//! One message of a conversation, as a client or a model spells it.

use std::borrow::Cow;

use hermes_provider_api::records::{Message, Role, ToolCall};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{Object, raw};

/// What tells one message, or one beginning of a conversation, from another.
pub type Digest = [u8; 32];

/// Items of an answer that its server makes beside what is said: a client may send them back or not.
const BESIDE: [&str; 8] = [
    "reasoning",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "compaction",
];

/// A message, or an item of the newer API, with the bytes in which it came.
#[derive(Clone, Debug)]
pub struct WireMessage {
    raw: Box<RawValue>,
    value: Value,
}

impl WireMessage {
    /// A message as it came.
    ///
    /// # Errors
    /// When it is not a JSON object.
    pub fn read(raw: Box<RawValue>) -> Result<Self, serde_json::Error> {
        let fields: Map<String, Value> = serde_json::from_str(raw.get())?;
        Ok(Self { raw, value: fields.into() })
    }

    /// A message of ours.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self { raw: raw(&value), value }
    }

    /// As it is sent.
    #[must_use]
    pub fn raw(&self) -> &RawValue {
        &self.raw
    }

    /// Whom it is from: `user`, `assistant`, `tool`, `system`, …
    #[must_use]
    pub fn role(&self) -> &str {
        match self.kind() {
            kind if kind.ends_with("_output") => "tool",
            kind if kind.ends_with("_call") => "assistant",
            _ => self.value["role"].as_str().unwrap_or_default(),
        }
    }

    /// What an item is; empty for messages, which do not say so.
    fn kind(&self) -> &str {
        self.value["type"].as_str().unwrap_or_default()
    }

    /// Whether nobody says anything in it.
    #[must_use]
    pub fn is_beside(&self) -> bool {
        BESIDE.contains(&self.kind())
    }

    /// The id of an item that its server knows, where it only names one.
    #[must_use]
    pub fn refers_to(&self) -> Option<&str> {
        self.id().filter(|_| self.kind() == "item_reference")
    }

    /// The id that its server gave it.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.value["id"].as_str()
    }

    /// Its text, where a model says it and nothing else. Several such in a row are one to some clients.
    #[must_use]
    pub fn said(&self) -> Option<Cow<'_, str>> {
        let all_text = match &self.value["content"] {
            Value::Array(parts) => parts.iter().all(|part| part["text"].is_string()),
            content => content.is_string(),
        };
        (self.role() == "assistant" && all_text && self.calls().is_empty()).then(|| self.text())
    }

    /// Whether it holds instructions of the application.
    #[must_use]
    pub fn instructs(&self) -> bool {
        matches!(self.role(), "system" | "developer")
    }

    /// Its texts. What is shown and not said, such as a picture, is named.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        let field = if self.role() == "tool" && self.value["content"].is_null() { "output" } else { "content" };
        let parts = match &self.value[field] {
            Value::String(text) => return Cow::Borrowed(text),
            Value::Array(parts) => parts,
            _ => return Cow::Borrowed(""),
        };
        let part = |part: &Value| match part["text"].as_str() {
            Some(text) => text.to_owned(),
            None => {
                let kind = part["type"].as_str().unwrap_or("part");
                format!("[{}]", kind.trim_start_matches("input_").trim_end_matches("_url"))
            }
        };
        Cow::Owned(parts.iter().map(part).collect::<Vec<_>>().join("\n"))
    }

    /// The tools that it calls.
    #[must_use]
    pub fn calls(&self) -> Vec<ToolCall> {
        if self.kind() == "function_call" {
            return vec![call(&as_call(&self.value))];
        }
        self.value["tool_calls"].as_array().into_iter().flatten().map(call).collect()
    }

    /// The same for the record of the turn.
    #[must_use]
    pub fn to_record(&self) -> Message {
        let role = match self.role() {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" | "developer" => Role::System,
            _ => Role::Tool,
        };
        let tool_call_id = self.answers().as_str().unwrap_or_default().to_owned();
        Message { role, content: self.text().into_owned(), tool_calls: self.calls(), tool_call_id }
    }

    /// The call that it answers.
    fn answers(&self) -> &Value {
        if self.role() == "tool" && !self.kind().is_empty() {
            &self.value["call_id"]
        } else {
            &self.value["tool_call_id"]
        }
    }

    /// The message with a text below its own. Everything else keeps its bytes.
    #[must_use]
    pub fn with_below(&self, text: &str) -> Box<RawValue> {
        let Ok(mut fields) = serde_json::from_str::<Object>(self.raw.get()) else { return self.raw.clone() };
        let content = match &self.value["content"] {
            Value::String(own) if own.is_empty() => raw(text),
            Value::String(own) => raw(&format!("{own}\n\n{text}")),
            Value::Array(own) => {
                let mut parts: Vec<Box<RawValue>> = fields.read("content").unwrap_or_default();
                let is_item = !self.kind().is_empty()
                    || own.iter().any(|part| part["type"].as_str().is_some_and(|kind| kind.starts_with("input_")));
                parts.push(raw(&json!({"type": if is_item { "input_text" } else { "text" }, "text": text})));
                raw(&parts)
            }
            _ => raw(text),
        };
        fields.set("content", content);
        raw(&fields)
    }

    /// The same for every spelling of the message that clients give it on its way back: with or without empty fields,
    /// a text as a text or as the only part.
    #[must_use]
    pub fn digest(&self) -> Digest {
        if !matches!(self.kind(), "" | "message" | "function_call" | "function_call_output") {
            let mut item = filled(&self.value);
            if let Value::Object(fields) = &mut item {
                fields.retain(|name, _| !matches!(name.as_str(), "id" | "status"));
            }
            return Sha256::digest(item.to_string()).into();
        }
        let content = match &self.value["content"] {
            Value::Array(parts) if parts.iter().any(|part| part["text"].is_null()) => filled(&self.value["content"]),
            _ => self.text().trim().into(),
        };
        let calls: Vec<_> = self.calls().into_iter().map(|call| json!([call.id, call.name, call.arguments])).collect();
        match self.role() {
            "assistant" => of_assistant(&content, &calls),
            role => {
                let name = if role == "tool" { &Value::Null } else { &self.value["name"] };
                Sha256::digest(json!([role, [content, calls, self.answers(), name]]).to_string()).into()
            }
        }
    }

    /// The digest of a model's message that says this and nothing else.
    #[must_use]
    pub fn digest_of_said(text: &str) -> Digest {
        of_assistant(&text.trim().into(), &[])
    }
}

fn of_assistant(content: &Value, calls: &[Value]) -> Digest {
    Sha256::digest(json!(["assistant", [content, calls]]).to_string()).into()
}

/// A call that is an item, as a message has it.
pub(super) fn as_call(item: &Value) -> Value {
    json!({"id": item["call_id"], "type": "function", "function": {"name": item["name"], "arguments": item["arguments"]}})
}

/// A tool call of a message.
pub(super) fn call(value: &Value) -> ToolCall {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let function = &value["function"];
    let arguments = match &function["arguments"] {
        // Some servers send the arguments themselves in place of their text.
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    ToolCall { id: text(&value["id"]), name: text(&function["name"]), arguments }
}

/// A value without fields that are null.
fn filled(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let filled = fields.iter().filter(|(_, value)| !value.is_null());
            filled.map(|(name, value)| (name.clone(), self::filled(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(filled).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> WireMessage {
        WireMessage::read(serde_json::from_str(text).unwrap()).unwrap()
    }

    #[track_caller]
    fn check_same(texts: &[&str], others: &[&str]) {
        let first = message(texts[0]).digest();
        assert!(texts.iter().all(|text| message(text).digest() == first), "{texts:?}");
        assert!(others.iter().all(|text| message(text).digest() != first), "{others:?}");
    }

    #[test]
    fn a_message_is_known_however_a_client_spells_it() {
        check_same(
            &[
                r#"{"role":"assistant","content":"Да"}"#,
                r#"{"content":" \u0414\u0430\n","role":"assistant","refusal":null,"tool_calls":null,"audio":null}"#,
                r#"{"role":"assistant","content":[{"type":"text","text":"Да"}],"annotations":[]}"#,
            ],
            &[
                r#"{"role":"user","content":"Да"}"#,
                r#"{"role":"assistant","content":"Да!"}"#,
                r#"{"role":"assistant","content":"Да","tool_calls":[{"id":"1","function":{"name":"f","arguments":""}}]}"#,
            ],
        );
        check_same(
            &[r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:1"}}]}"#],
            &[r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:2"}}]}"#],
        );
        check_same(
            &[r#"{"role":"tool","content":"1","tool_call_id":"a"}"#],
            &[r#"{"role":"tool","content":"1","tool_call_id":"b"}"#],
        );
    }

    #[test]
    fn a_text_is_put_below_and_the_rest_stays() {
        let below = |text: &str| message(text).with_below("B\n\"").get().to_owned();
        assert_eq!(
            below(r#"{"name":"v", "content":"чай","role":"user","x":1.0}"#),
            r#"{"name":"v","content":"чай\n\nB\n\"","role":"user","x":1.0}"#
        );
        assert_eq!(
            below(r#"{"role":"user","content":[{"z":1.0,"type":"image_url"}]}"#),
            r#"{"role":"user","content":[{"z":1.0,"type":"image_url"},{"text":"B\n\"","type":"text"}]}"#
        );
        assert_eq!(below(r#"{"role":"user","content":null}"#), r#"{"role":"user","content":"B\n\""}"#);
        assert_eq!(below(r#"{"role":"user"}"#), r#"{"role":"user","content":"B\n\""}"#);
    }

    #[test]
    fn a_picture_is_named_in_the_record() {
        let record = message(
            r#"{"role":"user","content":[{"type":"text","text":"Was ist das?"},{"type":"image_url","image_url":{"url":"data:x"}}]}"#,
        )
        .to_record();
        assert_eq!((record.role, record.content.as_str()), (Role::User, "Was ist das?\n[image]"));
    }
}
