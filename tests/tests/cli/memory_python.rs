//! The same folder of memory files for the Python agent and for this one, where its package is installed.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_host::home::Home;
use hermes_host::open::Surroundings;
use hermes_provider_api::records::{Context, Scope};
use hermes_tests::workspace;
use serde_json::{Value, json};

use crate::scene::Scene;

/// Names a Python that has the package `hermes-agent`.
const PYTHON: &str = "HERMES_TEST_PYTHON";

/// How the script ends where the package is not there.
const NOT_INSTALLED: i32 = 77;

/// A Python with the package; None, and said, where there is none.
fn python() -> Option<PathBuf> {
    let python = std::env::var_os(PYTHON).map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let home = tempfile::tempdir().unwrap();
    let probe = script(&python, home.path(), &["probe", "0"]).stdin(Stdio::null()).output();
    let there = match probe {
        Err(_) => false,
        Ok(output) if output.status.code() == Some(NOT_INSTALLED) => false,
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            true
        }
    };
    #[expect(clippy::print_stderr, reason = "a test that did not run should be seen")]
    if !there {
        eprintln!("skipped: {} has no `hermes-agent`; {PYTHON} names another Python", python.display());
    }
    there.then_some(python)
}

fn script(python: &Path, home: &Path, args: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the other agent")]
    let mut command = Command::new(python);
    command.arg(workspace().join("tests/python/curated.py")).arg(home).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn by_python(python: &Path, home: &Path, calls: &[Value]) -> Value {
    let mut child = script(python, home, &[]).spawn().unwrap();
    let lines: String = calls.iter().map(|call| format!("{call}\n")).collect();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn by_hermes(scene: &Scene, calls: &[Value]) -> Vec<bool> {
    let lines: String = calls.iter().map(|args| json!({"tool": "memory", "args": args}).to_string() + "\n").collect();
    let ran = scene.run_with_input("tools call --stdin", lines.as_bytes());
    ran.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["ok"] == true).collect()
}

/// What a session of ours is shown.
fn prompt(home: &Path) -> String {
    let open = Surroundings::of_home(Home::at(home)).unwrap().memory().unwrap();
    open.memory.session("s", Scope::default(), Context::Primary).system_prompt().to_owned()
}

fn calls() -> Vec<Value> {
    let mut calls = vec![
        json!({"action": "add", "target": "memory", "content": "  likes tea \n"}),
        json!({"action": "add", "target": "memory", "content": "likes tea"}),
        json!({"action": "add", "target": "user", "content": "Имя: Анна\nвторая строка"}),
        json!({"action": "add", "target": "user", "content": "喜欢绿茶 🍵"}),
        json!({"action": "add", "target": "memory", "content": "port 80\n\n  - and more"}),
        json!({"action": "replace", "target": "memory", "old_text": "port 80", "content": "port 8080, § 12"}),
        json!({"action": "replace", "target": "memory", "old_text": "nothing like it", "content": "x"}),
        json!({"action": "add", "target": "memory", "content": "x".repeat(2300)}),
        json!({"target": "user", "operations": [
            {"action": "add", "content": "prefers short answers"},
            {"action": "remove", "old_text": "喜欢"},
            {"action": "replace", "old_text": "вторая", "content": "Имя: Анна"},
        ]}),
        json!({"target": "memory", "operations": [
            {"action": "add", "content": "never written"},
            {"action": "remove", "old_text": "nothing like it"},
        ]}),
        json!({"action": "remove", "target": "memory", "old_text": "likes"}),
    ];
    // 638 of 2,200 characters are 28 percent for one who counts in floating point, and 29 for one who does not.
    calls.push(json!({"action": "add", "target": "memory", "content": "y".repeat(638 - 15 - 3)}));
    calls
}

#[test]
fn the_same_calls_make_the_same_files_and_the_same_prompt() {
    let Some(python) = python() else { return };
    let scene = Scene::without_plugins();
    let calls = calls();
    let theirs = scene.path("theirs");
    let answer = by_python(&python, &theirs, &calls);
    let done = by_hermes(&scene, &calls);
    assert_eq!(answer["done"], json!(done));
    for file in ["MEMORY.md", "USER.md"] {
        let ours = scene.read(&format!("home/memories/{file}"));
        assert_eq!(fs::read_to_string(theirs.join("memories").join(file)).unwrap(), ours);
        assert!(!ours.is_empty());
    }
    let blocks: Vec<&str> = answer["blocks"].as_array().unwrap().iter().map(|block| block.as_str().unwrap()).collect();
    assert_eq!(prompt(&scene.path("home")), blocks.join("\n\n"));
    assert_eq!(prompt(&theirs), blocks.join("\n\n"), "a folder of the other agent is shown the same");
    assert!(blocks[0].contains("[28% — 638/2,200 chars]"), "{}", blocks[0]);
}

#[test]
fn both_agents_may_write_at_the_same_time() {
    let Some(python) = python() else { return };
    let scene = Scene::without_plugins();
    scene.does("config set memory.memory_char_limit 1000000");
    let home = scene.path("home");
    let mut writers = Vec::new();
    for writer in 0..3 {
        writers.push(script(&python, &home, &[&format!("python {writer}"), "30"]).spawn().unwrap());
        let mut ours = scene.command(["tools", "call", "--stdin"]).stdin(Stdio::piped()).spawn().unwrap();
        let lines: String = (0..30)
            .map(|number| {
                json!({"tool": "memory", "args": {"content": format!("hermes {writer} entry {number}.")}}).to_string()
                    + "\n"
            })
            .collect();
        ours.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        writers.push(ours);
    }
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = scene.read("home/memories/MEMORY.md");
    for who in ["python", "hermes"] {
        for (writer, number) in (0..3).flat_map(|writer| (0..30).map(move |number| (writer, number))) {
            assert!(text.contains(&format!("{who} {writer} entry {number}.")), "{who} {writer} {number}");
        }
    }
    assert_eq!(text.split("\n§\n").count(), 180);
}
