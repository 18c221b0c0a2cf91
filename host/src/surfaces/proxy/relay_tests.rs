//! Streams of a model, cut in every way, and what a client makes of them.

use proptest::prelude::*;

use super::*;
use crate::model::wire::Events;

fn ours(tool: &str) -> bool {
    tool == "note"
}

fn chunk(delta: Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!("data: {}\n\n", json!({"id": "m1", "created": 1, "choices": [choice]}))
}

/// What a client reads out of a stream: text, calls by name and arguments, how it ended, and what was used.
fn seen(bytes: &[u8]) -> (String, Vec<String>, Option<String>, Value) {
    let mut events = Events::default();
    events.push(bytes).unwrap();
    let (mut answer, mut used) = (Answer::default(), Value::Null);
    for data in (&mut events).filter_map(|event| event.data) {
        let Ok(value) = serde_json::from_str::<Value>(&data) else { continue };
        answer.add(&value["choices"][0]["delta"]);
        let finish = value["choices"][0]["finish_reason"].as_str().map(str::to_owned);
        answer.finish = answer.finish.or(finish);
        if value["usage"].is_object() {
            used = value["usage"].clone();
        }
        assert!(value["choices"].as_array().unwrap().is_empty() || value["id"] == "m1", "{value}");
    }
    let calls = answer.calls().into_iter().map(|call| format!("{}({})", call.name, call.arguments)).collect();
    (answer.text().to_owned(), calls, answer.finish, used)
}

fn feed(relay: &mut Chunks, stream: &str, size: usize, out: &mut Vec<u8>) {
    let mut events = Events::default();
    for bytes in stream.as_bytes().chunks(size) {
        events.push(bytes).unwrap();
        for event in &mut events {
            relay.event(event, &ours, out);
        }
    }
}

#[test]
fn what_needs_no_change_passes_byte_for_byte() {
    let stream = [
        ": a comment\n\n".to_owned(),
        "data: {\"id\": \"m1\",  \"choices\":[{\"index\":0, \"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\r\n\r\n".to_owned(),
        chunk(json!({"content": "Чай < вода"}), None),
        chunk(json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "theirs", "arguments": "{\"x\""}}]}), None),
        chunk(json!({"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}), None),
    ]
    .concat();
    for size in [1, 5, 10_000] {
        let (mut relay, mut out) = (Chunks::default(), Vec::new());
        feed(&mut relay, &stream, size, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), stream);
        assert_eq!((relay.shown(), relay.is_complete()), ("Чай < вода", false));
    }
}

#[test]
fn two_rounds_are_one_answer_to_the_client() {
    let first = [
        chunk(json!({"role": "assistant", "content": "Let me see. "}), None),
        chunk(json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "", "arguments": ""}}]}), None),
        chunk(json!({"tool_calls": [{"index": 0, "function": {"name": "note", "arguments": "{}"}}]}), None),
        chunk(json!({}), Some("tool_calls")),
        "data: {\"choices\": [], \"usage\": {\"total_tokens\": 5, \"details\": {\"cached\": 1}}}\n\n".to_owned(),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat();
    let second = [
        chunk(json!({"role": "assistant", "content": ""}), None),
        chunk(json!({"content": "Tea."}), Some("stop")),
        "data: {\"choices\": [], \"usage\": {\"total_tokens\": 7, \"details\": {\"cached\": 2}}}\n\n".to_owned(),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat()
    .replace("m1", "m2");
    let (mut relay, mut out) = (Chunks::default(), Vec::new());
    feed(&mut relay, &first, 7, &mut out);
    assert!(relay.is_complete() && relay.answer().calls()[0].name == "note");
    relay.next_round();
    feed(&mut relay, &second, 7, &mut out);
    relay.end(&mut out);
    assert_eq!(relay.shown(), "Let me see. Tea.");
    let text = String::from_utf8(out.clone()).unwrap();
    assert!(
        !text.contains("note") && text.ends_with("data: [DONE]\n\n") && text.matches("DONE").count() == 1,
        "{text}"
    );
    let used = json!({"total_tokens": 12, "details": {"cached": 3}});
    assert_eq!(seen(&out), ("Let me see. Tea.".to_owned(), vec![], Some("stop".to_owned()), used));
}

#[test]
fn the_client_gets_its_own_calls_and_counts_them_from_zero() {
    let call = |index: u64, name: &str, arguments: &str| json!({"index": index, "id": format!("c{index}"), "function": {"name": name, "arguments": arguments}});
    let stream = [
        chunk(json!({"tool_calls": [call(0, "note", "{")]}), None),
        chunk(json!({"tool_calls": [call(1, "theirs", "{\"a\""), call(2, "note", "{")]}), None),
        chunk(json!({"tool_calls": [{"index": 0, "function": {"arguments": "}"}}, {"index": 1, "function": {"arguments": ":1}"}}]}), None),
        chunk(json!({"tool_calls": [call(3, "other", "{}")]}), Some("tool_calls")),
    ]
    .concat();
    let (mut relay, mut out) = (Chunks::default(), Vec::new());
    feed(&mut relay, &stream, 3, &mut out);
    relay.end(&mut out);
    let (_, calls, finish, _) = seen(&out);
    assert_eq!(
        (calls, finish.as_deref()),
        (vec!["theirs({\"a\":1})".to_owned(), "other({})".to_owned()], Some("tool_calls"))
    );
    assert_eq!(relay.answer().calls().len(), 4);
}

#[test]
fn a_stream_that_is_cut_shows_what_was_no_block() {
    let (mut relay, mut out) = (Chunks::default(), Vec::new());
    feed(&mut relay, &chunk(json!({"content": "a <memory-con"}), None), 100, &mut out);
    relay.cut(&mut out);
    assert_eq!((seen(&out).0.as_str(), relay.is_complete()), ("a <memory-con", false));
}

#[test]
fn an_answer_that_came_whole_is_treated_alike() {
    let block = "<memory-context>\nNotes\n- tea\n</memory-context>";
    let message = json!({"role": "assistant", "content": format!("Sure. {block}"), "tool_calls": [
        {"id": "a", "function": {"name": "note", "arguments": "{}"}}]});
    let first = json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}], "usage": {"total_tokens": 3}});
    let second = json!({"id": "x", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Tea."}, "finish_reason": "stop"}], "usage": {"total_tokens": 4}});
    let mut whole = WholeChat::default();
    let mut response = whole.read(first.to_string().as_bytes(), &ours).unwrap();
    assert_eq!(
        whole.end(&response, &ours).unwrap()["choices"][0],
        json!({"index": 0, "message": {"role": "assistant", "content": "Sure. "}, "finish_reason": "stop"})
    );
    whole.next_round(&mut response);
    let response = whole.read(second.to_string().as_bytes(), &ours).unwrap();
    let shown = whole.end(&response, &ours).unwrap();
    assert_eq!(
        (&shown["choices"][0]["message"]["content"], &shown["usage"]["total_tokens"]),
        (&json!("Sure. Tea."), &json!(7))
    );
    let mut plain = WholeChat::default();
    let response = plain.read(second.to_string().as_bytes(), &ours).unwrap();
    assert_eq!(plain.end(&response, &ours), None);
    assert!(
        WholeChat::default().read(b"<html>", &ours).is_none()
            && WholeChat::default().read(b"{\"choices\": []}", &ours).is_none()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

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
        let mut text = around.join(&block).chars().collect::<Vec<_>>().into_iter();
        let (mut stream, mut sizes) = (String::new(), sizes.iter().cycle());
        loop {
            let piece: String = text.by_ref().take(*sizes.next().unwrap()).collect();
            if piece.is_empty() { break }
            stream.push_str(&chunk(json!({"content": piece}), None));
        }
        stream.push_str(&chunk(json!({}), Some("stop")));
        stream.push_str("data: [DONE]\n\n");
        let (mut relay, mut out) = (Chunks::default(), Vec::new());
        feed(&mut relay, &stream, bytes, &mut out);
        relay.end(&mut out);
        prop_assert_eq!(seen(&out).0, around.concat());
        prop_assert_eq!(relay.shown(), around.concat());
        prop_assert!(!String::from_utf8(out).unwrap().contains(&fact));
    }
}
