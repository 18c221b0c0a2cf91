//! The curated layer: `MEMORY.md`, what the agent notes for itself, and `USER.md`, what it knows of the user.
//!
//! Both are plain files of short entries, written by the `memory` tool, by the user's commands, in an editor, and by the
//! Python agent, in any order and at the same time. A session is given them once, as a [snapshot](Curated::snapshot);
//! what is written later is in the next one. There is **one way to write**, [`Curated::write`], for all of them, and
//! the gate in front of it decides whether a write is done or proposed.

mod admit;
mod edit;
mod examine;
mod frozen;
mod gate;
mod history;
mod import;
mod meta;
mod mirror;
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
pub use examine::Odd;
pub use history::{Undone, Version};
pub use import::{Imported, LeftOut, WhyLeftOut};
pub use meta::{Facts, id_of};
pub use mirror::Mirror;
pub use operation::{Operation, Request};
pub use pending::{Proposal, Proposed, Why};
pub use plan::Change;
pub use refusal::Refusal;
pub use settings::{Limits, Settings, Target, Usage};
pub use snapshot::Snapshot;
pub use told::{Waiting, entries_in_words, not_stored, preview};
pub use tool::{Answer, Attempts, TOOL};

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hermes_provider_api::records::Scope;

use crate::clock::{Clock, UnixMillis};
use crate::config::{ConfigEdit, ConfigError};
use crate::db::Db;
use crate::home::Home;
use store::Store;

/// The curated memory of a home. May be used from any thread, and by any number of processes at once.
#[derive(Clone)]
pub struct Curated {
    home: Home,
    store: Store,
    settings: Settings,
    /// `memory.write_approval`, which may be switched while sessions run.
    approval: Arc<AtomicBool>,
    checks: Checks,
    clock: Clock,
    /// Where snapshots are kept.
    db: Option<Arc<Db>>,
    mirror: Option<Arc<dyn Mirror>>,
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
        let (home, store) = (home.clone(), Store::at(home.memories()));
        let approval = Arc::new(AtomicBool::new(settings.write_approval));
        Self { home, store, settings, approval, checks, clock, db: None, mirror: None }
    }

    /// The same with a database in which the snapshots of sessions outlive the process.
    #[must_use]
    pub fn kept_in(self, db: Option<Arc<Db>>) -> Self {
        Self { db, ..self }
    }

    /// The same with somebody who hears of each change.
    #[must_use]
    pub fn mirrored_by(self, mirror: Arc<dyn Mirror>) -> Self {
        Self { mirror: Some(mirror), ..self }
    }

    /// How it is set up.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether every write but the user's own waits for approval now.
    #[must_use]
    pub fn approval(&self) -> bool {
        self.approval.load(Ordering::Relaxed)
    }

    /// Switches that, in the settings of the home and for the sessions of this process.
    ///
    /// # Errors
    /// When the settings cannot be written.
    pub fn set_approval(&self, on: bool) -> Result<(), ConfigError> {
        let value = if on { "true" } else { "false" };
        ConfigEdit::default().set("memory.write_approval", value)?.apply(&self.home)?;
        self.approval.store(on, Ordering::Relaxed);
        Ok(())
    }

    /// The time by its clock.
    #[must_use]
    pub fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    /// The file of a target; it need not exist.
    #[must_use]
    pub fn path(&self, target: Target) -> PathBuf {
        self.store.path(target)
    }

    /// A file that is in use before whoever changes it.
    fn must_be_open(&self, target: Target, audience: &Scope) -> Result<usize, Refusal> {
        if self.settings.is_for(target, audience) { self.must_be_on(target) } else { Err(Refusal::InGroup { target }) }
    }

    /// A file that is in use.
    fn must_be_on(&self, target: Target) -> Result<usize, Refusal> {
        let limits = self.settings.of(target);
        if limits.on { Ok(limits.chars) } else { Err(Refusal::Off { target }) }
    }
}
