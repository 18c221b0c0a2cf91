//! Finished turns and writes of the curated memory.

use serde::{Deserialize, Serialize};

use super::Caller;

/// Who a message is from, as in the OpenAI chat format.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The instructions of the agent.
    System,
    /// The person.
    #[default]
    User,
    /// The model.
    Assistant,
    /// The result of a tool call, or somebody whom this side does not know yet: nobody's own words.
    #[serde(other)]
    Tool,
}

/// One message of a conversation.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// Its text; empty for a message that only calls tools.
    pub content: String,
    /// The tools that an assistant's message calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Which call a tool's message answers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool_call_id: String,
}

impl Message {
    /// A message with a text and nothing else.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), ..Self::default() }
    }
}

/// A call of a tool by the model.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct ToolCall {
    /// Joins the call and its result.
    pub id: String,
    /// The tool.
    pub name: String,
    /// JSON text, as the model wrote it: it may be invalid, or not an object.
    pub arguments: String,
}

/// A whole turn, from the user's message to the last answer.
///
/// It was redacted and freed of memory blocks before it was sent. It may arrive more than once, after a crash or a
/// timeout for instance, each time with the same key:
///
/// ```
/// use hermes_provider_api::records::{Message, Role, Turn};
///
/// let turn = Turn {
///     idempotency_key: "s1:1".into(),
///     number: 1,
///     messages: vec![Message::new(Role::User, "I moved to Riga"), Message::new(Role::Assistant, "Noted.")],
///     ..Turn::default()
/// };
/// assert_eq!((turn.user_text(), turn.assistant_text()), ("I moved to Riga", "Noted."));
/// ```
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Turn {
    /// For whom and by whom.
    pub caller: Caller,
    /// The same for every delivery of the same turn: store it once.
    pub idempotency_key: String,
    /// The number of the turn in its session, from 1. A session that is taken up again, in another process too, goes on
    /// counting. A name for people: where a home lost its database, or two converse in a session at once, a number
    /// comes twice. Only the key is one of its own.
    pub number: u64,
    /// Everything that was said, in order, tool calls and their results included. Begins with the user's message.
    pub messages: Vec<Message>,
    /// The turn was broken off before its answer was complete.
    pub interrupted: bool,
}

impl Turn {
    /// The text of the user's first message, or nothing.
    #[must_use]
    pub fn user_text(&self) -> &str {
        self.messages.iter().find(|message| message.role == Role::User).map_or("", |message| &message.content)
    }

    /// The text of the model's last message that has one, or nothing.
    #[must_use]
    pub fn assistant_text(&self) -> &str {
        self.messages
            .iter()
            .rev()
            .find(|message| message.role == Role::Assistant && !message.content.is_empty())
            .map_or("", |message| &message.content)
    }
}

/// What was done to a curated entry.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WriteAction {
    /// A new entry.
    #[default]
    Add,
    /// `previous` became `content`.
    Replace,
    /// `previous` is gone.
    Remove,
    /// Something that this side does not know yet. A provider leaves its store as it is.
    #[serde(other)]
    Unknown,
}

/// Which curated file an entry belongs to.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MemoryTarget {
    /// `MEMORY.md`, the agent's own notes.
    #[default]
    Memory,
    /// `USER.md`, what it knows of the user.
    User,
    /// A file that this side does not know yet.
    #[serde(other)]
    Unknown,
}

/// A write of the built-in memory tool that was really committed.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct MemoryWrite {
    /// For whom and by whom.
    pub caller: Caller,
    /// The same for every delivery of the same write.
    pub idempotency_key: String,
    /// What was done.
    pub action: WriteAction,
    /// In which file.
    pub target: MemoryTarget,
    /// The entry's new text; empty for a removal.
    pub content: String,
    /// The entry's old text; empty for an addition.
    pub previous: String,
}
