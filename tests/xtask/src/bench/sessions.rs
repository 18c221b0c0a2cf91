//! `cargo xtask bench sessions`: an archive of many messages, beside the Python peer's where that is there.

use std::path::Path;
use std::process::Stdio;

use super::Peer;
use crate::cargo::{self, Profile};
use crate::{Result, say};

/// With more messages the peer takes too long.
const MOST_OF_THE_PEER: usize = 200_000;

pub(crate) fn run(messages: usize, folder: Option<&Path>, peer: &Peer) -> Result<String> {
    say("building what measures, optimised");
    let built = cargo::build_all(&["hermes-bench"], Profile::Release)?;
    let program = built.get("hermes_bench").ok_or("cargo named no file for `hermes_bench`")?;
    say(&format!("measuring the archive with {messages} messages"));
    let mut command = cargo::command(program);
    command.arg("sessions").arg(messages.to_string()).args(folder).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("the measurement: {error}"))?;
    if !output.status.success() {
        return Err("nothing was measured".to_owned());
    }
    let mut table = String::from_utf8_lossy(&output.stdout).into_owned();
    if messages > MOST_OF_THE_PEER {
        say(&format!("the peer is skipped: more than {MOST_OF_THE_PEER} messages"));
        return Ok(table);
    }
    match peer.run("session_db.py", &[&messages.to_string(), "--reps", "20", "--slow-reps", "10"]) {
        Ok(measured) => {
            let told = serde_json::to_string_pretty(&measured).map_err(|error| error.to_string())?;
            table.push_str(&format!("\nThe peer, in milliseconds:\n\n```json\n{told}\n```\n"));
        }
        Err(why) => say(&format!("the peer is skipped: {why}")),
    }
    Ok(table)
}
