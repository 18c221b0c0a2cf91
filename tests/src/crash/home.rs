//! A home in which the real `hermes` has set up the recording provider.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use hermes_host::home::Home;
use hermes_host::plugins::{inspect, package, verify};
use tempfile::TempDir;

use super::Parts;
use crate::cargo::command;

/// A folder with the home and a catalog.
#[derive(Debug)]
pub struct Scene {
    folder: TempDir,
}

impl Scene {
    /// Makes one.
    ///
    /// # Errors
    /// When the provider cannot be set up.
    pub fn new(parts: &Parts) -> Result<Self, String> {
        Self::new_in(parts, &std::env::temp_dir())
    }

    /// The same in a folder of this one, which may be a disk of its own.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn new_in(parts: &Parts, above: &Path) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("hermes-crash-").tempdir_in(above);
        let folder = folder.map_err(|error| error.to_string())?;
        let scene = Self { folder };
        set_up(parts, &scene.path("catalog"), scene.home().root())?;
        Ok(scene)
    }

    /// A path in the folder.
    #[must_use]
    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// The home.
    #[must_use]
    pub fn home(&self) -> Home {
        Home::at(self.path("home"))
    }

    /// The folder in which the provider records.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.home().provider_data("recorder")
    }

    /// Forgets all that was said.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn begin_anew(&self) -> Result<(), String> {
        let home = self.home();
        for item in fs::read_dir(home.root()).map_err(|error| error.to_string())?.flatten() {
            if item.file_name().to_string_lossy().starts_with("hermes.db") {
                fs::remove_file(item.path()).map_err(|error| error.to_string())?;
            }
        }
        if self.data().exists() {
            fs::remove_dir_all(self.data()).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

/// Sets up the recording provider in a home, from a catalog that is made for it.
///
/// # Errors
/// What `hermes` says.
pub fn set_up(parts: &Parts, catalog: &Path, home: &Path) -> Result<(), String> {
    publish(&parts.recorder, catalog)?;
    let output = command(&parts.hermes)
        .args(["memory", "setup", "recorder", "--yes", "--catalog"])
        .arg(catalog)
        .env("HERMES_HOME", home)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Makes a catalog with one plugin that asks for nothing.
///
/// # Errors
/// When the plugin cannot be read or the catalog not written.
pub fn publish(library: &Path, catalog: &Path) -> Result<(), String> {
    let metadata = inspect::inspect(library).map_err(|error| error.to_string())?;
    let id = &metadata.id;
    let archive = catalog.join(format!("{id}.tar.gz"));
    let said = |error: std::io::Error| error.to_string();
    fs::create_dir_all(catalog).map_err(said)?;
    let file = File::create(&archive).map_err(said)?;
    package::pack(&[library.to_owned()], file).map_err(|error| error.to_string())?;
    let sha256 = verify::sha256_of(&archive).map_err(|error| error.to_string())?;
    let size = fs::metadata(&archive).map_err(said)?.len();
    let entry = format!(
        "name = \"{id}\"\ntitle = \"T\"\ndescription = \"d\"\nmaintainer = \"m\"\ncategory = \"memory\"\n\
         licence = \"MIT\"\n[[releases]]\nversion = \"{}\"\nrequires_host = \"*\"\nabi = \"1.0\"\n\
         [[releases.artifacts]]\ntarget = \"{}\"\npath = \"{id}.tar.gz\"\nsha256 = \"{sha256}\"\nsize = {size}\n",
        metadata.version, metadata.target,
    );
    fs::write(catalog.join(format!("{id}.toml")), entry).map_err(said)
}
