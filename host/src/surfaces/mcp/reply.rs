//! What a tool answers: a text for the model, the same for programs, and whether it failed. Without secrets.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use crate::error::Failure;
use crate::secrets::Mask;
use crate::turn::{ToolFailure, ToolOutcome};

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reply {
    pub(super) text: String,
    /// An object.
    pub(super) structured: Option<Value>,
    pub(super) failed: bool,
}

impl Reply {
    pub(super) fn said(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(super) fn failed(text: impl Into<String>) -> Self {
        Self { failed: true, ..Self::said(text) }
    }

    pub(super) fn with(self, structured: Value) -> Self {
        Self { structured: Some(structured), ..self }
    }

    /// As the protocol has it.
    pub(super) fn masked(self, mask: &Mask) -> CallToolResult {
        let content = vec![ContentBlock::text(mask.apply(&self.text))];
        let mut result = if self.failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = self.structured.map(|mut value| {
            mask.apply_json(&mut value);
            value
        });
        result
    }
}

impl From<Failure> for Reply {
    fn from(failure: Failure) -> Self {
        Self::failed(with_hints(failure.message, &failure.hints))
    }
}

impl From<ToolOutcome> for Reply {
    fn from(outcome: ToolOutcome) -> Self {
        let text = outcome.content();
        match outcome.result {
            Ok(value @ Value::Object(_)) => Self::said(text).with(value),
            Ok(_) => Self::said(text),
            Err(ToolFailure { message, hint, .. }) => Self::failed(with_hints(message, hint.as_slice())),
        }
    }
}

/// A sentence and what to do next, each in a line of its own.
pub(super) fn with_hints(mut text: String, hints: &[String]) -> String {
    for hint in hints {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    text
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::Secret;
    use serde_json::json;

    use super::*;

    #[test]
    fn no_secret_leaves() {
        let mask = Mask::new([("KEY", Secret::new("sk-123456"))]);
        let reply = Reply::failed("401 for sk-123456").with(json!({"a": ["sk-123456", 1]})).masked(&mask);
        let sent = serde_json::to_value(reply).unwrap();
        assert_eq!(sent["content"][0]["text"], "401 for [KEY]");
        assert_eq!((&sent["structuredContent"], &sent["isError"]), (&json!({"a": ["[KEY]", 1]}), &json!(true)));
    }
}
