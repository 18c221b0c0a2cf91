//! A plugin, opened through the real loader with real host services.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_host::clock::Clock;
use hermes_host::plugins::health::Health;
use hermes_host::plugins::hooks::{CallError, Hooks};
use hermes_host::plugins::inspect;
use hermes_host::plugins::load::sandbox::{Confine, Pretended};
use hermes_host::plugins::load::{Isolation, Limits, Loaded, Loading, Plugin};
use hermes_host::plugins::services::{HostServices, ModelAccess};
use hermes_host::plugins::verify::sha256_of;
use hermes_provider_api::host::LogRecord;
use hermes_provider_api::records::{OpenRequest, PrefetchQuery, Recall};
use hermes_provider_api::{Capabilities, Hook, Secret};
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::wait::{PATIENCE, until};
use crate::{fixtures, patch};

/// Every way of loading.
pub const BOTH: [Isolation; 2] = [Isolation::Process, Isolation::InProcess];

/// The time of every provider's clock.
pub const NOW: u64 = 1_767_225_600_000;

/// How a provider is to be opened.
pub struct Setup {
    library: PathBuf,
    isolation: Isolation,
    executable: PathBuf,
    limits: Limits,
    settings: Map<String, Value>,
    granted: Capabilities,
    confine: Confine,
    clock: Clock,
    folder: TempDir,
}

impl Setup {
    /// With this library, copied into a folder of its own. Deadlines are so long that only a test's own are reached.
    ///
    /// # Panics
    /// When the file cannot be copied.
    #[must_use]
    #[track_caller]
    pub fn new(library: &Path, isolation: Isolation) -> Self {
        crate::log::keep();
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut limits = Limits { late: PATIENCE, ..Limits::default() };
        limits.own.extend(Hook::ALL.iter().map(|&hook| (hook, PATIENCE)));
        Self {
            library: patch::copy(library, folder.path(), |_| {}),
            isolation,
            executable: fixtures().hermes().to_owned(),
            limits,
            settings: Map::new(),
            granted: Capabilities::default(),
            confine: Confine::default(),
            clock: Clock::fixed(NOW),
            folder,
        }
    }

    /// The faulty provider.
    #[must_use]
    #[track_caller]
    pub fn faulty(isolation: Isolation) -> Self {
        Self::new(fixtures().faulty(), isolation)
    }

    /// With the bytes of the library changed.
    #[must_use]
    #[track_caller]
    pub fn patched(self, change: impl FnOnce(&mut Vec<u8>)) -> Self {
        patch::copy(&self.library, self.folder.path(), change);
        self
    }

    /// With a setting of the provider.
    #[must_use]
    pub fn setting(mut self, key: &str, value: &str) -> Self {
        self.settings.insert(key.to_owned(), value.into());
        self
    }

    /// With another deadline.
    #[must_use]
    pub fn limit(mut self, hook: Hook, limit: Duration) -> Self {
        self.limits.own.insert(hook, limit);
        self
    }

    /// With another clock for the host.
    #[must_use]
    pub fn clock(mut self, clock: &Clock) -> Self {
        self.clock = clock.clone();
        self
    }

    /// With another late limit.
    #[must_use]
    pub fn late(mut self, late: Duration) -> Self {
        self.limits.late = late;
        self
    }

    /// With a secret granted.
    #[must_use]
    pub fn grant_secret(mut self, name: &str) -> Self {
        self.granted.secret.push(name.to_owned());
        self
    }

    /// With a worker that the kernel does not confine: the provider can do what it could in any other process.
    #[must_use]
    pub fn unconfined(mut self) -> Self {
        self.confine.pretended = Pretended::read(Some("landlock,seccomp,capabilities,limits".as_ref()));
        self
    }

    /// With another program as the worker.
    #[must_use]
    pub fn executable(mut self, executable: &Path) -> Self {
        executable.clone_into(&mut self.executable);
        self
    }

    /// The copy of the library.
    #[must_use]
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// What is opened, as the host would have found it in the store.
    ///
    /// # Panics
    /// When it cannot be read.
    #[must_use]
    #[track_caller]
    pub fn plugin(&self) -> Plugin {
        let metadata = inspect::inspect(&self.library).expect("a fixture has a section");
        let sha256 = sha256_of(&self.library).expect("a fixture can be read");
        Plugin {
            library: self.library.clone(),
            sha256: sha256.to_string(),
            services: self.services(&metadata.id).0,
            metadata,
            open: OpenRequest { host_version: "0.1.0".into(), log_level: "debug".into(), ..OpenRequest::default() },
            confine: self.confine.clone(),
        }
    }

    fn services(&self, id: &str) -> (Arc<HostServices>, Arc<Mutex<Vec<LogRecord>>>) {
        let log = Arc::<Mutex<Vec<LogRecord>>>::default();
        let sink = Arc::clone(&log);
        let services = HostServices {
            provider: id.to_owned(),
            data_dir: self.folder.path().join("data"),
            settings: self.settings.clone(),
            defaults: BTreeMap::new(),
            home: self.folder.path().to_owned(),
            granted: self.granted.clone(),
            secrets: Arc::new(|name| (name == "FAULTY_KEY").then(|| Secret::new("fk_1"))),
            clock: Clock::fixed(NOW),
            log: Arc::new(move |_, record| sink.lock().unwrap_or_else(PoisonError::into_inner).push(record.clone())),
            model: ModelAccess::default(),
        };
        (Arc::new(services), log)
    }

    /// A provider that is opened when it is first called.
    #[must_use]
    #[track_caller]
    pub fn loaded(self) -> Provider {
        let plugin = self.plugin();
        self.loaded_as(plugin)
    }

    /// The same with a changed record of what was installed.
    #[must_use]
    #[track_caller]
    pub fn loaded_as(self, plugin: Plugin) -> Provider {
        let (services, log) = self.services(&plugin.metadata.id);
        let clock = self.clock;
        let health = Arc::new(Health::new(&plugin.metadata.id, clock.clone(), None));
        let loading = Loading {
            isolation: self.isolation,
            executable: self.executable,
            limits: self.limits,
            clock,
            health: Arc::clone(&health),
            reports: Some(self.folder.path().join("logs")),
        };
        let plugin = Plugin { services, ..plugin };
        Provider { loaded: Arc::new(Loaded::new(plugin, loading)), health, log, folder: self.folder }
    }

    /// A provider that is open.
    ///
    /// # Panics
    /// When it does not open.
    #[must_use]
    #[track_caller]
    pub fn open(self) -> Provider {
        let provider = self.loaded();
        provider.loaded.open().unwrap_or_else(|error| panic!("it does not open: {error}"));
        provider
    }
}

/// A provider with a folder of its own.
pub struct Provider {
    /// The provider as the host has it. Declared first: it is closed before the folder is removed.
    pub loaded: Arc<Loaded>,
    /// Its record.
    pub health: Arc<Health>,
    log: Arc<Mutex<Vec<LogRecord>>>,
    folder: TempDir,
}

impl Provider {
    /// The hooks.
    #[must_use]
    pub fn hooks(&self) -> &(dyn Hooks + 'static) {
        &*self.loaded
    }

    /// Recalls for a text, and answers with the first item's text.
    ///
    /// # Errors
    /// Why there is no recall.
    pub fn recall(&self, query: &str) -> Result<String, CallError> {
        let recall: Recall = self.hooks().ask(Hook::Prefetch, &query_of(query))?;
        Ok(recall.items.into_iter().next().map(|item| item.text).unwrap_or_default())
    }

    /// Queues a recall for a text.
    ///
    /// # Errors
    /// Why it is not queued.
    pub fn queue(&self, query: &str) -> Result<(), CallError> {
        self.hooks().ask(Hook::QueuePrefetch, &query_of(query))
    }

    /// Fails the test unless the provider answers an ordinary recall.
    ///
    /// # Panics
    /// When it does not.
    #[track_caller]
    pub fn still_answers(&self) {
        match self.recall("as ever") {
            Ok(text) => assert_eq!(text, "as ever"),
            Err(error) => panic!("the next call is not answered: {error}"),
        }
    }

    /// The process that the provider runs in.
    ///
    /// # Panics
    /// When it cannot say.
    #[must_use]
    #[track_caller]
    pub fn process(&self) -> u32 {
        let health: hermes_provider_api::records::Health =
            self.hooks().ask(Hook::Health, &()).unwrap_or_else(|error| panic!("no health: {error}"));
        let pid = health.detail.strip_prefix("process ").and_then(|pid| pid.parse().ok());
        pid.unwrap_or_else(|| panic!("{}", health.detail))
    }

    /// Its data folder.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Lets all waiting calls go on.
    ///
    /// # Panics
    /// When the file cannot be written.
    pub fn release(&self) {
        // A provider that is still being opened may not have asked for its folder yet.
        std::fs::create_dir_all(self.data()).expect("a folder of the test's own");
        std::fs::write(self.data().join("release"), "").expect("the data folder is there");
    }

    /// The calls that the provider has begun, as `<process> <hook> <deed>`, one per line.
    #[must_use]
    pub fn started(&self) -> String {
        std::fs::read_to_string(self.data().join("started")).unwrap_or_default()
    }

    /// Waits until a call has begun this often.
    #[track_caller]
    pub fn until_started(&self, call: &str, times: usize) {
        until(&format!("`{call}` has begun {times} times"), || {
            (self.started().lines().filter(|line| line.ends_with(call)).count() >= times).then_some(())
        });
    }

    /// What the provider sent to the log.
    #[must_use]
    pub fn log(&self) -> Vec<LogRecord> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A query with this text.
#[must_use]
pub fn query_of(text: &str) -> PrefetchQuery {
    PrefetchQuery { query: text.to_owned(), ..PrefetchQuery::default() }
}
