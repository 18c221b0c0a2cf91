//! A conversation full of secrets, with a provider in a worker that writes down what it is told and repeats it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use hermes_host::config::Isolation;
use hermes_host::home::Home;
use hermes_host::open::Surroundings;
use hermes_host::turn::{Ending, RecallOutcome};
use hermes_provider_api::records::{Context, Message, Role, Scope, ToolCall};
use hermes_tests::fixtures;

use crate::corpus::all;

/// What the provider may read, and may not repeat to anybody.
const ITS_KEY: &str = "fk_7f3a9c1e/5b8d+2046";

fn hermes(home: &Home, line: &str) -> Output {
    #[expect(clippy::disallowed_methods, reason = "a test starts the program")]
    let mut command = Command::new(fixtures().hermes());
    command.args(line.split(' ')).env("HERMES_HOME", home.root()).env_remove("HERMES_CATALOG").output().unwrap()
}

/// All that lies below a folder but the user's own `.env` and the libraries.
fn bytes_of(folder: &Path, out: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.file_name().unwrap().to_str().unwrap() {
            ".env" | "store" => {}
            _ if path.is_dir() => bytes_of(&path, out),
            _ => out.push((path.display().to_string(), fs::read(&path).unwrap())),
        }
    }
}

#[test]
fn a_conversation_leaves_no_secret_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("home"));
    fs::create_dir(home.root()).unwrap();
    fs::write(home.env_file(), format!("FAULTY_KEY='{ITS_KEY}'\n")).unwrap();
    for line in [&format!("plugins install {} --yes", fixtures().faulty().display()), "memory setup faulty --yes"] {
        let output = hermes(&home, line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let samples = all();
    let mut seen: Vec<(String, Vec<u8>)> = Vec::new();

    let mut surroundings = Surroundings::of_home(home.clone()).unwrap();
    surroundings.executable = Some(fixtures().hermes().to_owned());
    surroundings.isolation = Isolation::Process;
    let open = surroundings.memory().unwrap();
    assert!(open.degraded.is_none(), "{:?}", open.degraded);
    let session = open.memory.session("one", Scope::default(), Context::Primary);
    for (at, sample) in samples.iter().enumerate() {
        // Some of what is said makes the provider fail with these words, log or print them.
        let word = ["Remember that this is mine:", "error", "print", "log", "What is"][at % 5];
        let turn = session.begin(&format!("{word} {}", sample.text));
        seen.push((
            format!("the recall of {}", sample.name),
            format!("{:?} {:?}", turn.recall, turn.block).into_bytes(),
        ));
        let call = ToolCall {
            id: format!("call_{}", sample.text),
            name: "shell".into(),
            arguments: serde_json::json!({"command": sample.text}).to_string(),
        };
        let mut asks = Message::new(Role::Assistant, "");
        asks.tool_calls.push(call);
        let said = [asks, Message::new(Role::Tool, &sample.text), Message::new(Role::Assistant, &sample.text)];
        session.finish(turn, &said, Ending::Complete).unwrap();
    }
    let turn = session.begin("services");
    let RecallOutcome::Asked(_) = &turn.recall else { panic!("{:?}", turn.recall) };
    assert!(format!("{:?}", turn.block).contains("[FAULTY_KEY]"), "{:?}", turn.block);
    seen.push(("what the provider repeats of its key".to_owned(), format!("{:?}", turn.block).into_bytes()));
    session.finish(turn, &[Message::new(Role::Assistant, "Well.")], Ending::Complete).unwrap();
    session.end().unwrap();
    drop(session);
    seen.push(("what closing says".to_owned(), format!("{:?}", open.close()).into_bytes()));

    for line in ["memory status", "memory status --json", "memory recall services", "plugins info faulty", "doctor"] {
        let Output { stdout, stderr, .. } = hermes(&home, line);
        seen.push((format!("`hermes {line}`"), [stdout, stderr].concat()));
    }
    bytes_of(home.root(), &mut seen);
    let told =
        seen.iter().find(|(name, _)| name.ends_with("started")).expect("the provider writes down what it is told");
    assert!(String::from_utf8_lossy(&told.1).contains("[redacted]"), "it was told nothing");
    assert!(seen.iter().any(|(name, _)| name.ends_with("hermes.db")));

    let mut leaks = Vec::new();
    for (name, bytes) in &seen {
        let secrets = samples.iter().map(|sample| (sample.name, sample.secret.as_str())).chain([("its key", ITS_KEY)]);
        for (what, secret) in secrets {
            if bytes.windows(secret.len()).any(|part| part == secret.as_bytes()) {
                leaks.push(format!("{what} is in {name}"));
            }
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    println!("{} secrets in none of {} places", samples.len() + 1, seen.len());
}
