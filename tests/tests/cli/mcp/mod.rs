//! `hermes mcp`, spoken to as any program may: the real binary over pipes, with the real provider and one that fails.

mod client;
mod http;
mod inspector;
mod install;
mod offered;
mod python;
mod secrets;
mod trouble;
mod web;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::scene::Scene;
use client::{Called, Client};

const OWN: [&str; 3] = ["memory_recall", "memory_record_turn", "memory_status"];

/// Without a provider there are also the memory files and the archive.
const ALONE: [&str; 5] = ["memory", "session_search", OWN[0], OWN[1], OWN[2]];

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn a_client_sees_the_tools_of_the_command_line_and_three_more() {
    let scene = Scene::with_memory();
    let mut client = Client::silent(&scene, "mcp");
    let greeting = client.greet("probe");
    assert_eq!(greeting["serverInfo"]["name"], "hermes");
    assert_eq!(
        greeting["capabilities"],
        json!({
            "tools": {"listChanged": true}, "resources": {"listChanged": true}, "prompts": {"listChanged": true},
        })
    );
    let instructions = greeting["instructions"].as_str().unwrap();
    assert!(OWN.iter().all(|tool| instructions.contains(tool)), "{instructions}");

    let seen = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let listed = scene.json("tools list");
    let listed = listed["tools"].as_array().unwrap();
    let (provided, own) = seen.as_array().unwrap().split_at(listed.len());
    for (seen, listed) in provided.iter().zip(listed) {
        let listed = &listed["function"];
        assert_eq!((&seen["name"], &seen["description"]), (&listed["name"], &listed["description"]));
        assert_eq!(seen["inputSchema"], listed["parameters"]);
    }
    assert_eq!(names(&Value::from(own)), OWN);
    let hints: Vec<_> = seen.as_array().unwrap().iter().map(|tool| (&tool["name"], &tool["annotations"])).collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&hints).unwrap(), @r#"
    [
      [
        "memory",
        {
          "destructiveHint": true,
          "idempotentHint": false,
          "readOnlyHint": false
        }
      ],
      [
        "session_search",
        {
          "destructiveHint": false,
          "idempotentHint": true,
          "readOnlyHint": true
        }
      ],
      [
        "fact_store",
        {
          "destructiveHint": true,
          "idempotentHint": false,
          "readOnlyHint": false
        }
      ],
      [
        "fact_feedback",
        {
          "destructiveHint": false,
          "idempotentHint": false,
          "readOnlyHint": false
        }
      ],
      [
        "memory_recall",
        {
          "destructiveHint": false,
          "idempotentHint": true,
          "openWorldHint": false,
          "readOnlyHint": true
        }
      ],
      [
        "memory_record_turn",
        {
          "destructiveHint": false,
          "idempotentHint": false,
          "openWorldHint": false,
          "readOnlyHint": false
        }
      ],
      [
        "memory_status",
        {
          "destructiveHint": false,
          "idempotentHint": true,
          "openWorldHint": false,
          "readOnlyHint": true
        }
      ]
    ]
    "#);

    let resources = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(resources[0]["uri"], "hermes://status");
    assert_eq!(resources[1]["uri"], "hermes://system-prompt");
    let read = |client: &mut Client<'_>, uri: &str| client.ask("resources/read", json!({"uri": uri}));
    let status = read(&mut client, "hermes://status")["result"]["contents"][0].clone();
    assert_eq!(status["mimeType"], "application/json");
    let status: Value = serde_json::from_str(status["text"].as_str().unwrap()).unwrap();
    assert_eq!((&status["provider"], &status["state"]), (&json!("holographic"), &json!("ok")));
    let prompt = read(&mut client, "hermes://system-prompt");
    assert!(prompt["result"]["contents"][0]["text"].as_str().unwrap().contains("fact_store"), "{prompt}");
    assert_eq!(read(&mut client, "hermes://other")["error"]["code"], -32002);
    let ran = client.end();
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
}

#[test]
fn what_one_client_keeps_another_recalls_in_any_language() {
    let scene = Scene::with_memory();
    let facts = [
        ("Собака Веры, Бисквит, не переносит курицу", "Чем угостить Бисквита?", "курицу"),
        ("سگ ورا به مرغ حساسیت دارد و می\u{200c}خارد", "سگ ورا چه بخورد؟", "حساسیت"),
        ("สุนัขของเวร่าแพ้ไก่", "สุนัขของเวร่ากินอะไรได้", "แพ้ไก่"),
        ("薇拉的狗对鸡肉过敏", "薇拉的狗能吃什么？", "过敏"),
    ];
    let mut first = Client::connect(&scene, "First");
    for (fact, ..) in facts {
        let kept = first.call("fact_store", json!({"action": "add", "content": fact}));
        assert_eq!(kept.structured["status"], "added", "{kept:?}");
    }
    let mut second = Client::connect(&scene, "Second");
    for (fact, question, word) in facts {
        // Asked twice, it is told twice: a client may have another conversation by then.
        for _ in 0..2 {
            let recalled = second.call("memory_recall", json!({"message": question}));
            assert!(!recalled.failed && recalled.text.contains(word), "{question}: {recalled:?}");
            let memories = recalled.structured["memories"].as_array().unwrap();
            assert!(memories.iter().any(|memory| memory["text"] == fact), "{question}: {memories:?}");
        }
    }
    let greeted = second.call("memory_recall", json!({"message": "спасибо!"}));
    assert!(!greeted.failed && greeted.structured == json!({"memories": []}), "{greeted:?}");
    let unknown = second.call("memory_recall", json!({"message": "Which planet has the most moons?"}));
    assert!(!unknown.failed && unknown.structured["memories"] == json!([]), "{unknown:?}");
    let kept = second.call("memory_record_turn", json!({"user": "Чем угостить?", "assistant": "Морковью."}));
    assert!(!kept.failed && kept.structured == json!({"turn": 1, "state": "archived"}), "{kept:?}");
    // It is handed sessions, and may read statements out of them: that it learns nothing would be too much said.
    assert!(kept.text.contains("at most the session when it ends: keep"), "{kept:?}");

    let hooks = second.status()["hooks"].clone();
    let prefetch = hooks.as_array().unwrap().iter().find(|hook| hook["hook"] == "prefetch").unwrap().clone();
    assert!(prefetch["calls"].as_u64() >= Some(9), "the calls of a running connection are counted: {prefetch}");
    assert_eq!((first.end().status, second.end().status), (0, 0));
}

#[test]
fn the_client_is_the_platform_and_its_root_the_project() {
    let scene = Scene::with_memory();
    let roots = json!([{"uri": "file:///home/%D0%B2%D0%B5%D1%80%D0%B0/my%20app", "name": "app"}, {"uri": "file:///b"}]);
    let mut client = Client::connect_with_roots(&scene, "  Claude   Code ", Some(roots));
    let session = client.status()["session"].clone();
    assert_eq!((&session["platform"], &session["project"]), (&json!("claude-code"), &json!("/home/вера/my app")));
    client.roots = Some(json!([{"uri": "file:///c/"}]));
    client.tell("notifications/roots/list_changed");
    let changed = client.status()["session"].clone();
    assert_eq!((&changed["project"], &changed["id"]), (&json!("/c"), &session["id"]));
    client.roots = Some(json!("nonsense"));
    client.tell("notifications/roots/list_changed");
    assert_eq!(client.status()["session"]["project"], "");

    let mut nameless = Client::connect(&scene, "\u{7}");
    let other = nameless.status()["session"].clone();
    assert_eq!((&other["platform"], &other["project"]), (&json!("mcp"), &json!("")));
    assert_ne!(other["id"], session["id"]);
}

#[test]
fn the_newest_roots_count_whichever_answer_comes_last() {
    let scene = Scene::with_memory();
    let mut client = Client::connect_with_roots(&scene, "probe", Some(json!([{"uri": "file:///a"}])));
    assert_eq!(client.status()["session"]["project"], "/a");
    let asked = |message: &Value| message["method"] == "roots/list";
    let mut questions = Vec::new();
    for _ in 0..2 {
        client.tell("notifications/roots/list_changed");
        questions.push(client.wait(asked)["id"].clone());
    }
    client.tell_roots(&questions[1], &json!([{"uri": "file:///new"}]));
    assert_eq!(client.status()["session"]["project"], "/new");
    client.tell_roots(&questions[0], &json!([{"uri": "file:///old"}]));
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    assert_eq!(client.status()["session"]["project"], "/new");
}

#[test]
fn a_recorded_turn_is_delivered_before_the_end() {
    let scene = Scene::with_faulty();
    let mut client = Client::connect(&scene, "probe");
    let turn = |text: &str| json!({"user": text, "assistant": "Well."});
    let recorded = client.call("memory_record_turn", turn("a first one"));
    assert_eq!((recorded.failed, &recorded.structured), (false, &json!({"turn": 1, "state": "recorded"})));
    // The last thing that is heard of this client.
    for number in 0..5 {
        client.send_call("memory_record_turn", turn(&format!("at the end, number {number}")));
    }
    let ran = client.end();
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let started = scene.read("home/plugins/data/faulty/started");
    for number in 0..5 {
        assert_eq!(started.matches(&format!("sync_turn at the end, number {number}\n")).count(), 1, "{started}");
    }
    assert_eq!(started.matches("sync_turn a first one\n").count(), 1, "{started}");
    assert!(started.trim_end().ends_with(" drop"), "the provider was closed: {started}");
}

#[test]
fn a_signal_ends_it_properly() {
    for signal in [Signal::TERM, Signal::INT] {
        let scene = Scene::with_faulty();
        let mut client = Client::connect(&scene, "probe");
        client.call("memory_record_turn", json!({"user": "kept", "assistant": "Well."}));
        let ran = client.ended_by(signal);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{signal:?}");
        let started = scene.read("home/plugins/data/faulty/started");
        assert!(started.contains("sync_turn kept\n") && started.trim_end().ends_with(" drop"), "{started}");
    }
}

#[test]
fn two_clients_share_a_home() {
    let scene = Scene::with_memory();
    let mut clients = [Client::connect(&scene, "left"), Client::connect(&scene, "right")];
    let mut sent = Vec::new();
    for number in 0..10 {
        for (which, client) in clients.iter_mut().enumerate() {
            let content = format!("Shepherd {which} has counted sheep up to {number}");
            sent.push((which, client.send_call("fact_store", json!({"action": "add", "content": content}))));
        }
    }
    for (which, id) in sent {
        assert_eq!(Called::of(&clients[which].answer(id)).structured["status"], "added");
    }
    for client in &mut clients {
        let listed = client.call("fact_store", json!({"action": "list", "limit": 100}));
        assert_eq!(listed.structured["count"], 20, "{listed:?}");
    }
    for client in clients {
        assert_eq!(client.end().status, 0);
    }
}
