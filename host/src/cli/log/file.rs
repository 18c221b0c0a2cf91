//! The file of the log: appended to by any number of processes, a line at a time, and put aside when it is large.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::home::files::{FileLock, rename};

/// The file that is written.
pub(crate) const NAME: &str = "hermes.log";
/// How many files there are at most; the others are named `hermes.log.1` and so on, the oldest last.
pub(crate) const FILES: usize = 3;
/// Held by the process that puts a file aside.
const LOCK: &str = ".hermes.log.lock";

/// The log in one folder.
pub(crate) struct File {
    folder: PathBuf,
    largest: u64,
    open: Option<fs::File>,
}

impl File {
    /// Nothing is made before something is written.
    pub(crate) fn new(folder: PathBuf, largest: u64) -> Self {
        Self { folder, largest, open: None }
    }

    /// Adds a line.
    pub(crate) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let path = self.folder.join(NAME);
        let size = self.current(&path)?;
        if size > 0 && size + line.len() as u64 > self.largest {
            self.put_aside(&path)?;
            self.current(&path)?;
        }
        let Some(mut file) = self.open.as_ref() else { return Ok(()) };
        // One call, so that lines of several processes never mix.
        match file.write(line)? {
            written if written == line.len() => Ok(()),
            _ => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    /// Opens the file that has the name now, if that is not the one at hand, and answers its size.
    fn current(&mut self, path: &Path) -> io::Result<u64> {
        if let (Some(file), Ok(named)) = (&self.open, fs::symlink_metadata(path)) {
            let open = file.metadata()?;
            if (open.dev(), open.ino()) == (named.dev(), named.ino()) {
                return Ok(open.len());
            }
        }
        match fs::DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Neither a link is followed nor a pipe waited for.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new().create(true).append(true).mode(0o600).custom_flags(flags).open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other(format!("`{}` is no plain file", path.display())));
        }
        self.open = Some(file);
        Ok(metadata.len())
    }

    /// Renames the files, unless another process does or has done it.
    fn put_aside(&mut self, path: &Path) -> io::Result<()> {
        let Some(_lock) = FileLock::try_acquire(&self.folder.join(LOCK)).map_err(|error| error.source)? else {
            return Ok(());
        };
        // Under the lock nobody else renames: a file that is small by now is a new one.
        let open = self.open.as_ref().map(fs::File::metadata).transpose()?;
        let named = fs::symlink_metadata(path)?;
        if open.is_none_or(|open| (open.dev(), open.ino()) != (named.dev(), named.ino())) {
            return Ok(());
        }
        for number in (1..FILES).rev() {
            let name = |number: usize| if number == 0 { NAME.to_owned() } else { format!("{NAME}.{number}") };
            let (from, to) = (self.folder.join(name(number - 1)), self.folder.join(name(number)));
            if from.exists() {
                rename(&from, &to).map_err(|error| error.source)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_put_aside_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let (mut one, mut two) = (File::new(folder.path().join("logs"), 20), File::new(folder.path().join("logs"), 20));
        for number in 0..10 {
            let file = if number % 3 == 0 { &mut one } else { &mut two };
            file.write(format!("line {number:03}\n").as_bytes()).unwrap();
        }
        let read = |name: &str| fs::read_to_string(folder.path().join("logs").join(name)).unwrap();
        assert_eq!(read("hermes.log"), "line 008\nline 009\n");
        assert_eq!(read("hermes.log.1"), "line 006\nline 007\n");
        assert_eq!(read("hermes.log.2"), "line 004\nline 005\n");
        assert!(!folder.path().join("logs/hermes.log.3").exists());
    }

    #[test]
    fn writers_at_once_lose_no_line() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let folder = folder.path().to_owned();
                // 2 × 4 × 100 lines of 11 bytes: put aside once.
                let mut file = File::new(folder, 6000);
                scope.spawn(move || {
                    for number in 0..200 {
                        file.write(format!("{writer} line {number:03}\n").as_bytes()).unwrap();
                    }
                });
            }
        });
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let all = read("hermes.log.2") + &read("hermes.log.1") + &read("hermes.log");
        let mut lines: Vec<_> = all.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!((lines.len(), all.lines().count()), (800, 800));
    }
}
