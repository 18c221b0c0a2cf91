//! Answers that the model's server keeps, and what was said up to them: fetched, and shown without what is hidden in them.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Response};
use serde_json::Value;

use super::reply;
use super::server::Proxy;
use super::upstream::passed_back;
use crate::guard::Scrubber;
use crate::model::wire::output;
use crate::turn::conversations::{Hidden, Who};

/// The answer that a path is about.
pub(super) fn answer_at(path: &str) -> Option<&str> {
    path.strip_prefix("/responses/")?.split('/').next()
}

/// Asks for what a path with an answer's id leads to, or does away with it. `path` has its query.
pub(super) async fn ask(
    proxy: &Arc<Proxy>,
    who: Who,
    method: Method,
    answer: String,
    path: &str,
    headers: &HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let (owner, id) = (Arc::clone(proxy), answer.clone());
    let hidden = proxy.memory(move || owner.conversations.hidden_in(&owner.open.memory, &who, &id)).await;
    let hidden = hidden.flatten().unwrap_or_default();
    let path = match &hidden.goes_by {
        Some(there) => path.replacen(&answer, there, 1),
        None => path.to_owned(),
    };
    if method != Method::GET {
        return super::pass::pass(proxy, method, &path, headers, body).await;
    }
    let response = match proxy.upstream.send(method, &path, headers, body).await {
        Ok(response) => response,
        Err(error) => return reply::no_answer(&error),
    };
    let (status, headers) = (response.status(), passed_back(response.headers()));
    let bytes = match proxy.upstream.whole(response.into_body()).await {
        Ok(bytes) => bytes,
        Err(error) => return reply::no_answer(&error),
    };
    let Some(was) = serde_json::from_slice::<Value>(&bytes).ok().filter(|_| status.is_success()) else {
        return reply::whole(status, headers, bytes);
    };
    let mut is = was.clone();
    hide(&mut is, &hidden);
    if let Some(id) = is.get_mut("id").filter(|id| hidden.goes_by.as_deref().is_some_and(|there| **id == there)) {
        *id = answer.into();
    }
    let bytes = if is == was { bytes } else { is.to_string().into() };
    reply::whole(status, headers, bytes)
}

/// Takes out of a response, or of a list of items, what is not the client's.
fn hide(value: &mut Value, hidden: &Hidden) {
    let is_ours = |tool: &str| hidden.tools.contains(tool);
    let Some(fields) = value.as_object_mut() else { return };
    if let Some(Value::Array(tools)) = fields.get_mut("tools") {
        tools.retain(|tool| tool["type"] != "function" || !is_ours(tool["name"].as_str().unwrap_or_default()));
    }
    if let Some(instructions) = fields.get_mut("instructions")
        && let Some(own) = instructions.as_str().and_then(|text| text.strip_suffix(&hidden.instructions))
    {
        *instructions = match own.trim_end_matches('\n') {
            "" => Value::Null,
            own => own.into(),
        };
    }
    for list in ["output", "data"] {
        let Some(Value::Array(items)) = fields.get_mut(list) else { continue };
        let called = items.iter().filter(|item| is_ours(item["name"].as_str().unwrap_or_default()));
        let called: BTreeSet<String> = called.filter_map(|item| item["call_id"].as_str().map(str::to_owned)).collect();
        let answers_ours = |item: &Value| {
            item["type"] == "function_call_output" && item["call_id"].as_str().is_some_and(|call| called.contains(call))
        };
        let shown = items.iter().filter(|item| !answers_ours(item));
        *items = shown.filter_map(|item| output::shown(item, &scrubbed, &is_ours)).collect();
    }
}

/// A block stands below the text that it belongs to.
fn scrubbed(text: &str) -> String {
    let seen = Scrubber::scrubbed(text);
    if seen == text { seen } else { seen.trim_end_matches('\n').to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_hidden_stays_hidden() {
        let (instructions, tools) = ("The memory.".to_owned(), ["note".to_owned()].into());
        let hidden = Hidden { instructions, tools, goes_by: None };
        let call = |id: &str, name: &str| json!({"type": "function_call", "call_id": id, "name": name});
        let result = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "x"});
        let said = |text: &str| json!({"role": "user", "content": [{"type": "input_text", "text": text}]});
        let block = "<memory-context>\nNotes\n- tea\n</memory-context>";
        let mut items = json!({"object": "list", "data": [
            result("b"), result("a"), call("b", "theirs"), call("a", "note"), said(&format!("And tea?\n\n{block}"))]});
        hide(&mut items, &hidden);
        assert_eq!(items["data"], json!([result("b"), call("b", "theirs"), said("And tea?")]));
        let tool = |name: &str| json!({"type": "function", "name": name});
        for (was, is) in [("The memory.", Value::Null), ("Be kind.\n\nThe memory.", json!("Be kind."))] {
            let mut response =
                json!({"instructions": was, "tools": [tool("note"), tool("theirs")], "output": [call("a", "note")]});
            hide(&mut response, &hidden);
            assert_eq!(response, json!({"instructions": is, "tools": [tool("theirs")], "output": []}));
        }
        assert_eq!(answer_at("/responses/resp_1/input_items"), Some("resp_1"));
        assert_eq!((answer_at("/responses"), answer_at("/models/x")), (None, None));
    }
}
