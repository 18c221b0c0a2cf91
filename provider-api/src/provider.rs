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
/// listed in the [`Manifest`](crate::Manifest); without it the host goes on as if there were nothing to ask. One that is
/// listed and not implemented answers with its default, which each hook names below.
///
/// # The order of calls
/// ```text
/// open → unavailable_reason, health            at setup, and with `hermes memory status --check`
///      → tool_schemas, system_prompt_block     once in each session
///      → for each turn:  on_turn_start · prefetch → tool_effect, call_tool … → sync_turn → queue_prefetch
///      → on_session_end, on_session_switch     after the turns before them
///      → shutdown → drop
/// ```
/// What stands before or after a `·` comes in any order. Any hook may be the first one after `open`.
///
/// # Threads
/// Hooks are plain blocking functions. The host calls them on threads that it owns, two for each provider, which nobody
/// else uses: a hook that waits keeps at most one other from running.
///
/// * `open` has a thread of its own, and no other call of the instance runs until it has returned.
/// * *Deliveries* (`sync_turn`, `on_memory_write`, `on_turn_start`, `on_session_end`, `on_session_switch`,
///   `on_delegation`, `queue_prefetch`) come one at a time, those of one session in their order.
/// * All others may run beside a delivery and beside each other, so that a store needs a lock.
/// * After `shutdown` nothing is called but the drop.
///
/// # Deadlines
/// Each hook names its own; users set others under `[timeouts]`. When it passes, the host goes on, and
/// [`Call::check`] says so. A hook without a [`Call`] must be quick.
///
/// # Errors
/// A delivery with an error that is [retryable](ProviderError::retryable) is tried up to eight times, each time after a
/// longer wait, and what follows in its session waits for it. It has the same *idempotency key* each time: keep the keys
/// with what you store, and a second delivery does no harm. Any other error of a delivery gives it up, and the user is
/// told. What an error of another hook does is said there.
///
/// # Panics
/// A panic is caught inside the plugin and reported with its place. The instance is not used again: the host opens
/// a new one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory provider: it does not implement `MemoryProvider`",
    label = "this type is to be exported as a provider",
    note = "write `impl MemoryProvider for {Self}` with `open` and `health`; every other hook has a default"
)]
pub trait MemoryProvider: Send + Sync {
    /// Makes the provider: reads its settings and opens its store.
    ///
    /// Reach for the outside world through `host` only, and read no environment. It may be called again after a panic, several
    /// times in one process with different data folders, and in two processes at once with the same one.
    ///
    /// **When:** before the first hook. **Deadline:** that of [`health`](Self::health), 10 s.
    ///
    /// # Errors
    /// When it cannot work at all: setup and status show the error, turns go on without memory, and the next call tries
    /// again, after 5 s at the earliest. A missing key or an unreachable service is better told by
    /// [`unavailable_reason`](Self::unavailable_reason), so that setup and status can still ask questions.
    fn open(host: Host, request: OpenRequest) -> Result<Self>
    where
        Self: Sized;

    /// Tries whether recall and storing work now, and says with what in one sentence. May call the service.
    ///
    /// **When:** setup, and `hermes memory status --check`. **Deadline:** 10 s. One that is
    /// [`ok`](Health::ok) ends the pauses of all hooks.
    ///
    /// # Errors
    /// An error counts as not healthy, with its message: setup fails with it, status exits with 1.
    fn health(&self, call: &Call<'_>) -> Result<Health>;

    /// Why the provider cannot work as configured, in one sentence that says what to do. Must not call the service.
    ///
    /// **When:** before each [`health`](Self::health), which is not asked where there is a reason. **Deadline:** 2 s.
    /// **Default:** none, so that it can work.
    fn unavailable_reason(&self) -> Option<String> {
        None
    }

    /// Static text for the system prompt: what this memory is and how to use its tools.
    ///
    /// It must not vary from turn to turn, so that the prompt cache holds. What is known about the user belongs into
    /// [`prefetch`](Self::prefetch).
    ///
    /// **When:** once in a session, before its first turn is sent. **Deadline:** 2 s. **Default:** no text.
    ///
    /// # Errors
    /// Logged; the session then has no such text.
    fn system_prompt_block(&self, caller: &Caller) -> Result<String> {
        let _ = caller;
        Ok(String::new())
    }

    /// Finishes what has been begun: writes what is buffered, ends threads.
    ///
    /// **When:** the last call before the drop, when all deliveries are done or the user will not wait longer. A crash or a
    /// hang leaves it out. **Deadline:** 10 s. **Default:** does nothing.
    ///
    /// # Errors
    /// What could not be finished; logged.
    fn shutdown(&self, call: &Call<'_>) -> Result<()> {
        let _ = call;
        Ok(())
    }

    /// Finds what is worth knowing for a message: at most [`PrefetchQuery::limit`] items, best first, only what the caller's
    /// scope may see. Nothing found is an empty list.
    ///
    /// **When:** in each turn before the model is asked, while the user waits; not for greetings and commands, and in every
    /// role. **Deadline:** 2 s without network capabilities, 8 s with. A later answer serves the next turn of its session.
    /// **Default:** nothing found.
    ///
    /// # Errors
    /// The turn goes on without a recall, and the recall line says why. It is not tried again.
    fn prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<Recall> {
        let _ = (query, call);
        Ok(Recall::default())
    }

    /// Prepares for what will probably be asked next, such as more about the same subject.
    ///
    /// **When:** after a complete turn, as a delivery that is tried once; only in [`Context::Primary`](crate::Context::Primary).
    /// **Deadline:** 10 s. **Default:** does nothing.
    ///
    /// # Errors
    /// Only logged.
    fn queue_prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<()> {
        let _ = (query, call);
        Ok(())
    }

    /// What the recall index is doing, for providers that build one in the background.
    ///
    /// **When:** `hermes memory status --check`. **Deadline:** 2 s. **Default:** ready.
    ///
    /// # Errors
    /// Shown in the status.
    fn recall_status(&self, call: &Call<'_>) -> Result<RecallStatus> {
        let _ = call;
        Ok(RecallStatus::default())
    }

    /// Takes a finished turn, from the user's message to the last answer, tool calls included.
    ///
    /// **When:** after each turn, as a delivery, interrupted ones too; only in
    /// [`Context::Primary`](crate::Context::Primary). **Deadline:** 120 s. **Default:** takes it and keeps nothing.
    ///
    /// # Errors
    /// Those of a delivery: a retryable one is tried again with the same idempotency key.
    fn sync_turn(&self, turn: &Turn, call: &Call<'_>) -> Result<()> {
        let _ = (turn, call);
        Ok(())
    }

    /// Takes a committed write of the curated memory. What replace and remove mean for the provider is its choice.
    ///
    /// **When:** after the write, as a delivery; only in [`Context::Primary`](crate::Context::Primary).
    /// **Deadline:** 120 s. **Default:** takes it and keeps nothing.
    ///
    /// # Errors
    /// Those of a delivery: a retryable one is tried again with the same idempotency key.
    fn on_memory_write(&self, write: &MemoryWrite, call: &Call<'_>) -> Result<()> {
        let _ = (write, call);
        Ok(())
    }

    /// A turn begins: a hint, for counting turns or warming a cache.
    ///
    /// **When:** with each message, beside its [`prefetch`](Self::prefetch), as a delivery that is tried once.
    /// **Deadline:** 10 s. **Default:** does nothing.
    ///
    /// # Errors
    /// Only logged.
    fn on_turn_start(&self, start: &TurnStart, call: &Call<'_>) -> Result<()> {
        let _ = (start, call);
        Ok(())
    }

    /// A session is over, with what was said in it, of a very long one the newest 8 MiB: the place for a summary.
    ///
    /// **When:** exactly once for each end, after its last turn, as a delivery; only in
    /// [`Context::Primary`](crate::Context::Primary). **Deadline:** 120 s. **Default:** does nothing.
    ///
    /// # Errors
    /// Those of a delivery: a retryable one is tried again with the same idempotency key.
    fn on_session_end(&self, end: &SessionEnd, call: &Call<'_>) -> Result<()> {
        let _ = (end, call);
        Ok(())
    }

    /// The conversation goes on under another session id.
    ///
    /// **When:** after the turns of the old session and before those of the new one, as a delivery; only in
    /// [`Context::Primary`](crate::Context::Primary). **Deadline:** 120 s. **Default:** does nothing.
    ///
    /// # Errors
    /// Those of a delivery: a retryable one is tried again with the same idempotency key.
    fn on_session_switch(&self, switch: &SessionSwitch, call: &Call<'_>) -> Result<()> {
        let _ = (switch, call);
        Ok(())
    }

    /// The middle of the window is about to be folded into a summary: what should the summary keep?
    ///
    /// **When:** before the fold, while the agent waits. **Deadline:** 30 s. **Default:** no note.
    ///
    /// # Errors
    /// Logged; the summary is made without a note.
    fn on_pre_compress(&self, compress: &PreCompress, call: &Call<'_>) -> Result<CompressNote> {
        let _ = (compress, call);
        Ok(CompressNote::default())
    }

    /// A subagent has finished, with its task and its result.
    ///
    /// **When:** after the report, as a delivery; only in [`Context::Primary`](crate::Context::Primary). Host 0.1 starts
    /// no subagents itself.
    /// **Deadline:** 120 s. **Default:** does nothing.
    ///
    /// # Errors
    /// Those of a delivery: a retryable one is tried again with the same idempotency key.
    fn on_delegation(&self, delegation: &Delegation, call: &Call<'_>) -> Result<()> {
        let _ = (delegation, call);
        Ok(())
    }

    /// The tools that the model may call. They stay the same for a session.
    ///
    /// **When:** once in a session. **Deadline:** 2 s. **Default:** no tools.
    ///
    /// # Errors
    /// No tools are then offered and no text is put into the system prompt, and the status says why.
    fn tool_schemas(&self) -> Result<Vec<ToolSchema>> {
        Ok(Vec::new())
    }

    /// Runs a tool. The model may have sent anything: check the arguments, and say what was wrong with them.
    ///
    /// **When:** the model, or `hermes tools call`, asks for it. **Deadline:** 30 s. **Default:** an error, `Unsupported`.
    ///
    /// # Errors
    /// The model is told message and hint, and may try again by itself.
    fn call_tool(&self, request: &ToolRequest, call: &Call<'_>) -> Result<Value> {
        let _ = call;
        Err(ProviderError::unsupported(&format!("tool `{}`", request.tool)))
    }

    /// What a tool call would do to the store. Must be quick and call no service.
    ///
    /// **When:** before each call outside [`Context::Primary`](crate::Context::Primary), where only [`Effect::Read`] is let
    /// through. **Deadline:** 2 s. **Default:** [`Effect::Write`], so that other roles cannot call the tool.
    fn tool_effect(&self, tool: &str, args: &Value) -> Effect {
        let _ = (tool, args);
        Effect::Write
    }

    /// Fields that are known only at run time. The manifest's fields come first; setup asks both.
    ///
    /// Their answers are handed to [`save_config`](Self::save_config), and it is the provider that keeps them:
    /// [`Host::config`] has the manifest's fields alone.
    ///
    /// **When:** setup, after opening. **Deadline:** 10 s. **Default:** no further fields.
    ///
    /// # Errors
    /// Setup goes on with the manifest's fields.
    fn config_schema(&self) -> Result<Vec<ConfigField>> {
        Ok(Vec::new())
    }

    /// Takes the answers of setup, secrets left out, once the host has stored them.
    ///
    /// **When:** setup, before [`health`](Self::health). **Deadline:** 10 s. **Default:** does nothing.
    ///
    /// # Errors
    /// Setup shows the error and fails; what the host stored stays.
    fn save_config(&self, answers: &Value) -> Result<()> {
        let _ = answers;
        Ok(())
    }

    /// Files in the data folder that a backup should take, relative to it. Empty means all.
    ///
    /// **When:** a backup; host 0.1 makes none yet. **Deadline:** 10 s. **Default:** all.
    ///
    /// # Errors
    /// The backup then takes all.
    fn backup_paths(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Keeps a text because the user said so, even if it looks like nothing worth keeping.
    ///
    /// **When:** `hermes memory remember`; only in [`Context::Primary`](crate::Context::Primary). **Deadline:** 30 s.
    /// **Default:** an error, `Unsupported`.
    ///
    /// # Errors
    /// Shown to the user with its hint. It is not tried again.
    fn remember(&self, wish: &Remember, call: &Call<'_>) -> Result<Remembered> {
        let _ = (wish, call);
        Err(ProviderError::unsupported("remember"))
    }

    /// Takes memories from elsewhere. One bad record must not stop the others: it is named in the report.
    ///
    /// **When:** `hermes memory import`, batch after batch. **Deadline:** 120 s for a batch.
    /// **Default:** an error, `Unsupported`.
    ///
    /// # Errors
    /// Nothing of the batch was stored.
    fn import(&self, batch: &ImportBatch, call: &Call<'_>) -> Result<ImportReport> {
        let _ = (batch, call);
        Err(ProviderError::unsupported("import"))
    }

    /// Lists what is stored for the caller's scope, newest first, page by page.
    ///
    /// Where each entry is a text file of its own, say so with its [`path`](crate::records::RecallItem::path).
    ///
    /// **When:** `hermes memory browse`. **Deadline:** 30 s.
    /// **Default:** an error, `Unsupported`.
    ///
    /// # Errors
    /// Shown to the user.
    fn list_entries(&self, list: &ListEntries, call: &Call<'_>) -> Result<EntryPage> {
        let _ = (list, call);
        Err(ProviderError::unsupported("browsing"))
    }

    /// Deletes the entry with this id, for good: also from the file, and from what is recalled.
    ///
    /// **When:** as [`list_entries`](Self::list_entries), of whose ids this is one. **Deadline:** 30 s.
    /// **Default:** an error, `Unsupported`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none, or none that the caller's scope may see.
    fn delete_entry(&self, id: &str, caller: &Caller, call: &Call<'_>) -> Result<()> {
        let _ = (id, caller, call);
        Err(ProviderError::unsupported("deleting"))
    }
}
