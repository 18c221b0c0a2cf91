//! The store: one folder for each installed version of a plugin, filled elsewhere, moved in as a whole, and never
//! changed afterwards.

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use semver::Version;
use tempfile::TempDir;

use super::catalog::Sha256Hex;
use super::lock::Editor;
use crate::home::Home;
use crate::home::files::{self, At as _, FileError};

/// Folders that are being filled or taken away. No plugin id begins with a point.
const STAGING: &str = ".staging-";

/// Where a version lives.
#[must_use]
pub fn version_folder(home: &Home, id: &str, version: &Version, library_sha256: &Sha256Hex) -> PathBuf {
    home.store().join(id).join(format!("{version}-{}", library_sha256.short()))
}

/// A folder in the store that is being filled. It is gone when this is dropped before it was moved.
#[derive(Debug)]
pub struct Staging {
    folder: TempDir,
    /// A lock on the folder itself tells other processes that this one lives; it ends with the process.
    _alive: File,
}

impl Staging {
    /// Makes an empty folder, and takes away those that dead processes left behind.
    ///
    /// The editor shows that no other process does the same: a folder is made and locked in two steps.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(home: &Home, _editor: &Editor) -> Result<Self, FileError> {
        let store = home.store();
        files::create_dir(&store)?;
        clean(&store)?;
        let folder = temporary_in(&store)?;
        let alive = File::open(folder.path()).at("open", folder.path())?;
        alive.try_lock().map_err(io::Error::from).at("lock", folder.path())?;
        Ok(Self { folder, _alive: alive })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Syncs all files in it and moves it to its place, where nothing may be.
    ///
    /// # Errors
    /// When a file cannot be synced or the place is taken.
    pub fn move_to(self, place: &Path) -> Result<(), FileError> {
        for item in fs::read_dir(self.path()).at("read", self.path())? {
            let path = item.at("read", self.path())?.path();
            File::open(&path).and_then(|file| file.sync_all()).at("sync", &path)?;
        }
        files::sync_dir(self.path())?;
        if let Some(above) = place.parent() {
            files::create_dir(above)?;
            files::sync_dir(above.parent().unwrap_or(above))?;
        }
        files::rename(self.path(), place)?;
        // It is not there any more under its old name.
        let _ = self.folder.keep();
        Ok(())
    }
}

/// Takes a folder of the store away: under another name first, so that a half deleted one is never found in its place.
///
/// # Errors
/// When it cannot be moved or deleted. One that is not there is no error.
pub fn take_away(home: &Home, _editor: &Editor, folder: &Path) -> Result<(), FileError> {
    if !folder.exists() {
        return Ok(());
    }
    let store = home.store();
    let aside = temporary_in(&store)?;
    files::rename(folder, &aside.path().join("old"))?;
    let path = aside.path().to_owned();
    aside.close().at("delete", &path)
}

fn temporary_in(store: &Path) -> Result<TempDir, FileError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(STAGING).permissions(Permissions::from_mode(0o700));
    builder.tempdir_in(store).at("create a folder in", store)
}

fn clean(store: &Path) -> Result<(), FileError> {
    for item in fs::read_dir(store).at("read", store)? {
        let path = item.at("read", store)?.path();
        let ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(STAGING));
        if !ours {
            continue;
        }
        let Ok(folder) = File::open(&path) else { continue };
        match folder.try_lock() {
            Ok(()) => fs::remove_dir_all(&path).at("delete", &path)?,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        (folder, home)
    }

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|item| item.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_folder_is_moved_as_a_whole_or_gone() {
        let (_folder, home) = home();
        let editor = Editor::open(&home).unwrap();
        let place = version_folder(&home, "notes", &Version::new(1, 0, 0), &Sha256Hex::from_digest(&[0xab; 32]));
        assert!(place.ends_with("store/notes/1.0.0-abababababab"));

        let staging = Staging::new(&home, &editor).unwrap();
        fs::write(staging.path().join("libnotes.so"), "1").unwrap();
        staging.move_to(&place).unwrap();
        assert_eq!(names(&home.store()), ["notes"]);

        let second = Staging::new(&home, &editor).unwrap();
        fs::write(second.path().join("libnotes.so"), "2").unwrap();
        assert!(second.move_to(&place).is_err(), "never overwritten");
        assert_eq!(fs::read(place.join("libnotes.so")).unwrap(), b"1");
        assert_eq!(names(&home.store()), ["notes"]);

        take_away(&home, &editor, &home.store().join("notes")).unwrap();
        take_away(&home, &editor, &home.store().join("notes")).unwrap();
        assert!(names(&home.store()).is_empty());
    }

    #[test]
    fn leftovers_of_the_dead_are_cleaned_and_the_living_left_alone() {
        let (_folder, home) = home();
        let editor = Editor::open(&home).unwrap();
        let living = Staging::new(&home, &editor).unwrap();
        fs::create_dir(home.store().join(".staging-dead")).unwrap();
        fs::write(home.store().join(".staging-dead").join("x"), "x").unwrap();
        let other = Staging::new(&home, &editor).unwrap();
        assert!(living.path().is_dir() && other.path().is_dir());
        assert_eq!(names(&home.store()).len(), 2);
    }
}
