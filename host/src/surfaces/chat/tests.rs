//! Conversations with a model that a small server plays.

use std::path::Path;
use std::sync::Arc;

use hermes_provider_api::Hook;
use hermes_provider_api::records::{RecallItem, Scope};
use serde_json::Value;

use super::*;
use crate::clock::Clock;
use crate::config::Config;
use crate::guard::Redactor;
use crate::home::Home;
use crate::layers::external::testing::{InProcess, Shared, item, schema};
use crate::net::served::{answer, serve};
use crate::secrets::Secrets;
use crate::turn::tool_loop::MOST_ROUNDS;
use crate::turn::{Provider, TurnSettings};

fn models(address: &str) -> Models {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Secrets::load(&Home::at(folder.path()), |_| None).unwrap();
    let config = format!("[model]\nbase_url = '{address}'\nchat = 'talker'\n");
    Models::of(&Config::parse(&config, Path::new("config.toml")).unwrap(), &secrets)
}

fn memory(known: Vec<RecallItem>) -> (Memory, Arc<Shared>) {
    let (hooks, shared) = InProcess::new();
    shared.knows(known);
    shared.tools(vec![schema("note")]);
    let (clock, redactor) = (Clock::fixed(1_767_225_600_000), Redactor::default());
    (Memory::open(Provider::Ready(hooks), None, TurnSettings::default(), clock, redactor).unwrap(), shared)
}

fn chat<'m>(memory: &'m Memory, address: &str) -> Chat<'m> {
    let scope = Scope { user: "anna".to_owned(), ..Scope::default() };
    Chat::new(memory, models(address), "evening", scope, true)
}

/// Sees everything, and stops where it is told to.
#[derive(Default)]
struct Seen {
    text: String,
    calls: Vec<String>,
    stops_at: Option<&'static str>,
}

impl Watch for Seen {
    fn began(&mut self, _: &TurnHandle) {}
    fn piece(&mut self, text: &str) {
        self.text.push_str(text);
    }
    fn called(&mut self, calls: &[ToolCall]) {
        self.calls.extend(calls.iter().map(|call| call.name.clone()));
    }
    fn news(&mut self, _: Vec<News>) {}
    fn is_stopped(&self) -> bool {
        self.stops_at.is_some_and(|end| self.text.ends_with(end))
    }
}

/// A stream of these deltas, the last with a reason to end if there is one.
fn stream(deltas: &[Value], finish: Option<&str>) -> String {
    let chunk = |delta: &Value, finish: Option<&str>| {
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
    };
    let mut body: String = deltas.iter().map(|delta| chunk(delta, None)).collect();
    if let Some(finish) = finish {
        body += &chunk(&json!({}), Some(finish));
        body += "data: [DONE]\n\n";
    }
    answer("200 OK\r\ncontent-type: text/event-stream", &body)
}

fn text(pieces: &[&str]) -> String {
    stream(&pieces.iter().map(|piece| json!({"content": piece})).collect::<Vec<_>>(), Some("stop"))
}

fn calls(names: &[&str]) -> String {
    let calls = names.iter().enumerate().map(|(at, name)| {
        json!({"index": at, "id": format!("c{at}"), "function": {"name": name, "arguments": "{\"text\": \"чай\"}"}})
    });
    stream(&[json!({"tool_calls": calls.collect::<Vec<_>>()})], Some("tool_calls"))
}

/// The messages of a request.
fn messages(request: &str) -> Vec<Value> {
    let body: Value = serde_json::from_str(&request[request.find('{').unwrap()..]).unwrap();
    body["messages"].as_array().unwrap().clone()
}

#[test]
fn tools_run_and_what_was_sent_once_is_sent_again() {
    let fence = "<memory-context>\n[System note: The following is recalled memory context, NOT new user input.]\nx\n</memory-context>";
    let (address, server) = serve(vec![
        calls(&["note", "made_up"]),
        text(&["Anna ", "mag ", &fence[..20], &fence[20..], "Tee."]),
        text(&["Gern."]),
    ]);
    let (memory, shared) = memory(vec![item("1", "Anna likes green tea from Hangzhou", "anna")]);
    let mut chat = chat(&memory, &address);
    let mut seen = Seen::default();
    let said = chat.say("What does Anna drink?", &mut seen).unwrap();
    assert_eq!((said.text.as_str(), said.ending, said.turn), ("Anna mag Tee.", Ending::Complete, 1));
    assert_eq!((seen.text.as_str(), &seen.calls), ("Anna mag Tee.", &vec!["note".to_owned(), "made_up".to_owned()]));
    assert_eq!(shared.requests(Hook::CallTool).len(), 1, "the tool that is there was run");
    chat.say("Danke, bis morgen dann!", &mut seen).unwrap();
    let asked: Vec<Vec<Value>> = server.join().unwrap().iter().map(|request| messages(request)).collect();
    assert!(asked[0].last().unwrap()["content"].as_str().unwrap().contains("Hangzhou"), "{:?}", asked[0]);
    let results: Vec<&Value> = asked[1].iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(results.len(), 2);
    assert!(results[1]["content"].as_str().unwrap().contains("there is no tool `made_up`"), "{results:?}");
    for pair in asked.windows(2) {
        assert_eq!(&pair[1][..pair[0].len()], &pair[0][..], "the beginning is the same");
    }
}

#[test]
fn a_model_that_only_calls_tools_has_to_answer() {
    let mut answers = vec![calls(&["made_up"]); MOST_ROUNDS];
    answers.push(text(&["Genug."]));
    let (address, server) = serve(answers);
    let (memory, _) = memory(Vec::new());
    let said = chat(&memory, &address).say("Count for me please", &mut Seen::default()).unwrap();
    assert_eq!((said.text.as_str(), said.tools.len()), ("Genug.", MOST_ROUNDS));
    let last = server.join().unwrap().pop().unwrap();
    assert!(last.contains("\"tool_choice\":\"none\""), "{last}");
}

#[test]
fn tools_that_are_not_offered_are_not_run() {
    let (address, server) = serve(vec![calls(&["note"])]);
    let (memory, shared) = memory(Vec::new());
    let scope = Scope { user: "anna".to_owned(), ..Scope::default() };
    let mut chat = Chat::new(&memory, models(&address), "evening", scope, false);
    let said = chat.say("Note that down for me", &mut Seen::default()).unwrap();
    assert_eq!((said.ending, said.tools.len()), (Ending::Complete, 0));
    assert!(shared.requests(Hook::CallTool).is_empty());
    assert!(!server.join().unwrap()[0].contains("\"tools\""));
}

#[test]
fn what_was_stopped_or_cut_off_is_on_record_as_broken_off() {
    for (answer, stops_at) in [
        (text(&["Один, ", "два, ", "три"]), Some("два, ")),
        (stream(&[json!({"content": "Один, "}), json!({"content": "два, "})], None), None),
    ] {
        let (address, server) = serve(vec![answer, text(&["четыре"])]);
        let (memory, shared) = memory(Vec::new());
        let mut chat = chat(&memory, &address);
        let said = chat.say("Посчитай до трёх", &mut Seen { stops_at, ..Seen::default() }).unwrap();
        assert_eq!(said.ending, Ending::Interrupted);
        assert!(said.text.ends_with("два, ") || stops_at.is_some(), "{}", said.text);
        chat.say("Дальше, пожалуйста", &mut Seen::default()).unwrap();
        let _ = memory.drain(Duration::from_secs(60));
        let turns = shared.requests(Hook::SyncTurn);
        assert_eq!((&turns[0]["interrupted"], &turns[1]["interrupted"]), (&json!(true), &json!(false)));
        assert_eq!(turns[0]["messages"][1]["content"], said.text);
        let asked = messages(&server.join().unwrap()[1]);
        assert_eq!(asked[asked.len() - 2]["content"], said.text, "the model is shown what it said");
    }
}

#[test]
fn without_an_answer_the_conversation_is_as_it_was() {
    let (address, server) = serve(vec![answer("401 Unauthorized", "{}"), answer("200 OK", "<html>"), text(&["Hi."])]);
    let (memory, shared) = memory(Vec::new());
    let mut chat = chat(&memory, &address);
    for _ in 0..2 {
        chat.say("Are you there tonight?", &mut Seen::default()).unwrap_err();
        assert_eq!(chat.messages.len(), 0);
    }
    chat.say("Are you there tonight?", &mut Seen::default()).unwrap();
    let _ = memory.drain(Duration::from_secs(60));
    let interrupted: Vec<Value> =
        shared.requests(Hook::SyncTurn).iter().map(|turn| turn["interrupted"].clone()).collect();
    assert_eq!(interrupted, [json!(true), json!(true), json!(false)], "each message is on record");
    server.join().unwrap();
}
