//! The records that cross the boundary, as UTF-8 JSON.
//!
//! Every field has a default and unknown fields are ignored, so either side may be the newer one. An enum travels as its
//! name in snake case; a name that this side does not know is taken for the most careful case. Times are Unix
//! milliseconds. An empty string means "unset".
//!
//! | hook | request | answer |
//! |---|---|---|
//! | `prefetch`, `queue_prefetch` | [`PrefetchQuery`] | [`Recall`]; nothing |
//! | `sync_turn` | [`Turn`] | nothing |
//! | `on_memory_write` | [`MemoryWrite`] | nothing |
//! | `on_turn_start`, `on_session_end`, `on_session_switch` | [`TurnStart`], [`SessionEnd`], [`SessionSwitch`] | nothing |
//! | `on_pre_compress`, `on_delegation` | [`PreCompress`], [`Delegation`] | [`CompressNote`]; nothing |
//! | `call_tool` | [`ToolRequest`] | any JSON |
//! | `tool_schemas` | none | a list of [`ToolSchema`] |
//! | `remember`, `import`, `list_entries` | [`Remember`], [`ImportBatch`], [`ListEntries`] | [`Remembered`], [`ImportReport`], [`EntryPage`] |
//!
//! Every request that is made for somebody carries a [`Caller`]: for which audience, who speaks, in which role.
//!
//! # Make them with `..Default::default()`
//! A field may be added in any release. A record that is written out in full would then no longer compile:
//!
//! ```
//! use hermes_provider_api::records::RecallItem;
//!
//! let item = RecallItem { id: "7".into(), text: "Ann drinks tea".into(), score: 0.8, ..RecallItem::default() };
//! let json = serde_json::to_value(&item).unwrap();
//! assert_eq!(json, serde_json::json!({"id": "7", "text": "Ann drinks tea", "score": 0.8}));
//! ```

mod config;
mod maintenance;
mod recall;
mod scope;
mod session;
mod tools;
mod turn;

pub use config::{Choice, ConfigField, FieldType, When};
pub use maintenance::{
    EntryPage, Health, ImportBatch, ImportRecord, ImportReport, ListEntries, OpenRequest, Remember, Remembered,
};
pub use recall::{PrefetchQuery, Recall, RecallItem, RecallState, RecallStatus};
pub use scope::{Author, Caller, ChatKind, Context, Origin, Scope};
pub use session::{CompressNote, Delegation, PreCompress, SessionEnd, SessionSwitch, TurnStart};
pub use tools::{Effect, ToolRequest, ToolSchema};
pub use turn::{MemoryTarget, MemoryWrite, Message, Role, ToolCall, Turn, WriteAction};

/// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted: Unix time by a thousand. Where a time is shown to people
/// it is [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339) in UTC; on the boundary it is always this number.
pub type UnixMillis = u64;
