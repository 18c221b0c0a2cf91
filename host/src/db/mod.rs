//! The host's own database, `hermes.db`: opened, brought to today's schema, and set aside when it is broken.
//!
//! One connection behind a mutex; other processes may have theirs. Never open the file by other means while it is in
//! use: closing it would drop the locks that SQLite holds on it in this process.

mod examine;
mod foreign;
mod migrations;
#[cfg(test)]
mod tests;

pub use examine::{Examined, examine};
#[cfg(test)]
pub(crate) use migrations::up_to;

use std::fmt;
use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::clock::Clock;
use crate::error::{Hint, quoted};
use crate::home::files::{self, At as _, FileError, FileLock};
use crate::home::{Home, profiles};

/// Below this size every page is looked at when the database is opened, which then takes a few milliseconds.
const FULLY_CHECKED: u64 = 1 << 20;
/// How long another process that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What an error names when there is no file.
const IN_MEMORY: &str = ":memory:";

/// The open database. May be used from any thread; calls wait for each other.
#[derive(Debug)]
pub struct Db {
    /// None: it is in memory.
    path: Option<PathBuf>,
    open: Mutex<Open>,
    /// How often another file took the place of the first.
    generation: AtomicU64,
    /// What was set aside since it was opened.
    set_aside: Mutex<Vec<SetAside>>,
    /// It was opened only to look.
    read_only: bool,
    /// The home is in use.
    _held: Option<fs::File>,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    /// The file behind it: whoever sets it aside in another process, or deletes it, leaves this one with the old one.
    /// None: there is none now.
    file: Option<FileId>,
    /// The last that was behind it.
    last: Option<FileId>,
    /// Its log, as it was after the last use.
    log: Option<FileId>,
}

/// A connection whose changes are not synced, for as long as this is not dropped, by a panic for instance.
struct Relaxed<'a>(&'a mut Connection);

impl Drop for Relaxed<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.execute_batch("PRAGMA synchronous = FULL") {
            tracing::error!(%error, "the database cannot be told to sync again");
        }
    }
}

/// Device and number.
type FileId = (u64, u64);

/// An open database, and what had to be done to open it.
#[derive(Debug)]
pub struct Opened {
    /// The database.
    pub db: Db,
    /// The old one was broken.
    pub warning: Option<SetAside>,
}

/// A broken database was kept under another name, and a new one made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// The database.
    pub path: PathBuf,
    /// Where the bytes of the old one are.
    pub kept: PathBuf,
    /// What SQLite said about it.
    pub reason: String,
}

impl fmt::Display for SetAside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, kept, reason } = self;
        write!(f, "`{}` was broken ({reason}) and is kept as `{}`; a new one was made", path.display(), kept.display())
    }
}

/// The database cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DbError {
    /// Its file or folder cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// SQLite refuses.
    #[error("database `{}`", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// It is a database of another program.
    #[error("`{}` is {owner} and no database of hermes; it was left as it is", path.display())]
    Foreign {
        /// The database.
        path: PathBuf,
        /// Whose it is.
        owner: &'static str,
    },
    /// A newer host made it.
    #[error("database `{}` has schema {found}, and this hermes knows schemas up to {known}", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
}

impl Hint for DbError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            Self::Foreign { path, .. } => vec![
                format!("move it elsewhere: `mv {} <PLACE>`", quoted(&path.to_string_lossy())),
                "what the Python agent recorded is read with `hermes sessions import --from <PLACE>`".to_owned(),
            ],
            Self::Newer { .. } => {
                vec!["use the newer hermes that made it, or another home with `--home <DIR>`".to_owned()]
            }
            // There was no room for the file that processes share.
            Self::Sqlite { source, .. }
                if source
                    .sqlite_error()
                    .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE) =>
            {
                vec!["free some disk space; nothing was changed".to_owned()]
            }
            Self::Sqlite { source, .. } => match source.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => vec!["free some disk space; nothing was changed".to_owned()],
                Some(ErrorCode::DatabaseBusy) => vec!["another hermes holds the database; try again".to_owned()],
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                    vec!["check the owner and mode of the file and its folder".to_owned()]
                }
                _ => Vec::new(),
            },
        }
    }
}

impl Db {
    /// Opens the home's database, and makes it if it is not there. A broken one is [set aside](SetAside).
    ///
    /// # Errors
    /// When the file or its folder cannot be used, or a newer host made it.
    pub fn open(home: &Home) -> Result<Opened, DbError> {
        let path = home.database();
        home.create()?;
        let _lock = FileLock::acquire(&path.with_extension("db.lock"))?;
        let (open, warning) = connect_or_set_aside(&path, Look::Quick)?;
        Ok(Opened { db: Self::new(Some(path), open, profiles::hold(home)), warning })
    }

    fn new(path: Option<PathBuf>, open: Open, held: Option<fs::File>) -> Self {
        let (open, set_aside) = (Mutex::new(open), Mutex::default());
        Self { path, open, generation: AtomicU64::new(0), set_aside, read_only: false, _held: held }
    }

    /// A database that ends with the process.
    ///
    /// # Errors
    /// When SQLite has no memory for it.
    pub fn in_memory() -> Result<Self, DbError> {
        let failed = |source| DbError::Sqlite { path: IN_MEMORY.into(), source };
        let mut connection = Connection::open_in_memory().map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        match migrations::run(&mut connection).map_err(failed)? {
            Ok(()) => Ok(Self::new(None, Open { connection, file: None, last: None, log: None }, None)),
            Err(found) => Err(DbError::Newer { path: IN_MEMORY.into(), found, known: migrations::known() }),
        }
    }

    /// Where it is; None when it ends with the process.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What was found broken while it was in use, and set aside. Each is told once.
    #[must_use]
    pub fn take_set_aside(&self) -> Vec<SetAside> {
        std::mem::take(&mut *self.set_aside.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How often the database was replaced by a new one since it was opened: what was read from it before is history.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Uses the connection. What panics inside leaves no transaction open. Where the file turns out to be broken, it is
    /// set aside, and the next use finds a new one.
    ///
    /// # Errors
    /// What SQLite says, with the database's path.
    pub fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, DbError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = &self.path else {
            return work(&mut open.connection).map_err(|source| DbError::Sqlite { path: IN_MEMORY.into(), source });
        };
        if self.read_only {
            return work(&mut open.connection).map_err(|source| DbError::Sqlite { path: path.clone(), source });
        }
        if open.file.is_none() || open.file != file_id(path) {
            tracing::warn!(path = %path.display(), "another file has taken the place of the database");
            self.reopen(path, &mut open, Look::Quick)?;
        } else if open.log.is_some() && open.log != file_id(&with_end(path, "-wal")) {
            self.reopen_without_log(path, &mut open)?;
        }
        let done = work(&mut open.connection);
        open.log = file_id(&with_end(path, "-wal"));
        done.map_err(|source| {
            if is_broken(&source) {
                tracing::error!(path = %path.display(), error = %source, "the database is broken");
                if let Err(error) = self.reopen(path, &mut open, Look::AtAll) {
                    tracing::error!(%error, "nor can a new one be made");
                }
            }
            DbError::Sqlite { path: path.clone(), source }
        })
    }

    /// The same for changes that may be undone by a power cut, though never by the end of the process.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn with_relaxed<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, DbError> {
        self.with(|connection| {
            connection.execute_batch("PRAGMA synchronous = NORMAL")?;
            let relaxed = Relaxed(connection);
            work(&mut *relaxed.0)
        })
    }

    /// The same for what can wait for another time: another process that writes is waited for no longer than this.
    ///
    /// # Errors
    /// What SQLite says, with the database's path.
    pub fn within<T>(
        &self,
        patience: Duration,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, DbError> {
        self.with(|connection| {
            connection.busy_timeout(patience)?;
            let done = work(connection);
            connection.busy_timeout(PATIENCE)?;
            done
        })
    }

    /// Returns when all that was written before is safe from a power cut.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn sync(&self) -> Result<(), DbError> {
        self.with(|connection| {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let schema: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
            // The log is written to and synced, all that is in it.
            transaction.pragma_update(None, "user_version", schema)?;
            transaction.commit()
        })
    }

    /// Whether nothing can be written, since it was opened [only to look](Self::open_read_only).
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Opens the home's database to look at it, and changes nothing; None when it is not there or has another schema
    /// than today's.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open_read_only(home: &Home) -> Result<Option<Self>, DbError> {
        let path = home.database();
        if !path.exists() {
            return Ok(None);
        }
        let open = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&path, flags)?;
            connection.busy_timeout(PATIENCE)?;
            let schema: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
            Ok((connection, schema))
        };
        let (connection, schema) = open().map_err(|source| DbError::Sqlite { path: path.clone(), source })?;
        let is_todays = schema == migrations::known();
        let open = Open { connection, file: None, last: None, log: None };
        Ok(is_todays.then(|| Self { read_only: true, ..Self::new(Some(path), open, None) }))
    }

    /// Somebody deleted the log, which no program does that uses SQLite: two connections with two logs would destroy the
    /// file. What is in the old one, which only this connection still has, is saved unless there is a new one already.
    fn reopen_without_log(&self, path: &Path, open: &mut Open) -> Result<(), DbError> {
        let replaced = with_end(path, "-wal").exists();
        tracing::error!(path = %path.display(), replaced, "the log of the database was deleted while it was in use");
        if replaced {
            open.connection
                .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
                .map_err(|source| DbError::Sqlite { path: path.to_owned(), source })?;
        } else if let Err(error) = open.connection.query_row("PRAGMA wal_checkpoint(FULL)", [], |_| Ok(())) {
            tracing::error!(%error, "what was only in the log is lost");
        }
        self.reopen(path, open, Look::Quick)
    }

    /// Opens what is at the path now, and sets it aside if it is broken.
    fn reopen(&self, path: &Path, open: &mut Open, look: Look) -> Result<(), DbError> {
        let failed = |source| DbError::Sqlite { path: path.to_owned(), source };
        // Closed first: to close the old file after the new one is open would drop the locks of the new one.
        let last = open.last;
        let nothing = Open { connection: Connection::open_in_memory().map_err(failed)?, file: None, last, log: None };
        drop(std::mem::replace(open, nothing));
        let _lock = FileLock::acquire(&path.with_extension("db.lock"))?;
        let (new, set_aside) = connect_or_set_aside(path, look)?;
        if set_aside.is_some() || new.last != last {
            self.generation.fetch_add(1, Ordering::Release);
        }
        *open = new;
        self.set_aside.lock().unwrap_or_else(PoisonError::into_inner).extend(set_aside);
        Ok(())
    }
}

/// More than all that are prepared to be kept: one that is made anew at each turn costs as much as the row it writes.
const STATEMENTS: usize = 64;

/// How closely a file is looked at when it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// At all of a small one, and at the beginning of a large one.
    Quick,
    /// At every page: something was broken.
    AtAll,
}

fn connect_or_set_aside(path: &Path, look: Look) -> Result<(Open, Option<SetAside>), DbError> {
    let reason = match orphaned_log(path) {
        Some(reason) => reason,
        None => match connect(path, look) {
            Ok(open) => return Ok((open, None)),
            Err(DbError::Sqlite { source, .. }) if is_broken(&source) => source.to_string(),
            Err(error) => return Err(error),
        },
    };
    let kept = set_aside(path)?;
    Ok((connect(path, Look::Quick)?, Some(SetAside { path: path.to_owned(), kept, reason })))
}

/// A log whose file is empty or gone: SQLite would delete it unread, with all that was accepted and is only there.
fn orphaned_log(path: &Path) -> Option<String> {
    let length = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    let left = length(path) == 0 && length(&with_end(path, "-wal")) > 0;
    left.then(|| "it is empty, and its log is not".to_owned())
}

fn connect(path: &Path, look: Look) -> Result<Open, DbError> {
    make_private(path).at("open", path)?;
    let failed = |source| DbError::Sqlite { path: path.to_owned(), source };
    let mut connection = Connection::open(path).map_err(failed)?;
    if let Some(owner) = check(&connection, path, look).map_err(failed)? {
        return Err(DbError::Foreign { path: path.to_owned(), owner });
    }
    configure(&connection).map_err(failed)?;
    match migrations::run(&mut connection).map_err(failed)? {
        Ok(()) => {
            let file = file_id(path);
            Ok(Open { connection, file, last: file, log: None })
        }
        Err(found) => Err(DbError::Newer { path: path.to_owned(), found, known: migrations::known() }),
    }
}

fn file_id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// The file is there before SQLite sees it, and its companions take over its mode.
fn make_private(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let file = fs::metadata(path)?;
            if !file.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
            }
            if file.permissions().mode() & 0o077 == 0 {
                return Ok(());
            }
            fs::set_permissions(path, Permissions::from_mode(0o600))
        }
        Err(error) => Err(error),
    }
}

/// Looks for damage before anything is written, so that a broken file keeps its bytes, and so does a foreign one.
fn check(connection: &Connection, path: &Path, look: Look) -> rusqlite::Result<Option<&'static str>> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    if look == Look::AtAll || fs::metadata(path).is_ok_and(|file| file.len() <= FULLY_CHECKED) {
        let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if found != "ok" {
            let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            return Err(rusqlite::Error::SqliteFailure(code, Some(found.replace('\n', " "))));
        }
    }
    let owner = foreign::owner(connection)?;
    if owner.is_none() {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    }
    Ok(owner)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // In kibibytes: the index of the archive is written in many places at once.
    connection.pragma_update(None, "cache_size", -16_000)?;
    // A statement is planned once, and not again for other values.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is deleted is gone from the file, and not only from the tables.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

fn is_broken(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Renames the file and its companions, so that they can still be opened together.
fn set_aside(path: &Path) -> Result<PathBuf, FileError> {
    let with_end = |end: &str| with_end(path, end);
    let free = |at: &u64| !with_end(&format!(".corrupt-{at}")).exists();
    let at = (Clock::default().now()..).find(free).unwrap_or_default();
    for companion in ["-wal", "-shm", ""] {
        let from = with_end(companion);
        if from.exists() {
            files::rename(&from, &with_end(&format!(".corrupt-{at}{companion}")))?;
        }
    }
    Ok(with_end(&format!(".corrupt-{at}")))
}
