//! Going back to the version before, which is still in the store, and forth again.

use semver::Version;

use super::installed::{NotUsable, check_record};
use crate::config::Isolation;
use crate::error::{Failure, Hint};
use crate::home::Home;
use crate::home::files::FileError;
use crate::plugins::catalog::Catalogs;
use crate::plugins::lock::{Editor, Installed, LockError, Record};
use crate::plugins::resolve::Platform;
use crate::plugins::verify::Verified;

/// With what and for whom.
pub struct RollbackContext<'a> {
    /// Where.
    pub home: &'a Home,
    /// What is blocked.
    pub catalogs: &'a Catalogs,
    /// What the plugin has to fit.
    pub platform: &'a Platform,
    /// Where it is going to run.
    pub isolation: Isolation,
    /// Loads the plugin once and reports what went wrong. The lockfile is locked meanwhile.
    pub load_test: &'a dyn Fn(&Verified) -> Result<(), Failure>,
}

/// Why a plugin stays at its version.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RollbackError {
    /// It is not installed, or the lockfile cannot be used.
    #[error(transparent)]
    NotUsable(#[from] NotUsable),
    /// There was no version before.
    #[error("`{id}` {version} has no version before it to go back to")]
    NothingBefore {
        /// The plugin.
        id: String,
        /// The version that is used.
        version: Version,
    },
    /// The version before must not or cannot be used.
    #[error("`{id}` stays at {version}: {source}")]
    Unfit {
        /// The plugin.
        id: String,
        /// The version that is used.
        version: Version,
        /// The version before.
        before: Version,
        /// Why not.
        source: NotUsable,
    },
    /// The version before does not load.
    #[error("`{id}` stays at {version}, because {before} does not load: {}", failure.message)]
    LoadTest {
        /// The plugin.
        id: String,
        /// The version that is used.
        version: Version,
        /// The version before.
        before: Version,
        /// What the test says.
        failure: Failure,
    },
    /// The lockfile cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The lockfile cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Hint for RollbackError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::NotUsable(error) => error.hints(),
            Self::NothingBefore { id, .. } => vec![
                format!("`hermes plugins info {id}` shows the releases"),
                format!("`hermes plugins install {id}@<version>` installs one of them"),
            ],
            Self::Unfit { id, before, source: NotUsable::Mismatches(error), .. } if error.is_damaged() => {
                vec![format!("`hermes plugins install {id}@{before}` installs it anew")]
            }
            Self::Unfit { id, .. } => vec![format!("`hermes plugins info {id}` shows which releases fit")],
            Self::LoadTest { failure, .. } => failure.hints.clone(),
            Self::Lock(error) => error.hints(),
            Self::File(error) => error.hints(),
        }
    }
}

/// Makes the version before the one that is used, and the other way round. What each may do is what was granted for it.
/// Answers with the records as they are then.
///
/// # Errors
/// Why not; nothing was changed then.
pub fn rollback(id: &str, cx: &RollbackContext<'_>) -> Result<Installed, RollbackError> {
    let mut editor = Editor::open(cx.home)?;
    let Installed { current, previous } = editor.lock.installed(id)?.clone();
    let (id, version) = (id.to_owned(), current.version.clone());
    let Some(before) = previous else { return Err(RollbackError::NothingBefore { id, version }) };
    let verified = match check_record(cx.home, &id, &before, cx.isolation, cx.platform, cx.catalogs) {
        Ok(verified) => verified,
        Err(source) => {
            return Err(RollbackError::Unfit { id, version, before: before.version, source });
        }
    };
    if let Err(failure) = (cx.load_test)(&verified) {
        return Err(RollbackError::LoadTest { id, version, before: before.version, failure });
    }
    let switched = Installed { current: before, previous: Some(current) };
    editor.lock.plugins.insert(id, switched.clone());
    editor.save()?;
    Ok(switched)
}

impl Record {
    /// What this version may do that another may not, and the other way round, each as a line.
    #[must_use]
    pub fn changes_from(&self, other: &Self) -> (Vec<String>, Vec<String>) {
        let (new, old) = (&self.grant.capabilities, &other.grant.capabilities);
        (new.missing_from(old), old.missing_from(new))
    }
}
