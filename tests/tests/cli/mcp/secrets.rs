//! A provider tells its secret wherever it can: no client hears it, and no file of the host holds it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::client::{Called, Client};
use crate::package::Package;
use crate::scene::{Scene, files};

/// It has no shape by which it would be found, and looks different in JSON.
const SECRET: &str = r#"amber "otter" 42 ключ"#;
/// A part of it that is the same in every spelling.
const PART: &str = "otter";

fn scene() -> Scene {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &Package::faulty());
    scene.does("memory setup faulty --yes");
    scene.write("home/.env", format!("FAULTY_KEY='{SECRET}'\n"));
    fs::set_permissions(scene.path("home/.env"), Permissions::from_mode(0o600)).unwrap();
    scene.write("home/plugins/data/faulty/boast", "");
    scene
}

/// An answer that names the secret and does not have it.
#[track_caller]
fn masked(answer: &Value) -> String {
    let text = answer.to_string();
    assert!(text.contains("[FAULTY_KEY]") && !text.contains(PART), "{text}");
    text
}

#[test]
fn no_answer_tells_a_secret() {
    let scene = scene();
    let mut client = Client::silent(&scene, "mcp --verbose");
    client.greet("probe");
    let tools = masked(&client.ask("tools/list", json!({})));
    assert!(tools.contains("Does a deed with [FAULTY_KEY]") && tools.contains(r#"" with [FAULTY_KEY]":"#), "{tools}");
    masked(&client.ask("resources/read", json!({"uri": "hermes://system-prompt"})));

    let call = |client: &mut Client<'_>, deed: &str| {
        let params = json!({"name": "do", "arguments": {"deed": deed, "as_json": true}});
        client.ask("tools/call", params)
    };
    let answer = call(&mut client, "secret answer");
    masked(&answer);
    assert_eq!(Called::of(&answer).structured, json!({"key": "[FAULTY_KEY]", "[FAULTY_KEY]": ["[FAULTY_KEY]"]}));
    let failed = call(&mut client, "secret error");
    masked(&failed);
    assert_eq!(Called::of(&failed).text, "401 for [FAULTY_KEY]\nhint: [FAULTY_KEY]");
    for deed in ["secret log", "secret print"] {
        assert!(!Called::of(&call(&mut client, deed)).failed, "{deed}");
    }
    masked(&client.ask("tools/call", json!({"name": "memory_recall", "arguments": {"message": "secret error"}})));
    masked(&client.ask("tools/call", json!({"name": "memory_recall", "arguments": {"message": "secret answer"}})));
    let turn = json!({"user": "secret error", "assistant": "Well."});
    masked(&client.ask("tools/call", json!({"name": "memory_record_turn", "arguments": turn})));
    for deed in ["secret panic", "secret abort"] {
        masked(&call(&mut client, deed));
    }
    masked(&client.ask("tools/call", json!({"name": "memory_status", "arguments": {}})));
    masked(&client.ask("resources/read", json!({"uri": "hermes://status"})));
    let ran = client.end();
    assert!(ran.err.contains("signed in with [FAULTY_KEY]") && !ran.err.contains(PART), "{}", ran.err);
    assert!(!ran.out.contains(PART));

    let log = scene.read("home/logs/hermes.log");
    for line in ["signed in with [FAULTY_KEY]", "not signed in with [FAULTY_KEY]"] {
        assert!(log.contains(line), "{log}");
    }
    for file in files(&scene.path("home")).into_iter().chain(files(&scene.path("home/logs"))) {
        let holds = file.is_file() && String::from_utf8_lossy(&fs::read(&file).unwrap()).contains(PART);
        assert_eq!(holds, file.ends_with(".env"), "{}", file.display());
    }
}

#[test]
fn no_command_tells_a_secret() {
    let scene = scene();
    scene.write("talk.jsonl", json!({"session_id": "a", "role": "user", "content": "secret error"}).to_string());
    let as_json = |deed: &str| format!("tools call do '{}'", json!({"deed": deed, "as_json": true}));
    let lines = [
        "tools list".to_owned(),
        "--json tools list".to_owned(),
        as_json("secret answer"),
        as_json("secret error"),
        as_json("secret panic"),
        as_json("secret abort"),
        "memory recall 'secret error'".to_owned(),
        "memory recall 'secret answer'".to_owned(),
        "replay --live --show-prompt talk.jsonl".to_owned(),
        "memory outbox list".to_owned(),
        "memory outbox show 1".to_owned(),
        "memory status".to_owned(),
        "memory status --json".to_owned(),
        "logs".to_owned(),
    ];
    for line in lines {
        let ran = scene.run(&line);
        let said = ran.out + &ran.err;
        assert!(said.contains("[FAULTY_KEY]") && !said.contains(PART), "{line}: {said}");
    }
}
