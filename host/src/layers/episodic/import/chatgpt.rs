//! The data export of ChatGPT: a list of conversations, each a tree of messages of which one branch is shown.

use std::collections::HashSet;

use hermes_provider_api::records::{Role, ToolCall};
use serde_json::{Map, Value};

use super::{ImportError, NewMessage, Session, SessionHead, Sink, Source, is_empty, parts};
use crate::clock;

/// What the model says to itself, or the program to it.
const INWARD: [&str; 5] =
    ["thoughts", "reasoning_recap", "model_editable_context", "app_pairing_content", "super_widget"];

/// Reads the branch of a conversation that was shown last.
pub(super) fn read(value: &Value, place: &str, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let Some(id) = text("conversation_id").or_else(|| text("id")) else {
        sink.left_out(place.to_owned(), "a conversation without `id`".to_owned());
        return Ok(());
    };
    let nodes = match value.get("mapping") {
        Some(Value::Object(nodes)) => nodes,
        _ => return Ok(()),
    };
    let (branch, problem) = branch(nodes, text("current_node"));
    if let Some(problem) = problem {
        sink.remark(place.to_owned(), problem);
    }
    let model = branch.iter().rev().find_map(|node| node.pointer("/message/metadata/model_slug")?.as_str());
    let model = model.or_else(|| text("default_model_slug"));
    let head = SessionHead {
        name: id.to_owned(),
        title: text("title").map(str::to_owned),
        model: model.map(str::to_owned),
        started_ms: value.get("create_time").and_then(clock::read).unwrap_or_default(),
        ..SessionHead::default()
    };
    sink.session(Session { source: Source::ChatGpt, head, pinned: false })?;
    // The last call of a tool, whose result comes next.
    let mut call: Option<ToolCall> = None;
    for (number, node) in branch.into_iter().enumerate() {
        let message = match node.get("message") {
            None | Some(Value::Null) => continue,
            Some(message) => message,
        };
        match said(message, &mut call) {
            Ok(Some(said)) => sink.message(said)?,
            Ok(None) => {}
            Err(reason) => sink.left_out(format!("{place}, message {}", number + 1), reason),
        }
    }
    Ok(())
}

/// From the root to the current node; where that is not known, to the youngest. And what is wrong with the tree.
fn branch<'a>(nodes: &'a Map<String, Value>, current: Option<&'a str>) -> (Vec<&'a Value>, Option<String>) {
    let written = |node: &Value| node.pointer("/message/create_time").and_then(Value::as_f64).unwrap_or(-1.0);
    let youngest = || {
        let latest = nodes.iter().filter(|(_, node)| node.get("message").is_some_and(Value::is_object));
        latest.max_by(|(_, one), (_, other)| written(one).total_cmp(&written(other))).map(|(id, _)| id.as_str())
    };
    let known = current.filter(|id| nodes.contains_key(*id));
    let mut problem = (known.is_none() && !nodes.is_empty())
        .then(|| "its `current_node` is not in it; the branch of the youngest message is taken".to_owned());
    let (mut next, mut seen, mut branch) = (known.or_else(youngest), HashSet::new(), Vec::new());
    while let Some(id) = next {
        if !seen.insert(id) {
            problem = Some("its messages go in a circle, which is cut".to_owned());
            break;
        }
        let Some(node) = nodes.get(id) else {
            problem = Some("the beginning of the branch is missing".to_owned());
            break;
        };
        branch.push(node);
        next = node.get("parent").and_then(Value::as_str);
    }
    branch.reverse();
    (branch, problem)
}

fn said(message: &Value, call: &mut Option<ToolCall>) -> Result<Option<NewMessage>, String> {
    let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let role = match text("/author/role") {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        "system" => Role::System,
        "" => return Err("a message without a role".to_owned()),
        other => return Err(format!("the role `{}` is not known", other.escape_debug())),
    };
    let kind = text("/content/content_type");
    let is_hidden = message.pointer("/metadata/is_visually_hidden_from_conversation") == Some(&Value::Bool(true));
    if INWARD.contains(&kind) || is_hidden {
        return Ok(None);
    }
    let content = message.get("content").ok_or("a message without content")?;
    let mut said = NewMessage {
        role,
        content: body(kind, content).ok_or("`content` has a shape that is not known")?,
        at_ms: message.get("create_time").and_then(clock::read).unwrap_or_default(),
        ..NewMessage::default()
    };
    let recipient = text("/recipient");
    if role == Role::Assistant && !matches!(recipient, "" | "all") {
        let arguments = std::mem::take(&mut said.content);
        let made = ToolCall { id: text("/id").to_owned(), name: recipient.to_owned(), arguments };
        *call = Some(made.clone());
        said.tool_calls.push(made);
    } else if role == Role::Tool {
        let name = text("/author/name");
        name.clone_into(&mut said.tool);
        said.tool_call = call.as_ref().filter(|call| call.name == name).map(|call| call.id.clone()).unwrap_or_default();
    }
    Ok(Some(said).filter(|said| !is_empty(said)))
}

fn body(kind: &str, content: &Value) -> Option<String> {
    let text = |key: &str| content.get(key).and_then(Value::as_str);
    match kind {
        "user_editable_context" => {
            let both = [text("user_profile"), text("user_instructions")];
            Some(both.into_iter().flatten().collect::<Vec<_>>().join("\n"))
        }
        "tether_quote" => {
            let all = [text("title"), text("url"), text("text")];
            Some(all.into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"))
        }
        "tether_browsing_display" => Some(text("result").or_else(|| text("summary")).unwrap_or_default().to_owned()),
        _ => match content.get("parts") {
            Some(list) => Some(parts::read(list)?.text),
            None => text("text").or_else(|| text("result")).or_else(|| text("content")).map(str::to_owned),
        },
    }
}
