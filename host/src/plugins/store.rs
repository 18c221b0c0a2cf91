//! The store: one folder for each installed version of a plugin, filled elsewhere, moved in as a whole, and never
//! changed afterwards.

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use semver::Version;
use tempfile::TempDir;

use super::catalog::{Sha256Hex, is_plugin_id};
use super::lock::{Editor, Installed, Lock};
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

/// Takes away every version of a plugin that the lockfile does not name: those before the last two, and what a crash
/// left. One that cannot be taken away does no harm and stays for the next time.
pub fn prune(home: &Home, editor: &Editor, id: &str) {
    for folder in unnamed_versions(home, &editor.lock, id).into_iter().filter(|folder| is_version(folder)) {
        if let Err(error) = take_away(home, editor, &folder) {
            tracing::debug!(%error, "an old version stays in the store");
        }
    }
}

/// What is in the store and no record names: versions, and folders that dead processes were filling or taking away.
///
/// The editor shows that no other process is at work there.
#[must_use]
pub fn leftovers(home: &Home, editor: &Editor) -> Vec<PathBuf> {
    let mut found = unnamed(home, &editor.lock);
    found.extend(unfinished(home).into_iter().filter(|path| is_abandoned(path)));
    found.sort();
    found
}

/// Folders that are being filled or taken away, or were by a process that is dead.
#[must_use]
pub fn unfinished(home: &Home) -> Vec<PathBuf> {
    let mut found: Vec<_> = children(&home.store()).filter(|path| is_staging(path)).collect();
    found.sort();
    found
}

/// What else is in the store and no record of this lockfile names.
#[must_use]
pub fn unnamed(home: &Home, lock: &Lock) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in children(&home.store()).filter(|path| !is_staging(path)) {
        let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match is_plugin_id(&id) {
            true => found.extend(unnamed_versions(home, lock, &id)),
            false => found.push(folder),
        }
    }
    found.sort();
    found
}

fn unnamed_versions(home: &Home, lock: &Lock, id: &str) -> Vec<PathBuf> {
    let records = lock.plugins.get(id).into_iter().flat_map(Installed::records);
    let named: Vec<_> =
        records.map(|record| version_folder(home, id, &record.version, &record.library_sha256)).collect();
    children(&home.store().join(id)).filter(|folder| !named.contains(folder)).collect()
}

fn children(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|item| Some(item.ok()?.path()))
}

/// Whether a folder is named as [`version_folder`] names it. What else lies there is not ours to delete.
fn is_version(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.rsplit_once('-').is_some_and(|(version, hash)| {
        hash.len() == 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) && Version::parse(version).is_ok()
    })
}

/// Whether a folder of the store is named as this module names them.
#[must_use]
pub fn is_ours(folder: &Path) -> bool {
    is_staging(folder) || is_version(folder)
}

fn is_staging(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(STAGING))
}

fn is_abandoned(folder: &Path) -> bool {
    File::open(folder).is_ok_and(|folder| folder.try_lock().is_ok())
}

fn temporary_in(store: &Path) -> Result<TempDir, FileError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(STAGING).permissions(Permissions::from_mode(0o700));
    builder.tempdir_in(store).at("create a folder in", store)
}

fn clean(store: &Path) -> Result<(), FileError> {
    for path in children(store).filter(|path| is_staging(path)) {
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
    fn versions_that_no_record_names_go_and_all_else_stays() {
        let (_folder, home) = home();
        let editor = Editor::open(&home).unwrap();
        let notes = home.store().join("notes");
        for name in ["1.0.0-abababababab", "1.0.0-rc.1-abababababab", "1.0.0-mine", "mine", ".hidden"] {
            files::create_dir(&notes.join(name)).unwrap();
        }
        fs::write(notes.join("1.0.0-cdcdcdcdcdcd"), "a file").unwrap();
        assert_eq!(leftovers(&home, &editor).len(), 6);
        prune(&home, &editor, "notes");
        let mut left = names(&notes);
        left.sort();
        assert_eq!(left, [".hidden", "1.0.0-mine", "mine"]);
        assert_eq!(names(&home.store()), ["notes"]);
        prune(&home, &editor, "never-there");
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
