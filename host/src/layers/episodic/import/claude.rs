//! The data export of Claude: a list of conversations with their `chat_messages`.

use hermes_provider_api::records::Role;
use serde_json::Value;

use super::{ImportError, NewMessage, Session, SessionHead, Sink, Source, is_empty, parts};
use crate::clock;

/// Reads a conversation.
pub(super) fn read(value: &Value, place: &str, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let text = |value: &Value, key: &str| {
        value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let Some(id) = text(value, "uuid") else {
        sink.left_out(place.to_owned(), "a conversation without `uuid`".to_owned());
        return Ok(());
    };
    let head = SessionHead {
        name: id,
        title: text(value, "name"),
        model: text(value, "model"),
        started_ms: value.get("created_at").and_then(clock::read).unwrap_or_default(),
        ..SessionHead::default()
    };
    sink.session(Session { source: Source::Claude, head, pinned: false })?;
    for (number, message) in value["chat_messages"].as_array().into_iter().flatten().enumerate() {
        match said(message) {
            Ok(several) => several.into_iter().try_for_each(|said| sink.message(said))?,
            Err(reason) => sink.left_out(format!("{place}, message {}", number + 1), reason),
        }
    }
    Ok(())
}

/// The messages in one: an answer holds the calls of tools and their results too.
fn said(message: &Value) -> Result<Vec<NewMessage>, String> {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    let role = match text("sender") {
        "human" => Role::User,
        "assistant" => Role::Assistant,
        "" => return Err("a message without a sender".to_owned()),
        other => return Err(format!("the sender `{}` is not known", other.escape_debug())),
    };
    let at_ms = message.get("created_at").and_then(clock::read).unwrap_or_default();
    // Older exports have the text alone.
    let content = message.get("content").filter(|content| content.as_array().is_some_and(|parts| !parts.is_empty()));
    let content = content.unwrap_or(&message["text"]);
    let blocks = match content {
        Value::Array(blocks) => blocks.as_slice(),
        other => std::slice::from_ref(other),
    };
    let mut several = Vec::new();
    let mut own = NewMessage { role, at_ms, ..NewMessage::default() };
    for block in blocks {
        let read = parts::read(block).ok_or("`content` is neither a text nor a list of blocks")?;
        if !read.results.is_empty() {
            several.push(std::mem::replace(&mut own, NewMessage { role, at_ms, ..NewMessage::default() }));
            several.extend(read.results.into_iter().map(|result| result.message(at_ms)));
        }
        // What comes after a call was said after its result.
        if !own.tool_calls.is_empty() && !read.text.is_empty() {
            several.push(std::mem::replace(&mut own, NewMessage { role, at_ms, ..NewMessage::default() }));
        }
        add(&mut own.content, &read.text);
        own.tool_calls.extend(read.calls);
    }
    for attached in message.get("attachments").and_then(Value::as_array).into_iter().flatten() {
        let part = |key: &str| attached.get(key).and_then(Value::as_str).unwrap_or_default();
        add(&mut own.content, &format!("[attachment: {}]", part("file_name")));
        add(&mut own.content, part("extracted_content"));
    }
    for file in message.get("files").and_then(Value::as_array).into_iter().flatten() {
        let name = file.get("file_name").and_then(Value::as_str).unwrap_or_default();
        add(&mut own.content, &format!("[file: {name}]"));
    }
    several.push(own);
    several.retain(|said| !is_empty(said));
    Ok(several)
}

fn add(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}
