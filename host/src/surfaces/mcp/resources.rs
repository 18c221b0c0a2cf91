//! What a client can read: the memory as a model is shown it, and how it is doing.

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::connection::Connection;
use super::sessions;
use crate::layers::curated::{Curated, Target};

const STATUS: &str = "hermes://status";
const SYSTEM_PROMPT: &str = "hermes://system-prompt";
const SNAPSHOT: &str = "hermes://snapshot";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain";
/// In front of the name of a memory file.
const FILES: &str = "hermes://files/";

/// What there is now. What would be empty is left out.
pub(super) fn list(connection: &Connection) -> Vec<Resource> {
    let mut resources = vec![status()];
    if !connection.system_prompt().is_empty() {
        let resource = Resource::new(SYSTEM_PROMPT, "system-prompt")
            .with_title("System prompt")
            .with_description(
                "What the memory wants to stand in the system prompt: the snapshot, and what the provider adds",
            )
            .with_mime_type(TEXT);
        resources.push(resource);
    }
    if !connection.session.snapshot().is_empty() {
        let resource = Resource::new(SNAPSHOT, "snapshot")
            .with_title("Memory files at the start")
            .with_description("The memory files as they were when this conversation began; the same bytes all the time")
            .with_mime_type(TEXT);
        resources.push(resource);
    }
    for target in files(connection) {
        let (name, about) = (target.file_name(), about(target));
        let resource = Resource::new(format!("{FILES}{name}"), name)
            .with_description(format!("{about}, as it is now"))
            .with_mime_type(TEXT);
        resources.push(resource);
    }
    if sessions::archive(connection).is_some() {
        let resource = Resource::new(sessions::SESSIONS, "sessions")
            .with_title("Sessions")
            .with_description("The archived conversations, the newest first, each with its address")
            .with_mime_type(JSON);
        resources.push(resource);
    }
    resources
}

/// The one that is always there.
pub(super) fn status() -> Resource {
    Resource::new(STATUS, "status")
        .with_title("Memory status")
        .with_description("How the memory and its provider are doing, as `memory_status` says it")
        .with_mime_type(JSON)
}

/// What there is more of than can be listed.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(sessions::TEMPLATE, "session")
            .with_title("A session")
            .with_description("What was said in an archived conversation, from its beginning or after a message")
            .with_mime_type(JSON),
    ]
}

/// What stands at an address; None when there is nothing.
pub(super) fn read(connection: &Connection, uri: &str) -> Option<ReadResourceResult> {
    let text = match uri {
        STATUS => connection.status_json(),
        SYSTEM_PROMPT => connection.system_prompt(),
        SNAPSHOT => connection.mask().apply(connection.session.snapshot()).into_owned(),
        _ if uri.starts_with(sessions::SESSIONS) => sessions::read(connection, uri)?,
        _ => {
            let name = uri.strip_prefix(FILES)?;
            let target = files(connection).find(|target| target.file_name() == name)?;
            file(connection, target)
        }
    };
    // A file that holds nothing is listed, and is there.
    if text.is_empty() && !uri.starts_with(FILES) {
        return None;
    }
    let kind = if uri == STATUS || uri.starts_with(sessions::SESSIONS) { JSON } else { TEXT };
    Some(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(kind)]))
}

/// There is nothing at this address.
pub(super) fn unknown(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("there is no such resource", Some(json!({"uri": uri})))
}

fn curated(connection: &Connection) -> Option<&Curated> {
    connection.running.open.memory.curated()
}

/// The files that are in use before the client's audience: one that is turned off is not shown.
fn files(connection: &Connection) -> impl Iterator<Item = Target> {
    let (settings, audience) = (curated(connection).map(Curated::settings), connection.session.scope());
    settings.into_iter().flat_map(move |settings| settings.targets(&audience).collect::<Vec<_>>())
}

fn file(connection: &Connection, target: Target) -> String {
    let text = match curated(connection).map(|curated| curated.current(target)) {
        Some(Ok(text)) => text,
        Some(Err(refusal)) => format!("[NOT LOADED: {refusal}]"),
        None => String::new(),
    };
    connection.mask().apply(&text).into_owned()
}

fn about(target: Target) -> &'static str {
    match target {
        Target::Memory => "What the agent noted for itself",
        Target::User => "What is known of the user",
    }
}
