//! From what an author typed to one library: the file itself, an archive, a folder with one, or a crate that was built.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hermes_provider_api::metadata::TARGET;
use tempfile::TempDir;

use crate::error::Hint;
use crate::home::files::{At as _, FileError};
use crate::plugins::built::{Crate, CrateError, built, libraries_in};
use crate::plugins::package::{Limits, PackageError, is_archive, unpack};

/// A library to be checked.
#[derive(Debug)]
pub struct Located {
    /// A copy that nobody builds anew meanwhile. Its folder goes with this value.
    pub library: PathBuf,
    /// The library as the author knows it.
    pub shown: PathBuf,
    /// The bytes of the archive that it came in.
    pub archive_bytes: Option<u64>,
    /// How it was found, where there was a choice.
    pub how: Option<String>,
    /// A source that is newer than the library.
    pub newer_source: Option<PathBuf>,
    _folder: TempDir,
}

/// Why there is nothing to check.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// A file or folder that cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// An archive that would be refused.
    #[error("`{}`", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Why.
        source: PackageError,
    },
    /// A folder with none or several libraries.
    #[error("`{}` holds {found} libraries, and a plugin is exactly one", path.display())]
    NotOne {
        /// The folder.
        path: PathBuf,
        /// How many.
        found: usize,
    },
    /// A crate that cannot be read.
    #[error(transparent)]
    Crate(#[from] CrateError),
    /// A crate that makes no library to be loaded.
    #[error("`{}`: it makes no `cdylib`", path.display())]
    NoCdylib {
        /// The `Cargo.toml`.
        path: PathBuf,
    },
    /// A crate that was not built yet.
    #[error("`{library}` is not built: it is not in `{}`", target.display())]
    NotBuilt {
        /// Its file name.
        library: String,
        /// The target folder.
        target: PathBuf,
    },
}

impl Hint for LocateError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            Self::Archive { source, .. } => source.hints(),
            Self::NotOne { .. } => vec!["name the library itself, its archive, or the folder of its crate".to_owned()],
            Self::Crate(error) => error.hints(),
            Self::NoCdylib { .. } => vec!["a plugin's crate has `[lib]` with `crate-type = [\"cdylib\"]`".to_owned()],
            Self::NotBuilt { .. } => {
                vec!["run `cargo build --release`, or name the library; `CARGO_TARGET_DIR` is heeded".to_owned()]
            }
        }
    }
}

/// Finds the library. `target_dir` is the value of `CARGO_TARGET_DIR`.
///
/// # Errors
/// Why there is none, or more than one.
pub fn locate(path: &Path, target_dir: Option<PathBuf>) -> Result<Located, LocateError> {
    let metadata = fs::metadata(path).at("read", path)?;
    if metadata.is_dir() {
        let manifest = path.join("Cargo.toml");
        return if manifest.is_file() { newest(path, target_dir.as_deref()) } else { only_one(path) };
    }
    if is_archive(path)? { unpacked(path, metadata.len()) } else { copied(path, None, None) }
}

fn temporary() -> Result<TempDir, FileError> {
    tempfile::tempdir().at("create a folder in", &std::env::temp_dir())
}

fn unpacked(archive: &Path, bytes: u64) -> Result<Located, LocateError> {
    let folder = temporary()?;
    let file = File::open(archive).at("read", archive)?;
    let unpacked = unpack(file, folder.path(), Limits::default())
        .map_err(|source| LocateError::Archive { path: archive.to_owned(), source })?;
    Ok(Located {
        shown: archive.to_owned(),
        library: unpacked.library,
        archive_bytes: Some(bytes),
        how: None,
        newer_source: None,
        _folder: folder,
    })
}

fn copied(library: &Path, how: Option<String>, newer_source: Option<PathBuf>) -> Result<Located, LocateError> {
    let folder = temporary()?;
    let copy = folder.path().join(library.file_name().unwrap_or_default());
    fs::copy(library, &copy).at("copy", library)?;
    let shown = library.to_owned();
    Ok(Located { library: copy, shown, archive_bytes: None, how, newer_source, _folder: folder })
}

fn only_one(folder: &Path) -> Result<Located, LocateError> {
    match libraries_in(folder)?.as_slice() {
        [library] => copied(library, None, None),
        others => Err(LocateError::NotOne { path: folder.to_owned(), found: others.len() }),
    }
}

/// The newest library of a crate in its target folders.
fn newest(folder: &Path, target_dir: Option<&Path>) -> Result<Located, LocateError> {
    let about = Crate::read(&fs::canonicalize(folder).at("read", folder)?)?;
    if !about.is_cdylib {
        return Err(LocateError::NoCdylib { path: folder.join("Cargo.toml") });
    }
    let (library, targets) = (about.file_name(), about.targets(target_dir));
    let names = [library.clone()];
    let all =
        ["release", "debug"].into_iter().flat_map(|profile| built(&targets, profile, &names, |name| name == TARGET));
    let Some((built_at, path)) = all.filter_map(|path| Some((modified(&path)?, path))).max() else {
        let target = targets.into_iter().next().unwrap_or_default();
        return Err(LocateError::NotBuilt { library, target });
    };
    let mut newer = None;
    newer_source(&about.folder.join("src"), built_at, &mut newer);
    let profile = path.parent().map(|parent| parent.display().to_string()).unwrap_or_default();
    copied(&path, Some(format!("the newest `{library}` of this crate, from `{profile}`")), newer)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

fn newer_source(folder: &Path, than: SystemTime, found: &mut Option<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            newer_source(&path, than, found);
        } else if modified(&path).is_some_and(|at| at > than) {
            *found = Some(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_in(folder: &Path, lib: &str) {
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("Cargo.toml"), format!("[package]\nname = \"my-notes\"\n{lib}")).unwrap();
    }

    #[test]
    fn a_crate_is_its_newest_library() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let member = root.join("plugins/my-notes");
        fs::write(root.join("Cargo.toml"), "[workspace]").unwrap();
        crate_in(&member, "[lib]\ncrate-type = [\"cdylib\", \"rlib\"]");
        let name = format!("{}my_notes{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        let error = locate(&member, None).unwrap_err();
        assert_eq!(error.to_string(), format!("`{name}` is not built: it is not in `{}/target`", member.display()));

        let write = |below: &str, seconds: u64| {
            let path = root.join(below).join(&name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, below).unwrap();
            let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            File::options().append(true).open(&path).unwrap().set_modified(at).unwrap();
            path
        };
        write("target/release", 100);
        let debug = write("target/debug", 200);
        let found = locate(&member, None).unwrap();
        assert_eq!((found.shown, found.newer_source), (debug, None));
        assert_eq!(fs::read_to_string(&found.library).unwrap(), "target/debug");
        fs::write(member.join("src/lib.rs"), "").unwrap();
        assert_eq!(locate(&member, None).unwrap().newer_source, Some(member.join("src/lib.rs")));
        let elsewhere = write(&format!("elsewhere/{TARGET}/release"), 1);
        assert_eq!(locate(&member, Some(root.join("elsewhere"))).unwrap().shown, elsewhere);
    }

    #[test]
    fn what_is_no_plugin_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let said = |path: &Path| locate(path, None).unwrap_err().to_string().replace(&path.display().to_string(), "…");
        assert_eq!(said(path), "`…` holds 0 libraries, and a plugin is exactly one");
        assert_eq!(said(&path.join("none")), "cannot read `…`");
        crate_in(path, "");
        assert_eq!(said(path), "`…/Cargo.toml`: it makes no `cdylib`");
        fs::remove_file(path.join("Cargo.toml")).unwrap();
        fs::write(path.join("liba.so"), "").unwrap();
        assert_eq!(locate(path, None).unwrap().shown, path.join("liba.so"));
        fs::write(path.join("a.tar.gz"), [0x1f, 0x8b, 0]).unwrap();
        assert_eq!(said(&path.join("a.tar.gz")), "`…`");
    }
}
