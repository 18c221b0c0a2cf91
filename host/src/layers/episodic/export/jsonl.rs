//! The lines of an export: one for a session, then one for each of its messages, in the words of OpenAI's API where it
//! has some.

use hermes_provider_api::records::{ChatKind, Context, Scope};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The version of the format. Fields may be added without another one.
pub(crate) const FORMAT: u32 = 1;
/// How the line of a session begins.
pub(crate) const MARK: &str = "{\"hermes\":\"session\",";

/// The line of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// `session`.
    pub(crate) hermes: String,
    pub(crate) version: u32,
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) title: Option<String>,
    #[serde(default)]
    pub(crate) model: Option<String>,
    #[serde(default)]
    pub(crate) parent: Option<String>,
    #[serde(default)]
    pub(crate) source: Option<String>,
    #[serde(default)]
    pub(crate) context: Context,
    #[serde(flatten)]
    pub(crate) audience: Audience,
    pub(crate) started_ms: u64,
    #[serde(default)]
    pub(crate) ended_ms: Option<u64>,
    #[serde(default)]
    pub(crate) reason: Option<String>,
    #[serde(default)]
    pub(crate) pinned: bool,
    /// So many lines of messages come next.
    #[serde(default)]
    pub(crate) messages: u64,
}

/// Who heard it. The profile is that of the home which it is imported into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Audience {
    pub(crate) platform: String,
    pub(crate) chat: String,
    pub(crate) chat_kind: ChatKind,
    pub(crate) user: String,
    pub(crate) project: String,
}

impl Audience {
    pub(crate) fn of(scope: &Scope) -> Self {
        let Scope { platform, chat, chat_kind, user, project, .. } = scope.clone();
        Self { platform, chat, chat_kind, user, project }
    }

    pub(crate) fn scope(&self) -> Scope {
        let Self { platform, chat, chat_kind, user, project } = self.clone();
        Scope { platform, chat, chat_kind, user, project, ..Scope::default() }
    }
}

/// The line of a message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) role: String,
    #[serde(default)]
    pub(crate) content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_calls: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<String>,
    /// The tool that it is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) at_ms: u64,
    #[serde(default)]
    pub(crate) turn: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) flags: u32,
    /// Who heard it, where that is not who heard the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) audience: Option<Audience>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
