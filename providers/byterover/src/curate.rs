//! Texts for `brv curate`, each handed over once.
//!
//! A text is put into a file of the folder, since what stands in an argument is seen by every user of the machine. The
//! file is named after the delivery and stays until it is known what became of it: after a timeout or a crash, `brv` is
//! asked whether it has done the work since, instead of being given it twice.

use std::fs;
use std::time::Duration;

use hermes_provider_api::folders::{AudienceFolder, write_whole};
use hermes_provider_api::records::{Message, Role};
use hermes_provider_api::{Call, ErrorKind, ProviderError, Result};
use hermes_text::truncate_chars;
use serde_json::Value;

use crate::brv::{Brv, seconds_for};
use crate::documents::{digest, is_older, stamp};

/// Where the texts lie, below a tree's folder.
const INCOMING: &str = "incoming";
/// What is older was forgotten.
const FORGOTTEN: Duration = Duration::from_secs(24 * 3600);
/// A task that is still not done then died with the daemon.
const GIVEN_UP: Duration = Duration::from_secs(15 * 60);
/// `brv` takes no shorter time for a task, and needs as much to start on a busy machine.
pub(crate) const LEAST: Duration = Duration::from_secs(15);
/// What is handed over of one message.
const MAX_MESSAGE: usize = 4000;

/// What `brv` is told about a text.
pub(crate) const CONVERSATION: &str = "Keep what this conversation says that is worth knowing later: about the user, the people, \
     projects and decisions in it. Leave out greetings, progress messages, and what was only looked up.";
pub(crate) const WISH: &str = "Keep what this text says. The user wants it to be remembered.";

/// A text for `brv`.
pub(crate) struct Text<'a> {
    /// The same for each delivery of it.
    pub key: &'a str,
    /// What `brv` is to do with it.
    pub wish: &'a str,
    pub text: &'a str,
    /// Whether it is enough that the daemon has taken it.
    pub queued: bool,
}

/// Hands a text to `brv`. Answers whether the tree has changed.
///
/// # Errors
/// Whatever `brv` says; the same delivery may be tried again.
pub(crate) fn curate(brv: &Brv, tree: &AudienceFolder, text: &Text<'_>, call: &Call<'_>) -> Result<bool> {
    let _lock = tree.lock(LEAST, call)?;
    if text.text.is_empty() || tree.is_delivered(text.key) {
        return Ok(false);
    }
    let name = format!("{INCOMING}/{}.md", digest(text.key));
    let file = tree.path().join(&name);
    let mut changed = true;
    if !file.exists() || is_older(&file, GIVEN_UP) || !is_done(brv, tree, &name, call)? {
        let kept = fs::read_dir(tree.path().join(INCOMING)).into_iter().flatten().flatten().map(|entry| entry.path());
        kept.filter(|old| is_older(old, FORGOTTEN)).for_each(|old| drop(fs::remove_file(old)));
        write_whole(&file, text.text.as_bytes())?;
        let before = stamp(tree);
        let seconds = seconds_for(call)?;
        let mut args = vec!["curate", "--format", "json", "--timeout", &seconds, "-f", &name];
        args.extend(text.queued.then_some("--detach").into_iter().chain(["--", text.wish]));
        brv.run(tree.name(), &args, call)?;
        if text.queued {
            return Ok(false);
        }
        // What `brv` says of its changes leaves some out.
        changed = stamp(tree) != before;
        tracing::debug!(changed, "brv has curated a text");
    }
    tree.note_delivered(text.key)?;
    let _ = fs::remove_file(&file);
    Ok(changed)
}

/// Whether a text that was handed over before has been curated since.
fn is_done(brv: &Brv, tree: &AudienceFolder, name: &str, call: &Call<'_>) -> Result<bool> {
    let tasks = brv.run(tree.name(), &["curate", "view", "--format", "json"], call)?;
    let is_it =
        |task: &&Value| task["input"]["files"].as_array().is_some_and(|files| files.iter().any(|it| it == name));
    // The newest first.
    match tasks.as_array().and_then(|tasks| tasks.iter().find(is_it)).and_then(|task| task["status"].as_str()) {
        Some("completed") => Ok(true),
        Some("processing") => Err(ProviderError::new(ErrorKind::Unavailable, "`brv` has not finished this text yet")
            .hint("see `brv curate view`")),
        _ => Ok(false),
    }
}

/// A conversation as text: what the user and the model said, without tools and without what only one line could say.
pub(crate) fn conversation(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        let who = match message.role {
            Role::User => "User",
            Role::Assistant => "Assistant",
            _ => continue,
        };
        if !message.content.trim().is_empty() {
            text.push_str(&format!("{who}: {}\n\n", truncate_chars(message.content.trim(), MAX_MESSAGE)));
        }
    }
    text
}
