//! What stands in the place of a text that attacks.

use serde_json::Value;

use super::{Scope, scan};

/// The most patterns that are named.
const NAMED: usize = 3;

/// The line for the place of a text that attacks: `[BLOCKED: ignore_instructions]`. None when it does not.
#[must_use]
pub fn blocked(text: &str, scope: Scope) -> Option<String> {
    let mut names: Vec<_> = scan(text, scope).into_iter().map(|found| found.pattern).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(NAMED);
    (!names.is_empty()).then(|| format!("[BLOCKED: {}]", names.join(", ")))
}

/// Puts such a line in the place of every text in a JSON value that attacks. Answers how many there were.
pub fn block_json(value: &mut Value, scope: Scope) -> usize {
    match value {
        Value::String(text) => match blocked(text, scope) {
            Some(line) => {
                *text = line;
                1
            }
            None => 0,
        },
        Value::Array(items) => items.iter_mut().map(|item| block_json(item, scope)).sum(),
        Value::Object(fields) => fields.values_mut().map(|field| block_json(field, scope)).sum(),
        _ => 0,
    }
}
