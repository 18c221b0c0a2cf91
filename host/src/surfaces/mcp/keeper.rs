//! Opens the memory, and opens it anew when the user has changed what it is made of.
//!
//! Providers are installed, switched and set up by other processes. What they leave behind are three files; these are
//! looked at now and then, and compared as a whole: no notice can be missed, and touching a file changes nothing.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::running::Running;
use super::{Hints, Reload, Tell};
use crate::error::Failure;
use crate::home::Home;
use crate::open::{Closed, Surroundings};

/// How many requests are at work at once; more of them wait.
pub(super) const JOBS: usize = 64;
/// How often the files are looked at. A change counts when it has stood for as long.
const LOOK: Duration = Duration::from_secs(1);
/// How long requests that are at work may hold up a memory that is opened anew.
const LAST_CALLS: Duration = Duration::from_secs(10);

/// The memory, once it is open, or why it cannot be.
pub(super) type Opened = Option<Result<Arc<Running>, Failure>>;

/// Keeps the memory open. Cheap to clone.
#[derive(Clone)]
pub(super) struct Keeper(Arc<Inner>);

struct Inner {
    opened: watch::Sender<Opened>,
    /// How often it was opened anew.
    changes: watch::Sender<u64>,
    jobs: Arc<Semaphore>,
    hints: Hints,
    tell: Tell,
}

impl Keeper {
    /// Nothing is open yet.
    pub(super) fn new(hints: Hints, tell: Tell) -> Self {
        let (opened, changes) = (watch::Sender::new(None), watch::Sender::new(0));
        Self(Arc::new(Inner { opened, changes, jobs: Arc::new(Semaphore::new(JOBS)), hints, tell }))
    }

    /// The memory as it becomes available.
    pub(super) fn opened(&self) -> watch::Receiver<Opened> {
        self.0.opened.subscribe()
    }

    /// Changes with each memory after the first.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    /// Whoever works with the memory holds one of these.
    pub(super) fn jobs(&self) -> Arc<Semaphore> {
        Arc::clone(&self.0.jobs)
    }

    /// Opens the memory, and then watches over it without end. A provider may have to be installed first.
    pub(super) async fn keep(self, surroundings: Surroundings, reload: Reload) {
        let home = surroundings.home.clone();
        let mut seen = self.open(surroundings, &home).await;
        let mut last = seen.clone();
        loop {
            sleep(LOOK).await;
            let now = Files::of(&home);
            let stands = now == std::mem::replace(&mut last, now.clone());
            if !stands || now == seen {
                continue;
            }
            seen = now;
            let reload = Arc::clone(&reload);
            match tokio::task::spawn_blocking(move || reload()).await {
                Ok(Ok(surroundings)) => {
                    self.close_for_another().await;
                    seen = self.open(surroundings, &home).await;
                    self.0.changes.send_modify(|changes| *changes += 1);
                }
                // Half of a change may be written. The memory goes on as it is.
                Ok(Err(failure)) => tracing::warn!(failure.message, "the settings were changed and cannot be used"),
                Err(error) => tracing::error!(%error, "the settings were not read again"),
            }
        }
    }

    /// Opens the memory, and answers what it was made of: a first use installs what it needs.
    async fn open(&self, surroundings: Surroundings, home: &Home) -> Files {
        let before = Files::of(home);
        let keeper = self.clone();
        let opening = tokio::task::spawn_blocking(move || {
            let running = Running::open(surroundings, Arc::clone(&keeper.0.hints)).map(Arc::new);
            // What only the provider knows is told by its answers and the status: a client waits.
            if let Ok(running) = &running
                && let Some(degraded) = running.open.known_degradation()
            {
                (keeper.0.tell)(&degraded);
            }
            keeper.0.opened.send_replace(Some(running));
        });
        if opening.await.is_err() {
            self.0.opened.send_replace(Some(Err(Failure::new("hermes itself failed when the memory was opened"))));
        }
        let after = Files::of(home);
        if after.settings == before.settings { after } else { before }
    }

    async fn close_for_another(&self) {
        let Some(Ok(running)) = self.0.opened.send_replace(None) else { return };
        // Nobody begins now: whoever asks for the memory waits for the next one.
        let _ = timeout(LAST_CALLS, self.0.jobs.acquire_many(all_jobs())).await;
        match tokio::task::spawn_blocking(move || running.end()).await {
            Ok(Closed { deliveries, problem }) => {
                deliveries.lost.iter().for_each(|lost| tracing::warn!(lost.what, lost.reason, "not delivered"));
                problem.iter().for_each(|problem| tracing::warn!(problem, "the provider did not end cleanly"));
            }
            Err(error) => tracing::error!(%error, "the memory was not closed"),
        }
    }

    /// Waits until all requests are done, and lets no other begin.
    pub(super) async fn finished(&self, limit: Duration) {
        if let Ok(Ok(all)) = timeout(limit, self.0.jobs.acquire_many(all_jobs())).await {
            all.forget();
        }
        self.0.jobs.close();
    }
}

fn all_jobs() -> u32 {
    u32::try_from(JOBS).expect("it is a small number")
}

/// What the files of a home hold that decide what its memory is.
#[derive(Clone, PartialEq, Eq)]
struct Files {
    /// The settings and the secrets.
    settings: [Option<Vec<u8>>; 2],
    /// What is installed.
    lock: Option<Vec<u8>>,
}

impl Files {
    fn of(home: &Home) -> Self {
        let read = |path: PathBuf| fs::read(path).ok();
        Self { settings: [read(home.config_file()), read(home.env_file())], lock: read(home.lock_file()) }
    }
}
