//! What of a message is searched.

use hermes_provider_api::records::ToolCall;
use rusqlite::{Result, Row};

/// A message, as the index reads it.
pub(in super::super) struct Stored<'r> {
    pub(in super::super) id: i64,
    pub(in super::super) role: &'r str,
    pub(in super::super) content: &'r str,
    pub(in super::super) tool_calls: Option<&'r str>,
    pub(in super::super) tool: Option<&'r str>,
    pub(in super::super) audience: i64,
    pub(in super::super) session: i64,
    pub(in super::super) at_ms: i64,
}

impl<'r> Stored<'r> {
    /// Of a row with these columns in this order, and perhaps more behind them.
    pub(in super::super) fn read(row: &'r Row<'_>) -> Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            role: row.get_ref(1)?.as_str()?,
            content: row.get_ref(2)?.as_str()?,
            tool_calls: row.get_ref(3)?.as_str_or_null()?,
            tool: row.get_ref(4)?.as_str_or_null()?,
            audience: row.get(5)?,
            session: row.get(6)?,
            at_ms: row.get(7)?,
        })
    }
}

/// The texts of a message: what was said; of tools the name, and the beginning of what they were given and answered.
pub(in super::super) fn for_each_text(message: &Stored<'_>, tool_chars: usize, mut take: impl FnMut(&str)) {
    let is_tool = message.role == "tool";
    take(if is_tool { beginning(message.content, tool_chars) } else { message.content });
    if tool_chars == 0 {
        return;
    }
    message.tool.into_iter().for_each(&mut take);
    if let Some(calls) = message.tool_calls {
        match serde_json::from_str::<Vec<ToolCall>>(calls) {
            Ok(calls) => {
                for call in calls {
                    take(&call.name);
                    take(beginning(&call.arguments, tool_chars));
                }
            }
            Err(_) => take(beginning(calls, tool_chars)),
        }
    }
}

/// The first so many bytes of a text, and no part of a character.
pub(in super::super) fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}
