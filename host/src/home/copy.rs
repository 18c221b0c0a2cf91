//! A copy of a home, to try something on.
//!
//! Databases are copied with what is only in their logs, and no write is torn: byte by byte, which leaves the home as it
//! is, or by SQLite itself where another process never stands still. Make the copy before anything of this process has
//! opened a database of the home: closing a file drops the locks that the process holds on it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::Home;
use super::files::{At as _, FileError, create_dir, is_temporary};
use super::snapshot::{self, SnapshotError};
use crate::error::Hint;

/// The secrets, the lock beside them, and the other profiles, which are homes of their own. Half-written files are left
/// out too: one may have been meant to become the secrets.
const LEFT_OUT: [&str; 3] = [".env", ".env.lock", super::profiles::FOLDER];
const SQLITE: &[u8; 16] = b"SQLite format 3\0";
/// Files that SQLite keeps beside a database; the copy has its own.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// How often a database that another process holds is tried, and how long apart.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// Why a home could not be copied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// A file or folder could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A database could not be copied.
    #[error("cannot copy the database `{}`: {reason}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },
}

impl Hint for CopyError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            Self::Database { .. } => vec!["stop the program that uses it, or move the file away".to_owned()],
        }
    }
}

/// Copies what is in the folder `from` into `to`, which is made, but neither its profiles nor the secrets in its `.env`:
/// a copy may outlive the process that was to delete it. Modes are kept, and links as links; sockets, pipes and devices are left out. A
/// folder that is not there is copied as an empty one.
///
/// Answers which links lead out of the home: what is written through those is not written to the copy.
///
/// # Errors
/// At the first file that cannot be copied.
pub fn copy(from: &Path, to: &Path) -> Result<Vec<PathBuf>, CopyError> {
    create_dir(to)?;
    let mut outside = Vec::new();
    if from.exists() {
        let root = fs::canonicalize(from).at("open", from)?;
        folder(&root, &root, to, &mut outside)?;
    }
    Ok(outside)
}

/// Copies of a home only what its providers need to be opened with nothing in them: settings and installed plugins.
///
/// # Errors
/// As [`copy`].
pub fn copy_without_data(from: &Home, to: &Home) -> Result<(), CopyError> {
    create_dir(to.root())?;
    for (file, target) in [(from.config_file(), to.config_file()), (from.lock_file(), to.lock_file())] {
        if file.exists() {
            fs::copy(&file, target).at("copy", &file)?;
        }
    }
    if from.store().exists() {
        let root = fs::canonicalize(from.root()).at("open", from.root())?;
        create_dir(&to.store())?;
        folder(&root, &from.store(), &to.store(), &mut Vec::new())?;
    }
    Ok(())
}

fn folder(root: &Path, from: &Path, to: &Path, outside: &mut Vec<PathBuf>) -> Result<(), CopyError> {
    for entry in fs::read_dir(from).at("read", from)? {
        let entry = entry.at("read", from)?;
        let name = entry.file_name();
        if from == root && (LEFT_OUT.iter().any(|left_out| name == *left_out) || is_temporary(&name)) {
            continue;
        }
        let (path, target) = (entry.path(), to.join(name));
        let kind = entry.file_type().at("read", &path)?;
        if kind.is_symlink() {
            link(root, &path, &target, outside)?;
        } else if kind.is_dir() {
            create_dir(&target)?;
            folder(root, &path, &target, outside)?;
            // Last, so that a folder that may not be written to can be filled.
            keep_mode(&path, &target)?;
        } else if kind.is_file() && !is_beside_a_database(&path)? {
            if is_database(&path)? {
                database(&path, &target)?;
                keep_mode(&path, &target)?;
            } else {
                fs::copy(&path, &target).at("copy", &path)?;
            }
        }
    }
    Ok(())
}

/// A link with an absolute target inside of the home leads to the copy of that target.
fn link(root: &Path, path: &Path, target: &Path, outside: &mut Vec<PathBuf>) -> Result<(), FileError> {
    let points_to = fs::read_link(path).at("read", path)?;
    let inside = fs::canonicalize(path).is_ok_and(|end| end.starts_with(root));
    let copied = match points_to.strip_prefix(root) {
        Ok(rest) if points_to.is_absolute() => {
            let depth = path.strip_prefix(root).map_or(0, |inner| inner.components().count()).saturating_sub(1);
            PathBuf::from("../".repeat(depth)).join(rest)
        }
        _ => points_to,
    };
    if !inside && path.exists() {
        outside.push(path.to_owned());
    }
    symlink(copied, target).at("link", target)
}

fn keep_mode(from: &Path, to: &Path) -> Result<(), FileError> {
    let mode = fs::metadata(from).at("read", from)?.permissions();
    fs::set_permissions(to, mode).at("write", to)
}

fn is_database(path: &Path) -> Result<bool, FileError> {
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(16).read_to_end(&mut start)).at("read", path)?;
    Ok(start == SQLITE)
}

fn is_beside_a_database(path: &Path) -> Result<bool, FileError> {
    let Some(name) = path.file_name().map(|name| name.as_encoded_bytes()) else { return Ok(false) };
    for end in BESIDE {
        let Some(base) = name.strip_suffix(end.as_bytes()) else { continue };
        let Ok(base) = std::str::from_utf8(base) else { continue };
        let base = path.with_file_name(OsString::from(base));
        return Ok(base.is_file() && is_database(&base)?);
    }
    Ok(false)
}

fn database(from: &Path, to: &Path) -> Result<(), CopyError> {
    match snapshot::snapshot(from, to) {
        Ok(()) => Ok(()),
        Err(SnapshotError::File(error)) => Err(error.into()),
        // It is in use, and its folder changes anyway; or it is damaged, and SQLite may still make something of it.
        Err(_) => {
            snapshot::remove(to);
            backup(from, to)
        }
    }
}

fn backup(from: &Path, to: &Path) -> Result<(), CopyError> {
    let failed = |reason: String| CopyError::Database { path: from.to_owned(), reason };
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let source = source.map_err(|error| failed(error.to_string()))?;
    let mut target = Connection::open(to).map_err(|error| failed(error.to_string()))?;
    let backup = Backup::new(&source, &mut target).map_err(|error| failed(error.to_string()))?;
    for _ in 0..TRIES {
        match backup.step(-1).map_err(|error| failed(error.to_string()))? {
            StepResult::Done => return Ok(()),
            _ => std::thread::sleep(PAUSE),
        }
    }
    Err(failed("another program keeps it locked".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn files_modes_and_links_are_kept_and_sockets_left_out() {
        let (live, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (from, to) = (live.path().join("home"), copies.path().join("copy"));
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::write(from.join("a/b/память.md"), "чай").unwrap();
        fs::write(from.join(".env"), "K=v").unwrap();
        fs::write(from.join(".hermes-0123456789ab"), "K=half").unwrap();
        fs::write(from.join("a/.env"), "no secrets of the home").unwrap();
        fs::create_dir_all(from.join("profiles/team")).unwrap();
        fs::write(from.join("profiles/team/.env"), "K=other").unwrap();
        fs::write(from.join("private"), "x").unwrap();
        fs::set_permissions(from.join("private"), fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(from.join("x-wal"), "no database").unwrap();
        fs::write(live.path().join("outer"), "outer").unwrap();
        symlink("b/память.md", from.join("a/relative")).unwrap();
        symlink(fs::canonicalize(&from).unwrap().join("a/b"), from.join("a/absolute")).unwrap();
        symlink(live.path().join("outer"), from.join("a/out")).unwrap();
        symlink("nowhere", from.join("broken")).unwrap();
        let _socket = UnixListener::bind(from.join("socket")).unwrap();
        let outside = copy(&from, &to).unwrap();
        assert_eq!(outside, [fs::canonicalize(&from).unwrap().join("a/out")]);
        assert_eq!(fs::read_to_string(to.join("a/relative")).unwrap(), "чай");
        assert!(!to.join(".env").exists() && !to.join(".hermes-0123456789ab").exists());
        assert!(to.join("a/.env").exists() && !to.join("profiles").exists());
        assert_eq!(fs::metadata(to.join("private")).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(to.join("x-wal").exists() && !to.join("socket").exists());
        assert_eq!(fs::read_link(to.join("broken")).unwrap(), Path::new("nowhere"));
        fs::write(to.join("a/absolute/new"), "x").unwrap();
        assert!(to.join("a/b/new").exists() && !from.join("a/b/new").exists());
    }

    #[test]
    fn a_copy_without_data_has_settings_and_plugins() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (home, copied) = (Home::at(from.path()), Home::at(to.path().join("copy")));
        fs::write(home.config_file(), "[memory]").unwrap();
        fs::create_dir_all(home.store().join("notes/1.0.0")).unwrap();
        fs::write(home.store().join("notes/1.0.0/libnotes.so"), "code").unwrap();
        for file in [home.env_file(), home.database(), home.provider_data("notes")] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "x").unwrap();
        }
        copy_without_data(&home, &copied).unwrap();
        assert!(copied.config_file().exists() && copied.store().join("notes/1.0.0/libnotes.so").exists());
        let left_out = [copied.env_file(), copied.database(), copied.provider_data("notes"), copied.lock_file()];
        assert!(left_out.iter().all(|file| !file.exists()));
        copy_without_data(&Home::at(from.path().join("none")), &Home::at(to.path().join("empty"))).unwrap();
    }

    #[test]
    fn a_database_is_copied_with_what_is_only_in_its_log() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let writer = Connection::open(from.path().join("facts.db")).unwrap();
        writer.execute_batch("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a);").unwrap();
        writer.execute("INSERT INTO t VALUES ('чай')", []).unwrap();
        assert!(from.path().join("facts.db-wal").exists());
        copy(from.path(), &to.path().join("copy")).unwrap();
        let copied = to.path().join("copy");
        assert!(!copied.join("facts.db-wal").exists());
        let read = Connection::open(copied.join("facts.db")).unwrap();
        assert_eq!(read.query_row("SELECT a FROM t", [], |row| row.get::<_, String>(0)).unwrap(), "чай");
    }

    #[test]
    fn a_broken_database_is_named() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(from.path().join("facts.db"), [SQLITE.as_slice(), &[0xff; 5000]].concat()).unwrap();
        let error = copy(from.path(), &to.path().join("copy")).unwrap_err().to_string();
        assert!(error.contains("facts.db"), "{error}");
    }

    #[test]
    fn a_home_that_is_not_there_is_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        assert!(copy(&folder.path().join("none"), &folder.path().join("copy")).unwrap().is_empty());
        assert!(folder.path().join("copy").is_dir());
    }
}
