//! The newer form of the API, in which an answer is a list of items: what is said, what is thought, each call.

use serde_json::{Map, Value};

use super::Answer;
use super::message::as_call;

/// The fields of an item's parts in which a model speaks.
const SPOKEN: [&str; 2] = ["text", "refusal"];

impl Answer {
    /// The answer that is a whole response of the newer API, with these items if it names none itself. None for what is
    /// no response.
    #[must_use]
    pub fn of_response(response: &Value, gathered: &[Value]) -> Option<Self> {
        let listed = response["output"].as_array()?;
        let items = if listed.is_empty() { gathered.to_vec() } else { listed.clone() };
        let text = items.iter().filter(|item| item["type"] == "message").flat_map(spoken).collect();
        let calls = items.iter().filter(|item| item["type"] == "function_call").map(as_call);
        Some(Self {
            text,
            calls: (0..).zip(calls).collect(),
            finish: response["status"].as_str().map(str::to_owned),
            id: response["id"].as_str().unwrap_or_default().to_owned(),
            items: Some(items),
        })
    }
}

fn spoken(item: &Value) -> impl Iterator<Item = &str> {
    item["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str())
}

/// An item as a client sees it; None for a call that is not its own.
#[must_use]
pub fn shown(item: &Value, clean: &dyn Fn(&str) -> String, ours: &dyn Fn(&str) -> bool) -> Option<Value> {
    if item["type"] == "function_call" && ours(item["name"].as_str().unwrap_or_default()) {
        return None;
    }
    let mut item = item.clone();
    if let Some(Value::String(text)) = item.get_mut("content") {
        *text = clean(text);
    }
    for list in ["content", "summary"] {
        let parts = item.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        parts.filter_map(Value::as_object_mut).for_each(|part| clean_part(part, clean));
    }
    Some(item)
}

/// Cleans what is said in a part of an item.
pub fn clean_part(part: &mut Map<String, Value>, clean: &dyn Fn(&str) -> String) {
    let mut is_changed = false;
    for field in SPOKEN {
        if let Some(Value::String(text)) = part.get_mut(field) {
            let cleaned = clean(text);
            is_changed |= cleaned != *text;
            *text = cleaned;
        }
    }
    // How likely each piece of a text was says what the text was.
    if let Some(tokens) = part.get_mut("logprobs").filter(|_| is_changed) {
        *tokens = Value::Array(Vec::new());
    }
}
