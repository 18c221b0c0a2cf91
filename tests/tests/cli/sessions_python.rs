//! The Python agent's own database, made by its package where that is installed, and taken into the archive.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_tests::workspace;
use serde_json::Value;

use crate::scene::Scene;
use crate::sessions_import::bytes;

/// Names a Python that has the package `hermes-agent`.
const PYTHON: &str = "HERMES_TEST_PYTHON";

/// How the script ends where the package is not there.
const NOT_INSTALLED: i32 = 77;

/// The agent with its database open, and what it reads from it; None, and said, where there is no agent.
fn agent(home: &Path, sessions: usize) -> Option<(std::process::Child, Value)> {
    let python = std::env::var_os(PYTHON).map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    #[expect(clippy::disallowed_methods, reason = "the other agent")]
    let mut command = Command::new(&python);
    command.arg(workspace().join("tests/python/sessions.py")).arg(home).arg(sessions.to_string());
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut line = String::new();
    let mut child = match child {
        Ok(mut child) => {
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            Some(child)
        }
        Err(_) => None,
    };
    if line.is_empty() {
        let status = child.as_mut().map(|child| child.wait().unwrap());
        assert!(status.is_none_or(|status| status.code() == Some(NOT_INSTALLED)), "{status:?}");
        #[expect(clippy::print_stderr, reason = "a test that did not run should be seen")]
        {
            eprintln!("skipped: {} has no `hermes-agent`; {PYTHON} names another Python", python.display());
        }
        return None;
    }
    Some((child?, serde_json::from_str(&line).unwrap()))
}

/// What the importer makes of a content.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let part = |part: &Value| part["text"].as_str().unwrap_or("[image]").to_owned();
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[test]
fn a_database_of_the_python_agent_comes_whole() {
    let scene = Scene::without_plugins();
    let folder = scene.path("python");
    let Some((mut agent, theirs)) = agent(&folder, 30) else { return };
    let theirs = theirs.as_object().unwrap();
    let before = bytes(&folder);
    assert!(before.keys().any(|path| path.ends_with("state.db-wal")), "{:?}", before.keys());

    let told = scene.json("sessions import --from python/state.db");
    assert_eq!(bytes(&folder), before, "the source is only read");
    let kept = |message: &&Value| message["active"] == 1 || message["compacted"] == 1;
    let all: Vec<&Value> = theirs.values().flat_map(|session| session["messages"].as_array().unwrap()).collect();
    assert_eq!(told["sessions"], 30);
    assert_eq!(told["messages"], all.iter().filter(|message| kept(message)).count());
    assert_eq!(told["taken_back"], all.iter().filter(|message| !kept(message)).count());
    assert!(told["taken_back"].as_u64().unwrap() > 0 && told["left_out"] == 0 && told["empty"] == 0, "{told}");

    for (id, session) in theirs {
        let exported = scene.does(&format!("sessions export {id}"));
        let mut lines = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let head = lines.next().unwrap();
        assert_eq!((&head["id"], head["title"].as_str()), (&Value::from(id.as_str()), session["title"].as_str()));
        assert_eq!((head["parent"].as_str(), head["source"].as_str()), (session["parent"].as_str(), Some("hermes")));
        assert_eq!(head.get("ended_ms").is_some(), session["ended"] == true);
        let is_cron = session["source"] == "cron";
        assert_eq!(head["context"], if is_cron { "cron" } else { "primary" });
        assert_eq!(head["scope"]["platform"], if is_cron { "hermes".into() } else { session["source"].clone() });
        let is_group = session["source"] == "telegram";
        assert_eq!(head["scope"]["chat_kind"], if is_group { "group" } else { "private" });

        let ours: Vec<Value> = lines.collect();
        let theirs: Vec<&Value> = session["messages"].as_array().unwrap().iter().filter(kept).collect();
        assert_eq!(ours.len(), theirs.len(), "{id}");
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert_eq!(
                (&ours["role"], ours["content"].as_str().unwrap()),
                (&theirs["role"], &*text(&theirs["content"]))
            );
            assert_eq!(ours["tool_call"].as_str(), theirs["tool_call_id"].as_str());
            assert_eq!(ours["tool"].as_str(), theirs["tool_name"].as_str());
            assert_eq!(ours["folded"] == true, theirs["compacted"] == 1);
            let calls = |value: &Value| value.as_array().map_or(0, Vec::len);
            assert_eq!(calls(&ours["tool_calls"]), calls(&theirs["tool_calls"]));
            if calls(&theirs["tool_calls"]) > 0 {
                let (ours, theirs) = (&ours["tool_calls"][0], &theirs["tool_calls"][0]);
                assert_eq!((&ours["id"], &ours["name"]), (&theirs["id"], &theirs["function"]["name"]));
                assert_eq!(ours["arguments"], theirs["function"]["arguments"]);
            }
        }
    }

    let again = scene.json("sessions import --from python");
    assert_eq!((&again["messages"], &again["known"]), (&Value::from(0), &told["messages"]));
    drop(agent.stdin.take());
    assert!(agent.wait().unwrap().success());
    // Closed, its log is folded in.
    let again = scene.json("sessions import --from python/state.db");
    assert_eq!((&again["messages"], &again["known"]), (&Value::from(0), &told["messages"]));
}
