//! Where the library of a plugin and its texts are: a file, a crate that was built, or a folder with both.

use std::fs;
use std::path::{Path, PathBuf};

use super::Texts;
use super::cargo_toml::Crate;
use crate::error::Hint;
use crate::home::files::{At as _, FileError};
use crate::plugins::catalog::TomlError;
use crate::plugins::inspect::{InspectError, inspect};
use crate::plugins::package::{is_library, is_text};

/// What there is to pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The library.
    pub library: PathBuf,
    /// Licences and a README.
    pub texts: Vec<PathBuf>,
    /// What a new entry says, from a crate's `Cargo.toml`.
    pub found: Texts,
}

/// Why nothing was found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is no such file or folder.
    #[error("there is no file and no folder `{}`", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// A folder without a crate holds no library, or several.
    #[error("`{}` holds {} libraries, and a plugin is exactly one", folder.display(), found.len())]
    NotOneLibrary {
        /// The folder.
        folder: PathBuf,
        /// All of them.
        found: Vec<PathBuf>,
    },
    /// The crate was not built, or not optimised.
    #[error("`{}` is not built for release: no `{library}` in {}", folder.display(), quoted(looked))]
    NotBuilt {
        /// The folder of the crate.
        folder: PathBuf,
        /// The name of the library on this system.
        library: String,
        /// The target folders.
        looked: Vec<PathBuf>,
        /// The library as it was built for development, if it was.
        debug: Option<PathBuf>,
    },
    /// It was built for several targets.
    #[error("`{}` is built for several targets: {}", folder.display(), quoted(found))]
    Several {
        /// The folder of the crate.
        folder: PathBuf,
        /// The libraries.
        found: Vec<PathBuf>,
    },
    /// The library is not what the crate is now.
    #[error("`{}` is version {built}, and `{}` says {now}", library.display(), file.display())]
    Stale {
        /// The library.
        library: PathBuf,
        /// Its version.
        built: String,
        /// The file.
        file: PathBuf,
        /// The crate's version.
        now: String,
    },
    /// A `Cargo.toml` is that of a workspace alone.
    #[error("`{}` is not the manifest of a package", file.display())]
    NoPackage {
        /// The file.
        file: PathBuf,
    },
    /// A `Cargo.toml` cannot be read.
    #[error("{0}")]
    Broken(#[from] TomlError),
    /// The library cannot be read, or is no plugin.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// A file or folder cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

fn quoted(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ")
}

impl Hint for SourceError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::NotBuilt { debug, .. } => {
                let named =
                    debug.iter().map(|path| format!("or name the unoptimised one itself: `{}`", path.display()));
                let build =
                    "run `cargo build --release` there; if it builds to another folder, name the library itself";
                std::iter::once(build.to_owned()).chain(named).collect()
            }
            Self::Several { .. } | Self::NotOneLibrary { .. } => vec!["name the library itself".to_owned()],
            Self::Stale { .. } => vec!["run `cargo build --release` again".to_owned()],
            Self::NoPackage { .. } => vec!["name the folder of the plugin's own crate".to_owned()],
            Self::Inspect(error) => error.hints(),
            Self::File(error) => error.hints(),
            Self::Missing { .. } | Self::Broken(_) => Vec::new(),
        }
    }
}

impl Source {
    /// Finds the library and the texts that a path means: a library, a crate that was built with
    /// `cargo build --release` (to `target_dir`, where that is set), or any other folder with one library in it.
    ///
    /// # Errors
    /// When that is not exactly one library.
    pub fn find(path: &Path, target_dir: Option<&Path>) -> Result<Self, SourceError> {
        // Links are followed: authors link to what they work on.
        let Ok(path) = fs::canonicalize(path) else { return Err(SourceError::Missing { path: path.to_owned() }) };
        if !path.is_dir() {
            let beside = path.parent().map(texts_in).transpose()?;
            return Ok(Self { library: path, texts: beside.unwrap_or_default(), found: Texts::default() });
        }
        if path.join("Cargo.toml").is_file() {
            return Self::of_crate(&path, target_dir);
        }
        let libraries: Vec<_> = files_in(&path)?.into_iter().filter(|file| is_library(&name_of(file))).collect();
        match <[PathBuf; 1]>::try_from(libraries) {
            Ok([library]) => Ok(Self { library, texts: texts_in(&path)?, found: Texts::default() }),
            Err(found) => Err(SourceError::NotOneLibrary { folder: path, found }),
        }
    }

    fn of_crate(folder: &Path, target_dir: Option<&Path>) -> Result<Self, SourceError> {
        let about = Crate::read(folder)?;
        let name = &about.library;
        let names = [format!("lib{name}.so"), format!("lib{name}.dylib"), format!("{name}.dll")];
        let looked = match target_dir {
            Some(target) => vec![target.to_owned()],
            None => {
                let mut folders = vec![folder.join("target"), about.workspace.join("target")];
                folders.dedup();
                folders
            }
        };
        let mut found = built(&looked, "release", &names);
        if found.len() > 1 {
            return Err(SourceError::Several { folder: folder.to_owned(), found });
        }
        let Some(library) = found.pop() else {
            let debug = built(&looked, "debug", &names).pop();
            let library = format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
            return Err(SourceError::NotBuilt { folder: folder.to_owned(), library, looked, debug });
        };
        let built = inspect(&library)?.version;
        if let Some(now) = about.version.filter(|now| *now != built) {
            return Err(SourceError::Stale { library, built, file: folder.join("Cargo.toml"), now });
        }
        let mut texts = texts_in(folder)?;
        // A workspace often has one licence for all its crates.
        if !texts.iter().any(|text| is_licence(&name_of(text))) {
            texts.extend(texts_in(&about.workspace)?.into_iter().filter(|text| is_licence(&name_of(text))));
        }
        Ok(Self { library, texts, found: about.texts })
    }
}

/// The libraries of these names that cargo built with a profile: for this machine, and for each target that was named.
fn built(targets: &[PathBuf], profile: &str, names: &[String]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for target in targets {
        let triples = fs::read_dir(target).into_iter().flatten().filter_map(|item| Some(item.ok()?.path()));
        let mut triples: Vec<_> = triples.filter(|path| path.is_dir()).collect();
        triples.sort();
        for folder in std::iter::once(target).chain(&triples) {
            let files = names.iter().map(|name| folder.join(profile).join(name));
            found.extend(files.filter(|file| file.is_file()));
        }
    }
    found
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_licence(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|start| name.starts_with(start))
}

/// The licences and the README of a folder, as far as an archive has a place for them.
fn texts_in(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let files = files_in(folder)?.into_iter().filter(|file| {
        let name = name_of(file);
        is_text(&name) && (is_licence(&name) || matches!(&*name, "README.md" | "README.txt" | "README"))
    });
    Ok(files.collect())
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let mut files = Vec::new();
    for item in fs::read_dir(folder).at("read", folder)? {
        files.push(item.at("read", folder)?.path());
    }
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}
