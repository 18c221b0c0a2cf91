//! Hashes of store files, remembered as long as a file is the one that was hashed.
//!
//! The memory is the file `plugins/hashes.toml`, since most processes live for one command and a memory of their own
//! would never be of use. It is a cache and no authority: it may be deleted at any time, a line of it that does not
//! fit is passed over, and whoever can change it can change `plugins.lock` too.
//!
//! A hash counts while inode, size and change time stay the same. No program can set a change time, but two changes
//! within one tick of the file system's clock have the same one; so a file is only remembered when it had been left
//! alone for a while before it was read, and nothing moved while it was read.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::Digest as _;

use crate::home::Home;
use crate::home::files::{self, At as _, FileError};
use crate::plugins::catalog::Sha256Hex;

/// Longer than a tick of any file system's clock.
const SETTLED: Duration = Duration::from_secs(3);

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Remembered {
    files: BTreeMap<String, Line>,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
struct Line {
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds since 1970.
    changed: (i64, i64),
    sha256: Sha256Hex,
}

/// The SHA-256 of a file, always from its bytes.
///
/// # Errors
/// When it cannot be read.
pub fn sha256_of(path: &Path) -> Result<Sha256Hex, FileError> {
    hash(&mut File::open(path).at("read", path)?, path)
}

/// The SHA-256 of a file of the store: from its bytes, or remembered from an earlier time.
///
/// # Errors
/// When it cannot be read.
pub fn sha256_of_stored(home: &Home, path: &Path) -> Result<Sha256Hex, FileError> {
    stored_at(home, path, SystemTime::now())
}

fn stored_at(home: &Home, path: &Path, now: SystemTime) -> Result<Sha256Hex, FileError> {
    let memory = memory_file(home);
    // A path is the key of a table and so must be text; any other file is hashed each time.
    let key = path.strip_prefix(home.store()).ok().and_then(Path::to_str);
    let Some(key) = key else { return sha256_of(path) };
    let mut file = File::open(path).at("read", path)?;
    let before = file.metadata().at("read", path)?;
    let text = files::read_text(&memory).ok().flatten().unwrap_or_default();
    let mut remembered: Remembered = toml::from_str(&text).unwrap_or_default();
    if let Some(line) = remembered.files.get(key)
        && *line == line_of(&before, line.sha256.clone())
    {
        return Ok(line.sha256.clone());
    }
    let settled = is_settled(before.ctime(), now);
    let sha256 = hash(&mut file, path)?;
    let line = line_of(&before, sha256.clone());
    if settled && line == line_of(&file.metadata().at("read", path)?, sha256.clone()) {
        remembered.files.retain(|key, _| home.store().join(key).exists());
        remembered.files.insert(key.to_owned(), line);
        // Not to remember costs time and nothing else, for instance on a disk that is full or read-only.
        let _ = toml::to_string(&remembered).map(|text| files::replace(&memory, text.as_bytes()));
    }
    Ok(sha256)
}

fn memory_file(home: &Home) -> PathBuf {
    home.store().with_file_name("hashes.toml")
}

fn line_of(metadata: &Metadata, sha256: Sha256Hex) -> Line {
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    Line { inode: metadata.ino(), size: metadata.len(), changed, sha256 }
}

/// A change time in the future is never settled.
fn is_settled(changed: i64, now: SystemTime) -> bool {
    let changed = u64::try_from(changed).map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
    changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > SETTLED))
}

fn hash(file: &mut File, path: &Path) -> Result<Sha256Hex, FileError> {
    let mut hasher = sha2::Sha256::new();
    files::each_piece(file, FileError::of("read", path), |piece| {
        hasher.update(piece);
        Ok(())
    })?;
    Ok(Sha256Hex::from_digest(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn stored() -> (tempfile::TempDir, Home, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let file = home.store().join("notes").join("libnotes.so");
        files::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, b"abc").unwrap();
        (folder, home, file)
    }

    fn remember(home: &Home, file: &Path, sha256: &Sha256Hex) {
        let line = line_of(&fs::metadata(file).unwrap(), sha256.clone());
        let remembered = Remembered { files: [("notes/libnotes.so".to_owned(), line)].into() };
        fs::write(memory_file(home), toml::to_string(&remembered).unwrap()).unwrap();
    }

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn only_a_file_that_was_left_alone_is_remembered() {
        let (_folder, home, file) = stored();
        assert_eq!(sha256_of_stored(&home, &file).unwrap().as_str(), ABC);
        assert!(!memory_file(&home).exists());
        let later = SystemTime::now() + Duration::from_secs(60);
        assert_eq!(stored_at(&home, &file, later).unwrap().as_str(), ABC);
        let text = fs::read_to_string(memory_file(&home)).unwrap();
        assert!(text.contains("notes/libnotes.so") && text.contains(ABC), "{text}");

        let now = UNIX_EPOCH + Duration::from_secs(1000);
        for (changed, settled) in [(996, true), (997, false), (1000, false), (2000, false), (-5, false)] {
            assert_eq!(is_settled(changed, now), settled, "{changed}");
        }
    }

    #[test]
    fn a_settled_file_is_remembered_until_it_changes() {
        let (_folder, home, file) = stored();
        let other = Sha256Hex::from_digest(&[7; 32]);
        remember(&home, &file, &other);
        assert_eq!(sha256_of_stored(&home, &file).unwrap(), other, "it is not read again");

        // The same length, and a modification time set back: only the change time tells.
        let modified = fs::metadata(&file).unwrap().modified().unwrap();
        let before = fs::metadata(&file).unwrap().ctime_nsec();
        while fs::metadata(&file).unwrap().ctime_nsec() == before {
            fs::write(&file, b"abd").unwrap();
            File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
        }
        assert_ne!(sha256_of_stored(&home, &file).unwrap(), other);

        remember(&home, &file, &other);
        fs::write(file.with_extension("new"), b"abc").unwrap();
        files::rename(&file.with_extension("new"), &file).unwrap();
        assert_eq!(sha256_of_stored(&home, &file).unwrap().as_str(), ABC, "another inode");
    }

    #[test]
    fn a_damaged_memory_is_no_memory() {
        let (_folder, home, file) = stored();
        for text in [b"files = 3".as_slice(), b"\xff\xfe", b"[files.'notes/libnotes.so']\ninode = -1"] {
            fs::write(memory_file(&home), text).unwrap();
            assert_eq!(sha256_of_stored(&home, &file).unwrap().as_str(), ABC);
        }
    }
}
