//! Calls with deadlines on an instance that may crash, hang or be slow.
//!
//! | what happens | what the supervisor does |
//! |---|---|
//! | an answer | hands it on, counts it |
//! | no answer by the deadline | answers `Timeout`, asks the call to stop, hands a late answer to `late` |
//! | no answer by the late limit | gives the call up: a worker is ended, a thread written off |
//! | three timeouts, or errors that may pass, of a hook in a row | pauses the hook, 10 s at first, twice as long each time, at most 5 min |
//! | an instance that went away between calls | opens a new one for the call, once |
//! | a panic or a crash | drops the instance, counts one crash; the next call opens a new one |
//! | three of those in ten minutes | quarantine: one try per session, until ten minutes have passed without one |

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::Health as Answer;
use hermes_provider_api::{ErrorKind, Hook};

use super::in_process::InProcess;
use super::instance::{Fault, Instance};
use super::worker::Worker;
use super::{Isolation, Limits, Plugin};
use crate::clock::Clock;
use crate::home::files;
use crate::plugins::health::{Failing, Health, Incident, Outcome, Quarantine, Streak};
use crate::plugins::hooks::{CallError, Hooks, Late};

/// How a provider is to be run.
#[derive(Clone)]
pub struct Loading {
    /// Where its code runs.
    pub isolation: Isolation,
    /// The `hermes` binary, for a worker.
    pub executable: PathBuf,
    /// Deadlines.
    pub limits: Limits,
    /// For records.
    pub clock: Clock,
    /// Where calls are counted.
    pub health: Arc<Health>,
    /// The folder for reports too long for an error.
    pub reports: Option<PathBuf>,
}

/// A provider that is opened when it is first called, and again after it crashed.
pub struct Loaded {
    core: Arc<Core>,
}

struct Core {
    plugin: Plugin,
    loading: Loading,
    state: Mutex<State>,
    changed: Condvar,
    /// A quarantined provider may be opened once more in this session.
    trial: AtomicBool,
}

#[derive(Default)]
struct State {
    slot: Slot,
    /// Counts instances, so that an old one's failure does not close a new one.
    generation: u64,
    open_failure: Option<(Instant, Fault)>,
}

#[derive(Default)]
enum Slot {
    #[default]
    Closed,
    Opening,
    Open(Arc<dyn Instance>),
    /// For good.
    Ended,
}

/// After a failed opening the next try waits this long.
const REOPEN_AFTER: Duration = Duration::from_secs(5);

/// How a provider was closed.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What went wrong, if anything did.
    pub problem: Option<String>,
}

impl Loaded {
    /// A provider that is not opened yet.
    #[must_use]
    pub fn new(plugin: Plugin, loading: Loading) -> Self {
        let core =
            Core { plugin, loading, state: Mutex::default(), changed: Condvar::new(), trial: AtomicBool::new(true) };
        Self { core: Arc::new(core) }
    }

    /// Opens the provider now, within the limit of opening.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub fn open(&self) -> Result<(), CallError> {
        let limit = self.core.loading.limits.open();
        self.core.instance(Hook::Health, Instant::now() + limit, limit).map(drop)
    }

    /// Begins to open the provider, so that its first call finds it open. Waits for nothing, and leaves one in
    /// quarantine to its first call.
    pub fn warm_up(&self) {
        let mut state = self.core.lock();
        if matches!(state.slot, Slot::Closed) && self.core.loading.health.quarantine().is_none() {
            // What keeps it from opening is told to the first call.
            let _ = self.core.begin_opening(&mut state);
        }
    }

    /// Whether it crashed too often; it is then tried once per session.
    #[must_use]
    pub fn quarantine(&self) -> Option<Quarantine> {
        self.core.loading.health.quarantine()
    }

    /// The hooks that are left alone for a while.
    #[must_use]
    pub fn paused(&self) -> Vec<Streak> {
        self.core.loading.health.all_paused()
    }

    /// Writes down how its calls went so far.
    pub fn flush(&self) {
        self.core.loading.health.flush();
    }

    /// Where its code runs.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        self.core.loading.isolation
    }

    /// Shuts the provider down and drops it. Calls after that fail.
    pub fn close(&self) -> Report {
        let core = &self.core;
        let slot = std::mem::replace(&mut core.lock().slot, Slot::Ended);
        core.changed.notify_all();
        let mut report = Report::default();
        if let Slot::Open(instance) = slot {
            let limit = core.loading.limits.of(Hook::Shutdown);
            let deadline = Instant::now() + limit;
            let shutdown = core.start(&instance, Hook::Shutdown, b"", limit).1.recv_timeout(limit);
            let shutdown = shutdown.unwrap_or_else(|_| Err(Fault::Cut("it did not shut down in time".to_owned())));
            // One limit for both.
            let left = deadline.saturating_duration_since(Instant::now());
            if let Err(fault) = shutdown.and_then(|_| instance.close(left)) {
                let problem = fault.text().to_owned();
                core.loading.health.incident(Incident::Close, &problem);
                report.problem = Some(problem);
            }
        }
        core.loading.health.flush();
        report
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if let Some(problem) = self.close().problem {
            tracing::warn!(provider = self.core.plugin.metadata.id, problem, "the provider did not end cleanly");
        }
    }
}

impl Hooks for Loaded {
    fn metadata(&self) -> &Metadata {
        &self.core.plugin.metadata
    }

    fn session_begins(&self) {
        self.core.trial.store(true, Ordering::Relaxed);
    }

    fn recalled(&self, items: usize) {
        self.core.loading.health.hits(items as u64);
    }

    fn limit(&self, hook: Hook) -> Duration {
        self.core.loading.limits.of(hook)
    }

    fn refused(&self, hook: Hook) {
        self.core.loading.health.refused(hook);
    }

    fn call(&self, hook: Hook, request: &[u8], late: Option<Late>) -> Result<Vec<u8>, CallError> {
        let core = &self.core;
        let begun = Instant::now();
        let result = core.call(hook, request, late, begun);
        let outcome = match &result {
            Ok(_) => Outcome::Ok,
            Err(CallError::Timeout { .. }) => Outcome::Timeout,
            Err(CallError::Paused { .. }) => {
                core.loading.health.refused(hook);
                return result;
            }
            // The provider is well: what the user wants it to keep is not as it must be.
            Err(CallError::Failed { error, .. }) if hook == Hook::Remember && error.kind == ErrorKind::InvalidInput => {
                Outcome::Ok
            }
            Err(error) => Outcome::Error(error.to_string()),
        };
        core.loading.health.record(hook, outcome, begun.elapsed());
        result
    }
}

impl Core {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn id(&self) -> String {
        self.plugin.metadata.id.clone()
    }

    fn call(
        self: &Arc<Self>,
        hook: Hook,
        request: &[u8],
        mut late: Option<Late>,
        begun: Instant,
    ) -> Result<Vec<u8>, CallError> {
        let limit = self.loading.limits.of(hook);
        let deadline = begun + limit;
        self.check_circuit(hook)?;
        let mut first = true;
        loop {
            let (generation, instance) = self.instance(hook, deadline, limit)?;
            let left = deadline.saturating_duration_since(Instant::now());
            let (call, outcome) = self.start(&instance, hook, request, left);
            match outcome.recv_timeout(left) {
                Ok(Ok(answer)) => {
                    self.answered(hook, &answer);
                    return self.utf8(hook, answer);
                }
                Ok(Err(fault)) if first && may_repeat(hook, &fault) => {
                    self.closed(generation, &fault);
                    first = false;
                }
                // A provider that heeds its deadline may notice it before the host does.
                Ok(Err(Fault::Error(error))) if error.kind == ErrorKind::Cancelled && Instant::now() >= deadline => {
                    return Err(self.timed_out(hook, limit));
                }
                Ok(Err(fault)) => {
                    let error = self.failed(hook, generation, fault);
                    self.weigh(hook, &error);
                    return Err(error);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.failed(hook, generation, Fault::Cut("it was given up".to_owned())));
                }
                Err(RecvTimeoutError::Timeout) => {
                    instance.cancel(call);
                    let error = self.timed_out(hook, limit);
                    self.watch(hook, generation, instance, call, outcome, late.take());
                    return Err(error);
                }
            }
        }
    }

    fn start(
        &self,
        instance: &Arc<dyn Instance>,
        hook: Hook,
        request: &[u8],
        limit: Duration,
    ) -> (u64, Receiver<Result<Vec<u8>, Fault>>) {
        let (send, receive) = sync_channel(1);
        let call = instance.start(hook, request, limit, Box::new(move |outcome| drop(send.send(outcome))));
        (call, receive)
    }

    /// The open instance; opens it on a thread of its own, so that the caller's deadline holds for that as well.
    fn instance(
        self: &Arc<Self>,
        hook: Hook,
        deadline: Instant,
        limit: Duration,
    ) -> Result<(u64, Arc<dyn Instance>), CallError> {
        let mut state = self.lock();
        loop {
            match &state.slot {
                Slot::Open(instance) => return Ok((state.generation, Arc::clone(instance))),
                Slot::Ended => return Err(self.unloadable("it was closed")),
                Slot::Closed => {
                    if let Some((at, fault)) = &state.open_failure
                        && at.elapsed() < REOPEN_AFTER
                    {
                        return Err(self.unloadable(fault.text()));
                    }
                    self.check_quarantine()?;
                    self.begin_opening(&mut state)?;
                }
                Slot::Opening => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        drop(state);
                        return Err(self.timed_out(hook, limit));
                    }
                    let failures = state.open_failure.as_ref().map(|(at, _)| *at);
                    state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                    if let (Slot::Closed, Some((at, fault))) = (&state.slot, &state.open_failure)
                        && Some(*at) != failures
                    {
                        return Err(self.unloadable(fault.text()));
                    }
                }
            }
        }
    }

    fn begin_opening(self: &Arc<Self>, state: &mut State) -> Result<(), CallError> {
        let core = Arc::clone(self);
        std::thread::Builder::new()
            .name("open provider".to_owned())
            .spawn(move || core.open())
            .map_err(|error| self.unloadable(&format!("no thread: {error}")))?;
        state.slot = Slot::Opening;
        Ok(())
    }

    fn open(&self) {
        let limit = self.loading.limits.open();
        let mut opened: Result<Arc<dyn Instance>, Fault> = match self.loading.isolation {
            Isolation::InProcess => InProcess::open(&self.plugin, limit).map(|open| Arc::new(open) as _),
            Isolation::Process => {
                let Loading { executable, health, .. } = &self.loading;
                Worker::open(&self.plugin, executable, limit, health.mask()).map(|open| Arc::new(open) as _)
            }
        };
        if let Err(Fault::Incompatible { reason, report }) = &opened {
            opened = Err(Fault::Unloadable(self.filed(reason, report)));
        }
        if let Err(fault) = &mut opened {
            fault.bound();
            match fault {
                Fault::Panic(reason) | Fault::Died(reason) => self.crashed(reason),
                other => self.loading.health.incident(Incident::Open, other.text()),
            }
        }
        let mut state = self.lock();
        match opened {
            Ok(instance) if !matches!(state.slot, Slot::Ended) => {
                state.slot = Slot::Open(instance);
                state.generation += 1;
                state.open_failure = None;
            }
            Ok(_) => {}
            Err(fault) => {
                if !matches!(state.slot, Slot::Ended) {
                    state.slot = Slot::Closed;
                }
                state.open_failure = Some((Instant::now(), fault));
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Puts a long report into a file, and names it behind the sentence.
    fn filed(&self, reason: &str, report: &str) -> String {
        let Some(folder) = &self.loading.reports else { return reason.to_owned() };
        let path = folder.join(format!("abi-{}.txt", self.plugin.metadata.id));
        match files::replace(&path, report.as_bytes()) {
            Ok(()) => format!("{reason}; the whole report is in `{}`", path.display()),
            Err(error) => {
                tracing::warn!(%error, "the report on the boundary was not kept");
                reason.to_owned()
            }
        }
    }

    /// Forgets an instance that is of no use any more, unless a newer one has taken its place. However many calls were
    /// in flight, its crash is counted once.
    fn closed(&self, generation: u64, fault: &Fault) {
        let mut state = self.lock();
        if state.generation != generation || !matches!(state.slot, Slot::Open(_)) {
            return;
        }
        let _old = std::mem::replace(&mut state.slot, Slot::Closed);
        drop(state);
        if let Fault::Panic(reason) | Fault::Died(reason) | Fault::Lost(reason) = fault {
            self.crashed(reason);
        }
    }

    /// Counts a crash. The session has had its try then: a quarantine that begins with this one holds at once.
    fn crashed(&self, reason: &str) {
        self.trial.store(false, Ordering::Relaxed);
        self.loading.health.incident(Incident::Crash, reason);
    }

    fn failed(&self, hook: Hook, generation: u64, mut fault: Fault) -> CallError {
        let (provider, name) = (self.id(), hook.name());
        fault.bound();
        if !matches!(fault, Fault::Error(_) | Fault::BadReply(_)) {
            self.closed(generation, &fault);
        }
        match fault {
            Fault::Error(error) => CallError::Failed { provider, error },
            Fault::BadReply(reason) => CallError::BadReply { provider, hook: name, reason },
            Fault::Unloadable(reason) | Fault::Incompatible { reason, .. } => {
                CallError::Unloadable { provider, reason }
            }
            Fault::Panic(reason) | Fault::Gone(reason) | Fault::Lost(reason) | Fault::Died(reason) => {
                CallError::Crashed { provider, hook: name, reason }
            }
            Fault::Cut(reason) => CallError::Cut { provider, hook: name, reason },
        }
    }

    fn timed_out(&self, hook: Hook, limit: Duration) -> CallError {
        let error = CallError::Timeout { provider: self.id(), hook: hook.name(), limit };
        self.loading.health.failed(hook, Failing::Slow, &format!("no answer within {} ms", limit.as_millis()));
        error
    }

    /// Closes a hook's circuit; a provider that says it is healthy is tried in all.
    fn answered(&self, hook: Hook, answer: &[u8]) {
        let health = &self.loading.health;
        match hook {
            Hook::Health if serde_json::from_slice(answer).is_ok_and(|answer: Answer| answer.ok) => health.healthy(),
            Hook::Health => {}
            hook => health.answered(hook),
        }
    }

    /// An error that may pass counts against a hook; any other shows that the provider is there. Deliveries have a
    /// back-off of their own in the outbox, which counts its tries.
    fn weigh(&self, hook: Hook, error: &CallError) {
        let CallError::Failed { error, .. } = error else { return };
        let may_pass = match error.kind {
            ErrorKind::Unavailable
            | ErrorKind::RateLimited
            | ErrorKind::Quota
            | ErrorKind::Timeout
            | ErrorKind::Storage => true,
            // A tool may have no better word for arguments that it cannot use.
            ErrorKind::Internal => hook != Hook::CallTool,
            _ => false,
        };
        match may_pass {
            true if hook.writes() => {}
            true => self.loading.health.failed(hook, Failing::Broken, &error.message),
            false => self.loading.health.answered(hook),
        }
    }

    /// Waits on for a call whose caller has been answered.
    fn watch(
        self: &Arc<Self>,
        hook: Hook,
        generation: u64,
        instance: Arc<dyn Instance>,
        call: u64,
        outcome: Receiver<Result<Vec<u8>, Fault>>,
        late: Option<Late>,
    ) {
        let core = Arc::clone(self);
        let wait = move || match outcome.recv_timeout(core.loading.limits.late) {
            Ok(Ok(answer)) => {
                if let (Some(late), Ok(answer)) = (late, core.utf8(hook, answer)) {
                    late(answer);
                }
            }
            Ok(Err(fault)) => drop(core.failed(hook, generation, fault)),
            Err(_) => {
                core.loading.health.incident(Incident::Hang, &format!("{} did not end", hook.name()));
                instance.give_up(call);
            }
        };
        if std::thread::Builder::new().name("late answer".to_owned()).spawn(wait).is_err() {
            tracing::error!("no thread to wait for a late answer");
        }
    }

    fn check_circuit(&self, hook: Hook) -> Result<(), CallError> {
        // A check that the user asked for must not be answered from memory.
        if hook == Hook::Health {
            return Ok(());
        }
        let Some(streak) = self.loading.health.paused(hook) else { return Ok(()) };
        Err(CallError::Paused {
            provider: self.id(),
            entirely: false,
            reason: streak.why(),
            until: streak.until.unwrap_or_default(),
        })
    }

    fn check_quarantine(&self) -> Result<(), CallError> {
        let Some(quarantine) = self.loading.health.quarantine() else { return Ok(()) };
        if self.trial.swap(false, Ordering::Relaxed) {
            tracing::warn!(provider = self.plugin.metadata.id, reason = quarantine.reason, "one try in quarantine");
            return Ok(());
        }
        Err(CallError::Paused {
            provider: self.id(),
            entirely: true,
            reason: format!("{} crashes, the last: {}", quarantine.crashes, quarantine.reason),
            until: quarantine.until,
        })
    }

    fn unloadable(&self, reason: &str) -> CallError {
        CallError::Unloadable { provider: self.id(), reason: reason.to_owned() }
    }

    fn utf8(&self, hook: Hook, answer: Vec<u8>) -> Result<Vec<u8>, CallError> {
        match std::str::from_utf8(&answer) {
            Ok(_) => Ok(answer),
            Err(error) => Err(CallError::BadReply {
                provider: self.id(),
                hook: hook.name(),
                reason: format!("invalid UTF-8: {error}"),
            }),
        }
    }
}

/// A call that never ran may be made again; one that another call's end cut off only if it reads.
fn may_repeat(hook: Hook, fault: &Fault) -> bool {
    match fault {
        Fault::Gone(_) | Fault::Lost(_) => true,
        Fault::Cut(_) => !hook.writes() && hook != Hook::CallTool,
        _ => false,
    }
}
