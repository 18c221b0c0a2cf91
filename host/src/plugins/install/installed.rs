//! Plugins that are installed: checking one before it is loaded, and removing one.

use std::path::PathBuf;

use semver::Version;

use crate::config::{Isolation, suggest};
use crate::error::Hint;
use crate::home::Home;
use crate::plugins::catalog::Catalogs;
use crate::plugins::lock::{Editor, Lock, LockError};
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
    let Some(installed) = lock.plugins.get(id) else { return Err(not_installed(&lock, id)) };
    let record = &installed.current;
    let library = version_folder(home, id, &record.version, &record.library_sha256).join(&record.library);
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
    let mut editor = Editor::open(home)?;
    let Some(installed) = editor.lock.plugins.remove(id) else { return Err(not_installed(&editor.lock, id)) };
    editor.lock.removed.insert(id.to_owned(), installed.current.grant);
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
    remove(home, id)?;
    let mut editor = Editor::open(home)?;
    match before.grant(id) {
        Some(grant) => editor.lock.removed.insert(id.to_owned(), grant.clone()),
        None => editor.lock.removed.remove(id),
    };
    editor.save().map_err(LockError::from)?;
    Ok(())
}

fn not_installed(lock: &Lock, id: &str) -> NotUsable {
    let closest = suggest(id, lock.plugins.keys().map(String::as_str)).map(str::to_owned);
    NotUsable::NotInstalled { id: id.to_owned(), closest }
}
