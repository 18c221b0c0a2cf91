//! What a worker gives up before it loads a provider's library, so that the kernel holds the provider to what its catalog
//! entry says.
//!
//! ```text
//! inherited   descriptors that the host did not mean to hand on
//! rights      new privileges, capabilities, core files, limits of memory, files and file size
//! files       Landlock: which paths, and signals and sockets beyond this process
//! calls       seccomp: which system calls; once the library is loaded, no new code either
//! kernel      which of these this machine has
//! told        the same for people: what is enforced here and what is only declared
//! ```
//!
//! A piece that the kernel lacks is left out, and `told` says so. A piece that it has and that cannot be put in place is
//! an error: the library is then not loaded.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
mod inherited;
mod kernel;
mod rights;
mod told;

pub(super) use inherited::close_inherited;
pub use kernel::{Kernel, Piece, Pretended};
pub use rights::{LARGEST_FILE, MOST_ADDRESSES, MOST_DATA, MOST_FILES};
pub use told::{Confinement, Held, Part};

use std::path::Path;

use hermes_provider_api::Capabilities;
use serde::{Deserialize, Serialize};

/// What a worker is confined to, besides its folders.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
#[serde(default)]
pub struct Confine {
    /// It was granted `network = "direct"`.
    pub direct_network: bool,
    /// Pieces that are treated as if the kernel lacked them.
    pub pretended: Pretended,
}

impl Confine {
    /// To what was granted.
    #[must_use]
    pub fn to(granted: &Capabilities, pretended: Pretended) -> Self {
        Self { direct_network: granted.network == "direct", pretended }
    }
}

/// The folders of a provider.
pub(super) struct Folders<'a> {
    /// Its own, the only one that it may change.
    pub(super) data: &'a Path,
    /// That of its library, which it may read.
    pub(super) package: &'a Path,
}

/// Why a worker could not be confined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfineError {
    /// A thread that exists already would keep its rights.
    #[error("{0} threads run already")]
    Threads(usize),
    /// A step failed that this kernel should know.
    #[error("{step}: {reason}")]
    Step {
        /// Which.
        step: &'static str,
        /// What the system said.
        reason: String,
    },
}

impl ConfineError {
    fn step(step: &'static str, error: impl std::fmt::Display) -> Self {
        Self::Step { step, reason: error.to_string() }
    }
}

/// Confines this process for good, before the library is loaded. No other thread may exist.
pub(super) fn enter(confine: &Confine, folders: &Folders<'_>) -> Result<(), ConfineError> {
    if let Some(threads) = threads().filter(|&threads| threads != 1) {
        return Err(ConfineError::Threads(threads));
    }
    // A relative path of the provider leads into its own folder, not to where the user was.
    rustix::process::chdir(folders.data).map_err(|error| ConfineError::step("its data folder", error))?;
    let kernel = Kernel::with(&confine.pretended);
    rights::give_up(&kernel)?;
    #[cfg(target_os = "linux")]
    {
        files::restrict(confine, folders, &kernel)?;
        calls::restrict(confine, &kernel)?;
    }
    Ok(())
}

/// Once the library is loaded: what was checked is all the code that there is, and no filter is added any more.
pub(super) fn seal(confine: &Confine) -> Result<(), ConfineError> {
    #[cfg(target_os = "linux")]
    calls::seal(confine, &Kernel::with(&confine.pretended))?;
    #[cfg(not(target_os = "linux"))]
    let _ = confine;
    Ok(())
}

/// How many threads this process has; None where that cannot be seen.
fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}
