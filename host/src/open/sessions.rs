//! The archive of a home: how it does, and what of it goes by itself.

use serde::Serialize;

use super::{Problem, Surroundings};
use crate::clock::Clock;
use crate::config::Config;
use crate::error::Failure;
use crate::home::Home;
use crate::layers::episodic::search::{Progress, Searcher, Settings};
use crate::layers::episodic::{Archive, Totals};

/// Makes the home of whoever is about to converse, so that there is an archive from the first turn on. What cannot be made
/// is told when its files are needed.
pub fn prepare(home: &Home, config: &Config) {
    if config.sessions_enabled()
        && let Err(error) = home.create()
    {
        tracing::warn!(%error, "nothing is archived");
    }
}

/// How many sessions go at once without being asked, so that no end takes long.
const AT_ONCE: usize = 100;

/// How the archive does.
#[derive(Serialize, Debug, Default)]
pub struct Sessions {
    /// What is said is archived.
    pub on: bool,
    /// How much there is; None where that cannot be read.
    #[serde(flatten)]
    pub totals: Option<Totals>,
    /// How far the index is that is searched; None where that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<Progress>,
    /// Why nothing can be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// Deletes what is older than the settings want, as they also want.
#[derive(Debug)]
pub(super) struct Pruning {
    archive: Archive,
    clock: Clock,
    keep_ms: u64,
}

impl Surroundings {
    /// How the archive does.
    #[must_use]
    pub fn sessions(&self) -> Sessions {
        let on = self.config.sessions_enabled();
        let totals = self.db.clone().map(|db| Archive::new(db).totals());
        let (totals, unread) = match totals {
            None => (None, None),
            Some(Ok(totals)) => (Some(totals), None),
            Some(Err(error)) => (None, Some(Failure::from(error))),
        };
        let problem = unread.or_else(|| self.unkept.clone().filter(|_| on));
        let problem = problem.map(|failure| Problem::from(failure.hint("`hermes doctor` tells what is wrong")));
        let search = Settings::from(&self.config);
        let index = self.db.clone().and_then(|db| Searcher::new(db, search).progress().ok());
        Sessions { on, totals, index, problem }
    }

    pub(super) fn pruning(&self) -> Option<Pruning> {
        let keep = self.config.sessions_retention().filter(|_| self.config.sessions_auto_prune())?;
        let keep_ms = u64::try_from(keep.as_millis()).ok()?;
        Some(Pruning { archive: Archive::new(self.db.clone()?), clock: self.clock.clone(), keep_ms })
    }
}

impl Pruning {
    pub(super) fn run(&self) {
        let before = self.clock.now().saturating_sub(self.keep_ms);
        let pruned = self.archive.older_than(before).and_then(|mut old| {
            old.truncate(AT_ONCE);
            if old.is_empty() { Ok(0) } else { self.archive.prune(&old, before).map(|(pruned, _)| pruned) }
        });
        match pruned {
            Ok(0) => {}
            Ok(pruned) => tracing::info!(pruned, "sessions older than `sessions.retention_days` were deleted"),
            Err(error) => tracing::warn!(error = Failure::from(error).message, "older sessions were not deleted"),
        }
    }
}
