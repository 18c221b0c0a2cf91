//! The life of a session.

use serde::{Deserialize, Serialize};

use super::{Caller, Message};

/// A turn begins. Its recall is asked for at the same time, so this comes too late to change it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct TurnStart {
    /// For whom and by whom.
    pub caller: Caller,
    /// The number of the turn in its session, as in [`Turn`](super::Turn).
    pub number: u64,
    /// The user's message.
    pub message: String,
}

/// A session is over; sent once, after all its turns. The place for work that needs the whole conversation.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct SessionEnd {
    /// For whom and by whom; `caller.origin.session` is the session that ended.
    pub caller: Caller,
    /// The same for every delivery.
    pub idempotency_key: String,
    /// Its messages, where the host still has them.
    pub messages: Vec<Message>,
}

/// The conversation goes on under another session id: the user began anew, resumed an old one, or the window was
/// compressed. Sent after all turns of the session that was left, and before any of the one that goes on.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct SessionSwitch {
    /// For whom and by whom.
    pub caller: Caller,
    /// The same for every delivery.
    pub idempotency_key: String,
    /// The session that was left.
    pub from: String,
    /// The session that goes on.
    pub to: String,
    /// True when nothing of the old conversation is carried over.
    pub reset: bool,
}

/// The middle of the window is about to be folded into a summary. Its turns were delivered before.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct PreCompress {
    /// For whom and by whom.
    pub caller: Caller,
    /// The messages that will be folded.
    pub messages: Vec<Message>,
}

/// What a provider wants the summary to keep.
///
/// The text is for the model that writes the summary, which reads it beside the messages: names and numbers that must
/// not be lost, not a summary of its own.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct CompressNote {
    /// Text for the summariser; empty when there is nothing to say.
    pub text: String,
}

/// A subagent has finished. Its own session wrote nothing, since only the primary context does: what it found out
/// reaches the provider here, by its parent.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Delegation {
    /// For whom and by whom: the parent.
    pub caller: Caller,
    /// The same for every delivery.
    pub idempotency_key: String,
    /// What the subagent was asked.
    pub task: String,
    /// What it answered.
    pub result: String,
    /// Its session.
    pub child_session: String,
}
