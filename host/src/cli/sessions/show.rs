//! `hermes sessions show`.

use hermes_provider_api::records::Role;
use serde_json::json;

use super::session;
use crate::cli::{Context, Exit, counted_of};
use crate::clock::utc;
use crate::error::Failure;
use crate::layers::episodic::{Message, NewMessage, Session};

/// How many messages are read at once.
const PAGE: usize = 500;

pub(super) fn run(which: &str, context: &Context) -> Result<Exit, Failure> {
    let (archive, session) = session(which, context)?;
    if !context.json {
        head(&session, context);
    }
    let (mut after, mut all) = (0, Vec::new());
    loop {
        let page = archive.messages(&session, after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.id;
        if context.json {
            all.extend(page);
            continue;
        }
        page.iter().for_each(|message| context.ui.out(told(message)));
        if context.ui.is_closed() {
            break;
        }
    }
    if context.json {
        context.ui.json(&json!({ "session": session, "messages": all }));
    }
    Ok(Exit::Success)
}

fn head(session: &Session, context: &Context) {
    let head = &session.head;
    let scope = &head.scope;
    context.ui.out(head.title.as_deref().unwrap_or("(no title)"));
    let mut facts = vec![head.name.clone(), utc(head.started_ms), counted_of(session.messages, "message")];
    for (what, value) in [
        ("", Some(&scope.platform)),
        ("chat ", Some(&scope.chat)),
        ("with ", Some(&scope.user)),
        ("about ", Some(&scope.project)),
        ("model ", head.model.as_ref()),
        ("goes on from ", head.parent.as_ref()),
        ("from ", head.source.as_ref()),
    ] {
        facts.extend(value.filter(|value| !value.is_empty()).map(|value| format!("{what}{value}")));
    }
    if let Some(ended) = head.ended_ms {
        facts.push(format!("{} {}", head.reason.as_deref().unwrap_or("ended"), utc(ended)));
    }
    if session.pinned {
        facts.push("pinned".to_owned());
    }
    context.ui.out(facts.join(" · "));
}

/// A message with a line above it that says whose it is.
fn told(Message { said, .. }: &Message) -> String {
    let NewMessage { role, content, tool_calls, tool, at_ms, folded, partial, .. } = said;
    let who = match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        _ if tool.is_empty() => "tool",
        _ => tool,
    };
    let mut text = format!("\n── {who} · {}", utc(*at_ms));
    for (mark, is) in [("folded", folded), ("broken off", partial)] {
        if *is {
            text.push_str(&format!(" · {mark}"));
        }
    }
    if !content.is_empty() {
        text.push_str(&format!("\n{content}"));
    }
    for call in tool_calls {
        text.push_str(&format!("\n→ {} {}", call.name, call.arguments));
    }
    text
}
