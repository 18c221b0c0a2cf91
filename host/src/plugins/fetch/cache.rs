//! Archives that were downloaded, by their hash: bounded, and nothing more than a memory of the network.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use crate::home::Home;
use crate::home::files::{At as _, FileError, FileLock};
use crate::plugins::catalog::Sha256Hex;

/// What all archives may have together; those that were used longest ago go first.
const MOST_BYTES: u64 = 1 << 30;
/// A download that nobody went on with for so long is no use any more.
const OLDEST_PART: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// How long another process that downloads the same file may bring nothing: longer than all its tries together.
const STALLED: Duration = Duration::from_secs(300);

/// The folder of a home in which downloads land.
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub(super) fn of(home: &Home) -> Self {
        Self { folder: home.store().with_file_name("cache") }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a finished archive is.
    pub(super) fn archive(&self, sha256: &Sha256Hex) -> PathBuf {
        self.folder.join(sha256.as_str())
    }

    /// Where one is that is not finished.
    pub(super) fn part(&self, sha256: &Sha256Hex) -> PathBuf {
        self.archive(sha256).with_extension("part")
    }

    /// Holds off other processes that want the same archive; waits for one that has it, as long as it gets on.
    pub(super) fn lock(&self, sha256: &Sha256Hex, waits: &dyn Fn()) -> Result<FileLock, FileError> {
        let path = self.archive(sha256).with_extension("lock");
        let part = self.part(sha256);
        let there = || fs::metadata(&part).map(|metadata| metadata.len()).ok();
        let (mut seen, mut since, mut told) = (there(), Instant::now(), false);
        loop {
            if let Some(lock) = FileLock::try_acquire(&path)? {
                return Ok(lock);
            }
            if !told {
                waits();
                told = true;
            }
            sleep(Duration::from_millis(20));
            if there() != seen {
                (seen, since) = (there(), Instant::now());
            }
            if since.elapsed() > STALLED {
                let error = io::Error::new(io::ErrorKind::ResourceBusy, "another process holds it");
                return Err(error).at("lock", &path);
            }
        }
    }

    /// Notes that an archive was used. Where that fails it only goes sooner.
    pub(super) fn touch(&self, archive: &Path) {
        let _ = File::options().write(true).open(archive).and_then(|file| file.set_modified(SystemTime::now()));
    }

    /// Takes away what is too old or too much. What cannot be taken away stays: the next time will do.
    pub(super) fn prune(&self) {
        self.prune_to(MOST_BYTES, SystemTime::now());
    }

    fn prune_to(&self, most: u64, now: SystemTime) {
        let mut files: Vec<_> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|item| {
                let (path, metadata) = item.ok().and_then(|item| Some((item.path(), item.metadata().ok()?)))?;
                let is_lock = path.extension().is_some_and(|end| end == "lock");
                (!is_lock && metadata.is_file()).then_some((metadata.modified().ok()?, metadata.len(), path))
            })
            .collect();
        files.sort_by(|a, b| b.cmp(a));
        let mut total = 0_u64;
        for (used, size, path) in files {
            total = total.saturating_add(size);
            let finished = path.extension().is_none();
            let old = !finished && now.duration_since(used).is_ok_and(|age| age > OLDEST_PART);
            if !old && total <= most {
                continue;
            }
            // One that is being downloaded or copied is left alone.
            let lock = path.with_extension("lock");
            if let Ok(Some(_held)) = FileLock::try_acquire(&lock)
                && fs::remove_file(&path).is_ok()
            {
                total = total.saturating_sub(size);
                let _ = fs::remove_file(&lock);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::of(&Home::at(folder.path()));
        fs::create_dir_all(cache.folder()).unwrap();
        let now = SystemTime::now();
        let add = |name: &str, days: u64| {
            let path = cache.folder().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(now - Duration::from_secs(days * 86_400)).unwrap();
        };
        for (name, days) in [("a", 3), ("b", 2), ("c", 1), ("d.part", 13), ("e.part", 15), ("e.etag", 15), ("f", 90)] {
            add(name, days);
        }
        let names = || {
            let mut names: Vec<_> = fs::read_dir(cache.folder())
                .unwrap()
                .map(|item| item.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names.join(" ")
        };
        cache.prune_to(1000, now);
        assert_eq!(names(), "a b c d.part f");
        let held = FileLock::acquire(&cache.folder().join("f.lock")).unwrap();
        cache.prune_to(300, now);
        assert_eq!(names(), "a b c f f.lock", "what is in use stays");
        drop(held);
        cache.touch(&cache.folder().join("a"));
        cache.prune_to(200, now);
        assert_eq!(names(), "a c");
    }
}
