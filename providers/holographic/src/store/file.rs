//! One open connection, and which file it really is.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{damage, lock, schema};
use crate::error::{Error, Result};

/// The file's name in the data folder.
pub(super) const NAME: &str = "facts.db";

/// How long to wait between tries of setting up while others are at it.
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// Opening is done by one thread of the process at a time: closing any handle of a file drops all locks that the
/// process has on it, and [`create`] closes one.
static OPENING: Mutex<()> = Mutex::new(());

/// A connection.
pub(super) struct Opened {
    /// SQLite's side.
    pub(super) db: Connection,
    path: PathBuf,
    identity: Option<Identity>,
    prepared: bool,
    /// How long others are waited for.
    wait: Duration,
}

/// What tells a file from another one of the same name.
type Identity = (u64, u64);

impl Opened {
    /// Opens the file, or makes an empty one that only its owner can read. Reads nothing yet.
    pub(super) fn connect(folder: &Path, wait: Duration) -> Result<Self> {
        let path = folder.join(NAME);
        let _one_at_a_time = lock(&OPENING);
        create(&path)?;
        let identity = identity(&path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&path, flags)?;
        db.busy_timeout(wait)?;
        // A statement is planned once, and not again for other values.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(Self { db, path, identity, prepared: false, wait })
    }

    /// Sets the connection up, once, and brings the file to today's schema.
    pub(super) fn prepare(&mut self) -> Result<()> {
        let began = Instant::now();
        while !self.prepared {
            match schema::prepare(&mut self.db, &self.path) {
                // While another process changes the file's mode, SQLite does not wait of its own accord.
                Err(error) if error.is_busy() && began.elapsed() < self.wait => std::thread::sleep(BUSY_PAUSE),
                done => {
                    done?;
                    self.prepared = true;
                }
            }
        }
        Ok(())
    }

    /// Whether the file that has the name now is the one that is open.
    pub(super) fn is_current(&self) -> bool {
        identity(&self.path) == self.identity
    }

    /// Keeps SQLite from writing its log into the file when the connection ends.
    pub(super) fn leave_as_it_is(&self) {
        let _ = self.db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }

    /// Moves the damaged file aside. None when another process has done so already.
    pub(super) fn set_aside(&self, now: u64) -> Result<Option<String>> {
        damage::set_aside(&self.path, now, || self.is_current())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if !self.is_current() {
            // SQLite would write its log into the file that was moved aside, and delete the log of the new one, which
            // has the old one's name.
            self.leave_as_it_is();
        }
    }
}

fn create(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::file(path)(error)),
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Elsewhere an open file can be neither moved nor replaced, so it stays what it is.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.exists().then_some((0, 0))
}
