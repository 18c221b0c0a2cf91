//! What becomes of sessions in the archive: each once, without secrets, and out again as they were.

use hermes_provider_api::Scope;
use serde_json::json;

use super::*;
use crate::layers::episodic::export::{Format, write};
use crate::layers::episodic::{append, search};

fn record(bench: &Bench, head: &SessionHead, messages: &[NewMessage]) {
    bench
        .db
        .with(|connection| {
            let transaction = connection.transaction()?;
            append(&transaction, head, messages)?;
            transaction.commit()
        })
        .unwrap();
}

fn claude(id: &str, texts: &[&str]) -> Value {
    let messages: Vec<_> = texts.iter().map(|text| json!({"sender": "human", "text": text})).collect();
    json!([{"uuid": id, "name": "T", "created_at": "2025-01-01T00:00:00Z", "chat_messages": messages}])
}

fn export(bench: &Bench, format: Format) -> String {
    let mut out = Vec::new();
    for name in bench.names() {
        write(&bench.archive(), &bench.session(&name), format, &Mask::default(), &mut out).unwrap();
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn a_source_that_has_grown_adds_what_is_new() {
    let bench = Bench::new();
    let first = bench.json("c.json", &claude("u", &["да", "нет", "да"])).import("c.json");
    assert_eq!((first.sessions, first.messages, first.known), (1, 3, 0));
    let before = bench.all();
    let again = bench.import("c.json");
    assert_eq!((again.sessions, again.grown, again.messages, again.known), (0, 0, 0, 3));
    assert_eq!(bench.all(), before);
    let grown = bench.json("c.json", &claude("u", &["да", "нет", "да", "да"])).import("c.json");
    assert_eq!((grown.sessions, grown.grown, grown.messages, grown.known), (0, 1, 1, 3));
    assert_eq!(bench.said("u"), ["да", "нет", "да", "да"].map(user));
    assert_eq!(bench.session("u").messages, 4);
}

#[test]
fn what_a_broken_off_import_left_out_of_the_index_is_entered_by_the_next() {
    let bench = Bench::new();
    let behind = || bench.db.with(|db| search::progress(db, &Settings::default())).unwrap().behind;
    bench.json("c.json", &claude("u", &["да", "нет"])).import("c.json");
    assert_eq!(behind(), 0);
    bench.db.with(|db| search::clear(db)).unwrap();
    assert_eq!(behind(), 2);
    assert_eq!(bench.import("c.json").messages, 0);
    assert_eq!(behind(), 0);
}

#[test]
fn nothing_is_written_where_only_counting_was_asked_for() {
    let bench = Bench::new();
    bench.json("c.json", &claude("u", &["да"])).import("c.json");
    bench.json("c.json", &claude("u", &["да", "нет"]));
    let report = bench.import_from(&bench.path("c.json"), true).unwrap();
    assert_eq!((report.sessions, report.grown, report.messages, report.known), (0, 1, 1, 1));
    assert_eq!(bench.said("u"), [user("да")]);
}

#[test]
fn a_session_of_the_same_id_that_is_another_one_is_kept_apart() {
    let bench = Bench::new();
    let head = SessionHead { name: "u".to_owned(), started_ms: 1, ..SessionHead::default() };
    record(&bench, &head, &[NewMessage { content: "recorded here".to_owned(), at_ms: 1, ..NewMessage::default() }]);
    for messages in [1, 0] {
        assert_eq!(bench.json("c.json", &claude("u", &["да"])).import("c.json").messages, messages);
        assert_eq!(bench.names(), ["u", "u~claude"]);
    }
    assert_eq!(bench.said("u"), [user("recorded here")]);
}

#[test]
fn scopes_are_those_that_were_named() {
    let mut bench = Bench::new();
    bench.defaults.platform = Some("web".to_owned());
    (bench.defaults.user, bench.defaults.project) = ("anna".to_owned(), "tea".to_owned());
    bench.json("c.json", &claude("u", &["да"])).import("c.json");
    let scope = bench.session("u").head.scope;
    assert_eq!((&*scope.platform, &*scope.user, &*scope.project, &*scope.chat), ("web", "anna", "tea", ""));
}

#[test]
fn secrets_are_masked_unless_they_are_to_be_kept() {
    let secret = "my key is ghp_16C7e42F292c6912E7710c838347Ae178B4a and correct horse";
    let call = json!({"id": "c", "function": {"name": "f", "arguments": "{\"password\": \"hunter2hunter\"}"}});
    let line =
        json!({"session_id": "s", "role": "assistant", "content": secret, "title": secret, "tool_calls": [call]});
    let mut bench = Bench::new();
    bench.json("m.jsonl", &line).import("m.jsonl");
    assert_eq!(bench.said("s"), [assistant("my key is [redacted] and [PHRASE]")]);
    assert_eq!(bench.session("s").head.title.as_deref(), Some("my key is [redacted] and [PHRASE]"));
    assert_eq!(bench.messages("s")[0].tool_calls[0].arguments, r#"{"password":"[redacted]"}"#);
    assert_eq!(bench.import("m.jsonl").known, 1, "what was masked is known again");
    bench = Bench { redacts: false, ..Bench::new() };
    bench.json("m.jsonl", &line).import("m.jsonl");
    assert_eq!(bench.said("s"), [assistant(secret)]);
}

#[test]
fn an_export_comes_back_as_it_was() {
    let bench = Bench::new();
    let lines = [
        json!({"session_id": "чай", "role": "user", "content": "line\nbreak \u{2028} \u{0} 🍵", "timestamp": 1_700_000_000}),
        json!({"session_id": "чай", "role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{"}}]}),
        json!({"session_id": "чай", "role": "tool", "tool_call_id": "c", "content": ""}),
    ];
    bench.write("m.jsonl", lines.map(|line| line.to_string()).join("\n")).import("m.jsonl");
    let group = Scope { chat: "team".into(), chat_kind: hermes_provider_api::ChatKind::Group, ..Scope::default() };
    let own = Scope { profile: "default".into(), platform: "cli".into(), user: "anna".into(), ..Scope::default() };
    let head = SessionHead {
        name: "here".into(),
        scope: own,
        parent: Some("чай".into()),
        reason: Some("exit".into()),
        ended_ms: Some(9),
        started_ms: 5,
        ..SessionHead::default()
    };
    let group = Scope { profile: "default".into(), ..group };
    let said = |turn, text: &str| NewMessage { turn, content: text.into(), at_ms: 7, ..NewMessage::default() };
    let messages = [
        NewMessage { folded: true, tokens: Some(3), ..said(4, "a") },
        NewMessage { partial: true, scope: Some(group), ..said(9, "a") },
    ];
    record(&bench, &head, &messages);
    record(&bench, &SessionHead { name: "empty".into(), scope: head.scope.clone(), ..SessionHead::default() }, &[]);
    let exported = export(&bench, Format::JsonLines);

    let other = Bench::new();
    let report = other.write("out.jsonl", &exported).import("out.jsonl");
    assert_eq!((report.sessions, report.messages), (3, 5));
    assert_eq!(other.all(), bench.all());
    assert_eq!(export(&other, Format::JsonLines), exported);
    for bench in [&other, &bench] {
        let again = bench.write("out.jsonl", &exported).import("out.jsonl");
        assert_eq!((again.sessions, again.messages, again.known), (0, 0, 5));
        assert_eq!(export(bench, Format::JsonLines), exported);
    }
    // Cut off, it says so and gives what is there.
    let third = Bench::new();
    let cut: Vec<&str> = exported.lines().take(3).collect();
    let report = third.write("out.jsonl", cut.join("\n")).try_import("out.jsonl").unwrap();
    assert_eq!((report.messages, report.left_out), (2, 1));
    assert!(report.problems[0].ends_with("line 1: 1 of the messages of this session are missing"), "{report:?}");
    let newer = exported.replacen("\"version\":1", "\"version\":2", 1);
    let report = Bench::new().write("out.jsonl", newer).try_import("out.jsonl").unwrap();
    assert_eq!((report.sessions, report.left_out), (2, 1));
    assert!(report.problems[0].contains("by a newer hermes"), "{report:?}");
}

#[test]
fn another_session_of_an_export_with_the_same_id_is_kept_apart() {
    let bench = Bench::new();
    let head = |at| SessionHead { name: "s".into(), started_ms: at, ..SessionHead::default() };
    record(&bench, &head(1), &[NewMessage { content: "one".into(), at_ms: 1, ..NewMessage::default() }]);
    let exported = export(&bench, Format::JsonLines);
    let other = Bench::new();
    record(&other, &head(2), &[NewMessage { content: "two".into(), at_ms: 2, ..NewMessage::default() }]);
    for messages in [1, 0] {
        assert_eq!(other.write("out.jsonl", &exported).import("out.jsonl").messages, messages);
    }
    let names = other.names();
    assert!(names.len() == 2 && names[1].starts_with("s~"), "{names:?}");
    assert_eq!(other.said(&names[1]), [user("one")]);
}

#[test]
fn markdown_is_for_people() {
    let bench = Bench::new();
    bench.json("c.json", &claude("u", &["# Чай\n", "нет"])).import("c.json");
    let text = export(&bench, Format::Markdown);
    let expected = "# T\n\n- Session: `u`\n- Began: 2025-01-01 00:00:00 UTC\n- Platform: claude\n- Imported from: claude\n\n\
                    ## User, 2025-01-01 00:00:00 UTC\n\n# Чай\n\n## User, 2025-01-01 00:00:00 UTC\n\nнет\n\n";
    assert_eq!(text, expected);
}
