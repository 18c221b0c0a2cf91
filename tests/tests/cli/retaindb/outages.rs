//! A service that is away, a key that is taken back, and turns that nobody can store: nothing is lost.

use hermes_tests::wait::until;
use hermes_tests_retaindb::{Fault, KEY, Server};
use serde_json::Value;

use super::scene::{ready, setup, talk};
use crate::scene::Scene;
use crate::shown::words;

/// How much waits, and how much was given up.
#[track_caller]
fn backlog(scene: &Scene) -> (u64, u64) {
    let of = &scene.json("memory outbox list")["providers"][0];
    let number = |name: &str| of[name].as_u64().unwrap_or_default();
    (number("waiting"), number("dead"))
}

fn numbered(session: &str, numbers: std::ops::Range<usize>) -> (String, Vec<String>) {
    let texts: Vec<_> = numbers.map(|number| format!("В {session} я запомнил число {number}")).collect();
    let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
    (talk(session, &lines), texts)
}

/// More than any queue of a few hundred rows, and not one of them waits for a restart.
#[test]
fn three_hundred_turns_outlast_an_outage() {
    let (scene, server) = ready();
    scene.does("config set memory.shutdown_timeout 100ms");
    server.set_down(true);
    let (recording, texts) = numbered("monday", 0..300);
    scene.write("talk.jsonl", recording);
    let ran = scene.run("replay --live talk.jsonl");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    // And the end of the session.
    assert_eq!((backlog(&scene), server.cloud.said().len()), ((301, 0), 0));

    server.set_down(false);
    scene.does("memory outbox retry");
    assert_eq!(backlog(&scene), (0, 0));
    assert_eq!(server.cloud.said(), texts, "each once, in order");
}

/// A key that is revoked is nobody's turn's fault.
#[test]
fn a_key_that_is_taken_back_costs_no_turn() {
    let (scene, server) = ready();
    scene.does("config set memory.shutdown_timeout 100ms");
    let (before, mut texts) = numbered("monday", 0..2);
    scene.write("before.jsonl", before);
    scene.does("replay --live before.jsonl");
    scene.does("memory outbox retry");

    server.cloud.set_key("rdb_fresh_key_Zq81LmT0vB4nX7");
    let (meanwhile, more) = numbered("monday", 2..8);
    texts.extend(more);
    scene.write("meanwhile.jsonl", meanwhile);
    scene.run("replay --live meanwhile.jsonl");
    // And the end of the session.
    assert_eq!(backlog(&scene), (7, 0));
    let refused = server.cloud.asked_for("POST /v1/memory/ingest/session").split_off(2);
    let alone = refused.iter().all(|request| request.json()["messages"][0]["content"] == texts[2]);
    assert!(alone && !refused.is_empty(), "the provider is left alone after the first refusal: {refused:?}");
    let status = scene.run("memory status");
    assert!(status.out.contains("401") && status.out.contains("7 to deliver"), "{}", status.shown());

    scene.does(&setup(&server, "rdb_fresh_key_Zq81LmT0vB4nX7"));
    scene.does("memory outbox retry");
    assert_eq!((backlog(&scene), server.cloud.said()), ((0, 0), texts));
}

/// A turn that is too large for the service is its own fault: the next ones do not wait behind it.
#[test]
fn what_the_service_refuses_for_itself_is_put_aside() {
    let (scene, server) = ready();
    server.cloud.fail("/ingest/session", 1, Fault::Says(413, r#"{"error": "request entity too large"}"#));
    let (recording, texts) = numbered("monday", 0..3);
    scene.write("talk.jsonl", recording);
    scene.run("replay --live talk.jsonl");
    assert_eq!((backlog(&scene), server.cloud.said()), ((0, 1), texts[1..].to_vec()));
    let listed = scene.does("memory outbox list --dead");
    assert!(listed.contains("RetainDB answers 413 to POST /v1/memory/ingest/session"), "{listed}");
    scene.does("memory outbox retry");
    assert_eq!((backlog(&scene), server.cloud.said().len()), ((0, 0), 3));
}

/// The service asks for patience: the provider is left alone for as long, and nothing is lost.
#[test]
fn a_service_that_is_asked_too_often_is_left_alone() {
    let (scene, server) = ready();
    scene.does("config set memory.shutdown_timeout 100ms");
    server.cloud.fail("/ingest/session", 1, Fault::TooMany(Some(1)));
    let (recording, texts) = numbered("monday", 0..3);
    scene.write("talk.jsonl", recording);
    scene.run("replay --live talk.jsonl");
    until("all has arrived", || {
        scene.run("memory outbox retry");
        (backlog(&scene) == (0, 0)).then_some(())
    });
    assert_eq!(server.cloud.said(), texts);
}

/// Several processes of one home write through one queue: each turn arrives once, in the order of its session.
#[test]
fn several_conversations_at_once_have_one_writer() {
    let (scene, server) = ready();
    let sessions = ["one", "two", "three"];
    for session in sessions {
        scene.write(&format!("{session}.jsonl"), numbered(session, 0..10).0);
    }
    let run = |session: &str| scene.command(words(&format!("replay --live {session}.jsonl"))).spawn().unwrap();
    for child in sessions.map(run) {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    scene.run("memory outbox retry");
    for session in sessions {
        assert_eq!(said_in(&server, session), numbered(session, 0..10).1);
    }
    assert_eq!(server.cloud.said().len(), 30);
}

fn said_in(server: &Server, session: &str) -> Vec<String> {
    let turns = server.cloud.ingested();
    let turns = turns.iter().filter(|turn| turn["session_id"] == session);
    turns.map(|turn| turn["messages"][0]["content"].as_str().unwrap().to_owned()).collect()
}

/// A service that accepts a call and never answers costs a turn its recall, and nothing else.
#[test]
fn a_service_that_hangs_is_not_waited_for() {
    let (scene, server) = ready();
    scene.does("config set timeouts.prefetch 300ms");
    server.cloud.fail("/v1/context", 1000, Fault::Waits);
    server.cloud.fail("/profile", 1000, Fault::Waits);
    scene.write("talk.jsonl", numbered("monday", 0..2).0);
    let lines = scene.does("replay --live talk.jsonl --json");
    let turns: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(turns.len(), 2);
    assert!(turns[0]["recall"].to_string().contains("time"), "{}", turns[0]["recall"]);
    assert_eq!((backlog(&scene), server.cloud.said().len()), ((0, 0), 2));
    server.cloud.heal();
}

/// Keys of memory services do not leave with a turn, whichever of them they belong to.
#[test]
fn keys_in_a_conversation_stay_here() {
    let (scene, server) = ready();
    let keys = [
        KEY,
        "retaindb_4f9Kq2LmX8vB1nZcW3tY",
        "hsk-4f9Kq2LmX8vB1nZcW3tY6pQd",
        "mem0_4f9Kq2LmX8vB1nZcW3tY6pQd",
        "brv_4f9Kq2LmX8vB1nZcW3tY6pQd",
    ];
    let texts: Vec<_> = keys.iter().map(|key| format!("The tool printed {key} and ended")).collect();
    let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
    scene.write("talk.jsonl", talk("monday", &lines));
    scene.does("replay --live talk.jsonl");
    let sent = server
        .cloud
        .asked()
        .iter()
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .collect::<String>();
    assert_eq!(server.cloud.said().len(), keys.len());
    for key in keys {
        assert!(!sent.contains(key), "{key}");
    }
}
