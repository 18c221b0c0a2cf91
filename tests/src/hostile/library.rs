//! What a library says about itself.

use std::fs;

use hermes_host::plugins::inspect::inspect;
use hermes_provider_api::metadata::Metadata;

/// The bytes of a metadata section.
///
/// # Panics
/// When what is read cannot be written and read again.
#[must_use]
pub fn section(bytes: &[u8]) -> bool {
    Metadata::from_section(bytes).is_ok_and(|metadata| comes_back(&metadata))
}

/// The bytes of a whole file.
///
/// # Panics
/// When what is read cannot be written and read again.
#[must_use]
pub fn library(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("libnotes.so");
    fs::write(&path, bytes).expect("a folder of the test's own");
    inspect(&path).is_ok_and(|metadata| comes_back(&metadata))
}

fn comes_back(metadata: &Metadata) -> bool {
    let json = serde_json::to_vec(metadata).expect("a record can be written");
    assert_eq!(serde_json::from_slice::<Metadata>(&json).expect("what was written can be read"), *metadata);
    true
}
