//! Catalogs: folders of `<name>.toml` entries that say which plugins there are, and a list of what is blocked.
//!
//! An entry that cannot be read is an error of that name alone: the others are found as before. A list of blocked
//! things that cannot be read is an error of everything, because nobody knows what it would have blocked.

mod entry;
mod programs;
mod removed;
mod roots;
mod toml_file;
mod values;

pub use entry::{Artifact, Entry, Location, Release};
pub use programs::refused_program;
pub use removed::{Blocked, Blocklist};
pub use roots::{CatalogRoot, NamedBy, Tier, default_roots};
pub(super) use toml_file::parse;
pub use toml_file::{TomlError, UnknownKey};
pub use values::{AbiVersion, Sha256Hex, is_plugin_id};

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::fs;
use std::path::{Path, PathBuf};

use crate::config::suggest;
use crate::error::Hint;
use crate::home::files;

const REMOVED: &str = "removed.toml";

/// Most bytes of a file of a catalog: thousands of releases.
pub(super) const LARGEST_FILE: u64 = 4 << 20;

/// Ids that no plugin can have, because its entry would be another file of the catalog.
pub const RESERVED: &[&str] = &["removed"];

/// An entry and where it was found.
#[derive(Clone, Debug)]
pub struct Listing {
    /// What it says.
    pub entry: Entry,
    /// The catalog that it is in.
    pub root: CatalogRoot,
    /// Its file.
    pub file: PathBuf,
}

/// Why a catalog, or one entry of it, cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// A catalog that was asked for is not there.
    #[error("there is no catalog at `{}`, named by {}", path.display(), named_by.word())]
    Missing {
        /// The folder.
        path: PathBuf,
        /// What asked for it.
        named_by: NamedBy,
    },
    /// A folder holds no entry, and one below it does.
    #[error("the catalog `{}` is empty; the entries are in `{}`", path.display(), below.display())]
    TooHigh {
        /// The folder that was named.
        path: PathBuf,
        /// The folder with entries.
        below: PathBuf,
    },
    /// A file or folder cannot be read.
    #[error("cannot read `{}`: {reason}", path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// An entry, or the list of what is blocked, is not what it should be.
    #[error("the catalog file {0}")]
    Broken(#[from] TomlError),
    /// Two catalogs have an entry of one name.
    #[error("`{name}` is in two catalogs: `{}` and `{}`", first.display(), second.display())]
    Clash {
        /// The name.
        name: String,
        /// The file that is searched first.
        first: PathBuf,
        /// The other file.
        second: PathBuf,
    },
    /// No catalog has the name.
    #[error("no catalog has a plugin named `{}`", name.escape_debug())]
    Unknown {
        /// The name.
        name: String,
        /// The name that was perhaps meant.
        closest: Option<String>,
    },
}

impl Hint for CatalogError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Missing { named_by: NamedBy::Settings, .. } => {
                vec!["correct it with `hermes config set plugins.catalogs <folder>`, or unset it".to_owned()]
            }
            Self::Missing { named_by, .. } => {
                vec![format!("name a folder that holds `<name>.toml` files with {}", named_by.word())]
            }
            Self::TooHigh { below, .. } => vec![format!("use it with `--catalog {}`", below.display())],
            Self::Unreadable { .. } | Self::Broken(_) => Vec::new(),
            Self::Clash { .. } => vec!["use one of the two catalogs alone with `--catalog`".to_owned()],
            Self::Unknown { closest, .. } => {
                let meant = closest.iter().map(|name| format!("did you mean `{name}`?"));
                meant.chain(["`hermes plugins list` shows what the catalogs offer".to_owned()]).collect()
            }
        }
    }
}

/// All catalogs together.
#[derive(Clone, Debug, Default)]
pub struct Catalogs {
    entries: BTreeMap<String, Result<Listing, CatalogError>>,
    blocklist: Blocklist,
    unknown_keys: Vec<UnknownKey>,
    unread: Vec<CatalogError>,
}

impl Catalogs {
    /// Reads catalogs, in the order in which they are searched. A folder that is named twice counts once.
    ///
    /// # Errors
    /// When a folder or a list of what is blocked cannot be read. What is wrong with single entries is in
    /// [`Catalogs::problems`].
    pub fn load(roots: &[CatalogRoot]) -> Result<Self, CatalogError> {
        let catalogs = Self::load_readable(roots);
        match catalogs.unread.first() {
            Some(error) => Err(error.clone()),
            None => Ok(catalogs),
        }
    }

    /// Reads what can be read of catalogs, for plugins that are installed: what any of the others blocks stays
    /// blocked. What cannot be read is in [`Catalogs::unread`].
    #[must_use]
    pub fn load_readable(roots: &[CatalogRoot]) -> Self {
        let mut catalogs = Self::default();
        let mut seen = Vec::new();
        for root in roots {
            let folder = fs::canonicalize(&root.path).ok().filter(|path| path.is_dir());
            let Some(path) = folder else {
                catalogs.unread.push(CatalogError::Missing { path: root.path.clone(), named_by: root.named_by });
                continue;
            };
            if !seen.contains(&path) {
                seen.push(path.clone());
                catalogs.add(&CatalogRoot { path, ..root.clone() });
            }
        }
        catalogs
    }

    /// The entry of a name.
    ///
    /// # Errors
    /// When no catalog has it, two have it, or its file is broken.
    pub fn find(&self, name: &str) -> Result<&Listing, CatalogError> {
        match self.entries.get(name) {
            Some(found) => found.as_ref().map_err(Clone::clone),
            None => {
                let closest = suggest(name, self.entries.keys().map(String::as_str)).map(str::to_owned);
                Err(CatalogError::Unknown { name: name.to_owned(), closest })
            }
        }
    }

    /// Every entry that can be used, by name.
    pub fn listings(&self) -> impl Iterator<Item = &Listing> {
        self.entries.values().filter_map(|found| found.as_ref().ok())
    }

    /// What is wrong with the other entries.
    pub fn problems(&self) -> impl Iterator<Item = &CatalogError> {
        self.entries.values().filter_map(|found| found.as_ref().err())
    }

    /// The folders and lists of blocked things that could not be read. There are none after [`Catalogs::load`].
    #[must_use]
    pub fn unread(&self) -> &[CatalogError] {
        &self.unread
    }

    /// Keys that this host does not know; they are passed over.
    #[must_use]
    pub fn unknown_keys(&self) -> &[UnknownKey] {
        &self.unknown_keys
    }

    /// What is blocked by any of the catalogs.
    #[must_use]
    pub fn blocklist(&self) -> &Blocklist {
        &self.blocklist
    }

    fn add(&mut self, root: &CatalogRoot) {
        match self.add_removed(&root.path.join(REMOVED)) {
            Ok(unknown_keys) => self.unknown_keys.extend(unknown_keys),
            Err(error) => self.unread.push(error),
        }
        let files = entry_files(&root.path).unwrap_or_else(|error| {
            self.unread.push(error);
            Vec::new()
        });
        if files.is_empty()
            && let Some(below) = folder_with_entries(&root.path)
        {
            self.unread.push(CatalogError::TooHigh { path: root.path.clone(), below });
        }
        for file in files {
            let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let found = read(&file).and_then(|text| {
                let (entry, unknown_keys) = Entry::parse(&file, &text.unwrap_or_default())?;
                self.unknown_keys.extend(unknown_keys);
                Ok(Listing { entry, root: root.clone(), file: file.clone() })
            });
            match self.entries.entry(name.clone()) {
                Slot::Vacant(slot) => {
                    slot.insert(found);
                }
                Slot::Occupied(mut slot) => {
                    let first = match slot.get() {
                        Ok(listing) => listing.file.clone(),
                        Err(CatalogError::Broken(error)) => error.path.clone(),
                        Err(CatalogError::Unreadable { path, .. }) => path.clone(),
                        Err(_) => continue,
                    };
                    *slot.get_mut() = Err(CatalogError::Clash { name, first, second: file });
                }
            }
        }
    }

    fn add_removed(&mut self, file: &Path) -> Result<Vec<UnknownKey>, CatalogError> {
        match read(file)? {
            Some(text) => Ok(self.blocklist.add(file, &text)?),
            None => Ok(Vec::new()),
        }
    }
}

fn read(path: &Path) -> Result<Option<String>, CatalogError> {
    files::read_foreign_text(path, LARGEST_FILE)
        .map_err(|error| CatalogError::Unreadable { path: error.path, reason: error.source.to_string() })
}

/// A folder below that somebody may have meant.
fn folder_with_entries(folder: &Path) -> Option<PathBuf> {
    let mut below: Vec<_> = fs::read_dir(folder).ok()?.flatten().map(|item| item.path()).collect();
    below.sort();
    below.into_iter().find(|path| path.is_dir() && entry_files(path).is_ok_and(|files| !files.is_empty()))
}

fn entry_files(folder: &Path) -> Result<Vec<PathBuf>, CatalogError> {
    let unreadable =
        |error: std::io::Error| CatalogError::Unreadable { path: folder.to_owned(), reason: error.to_string() };
    let mut found = Vec::new();
    for item in fs::read_dir(folder).map_err(unreadable)? {
        let path = item.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".toml") && !name.starts_with('.') && name != REMOVED {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests;
