//! A memory that is dead, or does less than it could, is seen at once: in one line that names the cause and what to type.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use hermes_host::db::Db;
use hermes_host::home::Home;
use hermes_provider_api::Capabilities;
use hermes_provider_api::records::ConfigField;
use serde_json::json;

use crate::package::Package;
use crate::scene::Scene;

/// The faulty provider, which is told by its settings what is the matter with it.
fn scene() -> Scene {
    let scene = Scene::without_plugins();
    let field = |key: &str| ConfigField { key: key.to_owned(), ..ConfigField::default() };
    let package = Package::faulty().with(|metadata| {
        metadata.capabilities = Capabilities::default();
        metadata.interfaces.retain(|id| id != "hermes.sync/1");
        metadata.config = ["at_open", "unavailable", "index"].map(field).into();
    });
    scene.publish("bin/catalog", &package);
    scene.does("memory setup faulty --yes");
    let line = |role: &str, session: &str, text: &str| {
        format!("{}\n", json!({"session_id": session, "role": role, "content": text}))
    };
    let turn = |session: &str, text: &str| line("user", session, text) + &line("assistant", session, "Well.");
    scene.write("talk.jsonl", turn("a", "as ever") + &turn("a", "and again") + &turn("a", "and so on"));
    scene
}

/// The warnings that a command prints, with what changes left out.
fn warnings(scene: &Scene, line: &str) -> Vec<String> {
    let said = scene.says(line);
    said.lines().filter(|line| line.starts_with("warning: ")).map(str::to_owned).collect()
}

/// A session of many calls says it once, and the status says it as well.
#[track_caller]
fn is_seen(scene: &Scene, cause: &str, command: &str) {
    for line in ["replay --live talk.jsonl", "tools list", r#"tools call do '{"deed": "as ever"}'"#] {
        let warnings = warnings(scene, line);
        assert_eq!(warnings.len(), 1, "{line}: {}", scene.says(line));
        let warning = &warnings[0];
        assert!(warning.contains(cause) && warning.contains(&format!("`hermes {command}`")), "{line}: {warning}");
    }
    let recall = scene.says("memory recall 'as ever'");
    assert!(recall.contains(cause), "{recall}");
    let status = scene.json("memory status --check");
    assert_eq!(status["state"], "degraded", "{status}");
}

/// A server says it to the user, who sees what it prints beside the protocol.
#[track_caller]
fn is_seen_by_the_user_of_a_server(scene: &Scene, cause: &str) {
    let mut client = scene.command(["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut told = String::new();
    BufReader::new(client.stderr.take().unwrap()).read_line(&mut told).unwrap();
    drop(client.stdin.take());
    client.wait().unwrap();
    assert!(told.starts_with("warning: ") && told.contains(cause), "{told}");
}

#[test]
fn not_installed() {
    let scene = scene();
    scene.does("plugins remove faulty --yes");
    scene.does("config set security.allow_lazy_installs false");
    is_seen(&scene, "`faulty` is not installed", "memory setup faulty");
    is_seen_by_the_user_of_a_server(&scene, "`faulty` is not installed");
}

#[test]
fn key_missing() {
    let scene = crate::setup::asking();
    scene.does("memory setup faulty --yes --set key=hush-hush");
    fs::remove_file(scene.path("home/.env")).unwrap();
    scene.write("talk.jsonl", "{\"session_id\": \"a\", \"role\": \"user\", \"content\": \"as ever\"}\n");
    is_seen(&scene, "`FAULTY_KEY` is missing", "memory setup faulty");
    is_seen_by_the_user_of_a_server(&scene, "`FAULTY_KEY` is missing");
}

#[test]
fn cannot_be_loaded() {
    let scene = scene();
    scene.does("config set providers.faulty.at_open 'error storage'");
    is_seen(&scene, "told to fail: storage", "memory setup faulty");
}

#[test]
fn unavailable() {
    let scene = scene();
    scene.does("config set providers.faulty.unavailable 'its server is gone: こわれた'");
    for line in ["replay --live talk.jsonl", "tools list", "memory recall 'as ever'"] {
        let warnings = warnings(&scene, line);
        let expected = "warning: `faulty` cannot work as it is set up: its server is gone: こわれた — \
                        `hermes memory setup faulty` sets it up anew";
        assert_eq!(warnings, [expected], "{line}");
    }
    assert_eq!(scene.run("memory status --check").status, 1);
}

#[test]
fn its_index_is_degraded() {
    let scene = scene();
    scene.does("config set providers.faulty.index '3 of 9 notes are not indexed'");
    is_told(&scene, "`faulty` recalls less than it could: 3 of 9 notes are not indexed");
    let problems = scene.json("memory status --check")["problems"].to_string();
    assert!(problems.contains("3 of 9 notes"), "{problems}");
}

#[test]
fn paused() {
    let scene = scene();
    for _ in 0..3 {
        scene.run("memory recall 'error unavailable'");
    }
    let db = Db::open(&Home::at(scene.path("home"))).unwrap().db;
    let sql = "UPDATE pauses SET until_ms = since_ms + 300000 WHERE until_ms IS NOT NULL";
    db.with(|connection| connection.execute(sql, [])).unwrap();
    drop(db);
    is_told(&scene, "`faulty` is left alone in part: prefetch paused until [time]");
    is_seen_by_the_user_of_a_server(&scene, "prefetch paused until ");
    let status = scene.json("memory status");
    let prefetch = status["hooks"].as_array().unwrap().iter().find(|hook| hook["hook"] == "prefetch").unwrap();
    assert_eq!(prefetch["calls"], 3, "{status}");
    assert!(prefetch["refused"].as_u64() >= Some(4), "a replay of three turns and a recall: {status}");
    assert!(status["paused"][0]["until"].is_u64() && status["last_failure"]["hook"] == "prefetch", "{status}");
}

#[test]
fn in_quarantine() {
    let scene = scene();
    for _ in 0..3 {
        scene.run("memory recall segfault");
    }
    is_told(&scene, "`faulty` crashed 3 times and is tried once in each session");
    is_seen_by_the_user_of_a_server(&scene, "crashed 3 times");
    let status = scene.json("memory status");
    assert_eq!(status["quarantine"]["crashes"], 3, "{status}");
}

/// One line in every session, however many calls it has.
#[track_caller]
fn is_told(scene: &Scene, cause: &str) {
    for line in ["replay --live talk.jsonl", "memory recall 'as ever'", "tools list"] {
        let warnings = warnings(scene, line);
        assert!(warnings.len() == 1 && warnings[0].contains(cause), "{line}: {}", scene.says(line));
        assert!(warnings[0].contains(" — `hermes "), "{}", warnings[0]);
    }
}
