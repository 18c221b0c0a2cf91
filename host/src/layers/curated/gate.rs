//! The gate: whether a write is done or only proposed.
//!
//! What the user types is done: it is its own approval. With `memory.write_approval` everything else is proposed. Without
//! it, the conversation writes freely; what runs unattended may add, and its replacing and removing is proposed, since
//! nobody sees what is lost.

use hermes_provider_api::records::{Author, Caller, Context};

use super::plan::{admit, plan};
use super::{Curated, Operation, Outcome, Proposed, Refusal, Request, Target, Why};

impl Curated {
    /// Does what a request asks for, or proposes it, as the gate says: see [`Outcome::proposal`].
    ///
    /// # Errors
    /// Why nothing was changed. Of a request with several operations none is done then.
    pub fn write(&self, request: &Request, caller: &Caller) -> Result<Outcome, Refusal> {
        let Request { target, operations } = request;
        let limit = self.must_be_open(*target, &caller.scope)?;
        let operations = admit(operations, &self.checks)?;
        match self.gate(&operations, caller) {
            None => self.commit(*target, &operations, caller),
            Some(why) => self.propose(*target, operations, limit, why, caller),
        }
    }

    /// Whether writes of tools of a provider are proposed too.
    #[must_use]
    pub fn gates_tools(&self, caller: &Caller) -> bool {
        self.approval() && caller.origin.author != Author::User
    }

    pub(super) fn gate(&self, operations: &[Operation], caller: &Caller) -> Option<Why> {
        let only_adds = || operations.iter().all(|operation| matches!(operation, Operation::Add { .. }));
        match (caller.origin.author, caller.context) {
            (Author::User, Context::Primary) => None,
            _ if self.approval() => Some(Why::Approval),
            (_, Context::Primary) => None,
            (_, Context::Review | Context::Cron) if only_adds() => None,
            _ => Some(Why::Unattended),
        }
    }

    /// What would be refused is refused now, so that only what can be approved is proposed.
    fn propose(
        &self,
        target: Target,
        operations: Vec<Operation>,
        limit: usize,
        why: Why,
        caller: &Caller,
    ) -> Result<Outcome, Refusal> {
        let text = self.store.read(target, limit)?;
        let planned = plan(&text.entries, &operations, limit).map_err(|refusal| self.with_ages(target, refusal))?;
        let mut outcome = self.outcome(target, limit, &text.entries);
        outcome.duplicates = planned.duplicates;
        if planned.changes.is_empty() {
            return Ok(outcome);
        }
        let proposed = Proposed::File { target, operations, changes: planned.changes };
        outcome.proposal = Some(self.stage(proposed, why, caller)?);
        Ok(outcome)
    }
}
