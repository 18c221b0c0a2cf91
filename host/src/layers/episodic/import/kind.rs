//! What a file is, by its first bytes, and which reader it is given to.

use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{File, ImportError, Sink, Step, Unit, archive, json, python};
use crate::home::Home;
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

/// What SQLite keeps beside a database, which tells nothing alone.
const BESIDE: [&[u8]; 3] = [b"-wal", b"-shm", b"-journal"];

/// Reads all conversations of a file, or of the files below a folder, for the archive of this home. Copies of databases
/// are made in its [`work_folder`].
///
/// # Errors
/// When there is nothing to read, or the sink cannot take what is read.
pub fn read(path: &Path, home: &Home, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let is_known = if path.is_dir() { folder(path, home, sink)? } else { file(path, home, sink)? };
    if is_known { Ok(()) } else { Err(ImportError::Unknown(path.to_owned())) }
}

/// Where copies of databases are made.
#[must_use]
pub fn work_folder(home: &Home) -> PathBuf {
    home.root().join("import")
}

/// Where the Python agent keeps its database, the files beside it tell the same conversations again.
fn folder(path: &Path, home: &Home, sink: &mut dyn Sink) -> Result<bool, ImportError> {
    let mut files = Vec::new();
    collect(path, &mut files)?;
    files.retain(|file| !is_own(file, home));
    let mut others = Vec::new();
    let mut is_known = false;
    for path in files {
        match kind(&path)? {
            Kind::Database => match python::read(&path, &work_folder(home), sink) {
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
        match file(&path, home, sink) {
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
        } else if path.is_file() && !hidden && !is_beside(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether it is the database that the sessions go into, or belongs to it. That one must not even be opened: to close it
/// again would drop the locks that SQLite holds on it in this process.
fn is_own(path: &Path, home: &Home) -> bool {
    let id = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    let own = home.database();
    let parts = BESIDE.iter().map(|end| {
        let mut name = own.as_os_str().as_encoded_bytes().to_vec();
        name.extend_from_slice(end);
        PathBuf::from(std::ffi::OsString::from_vec(name))
    });
    let file = id(path);
    file.is_some() && parts.chain([own.clone()]).any(|part| id(&part) == file)
}

fn is_beside(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    BESIDE.iter().any(|end| name.ends_with(end))
}

/// False: it is none that is known.
fn file(path: &Path, home: &Home, sink: &mut dyn Sink) -> Result<bool, ImportError> {
    if is_own(path, home) {
        return Err(ImportError::Ours(path.to_owned()));
    }
    match kind(path)? {
        Kind::Database => python::read(path, &work_folder(home), sink),
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
