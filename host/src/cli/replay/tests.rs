//! Recordings through a real provider in this process.

use std::sync::Arc;

use hermes_provider_api::records::RecallItem;
use hermes_provider_api::{ErrorKind, Hook};
use serde_json::{Value, json};

use super::*;
use crate::cli::ui::captured;
use crate::guard::Redactor;
use crate::layers::external::testing::{Fault, InProcess, Shared, item};
use crate::turn::{Provider, TurnSettings};

fn play(lines: &[Value], form: Form, detail: Detail, prepare: impl FnOnce(&Shared)) -> (String, String, Arc<Shared>) {
    let (out, err, shared, exit) = play_on(lines, form, detail, prepare);
    assert_eq!(exit, Exit::Success, "{err}");
    (out, err, shared)
}

fn play_on(
    lines: &[Value],
    form: Form,
    detail: Detail,
    prepare: impl FnOnce(&Shared),
) -> (String, String, Arc<Shared>, Exit) {
    let (hooks, shared) = InProcess::new();
    prepare(&shared);
    let clock = Clock::fixed(1_767_225_600_000);
    let memory =
        Memory::open(Provider::Ready(hooks), None, TurnSettings::default(), clock.clone(), Redactor::default())
            .unwrap();
    let (ui, out, err) = captured::ui();
    let bytes = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (lines, bad) = input::read(bytes.as_bytes(), &Scope::default());
    check("talk.jsonl", bad, &ui).unwrap();
    let mut show = Show { ui: &ui, form, detail };
    let exit = Replay::new(&memory, Scope::default(), "talk.jsonl", &clock, &mut show).play(&lines);
    let report = memory.shutdown();
    open::say_undelivered(&report, &ui);
    assert!(report.is_complete());
    (out.text(), err.text(), shared, exit)
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
fn an_id_used_again_is_another_call() {
    let lines = [
        said("a", "user", "what to serve?"),
        calls("a", "call_0", "note"),
        result("a", "call_0", "a stale result"),
        calls("a", "call_0", "web_search"),
        result("a", "call_0", "found"),
        calls("a", "call_0", "note"),
        said("a", "assistant", "tea"),
        said("a", "user", "and tomorrow, what then?"),
        result("a", "call_0", "of a call before the recording began"),
        said("a", "assistant", "coffee"),
    ];
    let (_, err, shared) = play(&lines, Form::Text, Detail::Said, |_| {});
    assert_eq!(err, "");
    let results = |turn: &Value| {
        let messages = turn["messages"].as_array().unwrap().iter();
        let results = messages.filter(|message| message["role"] == "tool");
        results.map(|message| message["content"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let results: Vec<_> = shared.requests(Hook::SyncTurn).iter().map(results).collect();
    let got = "{\"got\":{\"a\":1}}";
    assert_eq!(results, [vec![got, "found", got], vec!["of a call before the recording began"]]);
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
fn interleaved_sessions_keep_their_turns() {
    let lines = [
        said("a", "user", "what to serve?"),
        said("b", "user", "and for Boris?"),
        said("a", "assistant", "tea"),
        said("b", "assistant", "coffee"),
        said("b", "user", "and what with it?"),
        said("b", "assistant", "milk"),
    ];
    let (out, err, shared) = play(&lines, Form::Text, Detail::Said, |_| {});
    assert_eq!(err, "");
    assert_eq!(
        without_time(&out),
        "== session a\n-- user · session a · turn 1\nwhat to serve?\n🧠 notes — recalled nothing\n\
         == session b\n-- user · session b · turn 1\nand for Boris?\n🧠 notes — recalled nothing\n\
         == back to session a\n-- assistant\ntea\n\
         == back to session b\n-- assistant\ncoffee\n\
         -- user · session b · turn 2\nand what with it?\n🧠 notes — recalled nothing\n-- assistant\nmilk"
    );
    assert_eq!(
        shared.writes(),
        ["sync_turn", "on_session_end", "sync_turn", "on_session_switch", "sync_turn", "on_session_end"]
    );
    let turns: Vec<Value> = shared.requests(Hook::SyncTurn);
    assert!(turns.iter().all(|turn| turn["interrupted"] != json!(true)), "{turns:?}");
    let answers: Vec<&Value> = turns.iter().map(|turn| &turn["messages"][1]["content"]).collect();
    assert_eq!(answers, ["tea", "coffee", "milk"]);
}

#[test]
fn a_turn_without_an_answer_ends_below_its_own_session() {
    let lines = [
        said("a", "user", "ok"),
        said("b", "user", "thanks"),
        said("c", "user", "hi"),
        said("c", "assistant", "hello"),
        said("b", "user", "bye"),
    ];
    let (out, err, _) = play(&lines, Form::Text, Detail::Said, |_| {});
    assert_eq!(err, "");
    assert_eq!(
        out,
        "== session a\n-- user · session a · turn 1\nok\n(no answer)\n\
         == session b\n-- user · session b · turn 1\nthanks\n\
         == session c\n-- user · session c · turn 1\nhi\n-- assistant\nhello\n\
         == back to session b\n(no answer)\n-- user · session b · turn 2\nbye\n(no answer)\n"
    );
}

#[test]
fn what_is_sent_arrives_before_the_next_recall() {
    let mut lines = Vec::new();
    for session in ["a", "b", "c", "d", "e", "f"] {
        lines.extend([said(session, "user", "what to serve?"), said(session, "assistant", "tea")]);
    }
    let (_, err, shared) = play(&lines, Form::Text, Detail::Said, |_| {});
    assert_eq!(err, "");
    let calls = shared.calls.lock().unwrap();
    let order = calls.iter().map(|(hook, _)| *hook);
    let order: Vec<Hook> = order.filter(|hook| *hook == Hook::Prefetch || hook.writes()).collect();
    let session = [Hook::Prefetch, Hook::SyncTurn, Hook::OnSessionEnd, Hook::OnSessionSwitch];
    let expected: Vec<Hook> = session.into_iter().cycle().take(order.len()).collect();
    assert_eq!((&order, order.len()), (&expected, 23));
}

#[test]
fn what_is_lost_on_the_way_is_a_failure() {
    let lines = [said("a", "user", "what to serve?"), said("a", "assistant", "tea"), said("a", "user", "and then?")];
    let (_, err, shared, exit) = play_on(&lines, Form::Text, Detail::Said, |shared| {
        shared.fault(Hook::SyncTurn, Fault::Error(ErrorKind::InvalidInput));
    });
    assert!(err.starts_with("warning: turn 1 of session a did not reach the provider: "), "{err}");
    assert_eq!((exit, shared.requests(Hook::SyncTurn).len()), (Exit::Failed, 2));
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
            "line": "🧠 notes — no recall: timed out after 2000 ms (a late answer serves the next turn of its session) — see `hermes memory status`",
            "recall": {"memories": [], "late": 0, "known": 0, "withheld": 0, "blocked": 0, "ms": null, "problem": "timed out after 2000 ms"},
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
