//! Reading what a library says about itself, without running any of it.

mod glibc;

pub use glibc::{Glibc, oldest_glibc};

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use hermes_provider_api::metadata::{MACHO_SECTION, MAX_SECTION, Metadata, SECTION, SectionError};
use object::read::ReadCache;
use object::{BinaryFormat, Object as _, ObjectKind, ObjectSection as _};

use crate::error::Hint;
use crate::home::files::{At as _, FileError};

/// Why a library cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// It cannot be opened.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is something else, or its end is missing.
    #[error("`{}` is not a library that can be loaded, or is cut off: {reason}", path.display())]
    NotALibrary {
        /// The file.
        path: PathBuf,
        /// What the reader missed.
        reason: String,
    },
    /// It is a library of another sort.
    #[error("`{}` is a library but not a hermes plugin: it has no `{SECTION}` section", path.display())]
    NoSection {
        /// The file.
        path: PathBuf,
    },
    /// The section is there and cannot be used.
    #[error("`{}`: {source}", path.display())]
    Section {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: SectionError,
    },
}

impl InspectError {
    /// With the library named as its archive names it, for one that lies in a folder which is about to go.
    pub(crate) fn without_folders(mut self) -> Self {
        let path = self.path_mut();
        *path = path.file_name().map(PathBuf::from).unwrap_or_default();
        self
    }

    /// The file that it names.
    pub(crate) fn path_mut(&mut self) -> &mut PathBuf {
        match self {
            Self::File(error) => &mut error.path,
            Self::NotALibrary { path, .. } | Self::NoSection { path } | Self::Section { path, .. } => path,
        }
    }
}

impl Hint for InspectError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            Self::NotALibrary { .. } => Vec::new(),
            Self::NoSection { .. } => vec!["a plugin is made with `hermes_provider_api::export_provider!`".to_owned()],
            Self::Section { source: SectionError::Format { .. }, .. } => {
                vec!["the plugin was built for another hermes; update the older of the two".to_owned()]
            }
            Self::Section { .. } => Vec::new(),
        }
    }
}

/// Reads the metadata of a library. Takes well under a millisecond, however large the file is.
///
/// # Errors
/// When it is no library, has no section, or the section is damaged. Never panics, whatever the bytes.
pub fn inspect(path: &Path) -> Result<Metadata, InspectError> {
    let not_a_library = |reason: String| InspectError::NotALibrary { path: path.to_owned(), reason };
    // A pipe would be waited for without end.
    if !fs::metadata(path).at("read", path)?.is_file() {
        return Err(not_a_library("it is no plain file".to_owned()));
    }
    let cache = ReadCache::new(File::open(path).at("read", path)?);
    let broken = |error: object::Error| not_a_library(error.to_string());
    let file = object::File::parse(&cache).map_err(broken)?;
    if file.kind() != ObjectKind::Dynamic {
        return Err(not_a_library("it is a program or a part of one".to_owned()));
    }
    let (segment, name) = match file.format() {
        BinaryFormat::MachO => (Some("__DATA"), MACHO_SECTION),
        _ => (None, SECTION),
    };
    for section in file.sections() {
        if section.name_bytes() != Ok(name.as_bytes()) {
            continue;
        }
        if segment.is_some() && section.segment_name() != Ok(segment) {
            continue;
        }
        let damaged = |source| InspectError::Section { path: path.to_owned(), source };
        // A section may be padded, but a size beyond all measure must not be read into memory.
        if section.size() > 2 * MAX_SECTION as u64 {
            return Err(damaged(SectionError::Damaged("it is larger than 1 MiB")));
        }
        let bytes = section.data().map_err(broken)?;
        return Metadata::from_section(bytes).map_err(damaged);
    }
    Err(InspectError::NoSection { path: path.to_owned() })
}

#[cfg(test)]
pub(crate) mod fixture;

#[cfg(test)]
mod tests;
