//! The records that cross the boundary, as UTF-8 JSON.
//!
//! Every field has a default and unknown fields are ignored, so either side may be the newer one. Times are Unix
//! milliseconds. An empty string means "unset".

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

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type UnixMillis = u64;
