//! Copies of a plugin's file with other bytes.

use std::fs;
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSection as _};

/// A copy of a file in which `change` has been at the bytes.
///
/// # Panics
/// When the file cannot be read or the copy not written.
#[track_caller]
pub fn copy(from: &Path, folder: &Path, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
    let mut bytes = fs::read(from).expect("the fixture was built");
    change(&mut bytes);
    let to = folder.join(from.file_name().expect("a path of a file"));
    fs::write(&to, bytes).expect("a folder of the test's own");
    to
}

/// Puts a text in the place of another of the metadata section; spaces or the text itself make up for its length.
///
/// # Panics
/// When the section does not hold the text exactly once, or the new text is longer.
#[track_caller]
pub fn in_section(bytes: &mut [u8], old: &str, new: &str) {
    let section = section(bytes);
    let at = bytes[section.clone()].windows(old.len()).position(|window| window == old.as_bytes());
    let at = section.start + at.unwrap_or_else(|| panic!("the section does not hold {old}"));
    assert!(new.len() <= old.len(), "{new} is longer than {old}");
    let padded = format!("{new:<len$}", len = old.len());
    bytes[at..at + old.len()].copy_from_slice(padded.as_bytes());
}

/// Where the metadata section lies in the file.
///
/// # Panics
/// When it has none.
#[must_use]
pub fn section(bytes: &[u8]) -> std::ops::Range<usize> {
    let file = object::File::parse(bytes).expect("a library");
    let section = file.sections().find(|section| section.name().is_ok_and(|name| name.ends_with("memprov")));
    let (start, len) = section.and_then(|section| section.file_range()).expect("a metadata section");
    let start = usize::try_from(start).expect("it is in memory");
    start..start + usize::try_from(len).expect("it is in memory")
}
