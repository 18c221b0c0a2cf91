//! Several processes on one home.

use std::thread;

use serde_json::Value;

use crate::scene::{Scene, files};
use crate::shown::Ran;

#[test]
fn two_installs_at_once_are_one() {
    let scene = Scene::new();
    let lines = ["plugins install holographic"; 3];
    let ran: Vec<Ran> = thread::scope(|scope| {
        let running: Vec<_> = lines.iter().map(|line| scope.spawn(|| scene.run(line))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for one in &ran {
        assert_eq!(one.status, 0, "{}", one.shown());
    }
    assert_eq!(files(&scene.path("home/plugins/store")).len(), 1, "no leftovers");
    assert_eq!(files(&scene.path("home/plugins/store/holographic")).len(), 1);
    scene.does("memory setup holographic");
}

#[test]
fn what_many_processes_store_is_all_there() {
    let scene = Scene::with_memory();
    thread::scope(|scope| {
        for writer in 0..4 {
            let scene = &scene;
            scope.spawn(move || {
                for at in 0..5 {
                    scene.does(&format!("memory remember 'Writer {writer} has counted its sheep to number {at}'"));
                }
            });
        }
    });
    let answer = scene.json(r#"tools call fact_store '{"action": "list", "limit": 100}'"#);
    assert_eq!(answer["result"]["count"], 20, "{answer}");
    let remembered = scene.json("memory status")["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|hook| hook["hook"] == "remember")
        .cloned();
    assert_eq!(remembered.unwrap_or(Value::Null)["ok"], 20, "every call is counted");
}

#[test]
fn settings_changed_at_once_are_all_kept() {
    let scene = Scene::without_plugins();
    let settings =
        ["memory.recall_limit 7", "memory.recall_chars 700", "log.level debug", "memory.shutdown_timeout 7s"];
    thread::scope(|scope| {
        for setting in settings {
            let scene = &scene;
            scope.spawn(move || scene.does(&format!("config set {setting}")));
        }
    });
    let text = scene.read("home/config.toml");
    for setting in ["recall_limit = 7", "recall_chars = 700", "level = \"debug\"", "shutdown_timeout = \"7s\""] {
        assert!(text.contains(setting), "{text}");
    }
}
