//! `cargo xtask bench proxy`: `hermes proxy` under load, beside the model's server alone.

use std::ffi::OsString;

use crate::cargo::{self, Profile};
use crate::{Result, dist, say};

/// Answers a table.
pub(crate) fn run(streams: usize, words: usize, seconds: u64, profile: Profile) -> Result<String> {
    say("building hermes, its providers and what measures it");
    // Each by itself: the program is the one that users have.
    let hermes = cargo::build("hermes-host", "bin", profile)?.remove(0);
    let catalog = cargo::target_dir().join("catalog");
    dist::run(&catalog, profile)?;
    say(&format!("measuring for {seconds} seconds"));
    let numbers = [streams.to_string(), words.to_string(), seconds.to_string()];
    let arguments = ["proxy".into(), hermes.into_os_string(), catalog.into_os_string()];
    super::told(arguments.into_iter().chain(numbers.map(OsString::from)), profile)
}
