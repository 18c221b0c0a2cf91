//! Opening, health, explicit keeping, import and browsing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Caller, RecallItem, Scope, UnixMillis};

/// What a provider is opened with, besides its host services.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct OpenRequest {
    /// The host's version.
    pub host_version: String,
    /// The least severe level that the host keeps: `error`, `warn`, `info`, `debug` or `trace`.
    pub log_level: String,
    /// The profile it is opened for; other fields are set only for a provider that is opened once per audience.
    pub scope: Scope,
}

/// Whether a provider works, and with what.
///
/// The detail stands behind the provider's name in setup and status, so say what a user can check: `1204 facts`, or
/// `the service refuses the key; make a new one at https://notes.example/keys`.
///
/// ```
/// use hermes_provider_api::records::Health;
///
/// assert!(Health::ok("1204 facts").ok && !Health::degraded("the index is being rebuilt").ok);
/// ```
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Health {
    /// Recall and storing both work.
    pub ok: bool,
    /// A sentence for the user: what works, or what does not and what to do.
    pub detail: String,
}

impl Health {
    /// Works; `detail` says with what.
    #[must_use]
    pub fn ok(detail: impl Into<String>) -> Self {
        Self { ok: true, detail: detail.into() }
    }

    /// Does not work, or not fully.
    #[must_use]
    pub fn degraded(detail: impl Into<String>) -> Self {
        Self { ok: false, detail: detail.into() }
    }
}

/// A text that the user wants to be kept, because they said so: no filter of the provider may drop it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Remember {
    /// For whom and by whom.
    pub caller: Caller,
    /// The text, as it was written.
    pub text: String,
}

/// What became of it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Remembered {
    /// The provider's id of the entry.
    pub id: String,
    /// True when it was known before.
    pub existed: bool,
}

/// Memories from elsewhere, such as an export of another memory. A large import comes in several batches.
///
/// The same batch may come again after an error: what is known already is skipped, by its text and scope.
///
/// A store of another program comes as a file instead, which the host has copied into the provider's data folder. The
/// provider reads as much of it as it can take at once, and is asked again with the cursor that it answered.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct ImportBatch {
    /// For whom and by whom.
    pub caller: Caller,
    /// In the order in which they should be stored.
    pub records: Vec<ImportRecord>,
    /// The name of a file in the data folder that is read in place of `records`; the host deletes it afterwards.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Where the last answer said that the file goes on; empty at its beginning.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cursor: String,
}

/// One memory from elsewhere.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct ImportRecord {
    /// The text.
    pub text: String,
    /// When it was first stored, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<UnixMillis>,
    /// Labels.
    pub tags: Vec<String>,
    /// Whatever else the source knew.
    pub extra: Value,
}

/// What an import did. The three together are the whole batch.
///
/// ```
/// use hermes_provider_api::records::ImportReport;
///
/// let refused = vec!["record 4 has no text".into()];
/// let report = ImportReport { added: 2, skipped: 1, refused, ..ImportReport::default() };
/// assert_eq!(report.added + report.skipped + report.refused.len() as u64, 4);
/// ```
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct ImportReport {
    /// New entries.
    pub added: u64,
    /// Known before.
    pub skipped: u64,
    /// Refused, each with its reason, in the order of the batch.
    pub refused: Vec<String>,
    /// Of a file: where it goes on; empty at its end.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// Of a file: how many memories it holds; with the first answer. A provider that reads no files leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// A wish to look through the store.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct ListEntries {
    /// For whom and by whom.
    pub caller: Caller,
    /// Where the last page ended; empty for the first.
    pub cursor: String,
    /// How many entries at the most; 50 by default. Fewer are no sign of the end: an empty `next` is.
    pub limit: usize,
}

impl Default for ListEntries {
    fn default() -> Self {
        Self { caller: Caller::default(), cursor: String::new(), limit: 50 }
    }
}

/// One page of entries.
///
/// The cursor is the provider's own text. It should survive that entries are added or deleted between two pages: the id
/// of the last entry does, a count of entries does not.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct EntryPage {
    /// Newest first.
    pub entries: Vec<RecallItem>,
    /// The cursor of the next page; empty at the end.
    pub next: String,
}
