//! Which folders are catalogs, and how far each is trusted.

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

/// What names a catalog, for the case that it is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NamedBy {
    /// The flag.
    #[default]
    Flag,
    /// The environment.
    Variable,
    /// The settings.
    Settings,
    /// Nobody: it is where one usually is.
    Usual,
}

impl NamedBy {
    /// As a message names it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Flag => "`--catalog`",
            Self::Variable => "`HERMES_CATALOG`",
            Self::Settings => "`plugins.catalogs`",
            Self::Usual => "its usual place",
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
    /// What names it.
    pub named_by: NamedBy,
}

impl CatalogRoot {
    /// The folder as text, for records and people.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// The catalogs to search, in this order: only those of `flags` if there are any, else only those of `env`
/// (`HERMES_CATALOG`), else those of `config`, the one shipped with the executable `exe`, and
/// `<data_home>/hermes/catalog`.
///
/// Those that the user named are answered even if they are not there, so that loading them is an error.
#[must_use]
pub fn default_roots(
    flags: &[PathBuf],
    env: &[PathBuf],
    config: &[PathBuf],
    exe: &Path,
    data_home: Option<PathBuf>,
) -> Vec<CatalogRoot> {
    let shipped = shipped_with(exe);
    let tier = &|path: &Path| {
        let same = shipped.as_ref().is_some_and(|shipped| fs::canonicalize(path).is_ok_and(|path| path == *shipped));
        if same { Tier::Official } else { Tier::Community }
    };
    let root = |named_by: NamedBy| {
        move |path: PathBuf| {
            let path = std::path::absolute(&path).unwrap_or(path);
            CatalogRoot { tier: tier(&path), path, named_by }
        }
    };

    if !flags.is_empty() {
        return flags.iter().cloned().map(root(NamedBy::Flag)).collect();
    }
    let named = env.iter().filter(|path| !path.as_os_str().is_empty()).cloned();
    let named: Vec<_> = named.map(root(NamedBy::Variable)).collect();
    if !named.is_empty() {
        return named;
    }
    let user = data_home.map(|folder| folder.join("hermes").join("catalog")).filter(|path| path.is_dir());
    let usual = shipped.iter().cloned().chain(user).map(root(NamedBy::Usual));
    config.iter().cloned().map(root(NamedBy::Settings)).chain(usual).collect()
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
