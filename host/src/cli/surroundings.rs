//! What the command line opens a provider in.

use std::sync::{Arc, OnceLock};

use super::{Context, executable};
use crate::config::{Config, Isolation};
use crate::db::Db;
use crate::error::Failure;
use crate::home::Home;
use crate::open::{Surroundings, log_sink, open_database, roots};

impl Context {
    /// The same for those who outlive this.
    pub(super) fn copy(&self) -> Self {
        Self {
            home: self.home.clone(),
            python_home: self.python_home.clone(),
            config: self.config.clone(),
            ui: self.ui.clone(),
            clock: self.clock.clone(),
            env: self.env.clone(),
            catalogs: self.catalogs.clone(),
            secrets: OnceLock::new(),
            ..*self
        }
    }

    /// The same with the settings and secrets as they are now.
    ///
    /// # Errors
    /// When the settings cannot be read.
    pub(super) fn again(&self) -> Result<Self, Failure> {
        Ok(Self { config: Config::load(&self.home)?, ..self.copy() })
    }

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
        self.secrets()?;
        let (db, warning) = open_database(home);
        warning.iter().for_each(|warning| self.ui.warn_of(warning));
        let unkept = warning.filter(|_| db.is_none());
        Ok(Surroundings { unkept, ..self.surroundings_with(home, config, db)? })
    }

    /// The surroundings with a database that is open already, or none.
    ///
    /// # Errors
    /// As [`Self::surroundings`].
    pub(super) fn surroundings_with(
        &self,
        home: &Home,
        config: Config,
        db: Option<Arc<Db>>,
    ) -> Result<Surroundings, Failure> {
        let executable = executable()?;
        let env = self.env.clone();
        let env: crate::open::Env = Arc::new(move |name| env.get(name));
        // From here on a provider may speak, and what it says may hold a secret.
        let secrets = Arc::new(self.load_masked_secrets()?);
        Ok(Surroundings {
            home: home.clone(),
            roots: roots(&self.catalogs, &config, &*env, &executable),
            config,
            secrets,
            env,
            offline: self.offline,
            isolation: Isolation::Process,
            executable: Some(executable),
            clock: self.clock.clone(),
            log: log_sink(),
            db,
            unkept: None,
        })
    }
}
