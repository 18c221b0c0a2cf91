//! What must hold for any bytes that come from elsewhere. The fuzzer of `tests/fuzz` looks for bytes that break it, and
//! the test `hostile` gives the same functions the bytes of its corpus.
//!
//! Each function answers whether the bytes were taken for what they claim to be, and panics when a promise is broken.

mod archive;
mod catalog;
mod library;
mod secrets;
mod threats;

pub use archive::{archive, entries};
pub use catalog::{catalog, lockfile};
pub use library::{library, section};
pub use secrets::secrets;
pub use threats::threats;

/// A function that takes any bytes.
pub type Check = fn(&[u8]) -> bool;

/// All functions, by the names of their folders in the corpus.
pub const TARGETS: [(&str, Check); 8] = [
    ("section", section),
    ("library", library),
    ("archive", archive),
    ("entries", entries),
    ("catalog", catalog),
    ("lockfile", lockfile),
    ("threats", threats),
    ("secrets", secrets),
];
