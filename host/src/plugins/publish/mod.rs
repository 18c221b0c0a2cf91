//! What an author puts into a catalog: the archive of a built plugin, and the entry that names it.
//!
//! The plugin is read and not run. What comes out is checked as an install will check it, so that a catalog that was
//! written here can be installed from.

mod entry;
mod source;

pub use entry::{Change, Texts};
pub use source::{Source, SourceError};

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hermes_provider_api::metadata::Metadata;
use semver::{Version, VersionReq};
use sha2::{Digest as _, Sha256};

use super::catalog::{AbiVersion, LARGEST_FILE, RESERVED, Sha256Hex, TomlError, is_plugin_id, refused_program};
use super::inspect::{Glibc, InspectError, inspect, oldest_glibc};
use super::package::{self, Limits, PackageError, unpack};
use super::verify::setting_problem;
use crate::error::Hint;
use crate::home::files::{self, At as _, FileError};

/// A built plugin and where it goes.
#[derive(Clone, Debug)]
pub struct Pack<'a> {
    /// The library.
    pub library: &'a Path,
    /// Licences and a README, which travel with it.
    pub texts: &'a [PathBuf],
    /// What the entry says, in place of what an entry that is there says.
    pub given: Texts,
    /// What a new entry says where nothing was given.
    pub found: Texts,
    /// The folder of the catalog, made if it is not there.
    pub out: &'a Path,
    /// Where the folder will be served: the entry then names the archive by its URL.
    pub base_url: Option<&'a str>,
    /// An artifact of the same version and target may be replaced.
    pub force: bool,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Packed {
    /// What the plugin says about itself.
    pub metadata: Metadata,
    /// The archive.
    pub archive: PathBuf,
    /// The names of the files in it.
    pub files: Vec<String>,
    /// Its SHA-256.
    pub sha256: Sha256Hex,
    /// Its length in bytes.
    pub size: u64,
    /// The entry.
    pub entry: PathBuf,
    /// What became of the entry.
    pub change: Change,
    /// The oldest glibc that the library runs with, where it needs one.
    pub glibc: Option<Glibc>,
}

/// Why a plugin is not packed; nothing was written then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// The library cannot be read, or is no plugin.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// What it says about itself would be refused wherever it is installed.
    #[error("`{}` would be refused when it is installed: {}", path.display(), problems.join("; "))]
    Refused {
        /// The library.
        path: PathBuf,
        /// All that is wrong.
        problems: Vec<String>,
    },
    /// The archive cannot be made.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The entry that is there cannot be read, or what it would become.
    #[error("the catalog file {0}")]
    Entry(#[from] TomlError),
    /// The file is not named as an install expects it.
    #[error("`{}` is not named like a library: `lib….so`, `lib….dylib` or `….dll`", path.display())]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// A new entry lacks texts.
    #[error("a new catalog entry needs {}", keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", "))]
    Missing {
        /// The keys, which are also the names of the flags.
        keys: Vec<&'static str>,
    },
    /// The release has another archive for this target.
    #[error("`{}` has {id} {version} for `{target}` already, with other content: sha256 {}, now {}", entry.display(), listed.short(), packed.short())]
    Exists {
        /// The entry.
        entry: PathBuf,
        /// The plugin.
        id: String,
        /// The version.
        version: Version,
        /// The target.
        target: String,
        /// The archive that is listed.
        listed: Sha256Hex,
        /// The one that was just made.
        packed: Sha256Hex,
    },
    /// The release says something else of all its targets.
    #[error("`{}` has {id} {version} with {differs}", entry.display())]
    Differs {
        /// The entry.
        entry: PathBuf,
        /// The plugin.
        id: String,
        /// The version.
        version: Version,
        /// In what.
        differs: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Hint for PublishError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Inspect(error) => error.hints(),
            Self::Package(error) => error.hints(),
            Self::File(error) => error.hints(),
            Self::Entry(_) | Self::Refused { .. } | Self::Name { .. } => Vec::new(),
            Self::Missing { keys } => {
                let flags: Vec<_> = keys.iter().map(|key| format!("--{key} \"…\"")).collect();
                vec![format!("give `{}`", flags.join(" "))]
            }
            Self::Exists { .. } => vec![
                "a published version never changes: raise the version in `Cargo.toml` and build again".to_owned(),
                "if nobody has it yet, `--force` replaces it".to_owned(),
            ],
            Self::Differs { .. } => {
                vec!["raise the version in `Cargo.toml`, and build and pack every target again".to_owned()]
            }
        }
    }
}

/// Writes the archive of a plugin and its entry. The same files give the same archive, byte for byte.
///
/// # Errors
/// Why not; nothing was written then, or only an archive that no entry names.
pub fn pack(request: &Pack<'_>) -> Result<Packed, PublishError> {
    let library = request.library;
    if !package::is_library(&library.file_name().unwrap_or_default().to_string_lossy()) {
        return Err(PublishError::Name { path: library.to_owned() });
    }
    let files: Vec<_> = std::iter::once(library.to_owned()).chain(request.texts.iter().cloned()).collect();
    let metadata = inspect(library)?;
    let version = check(library, &metadata)?;

    let mut archive = Vec::new();
    package::pack(&files, &mut archive)?;
    let unpacked = tempfile::tempdir().at("create a folder in", &std::env::temp_dir())?;
    unpack(archive.as_slice(), unpacked.path(), Limits::default())?;

    let name = format!("{}-{version}-{}.tar.gz", metadata.id, metadata.target);
    let sha256 = Sha256Hex::from_digest(&Sha256::digest(&archive));
    let size = archive.len() as u64;
    let entry = request.out.join(format!("{}.toml", metadata.id));
    let release = entry::NewRelease {
        metadata: &metadata,
        version,
        abi: AbiVersion { major: metadata.abi_major, minor: metadata.abi_minor },
        archive: &name,
        sha256: &sha256,
        size,
    };
    let (text, change) =
        entry::with_release(&entry, files::read_foreign_text(&entry, LARGEST_FILE)?, &release, request)?;
    let path = request.out.join(&name);
    files::publish(&path, |to| to.write_all(&archive))?;
    files::publish(&entry, |to| to.write_all(text.as_bytes()))?;
    let mut names: Vec<_> =
        files.iter().filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    Ok(Packed { archive: path, files: names, sha256, size, entry, change, glibc: glibc(library)?, metadata })
}

/// What the library needs, where that can be read: it is said, and keeps nobody from packing.
fn glibc(library: &Path) -> Result<Option<Glibc>, FileError> {
    let bytes = fs::read(library).at("read", library)?;
    Ok(object::File::parse(bytes.as_slice()).and_then(|file| oldest_glibc(&file)).ok().flatten())
}

/// Everything that an install would refuse and that can be told from the library alone.
fn check(library: &Path, metadata: &Metadata) -> Result<Version, PublishError> {
    let Metadata { id, version, requires_host, capabilities, config, target, .. } = metadata;
    let mut problems = Vec::new();
    if !is_plugin_id(id) {
        let id = id.escape_debug();
        problems
            .push(format!("its id `{id}` is not 1 to 64 lower-case letters, digits and `-`, beginning with a letter"));
    }
    if RESERVED.contains(&id.as_str()) {
        problems.push(format!("its id `{id}` is the name of another file of a catalog"));
    }
    if VersionReq::parse(requires_host).is_err() {
        problems.push(format!("`{}` is no range of host versions", requires_host.escape_debug()));
    }
    let is_triple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if target.is_empty() || !target.starts_with(char::is_alphanumeric) || !target.chars().all(is_triple) {
        problems.push(format!("its target `{}` is no target triple", target.escape_debug()));
    }
    problems.extend(capabilities.validate().err());
    problems.extend(refused_program(capabilities));
    problems.extend(config.iter().filter_map(|field| setting_problem(field, capabilities)));
    match Version::parse(version) {
        Ok(version) if problems.is_empty() => return Ok(version),
        Ok(_) => {}
        Err(error) => problems.push(format!("its version `{}` is none: {error}", version.escape_debug())),
    }
    Err(PublishError::Refused { path: library.to_owned(), problems })
}

#[cfg(test)]
mod tests;
