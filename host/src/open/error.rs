//! Why a provider cannot be opened, and what to type then.

use crate::error::Hint;
use crate::plugins::catalog::CatalogError;
use crate::plugins::install::{InstallError, NotUsable};

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
    /// The settings want a worker, and there is none.
    #[error("`{id}` is to run in a worker process, and this application names no `hermes` program for that")]
    NoWorker {
        /// The provider.
        id: String,
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
            Self::NoWorker { .. } => vec!["run `hermes config unset plugins.isolation`".to_owned()],
            Self::NotSetUp { id, .. } => vec![format!("run `hermes memory setup {id}`")],
            Self::Catalog(error) => error.hints(),
            Self::Install(error) => error.hints(),
            Self::NotUsable(error) => error.hints(),
            Self::Config(error) => error.hints(),
            Self::Lock(error) => error.hints(),
        }
    }
}
