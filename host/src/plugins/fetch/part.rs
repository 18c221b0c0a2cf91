//! What was downloaded of an archive so far: a file that outlives its process, so that the next one goes on.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::home::files::{self, At as _, FileError};
use crate::plugins::catalog::Sha256Hex;

/// Longer than any tag that a server makes of a version of a file.
const LONGEST_TAG: usize = 256;

/// A file that is being downloaded, and the hash of what it holds.
pub(super) struct Part {
    path: PathBuf,
    file: File,
    hasher: Sha256,
    len: u64,
    /// Some of it came in another answer than the last.
    pub(super) pieced: bool,
}

impl Part {
    /// Opens what an earlier process left, or begins.
    pub(super) fn open(path: &Path) -> Result<Self, FileError> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true).mode(0o600);
        let mut file = options.open(path).at("open", path)?;
        let mut hasher = Sha256::new();
        let len = files::each_piece(&mut file, FileError::of("read", path), |piece| {
            hasher.update(piece);
            Ok(())
        })?;
        Ok(Self { path: path.to_owned(), file, hasher, len, pieced: len > 0 })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).at("write", &self.path)?;
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Begins again, with what the server calls this version of the file.
    pub(super) fn restart(&mut self, tag: Option<&str>) -> Result<(), FileError> {
        self.file.set_len(0).and_then(|()| self.file.rewind()).at("write", &self.path)?;
        (self.hasher, self.len, self.pieced) = (Sha256::new(), 0, false);
        let tag_file = self.tag_file();
        match tag.filter(|tag| is_strong(tag)) {
            Some(tag) => files::replace(&tag_file, tag.as_bytes()),
            None => remove(&tag_file),
        }
    }

    /// What the server called the version that this is the beginning of.
    pub(super) fn tag(&self) -> Option<String> {
        files::read_text(&self.tag_file()).ok().flatten().filter(|tag| is_strong(tag))
    }

    pub(super) fn sha256(&self) -> Sha256Hex {
        Sha256Hex::from_digest(&self.hasher.clone().finalize())
    }

    /// Makes it the finished file.
    pub(super) fn finish(self, place: &Path) -> Result<(), FileError> {
        self.file.sync_all().at("sync", &self.path)?;
        files::rename(&self.path, place)?;
        remove(&self.tag_file())
    }

    pub(super) fn discard(self) -> Result<(), FileError> {
        remove(&self.path)?;
        remove(&self.tag_file())
    }

    fn tag_file(&self) -> PathBuf {
        self.path.with_extension("etag")
    }
}

/// Only a strong tag says that the bytes are the same (RFC 9110, 8.8.3 and 13.1.5).
fn is_strong(tag: &str) -> bool {
    let inside = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    tag.len() <= LONGEST_TAG
        && inside.is_some_and(|tag| tag.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"'))
}

fn remove(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at("delete", path),
        _ => Ok(()),
    }
}
