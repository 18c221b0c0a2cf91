//! What the command line opens a provider in.

use std::path::PathBuf;
use std::sync::Arc;

use super::Context;
use crate::config::{Config, Isolation};
use crate::db::Db;
use crate::error::Failure;
use crate::home::Home;
use crate::open::Surroundings;
use crate::plugins::catalog::default_roots;

impl Context {
    /// The surroundings with the settings as this command found them.
    ///
    /// # Errors
    /// When `.env` cannot be read or the program does not know where it lies.
    pub fn surroundings(&self) -> Result<Surroundings, Failure> {
        self.surroundings_in(&self.home, self.config.clone())
    }

    /// The surroundings with other settings, or in another home, a copy.
    ///
    /// # Errors
    /// As [`Self::surroundings`].
    pub fn surroundings_in(&self, home: &Home, config: Config) -> Result<Surroundings, Failure> {
        let executable = std::env::current_exe()
            .map_err(|error| Failure::new(format!("the program does not know where it lies: {error}")))?;
        let variable = |name: &str| self.env.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let data_home = variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/share")));
        let roots =
            default_roots(&self.catalogs, self.env.get("HERMES_CATALOG"), &config.catalogs(), &executable, data_home);
        // From here on a provider may speak, and what it says may hold a secret.
        self.secrets()?;
        let secrets = Arc::new(self.load_secrets()?);
        let env = self.env.clone();
        let db = if home.root().is_dir() { self.database(home) } else { None };
        Ok(Surroundings {
            home: home.clone(),
            config,
            secrets: Arc::new(move |name| secrets.get(name)),
            env: Arc::new(move |name| env.get(name)),
            roots,
            offline: self.offline,
            isolation: Isolation::Process,
            executable,
            clock: self.clock.clone(),
            log: Arc::new(|record| {
                // The level of an event is fixed where it is made; the provider's own stands in the line.
                tracing::info!(target: "provider", level = record.level, from = record.target, "{}", record.message);
            }),
            db,
        })
    }

    /// The database for health; None when it cannot be used, which is said and stops nothing.
    fn database(&self, home: &Home) -> Option<Arc<Db>> {
        match Db::open(home) {
            Ok(opened) => {
                if let Some(warning) = opened.warning {
                    self.ui.warn(warning);
                }
                Some(Arc::new(opened.db))
            }
            Err(error) => {
                let failure = Failure::from(error);
                self.ui.warn(format!("health is not recorded: {}", failure.message));
                None
            }
        }
    }
}
