//! What an author has on the desk: a crate, and the libraries that cargo made of it.

mod cargo_toml;

pub use cargo_toml::Crate;

use std::fs;
use std::path::{Path, PathBuf};

use super::catalog::TomlError;
use super::package::is_library;
use crate::error::Hint;
use crate::home::files::{At as _, FileError};

/// Why a crate cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrateError {
    /// A `Cargo.toml` is that of a workspace alone.
    #[error("`{}` is not the manifest of a package", file.display())]
    NoPackage {
        /// The file.
        file: PathBuf,
    },
    /// A `Cargo.toml` is not what it should be.
    #[error("{0}")]
    Broken(#[from] TomlError),
    /// A `Cargo.toml` cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Hint for CrateError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::NoPackage { .. } => vec!["name the folder of the plugin's own crate".to_owned()],
            Self::Broken(_) => Vec::new(),
            Self::File(error) => error.hints(),
        }
    }
}

impl Crate {
    /// The folders that cargo builds it to: `target_dir`, the value of `CARGO_TARGET_DIR`, where that is set.
    #[must_use]
    pub fn targets(&self, target_dir: Option<&Path>) -> Vec<PathBuf> {
        let mut folders = match target_dir {
            Some(target) => vec![target.to_owned()],
            None => vec![self.folder.join("target"), self.workspace.join("target")],
        };
        folders.dedup();
        folders
    }

    /// The name of its library's file on this system.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}{}{}", std::env::consts::DLL_PREFIX, self.library, std::env::consts::DLL_SUFFIX)
    }
}

/// The files of these names that cargo built with a profile: for this machine, and for each target that was named and
/// is wanted.
pub fn built(targets: &[PathBuf], profile: &str, names: &[String], is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for target in targets {
        let triples = fs::read_dir(target).into_iter().flatten().filter_map(|item| Some(item.ok()?.path()));
        let mut triples: Vec<_> = triples.filter(|path| path.is_dir() && is_wanted(&name_of(path))).collect();
        triples.sort();
        for folder in std::iter::once(target).chain(&triples) {
            let files = names.iter().map(|name| folder.join(profile).join(name));
            found.extend(files.filter(|file| file.is_file()));
        }
    }
    found
}

/// The files in a folder, by name.
///
/// # Errors
/// When it cannot be read.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut files = Vec::new();
    for item in fs::read_dir(folder).at("read", folder)? {
        files.push(item.at("read", folder)?.path());
    }
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}

/// Those of them that an archive takes for a library.
///
/// # Errors
/// When the folder cannot be read.
pub fn libraries_in(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    Ok(files_in(folder)?.into_iter().filter(|file| is_library(&name_of(file))).collect())
}

/// The name of a file, as far as it can be shown.
#[must_use]
pub fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
