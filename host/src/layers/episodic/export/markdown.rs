//! A session for people to read.

use std::fmt::Write as _;

use hermes_provider_api::records::Role;

use super::super::NewMessage;
use super::Session;
use crate::clock::utc;

/// The title and what is known of the session.
pub(super) fn head(session: &Session) -> String {
    let head = &session.head;
    let title = head.title.as_deref().unwrap_or(&head.name).replace(['\n', '\r'], " ");
    let mut text = format!("# {title}\n\n- Session: `{}`\n- Began: {}\n", head.name, utc(head.started_ms));
    let mut known = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "- {name}: {}", value.replace(['\n', '\r'], " "));
        }
    };
    known("Ended", &head.ended_ms.map(utc).unwrap_or_default());
    known("Model", head.model.as_deref().unwrap_or_default());
    known("Platform", &head.scope.platform);
    known("Chat", &head.scope.chat);
    known("User", &head.scope.user);
    known("Project", &head.scope.project);
    known("Goes on from", head.parent.as_deref().unwrap_or_default());
    known("Imported from", head.source.as_deref().unwrap_or_default());
    text.push('\n');
    text
}

/// A message under a heading of its own. What tools were given and gave back stands in fences.
pub(super) fn message(said: &NewMessage) -> String {
    let who = match said.role {
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::System => "System",
        _ => "Tool",
    };
    let mut text = format!("## {who}");
    if !said.tool.is_empty() {
        let _ = write!(text, " `{}`", said.tool);
    }
    let _ = write!(text, ", {}", utc(said.at_ms));
    for (is_so, mark) in [(said.folded, "folded into a summary"), (said.partial, "broken off")] {
        if is_so {
            let _ = write!(text, " ({mark})");
        }
    }
    text.push_str("\n\n");
    if said.role == Role::Tool {
        fenced(&mut text, "", &said.content);
    } else if !said.content.is_empty() {
        let _ = write!(text, "{}\n\n", said.content.trim_end_matches('\n'));
    }
    for call in &said.tool_calls {
        let _ = write!(text, "Calls `{}`:\n\n", call.name);
        fenced(&mut text, "json", &call.arguments);
    }
    text
}

/// A code block whose fence is longer than any in the text.
fn fenced(out: &mut String, language: &str, text: &str) {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{fence}{language}\n{text}{end}{fence}\n\n");
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::records::ToolCall;

    use super::*;

    #[test]
    fn fences_hold_what_is_in_them() {
        let call = ToolCall { name: "write".into(), arguments: "````\n```".into(), ..ToolCall::default() };
        let said = NewMessage {
            role: Role::Assistant,
            content: "Here:\n".into(),
            tool_calls: vec![call],
            partial: true,
            ..NewMessage::default()
        };
        let expected = "## Assistant, 1970-01-01 00:00:00 UTC (broken off)\n\nHere:\n\nCalls `write`:\n\n\
                        `````json\n````\n```\n`````\n\n";
        assert_eq!(message(&said), expected);
        let result =
            NewMessage { role: Role::Tool, tool: "write".into(), content: "ок".into(), ..NewMessage::default() };
        assert_eq!(message(&result), "## Tool `write`, 1970-01-01 00:00:00 UTC\n\n```\nок\n```\n\n");
    }
}
