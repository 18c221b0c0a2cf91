//! Installing: from a name to a folder in the store and a record in the lockfile, or back to how it was.
//!
//! Everything up to the user's answer happens in a folder of its own and under no lock. Then, under the lock: the
//! folder is moved into its place, loaded once as a test, and only then recorded. A process that dies on the way
//! leaves the old record, which is whole, and folders that the next install takes away.

mod consent;
mod installed;
mod lazy;
mod local;
mod rollback;
mod update;

use consent::named_defaults;
pub use consent::{Approval, Consent};
pub use installed::{NotUsable, Removed, check_installed, check_record, remove, undo};
pub use lazy::{LazyPlan, LazyPolicy, lazy_plan};
pub use local::install_file;
pub use rollback::{RollbackContext, RollbackError, rollback};
pub use update::{Step, UpdatePlan, update_plan};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::catalog::{Blocked, CatalogError, Catalogs, Listing, Sha256Hex, Tier};
use super::fetch::{FetchError, Fetcher};
use super::inspect::InspectError;
use super::lock::{Editor, Grant, Installed, Lock, LockError, Record};
use super::package::{Limits, PackageError, unpack};
use super::resolve::{Miss, NoFit, Platform, Selected, Want, resolve};
use super::store::{Staging, prune, take_away, version_folder};
use super::verify::{Check, Mismatches, Verified, sha256_of};
use crate::clock::Clock;
use crate::config::Isolation;
use crate::error::{Failure, Hint, quoted};
use crate::home::Home;
use crate::home::files::FileError;
use crate::net::shown;

/// What to install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The name of the entry.
    pub name: String,
    /// Which version.
    pub want: Want,
    /// Install it also when it is installed already.
    pub force: bool,
}

/// With what and for whom.
pub struct InstallContext<'a> {
    /// Where to.
    pub home: &'a Home,
    /// For the record.
    pub clock: &'a Clock,
    /// Where from.
    pub catalogs: &'a Catalogs,
    /// Gets the archives.
    pub fetch: Fetcher<'a>,
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
    /// The archive cannot be had, or is not the one that the catalog means.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The lockfile came from another machine, and means another archive.
    #[error("the catalog has another archive of `{id}` {version} than the lockfile: {found}, not {locked}")]
    NotAsLocked {
        /// The plugin.
        id: String,
        /// The version that the lockfile pins.
        version: semver::Version,
        /// What the lockfile says.
        locked: Sha256Hex,
        /// What the catalog says.
        found: Sha256Hex,
    },
    /// The archive cannot be unpacked.
    #[error("cannot unpack the archive of `{id}`: {source}")]
    Package {
        /// The plugin.
        id: String,
        /// Why not.
        source: PackageError,
    },
    /// A file or folder is no plugin.
    #[error("cannot install `{}`: {source}", path.display())]
    NoPackage {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: PackageError,
    },
    /// What the library of a file says about itself cannot be read.
    #[error("cannot install `{}`: {source}", path.display())]
    NoPlugin {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: InspectError,
    },
    /// A plugin says of itself what cannot be.
    #[error("cannot install `{}`: its library says that it is `{}` {}", path.display(), id.escape_debug(), version.escape_debug())]
    BadName {
        /// The file or folder.
        path: PathBuf,
        /// The id.
        id: String,
        /// The version.
        version: String,
    },
    /// The same version is installed, with other bytes.
    #[error("`{id}` {version} is installed already, and what `{}` holds is another", path.display())]
    SameVersion {
        /// The plugin.
        id: String,
        /// The version.
        version: semver::Version,
        /// The file or folder.
        path: PathBuf,
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
        /// What to name to install it: with the version that was wanted, or a path.
        named: String,
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
            Self::Fetch(error) => error.hints(),
            Self::Mismatches(error) => error.hints(),
            Self::Lock(error) => error.hints(),
            Self::File(error) => error.hints(),
            Self::LoadTest { failure, .. } => failure.hints.clone(),
            Self::Blocked(_) | Self::Declined { .. } => Vec::new(),
            Self::NoPackage { source, .. } => source.hints(),
            Self::NoPlugin { source, .. } => source.hints(),
            Self::BadName { .. } => {
                vec!["an id is lower-case letters, digits and `-`, a version is like `1.2.0`".to_owned()]
            }
            Self::SameVersion { path, .. } => {
                let path = quoted(&path.to_string_lossy());
                vec![format!("to put it in its place, run `hermes plugins install {path} --force`")]
            }
            Self::NotAsLocked { id, .. } => {
                vec![format!(
                    "use the catalog that it was installed from, or forget it with `hermes plugins remove {id}`"
                )]
            }
            Self::CannotAsk { named, .. } => {
                vec![format!("to agree, run `hermes plugins install {} --yes`", quoted(named))]
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
    if !request.force
        && let Some(record) = whole_record(cx.home, &editor.lock, id, &selected)
    {
        return Ok(Outcome::AlreadyInstalled { record, passed_over: selected.passed_over });
    }
    is_as_locked(&editor.lock, id, &selected)?;
    let grant = editor.lock.grant(id).cloned();
    let staging = Staging::new(cx.home, &editor)?;
    // Others may install while the archive is read and the user thinks.
    drop(editor);

    (cx.progress)(&format!("checking {id} {}", selected.release.version));
    let archive = cx.fetch.archive(listing, &selected)?;
    let unpacked = unpack(archive, staging.path(), Limits::default());
    let unpacked = unpacked.map_err(|source| InstallError::Package { id: id.clone(), source })?;
    let artifacts = selected.release.artifacts.iter();
    let offer = Offer {
        id,
        version: &selected.release.version,
        from: Origin::Catalog(listing),
        source: shown(&selected.artifact.location.to_string()),
        archive_sha256: selected.artifact.sha256.clone(),
        library_sha256: sha256_of(&unpacked.library)?,
        artifacts: artifacts.map(|artifact| (artifact.target.clone(), artifact.sha256.clone())).collect(),
        named: format!("{id}{}", request.want),
    };
    let (record, replaced) = take(cx, offer, &unpacked.library, staging, grant.as_ref())?;
    Ok(Outcome::Installed { record, replaced, passed_over: selected.passed_over })
}

/// A plugin that was unpacked, and on whose word.
struct Offer<'a> {
    id: &'a str,
    version: &'a semver::Version,
    from: Origin<'a>,
    /// For the record.
    source: String,
    archive_sha256: Sha256Hex,
    library_sha256: Sha256Hex,
    /// The archives of all targets, where a catalog names them.
    artifacts: BTreeMap<String, Sha256Hex>,
    /// What the user types to install it.
    named: String,
}

/// Who vouches for a plugin.
#[derive(Clone, Copy)]
enum Origin<'a> {
    Catalog(&'a Listing),
    /// Nobody but the user, who named the file or folder.
    File(&'a Path),
}

/// Checks what was unpacked, asks the user, and installs it. Answers the version that was used until now, too.
fn take(
    cx: &InstallContext<'_>,
    offer: Offer<'_>,
    library: &Path,
    staging: Staging,
    before: Option<&Grant>,
) -> Result<(Record, Option<semver::Version>), InstallError> {
    let verified = check(cx, &offer, library)?;
    let id = offer.id;
    let consent = Consent::new(offer.from, &verified.metadata, before);
    if consent.is_needed() {
        match (cx.approve)(&consent) {
            Approval::Granted => {}
            Approval::Declined => return Err(InstallError::Declined { id: id.to_owned() }),
            Approval::CannotAsk => {
                let (id, named, lines) = (id.to_owned(), offer.named, consent.lines());
                return Err(InstallError::CannotAsk { id, named, lines });
            }
        }
    }
    let id = id.to_owned();
    let record = record(cx, offer, &verified);
    (cx.progress)(&format!("loading {id} {} once, as a test", record.version));
    let replaced = commit(cx, &id, staging, verified, record.clone())?;
    Ok((record, replaced))
}

/// The record of the very same archive from a catalog, if its library is still what it was.
fn whole_record(home: &Home, lock: &Lock, id: &str, selected: &Selected<'_>) -> Option<Record> {
    let record = &lock.plugins.get(id)?.current;
    let same = record.version == selected.release.version && record.archive_sha256 == selected.artifact.sha256;
    let same = same && !record.is_local();
    let library = version_folder(home, id, &record.version, &record.library_sha256).join(&record.library);
    (same && is_whole(&library, &record.library_sha256)).then(|| record.clone())
}

/// A version that another machine pinned has to be the very same here.
fn is_as_locked(lock: &Lock, id: &str, selected: &Selected<'_>) -> Result<(), InstallError> {
    let (version, artifact) = (&selected.release.version, selected.artifact);
    let Some(record) = lock.plugins.get(id).map(|installed| &installed.current) else { return Ok(()) };
    match record.artifacts.get(&artifact.target) {
        Some(locked)
            if record.version == *version && record.is_foreign(&artifact.target) && *locked != artifact.sha256 =>
        {
            let (id, version, locked) = (id.to_owned(), version.clone(), locked.clone());
            Err(InstallError::NotAsLocked { id, version, locked, found: artifact.sha256.clone() })
        }
        _ => Ok(()),
    }
}

/// Whether a library of the store is what it was. A link is not, whatever it leads to: no check lets it pass.
fn is_whole(library: &Path, expected: &Sha256Hex) -> bool {
    let is_file = library.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    is_file && sha256_of(library).is_ok_and(|sha256| sha256 == *expected)
}

fn check(cx: &InstallContext<'_>, offer: &Offer<'_>, library: &Path) -> Result<Verified, Box<Mismatches>> {
    let check = Check {
        home: cx.home,
        library,
        sha256: &offer.library_sha256,
        archive_sha256: &offer.archive_sha256,
        source: &offer.source,
        id: offer.id,
        version: offer.version,
        granted: None,
        isolation: Isolation::Process,
        platform: cx.platform,
        catalogs: Some(cx.catalogs),
        admitted: matches!(offer.from, Origin::Catalog(_)),
    };
    check.run().map_err(Mismatches::without_folders)
}

fn record(cx: &InstallContext<'_>, offer: Offer<'_>, verified: &Verified) -> Record {
    let library = verified.library.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let (catalog, tier) = match offer.from {
        Origin::Catalog(listing) => (listing.root.name(), listing.root.tier),
        Origin::File(_) => (String::new(), Tier::Community),
    };
    Record {
        version: offer.version.clone(),
        library: library.to_owned(),
        library_sha256: offer.library_sha256,
        archive_sha256: offer.archive_sha256,
        source: offer.source,
        installed_at: cx.clock.now(),
        artifacts: offer.artifacts,
        grant: Grant {
            catalog,
            tier,
            capabilities: verified.granted.clone(),
            defaults: named_defaults(&verified.metadata),
        },
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
            // What another machine had is not in this store.
            let foreign = |record: &Record| record.is_foreign(&cx.platform.target);
            let previous = old
                .and_then(|old| match old.current.is_same(&record) || foreign(&old.current) {
                    true => old.previous,
                    false => Some(old.current),
                })
                .filter(|previous| !foreign(previous));
            editor.lock.removed.remove(id);
            editor.lock.plugins.insert(id.to_owned(), Installed { current: record, previous });
            editor.save()?;
            prune(cx.home, &editor, id);
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
