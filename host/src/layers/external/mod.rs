//! The external layer: one provider plugin, called with records.
//!
//! **Everything that leaves for a provider goes through [`Outgoing`].** Here, and only here, texts lose their secrets and
//! echoed memory blocks, and the role of the caller is enforced: only [`Context::Primary`] may call what changes the
//! store. A provider that lacks an interface is not called; the host does without.

mod clean;
mod deliver;
mod outgoing;
mod question;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use clean::{CleanTurn, Cleaner};
pub(crate) use deliver::turn_of_session;
pub use outgoing::Outgoing;
pub use question::Question;

use std::sync::Arc;

use hermes_provider_api::dispatch::{DeleteEntryRequest, ToolEffectRequest};
use hermes_provider_api::records::{
    Caller, CompressNote, Context, Effect, EntryPage, Health, ImportBatch, ImportReport, ListEntries, PreCompress,
    Recall, RecallStatus, Remember, Remembered, ToolRequest, ToolSchema,
};
use hermes_provider_api::{Hook, Interface, ProviderError};
use serde_json::Value;

use crate::error::Hint;
use crate::guard::Redactor;
use crate::plugins::hooks::{CallError, Hooks, read_reply};

/// What is missing where entries can be neither looked through nor deleted.
const BROWSING: &str = "way to look through its store";

/// Takes a recall that came after its deadline.
pub type LateRecall = Box<dyn FnOnce(Recall) + Send>;

/// Why the external layer could not do what was asked.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalError {
    /// The call failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The role of the caller does not allow it; the provider was not called.
    #[error("`{provider}` is read-only in a {} context: {what} was refused", context_name(*context))]
    ReadOnly {
        /// The provider.
        provider: String,
        /// The hook or tool.
        what: String,
        /// The role.
        context: Context,
    },
    /// The provider does not do that.
    #[error("`{provider}` has no {what}")]
    Unsupported {
        /// The provider.
        provider: String,
        /// What was asked for.
        what: &'static str,
    },
}

impl Hint for ExternalError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Call(error) => error.hints(),
            Self::ReadOnly { .. } => vec!["let the main conversation store it".to_owned()],
            Self::Unsupported { .. } => vec!["choose another provider with `hermes memory setup`".to_owned()],
        }
    }
}

/// A loaded provider.
pub struct External {
    hooks: Arc<dyn Hooks>,
    outgoing: Outgoing,
}

impl std::fmt::Debug for External {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("External").field(&self.id()).finish()
    }
}

impl External {
    /// The provider behind these hooks.
    #[must_use]
    pub fn new(hooks: Arc<dyn Hooks>, redactor: Arc<Redactor>) -> Self {
        let outgoing = Outgoing::to(&*hooks, redactor);
        Self { hooks, outgoing }
    }

    /// What makes deliveries for it.
    #[must_use]
    pub fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    /// The provider's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.hooks.id()
    }

    /// Whether it has an interface.
    #[must_use]
    pub fn has(&self, interface: Interface) -> bool {
        self.outgoing.has(interface)
    }

    /// A session begins: a provider in quarantine may be tried once more.
    pub fn session_begins(&self) {
        self.hooks.session_begins();
    }

    /// So many of the items that it found were given to a model.
    pub fn recalled(&self, items: usize) {
        self.hooks.recalled(items);
    }

    /// Why it cannot work as configured.
    ///
    /// # Errors
    /// When the call fails.
    pub fn unavailable_reason(&self) -> Result<Option<String>, ExternalError> {
        Ok(self.hooks.ask(Hook::UnavailableReason, &())?)
    }

    /// Tries whether it works now.
    ///
    /// # Errors
    /// When the call fails.
    pub fn health(&self) -> Result<Health, ExternalError> {
        Ok(self.hooks.ask(Hook::Health, &())?)
    }

    /// Its text for the system prompt, as it wrote it; empty when it has none.
    ///
    /// # Errors
    /// When the call fails.
    pub fn system_prompt_block(&self, caller: &Caller) -> Result<String, ExternalError> {
        Ok(self.hooks.ask(Hook::SystemPromptBlock, caller)?)
    }

    /// Finds what is worth knowing. An answer that comes after the deadline goes to `late`.
    ///
    /// # Errors
    /// Why there is no recall in time.
    pub fn prefetch(&self, question: &Question, late: LateRecall) -> Result<Recall, ExternalError> {
        if !self.has(Interface::Prefetch) {
            return Ok(Recall::default());
        }
        let id = self.id().to_owned();
        let late = Box::new(move |answer: Vec<u8>| match read_reply(&id, Hook::Prefetch, &answer) {
            Ok(recall) => late(recall),
            Err(error) => tracing::warn!(%error, "a late recall cannot be read"),
        });
        let answer = self.hooks.call(Hook::Prefetch, question.payload.as_bytes(), Some(late))?;
        Ok(read_reply(self.id(), Hook::Prefetch, &answer)?)
    }

    /// What its recall index is doing; None when it has no recall.
    ///
    /// # Errors
    /// When the call fails.
    pub fn recall_status(&self) -> Result<Option<RecallStatus>, ExternalError> {
        if !self.has(Interface::Prefetch) {
            return Ok(None);
        }
        Ok(Some(self.hooks.ask(Hook::RecallStatus, &())?))
    }

    /// What it wants a summary of the window's middle to keep; empty when it does not care.
    ///
    /// # Errors
    /// When the call fails.
    pub fn pre_compress(&self, compress: &PreCompress) -> Result<CompressNote, ExternalError> {
        if !self.has(Interface::Session) {
            return Ok(CompressNote::default());
        }
        let compress = PreCompress {
            caller: compress.caller.clone(),
            messages: self.outgoing.cleaner.messages(&compress.messages),
        };
        Ok(self.hooks.ask(Hook::OnPreCompress, &compress)?)
    }

    /// Keeps a text because the user said so.
    ///
    /// # Errors
    /// [`ExternalError::Unsupported`] without the interface; when the caller may not write; when the call fails.
    pub fn remember(&self, wish: &Remember) -> Result<Remembered, ExternalError> {
        self.must_have(Interface::Remember, "way to remember a text on request")?;
        may_write(self.id(), &wish.caller, Hook::Remember.name())
            .inspect_err(|_| self.hooks.refused(Hook::Remember))?;
        let wish = Remember { caller: wish.caller.clone(), text: self.outgoing.cleaner.text(&wish.text) };
        Ok(self.hooks.ask(Hook::Remember, &wish)?)
    }

    /// Takes memories from elsewhere: records, or a file that lies in its data folder, which is handed over as it is.
    ///
    /// # Errors
    /// As [`remember`](Self::remember).
    pub fn import(&self, batch: &ImportBatch) -> Result<ImportReport, ExternalError> {
        self.must_have(Interface::Import, "way to take over another memory")?;
        may_write(self.id(), &batch.caller, Hook::Import.name()).inspect_err(|_| self.hooks.refused(Hook::Import))?;
        let mut batch = batch.clone();
        for record in &mut batch.records {
            record.text = self.outgoing.cleaner.text(&record.text);
            record.tags.iter_mut().for_each(|tag| *tag = self.outgoing.cleaner.text(tag));
            self.outgoing.cleaner.json(&mut record.extra);
        }
        Ok(self.hooks.ask(Hook::Import, &batch)?)
    }

    /// Lists what is stored for the caller's scope, a page.
    ///
    /// # Errors
    /// [`ExternalError::Unsupported`] without the interface; when the call fails.
    pub fn list_entries(&self, list: &ListEntries) -> Result<EntryPage, ExternalError> {
        self.must_have(Interface::Browse, BROWSING)?;
        Ok(self.hooks.ask(Hook::ListEntries, list)?)
    }

    /// Deletes an entry for good.
    ///
    /// # Errors
    /// As [`remember`](Self::remember).
    pub fn delete_entry(&self, id: &str, caller: &Caller) -> Result<(), ExternalError> {
        self.must_have(Interface::Browse, BROWSING)?;
        may_write(self.id(), caller, Hook::DeleteEntry.name())
            .inspect_err(|_| self.hooks.refused(Hook::DeleteEntry))?;
        let request = DeleteEntryRequest { caller: caller.clone(), id: id.to_owned() };
        Ok(self.hooks.ask(Hook::DeleteEntry, &request)?)
    }

    /// The tools that it offers.
    ///
    /// # Errors
    /// When the call fails.
    pub fn tool_schemas(&self) -> Result<Vec<ToolSchema>, ExternalError> {
        if !self.has(Interface::Tools) {
            return Ok(Vec::new());
        }
        Ok(self.hooks.ask(Hook::ToolSchemas, &())?)
    }

    /// What a call of one of its tools with these arguments would do to the store.
    ///
    /// # Errors
    /// When the call fails.
    pub fn tool_effect(&self, tool: &str, args: &Value) -> Result<Effect, ExternalError> {
        let ask = ToolEffectRequest { tool: tool.to_owned(), args: args.clone() };
        Ok(self.hooks.ask(Hook::ToolEffect, &ask)?)
    }

    /// Runs one of its tools. Whether the call changes the store is asked first where the caller may not write.
    ///
    /// # Errors
    /// When the caller may not write and the call is not known to only read; when the call fails.
    pub fn call_tool(&self, request: &ToolRequest) -> Result<Value, ExternalError> {
        self.must_have(Interface::Tools, "tools")?;
        let mut request = request.clone();
        self.outgoing.cleaner.json(&mut request.args);
        if !request.caller.context.may_write() {
            let effect = self.tool_effect(&request.tool, &request.args).unwrap_or_else(|error| {
                tracing::debug!(%error, "the effect of a tool is unknown, so it counts as a write");
                Effect::Write
            });
            if effect != Effect::Read {
                may_write(self.id(), &request.caller, &format!("tool `{}`", request.tool))
                    .inspect_err(|_| self.hooks.refused(Hook::CallTool))?;
            }
        }
        Ok(self.hooks.ask(Hook::CallTool, &request)?)
    }

    fn must_have(&self, interface: Interface, what: &'static str) -> Result<(), ExternalError> {
        if self.has(interface) {
            return Ok(());
        }
        Err(ExternalError::Unsupported { provider: self.id().to_owned(), what })
    }
}

fn may_write(provider: &str, caller: &Caller, what: &str) -> Result<(), ExternalError> {
    if caller.context.may_write() {
        return Ok(());
    }
    let (provider, what) = (provider.to_owned(), what.to_owned());
    Err(ExternalError::ReadOnly { provider, what, context: caller.context })
}

impl ExternalError {
    /// What the provider itself answered, if it did.
    #[must_use]
    pub fn provider_error(&self) -> Option<&ProviderError> {
        match self {
            Self::Call(error) => error.provider_error(),
            _ => None,
        }
    }
}

fn context_name(context: Context) -> &'static str {
    match context {
        Context::Primary => "primary",
        Context::Subagent => "subagent",
        Context::Cron => "cron",
        _ => "review",
    }
}

/// A record as JSON.
fn encode(record: &impl serde::Serialize) -> String {
    serde_json::to_string(record).expect("records have text keys and no failing parts")
}
