//! Installing: from a name to a folder in the store and a record in the lockfile, or back to how it was.
//!
//! Everything up to the user's answer happens in a folder of its own and under no lock. Then, under the lock: the
//! folder is moved into its place, loaded once as a test, and only then recorded. A process that dies on the way
//! leaves the old record, which is whole, and folders that the next install takes away.

mod archive;
mod consent;
mod installed;
mod lazy;

pub use consent::{Approval, Consent};
pub use installed::{NotUsable, Removed, check_installed, remove, undo};
pub use lazy::{LazyPlan, LazyPolicy, lazy_plan};

use std::path::{Path, PathBuf};

use super::catalog::{Blocked, CatalogError, Catalogs, Listing, Sha256Hex};
use super::lock::{Editor, Grant, Installed, Lock, LockError, Record};
use super::package::{Limits, PackageError, unpack};
use super::resolve::{Miss, NoFit, Platform, Selected, Want, resolve};
use super::store::{Staging, take_away, version_folder};
use super::verify::{Check, Mismatches, Verified, sha256_of};
use crate::clock::Clock;
use crate::config::Isolation;
use crate::error::{Failure, Hint};
use crate::home::Home;
use crate::home::files::FileError;

/// What to install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The name of the entry.
    pub name: String,
    /// Which version.
    pub want: Want,
}

/// With what and for whom.
pub struct InstallContext<'a> {
    /// Where to.
    pub home: &'a Home,
    /// For the record.
    pub clock: &'a Clock,
    /// Where from.
    pub catalogs: &'a Catalogs,
    /// What the plugin has to fit.
    pub platform: &'a Platform,
    /// Asks the user. Not called when there is nothing to ask.
    pub approve: &'a dyn Fn(&Consent) -> Approval,
    /// Loads the plugin once, in a worker, and reports what went wrong. The lockfile is locked meanwhile.
    pub load_test: &'a dyn Fn(&Verified) -> Result<(), Failure>,
    /// Takes a line for each step that may take a while.
    pub progress: &'a dyn Fn(&str),
}

/// What an install did.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The plugin is in the store and recorded.
    Installed {
        /// Its record.
        record: Record,
        /// The version that was used until now.
        replaced: Option<semver::Version>,
        /// Newer releases that do not fit this host.
        passed_over: Vec<Miss>,
    },
    /// The same version with the same hash was there, whole; nothing was done.
    AlreadyInstalled {
        /// Its record.
        record: Record,
        /// Newer releases that do not fit this host.
        passed_over: Vec<Miss>,
    },
}

/// Why a plugin was not installed. Whatever was installed before still is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The entry cannot be found or used.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The entry, its source or its archive is blocked.
    #[error(transparent)]
    Blocked(#[from] Blocked),
    /// No release fits.
    #[error(transparent)]
    NoFit(#[from] Box<NoFit>),
    /// The archive is on another machine.
    #[error("the archive of `{id}` is at `{url}`, and this hermes installs only from folders yet")]
    Remote {
        /// The plugin.
        id: String,
        /// Where the archive is.
        url: String,
    },
    /// The archive is not the one that the catalog means.
    #[error("the archive `{}` has {found}, the catalog says {expected}", path.display())]
    WrongArchive {
        /// The archive.
        path: PathBuf,
        /// What it has, with its unit.
        found: String,
        /// What it should have.
        expected: String,
    },
    /// The archive cannot be unpacked.
    #[error("cannot unpack the archive of `{id}`: {source}")]
    Package {
        /// The plugin.
        id: String,
        /// Why not.
        source: PackageError,
    },
    /// What was in it does not fit.
    #[error(transparent)]
    Mismatches(#[from] Box<Mismatches>),
    /// The user said no.
    #[error("`{id}` was not installed, as you chose")]
    Declined {
        /// The plugin.
        id: String,
    },
    /// There is nobody to ask.
    #[error(
        "`{id}` was not installed: somebody has to agree to this, and nobody can be asked here\n  {}",
        lines.join("\n  ")
    )]
    CannotAsk {
        /// The plugin.
        id: String,
        /// The version that was wanted.
        want: Want,
        /// What it may do.
        lines: Vec<String>,
    },
    /// The plugin does not load.
    #[error("`{id}` was not installed, because it does not load: {}", failure.message)]
    LoadTest {
        /// The plugin.
        id: String,
        /// What the test says.
        failure: Failure,
    },
    /// The lockfile cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Hint for InstallError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Catalog(error) => error.hints(),
            Self::NoFit(error) => error.hints(),
            Self::Package { source, .. } => source.hints(),
            Self::Mismatches(error) => error.hints(),
            Self::Lock(error) => error.hints(),
            Self::File(error) => error.hints(),
            Self::LoadTest { failure, .. } => failure.hints.clone(),
            Self::Blocked(_) | Self::Declined { .. } => Vec::new(),
            Self::Remote { .. } => {
                vec!["download it, and name it with `path = \"…\"` in a copy of the catalog".to_owned()]
            }
            Self::WrongArchive { .. } => {
                vec!["it is damaged or was replaced; nothing of it was used. Fetch the catalog anew".to_owned()]
            }
            // A range may hold what a shell would take for its own.
            Self::CannotAsk { id, want: Want::Matching(range), .. } => {
                vec![format!("to agree, run `hermes plugins install '{id}@{range}' --yes`")]
            }
            Self::CannotAsk { id, want, .. } => {
                vec![format!("to agree, run `hermes plugins install {id}{want} --yes`")]
            }
        }
    }
}

/// Installs a plugin, or says that it is installed.
///
/// # Errors
/// Why not. The lockfile and what it names are then as before.
pub fn install(request: &Request, cx: &InstallContext<'_>) -> Result<Outcome, InstallError> {
    let listing = cx.catalogs.find(&request.name)?;
    let id = &listing.entry.name;
    if let Some(blocked) = cx.catalogs.blocklist().name(id) {
        return Err(blocked.clone().into());
    }
    let selected = resolve(&listing.entry, cx.platform, cx.catalogs.blocklist(), &request.want)?;

    let editor = Editor::open(cx.home)?;
    if let Some(record) = whole_record(cx.home, &editor.lock, id, &selected) {
        return Ok(Outcome::AlreadyInstalled { record, passed_over: selected.passed_over });
    }
    let grant = editor.lock.grant(id).cloned();
    let staging = Staging::new(cx.home, &editor)?;
    // Others may install while the archive is read and the user thinks.
    drop(editor);

    (cx.progress)(&format!("checking {id} {}", selected.release.version));
    let archive = archive::copy(listing, &selected, &cx.home.store())?;
    let unpacked = unpack(archive, staging.path(), Limits::default());
    let unpacked = unpacked.map_err(|source| InstallError::Package { id: id.clone(), source })?;
    let library_sha256 = sha256_of(&unpacked.library)?;
    let verified = check(cx, listing, &selected, &unpacked.library, &library_sha256)?;

    let consent = Consent::new(listing, &verified.metadata, grant.as_ref());
    if consent.is_needed() {
        match (cx.approve)(&consent) {
            Approval::Granted => {}
            Approval::Declined => return Err(InstallError::Declined { id: id.clone() }),
            Approval::CannotAsk => {
                let (want, lines) = (request.want.clone(), consent.lines());
                return Err(InstallError::CannotAsk { id: id.clone(), want, lines });
            }
        }
    }
    let record = record(cx, listing, &selected, &verified, library_sha256);
    (cx.progress)(&format!("loading {id} {} once, as a test", record.version));
    let replaced = commit(cx, id, staging, verified, record.clone())?;
    Ok(Outcome::Installed { record, replaced, passed_over: selected.passed_over })
}

/// The record of the very same archive, if its library is still what it was.
fn whole_record(home: &Home, lock: &Lock, id: &str, selected: &Selected<'_>) -> Option<Record> {
    let record = &lock.plugins.get(id)?.current;
    let same = record.version == selected.release.version && record.archive_sha256 == selected.artifact.sha256;
    let library = version_folder(home, id, &record.version, &record.library_sha256).join(&record.library);
    (same && is_whole(&library, &record.library_sha256)).then(|| record.clone())
}

/// Whether a library of the store is what it was. A link is not, whatever it leads to: no check lets it pass.
fn is_whole(library: &Path, expected: &Sha256Hex) -> bool {
    let is_file = library.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    is_file && sha256_of(library).is_ok_and(|sha256| sha256 == *expected)
}

fn check(
    cx: &InstallContext<'_>,
    listing: &Listing,
    selected: &Selected<'_>,
    library: &Path,
    sha256: &Sha256Hex,
) -> Result<Verified, Box<Mismatches>> {
    let check = Check {
        home: cx.home,
        library,
        sha256,
        archive_sha256: &selected.artifact.sha256,
        source: &selected.artifact.location.to_string(),
        id: &listing.entry.name,
        version: &selected.release.version,
        granted: None,
        isolation: Isolation::Process,
        platform: cx.platform,
        catalogs: Some(cx.catalogs),
    };
    check.run().map_err(Mismatches::without_folders)
}

fn record(
    cx: &InstallContext<'_>,
    listing: &Listing,
    selected: &Selected<'_>,
    verified: &Verified,
    library_sha256: Sha256Hex,
) -> Record {
    let library = verified.library.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let artifacts = selected.release.artifacts.iter();
    Record {
        version: selected.release.version.clone(),
        library: library.to_owned(),
        library_sha256,
        archive_sha256: selected.artifact.sha256.clone(),
        source: selected.artifact.location.to_string(),
        installed_at: cx.clock.now(),
        artifacts: artifacts.map(|artifact| (artifact.target.clone(), artifact.sha256.clone())).collect(),
        grant: Grant { catalog: listing.root.name(), tier: listing.root.tier, capabilities: verified.granted.clone() },
    }
}

/// Moves the folder to its place, tries it, and records it. Answers the version that was used until now.
fn commit(
    cx: &InstallContext<'_>,
    id: &str,
    staging: Staging,
    verified: Verified,
    record: Record,
) -> Result<Option<semver::Version>, InstallError> {
    let mut editor = Editor::open(cx.home)?;
    let place = version_folder(cx.home, id, &record.version, &record.library_sha256);
    let library = place.join(&record.library);
    // Left by a crash, kept as the previous version, or damaged since.
    let was_there = is_whole(&library, &record.library_sha256);
    if was_there {
        drop(staging);
    } else {
        take_away(cx.home, &editor, &place)?;
        staging.move_to(&place)?;
    }
    let verified = Verified { library, ..verified };
    let recorded = (cx.load_test)(&verified)
        .map_err(|failure| InstallError::LoadTest { id: id.to_owned(), failure })
        .and_then(|()| {
            let old = editor.lock.plugins.remove(id);
            let replaced = old.as_ref().map(|old| old.current.version.clone());
            let previous =
                old.and_then(|old| if old.current.is_same(&record) { old.previous } else { Some(old.current) });
            editor.lock.removed.remove(id);
            editor.lock.plugins.insert(id.to_owned(), Installed { current: record, previous });
            editor.save()?;
            Ok(replaced)
        });
    if recorded.is_err() && !was_there {
        // Its name is free for the next try; if even this fails, the next install finds the folder and uses it.
        let _ = take_away(cx.home, &editor, &place);
    }
    recorded
}

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
