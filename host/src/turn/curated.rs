//! The curated memory as the user changes it.

use std::sync::Arc;

use hermes_provider_api::records::{Author, Caller, Context, ToolRequest};
use serde_json::Value;

use super::Memory;
use super::mirror::Mirrored;
use crate::error::Failure;
use crate::layers::curated::{Curated, Outcome, Proposed, Request, Target, Undone};

/// What an approval did.
#[derive(Clone, Debug)]
pub enum Approved {
    /// A memory file was changed.
    File(Box<Outcome>),
    /// A tool of the provider was called, and answered this.
    Tool(Value),
}

impl Memory {
    /// With the curated memory of a home, whose changes the provider hears of; also of those that a process made that was
    /// killed before it could pass them on. Sessions that exist already do not have it.
    #[must_use]
    pub fn with_curated(mut self, curated: Curated) -> Self {
        if let Some(core) = Arc::get_mut(&mut self.core) {
            let mirror = Mirrored::by(core).map(Arc::new);
            mirror.iter().for_each(|mirror| mirror.catch_up(&curated));
            core.curated = Some(match mirror {
                Some(mirror) => curated.mirrored_by(mirror),
                None => curated,
            });
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
        Ok(self.must_have_curated()?.write(request, caller)?)
    }

    /// Puts an earlier version of a memory file back, and tells the provider.
    ///
    /// # Errors
    /// When there is none, or a file cannot be read or written.
    pub fn undo(&self, target: Target, to: Option<&str>, caller: &Caller) -> Result<Undone, Failure> {
        Ok(self.must_have_curated()?.undo(target, to, caller)?)
    }

    /// Does what a person has approved, in the store that it was proposed for. The provider hears of it like of any
    /// other write.
    ///
    /// # Errors
    /// Why it could not be done. It goes on waiting then.
    pub fn approve(&self, id: &str, rebase: bool) -> Result<Approved, Failure> {
        let curated = self.must_have_curated()?;
        let proposal = curated.proposal(id)?;
        match proposal.what {
            Proposed::File { .. } => Ok(Approved::File(Box::new(curated.approve(&proposal.id, rebase)?))),
            Proposed::Tool { provider, tool, args } => {
                // A person stands behind it now, whoever thought of it.
                let caller = Caller { context: Context::Primary, ..proposal.caller };
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

    pub(super) fn must_have_curated(&self) -> Result<&Curated, Failure> {
        self.curated().ok_or_else(|| Failure::new("this memory has no files"))
    }
}

/// The user at the command line, or in an application that shows the memory's files.
#[must_use]
pub fn by_user(mut caller: Caller) -> Caller {
    (caller.origin.author, caller.context) = (Author::User, Context::Primary);
    caller
}
