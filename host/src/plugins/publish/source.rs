//! Where the library of a plugin and its texts are: a file, a crate that was built, or a folder with both.

use std::fs;
use std::path::{Path, PathBuf};

use super::Texts;
use crate::error::Hint;
use crate::home::files::FileError;
use crate::plugins::built::{Crate, CrateError, built, files_in, libraries_in, name_of};
use crate::plugins::inspect::{InspectError, inspect};
use crate::plugins::package::is_text;

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

impl From<Crate> for Texts {
    fn from(Crate { description, authors, licence, url, .. }: Crate) -> Self {
        Self { title: None, description, maintainer: authors, category: None, licence, docs_url: url }
    }
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
    /// The crate cannot be read.
    #[error(transparent)]
    Crate(#[from] CrateError),
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
            Self::Crate(error) => error.hints(),
            Self::Inspect(error) => error.hints(),
            Self::File(error) => error.hints(),
            Self::Missing { .. } => Vec::new(),
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
        match <[PathBuf; 1]>::try_from(libraries_in(&path)?) {
            Ok([library]) => Ok(Self { library, texts: texts_in(&path)?, found: Texts::default() }),
            Err(found) => Err(SourceError::NotOneLibrary { folder: path, found }),
        }
    }

    fn of_crate(folder: &Path, target_dir: Option<&Path>) -> Result<Self, SourceError> {
        let about = Crate::read(folder)?;
        let name = &about.library;
        let names = [format!("lib{name}.so"), format!("lib{name}.dylib"), format!("{name}.dll")];
        let looked = about.targets(target_dir);
        let mut found = built(&looked, "release", &names, |_| true);
        if found.len() > 1 {
            return Err(SourceError::Several { folder: folder.to_owned(), found });
        }
        let Some(library) = found.pop() else {
            let debug = built(&looked, "debug", &names, |_| true).pop();
            let library = about.file_name();
            return Err(SourceError::NotBuilt { folder: folder.to_owned(), library, looked, debug });
        };
        let built = inspect(&library)?.version;
        if let Some(now) = about.version.clone().filter(|now| *now != built) {
            return Err(SourceError::Stale { library, built, file: folder.join("Cargo.toml"), now });
        }
        let mut texts = texts_in(folder)?;
        // A workspace often has one licence for all its crates.
        if !texts.iter().any(|text| is_licence(&name_of(text))) {
            texts.extend(texts_in(&about.workspace)?.into_iter().filter(|text| is_licence(&name_of(text))));
        }
        Ok(Self { library, texts, found: about.into() })
    }
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
