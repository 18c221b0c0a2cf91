//! The files: read, changed under a lock between processes, and never left half-written.
//!
//! The lock is the Python agent's own, `MEMORY.md.lock` beside the file. Editors know no lock: what one wrote between our
//! reading and our writing is found in the version that was replaced, and merged.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::plan::{Plan, merge};
use super::text::{FileText, MOST_BYTES};
use super::versions::Versions;
use super::{Change, Refusal, Target};
use crate::clock::UnixMillis;
use crate::home::exchange::exchange;
use crate::home::files::{At as _, FileLock, clean, create_dir, replace};

/// How often a file is written again because somebody else wrote it at the same moment.
const TRIES: u32 = 100;
/// How long an editor may take between two pieces of what it writes.
const MOMENT: Duration = Duration::from_millis(5);

/// The folder of the memory files.
#[derive(Clone, Debug)]
pub(super) struct Store {
    folder: PathBuf,
}

/// A file as it was read.
#[derive(Clone, Debug, Default)]
struct Read {
    bytes: Vec<u8>,
    text: FileText,
}

/// The lock of one file; held until it is dropped.
pub(super) struct Locked<'a> {
    store: &'a Store,
    target: Target,
    limit: usize,
    _lock: FileLock,
}

impl Store {
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn path(&self, target: Target) -> PathBuf {
        self.folder.join(target.file_name())
    }

    pub(super) fn versions(&self, target: Target) -> Versions {
        Versions::of(&self.folder, target)
    }

    /// The file as it is now. A writer never shows half of one.
    pub(super) fn read(&self, target: Target, limit: usize) -> Result<FileText, Refusal> {
        Ok(self.load(target, limit)?.text)
    }

    /// Waits for the lock of a file.
    pub(super) fn lock(&self, target: Target, limit: usize) -> Result<Locked<'_>, Refusal> {
        create_dir(&self.folder)?;
        Ok(Locked { store: self, target, limit, _lock: FileLock::acquire(&self.lock_file(target))? })
    }

    /// Takes the lock of a file if nobody has it.
    pub(super) fn try_lock(&self, target: Target, limit: usize) -> Result<Option<Locked<'_>>, Refusal> {
        create_dir(&self.folder)?;
        let lock = FileLock::try_acquire(&self.lock_file(target))?;
        Ok(lock.map(|lock| Locked { store: self, target, limit, _lock: lock }))
    }

    /// The file that is locked for one that is to be changed.
    pub(super) fn lock_file(&self, target: Target) -> PathBuf {
        self.folder.join(format!("{}.lock", target.file_name()))
    }

    fn load(&self, target: Target, limit: usize) -> Result<Read, Refusal> {
        let path = self.path(target);
        let unreadable = |reason: String| Refusal::Unreadable { path: path.clone(), reason };
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Read::default()),
            Err(error) => return Err(error).at("read", &path).map_err(Refusal::from),
            // A pipe would be waited for without end.
            Ok(metadata) if !metadata.is_file() => return Err(unreadable("it is no plain file".to_owned())),
            Ok(metadata) if metadata.len() > MOST_BYTES => {
                return Err(unreadable(format!(
                    "it has {} MiB, and {} are the most",
                    metadata.len() >> 20,
                    MOST_BYTES >> 20
                )));
            }
            Ok(_) => {}
        }
        let bytes = read_bytes(&path)?;
        match FileText::read(&bytes, limit) {
            Ok(text) => Ok(Read { bytes, text }),
            // What an editor is writing at this moment may end within a character.
            Err(_) => {
                let bytes = settled(&path, bytes)?;
                let text = FileText::read(&bytes, limit).map_err(unreadable)?;
                Ok(Read { bytes, text })
            }
        }
    }
}

/// The bytes of a file; none where it is not there.
fn read_bytes(path: &Path) -> Result<Vec<u8>, Refusal> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => Ok(other.at("read", path)?),
    }
}

/// The bytes of a file once whoever writes it without a lock has come to the end; `bytes` are those a moment ago.
fn settled(path: &Path, mut bytes: Vec<u8>) -> Result<Vec<u8>, Refusal> {
    for _ in 0..TRIES {
        std::thread::sleep(MOMENT);
        let now = read_bytes(path)?;
        if now == bytes {
            break;
        }
        bytes = now;
    }
    Ok(bytes)
}

impl Locked<'_> {
    /// The entries as they are now.
    pub(super) fn entries(&self) -> Result<Vec<String>, Refusal> {
        self.store.read(self.target, self.limit).map(|text| text.entries)
    }

    /// Changes the file as `make` plans from its entries. Without a change nothing is written. `around` is told what is
    /// to be changed, and calls what it is given, which writes and answers whether it is changed then.
    ///
    /// # Errors
    /// What `make` answers; when the file cannot be read or written. Then it is as it was.
    pub(super) fn change(
        &self,
        at: UnixMillis,
        make: impl Fn(&[String]) -> Result<Plan, Refusal>,
        around: impl FnOnce(&[Change], &mut dyn FnMut() -> bool),
    ) -> Result<Plan, Refusal> {
        let before = self.store.load(self.target, self.limit)?;
        let mut plan = make(&before.text.entries)?;
        if plan.changes.is_empty() {
            return Ok(plan);
        }
        self.must_be_writable()?;
        let mut written = None;
        around(&plan.changes, &mut || {
            let done = self.write(before.clone(), plan.entries.clone(), at);
            // What failed after the exchange is in the file all the same.
            let is_done = done.is_ok() || self.has(&plan.changes);
            written = Some(done);
            is_done
        });
        plan.entries = written.unwrap_or_else(|| self.write(before, plan.entries, at))?;
        // What writers that were killed left beside the file.
        clean(&self.store.folder);
        Ok(plan)
    }

    /// Writes these entries in the place of those that were read, and answers what stands in the file then.
    fn write(&self, mut base: Read, mut entries: Vec<String>, at: UnixMillis) -> Result<Vec<String>, Refusal> {
        let path = self.store.path(self.target);
        let versions = self.store.versions(self.target);
        for _ in 0..TRIES {
            let bytes = base.text.write(&entries);
            // What would be read back otherwise must never take the place of what can be read.
            if FileText::read(&bytes, usize::MAX).map(|text| text.entries).as_ref() != Ok(&entries) {
                let reason = "its entries would not be the same when they are read again".to_owned();
                return Err(Refusal::Unreadable { path, reason });
            }
            let kept = versions.next(at)?;
            exchange(&path, &bytes, &kept)?;
            if !kept.exists() {
                // There was no file. The first change can be undone like any other.
                replace(&kept, &base.bytes)?;
            }
            let stood = read_bytes(&kept)?;
            if stood == base.bytes {
                versions.prune();
                return Ok(entries);
            }
            let stood = settled(&kept, stood)?;
            versions.prune();
            let Ok(theirs) = FileText::read(&stood, self.limit) else {
                // It cannot be merged, and it is not ours to take away.
                exchange(&path, &stood, &versions.next(at)?)?;
                return Err(Refusal::Contended { path });
            };
            let merged = merge(&base.text.entries, &theirs.entries, &entries);
            if merged == entries {
                return Ok(entries);
            }
            base = Read { text: FileText { entries, ..theirs }, bytes };
            entries = merged;
        }
        Err(Refusal::Contended { path })
    }

    /// Whether the file is as these changes leave it.
    pub(super) fn has(&self, changes: &[Change]) -> bool {
        self.entries().is_ok_and(|entries| changes.iter().all(|change| change.is_in(&entries)))
    }

    /// Whoever took the right to write from everybody means it, and a new file in its place would not ask.
    pub(super) fn must_be_writable(&self) -> Result<(), Refusal> {
        let path = self.store.path(self.target);
        match fs::metadata(&path).map(|metadata| metadata.permissions().mode() & 0o7777) {
            Ok(mode) if mode & 0o222 == 0 => Err(Refusal::ReadOnly { path, mode }),
            _ => Ok(()),
        }
    }
}
