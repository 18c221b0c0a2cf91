//! The curated memory as the user changes it, and what a provider hears of any change.

use hermes_provider_api::records::{Author, Caller, Context, MemoryWrite, ToolRequest, WriteAction};
use serde_json::Value;

use super::{Core, Memory};
use crate::error::Failure;
use crate::layers::curated::{Change, Curated, Outcome, Proposed, Request, Target, Undone};
use crate::outbox::Delivery;

/// What an approval did.
#[derive(Clone, Debug)]
pub enum Approved {
    /// A memory file was changed.
    File(Box<Outcome>),
    /// A tool of the provider was called, and answered this.
    Tool(Value),
}

impl Memory {
    /// With the curated memory of a home. Sessions that exist already do not have it.
    #[must_use]
    pub fn with_curated(mut self, curated: Curated) -> Self {
        if let Some(core) = std::sync::Arc::get_mut(&mut self.core) {
            core.curated = Some(curated);
        }
        self
    }

    /// The curated memory.
    #[must_use]
    pub fn curated(&self) -> Option<&Curated> {
        self.core.curated.as_ref()
    }

    /// Changes a memory file as the gate allows, and tells the provider of what really changed.
    ///
    /// # Errors
    /// Why nothing was changed.
    pub fn change(&self, request: &Request, caller: &Caller) -> Result<Outcome, Failure> {
        let outcome = self.must_have_curated()?.write(request, caller)?;
        self.core.mirror_changes(&outcome, caller);
        Ok(outcome)
    }

    /// Puts an earlier version of a memory file back, and tells the provider.
    ///
    /// # Errors
    /// When there is none, or a file cannot be read or written.
    pub fn undo(&self, target: Target, to: Option<&str>, caller: &Caller) -> Result<Undone, Failure> {
        let undone = self.must_have_curated()?.undo(target, to, caller)?;
        self.core.mirror_each(target, &undone.changes, caller);
        Ok(undone)
    }

    /// Does what a person has approved, in the store that it was proposed for. The provider hears of it like of any
    /// other write.
    ///
    /// # Errors
    /// Why it could not be done. It goes on waiting then.
    pub fn approve(&self, id: &str, rebase: bool) -> Result<Approved, Failure> {
        let curated = self.must_have_curated()?;
        let proposal = curated.proposal(id)?;
        // A person stands behind it now, whoever thought of it.
        let caller = Caller { context: Context::Primary, ..proposal.caller };
        match proposal.what {
            Proposed::File { .. } => {
                let outcome = curated.approve(&proposal.id, rebase)?;
                self.core.mirror_changes(&outcome, &caller);
                Ok(Approved::File(Box::new(outcome)))
            }
            Proposed::Tool { provider, tool, args } => {
                let external = self.external().filter(|external| external.id() == provider).ok_or_else(|| {
                    Failure::new(format!("`{}` was proposed for `{provider}`, which is not in use", proposal.id))
                        .hint(format!("`hermes memory setup {provider}` turns it on"))
                })?;
                let answer = external.call_tool(&ToolRequest { caller, tool, args })?;
                curated.drop_proposal(&proposal.id)?;
                Ok(Approved::Tool(answer))
            }
        }
    }

    fn must_have_curated(&self) -> Result<&Curated, Failure> {
        self.curated().ok_or_else(|| Failure::new("this memory has no files"))
    }
}

/// The user at the command line, or in an application that shows the memory's files.
#[must_use]
pub fn by_user(mut caller: Caller) -> Caller {
    (caller.origin.author, caller.context) = (Author::User, Context::Primary);
    caller
}

impl Core {
    /// Tells the provider of what a write changed.
    pub(super) fn mirror_changes(&self, outcome: &Outcome, caller: &Caller) {
        self.mirror_each(outcome.target, &outcome.changes, caller);
    }

    /// What cannot be written down now is tried again by the outbox, and told at the end.
    fn mirror_each(&self, target: Target, changes: &[Change], caller: &Caller) {
        let (Some(outgoing), Some(outbox)) = (&self.outgoing, &self.outbox) else { return };
        let deliveries = changes.iter().filter_map(|change| {
            let (action, content, previous) = match change {
                Change::Add { content } => (WriteAction::Add, content.as_str(), ""),
                Change::Replace { previous, content } => (WriteAction::Replace, content.as_str(), previous.as_str()),
                Change::Remove { previous } => (WriteAction::Remove, "", previous.as_str()),
            };
            let mut caller = caller.clone();
            caller.scope = self.of_profile(caller.scope);
            if caller.origin.at == 0 {
                caller.origin.at = self.clock.now();
            }
            let (content, previous) = (content.to_owned(), previous.to_owned());
            let target = target.into();
            let write = MemoryWrite { caller, idempotency_key: self.key(), action, target, content, previous };
            // Who may not write to a provider does so neither by way of a file.
            outgoing.memory_write(&write).inspect_err(|error| tracing::debug!(%error, "not mirrored")).ok().flatten()
        });
        let deliveries: Vec<Delivery> = deliveries.collect();
        if !deliveries.is_empty()
            && let Err(error) = outbox.push(deliveries)
        {
            tracing::warn!(%error, "a change of the memory files");
        }
    }
}
