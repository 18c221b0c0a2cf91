//! Copies of what leaves: without secrets, without echoes of memory blocks.

use std::borrow::Cow;
use std::sync::Arc;

use hermes_provider_api::records::{Message, ToolCall, Turn};
use serde_json::Value;

use crate::guard::{Redactor, fence};
use crate::secrets::{Place, change_texts};

/// Makes clean copies.
#[derive(Clone, Debug)]
pub struct Cleaner(pub(super) Arc<Redactor>);

/// A turn whose messages are clean, made once for all who get it.
#[derive(Debug)]
pub struct CleanTurn(Turn);

impl CleanTurn {
    pub(super) fn record(&self) -> &Turn {
        &self.0
    }

    /// Its messages.
    #[must_use]
    pub fn into_messages(self) -> Vec<Message> {
        self.0.messages
    }
}

impl Cleaner {
    /// What takes these secrets out.
    #[must_use]
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self(redactor)
    }

    /// A text as a provider may see it.
    pub(super) fn text(&self, text: &str) -> String {
        match fence::strip(text) {
            Cow::Borrowed(text) => self.0.redact(text).into_owned(),
            Cow::Owned(text) => self.0.redact(&text).into_owned(),
        }
    }

    /// The same for every text in a JSON value.
    pub(super) fn json(&self, value: &mut Value) {
        strip_json(value);
        self.0.redact_json(value);
    }

    pub(super) fn messages(&self, messages: &[Message]) -> Vec<Message> {
        messages.iter().map(|message| self.message(message)).collect()
    }

    /// A turn as a provider may see it. `said` is its first message's text where that is clean already.
    #[must_use]
    pub fn turn(&self, turn: &Turn, said: Option<String>) -> CleanTurn {
        let Turn { caller, idempotency_key, number, messages, interrupted } = turn;
        let said = said.zip(messages.first()).map(|(text, first)| self.with_text(first, text));
        let others = messages.iter().skip(usize::from(said.is_some())).map(|message| self.message(message));
        CleanTurn(Turn {
            caller: caller.clone(),
            idempotency_key: idempotency_key.clone(),
            number: *number,
            messages: said.into_iter().chain(others).collect(),
            interrupted: *interrupted,
        })
    }

    /// A message as a provider may see it.
    #[must_use]
    pub fn message(&self, message: &Message) -> Message {
        self.with_text(message, self.text_of_json(&message.content))
    }

    /// The same with this text.
    fn with_text(&self, message: &Message, content: String) -> Message {
        let call = |call: &ToolCall| ToolCall {
            // A model may write anything into these, too.
            id: self.id(&call.id),
            name: self.text(&call.name),
            arguments: self.text_of_json(&call.arguments),
        };
        Message {
            role: message.role,
            content,
            tool_calls: message.tool_calls.iter().map(call).collect(),
            tool_call_id: self.id(&message.tool_call_id),
        }
    }

    /// Ids begin with a word such as `call_`, which would hide how a secret behind it begins.
    fn id(&self, id: &str) -> String {
        if let Some((word, rest)) = id.split_once('_') {
            let clean = self.text(rest);
            if clean != rest {
                return format!("{word}_{clean}");
            }
        }
        self.text(id)
    }

    /// Arguments and results of tools are JSON in a text: inside, so that escapes hide nothing; else as any text. Where
    /// nothing has to go, not a byte is changed.
    fn text_of_json(&self, text: &str) -> String {
        if may_be_json(text)
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            let mut clean = value.clone();
            self.json(&mut clean);
            return if clean == value { text.to_owned() } else { clean.to_string() };
        }
        self.text(text)
    }
}

/// Whether a text is looked at as JSON first.
pub(super) fn may_be_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

fn strip_json(value: &mut Value) {
    change_texts(value, &|place, text| match (place, fence::strip(text)) {
        (Place::Value(_), Cow::Owned(stripped)) => Some(stripped),
        _ => None,
    });
}
