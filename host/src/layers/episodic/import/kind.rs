//! What a file is, by its first bytes, and which reader it is given to.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::{File, ImportError, Sink, Step, Unit, archive, json, python};
use crate::home::files::At as _;
use crate::home::snapshot::SnapshotError;

const SQLITE: &[u8] = b"SQLite format 3\0";
const ZIP: &[u8] = b"PK\x03\x04";

/// What the first bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Database,
    Archive,
    Json,
    Other,
}

/// Reads all conversations of a file, or of the files below a folder. Copies of databases are made in the folder `work`.
///
/// # Errors
/// When there is nothing to read, or the sink cannot take what is read.
pub fn read(path: &Path, work: &Path, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let is_known = if path.is_dir() { folder(path, work, sink)? } else { file(path, work, sink)? };
    if is_known { Ok(()) } else { Err(ImportError::Unknown(path.to_owned())) }
}

/// Where the Python agent keeps its database, the files beside it tell the same conversations again.
fn folder(path: &Path, work: &Path, sink: &mut dyn Sink) -> Result<bool, ImportError> {
    let mut files = Vec::new();
    collect(path, &mut files)?;
    let mut others = Vec::new();
    let mut is_known = false;
    for path in files {
        match kind(&path)? {
            Kind::Database => match python::read(&path, work, sink) {
                Err(ImportError::Ours(_) | ImportError::Snapshot(SnapshotError::Other(_))) => {}
                read => is_known |= read?,
            },
            Kind::Other => {}
            Kind::Archive | Kind::Json => others.push(path),
        }
    }
    if is_known {
        return Ok(true);
    }
    for path in others {
        match file(&path, work, sink) {
            Err(ImportError::Archive { path, reason }) => sink.left_out(format!("`{}`", path.display()), reason),
            read => is_known |= read?,
        }
    }
    Ok(is_known)
}

/// All files below, by name; no link to a folder is followed, and nothing that is hidden.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).at("read", folder)? {
        entries.push(entry.at("read", folder)?);
    }
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, hidden) = (entry.path(), entry.file_name().as_encoded_bytes().starts_with(b"."));
        let kind = entry.file_type().at("read", &path)?;
        if kind.is_dir() && !hidden {
            collect(&path, files)?;
        } else if path.is_file() && !hidden {
            files.push(path);
        }
    }
    Ok(())
}

/// False: it is none that is known.
fn file(path: &Path, work: &Path, sink: &mut dyn Sink) -> Result<bool, ImportError> {
    match kind(path)? {
        Kind::Database => python::read(path, work, sink),
        Kind::Archive => archive::read(path, sink),
        Kind::Json => {
            let input = fs::File::open(path).at("read", path)?;
            let total = input.metadata().at("read", path)?.len();
            let file = File::at(path);
            sink.step(Step::Begins { what: file.shown.clone(), unit: Unit::Bytes, total });
            json::read(input, &file, sink)
        }
        Kind::Other => Ok(false),
    }
}

fn kind(path: &Path) -> Result<Kind, ImportError> {
    let mut start = Vec::new();
    // A pipe would give its beginning away; a folder says so itself.
    let file = fs::File::open(path).at("read", path)?;
    if !file.metadata().at("read", path)?.is_file() {
        return Ok(Kind::Other);
    }
    file.take(4096).read_to_end(&mut start).at("read", path)?;
    Ok(match start {
        _ if start.starts_with(SQLITE) => Kind::Database,
        _ if start.starts_with(ZIP) => Kind::Archive,
        _ if is_json(&start) => Kind::Json,
        _ => Kind::Other,
    })
}

/// Whether JSON may begin so.
pub(super) fn is_json(start: &[u8]) -> bool {
    let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    matches!(start.first(), Some(b'[' | b'{'))
}
