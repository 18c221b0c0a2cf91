//! Which folders are catalogs, and how far each is trusted.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How far a catalog is trusted. It belongs to the folder: no entry can raise itself.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Shipped beside the executable.
    Official,
    /// Any other.
    Community,
}

impl Tier {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::Community => "community",
        }
    }
}

/// A folder of entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogRoot {
    /// The folder.
    pub path: PathBuf,
    /// How far it is trusted.
    pub tier: Tier,
}

impl CatalogRoot {
    /// The folder as text, for records and people.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// The catalogs to search, in this order: only those of `flags` if there are any, else only those of `env`
/// (`HERMES_CATALOG`, a list as in `PATH`), else those of `config`, the one shipped with the executable `exe`, and
/// `<data_home>/hermes/catalog`.
///
/// Those that the user named are answered even if they are not there, so that loading them is an error.
#[must_use]
pub fn default_roots(
    flags: &[PathBuf],
    env: Option<OsString>,
    config: &[PathBuf],
    exe: &Path,
    data_home: Option<PathBuf>,
) -> Vec<CatalogRoot> {
    let shipped = shipped_with(exe);
    let tier = |path: &Path| {
        let same = shipped.as_ref().is_some_and(|shipped| fs::canonicalize(path).is_ok_and(|path| path == *shipped));
        if same { Tier::Official } else { Tier::Community }
    };
    let root = |path: PathBuf| CatalogRoot { tier: tier(&path), path };

    if !flags.is_empty() {
        return flags.iter().cloned().map(root).collect();
    }
    let env = env.unwrap_or_default();
    let named: Vec<_> = env::split_paths(&env).filter(|path| !path.as_os_str().is_empty()).map(root).collect();
    if !named.is_empty() {
        return named;
    }
    let user = data_home.map(|folder| folder.join("hermes").join("catalog")).filter(|path| path.is_dir());
    config.iter().cloned().chain(shipped.clone()).chain(user).map(root).collect()
}

/// The first of `catalog`, `../catalog` (a build in `target/debug` finds `target/catalog`) and
/// `../share/hermes/catalog` that is there, seen from the folder of the executable.
fn shipped_with(exe: &Path) -> Option<PathBuf> {
    // A link in a folder of programs is followed to where the catalog lies.
    let exe = fs::canonicalize(exe).unwrap_or_else(|_| exe.to_owned());
    let folder = exe.parent()?;
    let places = ["catalog", "../catalog", "../share/hermes/catalog"];
    places.iter().filter_map(|place| fs::canonicalize(folder.join(place)).ok()).find(|path| path.is_dir())
}
