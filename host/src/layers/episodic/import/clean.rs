//! Messages without secrets.

use std::borrow::Cow;

use hermes_provider_api::records::ToolCall;
use serde_json::Value;

use super::NewMessage;
use crate::guard::Redactor;

/// Takes the secrets out of a message.
pub(super) fn redact(redactor: &Redactor, said: &mut NewMessage) {
    let clean = |text: &mut String| {
        // Inside of JSON, so that escapes hide nothing.
        if text.trim_start().starts_with(['{', '['])
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            let mut clean = value.clone();
            redactor.redact_json(&mut clean);
            if clean != value {
                *text = clean.to_string();
            }
        } else if let Cow::Owned(redacted) = redactor.redact(text) {
            *text = redacted;
        }
    };
    // Ids begin with a word such as `call_`, which would hide how a secret behind it begins.
    let clean_id = |id: &mut String| {
        if let Some((word, rest)) = id.split_once('_')
            && let Cow::Owned(redacted) = redactor.redact(rest)
        {
            *id = format!("{word}_{redacted}");
        }
        clean(id);
    };
    clean(&mut said.content);
    for ToolCall { id, name, arguments } in &mut said.tool_calls {
        clean_id(id);
        [name, arguments].into_iter().for_each(clean);
    }
    clean_id(&mut said.tool_call);
    clean(&mut said.tool);
}
