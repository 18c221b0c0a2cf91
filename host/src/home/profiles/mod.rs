//! Profiles: homes below a home, each with everything of its own.
//!
//! The profile `work` of a home is the folder `profiles/work` in it, itself a whole home: settings, secrets, database,
//! plugins and what they store. Nothing is looked up in the base home. The base home is the profile `default`.
//!
//! A profile carries a marker, so that a home which merely lies in a folder called `profiles` is not taken for one.

mod name;

pub use name::{DEFAULT_PROFILE, NameError, ProfileName};

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::Home;
use super::files::{self, At as _, FileError, FileLock};
use crate::error::Hint;

/// The folder in a base home that holds its profiles.
pub(super) const FOLDER: &str = "profiles";
/// In each profile.
pub(super) const MARKER: &str = ".hermes-profile";
const MARKER_TEXT: &str = "This folder is a profile of hermes; its name is the name of the profile.\n";
/// Folders that are being filled or taken away. No name of a profile begins with a point.
const ASIDE: &str = ".aside-";

/// Why profiles cannot be listed, made or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// There is one of this name.
    #[error("there is a profile `{name}` already: `{}`", path.display())]
    Exists {
        /// The name.
        name: ProfileName,
        /// Its folder.
        path: PathBuf,
    },
    /// There is none of this name.
    #[error("there is no profile `{name}`")]
    Unknown {
        /// The name.
        name: ProfileName,
    },
    /// A process has it open.
    #[error("the profile `{name}` is in use by another hermes")]
    InUse {
        /// The name.
        name: ProfileName,
    },
    /// A file or folder cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Hint for ProfileError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            Self::InUse { .. } => vec!["end what uses it, and try again; nothing was changed".to_owned()],
            Self::Exists { name, .. } => vec![format!("use it with `--profile {name}`")],
            Self::Unknown { .. } => vec!["`hermes profiles list` shows all".to_owned()],
        }
    }
}

/// The profiles of a base home by name, without `default`. What no profile can be called is passed over.
///
/// # Errors
/// When the folder cannot be read.
pub fn list(base: &Home) -> Result<Vec<ProfileName>, FileError> {
    let folder = base.profiles();
    let items = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        items => items.at("read", &folder)?,
    };
    let mut names = Vec::new();
    for item in items {
        let item = item.at("read", &folder)?;
        let name = item.file_name().into_string().ok().and_then(|name| ProfileName::parse(&name).ok()?);
        names.extend(name.filter(|name| base.of_profile(name).root().is_dir()));
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// Makes a profile with these settings and nothing else; it is there as a whole or not at all.
///
/// # Errors
/// When there is one of this name, or a folder or file cannot be made.
pub fn create(base: &Home, name: &ProfileName, settings: Option<&str>) -> Result<Home, ProfileError> {
    let folder = base.profiles();
    let _lock = lock(base)?;
    let home = base.of_profile(name);
    let path = home.root().to_owned();
    if path.symlink_metadata().is_ok() {
        return Err(ProfileError::Exists { name: name.clone(), path });
    }
    let fresh = aside(base)?;
    let inner = Home::at(fresh.path().join("new"));
    inner.create()?;
    files::replace(&inner.root().join(MARKER), MARKER_TEXT.as_bytes())?;
    if let Some(settings) = settings {
        files::replace(&inner.config_file(), settings.as_bytes())?;
    }
    files::rename(inner.root(), &path)?;
    files::sync_dir(&folder)?;
    Ok(home)
}

/// Deletes a profile with all that is in it: out of its place first, so that a half deleted one is never used. Of a
/// symbolic link only the link goes.
///
/// # Errors
/// When there is none of this name, a process has it open, or something cannot be deleted.
pub fn remove(base: &Home, name: &ProfileName) -> Result<(), ProfileError> {
    let home = base.of_profile(name);
    if home.root().symlink_metadata().is_err() {
        return Err(ProfileError::Unknown { name: name.clone() });
    }
    let _lock = lock(base)?;
    // Until the folder is gone nobody else can open it.
    let _exclusive = match File::open(home.root()) {
        Ok(folder) => match folder.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(ProfileError::InUse { name: name.clone() }),
            // A file system without locks cannot tell.
            Ok(()) | Err(TryLockError::Error(_)) => Some(folder),
        },
        Err(_) => None,
    };
    let old = aside(base)?;
    files::rename(home.root(), &old.path().join("old"))?;
    let path = old.path().to_owned();
    Ok(old.close().at("delete", &path)?)
}

/// Tells [`remove`] in other processes that this home is in use, for as long as the file is open. None where the folder
/// is not there or its file system has no locks.
#[must_use]
pub fn hold(home: &Home) -> Option<File> {
    let folder = File::open(home.root()).ok()?;
    folder.try_lock_shared().ok()?;
    Some(folder)
}

/// What a process that was killed left half made or half deleted.
#[must_use]
pub fn leftovers(base: &Home) -> Vec<PathBuf> {
    let items = fs::read_dir(base.profiles()).into_iter().flatten().flatten();
    let left = items.filter(|item| item.file_name().as_encoded_bytes().starts_with(ASIDE.as_bytes()));
    left.map(|item| item.path()).collect()
}

fn lock(base: &Home) -> Result<FileLock, FileError> {
    FileLock::acquire(&base.profiles().join(".lock"))
}

fn aside(base: &Home) -> Result<tempfile::TempDir, FileError> {
    let folder = base.profiles();
    let mut builder = tempfile::Builder::new();
    builder.prefix(ASIDE).permissions(Permissions::from_mode(0o700));
    builder.tempdir_in(&folder).at("create a folder in", &folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        (folder, home)
    }

    fn name(text: &str) -> ProfileName {
        ProfileName::parse(text).unwrap().unwrap()
    }

    #[test]
    fn a_profile_is_a_home_that_knows_its_name() {
        let (_folder, base) = base();
        assert!(list(&base).unwrap().is_empty() && !base.root().exists());
        let work = create(&base, &name("работа"), Some("# mine\n")).unwrap();
        assert_eq!((work.profile(), base.profile()), ("работа", DEFAULT_PROFILE));
        assert_eq!(fs::read_to_string(work.config_file()).unwrap(), "# mine\n");
        assert_eq!(fs::metadata(work.root()).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(list(&base).unwrap(), [name("работа")]);
        // Named by its folder it is the same profile.
        let direct = Home::at(work.root());
        assert_eq!((direct.profile(), direct.base()), ("работа", base.clone()));
        assert_eq!(direct, work);
        assert!(matches!(create(&base, &name("работа"), None), Err(ProfileError::Exists { .. })));
        assert!(leftovers(&base).is_empty());
    }

    #[test]
    fn a_home_in_some_folder_called_profiles_is_no_profile() {
        let (folder, base) = base();
        let other = folder.path().join("profiles").join("vera");
        fs::create_dir_all(&other).unwrap();
        assert_eq!(Home::at(&other).profile(), DEFAULT_PROFILE);
        // Out of its place a profile is a home like any other.
        let work = create(&base, &name("work"), None).unwrap();
        let moved = folder.path().join("work");
        files::rename(work.root(), &moved).unwrap();
        assert_eq!((Home::at(&moved).profile(), Home::at(&moved).base().root()), (DEFAULT_PROFILE, &*moved));
    }

    #[test]
    fn one_in_use_is_not_removed() {
        let (_folder, base) = base();
        let work = create(&base, &name("work"), None).unwrap();
        fs::create_dir_all(work.provider_data("notes")).unwrap();
        let held = (hold(&work).unwrap(), hold(&work).unwrap());
        assert!(matches!(remove(&base, &name("work")), Err(ProfileError::InUse { .. })));
        assert!(work.provider_data("notes").is_dir());
        drop(held);
        remove(&base, &name("work")).unwrap();
        assert!(!work.root().exists() && leftovers(&base).is_empty());
        assert!(matches!(remove(&base, &name("work")), Err(ProfileError::Unknown { .. })));
    }

    #[test]
    fn of_a_link_only_the_link_goes() {
        let (folder, base) = base();
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        fs::write(elsewhere.join("facts"), "чай").unwrap();
        fs::create_dir_all(base.profiles()).unwrap();
        std::os::unix::fs::symlink(&elsewhere, base.profiles().join("work")).unwrap();
        assert_eq!(list(&base).unwrap(), [name("work")]);
        remove(&base, &name("work")).unwrap();
        assert_eq!(fs::read_to_string(elsewhere.join("facts")).unwrap(), "чай");
        assert!(list(&base).unwrap().is_empty());
    }
}
