//! Whether the local memory finds the right fact: builds what measures it, optimised, and runs it.

use std::path::Path;

use crate::cargo::{self, Profile};
use crate::{Result, say};

pub(crate) fn run(data: &Path, bench: &Path, only: Option<&str>, misses: bool, embeddings: Option<&str>) -> Result<()> {
    say("building what measures, optimised");
    let built = cargo::build_all(&["hermes-quality"], Profile::Release)?;
    let program = built.get("hermes_quality").ok_or("cargo named no file for `hermes_quality`")?;
    let mut command = cargo::command(program);
    command.arg("--data").arg(data).arg("--bench").arg(bench);
    if let Some(only) = only {
        command.args(["--only", only]);
    }
    if misses {
        command.arg("--misses");
    }
    if let Some(address) = embeddings {
        command.args(["--embeddings", address]);
    }
    let status = command.status().map_err(|error| format!("the measurement: {error}"))?;
    if status.success() { Ok(()) } else { Err("not all was measured".to_owned()) }
}
