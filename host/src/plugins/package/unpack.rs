//! Unpacking an archive that may have been made to do harm.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use tar::EntryType;

use super::{Kind, Limits, PackageError, kind_of};
use crate::home::files::At as _;

/// What came out of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked {
    /// The one library.
    pub library: PathBuf,
    /// All files, the library included.
    pub files: Vec<PathBuf>,
}

/// Unpacks an archive into `dest`, an empty folder that only this process knows.
///
/// Only plain files at the root of the archive come out, readable and writable by the user alone, whatever modes,
/// owners and times the archive names. Nothing that is there is overwritten, and no link is ever made or followed.
///
/// # Errors
/// When the archive is refused or cannot be read. What was written until then stays in `dest`.
pub fn unpack(archive: impl Read, dest: &Path, limits: Limits) -> Result<Unpacked, PackageError> {
    // Headers and padding take up to 1 KiB for an entry; the rest is the end of the archive.
    let overhead = 1024 * (u64::try_from(limits.entries).unwrap_or(u64::MAX).saturating_add(64));
    let left = limits.total_bytes.saturating_add(overhead);
    let mut archive = tar::Archive::new(Bounded { inner: MultiGzDecoder::new(archive), left });
    let mut seen = BTreeSet::new();
    let mut unpacked = Vec::new();
    let mut libraries = Vec::new();
    let mut total = 0_u64;
    // Raw: the headers of long names would be read into memory as a whole, and no file needs one.
    for (at, entry) in archive.entries().map_err(PackageError::Unreadable)?.raw(true).enumerate() {
        let mut entry = entry.map_err(PackageError::Unreadable)?;
        if at >= limits.entries {
            return Err(PackageError::Content(format!("it has more than {} entries", limits.entries)));
        }
        let name = entry.path_bytes().into_owned();
        let shown = String::from_utf8_lossy(&name).into_owned();
        let refuse = |reason| PackageError::Entry { name: shown.clone(), reason };
        let kind = entry.header().entry_type();
        if kind == EntryType::Directory && matches!(name.as_slice(), b"." | b"./") {
            continue;
        }
        if kind != EntryType::Regular {
            return Err(refuse(reason_against(kind)));
        }
        let name = std::str::from_utf8(&name).map_err(|_| refuse("has a name that is not UTF-8"))?;
        let name = name.strip_prefix("./").unwrap_or(name);
        let kind = kind_of(name).map_err(refuse)?;
        // Some file systems take names for the same that differ in case or in how an accent is written.
        if !seen.insert(hermes_text::normalize(name)) {
            return Err(refuse("is there twice"));
        }
        let size = entry.size();
        total = total.saturating_add(size);
        if size > limits.file_bytes {
            return Err(refuse("is too large"));
        }
        if total > limits.total_bytes {
            return Err(PackageError::Content(format!("its files have more than {} bytes", limits.total_bytes)));
        }
        let path = dest.join(name);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = file.at("create", &path)?;
        let copied = io::copy(&mut entry, &mut file).map_err(PackageError::Unreadable)?;
        if copied != size {
            return Err(refuse("is cut off"));
        }
        if kind == Kind::Library {
            libraries.push(path.clone());
        }
        unpacked.push(path);
    }
    // Only reading to the end compares the checksum of the compressed data.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(PackageError::Unreadable)?;
    match <[PathBuf; 1]>::try_from(libraries) {
        Ok([library]) => Ok(Unpacked { library, files: unpacked }),
        Err(others) => {
            Err(PackageError::Content(format!("it holds {} libraries, and a plugin is exactly one", others.len())))
        }
    }
}

fn reason_against(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Directory => "is a folder, and all files belong to the root of the archive",
        EntryType::Symlink | EntryType::Link => "is a link",
        EntryType::Char | EntryType::Block | EntryType::Fifo => "is a device or a pipe",
        _ => "needs an extension of the tar format; pack it as `ustar`",
    }
}

/// Ends with an error, not quietly, where an archive unpacks to more than it may.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let bytes = u64::try_from(read).unwrap_or(u64::MAX);
        self.left = self.left.checked_sub(bytes).ok_or_else(|| io::Error::other("it unpacks to more than it may"))?;
        Ok(read)
    }
}
