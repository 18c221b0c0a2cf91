//! The log of a home: what went wrong is in it, secrets are not, and it never stands in the way.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::scene::Scene;

const KEY: &str = "sk-live-1234567890";

/// A home with a key, whose provider crashed.
fn after_a_crash(prepare: impl FnOnce(&Scene)) -> Scene {
    let scene = Scene::with_faulty_recall();
    scene.write("home/.env", format!("FAULTY_KEY={KEY}\n"));
    fs::set_permissions(scene.path("home/.env"), Permissions::from_mode(0o600)).unwrap();
    let line = json!({"session_id": "a", "role": "user", "content": "segfault"});
    scene.write("talk.jsonl", format!("{line}\n"));
    let _ = fs::remove_dir_all(scene.path("home/logs"));
    prepare(&scene);
    assert_eq!(scene.run("replay --live talk.jsonl").status, 0);
    scene
}

#[test]
fn a_crash_is_logged_for_the_user_alone() {
    let scene = after_a_crash(|_| {});
    let mode = |below: &str| fs::metadata(scene.path(below)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("home/logs"), mode("home/logs/hermes.log")), (0o700, 0o600));
    let log = scene.read("home/logs/hermes.log");
    assert!(log.contains(" WARN ") && log.contains("SIGSEGV") && log.contains("provider=faulty"), "{log}");
    assert!(!log.contains(KEY));
    assert_eq!(scene.does("logs -n 1000"), log);
    let last: serde_json::Value = serde_json::from_str(&scene.does("logs -n 1 --json")).unwrap();
    assert!(log.ends_with(&format!("{}\n", last["message"].as_str().unwrap())), "{last}");
}

#[test]
fn a_folder_in_its_place_stops_nothing() {
    let scene = after_a_crash(|scene| fs::create_dir_all(scene.path("home/logs/hermes.log")).unwrap());
    assert!(scene.path("home/logs/hermes.log").is_dir());
}

#[test]
fn what_says_nothing_makes_nothing() {
    let scene = Scene::new();
    scene.does("--version");
    scene.does("memory status");
    scene.does("logs");
    assert!(!scene.path("home").exists());
}
