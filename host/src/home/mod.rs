//! The home folder: where it is, what is in it, and how its files are written.

pub mod copy;
pub mod exchange;
pub mod files;
mod locate;
pub mod profiles;
pub mod snapshot;

pub use locate::{LocateError, Located, expand, locate};

use std::path::{Path, PathBuf};

use profiles::{DEFAULT_PROFILE, ProfileName};

/// A home folder. All paths of the host come from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    /// None for a base home.
    profile: Option<ProfileName>,
}

impl Home {
    /// A home at this folder, which need not exist yet. The folder of a profile, `<home>/profiles/<name>`, is that
    /// [profile](profiles) if it was made as one.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let in_profiles = root.parent().and_then(Path::file_name).is_some_and(|above| above == profiles::FOLDER);
        let is_profile = in_profiles && root.join(profiles::MARKER).is_file();
        let name = root.file_name().filter(|_| is_profile).and_then(|name| name.to_str());
        Self { profile: name.and_then(|name| ProfileName::parse(name).ok()?), root }
    }

    /// The name of its profile: `default` for a base home.
    #[must_use]
    pub fn profile(&self) -> &str {
        self.profile.as_ref().map_or(DEFAULT_PROFILE, ProfileName::as_str)
    }

    /// The home that a profile is one of; a base home itself.
    #[must_use]
    pub fn base(&self) -> Self {
        let above = self.profile.as_ref().and_then(|_| self.root.parent()?.parent());
        above.map_or_else(|| self.clone(), |root| Self { root: root.to_owned(), profile: None })
    }

    /// A profile of this home, which need not exist yet. A profile has none of its own: its base home has them.
    #[must_use]
    pub fn of_profile(&self, name: &ProfileName) -> Self {
        Self { root: self.profiles().join(name.as_str()), profile: Some(name.clone()) }
    }

    /// A copy of this home in another folder: the same profile there.
    #[must_use]
    pub fn copied_to(&self, root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), profile: self.profile.clone() }
    }

    /// `profiles`, in the base home: the homes of its profiles.
    #[must_use]
    pub fn profiles(&self) -> PathBuf {
        self.base().root.join(profiles::FOLDER)
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

    /// `memories`: the curated memory, which the Python agent may use too.
    #[must_use]
    pub fn memories(&self) -> PathBuf {
        self.root.join("memories")
    }

    /// `pending`: what waits for the user's approval.
    #[must_use]
    pub fn pending(&self) -> PathBuf {
        self.root.join("pending")
    }

    /// Where reports too long for the screen are written.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }
}
