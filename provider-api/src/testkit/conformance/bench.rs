//! Where the scenarios work: a bench for the whole run, a room with a data folder for each of them, and in it instances
//! that can be asked.
//!
//! | thing | lives for | holds |
//! |---|---|---|
//! | [`Bench`] | a run | what the provider says of itself, what the scenarios found, what it can do |
//! | [`Room`] | a scenario | an empty folder in which the provider may do as it likes |
//! | [`Instance`] | from open to close | the provider, and an eye on each of its calls |
//!
//! A scenario is written as a story of calls; what can go wrong in any call (a crash, a hang, a leaked key, an answer that
//! cannot be read, a missed deadline) is found here and nowhere else. So a scenario looks only at what it is about.
//!
//! # Threads
//! The scenarios run one after the other on the thread of the caller. Only `together` calls from two, so all that a
//! scenario shares is behind a lock or atomic. Locks are taken for a moment, never during a call of the provider.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tempfile::TempDir;

use super::Kit;
use super::memories::Memory;
use super::report::{Finding, Report, Scenario, Severity};
use super::requests::{loss, unreadable};
use super::scenarios::{self, Way};
use super::settings;
use super::subject::{Failure, Opened, Patience, Subject};
use super::watch::{Seen, Watch, contains};
use crate::metadata::Metadata;
use crate::records::{OpenRequest, Scope};
use crate::{ErrorKind, Hook, Interface, ProviderError};

/// What all scenarios share.
pub(super) struct Bench<'a> {
    kit: &'a Kit,
    subject: &'a dyn Subject,
    pub metadata: Metadata,
    pub seen: Arc<Seen>,
    canaries: BTreeMap<String, String>,
    report: Mutex<Report>,
    memories: AtomicUsize,
    /// The provider can store and find here. True until `opening` has found otherwise.
    works: AtomicBool,
    /// Ways of storing after which the memory is found at once.
    ways: Mutex<Vec<Way>>,
    /// How often a call of each hook did not end.
    hangs: Mutex<BTreeMap<Hook, u32>>,
}

/// A hook that did not end so often is not called any more: each time costs most of a minute.
const HANGS: u32 = 2;

/// `Err` says in a few words why a scenario says nothing about a provider, for the report. A scenario that ran is `Ok`,
/// whatever it found: findings go into the report as they come, so that one that breaks off has told what it saw.
pub(super) type Outcome = Result<(), &'static str>;

impl<'a> Bench<'a> {
    /// For one run; nothing is opened yet.
    pub(super) fn new(kit: &'a Kit, subject: &'a dyn Subject) -> Self {
        let metadata = subject.metadata();
        Self {
            kit,
            subject,
            canaries: settings::canaries(&metadata),
            metadata,
            seen: Arc::default(),
            report: Mutex::default(),
            memories: AtomicUsize::new(0),
            works: AtomicBool::new(true),
            ways: Mutex::default(),
            hangs: Mutex::default(),
        }
    }

    /// Tries the scenarios one after the other, each in a room of its own.
    pub(super) fn run(self) -> Report {
        for (at, (name, about, run)) in scenarios::ALL.iter().enumerate() {
            let only = &self.kit.only;
            if at >= scenarios::FIRST && !only.is_empty() && !only.iter().any(|wanted| wanted == name) {
                continue;
            }
            let skipped = match Room::new(&self, name) {
                Ok(room) => {
                    let outcome = run(&room);
                    room.leave();
                    outcome.err().unwrap_or_default().to_owned()
                }
                Err(error) => format!("no temporary folder: {error}"),
            };
            let scenario = Scenario { name: (*name).to_owned(), about: (*about).to_owned(), skipped };
            self.report().scenarios.push(scenario);
        }
        self.report.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the provider lists an interface.
    pub(super) fn has(&self, interface: Interface) -> bool {
        interface == Interface::Core || self.metadata.interfaces.iter().any(|id| id == interface.id())
    }

    /// Something that was never said before.
    pub(super) fn memory(&self) -> Memory {
        Memory::new(self.memories.fetch_add(1, Ordering::Relaxed))
    }

    /// From now on the scenarios that need a working store are left out.
    pub(super) fn does_not_work(&self) {
        self.works.store(false, Ordering::Relaxed);
    }

    /// Remembers that what is stored this way is found at once, so that it must be found later as well.
    pub(super) fn finds_after(&self, way: Way) {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner).push(way);
    }

    /// Whether it works with what the kit can give it.
    pub(super) fn works(&self) -> bool {
        self.works.load(Ordering::Relaxed)
    }

    /// Whether a hook hung so often that it is given up.
    fn is_given_up(&self, hook: Hook) -> bool {
        self.hangs.lock().unwrap_or_else(PoisonError::into_inner).get(&hook).is_some_and(|hangs| *hangs >= HANGS)
    }

    /// Counts a call that did not end. Answers whether the hook is given up now.
    fn hung(&self, hook: Hook) -> bool {
        let mut hangs = self.hangs.lock().unwrap_or_else(PoisonError::into_inner);
        let hangs = hangs.entry(hook).or_default();
        *hangs += 1;
        *hangs == HANGS
    }

    /// The ways of storing that the provider lists, for scenarios that need a store that works.
    pub(super) fn ways(&self) -> Result<Vec<Way>, &'static str> {
        if !self.works() {
            return Err("the provider does not work with what the kit can give it");
        }
        let ways: Vec<_> = Way::ALL.into_iter().filter(|way| self.has(way.hook().interface())).collect();
        if ways.is_empty() { Err("nothing can be stored through the interfaces that it lists") } else { Ok(ways) }
    }

    /// Those of them after which the memory is found at once.
    pub(super) fn sure_ways(&self) -> Result<Vec<Way>, &'static str> {
        self.ways()?;
        let sure = self.ways.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if sure.is_empty() { Err("nothing that is stored can be found at once") } else { Ok(sure) }
    }
}

/// A data folder, and the folder that it lies in.
pub(super) struct Room<'a> {
    pub bench: &'a Bench<'a>,
    scenario: &'static str,
    folder: TempDir,
    /// What lay in the working folder before.
    beside: BTreeSet<OsString>,
}

impl<'a> Room<'a> {
    /// An empty room for a scenario.
    fn new(bench: &'a Bench<'a>, scenario: &'static str) -> std::io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("hermes-kit-").tempdir()?;
        Ok(Self { bench, scenario, folder, beside: names(Path::new(".")) })
    }

    /// The data folder. Not there until it is asked for.
    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A user loses something.
    pub(super) fn error(&self, text: impl Into<String>, hint: &str) {
        self.find(Severity::Error, text, hint);
    }

    /// A user would be better off without it.
    pub(super) fn warn(&self, text: impl Into<String>, hint: &str) {
        self.find(Severity::Warning, text, hint);
    }

    /// Worth knowing.
    pub(super) fn note(&self, text: impl Into<String>, hint: &str) {
        self.find(Severity::Note, text, hint);
    }

    fn find(&self, severity: Severity, text: impl Into<String>, hint: &str) {
        let finding =
            Finding { scenario: self.scenario.to_owned(), severity, text: text.into(), hint: hint.to_owned() };
        self.bench.report().add(finding);
    }

    /// The settings of an ordinary user.
    pub(super) fn settings(&self) -> Map<String, Value> {
        settings::filled(&self.bench.kit.config, &self.bench.metadata, self.folder.path())
    }

    /// Opens an instance on a folder, with these settings and, if so, the secrets.
    ///
    /// The failure is the caller's to judge: a wrong setting may well be refused. That a secret is in the error is a finding
    /// in any case. It is waited for as long as a host does for `health`, 10 s, and [`Kit::late`] longer.
    pub(super) fn open_with(
        &self,
        data_dir: PathBuf,
        settings: Map<String, Value>,
        with_secrets: bool,
    ) -> Result<Box<dyn Opened>, Failure> {
        let bench = self.bench;
        let mut fake = Watch::fake(data_dir.clone(), &settings, bench.kit);
        for (name, value) in bench.canaries.iter().filter(|_| with_secrets) {
            fake = fake.with_secret(name, value);
        }
        let watch = Watch {
            fake,
            data_dir,
            declared: bench.metadata.capabilities.clone(),
            settings,
            canaries: bench.canaries.values().cloned().collect(),
            seen: Arc::clone(&bench.seen),
        };
        let request = OpenRequest {
            host_version: env!("CARGO_PKG_VERSION").to_owned(),
            log_level: "trace".to_owned(),
            scope: Scope { profile: "default".to_owned(), ..Scope::default() },
        };
        let limit = Duration::from_secs(10) + bench.kit.late;
        let opened = bench.subject.open(Arc::new(watch), request, limit);
        if let Err(Failure::Error(error)) = &opened {
            self.keeps_secrets(error.to_string().as_bytes(), "an error");
        }
        opened
    }

    /// Opens an instance in the room's data folder. `None` when it does not open, which is then a finding.
    pub(super) fn open(&self) -> Option<Instance<'_>> {
        self.open_in(self.data())
    }

    /// Opens an instance in another data folder.
    pub(super) fn open_in(&self, data_dir: PathBuf) -> Option<Instance<'_>> {
        match self.open_with(data_dir.clone(), self.settings(), true) {
            Ok(opened) => Some(self.instance(data_dir, opened)),
            Err(failure) => {
                let reason = describe(&failure);
                self.error(format!("the memory does not open: {reason}"), "see `open` of the provider");
                None
            }
        }
    }

    /// What was opened, with an eye on what becomes of its calls.
    pub(super) fn instance(&self, data_dir: PathBuf, opened: Box<dyn Opened>) -> Instance<'_> {
        Instance { room: self, data_dir, opened: Mutex::new(Some(Arc::from(opened))) }
    }

    /// Says so when a secret is in what the provider gives away.
    pub(super) fn keeps_secrets(&self, bytes: &[u8], place: &str) {
        if self.bench.canaries.values().any(|canary| contains(bytes, canary)) {
            self.error(
                format!("the user's key shows up in {place}"),
                "a key belongs into the header of a request and nowhere else",
            );
        }
    }

    /// Looks at what the scenario left behind: files at places that are not the provider's, and secrets in those that are.
    ///
    /// Run after every scenario, since a stray file shows only once something was stored.
    fn leave(self) {
        let strays: Vec<_> = names(self.folder.path()).into_iter().filter(|name| name != "data").collect();
        if let Some(name) = strays.first() {
            self.error(
                format!("files appear outside the data folder (`{}` beside it)", name.to_string_lossy()),
                "open files below `Host::data_dir` only: a worker may do nothing else, and a backup takes nothing else",
            );
        }
        let new: Vec<_> = names(Path::new(".")).difference(&self.beside).cloned().collect();
        if let Some(name) = new.first() {
            self.warn(
                format!("`{}` appears in the folder that hermes was started in", name.to_string_lossy()),
                "open files below `Host::data_dir` only, by absolute paths",
            );
        }
        let mut files = Vec::new();
        walk(&self.data(), &mut files);
        for file in files {
            if fs::read(&file).is_ok_and(|bytes| self.bench.canaries.values().any(|canary| contains(&bytes, canary))) {
                self.warn(
                    "the user's key lies in a file of the data folder, and goes into every backup",
                    "ask `Host::secret` for it each time",
                );
            }
        }
        if self.bench.seen.lock().secret_logged {
            self.error("the user's key shows up in the log", "log what was asked, never with which key");
        }
    }
}

/// The names in a folder; none where there is no folder.
fn names(folder: &Path) -> BTreeSet<OsString> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

/// The plain files below a folder. Links are not followed: they may lead anywhere.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), files),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
}

/// A failure in words, to follow a colon. Texts of the provider are shortened and escaped: a report goes to a terminal.
pub(super) fn describe(failure: &Failure) -> String {
    match failure {
        Failure::Error(ProviderError { message, .. }) => shortened(message),
        Failure::Panic(reason) => format!("it panics ({})", shortened(reason)),
        Failure::Died(reason) => format!("its process ends ({})", shortened(reason)),
        Failure::Hang => "it does not end".to_owned(),
        Failure::Gone => "it is gone after an earlier failure".to_owned(),
        Failure::Unusable(reason) => shortened(reason),
    }
}

/// The first 200 characters, escaped. A text of the provider may repeat a megabyte of the kit's.
pub(super) fn shortened(text: &str) -> String {
    let kept: String = text.chars().take(200).flat_map(char::escape_debug).collect();
    if text.chars().nth(200).is_some() { format!("{kept}…") } else { kept }
}

/// An instance that is open. One that crashed is opened again for the next call.
pub(super) struct Instance<'a> {
    pub room: &'a Room<'a>,
    data_dir: PathBuf,
    opened: Mutex<Option<Arc<dyn Opened>>>,
}

impl Instance<'_> {
    fn slot(&self) -> MutexGuard<'_, Option<Arc<dyn Opened>>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is open; opened again after a crash. None when that fails, which was told when it crashed.
    fn opened(&self) -> Option<Arc<dyn Opened>> {
        let mut slot = self.slot();
        if slot.is_none() {
            let again = self.room.open_with(self.data_dir.clone(), self.room.settings(), true);
            *slot = again.ok().map(Arc::from);
        }
        slot.clone()
    }

    /// How a call of a hook is usually waited for.
    pub(super) fn patience(&self, hook: Hook) -> Patience {
        let bench = self.room.bench;
        let limit = hook.deadline(bench.metadata.capabilities.uses_network());
        Patience { limit, cancelled: false, wait: limit + bench.kit.late }
    }

    /// How a lookup of the kit itself is waited for. A provider that heeds its deadline must not be taken for a forgetful
    /// one on a slow machine.
    pub(super) fn unhurried(&self) -> Patience {
        let limit = Duration::from_secs(30);
        Patience { limit, cancelled: false, wait: limit + self.room.bench.kit.late }
    }

    /// Calls a hook that was told to stop before it began: by its deadline, or by a flag.
    pub(super) fn stopped_call(
        &self,
        what: &str,
        hook: Hook,
        request: &Value,
        cancelled: bool,
    ) -> Result<Vec<u8>, Failure> {
        // Neither deadline is one that a good answer could miss.
        let limit = if cancelled { Duration::from_secs(120) } else { Duration::ZERO };
        self.call(what, hook, request, Patience { limit, cancelled, wait: self.room.bench.kit.late })
    }

    /// Calls a hook. Everything but an answer and an error of the provider is a finding; `what` says what was asked.
    ///
    /// An answer is looked at as well: whether it is the hook's record, whether a secret is in it, and whether it came before
    /// the deadline. After a crash or a hang the instance is let go of, and the next call opens another.
    ///
    /// # Errors
    /// What the provider answered, for the scenario to judge; or the failure that was found.
    pub(super) fn call(&self, what: &str, hook: Hook, request: &Value, patience: Patience) -> Result<Vec<u8>, Failure> {
        if self.room.bench.is_given_up(hook) {
            return Err(Failure::Gone);
        }
        let Some(opened) = self.opened() else { return Err(Failure::Gone) };
        let begun = Instant::now();
        let answer = opened.call(hook, request.to_string().as_bytes(), patience);
        let took = begun.elapsed();
        drop(opened);
        let (room, name) = (self.room, hook.name());
        let slow = || {
            if took >= patience.limit && !patience.limit.is_zero() {
                room.warn(
                    format!("{what}: `{name}` takes longer than its deadline, and {}", loss(hook)),
                    "bound what is worked on, and look at `Call::check` between steps",
                );
            }
        };
        match &answer {
            Ok(bytes) => {
                room.keeps_secrets(bytes, &format!("the answer of `{name}`"));
                if let Some(reason) = unreadable(hook, bytes) {
                    room.error(
                        format!("{what}: what `{name}` answers cannot be read, and {} ({reason})", loss(hook)),
                        "the table of records in the docs says what each hook answers",
                    );
                }
                slow();
            }
            Err(Failure::Error(error)) => {
                room.keeps_secrets(serde_json::to_string(error).unwrap_or_default().as_bytes(), "an error");
                if error.kind == ErrorKind::Cancelled && !patience.cancelled {
                    if took < patience.limit {
                        room.error(
                            format!(
                                "{what}: `{name}` answers that it was told to stop, which nobody did: {}",
                                loss(hook)
                            ),
                            "`Call::check` says when to stop",
                        );
                    }
                    slow();
                }
            }
            Err(Failure::Gone) => drop(self.slot().take()),
            Err(failure) => {
                drop(self.slot().take());
                let hint = match failure {
                    Failure::Hang => "look at `Call::check` between steps; a worker that does not end is killed",
                    _ => "three crashes in ten minutes put a provider into quarantine",
                };
                room.error(format!("{what}: `{name}` fails, and {}: {}", loss(hook), describe(failure)), hint);
                if *failure == Failure::Hang && room.bench.hung(hook) {
                    let text = format!(
                        "`{name}` did not end {HANGS} times: from here on it is not called, and what needs it is not tried"
                    );
                    room.note(text, "");
                }
            }
        }
        answer
    }

    /// Calls a hook, and finds nothing in what becomes of it: for hooks that no host would call.
    pub(super) fn quietly(&self, hook: Hook, request: &Value, patience: Patience) -> Result<Vec<u8>, Failure> {
        if self.room.bench.is_given_up(hook) {
            return Err(Failure::Gone);
        }
        let Some(opened) = self.opened() else { return Err(Failure::Gone) };
        let answer = opened.call(hook, request.to_string().as_bytes(), patience);
        if !matches!(answer, Ok(_) | Err(Failure::Error(_))) {
            drop(self.slot().take());
        }
        answer
    }

    /// Calls a hook with records, waiting as usual. An answer that is no such record was found by [`call`](Self::call).
    pub(super) fn ask<A: DeserializeOwned>(
        &self,
        what: &str,
        hook: Hook,
        request: &impl Serialize,
    ) -> Result<A, Failure> {
        self.ask_within(what, hook, request, self.patience(hook))
    }

    /// Calls a hook with records.
    pub(super) fn ask_within<A: DeserializeOwned>(
        &self,
        what: &str,
        hook: Hook,
        request: &impl Serialize,
        patience: Patience,
    ) -> Result<A, Failure> {
        let answer = self.call(what, hook, &super::requests::json(request), patience)?;
        serde_json::from_slice(&answer).map_err(|error| Failure::Unusable(error.to_string()))
    }

    /// Shuts down and closes, as hermes does at exit.
    pub(super) fn end(self) {
        let _ = self.call("at exit", Hook::Shutdown, &Value::Null, self.patience(Hook::Shutdown));
        self.close();
    }

    /// Closes without shutting down first.
    pub(super) fn close(self) {
        let Some(opened) = self.slot().take() else { return };
        if let Err(failure) = opened.close(Duration::from_secs(10) + self.room.bench.kit.late) {
            let reason = describe(&failure);
            self.room.error(format!("hermes does not end cleanly: {reason}"), "see `drop` of the provider");
        }
    }
}
