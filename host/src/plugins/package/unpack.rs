//! Unpacking an archive that may have been made to do harm.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use tar::EntryType;

use super::compressed::decompressed;
use super::{Kind, Limits, PackageError, kind_of};
use crate::home::files::{self, At as _};

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
    let inner = decompressed(archive).map_err(PackageError::Unreadable)?;
    let mut archive = tar::Archive::new(Bounded { inner, left });
    let mut contents = Contents::new(limits);
    // Raw: the headers of long names would be read into memory as a whole, and no file needs one.
    for (at, entry) in archive.entries().map_err(PackageError::Unreadable)?.raw(true).enumerate() {
        let mut entry = entry.map_err(PackageError::Unreadable)?;
        if at >= limits.entries {
            return Err(too_many(limits));
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
        let size = entry.size();
        let path = contents.admit(name.strip_prefix("./").unwrap_or(name), size, dest)?;
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = file.at("create", &path)?;
        let copied = files::each_piece(&mut entry, PackageError::Unreadable, |piece| {
            Ok(file.write_all(piece).at("write", &path)?)
        })?;
        if copied != size {
            return Err(refuse("is cut off"));
        }
    }
    // Only reading to the end compares the checksum of the compressed data.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(PackageError::Unreadable)?;
    contents.finish()
}

/// What was taken of a plugin so far, under the rules that hold however it comes.
pub(super) struct Contents {
    limits: Limits,
    seen: BTreeSet<String>,
    files: Vec<PathBuf>,
    libraries: Vec<PathBuf>,
    total: u64,
}

impl Contents {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, seen: BTreeSet::new(), files: Vec::new(), libraries: Vec::new(), total: 0 }
    }

    /// Where a file of this name and size goes, if there is a place for it.
    pub(super) fn admit(&mut self, name: &str, size: u64, dest: &Path) -> Result<PathBuf, PackageError> {
        let refuse = |reason| PackageError::Entry { name: name.to_owned(), reason };
        let kind = kind_of(name).map_err(refuse)?;
        // Some file systems take names for the same that differ in case or in how an accent is written.
        if !self.seen.insert(hermes_text::normalize(name)) {
            return Err(refuse("is there twice"));
        }
        if self.seen.len() > self.limits.entries {
            return Err(too_many(self.limits));
        }
        self.total = self.total.saturating_add(size);
        if size > self.limits.file_bytes {
            return Err(refuse("is too large"));
        }
        if self.total > self.limits.total_bytes {
            return Err(PackageError::Content(format!("its files have more than {} bytes", self.limits.total_bytes)));
        }
        let path = dest.join(name);
        if kind == Kind::Library {
            self.libraries.push(path.clone());
        }
        self.files.push(path.clone());
        Ok(path)
    }

    pub(super) fn finish(self) -> Result<Unpacked, PackageError> {
        match <[PathBuf; 1]>::try_from(self.libraries) {
            Ok([library]) => Ok(Unpacked { library, files: self.files }),
            Err(others) => {
                Err(PackageError::Content(format!("it holds {} libraries, and a plugin is exactly one", others.len())))
            }
        }
    }
}

fn too_many(limits: Limits) -> PackageError {
    PackageError::Content(format!("it has more than {} entries", limits.entries))
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
