//! Moving a damaged file aside with its bytes kept, and finding it again.
//!
//! The kept file is its own notice: as long as it lies in the data folder the provider says so.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::file::NAME;
use crate::error::{Error, Result};

const MARK: &str = ".corrupt-";

/// Moves the file and SQLite's logs of it to `facts.db.corrupt-<Unix milliseconds>`, unless `is_current` says, under
/// the lock between processes, that another one has done it. Answers the new name.
pub(super) fn set_aside(path: &Path, now: u64, is_current: impl Fn() -> bool) -> Result<Option<String>> {
    let lock_path = path.with_extension("lock");
    let lock = File::create(&lock_path).map_err(Error::file(&lock_path))?;
    lock.lock().map_err(Error::file(&lock_path))?;
    if !is_current() {
        return Ok(None);
    }
    let free = (now..).map(|stamp| with_suffix(path, &format!("{MARK}{stamp}"))).find(|target| !target.exists());
    let Some(target) = free else { return Ok(None) };
    // The log first: left beside a new file of the same name it would be replayed into that.
    for suffix in ["-wal", "-shm", ""] {
        let from = with_suffix(path, suffix);
        if from.exists() {
            move_file(&from, &with_suffix(&target, suffix))?;
        }
    }
    Ok(target.file_name().map(|name| name.to_string_lossy().into_owned()))
}

#[expect(clippy::disallowed_methods, reason = "a damaged file has nothing that would have to be synced first")]
fn move_file(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(Error::file(from))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The newest kept file in a folder.
pub(super) fn newest_kept_file(folder: &Path) -> Option<PathBuf> {
    let stamp = |name: &str| name.strip_prefix(NAME)?.strip_prefix(MARK)?.parse::<u64>().ok();
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let newest = names.filter(|name| stamp(name).is_some()).max_by_key(|name| stamp(name))?;
    Some(folder.join(newest))
}

/// A sentence about it.
pub(super) fn newest_kept(folder: &Path) -> Option<String> {
    newest_kept_file(folder).map(|file| {
        format!(
            "the fact store was damaged and a new one was begun; the damaged file is kept as `{}`: restore a backup or \
             move it away to end this notice",
            file.display()
        )
    })
}
