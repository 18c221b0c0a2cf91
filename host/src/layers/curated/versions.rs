//! Earlier versions of a memory file: what stood there before each change.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Refusal, Target};
use crate::clock::UnixMillis;
use crate::home::files::create_dir;

/// How many are kept of each file.
const KEPT: usize = 20;
/// In the folder of the memory files.
const FOLDER: &str = ".backups";

/// The versions of one file.
#[derive(Clone, Debug)]
pub(super) struct Versions {
    folder: PathBuf,
    prefix: String,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// When it was replaced, and a number that no other of that moment has.
    pub(super) id: String,
    pub(super) replaced_at: UnixMillis,
    pub(super) path: PathBuf,
}

impl Versions {
    pub(super) fn of(memories: &Path, target: Target) -> Self {
        Self { folder: memories.join(FOLDER), prefix: format!("{}.", target.file_name()) }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the next one goes. Times that go back would put it among the older ones.
    pub(super) fn next(&self, at: UnixMillis) -> Result<PathBuf, Refusal> {
        create_dir(&self.folder)?;
        let newest = self.all().last().map_or(0, |kept| kept.replaced_at);
        let at = at.max(newest);
        let free = (0_u32..).map(|number| self.folder.join(format!("{}{at:013}-{number:03}", self.prefix)));
        Ok(free.into_iter().find(|path| !path.exists()).unwrap_or_else(|| self.folder.join(&self.prefix)))
    }

    /// All, the oldest first.
    pub(super) fn all(&self) -> Vec<Kept> {
        let items = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut all: Vec<Kept> = items
            .filter_map(|item| {
                let id = item.file_name().to_str()?.strip_prefix(&self.prefix)?.to_owned();
                let replaced_at = id.split('-').next()?.parse().ok()?;
                Some(Kept { id, replaced_at, path: item.path() })
            })
            .collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// Deletes those that are too many, the oldest first.
    pub(super) fn prune(&self) {
        let all = self.all();
        for old in all.iter().take(all.len().saturating_sub(KEPT)) {
            // It takes up room and does no harm.
            let _ = fs::remove_file(&old.path);
        }
    }
}
