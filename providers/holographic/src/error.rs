//! What can go wrong with the store, and how the host is told.

use std::path::PathBuf;

use hermes_provider_api::{ErrorKind, ProviderError};
use rusqlite::ErrorCode;
use rusqlite::types::FromSqlError;

/// A failure of the store or of a request to it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// SQLite refused.
    #[error("the fact store cannot be used: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A check found the file damaged.
    #[error("the fact store is damaged: {0}")]
    Damaged(String),
    /// The word index does not say what the facts say.
    #[error("the word index of the fact store is damaged: {0}")]
    DamagedIndex(String),
    /// The file system refused.
    #[error("`{path}`: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file was written by a newer release.
    #[error("`{path}` has the format {found}, this release knows formats up to {known}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest known.
        known: i64,
    },
    /// Anything that is already in the host's words: a wrong argument, a missing fact, a cancelled call.
    #[error("{0}")]
    Told(#[from] ProviderError),
}

/// What the modules of this crate answer.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A file operation that failed.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }

    /// Whether the file's content is damaged, so that another try cannot help.
    pub(crate) fn is_damage(&self) -> bool {
        let code = matches!(self.code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase));
        code || matches!(self, Self::Damaged(_) | Self::DamagedIndex(_))
    }

    /// Whether only a word index is damaged: it can be built again from the facts.
    pub(crate) fn is_index_damage(&self) -> bool {
        match self {
            Self::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) => {
                failure.extended_code == rusqlite::ffi::SQLITE_CORRUPT_VTAB
            }
            Self::Damaged(verdict) => verdict.contains("versions_fts"),
            Self::DamagedIndex(_) => true,
            _ => false,
        }
    }

    /// Whether another connection is in the way.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code(),
            _ => None,
        }
    }
}

impl From<FromSqlError> for Error {
    fn from(error: FromSqlError) -> Self {
        Self::Sqlite(error.into())
    }
}

impl From<Error> for ProviderError {
    fn from(error: Error) -> Self {
        let code = error.code();
        let message = error.to_string();
        let full = "free some space on the disk that holds the data folder, then try again";
        match (error, code) {
            (Error::Told(told), _) => told,
            (Error::Newer { .. }, _) => Self::storage(message).hint("run `hermes plugins install holographic`"),
            (_, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) => {
                Self::new(ErrorKind::Unavailable, "another process is writing to the fact store").retry_after(1)
            }
            (_, Some(ErrorCode::DiskFull)) => Self::new(ErrorKind::Quota, message).hint(full),
            (Error::File { source, .. }, _) if source.kind() == std::io::ErrorKind::StorageFull => {
                Self::new(ErrorKind::Quota, message).hint(full)
            }
            (_, Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)) => {
                Self::storage(message)
                    .hint("make the provider's data folder and the files in it writable for you, then try again")
            }
            _ => Self::storage(message).hint("run `hermes memory status --check` to see the state of the store"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[track_caller]
    fn check(code: std::ffi::c_int, kind: ErrorKind, retryable: bool) {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        let told = ProviderError::from(Error::from(error));
        assert_eq!((told.kind, told.retryable), (kind, retryable), "{told:?}");
        assert!(told.hint.is_some() || told.retry_after.is_some(), "{told:?}");
    }

    #[test]
    fn each_trouble_has_its_kind_and_what_to_do() {
        check(ffi::SQLITE_FULL, ErrorKind::Quota, false);
        check(ffi::SQLITE_READONLY, ErrorKind::Storage, false);
        check(ffi::SQLITE_CANTOPEN, ErrorKind::Storage, false);
        check(ffi::SQLITE_IOERR, ErrorKind::Storage, false);
        check(ffi::SQLITE_BUSY, ErrorKind::Unavailable, true);
    }
}
