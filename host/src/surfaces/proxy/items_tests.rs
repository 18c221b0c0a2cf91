//! Streams of items, cut in every way, and what a client makes of them.

use axum::http::HeaderMap;
use proptest::prelude::*;

use super::*;
use crate::model::wire::{Events, Form};

fn ours(tool: &str) -> bool {
    tool == "note"
}

fn stream_of(body: &Value) -> Items {
    let body = serde_json::from_value(body.clone()).unwrap();
    Items::new(Arc::new(Ask::read(Form::Responses, body, &HeaderMap::new()).unwrap()))
}

/// Events as a server sends them, numbered from zero.
#[derive(Default)]
struct Said(String, u64);

impl Said {
    fn event(mut self, kind: &str, mut data: Value) -> Self {
        (data["type"], data["sequence_number"]) = (kind.into(), self.1.into());
        self.0.push_str(&format!("event: {kind}\ndata: {data}\n\n"));
        self.1 += 1;
        self
    }

    fn response(self, kind: &str, id: &str, output: Value) -> Self {
        let used = json!({"total_tokens": 5});
        let response = json!({"id": id, "output": output, "instructions": "ours", "usage": used, "tools": [
            {"type": "function", "name": "note"}, {"type": "function", "name": "theirs"}]});
        self.event(kind, json!({"response": response}))
    }

    /// A message in these pieces.
    fn message(mut self, index: u64, pieces: &[String]) -> Self {
        let item = |text: &str, status: &str| {
            json!({"type": "message", "id": "m", "role": "assistant", "status": status,
            "content": [{"type": "output_text", "text": text, "logprobs": [{"token": text}]}]})
        };
        let at = |field: &str, value: &str| json!({"output_index": index, "content_index": 0, "item_id": "m", field: value, "logprobs": [{"token": value}]});
        self = self.event(
            "response.output_item.added",
            json!({"output_index": index, "item": {"type": "message", "id": "m", "content": []}}),
        );
        for piece in pieces {
            self = self.event("response.output_text.delta", at("delta", piece));
        }
        let text = pieces.concat();
        self = self.event("response.output_text.done", at("text", &text));
        self.event("response.output_item.done", json!({"output_index": index, "item": item(&text, "completed")}))
    }

    fn call(self, index: u64, name: &str) -> Self {
        let item = |arguments: &str| json!({"type": "function_call", "id": name, "call_id": name, "name": name, "arguments": arguments});
        let arguments = "{\"a\": 1}";
        self.event("response.output_item.added", json!({"output_index": index, "item": item("")}))
            .event(
                "response.function_call_arguments.delta",
                json!({"output_index": index, "item_id": name, "delta": arguments}),
            )
            .event(
                "response.function_call_arguments.done",
                json!({"output_index": index, "item_id": name, "arguments": arguments}),
            )
            .event("response.output_item.done", json!({"output_index": index, "item": item(arguments)}))
    }
}

fn feed(items: &mut Items, stream: &str, size: usize, out: &mut Vec<u8>) {
    let mut events = Events::default();
    for bytes in stream.as_bytes().chunks(size) {
        events.push(bytes).unwrap();
        for event in &mut events {
            items.event(event, &ours, out);
        }
    }
}

/// The events that a client reads, which are numbered from zero.
fn seen(out: &[u8]) -> Vec<Value> {
    let mut events = Events::default();
    events.push(out).unwrap();
    let seen: Vec<Value> = events.filter_map(|event| serde_json::from_str(&event.data?).ok()).collect();
    assert!(seen.iter().enumerate().all(|(number, event)| event["sequence_number"] == number), "{seen:?}");
    seen
}

fn text(events: &[Value]) -> String {
    let deltas = events.iter().filter(|event| event["type"] == "response.output_text.delta");
    deltas.map(|event| event["delta"].as_str().unwrap()).collect()
}

#[test]
fn what_needs_no_change_passes_byte_for_byte() {
    let ask = json!({"input": "?", "instructions": "ours", "tools": []});
    let pieces = ["Чай ".to_owned(), "< вода".to_owned()];
    let said = Said::default().event("response.created", json!({"response": {"id": "r", "instructions": "ours"}}));
    let said = said.message(0, &pieces).call(1, "theirs");
    for size in [1, 5, 10_000] {
        let (mut items, mut out) = (stream_of(&ask), Vec::new());
        feed(&mut items, &said.0, size, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), said.0);
        assert_eq!((items.shown(), items.is_complete()), ("Чай < вода", false));
    }
}

#[test]
fn two_rounds_are_one_answer_to_the_client() {
    let ask = json!({"input": "?", "tools": [{"type": "function", "name": "theirs"}]});
    let call = json!([{"type": "function_call", "call_id": "note", "name": "note", "arguments": "{}"}]);
    let hidden = Said::default().response("response.created", "r1", json!([])).call(0, "note");
    let hidden = hidden.response("response.completed", "r1", call);
    let last = Said::default().response("response.created", "r2", json!([])).call(0, "note").call(1, "theirs");
    let last = last.message(2, &["Tea".to_owned()]).response("response.completed", "r2", json!([]));
    let (mut items, mut out) = (stream_of(&ask), Vec::new());
    feed(&mut items, &hidden.0, 7, &mut out);
    assert!(out.is_empty(), "nothing is seen of an answer that only calls the memory");
    assert!(items.is_done() && items.answer().calls()[0].name == "note" && items.answer().id == "r1");
    items.next_round();
    feed(&mut items, &last.0, 7, &mut out);
    assert_eq!((items.answer().calls().len(), items.answer().text()), (2, "Tea"));
    items.end(&mut out);
    let events = seen(&out);
    let kinds: Vec<_> = events.iter().filter_map(|event| event["type"].as_str()?.strip_prefix("response.")).collect();
    let expected = [
        "created",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "output_item.added",
        "output_text.delta",
        "output_text.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(kinds, expected);
    assert!(!events[1..9].iter().any(|event| event.to_string().contains("note")), "{events:?}");
    let response = &events[9]["response"];
    assert_eq!((&events[0]["response"]["id"], &response["id"]), (&json!("r2"), &json!("r2")));
    assert_eq!((&response["instructions"], &response["usage"]["total_tokens"]), (&Value::Null, &json!(10)));
    assert_eq!(response["tools"], ask["tools"]);
    let places: Vec<_> = events[1..9].iter().map(|event| event["output_index"].as_u64().unwrap()).collect();
    assert_eq!((places, response["output"].as_array().unwrap().len()), (vec![0, 0, 0, 0, 1, 1, 1, 1], 2));
}

#[test]
fn a_stream_that_is_cut_or_fails_shows_what_was_no_block() {
    let ask = json!({"input": "?"});
    let begun = Said::default()
        .event("response.output_item.added", json!({"output_index": 0, "item": {"type": "message", "id": "m"}}));
    let delta = json!({"output_index": 0, "content_index": 0, "item_id": "m", "delta": "a <memory-con"});
    let begun = begun.event("response.output_text.delta", delta);
    let (mut items, mut out) = (stream_of(&ask), Vec::new());
    feed(&mut items, &begun.0, 100, &mut out);
    items.cut(&mut out);
    assert_eq!(
        (text(&seen(&out)).as_str(), items.shown(), items.is_complete()),
        ("a <memory-con", "a <memory-con", false)
    );
    let failed = begun.response("response.failed", "r", json!([]));
    let (mut items, mut out) = (stream_of(&ask), Vec::new());
    feed(&mut items, &failed.0, 100, &mut out);
    items.end(&mut out);
    assert!(items.has_failed() && text(&seen(&out)) == "a <memory-con");
    assert_eq!(seen(&out).last().unwrap()["response"]["instructions"], Value::Null);
    let (mut items, mut out) = (stream_of(&ask), Vec::new());
    items.error(&json!({"error": {"message": "it broke", "type": "upstream_error"}}), &mut out);
    assert_eq!(
        seen(&out)[0],
        json!({"type": "error", "code": "upstream_error", "message": "it broke", "param": null, "sequence_number": 0})
    );
}

#[test]
fn an_answer_that_came_whole_is_treated_alike() {
    let body = serde_json::from_value(json!({"input": "?", "instructions": "theirs"})).unwrap();
    let ask = Arc::new(Ask::read(Form::Responses, body, &HeaderMap::new()).unwrap());
    let said = |text: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text, "logprobs": [1]}]});
    let call = json!({"type": "function_call", "call_id": "a", "name": "note", "arguments": "{}"});
    let block = "<memory-context>\nNotes\n- tea\n</memory-context>";
    let first = json!({"id": "r1", "output": [said(&format!("Sure. {block}")), call], "usage": {"total_tokens": 3}});
    let second = json!({"id": "r2", "output": [said("Tea.")], "usage": {"total_tokens": 4}, "instructions": "both"});
    let mut whole = WholeItems::new(Arc::clone(&ask));
    let mut response = whole.read(first.to_string().as_bytes(), &ours).unwrap();
    whole.next_round(&mut response);
    let response = whole.read(second.to_string().as_bytes(), &ours).unwrap();
    let shown = whole.end(&response, &ours).unwrap();
    let mut sure = said("Sure. ");
    sure["content"][0]["logprobs"] = json!([]);
    assert_eq!(
        shown,
        json!({"id": "r2", "output": [sure, said("Tea.")], "usage": {"total_tokens": 7}, "instructions": "theirs"})
    );
    let plain = json!({"id": "r", "output": [said("Tea.")], "instructions": "theirs"});
    let mut whole = WholeItems::new(ask);
    let response = whole.read(plain.to_string().as_bytes(), &ours).unwrap();
    assert_eq!(whole.end(&response, &ours), None);
    assert!(whole.read(b"<html>", &ours).is_none() && whole.read(b"{}", &ours).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any text, cut into any deltas, in any bytes at once: the client sees no block, and everything else.
    #[test]
    fn no_block_is_seen_and_all_else_is(
        around in proptest::collection::vec("[ a-zа-я<>&\n]{0,25}", 1..4),
        fact in "[a-z]{15}",
        sizes in proptest::collection::vec(1_usize..30, 1..5),
        bytes in 1_usize..200,
    ) {
        let line = fence::Line { text: fact.clone(), at: None };
        let block = fence::block(None, &[line], 100).unwrap().text;
        prop_assume!(fence::strip(&around.concat()) == around.concat());
        let text_of = around.join(&block);
        let mut rest = text_of.chars().collect::<Vec<_>>().into_iter();
        let (mut pieces, mut sizes) = (Vec::new(), sizes.iter().cycle());
        loop {
            let piece: String = rest.by_ref().take(*sizes.next().unwrap()).collect();
            if piece.is_empty() { break }
            pieces.push(piece);
        }
        let said = Said::default().response("response.created", "r", json!([])).message(0, &pieces);
        let said = said.response("response.completed", "r", json!([]));
        let (mut items, mut out) = (stream_of(&json!({"input": "?"})), Vec::new());
        feed(&mut items, &said.0, bytes, &mut out);
        items.end(&mut out);
        let events = seen(&out);
        prop_assert_eq!(text(&events), around.concat());
        prop_assert_eq!(items.shown(), around.concat());
        let last = &events.last().unwrap()["response"]["output"][0]["content"][0]["text"];
        prop_assert_eq!(last, &json!(around.concat()));
        prop_assert!(!String::from_utf8(out).unwrap().contains(&fact));
    }
}
