//! Lines of messages, and files that are not as they should be.

use std::io::Write as _;

use serde_json::json;

use super::*;

#[test]
fn a_line_may_be_a_conversation() {
    let bench = Bench::new();
    let lines = [
        json!({"id": "one", "title": "T", "timestamp": "2025-01-01T00:00:00Z", "model": "m", "messages": [
            {"role": "system", "content": "be kind"}, {"role": "user", "content": "чай?"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "name": "f", "content": "да"}, {"role": "assistant", "content": "yes"}]}),
        json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "same"}]}]}),
        json!({"messages": [{"role": "user", "content": "same"}, {"role": "robot", "content": "x"}, 7]}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let report = bench.write("set.jsonl", &text).try_import("set.jsonl").unwrap();
    assert_eq!((report.sessions, report.messages, report.left_out), (3, 7, 2));
    let file = bench.path("set.jsonl").display().to_string();
    let expected = [
        format!("`{file}`, line 3, message 2: the role `robot` is not known"),
        format!("`{file}`, line 3, message 3: a message is not an object"),
    ];
    assert_eq!(report.problems, expected);
    let said = bench.said("one");
    assert_eq!(said[0], (Role::System, "be kind".to_owned()));
    assert_eq!(said[3], tool("да"));
    let messages = bench.messages("one");
    assert_eq!((messages[2].tool_calls[0].name.as_str(), messages[3].tool.as_str()), ("f", "f"));
    let head = bench.session("one").head;
    assert_eq!((head.started_ms, head.model.as_deref()), (1_735_689_600_000, Some("m")));
    let names = bench.names();
    assert!(names[1].starts_with("set-") && names[2].starts_with("set-") && names[1] != names[2], "{names:?}");
}

#[test]
fn a_line_may_be_a_message_of_any_session() {
    let bench = Bench::new();
    let line = |session: &str, role: &str, text: &str, at: u64| {
        json!({"session_id": session, "role": role, "content": text, "timestamp": at}).to_string()
    };
    let lines = [
        line("a", "user", "ok", 1_700_000_000),
        line("b", "user", "ok", 1_700_000_001),
        line("a", "assistant", "ok", 1_700_000_002),
        line("b", "assistant", "да", 1_700_000_003),
        line("a", "user", "ok", 1_700_000_004),
    ];
    bench.write("log.jsonl", lines.join("\r\n"));
    let report = bench.import("log.jsonl");
    assert_eq!((report.sessions, report.messages), (2, 5));
    assert_eq!(bench.said("a"), [user("ok"), assistant("ok"), user("ok")]);
    assert_eq!(bench.said("b"), [user("ok"), assistant("да")]);
    assert_eq!(bench.import("log.jsonl").known, 5);
    // Somebody else's session with the same id is another one.
    bench.write("other.jsonl", line("a", "user", "hello", 1));
    bench.import("other.jsonl");
    assert_eq!(bench.names().len(), 3);
    assert!(bench.names()[2].starts_with("a~"), "{:?}", bench.names());
    assert_eq!(bench.import("other.jsonl").known, 1);
}

#[test]
fn a_file_of_messages_without_ids_is_a_session() {
    let bench = Bench::new();
    let line = |text: &str| format!("{}\n", json!({"role": "user", "content": text}));
    bench.write("чат.jsonl", line("one") + &line("two"));
    assert_eq!(bench.import("чат.jsonl").messages, 2);
    let names = bench.names();
    assert!(names.len() == 1 && names[0].starts_with("чат-"), "{names:?}");
    // Grown, and moved.
    bench.write("other/чат.jsonl", line("one") + &line("two") + &line("two"));
    let report = bench.import("other/чат.jsonl");
    assert_eq!((report.sessions, report.grown, report.messages, report.known), (0, 1, 1, 2));
    assert_eq!(bench.said(&names[0]), [user("one"), user("two"), user("two")]);
}

#[test]
fn bad_lines_are_named_and_the_others_are_taken() {
    let bench = Bench::new();
    let mut text = Vec::from("\u{feff}\n{\"role\": \"user\", \"content\": \"a\"}\n");
    text.extend_from_slice(b"{\"role\": \"user\", \"content\": \"cut\n");
    text.extend_from_slice(b"{\"role\": \"user\", \"content\": \"nul \0 nul\"}\n");
    text.extend_from_slice(b"{\"role\": \"user\", \"content\": \"\\u0000\"}\n\n");
    text.extend_from_slice(b"{\"role\": \"user\", \"content\": \"\xff\xfe\"}\n");
    text.extend_from_slice(b"{\"role\": \"user\", \"content\": \"half \\ud83c\"}\n");
    text.extend_from_slice("[".repeat(100_000).as_bytes());
    text.extend_from_slice(b"\n{\"role\": \"user\", \"content\": true}\n");
    text.extend_from_slice(b"{\"role\": \"user\", \"content\": \"z\", \"timestamp\": \"4000-01-01T00:00:00Z\"}");
    let report = bench.write("bad.jsonl", &text).try_import("bad.jsonl").unwrap();
    let (name, file) = (bench.names()[0].clone(), bench.path("bad.jsonl").display().to_string());
    let said: Vec<String> = bench.said(&name).into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["a", "\0", "\u{fffd}\u{fffd}", "half \u{fffd}", "z"]);
    let lines: Vec<&str> = report.problems.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(lines, [3, 4, 9, 10].map(|line| format!("`{file}`, line {line}")));
    assert_eq!(report.left_out, 4);
    assert!(report.remarks.iter().any(|remark| remark.ends_with("2 places were not UTF-8 and are `\u{fffd}` now")));
    assert!(report.remarks.iter().any(|remark| remark.ends_with("a time in the future was not believed")));
    assert!(bench.messages(&name).iter().all(|said| said.at_ms <= NOW + 86_400_000 * 365 * 100));
    assert_eq!(bench.import_from(&bench.path("bad.jsonl"), false).unwrap().messages, 0);
}

#[test]
fn a_long_line_is_a_message() {
    let bench = Bench::new();
    let long = "чай ".repeat(1_500_000);
    bench.write("long.jsonl", json!({"role": "user", "content": long, "session_id": "s"}).to_string());
    assert_eq!(bench.import("long.jsonl").messages, 1);
    assert_eq!(bench.messages("s")[0].content, long);
}

#[test]
fn what_stands_before_the_cut_is_taken() {
    let bench = Bench::new();
    let one = |id: &str| json!({"id": id, "messages": [{"role": "user", "content": "чай"}]});
    let whole = serde_json::to_string_pretty(&json!([one("a"), one("b"), one("c")])).unwrap();
    for (name, cut) in [("in-a-text.json", whole.rfind("чай").unwrap()), ("at-the-end.json", whole.len() - 1)] {
        let bench = Bench::new();
        let report = bench.write(name, &whole.as_bytes()[..cut]).try_import(name).unwrap();
        assert_eq!(report.left_out, 1);
        let problem = &report.problems[0];
        assert!(problem.contains(name) && problem.ends_with("; what follows is not read"), "{problem}");
        assert!(problem.contains(" at line "), "{problem}");
        assert_eq!(bench.names().len(), if name.starts_with("in") { 2 } else { 3 });
    }
    // A conversation over many lines, and a list of one message.
    bench.write("one.json", serde_json::to_string_pretty(&one("d")).unwrap());
    bench.json("list.json", &json!([{"role": "user", "content": "x", "session": "e"}]));
    bench.import("one.json");
    bench.import("list.json");
    assert_eq!(bench.names(), ["d", "e"]);
}

#[test]
fn folders_and_archives_hold_such_files() {
    let bench = Bench::new();
    let one = |id: &str| json!([{"id": id, "messages": [{"role": "user", "content": "чай"}]}]);
    bench.json("all/b/conversations.json", &one("b")).json("all/a.json", &one("a"));
    bench.write("all/chat.html", "<html>").json("all/user.json", &json!({"id": "u", "email": "x"}));
    bench.json("all/feedback.json", &json!([{"rating": "up"}])).json("all/.hidden.json", &one("hidden"));
    let mut zip = zip::ZipWriter::new(std::fs::File::create(bench.path("all/z.zip")).unwrap());
    for (name, id) in [("export/conversations.json", "c"), ("export/notes.txt", "no")] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(one(id).to_string().as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let report = bench.import("all");
    assert_eq!((report.sessions, bench.names()), (3, vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]));
    bench.write("all/broken.zip", b"PK\x03\x04 and no more");
    let report = bench.try_import("all").unwrap();
    assert!(report.left_out == 1 && report.problems[0].contains("broken.zip"), "{:?}", report.problems);
    assert!(bench.try_import("all/broken.zip").unwrap_err().hints()[0].contains("unpack it"));
}

#[test]
fn what_holds_no_conversation_is_refused() {
    let bench = Bench::new();
    bench.write("empty", "").write("notes.md", "# notes").json("a.json", &json!({"a": 1})).json("b.json", &json!([]));
    bench.write("only/a.txt", "x");
    for name in ["empty", "notes.md", "a.json", "b.json", "only"] {
        let error = bench.try_import(name).unwrap_err().to_string();
        assert!(error.ends_with("holds no conversations that hermes can read"), "{error}");
    }
    let error = bench.try_import("nowhere").unwrap_err().to_string();
    assert!(error.starts_with("cannot read") && error.contains("nowhere"), "{error}");
}
