//! The newer form of the API: an answer is a list of items, and its server can keep what was said.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::{ScriptedModel, message, text_of, whole};

impl ScriptedModel {
    /// All that the model has before it when it is given this.
    fn before_it(&self, asked: &Value) -> Option<Vec<Value>> {
        let kept = |id: &str| self.said.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        let mut items = match (asked["previous_response_id"].as_str(), id_of(&asked["conversation"])) {
            (Some(id), _) => kept(id)?,
            (None, Some(id)) => kept(id).unwrap_or_default(),
            (None, None) => Vec::new(),
        };
        match &asked["input"] {
            Value::String(text) => items.push(json!({"role": "user", "content": text})),
            list => items.extend(list.as_array().cloned().unwrap_or_default()),
        }
        Some(items)
    }

    /// Everything that the model has seen up to an answer, by its id.
    #[must_use]
    pub fn said_up_to(&self, id: &str) -> Vec<Value> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned().unwrap_or_default()
    }

    pub(super) fn say_items(&self, stream: &TcpStream, asked: &Value, model: &str) -> Option<()> {
        let Some(mut items) = self.before_it(asked) else {
            let error =
                json!({"error": {"message": "Previous response not found", "code": "previous_response_not_found"}});
            return whole(stream, "400 Bad Request", &error);
        };
        // As the real one has it: every call has its result, and no item stands there twice.
        if let Some(wrong) = wrong(&items) {
            return whole(stream, "400 Bad Request", &json!({"error": {"message": wrong}}));
        }
        let messages: Vec<Value> = items.iter().filter_map(as_message).collect();
        let output = output(&message(model, &json!({"messages": messages})), asked, &items);
        let id = format!("resp_{}", number());
        items.extend(output.iter().cloned());
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(conversation) = id_of(&asked["conversation"]) {
            said.insert(conversation.to_owned(), items.clone());
        }
        said.insert(id.clone(), items);
        drop(said);
        let echo = |name: &str| asked[name].clone();
        let response = json!({
            "id": id, "object": "response", "created_at": 1_767_225_600, "status": "completed", "error": null,
            "incomplete_details": null, "instructions": echo("instructions"), "metadata": {}, "model": model,
            "output": output, "parallel_tool_calls": true, "temperature": 1.0, "top_p": 1.0,
            "tool_choice": if echo("tool_choice").is_null() { "auto".into() } else { echo("tool_choice") },
            "tools": echo("tools").as_array().cloned().unwrap_or_default(),
            "previous_response_id": echo("previous_response_id"),
            "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 0},
                "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15},
        });
        if asked["stream"] == true { say(stream, &response, model) } else { whole_or_half(stream, &response, model) }
    }
}

fn number() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

fn id_of(value: &Value) -> Option<&str> {
    value.as_str().or(value["id"].as_str())
}

fn wrong(items: &[Value]) -> Option<String> {
    let ids: Vec<&str> = items.iter().filter_map(|item| item["id"].as_str()).collect();
    let twice = ids.iter().enumerate().find(|(at, id)| ids[..*at].contains(id));
    if let Some((_, id)) = twice {
        return Some(format!("Duplicate item found with id {id}"));
    }
    let of = |kind: &str| {
        let items: Vec<&Value> =
            items.iter().filter(|item| item["type"] == kind).map(|item| &item["call_id"]).collect();
        items
    };
    let (calls, results) = (of("function_call"), of("function_call_output"));
    let open = calls.iter().find(|call| !results.contains(call));
    let open = open.map(|call| format!("No tool output found for function call {call}"));
    open.or(results.iter().find(|result| !calls.contains(result)).map(|result| format!("No call for {result}")))
}

fn as_message(item: &Value) -> Option<Value> {
    match item["type"].as_str() {
        Some("reasoning") => None,
        Some("function_call") => Some(json!({"role": "assistant", "content": null, "tool_calls": [item]})),
        Some("function_call_output") => Some(json!({"role": "tool", "content": item["output"]})),
        _ => Some(item.clone()),
    }
}

/// What a message is as items.
fn output(message: &Value, asked: &Value, items: &[Value]) -> Vec<Value> {
    let mut output = Vec::new();
    if !asked["reasoning"].is_null() {
        let user = items.iter().rfind(|item| item["role"] == "user").map(text_of).unwrap_or_default();
        let summary = json!([{"type": "summary_text", "text": format!("I was told: {user}")}]);
        output.push(json!({"type": "reasoning", "id": format!("rs_{}", number()), "summary": summary}));
    }
    if let Some(text) = message["content"].as_str() {
        let part = json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
        let id = format!("msg_{}", number());
        output
            .push(json!({"type": "message", "id": id, "role": "assistant", "status": "completed", "content": [part]}));
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let (id, function) = (number(), &call["function"]);
        output.push(json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": format!("call_{id}"),
            "name": function["name"], "arguments": function["arguments"], "status": "completed"}));
    }
    output
}

fn whole_or_half(mut stream: &TcpStream, response: &Value, model: &str) -> Option<()> {
    if model != "cut" {
        return whole(stream, "200 OK", response);
    }
    let half = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"output\": [";
    stream.write_all(half.as_bytes()).ok()?;
    None
}

fn say(mut stream: &TcpStream, response: &Value, model: &str) -> Option<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).ok()?;
    let mut sequence = 0;
    let mut event = |kind: &str, mut data: Value| {
        (data["type"], data["sequence_number"]) = (kind.into(), sequence.into());
        sequence += 1;
        let event = format!("event: {kind}\ndata: {data}\n\n");
        stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).ok()
    };
    let mut begun = response.clone();
    (begun["status"], begun["output"], begun["usage"]) = ("in_progress".into(), json!([]), Value::Null);
    for kind in ["response.created", "response.in_progress"] {
        event(kind, json!({"response": begun}))?;
    }
    for (index, item) in response["output"].as_array().into_iter().flatten().enumerate() {
        let mut begun = item.clone();
        for list in ["content", "summary"] {
            if item[list].is_array() {
                begun[list] = json!([]);
            }
        }
        if item["type"] == "function_call" {
            begun["arguments"] = "".into();
        }
        begun["status"] = "in_progress".into();
        event("response.output_item.added", json!({"output_index": index, "item": begun}))?;
        let about = |more: Value| {
            let mut about = json!({"output_index": index, "item_id": item["id"]});
            for (name, value) in more.as_object().into_iter().flatten() {
                about[name] = value.clone();
            }
            about
        };
        let (list, part, name) = if item["type"] == "reasoning" {
            ("summary", "response.reasoning_summary_part", "response.reasoning_summary_text")
        } else {
            ("content", "response.content_part", "response.output_text")
        };
        let number = if list == "summary" { "summary_index" } else { "content_index" };
        for (at, content) in item[list].as_array().into_iter().flatten().enumerate() {
            let mut empty = content.clone();
            empty["text"] = "".into();
            event(&format!("{part}.added"), about(json!({number: at, "part": empty})))?;
            for piece in pieces(content["text"].as_str().unwrap_or_default(), model) {
                event(&format!("{name}.delta"), about(json!({number: at, "delta": piece, "logprobs": []})))?;
            }
            if model == "cut" {
                return None;
            }
            event(&format!("{name}.done"), about(json!({number: at, "text": content["text"], "logprobs": []})))?;
            event(&format!("{part}.done"), about(json!({number: at, "part": content})))?;
        }
        if let Some(arguments) = item["arguments"].as_str() {
            for half in arguments.split_inclusive(':') {
                event("response.function_call_arguments.delta", about(json!({"delta": half})))?;
            }
            let whole = json!({"arguments": arguments, "name": item["name"]});
            event("response.function_call_arguments.done", about(whole))?;
        }
        event("response.output_item.done", json!({"output_index": index, "item": item}))?;
    }
    event("response.completed", json!({"response": response}))?;
    stream.write_all(b"0\r\n\r\n").ok()
}

/// Of odd lengths, so that fences are cut everywhere.
fn pieces(text: &str, model: &str) -> Vec<String> {
    let mut rest: Vec<char> = text.chars().collect();
    let (mut pieces, mut size) = (Vec::new(), 1);
    while !rest.is_empty() {
        let piece: String = rest.drain(..size.min(rest.len())).collect();
        if super::is_slow(model) {
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
        pieces.push(piece);
        size = size % 7 + 1;
    }
    pieces
}
