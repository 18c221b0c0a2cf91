//! The trait that makes a type a memory provider.

use serde_json::Value;

use crate::records::{
    Caller, CompressNote, ConfigField, Delegation, Effect, EntryPage, Health, ImportBatch, ImportReport, ListEntries,
    MemoryWrite, OpenRequest, PreCompress, PrefetchQuery, Recall, RecallStatus, Remember, Remembered, SessionEnd,
    SessionSwitch, ToolRequest, ToolSchema, Turn, TurnStart,
};
use crate::{Call, Host, ProviderError};

/// What every hook answers.
pub type Result<T, E = ProviderError> = std::result::Result<T, E>;

/// A memory provider.
///
/// Only [`open`](Self::open) and [`health`](Self::health) have no default. A hook is called only if its interface is
/// listed in the [`Manifest`](crate::Manifest); one that is listed and not implemented answers with its default.
///
/// # Threads
/// Hooks are plain blocking functions. The host calls them on threads that it owns, by default two at a time, each
/// with a deadline. Calls that change the store (`sync_turn`, `on_memory_write`, `on_session_*`, …) come one at a time
/// and in order; recall and tools may run beside them.
///
/// # Panics
/// A panic is caught inside the plugin and reported with its place. The instance is not used again: the host opens
/// a new one.
pub trait MemoryProvider: Send + Sync {
    /// Makes the provider. Reach for the outside world through `host` only. May be called again after a panic, and
    /// several times in one process with different data folders.
    ///
    /// # Errors
    /// When it cannot work at all. A missing key or an unreachable service is better told by
    /// [`unavailable_reason`](Self::unavailable_reason), so that setup and status can still ask questions.
    fn open(host: Host, request: OpenRequest) -> Result<Self>
    where
        Self: Sized;

    /// Tries whether recall and storing work now. May call the service; deadline 10 s.
    ///
    /// # Errors
    /// An error counts as not healthy, with its message.
    fn health(&self, call: &Call<'_>) -> Result<Health>;

    /// Why the provider cannot work as configured, in one sentence that says what to do. Must not call the service.
    fn unavailable_reason(&self) -> Option<String> {
        None
    }

    /// Static text for the system prompt, built once per session: what this memory is and how to use its tools.
    /// It must not vary from turn to turn, so that the prompt cache holds.
    ///
    /// # Errors
    /// The session then has no such text.
    fn system_prompt_block(&self, caller: &Caller) -> Result<String> {
        let _ = caller;
        Ok(String::new())
    }

    /// Finishes what has been begun; the last call before the drop.
    ///
    /// # Errors
    /// What could not be finished.
    fn shutdown(&self, call: &Call<'_>) -> Result<()> {
        let _ = call;
        Ok(())
    }

    /// Finds what is worth knowing for a message. Deadline 2 s without network capabilities, 8 s with.
    ///
    /// # Errors
    /// The turn goes on without a recall, and the recall line says so.
    fn prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<Recall> {
        let _ = (query, call);
        Ok(Recall::default())
    }

    /// Prepares for what will probably be asked next. Called after a turn.
    ///
    /// # Errors
    /// Only logged.
    fn queue_prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<()> {
        let _ = (query, call);
        Ok(())
    }

    /// What the recall index is doing.
    ///
    /// # Errors
    /// Shown in the status.
    fn recall_status(&self, call: &Call<'_>) -> Result<RecallStatus> {
        let _ = call;
        Ok(RecallStatus::default())
    }

    /// Takes a finished turn, tool calls included. Deadline 120 s.
    ///
    /// # Errors
    /// A retryable error is tried again with the same idempotency key.
    fn sync_turn(&self, turn: &Turn, call: &Call<'_>) -> Result<()> {
        let _ = (turn, call);
        Ok(())
    }

    /// Takes a committed write of the curated memory. What replace and remove mean for the provider is its choice.
    ///
    /// # Errors
    /// A retryable error is tried again with the same idempotency key.
    fn on_memory_write(&self, write: &MemoryWrite, call: &Call<'_>) -> Result<()> {
        let _ = (write, call);
        Ok(())
    }

    /// A turn begins.
    ///
    /// # Errors
    /// Only logged.
    fn on_turn_start(&self, start: &TurnStart, call: &Call<'_>) -> Result<()> {
        let _ = (start, call);
        Ok(())
    }

    /// A session is over: exactly once, after its last turn.
    ///
    /// # Errors
    /// A retryable error is tried again with the same idempotency key.
    fn on_session_end(&self, end: &SessionEnd, call: &Call<'_>) -> Result<()> {
        let _ = (end, call);
        Ok(())
    }

    /// The conversation goes on under another session id.
    ///
    /// # Errors
    /// A retryable error is tried again with the same idempotency key.
    fn on_session_switch(&self, switch: &SessionSwitch, call: &Call<'_>) -> Result<()> {
        let _ = (switch, call);
        Ok(())
    }

    /// The middle of the window is about to be folded: what should the summary keep?
    ///
    /// # Errors
    /// The summary is made without a note.
    fn on_pre_compress(&self, compress: &PreCompress, call: &Call<'_>) -> Result<CompressNote> {
        let _ = (compress, call);
        Ok(CompressNote::default())
    }

    /// A subagent has finished.
    ///
    /// # Errors
    /// A retryable error is tried again with the same idempotency key.
    fn on_delegation(&self, delegation: &Delegation, call: &Call<'_>) -> Result<()> {
        let _ = (delegation, call);
        Ok(())
    }

    /// The tools that the model may call.
    ///
    /// # Errors
    /// No tools are then offered, and the status says why.
    fn tool_schemas(&self) -> Result<Vec<ToolSchema>> {
        Ok(Vec::new())
    }

    /// Runs a tool. Deadline 30 s.
    ///
    /// # Errors
    /// The model is told message and hint.
    fn call_tool(&self, request: &ToolRequest, call: &Call<'_>) -> Result<Value> {
        let _ = call;
        Err(ProviderError::unsupported(&format!("tool `{}`", request.tool)))
    }

    /// What a tool call would do to the store. Must be quick and call no service: it is asked before each call. Calls that are not [`Effect::Read`] are refused outside
    /// [`Context::Primary`](crate::Context::Primary).
    fn tool_effect(&self, tool: &str, args: &Value) -> Effect {
        let _ = (tool, args);
        Effect::Write
    }

    /// Fields that are known only at run time. The manifest's fields come first; setup asks both.
    ///
    /// Their answers are handed to [`save_config`](Self::save_config), and it is the provider that keeps them:
    /// [`Host::config`] has the manifest's fields alone.
    ///
    /// # Errors
    /// Setup goes on with the manifest's fields.
    fn config_schema(&self) -> Result<Vec<ConfigField>> {
        Ok(Vec::new())
    }

    /// Takes the answers of setup, secrets left out, once the host has stored them.
    ///
    /// # Errors
    /// Setup shows the error and fails; what the host stored stays.
    fn save_config(&self, answers: &Value) -> Result<()> {
        let _ = answers;
        Ok(())
    }

    /// Files in the data folder that a backup should take, relative to it. Empty means all.
    ///
    /// # Errors
    /// The backup then takes all.
    fn backup_paths(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Keeps a text because the user said so.
    ///
    /// # Errors
    /// Shown to the user.
    fn remember(&self, wish: &Remember, call: &Call<'_>) -> Result<Remembered> {
        let _ = (wish, call);
        Err(ProviderError::unsupported("remember"))
    }

    /// Takes memories from elsewhere. One bad record must not stop the others.
    ///
    /// # Errors
    /// Nothing of the batch was stored.
    fn import(&self, batch: &ImportBatch, call: &Call<'_>) -> Result<ImportReport> {
        let _ = (batch, call);
        Err(ProviderError::unsupported("import"))
    }

    /// Lists what is stored for the caller's scope.
    ///
    /// # Errors
    /// Shown to the user.
    fn list_entries(&self, list: &ListEntries, call: &Call<'_>) -> Result<EntryPage> {
        let _ = (list, call);
        Err(ProviderError::unsupported("browsing"))
    }

    /// Deletes the entry with this id, for good.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none.
    fn delete_entry(&self, id: &str, caller: &Caller, call: &Call<'_>) -> Result<()> {
        let _ = (id, caller, call);
        Err(ProviderError::unsupported("deleting"))
    }
}
