//! The memory files where others than the user read along.

use serde_json::{Value, json};

use crate::scene::Scene;

fn talk(session: &str, kind: &str) -> String {
    let scope = json!({"platform": "telegram", "chat": "c", "chat_kind": kind, "user": "anna"});
    let say = |role: &str, content: Value, calls: Value| {
        json!({"role": role, "content": content, "session_id": session, "scope": scope, "tool_calls": calls})
            .to_string()
            + "\n"
    };
    let call = |id: &str, arguments: Value| json!({"id": id, "type": "function", "function": {"name": "memory", "arguments": arguments.to_string()}});
    let calls = json!([
        call("1", json!({"target": "user", "content": "likes tea"})),
        call("2", json!({"target": "user", "action": "remove", "old_text": "1984"})),
    ]);
    say("user", json!("what do you know of me?"), Value::Null)
        + &say("assistant", Value::Null, calls)
        + &say("assistant", json!("nothing"), Value::Null)
}

/// A conversation as it was recorded in a group, run again: neither its prompt nor any answer has what is the user's.
#[test]
fn a_group_is_shown_nothing_of_the_user() {
    let scene = Scene::without_plugins();
    scene.does("memory add --target user 'Anna, born 1984'");
    scene.does("memory add 'deploys run on Fridays'");
    scene.write("talk.jsonl", talk("g", "group"));
    let shown = scene.does("replay talk.jsonl --live --show-prompt");
    assert!(shown.contains("deploys run on Fridays"), "{shown}");
    assert!(!shown.contains("born 1984") && !shown.contains("USER PROFILE"), "{shown}");
    assert_eq!(shown.matches("USER.md is not used where others read along").count(), 2, "{shown}");
    assert_eq!(scene.read("home/memories/USER.md"), "Anna, born 1984");
    assert_eq!(scene.json("memory pending"), json!([]));
    // Alone with the user it is all there, and in a group too once the user says so.
    scene.write("talk.jsonl", talk("p", "private"));
    assert!(scene.does("replay talk.jsonl --show-prompt").contains("born 1984"));
    scene.does("config set memory.user_profile_in_groups true");
    scene.does("config set memory.memory_in_groups false");
    scene.write("talk.jsonl", talk("h", "group"));
    let shown = scene.does("replay talk.jsonl --show-prompt");
    assert!(shown.contains("born 1984") && !shown.contains("Fridays"), "{shown}");
}
