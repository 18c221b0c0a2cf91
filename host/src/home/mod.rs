//! The home folder: where it is, what is in it, and how its files are written.

pub mod copy;
pub mod files;
mod locate;

pub use locate::{LocateError, Located, locate};

use std::path::{Path, PathBuf};

/// A home folder. All paths of the host come from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// A home at this folder, which need not exist yet.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes the folder, for the user alone.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(&self) -> Result<(), files::FileError> {
        files::create_dir(&self.root)
    }

    /// `config.toml`: everything but secrets.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// `.env`: the secrets.
    #[must_use]
    pub fn env_file(&self) -> PathBuf {
        self.root.join(".env")
    }

    /// `hermes.db`: the host's own database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.root.join("hermes.db")
    }

    /// `plugins.lock`: what is installed.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.root.join("plugins.lock")
    }

    /// Where installed plugins live, one folder per version.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.root.join("plugins").join("store")
    }

    /// The folder in which a provider keeps its files.
    #[must_use]
    pub fn provider_data(&self, id: &str) -> PathBuf {
        self.root.join("plugins").join("data").join(id)
    }

    /// Where reports too long for the screen are written.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }
}
