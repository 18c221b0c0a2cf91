//! Getting the archive of a release, checked against what the catalog says of it.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use sha2::Digest as _;

use super::InstallError;
use crate::home::files::At as _;
use crate::plugins::catalog::{Listing, Location, Sha256Hex};
use crate::plugins::resolve::Selected;

/// Copies the archive to a file without a name in `folder`, so that what was checked is what is unpacked.
pub(super) fn copy(listing: &Listing, selected: &Selected<'_>, folder: &Path) -> Result<File, InstallError> {
    let artifact = selected.artifact;
    let path = match &artifact.location {
        Location::Path(path) => listing.root.path.join(path),
        Location::Url(url) => match local_path(url) {
            Some(path) => path,
            None => return Err(InstallError::Remote { id: listing.entry.name.clone(), url: url.clone() }),
        },
    };
    let wrong = |found, expected| InstallError::WrongArchive { path: path.clone(), found, expected };
    let metadata = fs::metadata(&path).at("read", &path)?;
    // A pipe would be waited for without end.
    if !metadata.is_file() {
        return Err(wrong("no content, for it is no file".to_owned(), format!("{} bytes", artifact.size)));
    }
    let mut source = File::open(&path).at("read", &path)?.take(artifact.size.saturating_add(1));
    let mut copy = tempfile::tempfile_in(folder).at("create a file in", folder)?;
    let mut hasher = sha2::Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut size = 0_u64;
    loop {
        let read = source.read(&mut buffer).at("read", &path)?;
        if read == 0 {
            break;
        }
        size += u64::try_from(read).unwrap_or(u64::MAX);
        hasher.update(&buffer[..read]);
        copy.write_all(&buffer[..read]).at("write to", folder)?;
    }
    if size != artifact.size {
        return Err(wrong(format!("{} bytes", metadata.len()), format!("{} bytes", artifact.size)));
    }
    let sha256 = Sha256Hex::from_digest(&hasher.finalize());
    if sha256 != artifact.sha256 {
        return Err(wrong(format!("the sha256 {sha256}"), artifact.sha256.to_string()));
    }
    copy.rewind().at("read", folder)?;
    Ok(copy)
}

/// `file:/path` and `file:///path`.
fn local_path(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("file:")?;
    let path = path.strip_prefix("//").unwrap_or(path);
    path.starts_with('/').then(|| PathBuf::from(path))
}
