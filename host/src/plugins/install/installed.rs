//! Plugins that are installed: checking one before it is loaded, and removing one.

use std::path::PathBuf;

use semver::Version;

use crate::config::{Isolation, suggest};
use crate::error::Hint;
use crate::home::Home;
use crate::plugins::catalog::Catalogs;
use crate::plugins::lock::{Editor, Grant, Installed, Lock, LockError, Record};
use crate::plugins::resolve::Platform;
use crate::plugins::store::{take_away, version_folder};
use crate::plugins::verify::{Check, Mismatches, Verified};

/// Why an installed plugin cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotUsable {
    /// It is not installed.
    #[error("`{}` is not installed", id.escape_debug())]
    NotInstalled {
        /// The plugin.
        id: String,
        /// An installed one that was perhaps meant.
        closest: Option<String>,
    },
    /// It is in a lockfile that came from elsewhere.
    #[error("`{id}` {version} was installed on another machine, and is not here for `{target}` yet")]
    OtherMachine {
        /// The plugin.
        id: String,
        /// The version that the lockfile pins.
        version: Version,
        /// What this host was built for.
        target: String,
        /// Whether the lockfile knows the archive of that version for this target.
        pinned: bool,
    },
    /// It does not fit.
    #[error(transparent)]
    Mismatches(#[from] Box<Mismatches>),
    /// The lockfile cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
}

impl Hint for NotUsable {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::NotInstalled { closest: Some(closest), .. } => vec![format!("did you mean `{closest}`?")],
            Self::NotInstalled { .. } => vec!["`hermes plugins list` shows what is".to_owned()],
            Self::OtherMachine { id, version, pinned: true, .. } => {
                vec![format!("`hermes plugins install {id}@{version}` installs the same version here")]
            }
            Self::OtherMachine { id, .. } => {
                vec![format!("that version has no archive for it; `hermes plugins install {id}` finds one that has")]
            }
            Self::Mismatches(error) => error.hints(),
            Self::Lock(error) => error.hints(),
        }
    }
}

/// Runs all checks on an installed plugin, before it is loaded.
///
/// # Errors
/// When it is not installed or does not fit.
pub fn check_installed(
    home: &Home,
    id: &str,
    isolation: Isolation,
    platform: &Platform,
    catalogs: &Catalogs,
) -> Result<Verified, NotUsable> {
    let lock = Lock::read(home)?;
    check_record(home, id, &lock.installed(id)?.current, isolation, platform, catalogs)
}

/// The same for one of the versions that a lockfile names.
///
/// # Errors
/// When it is not here or does not fit.
pub fn check_record(
    home: &Home,
    id: &str,
    record: &Record,
    isolation: Isolation,
    platform: &Platform,
    catalogs: &Catalogs,
) -> Result<Verified, NotUsable> {
    let library = version_folder(home, id, &record.version, &record.library_sha256).join(&record.library);
    let target = &platform.target;
    if record.is_foreign(target) && !library.exists() {
        return Err(NotUsable::OtherMachine {
            id: id.to_owned(),
            version: record.version.clone(),
            target: target.clone(),
            pinned: record.artifacts.contains_key(target),
        });
    }
    let check = Check {
        home,
        library: &library,
        sha256: &record.library_sha256,
        archive_sha256: &record.archive_sha256,
        source: &record.source,
        id,
        version: &record.version,
        granted: Some(&record.grant.capabilities),
        isolation,
        platform,
        catalogs: Some(catalogs),
        admitted: !record.grant.catalog.is_empty(),
    };
    Ok(check.run()?)
}

/// What was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The version that was used.
    pub version: Version,
    /// What the plugin had stored, which is kept; None when it had stored nothing.
    pub data: Option<PathBuf>,
}

/// Removes a plugin: its record, then its folders. What it stored is kept, and so is what the user granted, for the
/// case that it comes back.
///
/// # Errors
/// When it is not installed, or a file cannot be used. It may then be gone from the lockfile with its folder left.
pub fn remove(home: &Home, id: &str) -> Result<Removed, NotUsable> {
    take_out(home, id, Some)
}

/// Removes a plugin, and keeps of what was granted for it what `keep` makes of it.
fn take_out(home: &Home, id: &str, keep: impl FnOnce(Grant) -> Option<Grant>) -> Result<Removed, NotUsable> {
    let mut editor = Editor::open(home)?;
    let installed = editor.lock.installed(id)?.clone();
    editor.lock.plugins.remove(id);
    match keep(installed.current.grant) {
        Some(grant) => editor.lock.removed.insert(id.to_owned(), grant),
        None => editor.lock.removed.remove(id),
    };
    editor.save().map_err(LockError::from)?;
    take_away(home, &editor, &home.store().join(id)).map_err(LockError::from)?;
    let data = home.provider_data(id);
    Ok(Removed { version: installed.current.version, data: data.exists().then_some(data) })
}

/// Takes back an install that was a part of something larger: the plugin goes, and so does what was granted for it,
/// unless it had been granted `before`.
///
/// # Errors
/// As [`remove`].
pub fn undo(home: &Home, id: &str, before: &Lock) -> Result<(), NotUsable> {
    take_out(home, id, |_| before.grant(id).cloned()).map(drop)
}

impl Lock {
    /// The record of a plugin.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn installed(&self, id: &str) -> Result<&Installed, NotUsable> {
        self.plugins.get(id).ok_or_else(|| {
            let closest = suggest(id, self.plugins.keys().map(String::as_str)).map(str::to_owned);
            NotUsable::NotInstalled { id: id.to_owned(), closest }
        })
    }
}
