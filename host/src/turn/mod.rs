//! The turn: recall, the model's call (which is not ours), record. The library's public surface.
//!
//! A [`Memory`] holds the curated files and at most one external provider, and hands out [`Session`]s. For each message
//! of the user a session [begins](Session::begin) a turn, which gives the text for the model; runs the
//! [tools](Session::tool) that the model calls; and [finishes](Session::finish) it with the answer. Whatever the provider
//! does, a turn never fails because of it: what went wrong stands in the recall line.
//!
//! Only sessions in [`Context::Primary`] send anything that is kept. It goes through the outbox, in order: a session's
//! turns, then its end, each once. Every session is archived, in the same write ([`Archiving`]). **A session that is
//! dropped is not ended**: its process may have been stopped and the conversation may go on in the next one. Only a turn
//! that was left open is recorded, as interrupted.

mod archive;
mod command;
pub mod conversations;
mod curated;
mod line;
mod mirror;
mod recall;
mod said;
mod session;
#[cfg(test)]
mod tests;
pub mod tool_loop;
pub mod tools;
mod window;

pub use crate::home::profiles::DEFAULT_PROFILE;
pub use archive::Archiving;
pub use curated::{Approved, by_user};
pub use line::line;
pub use mirror::forget_unmirrored;
pub use recall::{Given, Problem, RecallOutcome, Recalled, Skip};
pub use session::{Ending, News, Session, TurnHandle};
pub use tools::{Hidden, ToolFailure, ToolOutcome, Tools, Toolset};

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_provider_api::records::{Author, Caller, Context, MemoryWrite, Origin, Scope, SessionSwitch};

use crate::clock::{Clock, UnixMillis, nonce};
use crate::db::{Db, DbError};
use crate::error::Failure;
use crate::guard::Redactor;
use crate::layers::curated::Curated;
use crate::layers::episodic::search::{self, Searcher};
use crate::layers::external::{Cleaner, External, ExternalError, Outgoing};
use crate::outbox::{Beside, Delivery, DrainReport, Lost, NotKept, Outbox, RetryPolicy};
use crate::plugins::hooks::Hooks;
use archive::Recorder;

/// The limits of turns. How long a prefetch may take is a matter of the [`Hooks`].
#[derive(Clone, Debug)]
pub struct TurnSettings {
    /// How many memories a turn recalls at most.
    pub recall_limit: usize,
    /// How many characters they have at most, together.
    pub recall_chars: usize,
    /// How long [`Memory::shutdown`] waits.
    pub shutdown_timeout: Duration,
    /// How deliveries are tried again.
    pub retry: RetryPolicy,
    /// The profile of a scope that names none: that of the home.
    pub profile: String,
    /// Which tools are offered.
    pub toolset: Toolset,
    /// One question and no next: nothing is prepared for a next turn.
    pub one_shot: bool,
    /// How sessions are archived; None: they are not.
    pub archive: Option<Archiving>,
    /// What of them can be searched.
    pub search: search::Settings,
}

impl Default for TurnSettings {
    fn default() -> Self {
        Self {
            recall_limit: 5,
            recall_chars: 4000,
            shutdown_timeout: Duration::from_secs(5),
            retry: RetryPolicy::default(),
            profile: DEFAULT_PROFILE.to_owned(),
            toolset: Toolset::All,
            one_shot: false,
            archive: Some(Archiving { redact: true }),
            search: search::Settings::default(),
        }
    }
}

/// The outbox of a memory without a provider; no provider is called so.
const NOBODY: &str = "";

/// What becomes of the old conversation at a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Nothing of it is carried over.
    Reset,
    /// The same conversation goes on under another id, with its window.
    Continue,
}

/// The memory of one profile. May be used from any thread.
#[derive(Debug)]
pub struct Memory {
    core: Arc<Core>,
    /// Where each session went last, so that a switch that is told twice is sent once.
    switched: Mutex<HashMap<String, String>>,
}

/// What the sessions share.
#[derive(Debug)]
struct Core {
    external: Option<Arc<External>>,
    curated: Option<Curated>,
    searcher: Option<Searcher>,
    /// There is one as soon as a provider is named: what is said while it is away waits for it.
    outgoing: Option<Outgoing>,
    recorder: Option<Recorder>,
    /// Where there is anything to write.
    outbox: Option<Arc<Outbox>>,
    /// Where all of that is kept; None where that is only memory.
    db: Option<Arc<Db>>,
    redactor: Arc<Redactor>,
    cleaner: Cleaner,
    settings: TurnSettings,
    clock: Clock,
    /// Keys must not repeat in another process with the same sessions.
    nonce: u64,
    next_key: AtomicU64,
    /// The tools of the session that was last given any.
    tools: Mutex<Arc<Tools>>,
}

/// The provider of a memory.
#[derive(Default)]
pub enum Provider {
    /// There is none.
    #[default]
    None,
    /// It is loaded.
    Ready(Arc<dyn Hooks>),
    /// It is named and cannot be used now: what it should know is kept until it can.
    Away(String),
}

/// A memory cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenMemoryError {
    /// The system gives no thread for deliveries.
    #[error("no thread for deliveries")]
    Thread(#[from] io::Error),
    /// There is no database for deliveries.
    #[error(transparent)]
    Database(#[from] DbError),
}

impl Memory {
    /// Opens the memory with its external provider, if there is one. Deliveries and the archive are kept in the database;
    /// without one, in memory, and what was not delivered is lost at the end.
    ///
    /// # Errors
    /// When the system gives no thread for deliveries, or no memory.
    pub fn open(
        provider: Provider,
        db: Option<Arc<Db>>,
        settings: TurnSettings,
        clock: Clock,
        redactor: Redactor,
    ) -> Result<Self, OpenMemoryError> {
        let redactor = Arc::new(redactor);
        let (external, outgoing) = match provider {
            Provider::None => (None, None),
            Provider::Away(id) => (None, Some(Outgoing::to_absent(&id, Arc::clone(&redactor)))),
            Provider::Ready(hooks) => {
                let external = Arc::new(External::new(hooks, Arc::clone(&redactor)));
                let outgoing = external.outgoing().clone();
                (Some(external), Some(outgoing))
            }
        };
        let (mut recorder, mut outbox) = (None, None);
        if outgoing.is_some() || settings.archive.is_some() {
            let db = db.clone().map_or_else(|| Db::in_memory().map(Arc::new), Ok)?;
            recorder =
                settings.archive.map(|archiving| Recorder::new(Arc::clone(&db), archiving, settings.search, &redactor));
            // What is for nobody has an outbox too: it writes in groups, and tries again.
            let to = outgoing.as_ref().map_or(NOBODY, Outgoing::provider);
            let deliver = external.clone().map(|external| external as _);
            outbox = Some(Arc::new(Outbox::open(db, to, deliver, settings.retry, clock.clone())?));
        }
        let (curated, searcher, nonce, next_key) = (None, None, nonce(), AtomicU64::new(1));
        let cleaner = Cleaner::new(Arc::clone(&redactor));
        let core = Core {
            external,
            curated,
            searcher,
            outgoing,
            recorder,
            outbox,
            db,
            redactor,
            cleaner,
            settings,
            clock,
            nonce,
            next_key,
            tools: Mutex::default(),
        };
        Ok(Self { core: Arc::new(core), switched: Mutex::default() })
    }

    /// With a search over the archive. Sessions that exist already do not have it.
    #[must_use]
    pub fn with_search(mut self, searcher: Searcher) -> Self {
        if let Some(core) = Arc::get_mut(&mut self.core) {
            core.searcher = Some(searcher);
        }
        self
    }

    /// The external provider.
    #[must_use]
    pub fn external(&self) -> Option<&External> {
        self.core.external.as_deref()
    }

    /// A session, new or going on. `scope` is the audience of what is said in it.
    #[must_use]
    pub fn session(&self, id: impl Into<String>, scope: Scope, context: Context) -> Session {
        if let Some(external) = &self.core.external {
            external.session_begins();
        }
        Session::new(Arc::clone(&self.core), id.into(), scope, context)
    }

    /// The conversation goes on in another session. The provider is told after the turns of `from` and before those of
    /// `to`; telling the same switch twice changes nothing.
    ///
    /// # Errors
    /// When it could not be written down yet.
    pub fn switch(&self, from: &Session, to: &Session, how: Switch) -> Result<(), NotKept> {
        if from.id() == to.id() {
            return Ok(());
        }
        let recorded = from.close_turn();
        {
            let mut switched = self.switched.lock().unwrap_or_else(PoisonError::into_inner);
            if switched.get(from.id()).is_some_and(|last| last == to.id()) {
                return recorded;
            }
            switched.remove(to.id());
            switched.insert(from.id().to_owned(), to.id().to_owned());
        }
        if how == Switch::Continue {
            to.take_window(from);
        }
        to.goes_on_from(from.id());
        let reason = if how == Switch::Continue { "continued" } else { "reset" };
        let ended = self.core.recorder.as_ref().map(|_| Recorder::end(from.id(), self.core.clock.now(), reason));
        if !to.context().may_write() || !from.context().may_write() {
            return recorded.and(self.core.send([], ended));
        }
        let switch = |outgoing: &Outgoing| {
            outgoing.session_switch(&SessionSwitch {
                caller: to.caller(self.core.clock.now()),
                idempotency_key: self.core.key(),
                from: from.id().to_owned(),
                to: to.id().to_owned(),
                reset: how == Switch::Reset,
            })
        };
        recorded.and(self.core.send([&switch], ended))
    }

    /// Tells the provider of a write of the curated memory that was really committed. A missing key and time are filled
    /// in.
    ///
    /// # Errors
    /// When the caller may not write, or when it could not be written down yet.
    pub fn mirror(&self, mut write: MemoryWrite) -> Result<(), MirrorError> {
        let (Some(outgoing), Some(outbox)) = (&self.core.outgoing, &self.core.outbox) else { return Ok(()) };
        if write.idempotency_key.is_empty() {
            write.idempotency_key = self.core.key();
        }
        if write.caller.origin.at == 0 {
            write.caller.origin.at = self.core.clock.now();
        }
        let delivery = outgoing.memory_write(&write)?;
        Ok(outbox.push(delivery.into_iter().collect())?)
    }

    /// Delivers what earlier processes left as well, until nothing is left, nothing can be done, or the time is up.
    #[must_use]
    pub fn deliver_all(&self, timeout: Duration) -> DrainReport {
        self.core.outbox.as_ref().map(|outbox| outbox.empty(timeout)).unwrap_or_default()
    }

    /// What could not be delivered and was given up, each told once.
    #[must_use]
    pub fn take_lost(&self) -> Vec<Lost> {
        self.core.outbox.as_ref().map(|outbox| outbox.take_lost()).unwrap_or_default()
    }

    /// Waits until all has been delivered that was said here so far, at most `timeout`.
    #[must_use]
    pub fn drain(&self, timeout: Duration) -> DrainReport {
        self.core.outbox.as_ref().map(|outbox| outbox.drain(timeout)).unwrap_or_default()
    }

    /// The same between two turns: a provider that is left alone is not waited for.
    #[must_use]
    pub fn settle(&self, timeout: Duration) -> DrainReport {
        self.settle_while(timeout, &|| true)
    }

    /// The same, and no longer than it is wanted, which is asked now and then and must be answered at once.
    #[must_use]
    pub fn settle_while(&self, timeout: Duration, is_wanted: &dyn Fn() -> bool) -> DrainReport {
        self.core.outbox.as_ref().map(|outbox| outbox.settle_while(timeout, is_wanted)).unwrap_or_default()
    }

    /// Delivers what was said here, at most for the time of the settings, and then nothing more. The rest stays on disk,
    /// and the next process goes on with it. The provider's own shutdown is a matter of whoever loaded it.
    #[must_use]
    pub fn shutdown(&self) -> DrainReport {
        let Some(outbox) = &self.core.outbox else { return DrainReport::default() };
        let (timeout, begun) = (self.core.settings.shutdown_timeout, Instant::now());
        let report = outbox.drain_at_end(timeout);
        outbox.close();
        outbox.finish(timeout.saturating_sub(begun.elapsed()));
        report
    }
}

impl Core {
    /// Profiles never share, so one that is not named must be the same everywhere.
    fn of_profile(&self, mut scope: Scope) -> Scope {
        if scope.profile.is_empty() {
            self.settings.profile.clone_into(&mut scope.profile);
        }
        scope
    }

    /// The same tools, of which there is one copy as long as sessions are given the same.
    fn shared(&self, tools: Arc<Tools>) -> Arc<Tools> {
        let mut last = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        if **last != *tools {
            *last = tools;
        }
        Arc::clone(&last)
    }

    /// A key that no delivery had before, in this process or another.
    fn key(&self) -> String {
        format!("{:016x}-{}", self.nonce, self.next_key.fetch_add(1, Ordering::Relaxed))
    }

    /// The number of the last turn of a session that is on record, which may be that of an earlier process; 0 without
    /// any.
    fn last_turn(&self, session: &str) -> u64 {
        let told = self.outbox.as_ref().map(|outbox| outbox.last_turn(session));
        let archived = self.recorder.as_ref().map(|recorder| recorder.last_turn(session));
        let numbers = [told, archived].into_iter().flatten().map(|number| {
            number.unwrap_or_else(|error| {
                tracing::warn!(session, error = Failure::from(error).message, "its turns are counted from 1");
                0
            })
        });
        numbers.max().unwrap_or_default()
    }

    /// Sends what the provider has an interface for, all in one write, and in the same what goes into the archive.
    fn send<const N: usize>(&self, makers: [Make<'_>; N], archived: Option<Beside>) -> Result<(), NotKept> {
        self.push(self.deliveries(makers), archived)
    }

    /// What is to be sent of what the provider has an interface for.
    fn deliveries<const N: usize>(&self, makers: [Make<'_>; N]) -> Vec<Delivery> {
        let deliveries = self.outgoing.iter().flat_map(|outgoing| {
            makers.iter().filter_map(|make| {
                make(outgoing).unwrap_or_else(|error| {
                    tracing::debug!(%error, "not sent");
                    None
                })
            })
        });
        deliveries.collect()
    }

    /// Hands over deliveries, all in one write, and in the same what goes into the archive.
    fn push(&self, deliveries: Vec<Delivery>, archived: Option<Beside>) -> Result<(), NotKept> {
        let Some(outbox) = &self.outbox else { return Ok(()) };
        match archived {
            Some(archived) => outbox.push_with(deliveries, archived),
            None if deliveries.is_empty() => Ok(()),
            None => outbox.push(deliveries),
        }
    }
}

/// Makes a delivery.
type Make<'a> = &'a dyn Fn(&Outgoing) -> Result<Option<Delivery>, ExternalError>;

/// A write of the curated memory was not passed on.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// It may not be.
    #[error(transparent)]
    Refused(#[from] ExternalError),
    /// It is not written down yet.
    #[error(transparent)]
    NotKept(#[from] NotKept),
}

/// Who speaks to the provider.
fn caller(session: &str, scope: Scope, context: Context, at: UnixMillis) -> Caller {
    Caller { scope, origin: Origin { author: Author::User, session: session.to_owned(), at }, context }
}
