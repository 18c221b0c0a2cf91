//! Getting the archive of a release: from a catalog's folder, from the cache, or from the network.
//!
//! Whatever it comes from, it is copied to a file without a name and checked on the way, so that what was checked is
//! what is unpacked.
//!
//! Downloads land in `plugins/cache`, a file for each hash, and are kept when they are installed: a library that was
//! damaged is then repaired, and a plugin that was removed comes back, without a network, and one fetch serves a
//! mirror too. The cache is bounded, and may be deleted at any time. A rollback needs none of it: the version before
//! is in the store.

mod cache;
mod download;
mod error;
pub mod mirror;
mod part;
mod reach;

pub use error::FetchError;
pub use reach::{reach, server};

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::Digest as _;

use self::cache::Cache;
use self::download::Download;
use super::catalog::{Artifact, Listing, Location, Sha256Hex};
use super::package::Limits;
use super::resolve::Selected;
use crate::home::Home;
use crate::home::files::{self, At as _, FileError};
use crate::net::shown;

/// What it unpacks to may have no more, and whatever a catalog says, no more is written to the disk.
const LARGEST_ARCHIVE: u64 = Limits::DEFAULT.total_bytes;

/// What happens while an archive is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A download begins: of what, and how many bytes it has.
    Begins {
        /// The plugin and its version.
        what: &'a str,
        /// Bytes.
        size: u64,
    },
    /// So many bytes are there.
    At(u64),
    /// The server could not serve; it is asked again after a pause.
    Waits {
        /// The server.
        host: &'a str,
        /// What it did.
        reason: &'a str,
        /// How long.
        pause: Duration,
    },
    /// Another process downloads the same file; it is waited for.
    Shared,
    /// It is over, well or not.
    Ends,
}

/// Fetches archives for one home.
#[derive(Clone, Copy)]
pub struct Fetcher<'a> {
    /// The home whose cache is used.
    pub home: &'a Home,
    /// Nothing is downloaded.
    pub offline: bool,
    /// How long nothing may come from a server before it is tried anew.
    pub idle: Duration,
    /// Is told what happens.
    pub step: &'a dyn Fn(Step<'_>),
}

impl Fetcher<'_> {
    /// The archive of a release, checked, as a file without a name.
    ///
    /// # Errors
    /// When it cannot be had, or is not what the catalog means.
    pub fn archive(&self, listing: &Listing, selected: &Selected<'_>) -> Result<File, FetchError> {
        let artifact = selected.artifact;
        if artifact.size > LARGEST_ARCHIVE {
            let (id, version) = (listing.entry.name.clone(), selected.release.version.to_string());
            return Err(FetchError::TooLarge { id, version, size: artifact.size, most: LARGEST_ARCHIVE });
        }
        let cache = Cache::of(self.home);
        files::create_dir(cache.folder())?;
        let url = match source(listing, artifact) {
            Source::File(path) => return checked_copy(&path, artifact, cache.folder()),
            Source::Web(url) => url,
        };
        let place = cache.archive(&artifact.sha256);
        let lock = cache.lock(&artifact.sha256, &|| (self.step)(Step::Shared))?;
        if place.exists() {
            match checked_copy(&place, artifact, cache.folder()) {
                Ok(copy) => {
                    cache.touch(&place);
                    return Ok(copy);
                }
                Err(FetchError::WrongArchive { .. }) if !self.offline => {
                    fs::remove_file(&place).at("delete", &place)?;
                }
                Err(error) => return Err(error),
            }
        }
        if self.offline {
            return Err(self.missing(listing, selected, url));
        }
        let what = format!("{} {}", listing.entry.name, selected.release.version);
        (self.step)(Step::Begins { what: &what, size: artifact.size });
        let download = Download { url, artifact, idle: self.idle, step: self.step };
        let downloaded = download.run(&cache.part(&artifact.sha256), &place);
        (self.step)(Step::Ends);
        let copy = downloaded.and_then(|()| checked_copy(&place, artifact, cache.folder()));
        drop(lock);
        cache.prune();
        copy
    }

    /// Why the archive of a release cannot be had without a network; None when it can, as far as a look tells, or when
    /// there is a network.
    #[must_use]
    pub fn out_of_reach(&self, listing: &Listing, selected: &Selected<'_>) -> Option<FetchError> {
        match source(listing, selected.artifact) {
            Source::Web(url) if self.offline && !self.place(&selected.artifact.sha256).is_file() => {
                Some(self.missing(listing, selected, url))
            }
            _ => None,
        }
    }

    /// Where the archive with this hash is looked for before it is downloaded.
    #[must_use]
    pub fn place(&self, sha256: &Sha256Hex) -> PathBuf {
        Cache::of(self.home).archive(sha256)
    }

    fn missing(&self, listing: &Listing, selected: &Selected<'_>, url: &str) -> FetchError {
        FetchError::Offline {
            id: listing.entry.name.clone(),
            version: selected.release.version.to_string(),
            url: shown(url),
            sha256: selected.artifact.sha256.clone(),
            place: self.place(&selected.artifact.sha256),
        }
    }
}

enum Source<'a> {
    File(PathBuf),
    Web(&'a str),
}

fn source<'a>(listing: &Listing, artifact: &'a Artifact) -> Source<'a> {
    match &artifact.location {
        Location::Path(path) => Source::File(listing.root.path.join(path)),
        Location::Url(url) => local_path(url).map_or(Source::Web(url), Source::File),
    }
}

/// `file:/path` and `file:///path`.
fn local_path(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("file:")?;
    let path = path.strip_prefix("//").unwrap_or(path);
    path.starts_with('/').then(|| PathBuf::from(path))
}

/// Copies an archive to a file without a name in `folder`, if it is what the catalog means.
fn checked_copy(path: &Path, artifact: &Artifact, folder: &Path) -> Result<File, FetchError> {
    let wrong = |found: String, expected: String| FetchError::WrongArchive {
        from: path.display().to_string(),
        found,
        expected,
    };
    let size = format!("{} bytes", artifact.size);
    let metadata = fs::metadata(path).at("read", path)?;
    // A pipe would be waited for without end.
    if !metadata.is_file() {
        return Err(wrong("no content, for it is no file".to_owned(), size));
    }
    let (copy, sha256, copied) = unnamed_copy(path, artifact.size.saturating_add(1), folder)?;
    if copied != artifact.size {
        return Err(wrong(format!("{} bytes", metadata.len()), size));
    }
    if sha256 != artifact.sha256 {
        return Err(wrong(format!("the sha256 {sha256}"), artifact.sha256.to_string()));
    }
    Ok(copy)
}

/// Copies at most so many bytes of a file to one without a name, and answers with their hash and number.
pub(super) fn unnamed_copy(path: &Path, most: u64, folder: &Path) -> Result<(File, Sha256Hex, u64), FileError> {
    let mut source = File::open(path).at("read", path)?.take(most);
    let mut copy = tempfile::tempfile_in(folder).at("create a file in", folder)?;
    let mut hasher = sha2::Sha256::new();
    let size = files::each_piece(&mut source, FileError::of("read", path), |piece| {
        hasher.update(piece);
        copy.write_all(piece).at("write to", folder)
    })?;
    copy.rewind().at("read", folder)?;
    Ok((copy, Sha256Hex::from_digest(&hasher.finalize()), size))
}
