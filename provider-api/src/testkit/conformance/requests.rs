//! Requests and answers of the hooks, as a host writes and reads them.
//!
//! Three tables with a line for each hook: what is asked, what may be answered, what a user loses without an answer. A hook
//! that is added to the crate is a compile error in the first and third until it has its line.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::dispatch::{DeleteEntryRequest, ToolEffectRequest};
use crate::records::{
    Caller, CompressNote, ConfigField, Delegation, Effect, EntryPage, Health, ImportBatch, ImportRecord, ImportReport,
    ListEntries, MemoryWrite, Message, Origin, PreCompress, PrefetchQuery, Recall, RecallStatus, Remember, Remembered,
    Role, Scope, SessionEnd, SessionSwitch, ToolRequest, ToolSchema, Turn, TurnStart, UnixMillis,
};
use crate::{ChatKind, Hook};

/// When the conversations of the kit take place: 2026-01-01T00:00:00Z, in Unix milliseconds. The fake clock says the same.
pub(super) const NOW: UnixMillis = 1_767_225_600_000;

/// Somebody in a private chat: profile `default`, platform `telegram`, in the role that may write.
pub(super) fn private(user: &str) -> Caller {
    let scope = Scope {
        profile: "default".to_owned(),
        platform: "telegram".to_owned(),
        chat: format!("chat-{user}"),
        user: user.to_owned(),
        ..Scope::default()
    };
    Caller { scope, origin: Origin { session: "kit-1".to_owned(), at: NOW, ..Origin::default() }, ..Caller::default() }
}

/// Somebody in a group of that platform; the user is who speaks, and all of the group read along.
pub(super) fn group(chat: &str, user: &str) -> Caller {
    let mut caller = private(user);
    caller.scope.chat = chat.to_owned();
    caller.scope.chat_kind = ChatKind::Group;
    caller
}

/// The request of a hook that says `text`, whatever that is to the hook: a question, a message, the id of an entry, a cursor,
/// the name of a tool. `key` is the idempotency key where there is one. `Null` for hooks that are asked nothing.
pub(super) fn request(hook: Hook, caller: &Caller, text: &str, key: &str) -> Value {
    let (caller, text, idempotency_key) = (caller.clone(), text.to_owned(), key.to_owned());
    let messages = |text: String| vec![Message::new(Role::User, text), Message::new(Role::Assistant, "Noted.")];
    match hook {
        Hook::SystemPromptBlock => json(&caller),
        Hook::Prefetch | Hook::QueuePrefetch => json(&PrefetchQuery { caller, query: text, limit: 5 }),
        Hook::SyncTurn => {
            json(&Turn { caller, idempotency_key, number: 1, messages: messages(text), interrupted: false })
        }
        Hook::OnMemoryWrite => json(&MemoryWrite { caller, idempotency_key, content: text, ..MemoryWrite::default() }),
        Hook::OnTurnStart => json(&TurnStart { caller, number: 1, message: text }),
        Hook::OnSessionEnd => json(&SessionEnd { caller, idempotency_key, messages: messages(text) }),
        Hook::OnSessionSwitch => {
            json(&SessionSwitch { from: caller.origin.session.clone(), to: text, caller, idempotency_key, reset: true })
        }
        Hook::OnPreCompress => json(&PreCompress { caller, messages: messages(text) }),
        Hook::OnDelegation => json(&Delegation {
            caller,
            idempotency_key,
            result: text.clone(),
            task: text,
            child_session: "kit-child".to_owned(),
        }),
        Hook::CallTool => json(&ToolRequest { caller, tool: text, args: json!({}) }),
        Hook::ToolEffect => json(&ToolEffectRequest { tool: text, args: json!({}) }),
        Hook::SaveConfig => json!({}),
        Hook::Remember => json(&Remember { caller, text }),
        Hook::Import => {
            let record = ImportRecord { text, created: Some(NOW), ..ImportRecord::default() };
            json(&ImportBatch { caller, records: vec![record], ..ImportBatch::default() })
        }
        Hook::ListEntries => json(&ListEntries { caller, cursor: text, limit: 50 }),
        Hook::DeleteEntry => json(&DeleteEntryRequest { caller, id: text }),
        Hook::UnavailableReason
        | Hook::Health
        | Hook::Shutdown
        | Hook::Close
        | Hook::RecallStatus
        | Hook::ToolSchemas
        | Hook::ConfigSchema
        | Hook::BackupPaths => Value::Null,
    }
}

/// Whether a host could read this as the hook's answer; if not, why.
pub(super) fn unreadable(hook: Hook, answer: &[u8]) -> Option<String> {
    match hook {
        Hook::UnavailableReason => read::<Option<String>>(answer),
        Hook::SystemPromptBlock => read::<String>(answer),
        Hook::Health => read::<Health>(answer),
        Hook::Prefetch => read::<Recall>(answer),
        Hook::RecallStatus => read::<RecallStatus>(answer),
        Hook::OnPreCompress => read::<CompressNote>(answer),
        Hook::ToolSchemas => read::<Vec<ToolSchema>>(answer),
        Hook::CallTool => read::<Value>(answer),
        Hook::ToolEffect => read::<Effect>(answer),
        Hook::ConfigSchema => read::<Vec<ConfigField>>(answer),
        Hook::BackupPaths => read::<Vec<String>>(answer),
        Hook::Remember => read::<Remembered>(answer),
        Hook::Import => read::<ImportReport>(answer),
        Hook::ListEntries => read::<EntryPage>(answer),
        _ => read::<()>(answer),
    }
}

/// Why these bytes are not such a record, if they are not.
fn read<T: DeserializeOwned>(answer: &[u8]) -> Option<String> {
    serde_json::from_slice::<T>(answer).err().map(|error| error.to_string())
}

/// A record as JSON.
pub(super) fn json(record: &impl Serialize) -> Value {
    serde_json::to_value(record).expect("a record is JSON")
}

/// What a user notices when a hook does not answer, to follow an "and": a report is read by people who know no hook.
pub(super) fn loss(hook: Hook) -> &'static str {
    match hook {
        Hook::Prefetch | Hook::QueuePrefetch | Hook::RecallStatus => "the user's turn goes on without memory",
        Hook::SyncTurn => "the turn is not remembered",
        Hook::OnMemoryWrite => "what the agent noted does not reach this memory",
        Hook::OnTurnStart | Hook::OnSessionEnd | Hook::OnSessionSwitch | Hook::OnDelegation => {
            "what belongs to the session is lost"
        }
        Hook::OnPreCompress => "a long conversation is folded without what this memory would have kept",
        Hook::ToolSchemas | Hook::ToolEffect | Hook::CallTool => "the model cannot use the memory's tools",
        Hook::Remember => "what the user asked to be kept is not kept",
        Hook::Import => "what the user brings from elsewhere is not taken over",
        Hook::ListEntries | Hook::DeleteEntry => "the user can neither look through this memory nor delete from it",
        Hook::ConfigSchema | Hook::SaveConfig => "setup fails",
        Hook::BackupPaths => "a backup does not know what to take",
        Hook::SystemPromptBlock => "the model is not told of this memory",
        Hook::UnavailableReason | Hook::Health => "the status cannot say whether this memory works",
        Hook::Shutdown | Hook::Close => "what was begun may be lost at exit",
    }
}
