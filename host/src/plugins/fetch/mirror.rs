//! Filling a folder that another machine uses as its catalog: archives, entries that name them by their path, and the
//! list of what is blocked.
//!
//! Every file is replaced as a whole, and an entry only after its archives, so that the folder can be used at any
//! time. What is there already is kept where its hash fits.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use semver::Version;

use super::{FetchError, Fetcher};
use crate::error::{Failure, Hint};
use crate::home::files::{self, At as _, FileError};
use crate::plugins::catalog::{
    Artifact, Blocked, CatalogError, Catalogs, Entry, LARGEST_FILE, Listing, Location, Release, Sha256Hex, TomlError,
};
use crate::plugins::lock::Lock;
use crate::plugins::package::{ending, head};
use crate::plugins::resolve::{NoFit, Platform, Selected, Want, resolve};
use crate::plugins::verify::sha256_of;

/// Below the folder of a mirror.
const ARCHIVES: &str = "artifacts";

/// What to put into a mirror.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Which plugins; none means all that the catalogs have.
    pub names: Vec<(String, Want)>,
    /// For which targets; none means that of this program.
    pub targets: Vec<String>,
    /// For all targets that there are.
    pub all_targets: bool,
    /// All versions that are wanted, and not only the newest that fits and those that are installed.
    pub all_versions: bool,
}

/// With what.
pub struct MirrorContext<'a> {
    /// Where from.
    pub catalogs: &'a Catalogs,
    /// What is installed here, which goes into the mirror too.
    pub lock: &'a Lock,
    /// What the plugins have to fit.
    pub platform: &'a Platform,
    /// Gets the archives.
    pub fetch: Fetcher<'a>,
    /// Is told of each archive as soon as it is there.
    pub done: &'a dyn Fn(&Mirrored),
}

/// An archive in a mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// The plugin.
    pub id: String,
    /// The version.
    pub version: Version,
    /// The target.
    pub target: String,
    /// The file, from the folder of the mirror.
    pub file: String,
    /// Its SHA-256.
    pub sha256: Sha256Hex,
    /// Its length in bytes.
    pub size: u64,
    /// It was there already.
    pub kept: bool,
}

/// What became of a mirror.
#[derive(Debug, Default)]
pub struct Report {
    /// The archives.
    pub archives: Vec<Mirrored>,
    /// What there is nothing of, and why.
    pub passed_over: Vec<(String, String)>,
    /// What could not be had.
    pub failed: Vec<(String, Failure)>,
}

/// Why a mirror cannot be filled at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// It would be read and written at once.
    #[error("`{}` is one of the catalogs that are read", path.display())]
    Itself {
        /// The folder.
        path: PathBuf,
    },
    /// A plugin that was asked for is in no catalog.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A plugin that was asked for is blocked.
    #[error(transparent)]
    Blocked(#[from] Blocked),
    /// A plugin that was asked for has nothing that fits.
    #[error(transparent)]
    NoFit(#[from] Box<NoFit>),
    /// What is in the folder is no mirror.
    #[error("the mirror's file {0}")]
    Broken(#[from] TomlError),
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Hint for MirrorError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Itself { .. } => vec!["name another folder".to_owned()],
            Self::Catalog(error) => error.hints(),
            Self::NoFit(error) => error.hints(),
            Self::Broken(_) => vec!["nothing was changed in it; move it away, or name another folder".to_owned()],
            Self::File(error) => error.hints(),
            Self::Blocked(_) => Vec::new(),
        }
    }
}

/// Fills the folder. What one plugin lacks does not hold up the others.
///
/// # Errors
/// When a plugin that was named has nothing to offer, or the folder cannot be used.
pub fn mirror(folder: &Path, choice: &Choice, cx: &MirrorContext<'_>) -> Result<Report, MirrorError> {
    if let Ok(path) = fs::canonicalize(folder)
        && cx.catalogs.listings().any(|listing| listing.root.path == path)
    {
        return Err(MirrorError::Itself { path });
    }
    let mut report = Report::default();
    let chosen = choose(choice, cx, &mut report)?;
    block(folder, cx.catalogs)?;
    let before = chosen.iter().map(|(listing, _)| before(folder, listing)).collect::<Result<Vec<_>, _>>()?;
    for ((listing, selected), before) in chosen.into_iter().zip(before) {
        let mut there = Vec::new();
        for selected in selected {
            let (version, target) = (&selected.release.version, &selected.artifact.target);
            match place(folder, listing, &selected, cx) {
                Ok(mirrored) => {
                    (cx.done)(&mirrored);
                    report.archives.push(mirrored.clone());
                    there.push((selected.release, mirrored));
                }
                Err(error) => {
                    let what = format!("{} {version} for {target}", listing.entry.name);
                    report.failed.push((what, error.into()));
                }
            }
        }
        enter(folder, listing, &there, before)?;
    }
    Ok(report)
}

type Chosen<'a> = Vec<(&'a Listing, Vec<Selected<'a>>)>;

fn choose<'a>(choice: &Choice, cx: &MirrorContext<'a>, report: &mut Report) -> Result<Chosen<'a>, MirrorError> {
    let mut chosen = Vec::new();
    if choice.names.is_empty() {
        let problems = cx.catalogs.problems().map(|problem| ("a catalog".to_owned(), problem.to_string()));
        report.passed_over.extend(problems);
        for listing in cx.catalogs.listings() {
            let name = &listing.entry.name;
            match releases(listing, &Want::Newest, choice, cx) {
                _ if cx.catalogs.blocklist().name(name).is_some_and(|blocked| {
                    report.passed_over.push((name.clone(), blocked.to_string()));
                    true
                }) => {}
                Ok(selected) => chosen.push((listing, selected)),
                Err(error) => report.passed_over.push((name.clone(), error.to_string())),
            }
        }
    }
    for (name, want) in &choice.names {
        let listing = cx.catalogs.find(name)?;
        if let Some(blocked) = cx.catalogs.blocklist().name(name) {
            return Err(blocked.clone().into());
        }
        chosen.push((listing, releases(listing, want, choice, cx)?));
    }
    Ok(chosen)
}

/// What of an entry goes into the mirror; why nothing does.
fn releases<'a>(
    listing: &'a Listing,
    want: &Want,
    choice: &Choice,
    cx: &MirrorContext<'a>,
) -> Result<Vec<Selected<'a>>, Box<NoFit>> {
    let entry = &listing.entry;
    let mut targets = match (choice.all_targets, choice.targets.is_empty()) {
        (true, _) => {
            entry.releases.iter().flat_map(|release| &release.artifacts).map(|artifact| &artifact.target).collect()
        }
        (false, true) => vec![&cx.platform.target],
        (false, false) => choice.targets.iter().collect(),
    };
    targets.sort();
    targets.dedup();
    let installed = cx.lock.plugins.get(&entry.name).map(|plugin| [Some(&plugin.current), plugin.previous.as_ref()]);
    let installed: Vec<_> = installed.into_iter().flatten().flatten().map(|record| &record.version).collect();
    let (mut found, mut reason) = (Vec::new(), None);
    for target in targets {
        let platform = Platform { target: target.clone(), ..cx.platform.clone() };
        let newest = match resolve(entry, &platform, cx.catalogs.blocklist(), want) {
            Ok(selected) => Some(&selected.release.version),
            Err(error) => {
                reason = reason.or(Some(error));
                None
            }
        };
        for release in &entry.releases {
            let version = &release.version;
            let wanted = match choice.all_versions {
                true => *want == Want::Newest || want.takes(version),
                false => newest == Some(version) || (*want == Want::Newest && installed.contains(&version)),
            };
            let artifact = release.artifacts.iter().find(|artifact| artifact.target == *target);
            let blocked = cx.catalogs.blocklist().release(release, target).is_some();
            if let Some(artifact) = artifact.filter(|_| wanted && !blocked) {
                found.push(Selected { release, artifact, passed_over: Vec::new() });
            }
        }
    }
    match reason {
        Some(reason) if found.is_empty() => Err(reason),
        _ => Ok(found),
    }
}

/// Puts an archive into the folder, unless it is there.
fn place(
    folder: &Path,
    listing: &Listing,
    selected: &Selected<'_>,
    cx: &MirrorContext<'_>,
) -> Result<Mirrored, FetchError> {
    let Selected { release, artifact, .. } = selected;
    let stem = format!("{ARCHIVES}/{}-{}-{}", listing.entry.name, release.version, artifact.sha256.short());
    let mirrored = |file: String, kept| Mirrored {
        id: listing.entry.name.clone(),
        version: release.version.clone(),
        target: artifact.target.clone(),
        file,
        sha256: artifact.sha256.clone(),
        size: artifact.size,
        kept,
    };
    for end in ["tar.gz", "tar.zst"] {
        let file = format!("{stem}.{end}");
        let path = folder.join(&file);
        // A link leads nowhere on another machine.
        let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        if is_file && sha256_of(&path)? == artifact.sha256 {
            return Ok(mirrored(file, true));
        }
    }
    let mut archive = cx.fetch.archive(listing, selected)?;
    let head = head(&mut archive).and_then(|head| archive.rewind().map(|()| head)).at("read", folder)?;
    let file = format!("{stem}.{}", ending(&head));
    files::publish(&folder.join(&file), |to| io::copy(&mut archive, to).map(|_| ()))?;
    Ok(mirrored(file, false))
}

/// Writes the entry: what it says now, with these archives, and with those that the folder has from before.
fn enter(
    folder: &Path,
    listing: &Listing,
    there: &[(&Release, Mirrored)],
    before: Vec<Release>,
) -> Result<(), FileError> {
    let mut releases = BTreeMap::<Version, Release>::new();
    for (release, Mirrored { file, target, .. }) in there {
        let of_target = release.artifacts.iter().find(|artifact| artifact.target == *target);
        let artifact =
            of_target.map(|artifact| Artifact { location: Location::Path(file.clone()), ..artifact.clone() });
        let empty = || Release { artifacts: Vec::new(), ..(*release).clone() };
        releases.entry(release.version.clone()).or_insert_with(empty).artifacts.extend(artifact);
    }
    for release in before {
        let still_there = |artifact: &Artifact| match &artifact.location {
            Location::Path(path) => folder.join(path).is_file(),
            Location::Url(_) => true,
        };
        let artifacts: Vec<_> = release.artifacts.iter().filter(|artifact| still_there(artifact)).cloned().collect();
        if artifacts.is_empty() {
            continue;
        }
        let empty = Release { artifacts: Vec::new(), ..release };
        let into = &mut releases.entry(empty.version.clone()).or_insert(empty).artifacts;
        for artifact in artifacts {
            if into.iter().all(|other| other.target != artifact.target) {
                into.push(artifact);
            }
        }
    }
    if releases.is_empty() {
        return Ok(());
    }
    let entry = Entry { crate_name: None, releases: releases.into_values().rev().collect(), ..listing.entry.clone() };
    let text = toml::to_string(&entry).expect("an entry was read from TOML, so it can be written as such");
    files::publish(&entry_file(folder, listing), |to| to.write_all(text.as_bytes()))
}

fn entry_file(folder: &Path, listing: &Listing) -> PathBuf {
    folder.join(format!("{}.toml", listing.entry.name))
}

/// What the folder's entry had.
fn before(folder: &Path, listing: &Listing) -> Result<Vec<Release>, MirrorError> {
    let file = entry_file(folder, listing);
    match files::read_foreign_text(&file, LARGEST_FILE)? {
        Some(text) => Ok(Entry::parse(&file, &text)?.0.releases),
        None => Ok(Vec::new()),
    }
}

/// Writes the list of what is blocked: what the catalogs block, and what the folder blocked before.
fn block(folder: &Path, catalogs: &Catalogs) -> Result<(), MirrorError> {
    let file = folder.join("removed.toml");
    let mut list = catalogs.blocklist().clone();
    if let Some(text) = files::read_foreign_text(&file, LARGEST_FILE)? {
        list.add(&file, &text)?;
    }
    Ok(files::publish(&file, |to| to.write_all(list.to_text().as_bytes()))?)
}
