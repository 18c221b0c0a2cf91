//! `cargo xtask bench proxy`: `hermes proxy` under load, beside the model's server alone.

use std::process::Stdio;

use crate::cargo::{self, Profile};
use crate::{Result, dist, say};

/// Answers a table.
pub(crate) fn run(streams: usize, words: usize, seconds: u64, profile: Profile) -> Result<String> {
    say("building hermes, its providers and what measures it");
    // Each by itself: the program is the one that users have.
    let hermes = cargo::build("hermes-host", "bin", profile)?.remove(0);
    let built = cargo::build_all(&["hermes-bench"], profile)?;
    let program = built.get("hermes_bench").ok_or("cargo named no file for `hermes_bench`")?;
    let catalog = cargo::target_dir().join("catalog");
    dist::run(&catalog, profile)?;
    say(&format!("measuring for {seconds} seconds"));
    let mut command = cargo::command(program);
    command.arg("proxy").arg(hermes).arg(catalog);
    command.args([streams.to_string(), words.to_string(), seconds.to_string()]).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("the measurement: {error}"))?;
    if !output.status.success() {
        return Err("nothing was measured".to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
