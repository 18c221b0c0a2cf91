//! The archive that a plugin travels in: a `.tar.gz` or `.tar.zst` with one library and a few texts at its root.

mod collect;
mod compressed;
mod unpack;

pub use collect::collect;
pub(super) use compressed::head;
pub use compressed::{ending, is_archive};
pub use unpack::{Unpacked, unpack};

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};

use crate::error::Hint;
use crate::home::files::{At, FileError};

/// How much an archive may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries, folders included.
    pub entries: usize,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files together.
    pub total_bytes: u64,
}

impl Limits {
    /// Far above any real plugin: 64 entries, 512 MiB each, 768 MiB together.
    pub const DEFAULT: Self = Self { entries: 64, file_bytes: 512 << 20, total_bytes: 768 << 20 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Why an archive is refused, or cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// It is neither gzip nor zstd, no tar, or cut off.
    #[error("the archive cannot be read")]
    Unreadable(#[source] io::Error),
    /// An entry breaks a rule.
    #[error("its entry `{}` {reason}", name.escape_debug())]
    Entry {
        /// The name, as far as it can be shown.
        name: String,
        /// Which rule.
        reason: &'static str,
    },
    /// A file that is not in an archive, and is none.
    #[error("it {reason}")]
    Lone {
        /// What it is not.
        reason: &'static str,
    },
    /// It holds too much, or not what it should.
    #[error("{0}")]
    Content(String),
    /// A file that goes in or out.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Hint for PackageError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            _ => Vec::new(),
        }
    }
}

/// Writes an archive. The same files give the same bytes: sorted by name, without times and owners.
///
/// # Errors
/// When a file cannot be read, a name breaks the rules that [`unpack`] checks, or `out` cannot be written.
pub fn pack(files: &[PathBuf], out: impl Write) -> Result<(), PackageError> {
    let mut named = Vec::new();
    for path in files {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        kind_of(name).map_err(|reason| PackageError::Entry { name: name.to_owned(), reason })?;
        named.push((name, path));
    }
    named.sort();
    let gzip = GzBuilder::new().mtime(0).operating_system(255).write(out, Compression::best());
    let mut archive = tar::Builder::new(gzip);
    for (name, path) in named {
        let mut file = File::open(path).at("read", path)?;
        let mut header = tar::Header::new_ustar();
        header.set_size(file.metadata().at("read", path)?.len());
        header.set_mode(0o644);
        header.set_entry_type(tar::EntryType::Regular);
        archive.append_data(&mut header, name, &mut file).at("pack", path)?;
    }
    let written = archive.into_inner().and_then(flate2::write::GzEncoder::finish).and_then(|mut out| out.flush());
    written.at("write", Path::new("the archive")).map_err(PackageError::File)
}

/// Whether a file of this name is a library to an archive.
#[must_use]
pub fn is_library(name: &str) -> bool {
    kind_of(name) == Ok(Kind::Library)
}

/// Whether a file of this name is a text to an archive.
#[must_use]
pub fn is_text(name: &str) -> bool {
    kind_of(name) == Ok(Kind::Text)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Library,
    Text,
}

/// What a file of an archive is by its name, or why there is no place for it.
fn kind_of(name: &str) -> Result<Kind, &'static str> {
    if name.contains(['/', '\\']) {
        return Err("is not at the root of the archive");
    }
    // The longest name that an archive without extensions holds.
    if name.is_empty() || name.len() > 100 {
        return Err("has a name of no or more than 100 bytes");
    }
    if name.contains(|c: char| c.is_control() || c == ':') || !name.starts_with(char::is_alphanumeric) {
        return Err("has a name that is no plain file name");
    }
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension {
        "so" | "dylib" if stem.starts_with("lib") => Ok(Kind::Library),
        "dll" => Ok(Kind::Library),
        "" | "md" | "txt" => Ok(Kind::Text),
        _ => Err("is neither a library `lib….so`, `lib….dylib` or `….dll` nor a text"),
    }
}

#[cfg(test)]
mod tests;
