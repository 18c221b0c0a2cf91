//! A home made into a running provider: found, installed if that may be done unasked, verified, configured, loaded.
//!
//! Nothing here prints. What the user should know comes back as values, so that a degraded memory is seen wherever
//! the host runs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::{ConfigField, OpenRequest};
use hermes_provider_api::{Capabilities, Hook, Scope};
use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::config::{Config, Isolation};
use crate::db::Db;
use crate::error::{Failure, Hint};
use crate::home::Home;
use crate::plugins::catalog::{CatalogError, CatalogRoot, Catalogs};
use crate::plugins::health::Health;
use crate::plugins::install::{
    Approval, InstallContext, InstallError, LazyPlan, LazyPolicy, NotUsable, Outcome, Request, check_installed,
    install, lazy_plan,
};
use crate::plugins::load::{Limits, Loaded, Loading, Plugin};
use crate::plugins::lock::Lock;
use crate::plugins::resolve::{Platform, Want};
use crate::plugins::services::{HostServices, LogSink, SecretSource};
use crate::plugins::verify::Verified;
use crate::secrets::Mask;

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
    pub secrets: SecretSource,
    /// The environment, for settings that a variable overrides.
    pub env: Env,
    /// Where plugins come from.
    pub roots: Vec<CatalogRoot>,
    /// Nothing is fetched.
    pub offline: bool,
    /// Where the provider's code runs, unless `plugins.isolation` says otherwise.
    pub isolation: Isolation,
    /// The `hermes` binary, which is also the worker.
    pub executable: PathBuf,
    /// The time.
    pub clock: Clock,
    /// Where the provider's log lines go.
    pub log: LogSink,
    /// Where health is kept; None keeps it for as long as the process lives.
    pub db: Option<Arc<Db>>,
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
    },
}

/// Why a provider cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It is not installed and may not be installed unasked.
    #[error("`{id}` is not installed: {why}")]
    Ask {
        /// The provider.
        id: String,
        /// Why it was not done at once.
        why: String,
        /// The command that does it.
        command: String,
    },
    /// It is not installed and cannot be.
    #[error("`{id}` is not installed and cannot be: {why}")]
    Impossible {
        /// The provider.
        id: String,
        /// Why not.
        why: String,
        /// What may help.
        hints: Vec<String>,
    },
    /// No catalog has it.
    #[error("`{id}` is not installed and in no catalog")]
    Unknown {
        /// The provider.
        id: String,
        /// What was perhaps meant.
        closest: Option<String>,
    },
    /// It was not set up.
    #[error("`{id}` is not set up: {} missing", list(missing))]
    NotSetUp {
        /// The provider.
        id: String,
        /// The keys and variables that have no value.
        missing: Vec<String>,
    },
    /// The catalogs cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// It could not be installed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// It is installed and does not fit.
    #[error(transparent)]
    NotUsable(#[from] NotUsable),
    /// Its settings are wrong.
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    /// The lockfile cannot be read.
    #[error(transparent)]
    Lock(#[from] crate::plugins::lock::LockError),
}

fn list(missing: &[String]) -> String {
    let names: Vec<_> = missing.iter().map(|name| format!("`{name}`")).collect();
    format!("{} {}", names.join(", "), if missing.len() == 1 { "is" } else { "are" })
}

impl Hint for OpenError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Ask { command, .. } => vec![format!("run `{command}`")],
            Self::Impossible { hints, .. } => hints.clone(),
            Self::Unknown { closest: Some(closest), .. } => {
                vec![format!("did you mean `{closest}`? Run `hermes memory setup {closest}`")]
            }
            Self::Unknown { .. } => vec!["`hermes plugins list` shows what there is".to_owned()],
            Self::NotSetUp { id, .. } => vec![format!("run `hermes memory setup {id}`")],
            Self::Catalog(error) => error.hints(),
            Self::Install(error) => error.hints(),
            Self::NotUsable(error) => error.hints(),
            Self::Config(error) => error.hints(),
            Self::Lock(error) => error.hints(),
        }
    }
}

impl Surroundings {
    /// Opens the provider that `memory.provider` names.
    #[must_use]
    pub fn open(&self) -> Opening {
        let Some(id) = self.config.provider().map(str::to_owned) else { return Opening::None };
        match self.ready(&id) {
            Ok((provider, notes)) => {
                provider.warm_up();
                Opening::Ready { provider: Arc::new(provider), notes }
            }
            Err(error) => Opening::Degraded { id, failure: error.into() },
        }
    }

    fn ready(&self, id: &str) -> Result<(Loaded, Vec<String>), OpenError> {
        let catalogs = self.catalogs();
        let mut notes = Vec::new();
        if !Lock::read(&self.home)?.plugins.contains_key(id) {
            let catalogs = catalogs.as_ref().map_err(Clone::clone)?;
            notes.extend(self.install_lazily(id, catalogs)?);
        }
        // Without its catalogs a plugin that is installed still runs; only their blocklists are not asked.
        let verified = self.verified(id, catalogs.as_ref().ok())?;
        let loaded = self.load(&verified, Strictness::WhatIsMissingStops)?;
        Ok((loaded.provider, notes.into_iter().chain(loaded.notes).collect()))
    }

    /// The catalogs of these surroundings.
    ///
    /// # Errors
    /// When one that the user named cannot be read.
    pub fn catalogs(&self) -> Result<Catalogs, CatalogError> {
        Catalogs::load(&self.roots)
    }

    /// Checks an installed plugin.
    ///
    /// # Errors
    /// When it is not installed or does not fit.
    pub fn verified(&self, id: &str, catalogs: Option<&Catalogs>) -> Result<Verified, NotUsable> {
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
        let policy = match (self.offline, self.config.allow_lazy_installs()) {
            (true, _) => LazyPolicy::Offline,
            (false, false) => LazyPolicy::Forbidden,
            (false, true) => LazyPolicy::Allowed,
        };
        let id = id.to_owned();
        Ok(match lazy_plan(&id, catalogs, &Lock::read(&self.home)?, &Platform::current(), policy) {
            LazyPlan::Install => None,
            LazyPlan::Ask { command, why } => Some(OpenError::Ask { id, why, command }),
            LazyPlan::Impossible { why, hints } => Some(OpenError::Impossible { id, why, hints }),
            LazyPlan::Unknown { closest } => Some(OpenError::Unknown { id, closest }),
        })
    }

    fn install_lazily(&self, id: &str, catalogs: &Catalogs) -> Result<Option<String>, OpenError> {
        if let Some(reason) = self.why_not_lazily(id, catalogs)? {
            return Err(reason);
        }
        let context = InstallContext {
            home: &self.home,
            clock: &self.clock,
            catalogs,
            platform: &Platform::current(),
            approve: &|_| Approval::CannotAsk,
            load_test: &|verified| self.load_test(verified),
            progress: &|_| {},
        };
        Ok(match install(&Request { name: id.to_owned(), want: Want::Newest }, &context)? {
            Outcome::Installed { record, .. } => {
                Some(format!("installed {id} {} from the official catalog", record.version))
            }
            // Another process was faster.
            Outcome::AlreadyInstalled { .. } => None,
        })
    }

    /// Loads a plugin in a worker and drops it: proof that it runs here, before anything relies on it. It works in a
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
            granted: Capabilities::default(),
            secrets: Arc::new(|_| None),
            clock: self.clock.clone(),
            log: Arc::clone(&self.log),
        };
        let health = Arc::new(Health::new(&verified.metadata.id, self.clock.clone(), None));
        let loaded =
            Loaded::new(self.plugin(verified, services), self.loading(&verified.metadata, Isolation::Process, health));
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
        let settings = self.config.provider_settings(&metadata.id, &metadata.config, |name| (self.env)(name))?;
        let missing: Vec<_> =
            settings.missing.iter().cloned().chain(self.missing_secrets(metadata, &settings.values)).collect();
        if !missing.is_empty() && strictness == Strictness::WhatIsMissingStops {
            return Err(OpenError::NotSetUp { id: metadata.id.clone(), missing });
        }
        let services = HostServices {
            provider: metadata.id.clone(),
            data_dir: self.home.provider_data(&metadata.id),
            settings: settings.values,
            granted: verified.granted.clone(),
            secrets: Arc::clone(&self.secrets),
            clock: self.clock.clone(),
            log: Arc::clone(&self.log),
        };
        let secrets = verified.granted.secret.iter();
        let secrets = secrets.filter_map(|name| Some((name.as_str(), (self.secrets)(name)?)));
        let health = Health::new(&metadata.id, self.clock.clone(), self.db.clone()).masked(Mask::new(secrets));
        let health = Arc::new(health);
        let loading = self.loading(metadata, self.isolation(), Arc::clone(&health));
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
        required.filter(|field| (self.secrets)(&field.env_var).is_none()).map(|field| field.env_var.clone()).collect()
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
                scope: Scope { profile: "default".to_owned(), ..Scope::default() },
            },
        }
    }

    fn loading(&self, metadata: &Metadata, isolation: Isolation, health: Arc<Health>) -> Loading {
        let own = Hook::ALL.iter().filter_map(|&hook| Some((hook, self.config.timeout(hook)?))).collect();
        Loading {
            isolation,
            executable: self.executable.clone(),
            limits: Limits { own, network: metadata.capabilities.uses_network(), ..Limits::default() },
            clock: self.clock.clone(),
            health,
        }
    }
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
