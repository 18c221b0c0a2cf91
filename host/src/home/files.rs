//! Writing files so that a reader, or a crash, sees the old content or the new one.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::Hint;

/// How long a lock is waited for: longer than an install loads its plugin as a test.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How the names of files begin that take the place of others once they are written.
const TEMPORARY: &str = ".hermes-";
/// How many random letters and digits follow.
const RANDOM: usize = 12;

/// A file or folder that could not be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} `{}`", path.display())]
pub struct FileError {
    /// What was tried: `read`, `write`, …
    pub action: &'static str,
    /// On what.
    pub path: PathBuf,
    /// Why it failed.
    pub source: io::Error,
}

impl FileError {
    /// Makes an error of one of the system: what was tried on which path.
    pub fn of<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + use<'a> {
        move |source| Self { action, path: path.to_owned(), source }
    }
}

impl Hint for FileError {
    fn hints(&self) -> Vec<String> {
        let hint = match self.source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some disk space; nothing was changed",
            io::ErrorKind::PermissionDenied => "check the owner and mode of the file and its folder",
            io::ErrorKind::ResourceBusy => "wait until the other hermes has ended, or end it if it was stopped",
            io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only; choose another folder with `--home`",
            _ => return Vec::new(),
        };
        vec![hint.to_owned()]
    }
}

/// Names the file in an error.
pub trait At<T> {
    /// Turns an [`io::Error`] into one that says what was tried on which path.
    ///
    /// # Errors
    /// The same error, with its path.
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(FileError::of(action, path))
    }
}

/// Makes a folder and those above it, for the user alone. One that is there is left as it is.
///
/// # Errors
/// When it cannot be made.
pub fn create_dir(path: &Path) -> Result<(), FileError> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).at("create", path)
}

/// Replaces a file as a whole, for the user alone: written beside it, synced, renamed, and its folder synced.
///
/// A symbolic link is followed, so that a file kept elsewhere stays there.
///
/// # Errors
/// When any step fails; the old file is then untouched.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), FileError> {
    write_anew(&behind_links(path), Permissions::from_mode(0o600), |file| file.write_all(content))
}

/// The same with what `write` writes, which need not fit into memory.
///
/// # Errors
/// As [`replace`].
pub fn replace_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), FileError> {
    write_anew(&behind_links(path), Permissions::from_mode(0o600), write)
}

/// The same as [`replace`] for a file that the user keeps too: who could read and write it still can.
///
/// # Errors
/// As [`replace`].
pub fn rewrite(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let mode = fs::metadata(path).map_or_else(|_| Permissions::from_mode(0o600), |file| file.permissions());
    write_anew(&behind_links(path), mode, |file| file.write_all(content))
}

/// The same as [`replace`] with what `write` writes, for what is handed on to others, such as a catalog: they may read
/// it, and enter the folders that are made for it.
///
/// A symbolic link is replaced and not followed: such a folder may come from elsewhere, and a link in it lead to any
/// file of the user's.
///
/// # Errors
/// When any step fails; the old file is then untouched.
pub fn publish(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), FileError> {
    let above: Vec<_> = path.ancestors().skip(1).take_while(|folder| !folder.exists()).collect();
    for folder in above.into_iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
        create_dir(folder)?;
        fs::set_permissions(folder, Permissions::from_mode(0o755)).at("open to others", folder)?;
    }
    write_anew(path, Permissions::from_mode(0o644), write)
}

/// Where a symbolic link leads; one that leads nowhere is itself replaced.
pub(crate) fn behind_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A file that is to take the place of another in this folder; gone with its handle.
pub(super) fn temporary(folder: &Path, mode: Permissions) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(TEMPORARY).rand_bytes(RANDOM).permissions(mode).tempfile_in(folder)
}

fn write_anew(
    path: &Path,
    mode: Permissions,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), FileError> {
    // A name alone has an empty folder above it.
    let above = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = above.unwrap_or(Path::new("."));
    create_dir(folder)?;
    let mut temporary = temporary(folder, mode.clone());
    let file = temporary.as_mut().map_err(|error| io::Error::new(error.kind(), error.to_string()));
    let file = file.at("write", path)?;
    // The mode again: the umask has narrowed it.
    let written = write(file.as_file_mut()).and_then(|()| file.as_file().set_permissions(mode));
    written.and_then(|()| file.as_file().sync_all()).at("write", path)?;
    let file = temporary.at("write", path)?;
    file.persist(path).map_err(|error| error.error).at("replace", path)?;
    sync_dir(folder)
}

/// Reads to the end and hands on each piece; answers how many bytes there were. `unread` makes an error of one of
/// reading, so that it is told from one of what becomes of the pieces: a full disk from a damaged source.
///
/// # Errors
/// The first of either.
pub fn each_piece<E>(
    from: &mut impl Read,
    unread: impl FnOnce(io::Error) -> E,
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<u64, E> {
    let mut buffer = vec![0; 1 << 16];
    let mut count = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(count),
            Ok(read) => {
                take(&buffer[..read])?;
                count += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unread(error)),
        }
    }
}

/// What writers that were killed left in a folder. One that is younger than an hour may still be written.
#[must_use]
pub fn abandoned(folder: &Path) -> Vec<PathBuf> {
    const OLD: Duration = Duration::from_secs(3600);
    let items = fs::read_dir(folder).into_iter().flatten().flatten();
    let left = items.filter(|item| {
        let metadata = item.metadata().ok().filter(|metadata| metadata.is_file());
        let age = metadata.and_then(|metadata| metadata.modified().ok()?.elapsed().ok());
        is_temporary(&item.file_name()) && age.is_some_and(|age| age > OLD)
    });
    left.map(|item| item.path()).collect()
}

/// Deletes what is [abandoned].
pub fn clean(folder: &Path) {
    for path in abandoned(folder) {
        // It takes up room and does no harm.
        let _ = fs::remove_file(path);
    }
}

/// Whether a file is named as [`write_anew`] names it. A home may be any folder, and other programs use the same start.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY));
    random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Renames a file or folder within one file system and syncs the folder that it lands in.
///
/// # Errors
/// When the target is there and is not empty, or the file system refuses.
pub fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    #[expect(clippy::disallowed_methods, reason = "the one place that renames, with the sync that belongs to it")]
    fs::rename(from, to).at("rename", from)?;
    sync_dir(to.parent().unwrap_or(Path::new(".")))
}

/// Makes a rename in this folder last through a power loss.
///
/// # Errors
/// When the folder cannot be opened or synced.
pub fn sync_dir(path: &Path) -> Result<(), FileError> {
    File::open(path).and_then(|folder| folder.sync_all()).at("sync", path)
}

/// Reads a whole file as text; None when it is not there.
///
/// # Errors
/// When it cannot be read, or is not UTF-8: the error then names the line.
pub fn read_text(path: &Path) -> Result<Option<String>, FileError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.at("read", path)?,
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() + 1;
        io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not UTF-8 text"))
    });
    text.map(Some).at("read", path)
}

/// The same for a file that may come from a stranger: it has to be a plain file, and no longer than so many bytes.
///
/// # Errors
/// As [`read_text`], and when it is something else or longer.
pub fn read_foreign_text(path: &Path, most: u64) -> Result<Option<String>, FileError> {
    let problem = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // A pipe would be waited for, and a device read, without end.
        Ok(metadata) if !metadata.is_file() => "it is no plain file".to_owned(),
        Ok(metadata) if metadata.len() > most => format!("it has more than {most} bytes"),
        Ok(_) => return read_text(path),
        Err(error) => return Err(error).at("read", path),
    };
    Err(io::Error::other(problem)).at("read", path)
}

/// A lock between processes on a file beside the one that it guards; held until it is dropped.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Waits for the lock, at most a minute: a process that was stopped never gives it back.
    ///
    /// # Errors
    /// When the lock file cannot be made, or another process keeps the lock.
    pub fn acquire(path: &Path) -> Result<Self, FileError> {
        Self::acquire_within(path, LONGEST_WAIT)
    }

    fn acquire_within(path: &Path, limit: Duration) -> Result<Self, FileError> {
        let deadline = Instant::now() + limit;
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(lock) = Self::try_acquire(path)? {
                return Ok(lock);
            }
            if Instant::now() >= deadline {
                let error = io::Error::new(io::ErrorKind::ResourceBusy, "another process holds it");
                return Err(error).at("lock", path);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Takes the lock if nobody holds it.
    ///
    /// # Errors
    /// When the lock file cannot be made.
    pub fn try_acquire(path: &Path) -> Result<Option<Self>, FileError> {
        Self::on(open_lock(path)?, path)
    }

    fn on(file: File, path: &Path) -> Result<Option<Self>, FileError> {
        match file.try_lock() {
            // Whoever held it may have deleted it; the next to come locks another file of the same name.
            Ok(()) if !is_at(&file, path) => Ok(None),
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error).at("lock", path),
        }
    }
}

/// Whether a process holds a lock, and which, as far as the system tells; None where nobody does, or the lock was given
/// back within a moment. Looking makes no file.
#[must_use]
pub fn lock_holder(path: &Path) -> Option<Option<u32>> {
    const MOMENT: Duration = Duration::from_millis(100);
    for _ in 0..5 {
        // A lock of this process on a file that it opened itself, which goes at once.
        match File::open(path).map(|file| file.try_lock_shared()) {
            Err(_) | Ok(Ok(())) => return None,
            Ok(Err(_)) => std::thread::sleep(MOMENT),
        }
    }
    let file = fs::metadata(path).ok()?;
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let end = format!(":{}", file.ino());
    let holder = locks.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let at = fields.iter().position(|field| field.ends_with(&end))?;
        fields.get(at.checked_sub(1)?)?.parse().ok()
    });
    Some(holder)
}

fn is_at(file: &File, path: &Path) -> bool {
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(open), Ok(there)) if same(&open, &there))
}

fn open_lock(path: &Path) -> Result<File, FileError> {
    if let Some(folder) = path.parent() {
        create_dir(folder)?;
    }
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path).at("open", path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_the_killed_left_goes_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let old = std::time::SystemTime::now() - Duration::from_secs(7200);
        let temporary = |random: &str| format!("{TEMPORARY}{random}");
        let (old_one, new_one, notes) =
            (temporary("0123456789ab"), temporary("ABCDEFGHIJKL"), temporary("notes.backup"));
        for (name, is_old) in
            [(&*old_one, true), (&*new_one, false), (&*notes, true), (".other", true), ("plugins.lock", true)]
        {
            let file = File::create(folder.path().join(name)).unwrap();
            if is_old {
                file.set_modified(old).unwrap();
            }
        }
        clean(folder.path());
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|item| item.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [&*new_one, &*notes, ".other", "plugins.lock"]);
        clean(&folder.path().join("gone"));
    }

    #[test]
    fn what_is_handed_on_can_be_read_and_the_rest_cannot() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |below: &str| fs::metadata(folder.path().join(below)).unwrap().permissions().mode() & 0o777;
        publish(&folder.path().join("a/b/entry.toml"), |to| to.write_all(b"x")).unwrap();
        assert_eq!(["a", "a/b", "a/b/entry.toml"].map(mode), [0o755, 0o755, 0o644]);
        replace(&folder.path().join("c/config.toml"), b"x").unwrap();
        assert_eq!(["c", "c/config.toml"].map(mode), [0o700, 0o600]);
        // A folder that is there stays as its owner made it.
        publish(&folder.path().join("c/entry.toml"), |to| to.write_all(b"x")).unwrap();
        assert_eq!(["c", "c/entry.toml"].map(mode), [0o700, 0o644]);
    }

    #[test]
    fn only_what_is_the_users_own_is_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = |below: &str| folder.path().join(below);
        for name in ["kept", "foreign"] {
            fs::write(path(name), "before").unwrap();
        }
        symlink("kept", path("config.toml")).unwrap();
        replace(&path("config.toml"), b"new").unwrap();
        assert_eq!(fs::read_to_string(path("kept")).unwrap(), "new");
        symlink("foreign", path("entry.toml")).unwrap();
        publish(&path("entry.toml"), |to| to.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(path("foreign")).unwrap(), "before");
        assert!(!path("entry.toml").is_symlink() && fs::read_to_string(path("entry.toml")).unwrap() == "new");
    }

    #[test]
    fn a_lock_file_that_was_deleted_locks_nobody_out_and_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let opened = open_lock(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(FileLock::on(opened, &path).unwrap().is_none(), "others would lock another file");
        let held = FileLock::try_acquire(&path).unwrap().unwrap();
        assert!(FileLock::try_acquire(&path).unwrap().is_none());
        drop(held);
    }

    #[test]
    fn a_lock_is_not_waited_for_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let held = FileLock::acquire(&path).unwrap();
        let error = FileLock::acquire_within(&path, Duration::from_millis(20)).unwrap_err();
        assert_eq!(error.source.to_string(), "another process holds it");
        assert_eq!(error.hints().len(), 1);
        drop(held);
        FileLock::acquire_within(&path, Duration::from_millis(20)).unwrap();
    }
}
