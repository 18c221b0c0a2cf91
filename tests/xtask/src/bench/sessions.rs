//! `cargo xtask bench sessions`: an archive of many messages, beside the Python peer's where that is there.

use std::path::Path;

use super::Peer;
use crate::cargo::Profile;
use crate::{Result, say};

/// With more messages the peer takes too long.
const MOST_OF_THE_PEER: usize = 200_000;

pub(crate) fn run(messages: usize, folder: Option<&Path>, peer: &Peer) -> Result<String> {
    say(&format!("measuring the archive with {messages} messages"));
    let arguments = ["sessions".into(), messages.to_string().into()];
    let folder = folder.map(|folder| folder.as_os_str().to_owned());
    let mut table = super::told(arguments.into_iter().chain(folder), Profile::Release)?;
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
