//! What the cross-crate tests share: real plugins that are built once, and ways to open them and to wait.
//!
//! The tests are in `tests/tests`, few binaries with modules inside: each binary links the whole host again.

pub mod cargo;
pub mod crash;
pub mod fixtures;
pub mod hostile;
pub mod http;
pub mod log;
pub mod model;
pub mod patch;
pub mod provider;
pub mod threats;
pub mod wait;

pub use cargo::workspace;
pub use fixtures::{Fixtures, fixtures, other_workspace, target_folder, test_other_workspace};
pub use provider::{BOTH, Provider, Setup};
