//! Why an archive could not be had, and what to type then. No address in here holds credentials.

use std::path::PathBuf;

use crate::error::Hint;
use crate::home::files::FileError;
use crate::net::NetworkError;
use crate::plugins::catalog::Sha256Hex;

/// Why the archive of a release could not be had. Nothing of it was used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// It would have to be downloaded, and that may not be.
    #[error(
        "offline, and the archive of `{id}` {version} is not on this machine: it is at `{url}`, with the sha256 {sha256}"
    )]
    Offline {
        /// The plugin.
        id: String,
        /// The version.
        version: String,
        /// Where it is.
        url: String,
        /// What it is.
        sha256: Sha256Hex,
        /// Where it would be found.
        place: PathBuf,
    },
    /// The server answered with something else.
    #[error("cannot download `{url}`: {host} answered {status}{asks}")]
    Status {
        /// Where it should be.
        url: String,
        /// Who answered.
        host: String,
        /// With what.
        status: u16,
        /// What it asks for, if it is too much.
        asks: String,
    },
    /// The server cannot be reached, or does not keep to the rules.
    #[error("cannot download `{url}`: {reason}")]
    Unreachable {
        /// Where it should be.
        url: String,
        /// Why not.
        reason: String,
        /// What may help.
        hint: &'static str,
    },
    /// No plugin is so large.
    #[error("the archive of `{id}` {version} has {size} bytes by its catalog, and may have {most} at the most")]
    TooLarge {
        /// The plugin.
        id: String,
        /// The version.
        version: String,
        /// What the catalog says.
        size: u64,
        /// What is allowed.
        most: u64,
    },
    /// The archive is not the one that the catalog means.
    #[error("the archive `{from}` has {found}, the catalog says {expected}")]
    WrongArchive {
        /// A path or an address.
        from: String,
        /// What it has, with its unit.
        found: String,
        /// What it should have.
        expected: String,
    },
    /// A variable of the environment cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Hint for FetchError {
    fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::Offline { place, .. } => {
                let place = place.display();
                format!(
                    "put the archive at `{place}`, or name a folder that `hermes plugins mirror` filled with `--catalog`"
                )
            }
            Self::Status { status: 401 | 403, .. } => {
                "the server wants credentials that the catalog does not name".to_owned()
            }
            Self::Status { status: 407, .. } => "the proxy wants a name and a password in its address".to_owned(),
            Self::Status { status: 404 | 410, .. } => {
                "the catalog is older than the server, or wrong; fetch the catalog anew".to_owned()
            }
            Self::Status { .. } => "try again later; what was downloaded is kept".to_owned(),
            Self::Unreachable { hint, .. } => (*hint).to_owned(),
            Self::TooLarge { id, .. } => {
                format!("the catalog is wrong there; `hermes plugins info {id}` shows the other releases")
            }
            Self::WrongArchive { .. } => {
                "it is damaged or was replaced; nothing of it was used. Fetch the catalog anew".to_owned()
            }
            Self::Network(error) => return error.hints(),
            Self::File(error) => return error.hints(),
        };
        vec![hint]
    }
}
