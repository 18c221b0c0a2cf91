//! A copy of a database of another program, made without touching it.
//!
//! SQLite is not used on the original: even a reader leaves files beside a database with a log, and waits for locks. The
//! bytes of the file and of its log are copied until none of them changed meanwhile. That is what a crash at that moment
//! would have left, and SQLite recovers it, in the copy.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use super::files::{At as _, FileError};
use crate::error::Hint;

/// What belongs to a database beside its file.
const LOGS: [&str; 2] = ["-wal", "-journal"];
/// How often a database that another program writes to is tried, and how long apart.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is something else.
    #[error("`{}` is not an SQLite database", .0.display())]
    Other(PathBuf),
    /// It is not whole.
    #[error("the database `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },
    /// It changed during every try.
    #[error("another program keeps writing to `{}`", .0.display())]
    Busy(PathBuf),
}

impl Hint for SnapshotError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            Self::Other(_) => vec!["name the file that the other memory keeps its facts in".to_owned()],
            Self::Damaged { .. } => {
                vec!["restore it from a backup, or repair a copy of it with `sqlite3 .recover`".to_owned()]
            }
            Self::Busy(_) => vec!["stop that program, then try again".to_owned()],
        }
    }
}

/// Copies the database `from` to `to`, with what is only in its log, into one file that only its owner can read. The
/// original and its folder are left as they are, byte for byte.
///
/// # Errors
/// When it cannot be read, is no database, is damaged, or never stands still.
pub fn snapshot(from: &Path, to: &Path) -> Result<(), SnapshotError> {
    // A link has its log beside its target.
    let source = fs::canonicalize(from).at("read", from)?;
    if !source.is_file() {
        return Err(SnapshotError::Other(from.to_owned()));
    }
    let mut tries = 0;
    while !still_copy(&source, to)? {
        tries += 1;
        if tries >= TRIES {
            return Err(SnapshotError::Busy(from.to_owned()));
        }
        std::thread::sleep(PAUSE);
    }
    let damaged = |reason: String| SnapshotError::Damaged { path: from.to_owned(), reason };
    let verdict = fold(to).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => SnapshotError::Other(from.to_owned()),
        _ => damaged(error.to_string()),
    })?;
    if verdict == "ok" { Ok(()) } else { Err(damaged(verdict)) }
}

/// Folds the log of a copy into its file, and answers whether SQLite finds it whole.
fn fold(copy: &Path) -> rusqlite::Result<String> {
    let copy = Connection::open(copy)?;
    let _: String = copy.pragma_update_and_check(None, "journal_mode", "delete", |row| row.get(0))?;
    copy.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))
}

/// Removes a snapshot and what SQLite may have left beside it.
pub fn remove(path: &Path) {
    for file in parts(path) {
        let _ = fs::remove_file(file);
    }
}

/// Copies file and logs; false when one of them changed meanwhile.
fn still_copy(from: &Path, to: &Path) -> Result<bool, SnapshotError> {
    let pairs: Vec<_> = parts(from).into_iter().zip(parts(to)).collect();
    for (original, copy) in &pairs {
        let _ = fs::remove_file(copy);
        if let Some(mut original_file) = open(original)? {
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(copy).at("write", copy)?;
            io::copy(&mut original_file, &mut file).at("copy", original)?;
        }
    }
    for (original, copy) in &pairs {
        let same = match (open(original)?, open(copy)?) {
            (None, None) => true,
            (Some(one), Some(other)) => equal(one, other).at("read", original)?,
            _ => false,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

fn parts(path: &Path) -> Vec<PathBuf> {
    let beside = |end: &str| {
        let mut name = OsString::from(path);
        name.push(end);
        PathBuf::from(name)
    };
    [""].iter().chain(&LOGS).map(|end| beside(end)).collect()
}

fn open(path: &Path) -> Result<Option<File>, SnapshotError> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => Ok(Some(opened.at("read", path)?)),
    }
}

fn equal(one: impl Read, other: impl Read) -> io::Result<bool> {
    let (mut one, mut other) = (io::BufReader::new(one).bytes(), io::BufReader::new(other).bytes());
    loop {
        match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(true),
            (a, b) if a != b => return Ok(false),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    fn texts(path: &Path) -> Vec<String> {
        let db = Connection::open(path).unwrap();
        let mut select = db.prepare("SELECT a FROM t ORDER BY rowid").unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn what_is_only_in_the_log_comes_along_and_nothing_is_touched() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (source, copy) = (from.path().join("store.db"), to.path().join("copy.db"));
        let writer = Connection::open(&source).unwrap();
        writer.execute_batch("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a);").unwrap();
        writer.execute("INSERT INTO t VALUES ('чай')", []).unwrap();
        // An open transaction of somebody else is not in the copy and does not hold it up.
        writer.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES ('not yet')").unwrap();
        let before = files(from.path());
        assert!(before.len() >= 2, "there is a log");
        snapshot(&source, &copy).unwrap();
        assert_eq!(files(from.path()), before);
        assert_eq!(texts(&copy), ["чай"]);
        remove(&copy);
        assert!(files(to.path()).is_empty());
    }

    #[test]
    fn the_log_of_a_program_that_crashed_is_enough() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let source = from.path().join("store.db");
        let writer = Connection::open(&source).unwrap();
        writer.execute_batch("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a);").unwrap();
        writer.execute("INSERT INTO t VALUES ('чай')", []).unwrap();
        let left = tempfile::tempdir().unwrap();
        for end in ["", "-wal"] {
            fs::copy(from.path().join(format!("store.db{end}")), left.path().join(format!("old.db{end}"))).unwrap();
        }
        let before = files(left.path());
        snapshot(&left.path().join("old.db"), &to.path().join("copy.db")).unwrap();
        assert_eq!(files(left.path()), before);
        assert_eq!(texts(&to.path().join("copy.db")), ["чай"]);
    }

    #[track_caller]
    fn refused(bytes: &[u8], says: &str) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("store.db");
        fs::write(&source, bytes).unwrap();
        let error = snapshot(&source, &folder.path().join("copy.db")).unwrap_err().to_string();
        assert!(error.contains("store.db") && error.contains(says), "{error}");
        assert_eq!(fs::read(&source).unwrap(), bytes);
    }

    #[test]
    fn what_is_no_whole_database_is_told() {
        refused(b"{\"facts\": []} is JSON, and long enough to be no accident", "is not an SQLite database");
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole.db");
        let db = Connection::open(&whole).unwrap();
        db.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(60000))").unwrap();
        let bytes = fs::read(&whole).unwrap();
        refused(&bytes[..bytes.len() / 2], "damaged");
        let error = snapshot(folder.path(), &folder.path().join("copy.db")).unwrap_err();
        assert!(error.to_string().ends_with("is not an SQLite database"), "{error}");
    }
}
