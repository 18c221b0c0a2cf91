//! Files of the data folder that last as long as a call.

use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::{Host, ProviderError};

/// How their names begin.
const PASSING: &str = "passing-";
/// No call takes as long as this.
const AN_HOUR: Duration = Duration::from_secs(3600);

/// A file of the data folder that is deleted when this is dropped: for a copy of the user's file on its way to a service, and
/// for what comes back. No two have the same name, in whichever process.
///
/// ```
/// use hermes_provider_api::rest::{Client, FilePart, Passing};
/// use hermes_provider_api::{Call, ProviderError};
///
/// fn upload(client: &Client, name: &str, call: &Call<'_>) -> Result<(), ProviderError> {
///     let copy = Passing::new(client.host())?;
///     client.host().copy_file("files", name, copy.name())?;
///     let file = FilePart { field: "file", name, kind: "application/octet-stream", path: copy.path() };
///     client.post("/v1/files", &[], call).form(&[("folder", "inbox")], file)?.within(30).send()?;
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Passing {
    name: String,
    path: PathBuf,
}

impl Passing {
    /// A name for a file. Nothing is made.
    ///
    /// # Errors
    /// When the host has no data folder.
    pub fn new(host: &Host) -> Result<Self, ProviderError> {
        let name = format!("{PASSING}{}", unique());
        Ok(Self { path: host.data_dir()?.join(&name), name })
    }

    /// Its path in the data folder, as [`Host::copy_file`] takes it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its whole path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error of reading or writing it.
    pub(super) fn broken(&self, error: &io::Error) -> ProviderError {
        ProviderError::storage(format!("`{}`: {error}", self.path.display()))
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // One that was never written is not there.
        let _ = fs::remove_file(&self.path);
    }
}

/// 32 digits that nobody can guess: each state is seeded by the system.
pub(super) fn unique() -> String {
    let half = || RandomState::new().hash_one(PASSING);
    format!("{:016x}{:016x}", half(), half())
}

/// Deletes those that a kill has left behind.
pub(super) fn sweep(folder: &Path, now: SystemTime) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = || now.duration_since(file.metadata()?.modified()?).map_err(io::Error::other);
        if file.file_name().to_string_lossy().starts_with(PASSING) && age().is_ok_and(|age| age > AN_HOUR) {
            let _ = fs::remove_file(file.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kill_left_behind_is_deleted_later() {
        let folder = tempfile::tempdir().unwrap();
        let (copy, other) = (folder.path().join("passing-1"), folder.path().join("delivered"));
        fs::write(&copy, "private").unwrap();
        fs::write(&other, "key").unwrap();
        sweep(folder.path(), SystemTime::now());
        assert!(copy.exists(), "another process may be using it");
        sweep(folder.path(), SystemTime::now() + 2 * AN_HOUR);
        assert!(!copy.exists() && other.exists());
    }
}
