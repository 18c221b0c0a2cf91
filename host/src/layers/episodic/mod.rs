//! The archive of what was said: every session with all its messages, in `hermes.db`, and the search over them.
//!
//! Text is stored once and never changed: compression only marks what was folded. It is written with [`append`], in the
//! caller's transaction, so that a turn is in the archive exactly if it is on its way to the provider; read and managed
//! through an [`Archive`].

mod append;
mod archive;
mod forget;
mod rows;
pub mod search;
mod stats;
#[cfg(test)]
mod tests;

pub use append::{Appended, append, end, fold, last_turn};
pub use archive::{Archive, ArchiveError, Filter};
pub use forget::{Emptied, forget};
pub use stats::{Stats, Totals};

use hermes_provider_api::records::{Context, Role, Scope, ToolCall};
use serde::{Deserialize, Serialize};

use crate::clock::UnixMillis;

/// What is known of a session when something of it is written.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct SessionHead {
    /// Its id, as the agent and its user know it.
    #[serde(rename = "id")]
    pub name: String,
    /// The audience of what is said. One that the session got later is that of its messages alone.
    pub scope: Scope,
    /// The role that it runs in.
    pub context: Context,
    /// Where it was imported from; None when it was recorded here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The session that it goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The model that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// When it began.
    pub started_ms: UnixMillis,
    /// When it ended, if it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<UnixMillis>,
    /// Why it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A session of the archive.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its row.
    #[serde(skip)]
    pub row: i64,
    /// What was said about it first, and its audience then.
    #[serde(flatten)]
    pub head: SessionHead,
    /// When something was last said.
    pub last_ms: UnixMillis,
    /// How many messages it has.
    pub messages: u64,
    /// How many tokens, as far as that is known.
    pub tokens: u64,
    /// The number of its last turn.
    pub last_turn: u64,
    /// It is never pruned.
    pub pinned: bool,
}

/// A message as it is written.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct NewMessage {
    /// The number of its turn, from 1.
    pub turn: u64,
    /// Who it is from.
    pub role: Role,
    /// Its text; empty for one that only calls tools.
    pub content: String,
    /// The tools that it calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that it answers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool_call: String,
    /// The tool whose result it is, if that is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// When it was said.
    pub at_ms: UnixMillis,
    /// How long it is, if somebody counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// It was folded into a summary, and is not in the window any more.
    #[serde(skip_serializing_if = "is_false")]
    pub folded: bool,
    /// Its turn was broken off.
    #[serde(skip_serializing_if = "is_false")]
    pub partial: bool,
    /// Its audience, where that is not the one of its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

/// A message of the archive.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its number: it grows in the order in which messages were written, and is never used again.
    pub id: i64,
    /// What was written.
    #[serde(flatten)]
    pub said: NewMessage,
}

/// The bits of `messages.flags`.
const FOLDED: i64 = 1;
const PARTIAL: i64 = 2;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_false(flag: &bool) -> bool {
    !flag
}
