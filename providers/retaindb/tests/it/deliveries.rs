//! Turns and notes: what the service is sent, how often, and what it is not sent.

use hermes_provider_api::records::{MemoryTarget, MemoryWrite, OpenRequest, Turn, WriteAction};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _};
use hermes_provider_retaindb::RetainDb;
use hermes_tests_retaindb::{Fault, KEY, Kind};
use serde_json::json;

use crate::support::{Case, NOW, URL, send};

fn add(key: &str, content: &str) -> MemoryWrite {
    MemoryWrite { idempotency_key: key.into(), content: content.into(), ..MemoryWrite::default() }
}

#[test]
fn a_turn_is_what_the_user_said_and_the_answer() {
    let case = Case::new();
    case.sync(&case.turn("k1", "Я переехал в Ригу\0", "Записал.")).unwrap();
    let taken = case.cloud.ingested().remove(0);
    let at = "2026-01-01T00:00:00.000Z";
    assert_eq!(
        taken,
        json!({"project": "default", "user_id": "default", "session_id": "s1", "write_mode": "async", "messages": [
            {"role": "user", "content": "Я переехал в Ригу", "timestamp": at},
            {"role": "assistant", "content": "Записал.", "timestamp": at},
        ]})
    );
    let asked = case.cloud.asked_for("POST /v1/memory/ingest/session").remove(0);
    assert_eq!(asked.header("x-sdk-runtime"), "hermes-plugin");
    assert!((1..=200).contains(&asked.header("idempotency-key").len()));
}

/// An answer that was broken off is nobody's word, and a turn without words of the user is none.
#[test]
fn what_was_broken_off_is_not_sent_as_if_it_were_finished() {
    let case = Case::new();
    case.sync(&Turn { interrupted: true, ..case.turn("k1", "Tell me all", "Operation interrup") }).unwrap();
    case.sync(&case.turn("k2", " \n", "Yes?")).unwrap();
    let messages = case.cloud.ingested().iter().map(|turn| turn["messages"].clone()).collect::<Vec<_>>();
    assert_eq!(messages.len(), 1);
    assert_eq!((messages[0].as_array().unwrap().len(), &messages[0][0]["content"]), (1, &json!("Tell me all")));
}

/// Hermes was killed after the service had answered, and delivers once more.
#[test]
fn what_has_arrived_is_not_sent_again() {
    let case = Case::new();
    let turn = case.turn("k1", "I moved to Riga", "Noted.");
    for _ in 0..2 {
        case.sync(&turn).unwrap();
        case.write(add("k2", "Ann drinks tea")).unwrap();
    }
    let (to, path) = (case.cloud.clone(), case.folder.path().to_owned());
    let host = FakeHost::new(case.folder.path())
        .with_config(json!({"base_url": URL}))
        .with_secret("RETAINDB_API_KEY", KEY)
        .with_http(move |request| send(&to, &path, request));
    let again = RetainDb::open(host.host(), OpenRequest::default()).unwrap();
    again.sync_turn(&turn, &Call::default()).unwrap();
    assert_eq!(case.cloud.said(), ["I moved to Riga"]);
    assert_eq!(case.stored(), ["I moved to Riga", "Ann drinks tea"]);
}

/// The service stored it, and its answer was lost.
#[test]
fn a_note_whose_answer_was_lost_is_not_doubled() {
    for fault in [Fault::GoneAfter, Fault::Half] {
        let case = Case::new();
        case.cloud.fail("POST /v1/memory", 1, fault);
        let error = case.write(add("k1", "Ann drinks tea")).unwrap_err();
        assert_eq!((error.kind, error.retryable), (ErrorKind::Unavailable, true));
        case.write(add("k1", "Ann drinks tea")).unwrap();
        assert_eq!(case.stored(), ["Ann drinks tea"]);
        assert_eq!(case.cloud.asked_for("POST /v1/memories").len(), 0, "an older route is no second try");
    }
}

#[test]
fn a_tenant_that_may_not_wait_is_served_at_once() {
    let case = Case::of(Kind::OnlyAsync);
    case.write(add("k1", "Ann drinks tea")).unwrap();
    case.write(add("k2", "Boris plays chess")).unwrap();
    assert_eq!(case.stored(), ["Ann drinks tea", "Boris plays chess"]);
    assert_eq!(case.cloud.asked_for("POST /v1/memory").len(), 3, "it is refused once");
}

/// Accepted, learnt from and failed are three answers.
#[test]
fn a_job_that_failed_is_no_success() {
    let case = Case::new();
    case.sync(&case.turn("k1", "I moved to Riga", "Noted.")).unwrap();
    assert_eq!(case.cloud.asked_for("GET /v1/memory/jobs/job-1").len(), 1);
    let failed = r#"{"success": true, "job": {"id": "job-1", "status": "failed", "error": "no model"}}"#;
    case.cloud.fail("/v1/memory/jobs", 1, Fault::Says(200, failed));
    let error = case.sync(&case.turn("k2", "I went away", "Oh.")).unwrap_err();
    assert_eq!((error.kind, error.message.ends_with("could not learn from it: no model")), (ErrorKind::Internal, true));
    // What goes on for long is the service's to finish; so is what it does not tell of.
    case.cloud.fail("/v1/memory/jobs", 9, Fault::Says(200, r#"{"success": true, "job": {"status": "processing"}}"#));
    case.sync(&case.turn("k3", "I came back", "Good.")).unwrap();
    case.cloud.heal();
    case.cloud.fail("/v1/memory/jobs", 1, Fault::Says(404, r#"{"success": false, "error": {"code": "NOT_FOUND"}}"#));
    case.sync(&case.turn("k4", "I stay here", "Good.")).unwrap();
}

/// A success that names errors and no memories is none.
#[test]
fn a_success_in_name_only_is_a_failure() {
    let case = Case::new();
    let nothing =
        r#"{"success": true, "messages_processed": 2, "memories_created": 0, "errors": ["model down", {"code": 5}]}"#;
    case.cloud.fail("ingest", 1, Fault::Says(200, nothing));
    let error = case.sync(&case.turn("k1", "I moved to Riga", "Noted.")).unwrap_err();
    assert_eq!(error.message, r#"RetainDB took the turn and learnt nothing from it: model down; {"code":5}"#);
    assert_eq!(error.kind, ErrorKind::Internal);
    case.cloud.fail(
        "ingest",
        1,
        Fault::Says(200, r#"{"success": true, "memories_created": 2, "errors": ["one part"]}"#),
    );
    case.sync(&case.turn("k1", "I moved to Riga", "Noted.")).unwrap();
    assert_eq!(case.cloud.asked_for("POST /v1/memory/ingest/session").len(), 2);
}

#[test]
fn notes_are_added_replaced_and_removed() {
    for kind in [Kind::Hosted, Kind::Older] {
        let case = Case::of(kind);
        case.write(add("k1", "Анна живёт в Риге")).unwrap();
        case.write(MemoryWrite { target: MemoryTarget::User, ..add("k2", "Anna prefers tea") }).unwrap();
        let kinds: Vec<_> = case.cloud.rows().into_iter().map(|row| row.kind).collect();
        assert_eq!(kinds, ["factual", "preference"]);
        let previous = "АННА ЖИВЁТ В РИГЕ".to_owned();
        case.write(MemoryWrite {
            action: WriteAction::Replace, previous, ..add("k3", "Анна живёт в Тарту")
        })
        .unwrap();
        assert_eq!(case.stored(), ["Anna prefers tea", "Анна живёт в Тарту"]);
        let previous = "Anna prefers tea".to_owned();
        case.write(MemoryWrite { action: WriteAction::Remove, previous: previous.clone(), ..add("k4", "") }).unwrap();
        // What is gone already is removed.
        case.write(MemoryWrite { action: WriteAction::Remove, previous, ..add("k5", "") }).unwrap();
        assert_eq!(case.stored(), ["Анна живёт в Тарту"]);
        case.write(MemoryWrite { action: WriteAction::Unknown, previous: case.stored().remove(0), ..add("k6", "x") })
            .unwrap();
        assert_eq!(case.stored(), ["Анна живёт в Тарту"]);
    }
}

#[test]
fn a_note_that_the_service_cannot_hold_is_its_own_fault() {
    let case = Case::new();
    let error = case.write(add("k1", &"я".repeat(10_001))).unwrap_err();
    let told = "a memory of 10001 characters: RetainDB takes 1 to 10000";
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::InvalidInput, told));
    case.write(add("k2", &"я".repeat(10_000))).unwrap();
}

fn with_soul(text: &str) -> Case {
    Case::with(Kind::Hosted, json!({"soul": "/home/ann"}), |fake| fake.with_file("soul", "SOUL.md", text))
}

/// Seeded at every start, an agent would be a hundred times what it is.
#[test]
fn the_service_is_told_once_who_the_agent_is() {
    let case = with_soul("Ты спокоен.\n");
    case.cloud.fail("/seed", 1, Fault::Says(503, "{}"));
    for key in ["k1", "k2", "k3"] {
        case.sync(&case.turn(key, "Hello there", "Hello.")).unwrap();
    }
    assert_eq!(case.cloud.seeds(), [json!({"project": "default", "content": "Ты спокоен.", "source": "soul_md"})]);
    assert_eq!(case.cloud.asked_for("POST /v1/memory/agent/hermes/seed").len(), 2, "a failure does not fail the turn");

    let start = |text: &str| {
        let (to, path) = (case.cloud.clone(), case.folder.path().to_owned());
        let host = FakeHost::new(case.folder.path())
            .with_config(json!({"base_url": URL, "soul": "/home/ann"}))
            .with_secret("RETAINDB_API_KEY", KEY)
            .with_file("soul", "SOUL.md", text)
            .with_http(move |request| send(&to, &path, request));
        let provider = RetainDb::open(host.host(), OpenRequest::default()).unwrap();
        provider.sync_turn(&case.turn(text, "Hello again", "Hello."), &Call::default()).unwrap();
        case.cloud.seeds().len()
    };
    assert_eq!(start("Ты спокоен."), 1, "the next start says nothing new");
    assert_eq!(start("Ты весел."), 2, "another text is another agent");
}

#[test]
fn who_grants_no_soul_sends_none() {
    for case in [Case::new(), with_soul(" \n"), Case::with(Kind::Hosted, json!({"soul": "/empty"}), |fake| fake)] {
        case.sync(&case.turn("k1", "Hello there", "Hello.")).unwrap();
        assert!(case.cloud.asked_for("POST /v1/memory/agent/hermes/seed").is_empty());
    }
}

#[test]
fn a_turn_of_unknown_time_is_said_now() {
    let mut case = Case::new();
    case.caller.origin.at = 0;
    case.sync(&case.turn("k1", "Hello there", "Hello.")).unwrap();
    assert_eq!(NOW, 1_767_225_600_000);
    assert_eq!(case.cloud.ingested()[0]["messages"][0]["timestamp"], "2026-01-01T00:00:00.000Z");
}
