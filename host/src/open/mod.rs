//! A home made into a running memory: its provider found, installed if that may be done unasked, verified, configured,
//! loaded.
//!
//! Nothing here prints. What the user should know comes back as values, so that a degraded memory is seen wherever
//! the host runs.

mod degraded;
mod error;
mod files;
mod memory;
mod models;
mod sessions;
mod status;

pub use crate::clock::ago;
pub use degraded::{Degraded, DegradedKind};
pub use error::OpenError;
pub use files::{FileStatus, Files, waiting_line};
pub use memory::{Closed, OpenMemory};
pub use models::{ModelUse, off_line};
pub use sessions::{Sessions, prepare};
pub use status::{Check, Last, Problem, Status};

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hermes_provider_api::host::LogRecord;
use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::{ConfigField, OpenRequest};
use hermes_provider_api::{Capabilities, Hook, Scope};
use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::config::{Config, Isolation};
use crate::db::Db;
use crate::error::Failure;
use crate::home::{Home, expand};
use crate::model::{self, Models};
use crate::plugins::catalog::{CatalogError, CatalogRoot, Catalogs, default_roots};
use crate::plugins::fetch::{Fetcher, Step};
use crate::plugins::health::Health;
use crate::plugins::install::{
    Approval, InstallContext, LazyPlan, LazyPolicy, NotUsable, Outcome, Request, check_installed, install, lazy_plan,
};
use crate::plugins::load::sandbox::{Confinement, Pretended};
use crate::plugins::load::{Confine, Limits, Loaded, Loading, Plugin};
use crate::plugins::lock::Lock;
use crate::plugins::resolve::{Platform, Want};
use crate::plugins::services::{HostServices, LogSink, ModelAccess, SecretSource};
use crate::plugins::verify::Verified;
use crate::secrets::{Mask, Secrets};

/// Asks the environment for a variable.
pub type Env = Arc<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// What a provider is opened in.
#[derive(Clone)]
pub struct Surroundings {
    /// The home.
    pub home: Home,
    /// Its settings.
    pub config: Config,
    /// Its secrets.
    pub secrets: Arc<Secrets>,
    /// The environment, for settings that a variable overrides.
    pub env: Env,
    /// Where plugins come from.
    pub roots: Vec<CatalogRoot>,
    /// Nothing is fetched.
    pub offline: bool,
    /// Where the provider's code runs, unless `plugins.isolation` says otherwise.
    pub isolation: Isolation,
    /// The `hermes` binary, which is also the worker; without one, providers run in this process only.
    pub executable: Option<PathBuf>,
    /// The time.
    pub clock: Clock,
    /// Where the provider's log lines go, without the secrets of the home.
    pub log: LogSink,
    /// Where health and deliveries are kept; None keeps them for as long as the process lives.
    pub db: Option<Arc<Db>>,
    /// Why there is no database although there is a home.
    pub unkept: Option<Failure>,
}

/// What became of `memory.provider`.
pub enum Opening {
    /// No external provider is configured.
    None,
    /// It is there, and is being opened.
    Ready {
        /// The provider.
        provider: Arc<Loaded>,
        /// What happened on the way, a line each.
        notes: Vec<String>,
    },
    /// One is configured and cannot be used. The host goes on without, visibly.
    Degraded {
        /// Its id.
        id: String,
        /// Why, and what to type.
        failure: Failure,
        /// What happened before that, a line each.
        notes: Vec<String>,
    },
}

impl Surroundings {
    /// Those of an application: the home's settings and secrets, the environment of the process, the catalogs that
    /// [`default_roots`] finds, and providers in this process.
    ///
    /// # Errors
    /// When `config.toml` or `.env` cannot be read.
    pub fn of_home(home: Home) -> Result<Self, Failure> {
        let config = Config::load(&home)?;
        let secrets = Arc::new(Secrets::load(&home, |name| std::env::var_os(name))?);
        let env: Env = Arc::new(|name| std::env::var_os(name));
        prepare(&home, &config);
        let (db, warning) = open_database(&home);
        if let Some(Failure { message, .. }) = &warning {
            tracing::warn!(message, "the database");
        }
        Ok(Self {
            roots: roots(&[], &config, &*env, &std::env::current_exe().unwrap_or_default()),
            home,
            config,
            secrets,
            env,
            offline: false,
            isolation: Isolation::InProcess,
            executable: None,
            clock: Clock::default(),
            log: log_sink(),
            unkept: warning.filter(|_| db.is_none()),
            db,
        })
    }

    /// Opens a provider, and installs it first where its first use does that.
    #[must_use]
    pub fn open(&self, id: &str) -> Opening {
        let mut notes = Vec::new();
        match self.ready(id, &mut notes) {
            Ok(provider) => {
                provider.warm_up();
                Opening::Ready { provider: Arc::new(provider), notes }
            }
            Err(error) => Opening::Degraded { id: id.to_owned(), failure: error.into(), notes },
        }
    }

    /// What happens on the way is noted even if the provider cannot be opened then.
    fn ready(&self, id: &str, notes: &mut Vec<String>) -> Result<Loaded, OpenError> {
        if !Lock::read(&self.home)?.plugins.contains_key(id) {
            notes.extend(self.install_lazily(id, &self.catalogs()?)?);
        }
        // A plugin that is installed still runs when a catalog cannot be read; the user should know that nobody asked it.
        let catalogs = self.readable_catalogs();
        notes.extend(catalogs.unread().iter().map(|error| format!("warning: {}", not_asked(error))));
        let verified = self.verified(id, &catalogs)?;
        let loaded = self.load(&verified, Strictness::WhatIsMissingStops)?;
        notes.extend(loaded.notes);
        Ok(loaded.provider)
    }

    /// The catalogs of these surroundings.
    ///
    /// # Errors
    /// When one that the user named cannot be read.
    pub fn catalogs(&self) -> Result<Catalogs, CatalogError> {
        Catalogs::load(&self.roots)
    }

    /// What can be read of them, for plugins that are installed already: nothing may be installed from these.
    #[must_use]
    pub fn readable_catalogs(&self) -> Catalogs {
        Catalogs::load_readable(&self.roots)
    }

    /// Checks an installed plugin.
    ///
    /// # Errors
    /// When it is not installed or does not fit.
    pub fn verified(&self, id: &str, catalogs: &Catalogs) -> Result<Verified, NotUsable> {
        check_installed(&self.home, id, self.isolation(), &Platform::current(), catalogs)
    }

    /// Where a provider's code runs here.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        self.config.isolation().unwrap_or(self.isolation)
    }

    /// Why a provider that is not installed will not be installed by itself; None when its first use does that.
    ///
    /// # Errors
    /// When the lockfile cannot be read.
    pub fn why_not_lazily(&self, id: &str, catalogs: &Catalogs) -> Result<Option<OpenError>, OpenError> {
        let policy = if self.config.allow_lazy_installs() { LazyPolicy::Allowed } else { LazyPolicy::Forbidden };
        let (id, lock, fetch) = (id.to_owned(), Lock::read(&self.home)?, self.fetcher(&|_| {}));
        Ok(match lazy_plan(&id, catalogs, &lock, &Platform::current(), policy, &fetch) {
            LazyPlan::Install => None,
            LazyPlan::Ask { command, why } => Some(OpenError::Ask { id, why, command }),
            LazyPlan::Impossible { why, hints } => Some(OpenError::Impossible { id, why, hints }),
            LazyPlan::Unknown { closest } => Some(OpenError::Unknown { id, closest }),
        })
    }

    /// What gets archives for these surroundings, and tells `step` how it goes.
    #[must_use]
    pub fn fetcher<'a>(&'a self, step: &'a dyn Fn(Step<'_>)) -> Fetcher<'a> {
        Fetcher { home: &self.home, offline: self.offline, idle: self.config.fetch_timeout(), step }
    }

    fn install_lazily(&self, id: &str, catalogs: &Catalogs) -> Result<Option<String>, OpenError> {
        if let Some(reason) = self.why_not_lazily(id, catalogs)? {
            return Err(reason);
        }
        let context = InstallContext {
            home: &self.home,
            clock: &self.clock,
            catalogs,
            fetch: self.fetcher(&|_| {}),
            platform: &Platform::current(),
            approve: &|_| Approval::CannotAsk,
            load_test: &|verified| self.load_test(verified),
            progress: &|_| {},
        };
        Ok(match install(&Request { name: id.to_owned(), want: Want::Newest, force: false }, &context)? {
            Outcome::Installed { record, .. } => {
                Some(format!("installed {id} {} from the official catalog", record.version))
            }
            // Another process was faster.
            Outcome::AlreadyInstalled { .. } => None,
        })
    }

    /// Loads a plugin, in a worker where there is one, and drops it: proof that it runs here, before anything relies on it. It works in a
    /// throw-away data folder, without secrets.
    ///
    /// # Errors
    /// What the provider or the loader says.
    pub fn load_test(&self, verified: &Verified) -> Result<(), Failure> {
        let data = tempfile::tempdir().map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
        let defaults =
            Config::default().provider_settings(&verified.metadata.id, &verified.metadata.config, |_| None)?;
        let services = HostServices {
            provider: verified.metadata.id.clone(),
            data_dir: data.path().to_owned(),
            settings: defaults.values,
            defaults: BTreeMap::new(),
            home: self.home.base().root().to_owned(),
            granted: Capabilities::default(),
            secrets: Arc::new(|_| None),
            clock: self.clock.clone(),
            log: Arc::clone(&self.log),
            model: ModelAccess::default(),
        };
        let health = Arc::new(Health::new(&verified.metadata.id, self.clock.clone(), None));
        let isolation = if self.executable.is_some() { Isolation::Process } else { Isolation::InProcess };
        let limits = self.limits(verified, &[]);
        let loaded = Loaded::new(self.plugin(verified, services), self.loading(limits, isolation, health));
        loaded.open()?;
        match loaded.close().problem {
            None => Ok(()),
            Some(problem) => Err(Failure::new(problem)),
        }
    }

    /// Loads a verified plugin with the user's settings. It is opened at its first call.
    ///
    /// # Errors
    /// When its settings are wrong, or, if that matters, incomplete.
    pub fn load(&self, verified: &Verified, strictness: Strictness) -> Result<Prepared, OpenError> {
        let metadata = &verified.metadata;
        if self.isolation() == Isolation::Process && self.executable.is_none() {
            return Err(OpenError::NoWorker { id: metadata.id.clone() });
        }
        let settings = self.config.provider_settings(&metadata.id, &metadata.config, |name| (self.env)(name))?;
        let missing: Vec<_> =
            settings.missing.iter().cloned().chain(self.missing_secrets(metadata, &settings.values)).collect();
        if !missing.is_empty() && strictness == Strictness::WhatIsMissingStops {
            return Err(OpenError::NotSetUp { id: metadata.id.clone(), missing });
        }
        let mask = self.secrets.mask(verified.granted.secret.iter().map(String::as_str).chain(model::KEYS));
        let uses = self.model_uses(metadata, &settings.values);
        let limits = self.limits(verified, &uses);
        let model = ModelAccess {
            models: Models::of(&self.config, &self.secrets),
            redactor: memory::redactor(mask.clone(), &metadata.config),
        };
        let services = HostServices {
            provider: metadata.id.clone(),
            data_dir: self.home.provider_data(&metadata.id),
            settings: settings.values,
            defaults: own_choices(metadata),
            home: self.home.base().root().to_owned(),
            granted: verified.granted.clone(),
            secrets: self.secret_source(),
            clock: self.clock.clone(),
            log: masked(Arc::clone(&self.log), mask.clone()),
            model,
        };
        let health = Arc::new(Health::new(&metadata.id, self.clock.clone(), self.db.clone()).masked(mask));
        let loading = self.loading(limits, self.isolation(), health);
        let provider = Loaded::new(self.plugin(verified, services), loading);
        Ok(Prepared { provider, notes: settings.warnings.iter().map(ToString::to_string).collect() })
    }

    /// Required secrets that have no value, by the variable that holds them.
    fn missing_secrets(&self, metadata: &Metadata, settings: &Map<String, Value>) -> Vec<String> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let applies = |field: &ConfigField| {
            let condition = field.when.as_ref();
            condition.is_none_or(|when| settings.get(&when.key).map(text).as_ref() == Some(&when.equals))
        };
        let required = metadata.config.iter().filter(|field| field.secret && field.required && applies(field));
        required.filter(|field| self.secrets.get(&field.env_var).is_none()).map(|field| field.env_var.clone()).collect()
    }

    fn secret_source(&self) -> SecretSource {
        let secrets = Arc::clone(&self.secrets);
        Arc::new(move |name| secrets.get(name))
    }

    fn plugin(&self, verified: &Verified, services: HostServices) -> Plugin {
        Plugin {
            library: verified.library.clone(),
            sha256: verified.sha256.clone(),
            metadata: verified.metadata.clone(),
            services: Arc::new(services),
            open: OpenRequest {
                host_version: env!("CARGO_PKG_VERSION").to_owned(),
                log_level: self.config.log_level().to_string().to_lowercase(),
                scope: Scope { profile: self.home.profile().to_owned(), ..Scope::default() },
            },
            confine: Confine::to(&verified.granted, self.pretended()),
        }
    }

    /// What holds a provider with these grants, here and on this machine.
    #[must_use]
    pub fn confinement(&self, granted: &Capabilities) -> Confinement {
        Confinement::of(self.isolation(), granted, &self.pretended())
    }

    /// Pieces of the kernel that a test wants to be treated as missing.
    fn pretended(&self) -> Pretended {
        Pretended::read((self.env)(Pretended::VARIABLE).as_deref())
    }

    fn limits(&self, verified: &Verified, uses: &[ModelUse]) -> Limits {
        let mut own: BTreeMap<Hook, Duration> =
            Hook::ALL.iter().filter_map(|&hook| Some((hook, self.config.timeout(hook)?))).collect();
        own.entry(Hook::Shutdown).or_insert_with(|| self.config.shutdown_timeout());
        let capabilities = &verified.metadata.capabilities;
        let network = capabilities.uses_network() || uses.iter().any(|used| used.on);
        Limits { own, network, programs: !capabilities.command.is_empty(), ..Limits::default() }
    }

    fn loading(&self, limits: Limits, isolation: Isolation, health: Arc<Health>) -> Loading {
        Loading {
            isolation,
            executable: self.executable.clone().unwrap_or_default(),
            limits,
            clock: self.clock.clone(),
            health,
            reports: Some(self.home.logs()),
        }
    }
}

/// What a plugin's settings are unless the user sets another.
fn own_choices(metadata: &Metadata) -> BTreeMap<String, String> {
    metadata.config.iter().filter_map(|field| Some((field.key.clone(), field.default.clone()?))).collect()
}

/// What a catalog that cannot be read means for a plugin that is installed.
#[must_use]
pub fn not_asked(error: &CatalogError) -> String {
    format!("what a catalog blocks is not known: {error}")
}

/// The catalogs that apply: those of flags, of the environment, of the settings, or those that are usually there.
#[must_use]
pub fn roots(
    flags: &[PathBuf],
    config: &Config,
    env: &dyn Fn(&str) -> Option<OsString>,
    executable: &Path,
) -> Vec<CatalogRoot> {
    let variable = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data_home = variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/share")));
    let listed = env("HERMES_CATALOG").unwrap_or_default();
    let listed = std::env::split_paths(&listed).map(|path| expand(path, env)).collect::<Vec<_>>();
    let config: Vec<_> = config.catalogs().into_iter().map(|path| expand(path, env)).collect();
    default_roots(flags, &listed, &config, executable, data_home)
}

/// The database, and what the user should know about it. None when it cannot be used or the home is not there yet: what
/// would be in it is then kept for as long as the process lives.
#[must_use]
pub fn open_database(home: &Home) -> (Option<Arc<Db>>, Option<Failure>) {
    if !home.root().is_dir() {
        return (None, None);
    }
    match Db::open(home) {
        Ok(opened) => (Some(Arc::new(opened.db)), opened.warning.map(|warning| Failure::new(warning.to_string()))),
        Err(error) => {
            let Failure { message, hints, usage } = error.into();
            let message = format!("turns and health are kept only until this command ends: {message}");
            (None, Some(Failure { message, hints, usage }))
        }
    }
}

/// Sends a provider's lines to `tracing`, each at its own level.
#[must_use]
pub fn log_sink() -> LogSink {
    // The level of an event is fixed where it is made, so there is one place for each.
    macro_rules! event {
        ($event:ident, $provider:expr, $record:expr) => {
            tracing::$event!(target: "provider", provider = $provider, from = $record.target, trace = $record.trace_id, "{}", $record.message)
        };
    }
    Arc::new(|provider, record| match record.level.as_str() {
        "error" => event!(error, provider, record),
        "warn" => event!(warn, provider, record),
        "debug" => event!(debug, provider, record),
        "trace" => event!(trace, provider, record),
        _ => event!(info, provider, record),
    })
}

/// Hands lines on without these secrets.
fn masked(log: LogSink, mask: Mask) -> LogSink {
    Arc::new(move |provider, record| {
        let hide = |text: &str| mask.apply(text).into_owned();
        let (target, message) = (hide(&record.target), hide(&record.message));
        log(provider, &LogRecord { target, message, ..record.clone() });
    })
}

/// Whether a provider is loaded although a required setting has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// For use.
    WhatIsMissingStops,
    /// For setup, which asks the provider what it needs.
    WhatIsMissingWaits,
}

/// A provider that is ready to be opened.
pub struct Prepared {
    /// The provider.
    pub provider: Loaded,
    /// What is odd about its settings.
    pub notes: Vec<String>,
}
