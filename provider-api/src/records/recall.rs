//! Recall: what a provider finds for a message.

use serde::{Deserialize, Serialize};

use super::{Caller, Origin, Scope, UnixMillis};

/// What a prefetch looks for.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct PrefetchQuery {
    /// For whom and by whom.
    pub caller: Caller,
    /// The user's message, redacted. Never trivial: the host leaves those out.
    pub query: String,
    /// How many items are wanted at the most; 5 by default. More are cut off.
    pub limit: usize,
}

impl Default for PrefetchQuery {
    fn default() -> Self {
        Self { caller: Caller::default(), query: String::new(), limit: 5 }
    }
}

/// What a provider knows about a message: items, not a text.
///
/// The host checks the scope of each, bounds them, leaves out what the window already holds, and formats. Nothing found
/// is an empty list, not an error.
///
/// ```
/// use hermes_provider_api::records::Recall;
///
/// let recall: Recall = serde_json::from_str(r#"{"items": [{"id": "7", "text": "Ann drinks tea"}]}"#).unwrap();
/// assert!(recall.preface.is_none() && recall.items[0].scope.is_none());
/// ```
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Recall {
    /// One sentence that explains the items to the model, if they need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preface: Option<String>,
    /// Best first.
    pub items: Vec<RecallItem>,
}

/// One memory.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct RecallItem {
    /// The provider's own id, stable across calls.
    pub id: String,
    /// The memory as it should be read.
    pub text: String,
    /// Higher is better; comparable within one reply only. The order of the items counts, not the score.
    pub score: f64,
    /// Where it was learnt. None: the provider knows no scopes, and the host then keeps the item out of groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Who said it, and when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<UnixMillis>,
    /// The text file that holds it and nothing else, relative to the data folder, with `/`; empty where there is none. A
    /// user who looks through the store is shown such files as a tree, and may open them in an editor.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
}

/// What the recall index is doing.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecallState {
    /// Answers fully.
    #[default]
    Ready,
    /// Answers, but not from everything yet.
    Building,
    /// Answers with less than it could; the detail says why. Also a state that this side does not know yet.
    #[serde(other)]
    Degraded,
}

/// The answer of `recall_status`.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct RecallStatus {
    /// What the index is doing.
    pub state: RecallState,
    /// A sentence for the user.
    pub detail: String,
    /// How many entries can be recalled, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
}
