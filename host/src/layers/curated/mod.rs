//! The curated layer: `MEMORY.md`, what the agent notes for itself, and `USER.md`, what it knows of the user.
//!
//! Both are plain files of short entries, written by the `memory` tool, by the user's commands, in an editor, and by the
//! Python agent, in any order and at the same time. A session is given them once, as a [snapshot](Curated::snapshot);
//! what is written later is in the next one. There is **one way to write**, [`Curated::write`], for all of them, and
//! the gate in front of it decides whether a write is done or proposed.

mod admit;
mod edit;
mod gate;
mod history;
mod meta;
mod operation;
mod pending;
mod plan;
mod refusal;
mod settings;
mod snapshot;
mod store;
#[cfg(test)]
mod tests;
mod text;
mod told;
mod tool;
mod versions;

pub use admit::{Checks, NotAnEntry, Scan, Threat};
pub use edit::{Entry, Listing, Outcome};
pub use history::{Undone, Version};
pub use meta::{Facts, id_of};
pub use operation::{Operation, Request};
pub use pending::{Proposal, Proposed, Why};
pub use plan::Change;
pub use refusal::Refusal;
pub use settings::{Limits, Settings, Target, Usage};
pub use snapshot::Snapshot;
pub use told::{Waiting, not_stored, preview};
pub use tool::{Answer, Attempts, TOOL};

use std::path::PathBuf;

use crate::clock::Clock;
use crate::home::Home;
use store::Store;

/// The curated memory of a home. May be used from any thread, and by any number of processes at once.
#[derive(Clone)]
pub struct Curated {
    store: Store,
    pending: PathBuf,
    settings: Settings,
    checks: Checks,
    clock: Clock,
}

impl std::fmt::Debug for Curated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Curated").field(&self.store.folder()).finish()
    }
}

impl Curated {
    /// The curated memory of a home. Nothing is read or made yet.
    #[must_use]
    pub fn of(home: &Home, settings: Settings, checks: Checks, clock: Clock) -> Self {
        Self { store: Store::at(home.memories()), pending: home.pending(), settings, checks, clock }
    }

    /// How it is set up.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The file of a target; it need not exist.
    #[must_use]
    pub fn path(&self, target: Target) -> PathBuf {
        self.store.path(target)
    }

    /// A file that is in use.
    fn must_be_on(&self, target: Target) -> Result<usize, Refusal> {
        let limits = self.settings.of(target);
        if limits.on { Ok(limits.chars) } else { Err(Refusal::Off { target }) }
    }
}
