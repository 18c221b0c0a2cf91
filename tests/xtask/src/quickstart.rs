//! The first thing to try: everything built, one provider installed, one conversation with it.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cargo::{self, Profile};
use crate::{Result, dist, say};

const CONVERSATION: &str = "tests/data/quickstart.jsonl";

pub(crate) fn run() -> Result<()> {
    say("building hermes and its providers");
    let hermes = cargo::build("hermes-host", "bin", Profile::Dev)?.remove(0);
    let catalog = cargo::target_dir().join("catalog");
    dist::run(&catalog, Profile::Dev)?;
    let home = tempfile::Builder::new().prefix("hermes-quickstart-").tempdir().map_err(|error| error.to_string())?;
    let start = |arguments: &[&str]| {
        let mut command = cargo::command(&hermes);
        command.args(arguments).env("HERMES_HOME", home.path()).env_remove("HERMES_CATALOG").stdin(Stdio::null());
        command
    };

    show(&mut start(&["plugins", "install", "holographic", "--yes"]), "hermes plugins install holographic --yes")?;
    show(&mut start(&["memory", "setup", "holographic", "--yes"]), "hermes memory setup holographic --yes")?;
    let replay = ["replay", CONVERSATION, "--show-prompt"];
    show(&mut start(&replay), &format!("hermes {}", replay.join(" ")))?;
    show(&mut start(&["memory", "status"]), "hermes memory status")?;

    let recalled = recalls(&mut start(&["replay", CONVERSATION, "--json"]))?;
    for session in ["tuesday", "friday"] {
        if !recalled.iter().any(|(known, items)| known == session && *items > 0) {
            return Err(format!("the session `{session}` recalled nothing"));
        }
    }
    say("");
    say("It works: what was stored on Monday was recalled on Tuesday, in Russian, and on Friday, in English.");
    say("The home above was a throw-away one. To keep hermes:");
    say("");
    say("    cargo xtask install --prefix ~/.local");
    Ok(())
}

fn show(command: &mut Command, line: &str) -> Result<()> {
    say("");
    say(&format!("$ {line}"));
    let status = command.status().map_err(|error| format!("`{line}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed")) }
}

/// The sessions of a replay, each with the number of memories that one of its turns recalled.
fn recalls(command: &mut Command) -> Result<Vec<(String, u64)>> {
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|turn| {
            let session = turn["session_id"].as_str()?.to_owned();
            Some((session, turn["recall"]["memories"].as_array()?.len() as u64))
        })
        .collect())
}
