//! The data exports of ChatGPT and Claude.

use hermes_provider_api::records::ToolCall;
use serde_json::json;

use super::*;

fn node(parent: &str, role: &str, at: f64, text: &str) -> Value {
    json!({"parent": parent, "children": [], "message": {
        "id": "m", "author": {"role": role}, "create_time": at, "recipient": "all",
        "content": {"content_type": "text", "parts": [text]},
    }})
}

fn conversation(id: &str, current: &str, mapping: Value) -> Value {
    json!({"id": id, "conversation_id": id, "title": "Чай", "create_time": 1_700_000_000.5, "update_time": 1_700_000_900.0,
        "default_model_slug": "gpt-4o", "current_node": current, "mapping": mapping})
}

fn tree() -> Value {
    let mut call = node("b", "assistant", 1_700_000_002.0, "");
    call["message"]["recipient"] = json!("python");
    call["message"]["id"] = json!("call-1");
    call["message"]["content"] = json!({"content_type": "code", "language": "python", "text": "1 + 1"});
    let mut result = node("call", "tool", 1_700_000_003.0, "");
    result["message"]["author"]["name"] = json!("python");
    result["message"]["content"] = json!({"content_type": "execution_output", "text": "2"});
    let mut thoughts = node("result", "assistant", 1_700_000_003.5, "");
    thoughts["message"]["content"] = json!({"content_type": "thoughts", "thoughts": [{"content": "hm"}]});
    let mut hidden = node("root", "system", 0.0, "You are helpful");
    hidden["message"]["metadata"] = json!({"is_visually_hidden_from_conversation": true});
    let mut seen = node("thoughts", "user", 1_700_000_004.0, "");
    seen["message"]["content"] =
        json!({"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}, "и это?"]});
    let mut end = node("seen", "assistant", 1_700_000_005.0, "two 🍵");
    end["message"]["metadata"] = json!({"model_slug": "gpt-5"});
    json!({
        "root": {"id": "root", "message": null, "parent": null, "children": ["hidden"]},
        "hidden": hidden, "b": node("hidden", "user", 1_700_000_001.0, "сколько?"),
        "old": node("b", "assistant", 1_700_000_001.5, "a branch that was replaced"),
        "call": call, "result": result, "thoughts": thoughts, "seen": seen, "end": end,
    })
}

#[test]
fn the_branch_that_was_shown_last_is_taken() {
    let bench = Bench::new();
    bench.json("conversations.json", &json!([conversation("c1", "end", tree())]));
    let report = bench.import("conversations.json");
    assert_eq!((report.sessions, report.messages, &report.remarks), (1, 5, &vec![]));
    let expected = [user("сколько?"), assistant(""), tool("2"), user("[image]\nи это?"), assistant("two 🍵")];
    assert_eq!(bench.said("c1"), expected);
    let messages = bench.messages("c1");
    let call = ToolCall { id: "call-1".into(), name: "python".into(), arguments: "1 + 1".into() };
    assert_eq!(messages[1].tool_calls, [call]);
    assert_eq!((&*messages[2].tool, &*messages[2].tool_call), ("python", "call-1"));
    assert_eq!(messages.iter().map(|said| said.turn).collect::<Vec<_>>(), [1, 1, 1, 2, 2]);
    assert_eq!(messages[0].at_ms, 1_700_000_001_000);
    let head = bench.session("c1").head;
    assert_eq!((head.title.as_deref(), head.model.as_deref()), (Some("Чай"), Some("gpt-5")));
    assert_eq!((head.source.as_deref(), &*head.scope.platform), (Some("chatgpt"), "chatgpt"));
    assert_eq!((head.started_ms, head.scope.profile.as_str()), (1_700_000_000_500, "default"));
}

#[test]
fn trees_that_are_no_trees_are_cut() {
    let bench = Bench::new();
    let circle = json!({"a": node("b", "user", 1.0, "one"), "b": node("a", "assistant", 2.0, "two")});
    let torn = json!({"a": node("gone", "user", 1.0, "one")});
    let list = json!([
        conversation("circle", "b", circle),
        conversation("torn", "a", torn),
        conversation("lost", "nowhere", tree()),
        conversation("empty", "x", json!({})),
    ]);
    let report = bench.json("conversations.json", &list).import("conversations.json");
    assert_eq!((report.sessions, report.empty), (3, 1));
    assert_eq!(bench.said("circle"), [user("one"), assistant("two")]);
    assert_eq!(bench.said("torn"), [user("one")]);
    assert_eq!(bench.said("lost").last(), Some(&assistant("two 🍵")));
    let remarks = report.remarks.join("\n");
    for (number, what) in [(1, "in a circle"), (2, "beginning of the branch is missing"), (3, "`current_node`")] {
        assert!(remarks.contains(&format!("conversation {number}: ")) && remarks.contains(what), "{remarks}");
    }
}

#[test]
fn wrong_types_are_told_and_the_rest_is_taken() {
    let bench = Bench::new();
    let mut mapping = tree();
    mapping["b"]["message"]["author"] = json!(7);
    mapping["seen"]["message"]["content"] = json!("text");
    let list = json!([
        conversation("c1", "end", mapping),
        7,
        {"mapping": {}, "title": "no id"},
        {"hello": "world"},
        conversation("c2", "a", json!({"a": node("", "user", 1e300, "when?")})),
    ]);
    let report = bench.json("conversations.json", &list).try_import("conversations.json").unwrap();
    assert_eq!((report.left_out, report.sessions), (5, 2));
    let file = bench.path("conversations.json").display().to_string();
    let expected = [
        format!("`{file}`, conversation 1, message 3: a message without a role"),
        format!("`{file}`, conversation 1, message 7: `content` has a shape that is not known"),
        format!("`{file}`, conversation 2: neither a conversation nor a message"),
        format!("`{file}`, conversation 3: a conversation without `id`"),
        format!("`{file}`, conversation 4: neither a conversation nor a message"),
    ];
    assert_eq!(report.problems, expected);
    assert_eq!(bench.messages("c2")[0].at_ms, 1_700_000_000_500, "a time that is none is that of the beginning");
}

#[test]
fn claude_conversations_come_with_tools_and_attachments() {
    let bench = Bench::new();
    let list = json!([{
        "uuid": "u-1", "name": "Tea", "created_at": "2025-03-01T10:00:00.123456Z", "updated_at": "2025-03-01T11:00:00Z",
        "account": {"uuid": "a"},
        "chat_messages": [
            {"uuid": "1", "sender": "human", "created_at": "2025-03-01T10:00:01Z", "text": "What is in it?",
             "content": [{"type": "text", "text": "What is in it?"}],
             "attachments": [{"file_name": "a.txt", "extracted_content": "чай"}], "files": [{"file_name": "b.png"}]},
            {"uuid": "2", "sender": "assistant", "created_at": "2025-03-01T10:00:02Z", "text": "", "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "repl", "input": {"code": "1"}},
                {"type": "tool_result", "tool_use_id": "t1", "name": "repl", "content": [{"type": "text", "text": "ok"}]},
                {"type": "text", "text": "Tea."}]},
            {"uuid": "3", "sender": "human", "text": "old form"},
            {"uuid": "4", "sender": "human", "text": "", "content": []},
            {"uuid": "5", "sender": "martian", "text": "x"},
        ],
    }, {"uuid": "u-2", "name": "", "created_at": "2025-03-01T10:00:00Z", "chat_messages": []}]);
    let report = bench.json("conversations.json", &list).try_import("conversations.json").unwrap();
    assert_eq!((report.sessions, report.messages, report.empty, report.left_out), (1, 5, 1, 1));
    assert!(report.problems[0].ends_with("conversation 1, message 5: the sender `martian` is not known"));
    let expected = [
        user("What is in it?\n[attachment: a.txt]\nчай\n[file: b.png]"),
        assistant("I look."),
        tool("ok"),
        assistant("Tea."),
        user("old form"),
    ];
    assert_eq!(bench.said("u-1"), expected);
    let messages = bench.messages("u-1");
    assert_eq!(messages[1].tool_calls[0].arguments, r#"{"code":"1"}"#);
    assert_eq!((&*messages[2].tool_call, &*messages[2].tool), ("t1", "repl"));
    assert_eq!(messages[4].at_ms, messages[3].at_ms, "one without a time has that of the one before");
    assert_eq!(bench.session("u-1").head.started_ms, 1_740_823_200_123);
    assert_eq!(bench.session("u-1").head.title.as_deref(), Some("Tea"));
}
