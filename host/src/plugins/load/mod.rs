//! Opening a verified plugin and calling its hooks within limits.
//!
//! ```text
//! supervisor   deadlines, late answers, reopening, quarantine   (knows no way of loading)
//! direct       one instance without any of that, for the checks of an author
//!   instance   the trait: start a call, cancel it, give it up
//!     in_process   the library in this process, calls on a small pool of threads
//!     worker       the library in a worker process, calls as frames over its pipes
//!       serve      the other end: what the worker process does
//!         sandbox      what it gives up before that
//!         dylib    the only unsafe code of the host: opening a library, calling its tables
//! ```

mod crew;
mod direct;
mod dylib;
mod in_process;
mod instance;
pub mod limits;
mod outgoing;
mod pool;
pub mod sandbox;
mod serve;
mod supervisor;
mod wire;
mod worker;

pub use direct::{Direct, Wait};
pub use dylib::LoadError;
pub use instance::Fault;
pub use limits::Limits;
pub use sandbox::Confine;
pub use serve::{WORKER_ARGUMENT, worker_main};
pub use supervisor::{Loaded, Loading, Report};

pub use crate::config::Isolation;

use std::path::PathBuf;
use std::sync::Arc;

use hermes_provider_api::Services;
use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::OpenRequest;

/// A plugin that passed all checks, and what it is opened with.
#[derive(Clone)]
pub struct Plugin {
    /// The library in the store.
    pub library: PathBuf,
    /// Its sha256 in hexadecimal; a worker checks it again.
    pub sha256: String,
    /// What its section says.
    pub metadata: Metadata,
    /// What it reaches the outside world through.
    pub services: Arc<dyn Services>,
    /// What it is opened with.
    pub open: OpenRequest,
    /// What its worker is confined to.
    pub confine: Confine,
}
