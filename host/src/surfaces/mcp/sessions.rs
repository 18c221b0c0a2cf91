//! The archive of sessions, as a client can read it: only what is for its audience.

use hermes_provider_api::Scope;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};

use super::connection::Connection;
use crate::error::Failure;
use crate::guard::threats;
use crate::layers::episodic::{Archive, ArchiveError, Filter};

/// The list, and in front of the id of each.
pub(super) const SESSIONS: &str = "hermes://sessions";
/// Each of them, and from where on.
pub(super) const TEMPLATE: &str = "hermes://sessions/{id}{?after}";

/// How many sessions are listed.
const LISTED: usize = 100;
/// How many messages are in one answer.
const MESSAGES: usize = 200;
/// What stands as it is in an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The archive, where there is one.
pub(super) fn archive(connection: &Connection) -> Option<Archive> {
    let surroundings = &connection.running.surroundings;
    surroundings.db.clone().filter(|_| surroundings.config.sessions_enabled()).map(Archive::new)
}

/// What stands at an address of the archive; None when there is nothing.
pub(super) fn read(connection: &Connection, uri: &str) -> Option<String> {
    let archive = archive(connection)?;
    let read = match uri.strip_prefix(SESSIONS)? {
        "" => list(connection, &archive).map(Some),
        below => one(connection, &archive, below.strip_prefix('/')?),
    };
    let mut value = read.unwrap_or_else(|error| Some(json!({"problem": Failure::from(error).message})))?;
    connection.mask().apply_json(&mut value);
    if threats::block_json(&mut value, threats::Scope::Context) {
        tracing::warn!(uri, "texts that attack their reader are kept from the model");
    }
    Some(format!("{value:#}"))
}

fn list(connection: &Connection, archive: &Archive) -> Result<Value, ArchiveError> {
    let audience = connection.session.scope();
    let sessions = archive.list(&Filter::default())?;
    let shown = sessions.iter().filter(|session| session.head.scope.visible_to(&audience)).take(LISTED);
    let shown = shown.map(|session| {
        let mut value = json!(session);
        value["uri"] = format!("{SESSIONS}/{}", utf8_percent_encode(&session.head.name, PLAIN)).into();
        value
    });
    Ok(json!({"sessions": shown.collect::<Vec<_>>()}))
}

fn one(connection: &Connection, archive: &Archive, which: &str) -> Result<Option<Value>, ArchiveError> {
    let (id, query) = which.split_once('?').unwrap_or((which, ""));
    let after = match query.strip_prefix("after=").map(str::parse) {
        None if query.is_empty() => 0,
        Some(Ok(after)) => after,
        _ => return Ok(None),
    };
    let Ok(id) = percent_decode_str(id).decode_utf8() else { return Ok(None) };
    let audience = connection.session.scope();
    let session = match archive.find(&id) {
        // The beginning of an id is a help for those who type.
        Ok(session) if session.head.name == id && session.head.scope.visible_to(&audience) => session,
        Ok(_) | Err(ArchiveError::Unknown(_) | ArchiveError::Ambiguous { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let messages = archive.messages(&session, after, MESSAGES)?;
    let more = messages.last().filter(|_| messages.len() == MESSAGES).map(|last| last.id);
    let for_us = |scope: &Option<_>| scope.as_ref().is_none_or(|scope: &Scope| scope.visible_to(&audience));
    let shown: Vec<_> = messages.iter().filter(|message| for_us(&message.said.scope)).collect();
    let mut value = json!({"session": session, "messages": shown});
    if let Some(after) = more {
        let id = utf8_percent_encode(&session.head.name, PLAIN);
        value["more"] = format!("{SESSIONS}/{id}?after={after}").into();
    }
    Ok(Some(value))
}
