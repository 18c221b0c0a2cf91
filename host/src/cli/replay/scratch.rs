//! The folder of a replay's copy of the home, or of a pilot's copies: gone with it, and at the next one's start where it
//! was killed.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::home::files::{self, At as _, FileError};

const PREFIX: &str = "hermes-replay-";
/// In the folder, locked while its process lives.
const ALIVE: &str = "alive";
/// How often it is taken away, and how long apart.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// A temporary folder. It is gone when this is dropped.
#[derive(Debug)]
pub(in crate::cli) struct Scratch {
    folder: TempDir,
    /// Its lock ends with the process, however that ends.
    _alive: File,
}

impl Scratch {
    /// Makes an empty folder in `parent`, and takes away those that dead processes of this user left there.
    pub(in crate::cli) fn new(parent: &Path) -> Result<Self, FileError> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent).at("create a folder in", parent)?;
        // Under its name it is found locked at any time, so that no other process takes the folder for a leftover.
        let unlocked = folder.path().join("new");
        let alive = File::create_new(&unlocked).at("create", &unlocked)?;
        alive.try_lock().map_err(io::Error::from).at("lock", &unlocked)?;
        files::rename(&unlocked, &folder.path().join(ALIVE))?;
        let owner = fs::metadata(folder.path()).at("read", folder.path())?.uid();
        sweep(parent, owner);
        Ok(Self { folder, _alive: alive })
    }

    /// Where the copy goes; nothing is there yet.
    pub(super) fn home(&self) -> PathBuf {
        self.home_of("home")
    }

    /// The same for one of several copies; no two have the same name, and none is called `alive`.
    pub(in crate::cli) fn home_of(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Scratch {
    /// A provider that was left behind may still write: its file, put into a folder that is just being emptied, keeps
    /// that from going. What is left after some tries is for the next one's start.
    fn drop(&mut self) {
        for _ in 0..TRIES {
            match fs::remove_dir_all(self.folder.path()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => std::thread::sleep(PAUSE),
                _ => return,
            }
        }
    }
}

/// What cannot be taken away is left: it is in nobody's way.
fn sweep(parent: &Path, owner: u32) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && entry.metadata().is_ok_and(|folder| folder.is_dir() && folder.uid() == owner);
        if !ours {
            continue;
        }
        if let Ok(alive) = File::open(entry.path().join(ALIVE))
            && alive.try_lock().is_ok()
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::debug!(%error, folder = %entry.path().display(), "a leftover stays");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_of_the_dead_are_taken_away_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let living = Scratch::new(parent.path()).unwrap();
        for name in ["hermes-replay-dead", "hermes-replay-being-made", "hermes-other"] {
            fs::create_dir_all(parent.path().join(name).join("home")).unwrap();
        }
        for name in ["hermes-replay-dead", "hermes-other"] {
            fs::write(parent.path().join(name).join(ALIVE), "").unwrap();
        }
        std::os::unix::fs::symlink("hermes-other", parent.path().join("hermes-replay-link")).unwrap();
        let second = Scratch::new(parent.path()).unwrap();
        let left = |name: &str| parent.path().join(name).exists();
        assert!(!left("hermes-replay-dead"));
        assert!(left("hermes-replay-being-made") && left("hermes-other") && left("hermes-replay-link"));
        let homes = [living.home(), second.home()];
        assert!(homes.iter().all(|home| home.parent().unwrap().is_dir() && !home.exists()));
        drop((living, second));
        assert!(homes.iter().all(|home| !home.parent().unwrap().exists()));
    }
}
