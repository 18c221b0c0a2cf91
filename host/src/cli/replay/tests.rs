//! Recordings through a real provider in this process.

use std::sync::Arc;

use hermes_provider_api::Hook;
use hermes_provider_api::records::RecallItem;
use serde_json::{Value, json};

use super::*;
use crate::cli::ui::captured;
use crate::guard::Redactor;
use crate::layers::external::testing::{Fault, InProcess, Shared, item};
use crate::turn::TurnSettings;

fn play(lines: &[Value], form: Form, detail: Detail, prepare: impl FnOnce(&Shared)) -> (String, String, Arc<Shared>) {
    let (hooks, shared) = InProcess::new();
    prepare(&shared);
    let clock = Clock::fixed(1_767_225_600_000);
    let memory = Memory::open(Some(hooks), TurnSettings::default(), clock.clone(), Redactor::default()).unwrap();
    let (ui, out, err) = captured::ui();
    let bytes = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (lines, bad) = input::read(bytes.as_bytes(), &Scope::default());
    check("talk.jsonl", bad, &ui).unwrap();
    Replay::new(&memory, Scope::default(), "talk.jsonl", &clock, Show { ui: &ui, form, detail }).play(&lines);
    let report = memory.shutdown();
    open::say_undelivered(&report, &ui);
    assert!(report.is_complete());
    (out.text(), err.text(), shared)
}

fn said(session: &str, role: &str, content: &str) -> Value {
    json!({"role": role, "content": content, "session_id": session})
}

fn calls(session: &str, id: &str, tool: &str) -> Value {
    let function = json!({"name": tool, "arguments": "{\"a\":1}"});
    json!({"role": "assistant", "content": null, "session_id": session,
        "tool_calls": [{"id": id, "type": "function", "function": function}]})
}

fn result(session: &str, id: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content, "session_id": session})
}

/// The recall line without its time.
fn without_time(text: &str) -> String {
    let lines = text.lines().map(|line| match line.rsplit_once(" · ") {
        Some((start, time)) if time.ends_with(" ms") => start,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn tools_are_run_and_their_real_results_shown() {
    let lines = [
        said("a", "user", "Что подать гостю?"),
        calls("a", "1", "note"),
        result("a", "1", "a stale result"),
        calls("a", "2", "weather"),
        result("a", "2", "rain"),
        said("a", "assistant", "Чай."),
    ];
    let (out, err, shared) = play(&lines, Form::Text, Detail::Said, |_| {});
    assert_eq!(
        without_time(&out),
        "== session a\n\
         -- user · session a · turn 1\nЧто подать гостю?\n\
         🧠 notes — recalled nothing\n\
         -- calls note\n{\"a\":1}\n-- result of note\n{\"got\":{\"a\":1}}\n\
         -- calls weather\n{\"a\":1}\n(not a tool of this memory: its result is taken from the recording)\n\
         -- assistant\nЧай."
    );
    assert_eq!(err, "");
    let turn = &shared.requests(Hook::SyncTurn)[0];
    let contents: Vec<&str> =
        turn["messages"].as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap()).collect();
    assert_eq!(contents, ["Что подать гостю?", "", "{\"got\":{\"a\":1}}", "", "rain", "Чай."]);
}

#[test]
fn the_prompt_is_shown_as_the_model_gets_it() {
    let lines = [said("a", "user", "what to serve?"), said("a", "assistant", "tea"), said("a", "user", "and then?")];
    let (out, _, _) = play(&lines, Form::Text, Detail::Prompt, |shared| {
        shared.knows(vec![RecallItem { scope: None, ..item("1", "Anna likes tea", "") }]);
    });
    let out = without_time(&out);
    let begin = "== session a\n-- system\nNotes of : use `note`.\n-- tools\nnote\n-- user · session a · turn 1\nwhat to serve?\n\n<memory-context>\n";
    assert!(out.starts_with(begin), "{out}");
    assert!(
        out.contains("\n- Anna likes tea\n</memory-context>\n🧠 notes — recalled 1 memory\n-- assistant\ntea\n"),
        "{out}"
    );
    assert!(out.ends_with("turn 2\nand then?\n🧠 notes — recalled nothing new\n(no answer)"), "{out}");
    assert_eq!(out.matches("-- system").count(), 1);
}

#[test]
fn sessions_switch_and_end_in_order() {
    let lines = [
        said("a", "user", "what to serve?"),
        said("a", "assistant", "tea"),
        said("b", "user", "and for Boris?"),
        said("b", "assistant", "coffee"),
        said("a", "user", "and for Anna?"),
        said("a", "assistant", "tea again"),
    ];
    let (_, err, shared) = play(&lines, Form::Text, Detail::Said, |_| {});
    assert_eq!(err, "");
    assert_eq!(
        shared.writes(),
        [
            "sync_turn",
            "on_session_switch",
            "sync_turn",
            "on_session_end",
            "on_session_switch",
            "sync_turn",
            "on_session_end"
        ]
    );
    let ended: Vec<Value> =
        shared.requests(Hook::OnSessionEnd).iter().map(|end| end["caller"]["origin"]["session"].clone()).collect();
    assert_eq!(ended, ["b", "a"]);
}

#[test]
fn each_turn_is_one_object() {
    let mut first = said("a", "user", "what to serve?");
    first["timestamp"] = json!("2026-01-05T12:00:00Z");
    first["scope"] = json!({"user": "anna"});
    let lines = [first, calls("a", "1", "note"), said("a", "assistant", "tea"), said("a", "user", "ok")];
    let (out, _, shared) = play(&lines, Form::Json, Detail::Said, |shared| shared.fault(Hook::Prefetch, Fault::Hang));
    let mut turns: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(turns[0]["recall"]["ms"].take().is_f64());
    assert_eq!(
        turns[0],
        json!({
            "session_id": "a", "turn": 1, "at": 1_767_614_400_000_u64, "user": "what to serve?",
            "line": "🧠 notes — no recall: timed out after 2000 ms (a late answer will serve the next turn)",
            "recall": {"memories": [], "late": 0, "known": 0, "withheld": 0, "ms": null, "problem": "timed out after 2000 ms"},
            "tools": [{"tool": "note", "ok": true, "result": {"got": {"a": 1}}, "arguments": "{\"a\":1}"}],
            "answer": "tea", "interrupted": false,
        })
    );
    assert_eq!((&turns[1]["recall"], &turns[1]["interrupted"]), (&json!({"skipped": "trivial"}), &json!(true)));
    assert_eq!(turns.len(), 2);
    let caller = &shared.requests(Hook::SyncTurn)[0]["caller"];
    assert_eq!((&caller["scope"]["user"], &caller["origin"]["at"]), (&json!("anna"), &json!(1_767_614_400_000_u64)));
}

#[test]
fn what_belongs_to_no_turn_is_named() {
    let lines = [
        said("a", "system", "be nice"),
        said("a", "assistant", "hello"),
        calls("a", "1", "note"),
        result("a", "1", "x"),
    ];
    let (_, err, shared) = play(&lines, Form::Json, Detail::Said, |_| {});
    let places: Vec<&str> = err.lines().filter_map(|line| line.split(": passed over").next()).collect();
    let expected: Vec<String> = (1..=4).map(|number| format!("warning: talk.jsonl:{number}")).collect();
    assert_eq!(places, expected);
    assert_eq!(shared.writes(), ["on_session_end"]);
}

#[test]
fn bad_lines_are_named_and_nothing_is_run() {
    let (ui, _, err) = captured::ui();
    let (_, bad) = input::read("{}\n{\"role\": \"user\"".as_bytes(), &Scope::default());
    let failure = check("talk.jsonl", bad, &ui).unwrap_err();
    assert_eq!(failure.message, "`talk.jsonl` was not replayed: 2 lines are not a message of a conversation");
    assert!(
        err.text().starts_with("warning: talk.jsonl:1: not a message: ")
            && err.text().contains("talk.jsonl:2: not JSON")
    );
}
