//! What has yet to reach a provider: seen, tried again, forgotten, and kept when the provider goes.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::scene::Scene;

fn talk(session: &str, texts: &[&str]) -> String {
    let line = |role: &str, text: &str| format!("{}\n", json!({"session_id": session, "role": role, "content": text}));
    texts.iter().map(|text| line("user", text) + &line("assistant", "Well.")).collect()
}

#[test]
fn a_session_that_is_replayed_again_goes_on_counting_and_is_shown_whole() {
    let scene = Scene::with_faulty();
    scene.write("talk.jsonl", talk("a", &["What is new in Riga?", "And in Tartu?"]));
    let numbers = || -> Vec<(Value, bool)> {
        let out = scene.run("replay --live --json --show-prompt talk.jsonl").out;
        let turns = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        turns.map(|turn| (turn["turn"].clone(), turn["system_prompt"].is_string())).collect()
    };
    assert_eq!(numbers(), [(json!(1), true), (json!(2), false)]);
    assert_eq!(numbers(), [(json!(3), true), (json!(4), false)]);
}

/// One turn was refused, and one waits for a service that is down.
fn with_two_kinds() -> Scene {
    let scene = Scene::with_faulty();
    scene.does("config set memory.shutdown_timeout 100ms");
    scene.write("refused.jsonl", talk("a", &["error invalid_input"]));
    assert_eq!(scene.run("replay --live refused.jsonl").status, 1);
    scene.write("down.jsonl", talk("b", &["down the cellar"]));
    let ran = scene.run("replay --live down.jsonl");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    scene
}

fn without_times(text: &str) -> String {
    let mut text = text.replace("tried once", "tried [n] times");
    for tries in 2..9 {
        text = text.replace(&format!("tried {tries} times"), "tried [n] times");
    }
    for unit in ["just now", " s ago"] {
        while let Some(end) = text.find(unit) {
            let start = text[..end].rfind(", ").map_or(end, |at| at + 2);
            text.replace_range(start..end + unit.len(), "[ago]");
        }
    }
    text
}

#[test]
fn what_waits_is_listed_and_shown() {
    let scene = with_two_kinds();
    let listed = scene.says("memory outbox list");
    assert_snapshot!(without_times(&listed), @"
    exit 0
    ---- out
    1  faulty  turn 1 of session a, [ago]  given up: `faulty`: told to fail: invalid_input
    2  faulty  turn 1 of session b, [ago]  waits, tried [n] times: `faulty`: the service is down
    ---- err
    hint: `hermes memory outbox retry` tries again now
    ");
    assert_snapshot!(without_times(&scene.says("memory outbox list --dead")), @"
    exit 0
    ---- out
    1  faulty  turn 1 of session a, [ago]  given up: `faulty`: told to fail: invalid_input
    ---- err
    hint: `hermes memory outbox retry` tries again now
    ");
    let shown = scene.json("memory outbox show 1");
    assert_eq!((&shown["state"], &shown["what"]), (&json!("dead"), &json!("turn 1 of session a")));
    assert_eq!(shown["payload"]["messages"][0]["content"], "error invalid_input");
    let listed = scene.json("memory outbox list");
    assert_eq!((&listed["providers"][0]["waiting"], &listed["providers"][0]["dead"]), (&json!(1), &json!(1)));
    let exported = scene.run("memory outbox export --output rows.jsonl");
    assert_eq!((exported.status, exported.out.as_str()), (0, ""));
    let lines: Vec<Value> = scene.read("rows.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["payload"]["messages"][0]["content"], "down the cellar");
    assert_snapshot!(scene.says("memory outbox show 77"), @"
    exit 1
    ---- err
    error: there is no such delivery 77
    hint: `hermes memory outbox list` shows those that wait or were given up
    ");
}

#[test]
fn what_was_given_up_is_tried_again_when_somebody_says_so() {
    let scene = with_two_kinds();
    scene.write("home/plugins/data/faulty/release", "");
    let ran = scene.run("memory outbox retry");
    assert_eq!(ran.status, 1, "one is refused as ever: {}", ran.shown());
    assert!(ran.err.contains("1 delivery reached its provider"), "{}", ran.shown());
    let left = scene.json("memory outbox list");
    let left: Vec<_> = left["deliveries"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
    assert_eq!(left, [json!(1)]);
    assert_snapshot!(scene.says("memory outbox retry 2"), @"
    exit 1
    ---- err
    error: there is no such delivery 2
    hint: `hermes memory outbox list` shows those that wait or were given up
    ");
}

#[test]
fn nothing_is_forgotten_by_mistake() {
    let scene = with_two_kinds();
    assert_snapshot!(scene.says("memory outbox drop"), @"
    exit 2
    ---- err
    error: which deliveries are to be forgotten?
    hint: name their numbers, `--dead`, `--provider <NAME>`, or `--all`
    ");
    assert_snapshot!(scene.says("memory outbox drop 1"), @"
    exit 2
    ---- err
    error: nothing was forgotten: nobody can be asked here
    hint: run the same command with `--yes`
    ");
    assert_snapshot!(scene.says("memory outbox drop 1 --yes"), @"
    exit 0
    ---- err
    forgot 1 delivery
    ");
    assert_snapshot!(scene.says("memory outbox drop --all --yes --json"), @r#"
    exit 0
    ---- out
    {
      "dropped": 1
    }
    "#);
    assert_snapshot!(scene.says("memory outbox list"), @"
    exit 0
    ---- err
    nothing waits: everything has reached its provider
    ");
}

#[test]
fn what_waits_stays_when_its_provider_goes() {
    let scene = with_two_kinds();
    assert_snapshot!(scene.says("memory off"), @"
    exit 0
    ---- err
    `faulty` is off; its data stays in `/home/plugins/data/faulty`, and `hermes memory setup faulty` brings it back
    2 deliveries for it are kept until `faulty` is back; `hermes memory outbox list` shows what
    ");
    let ran = scene.run("plugins remove faulty --yes");
    assert!(ran.err.contains("2 deliveries for it are kept until `faulty` is back"), "{}", ran.shown());
    assert_eq!(scene.json("memory outbox list")["deliveries"].as_array().unwrap().len(), 2);
    scene.does("memory setup faulty --yes");
    scene.write("home/plugins/data/faulty/release", "");
    scene.write("more.jsonl", talk("c", &["as ever"]));
    assert_eq!(scene.run("replay --live more.jsonl").status, 0);
    let left = scene.json("memory outbox list");
    assert_eq!(left["deliveries"].as_array().unwrap().len(), 1, "the next conversation takes it along: {left}");
}

#[test]
fn an_empty_outbox_says_so() {
    let scene = Scene::with_faulty();
    assert_snapshot!(scene.says("memory outbox list"), @"
    exit 0
    ---- err
    nothing waits: everything has reached its provider
    ");
    assert_snapshot!(scene.says("memory outbox retry --json"), @r#"
    exit 0
    ---- out
    {
      "delivered": 0,
      "waiting": []
    }
    ---- err
    nothing waits: everything has reached its provider
    "#);
    assert_snapshot!(scene.says("memory outbox export"), @"exit 0");
}

#[test]
fn the_status_tells_what_waits_and_what_was_given_up() {
    let scene = with_two_kinds();
    let status = scene.json("memory status");
    assert_eq!((&status["state"], &status["outbox"][0]["waiting"]), (&json!("degraded"), &json!(1)));
    let said = scene.run("memory status");
    assert!(said.out.contains("problem: deliveries: 1 given up, and kept\n"), "{}", said.shown());
    assert!(said.out.contains("outbox of faulty: 1 to deliver, the oldest "), "{}", said.shown());
    assert!(said.err.contains("`hermes memory outbox retry` tries again now"), "{}", said.shown());
    scene.does("memory off");
    assert!(scene.run("memory status").out.contains("outbox of faulty: 1 to deliver"), "whatever is in use");
}
