//! The provider `byterover`: with a program that stands for `brv` and fails in every way, and with the real one.

mod failures;
mod outage;
mod real;
mod settings;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::package::Package;
use crate::scene::{Scene, files};

const DATA: &str = "home/plugins/data/byterover";

/// A scene with `byterover` in the official catalog, and without `brv`.
fn without_brv() -> Scene {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &Package::byterover());
    scene
}

/// The same with a program that stands for it, which does as it is told by [`does`].
pub(crate) fn with_fake() -> Scene {
    let scene = without_brv();
    add_fake(&scene);
    scene
}

fn add_fake(scene: &Scene) {
    install(scene, include_str!("fake.sh"));
}

/// Puts a program called `brv` where users have theirs.
fn install(scene: &Scene, script: &str) {
    let place = "user/.brv-cli/bin/brv";
    scene.write(place, script);
    fs::set_permissions(scene.path(place), fs::Permissions::from_mode(0o755)).unwrap();
}

/// From now on `brv` does this: `well`, or one of the ways in which it fails.
fn does(scene: &Scene, what: &str) {
    scene.write("user/brv-does", what);
}

/// What `brv` was told: `begin curate private`, `end curate private`, `begin curate-view private`, …
fn calls(scene: &Scene) -> Vec<String> {
    scene.read("user/brv-calls").lines().map(str::to_owned).collect()
}

/// How often a command was begun.
fn begun(scene: &Scene, command: &str) -> usize {
    calls(scene).iter().filter(|call| call.starts_with(&format!("begin {command} "))).count()
}

/// A conversation in one session, a turn for each text.
fn talk(session: &str, texts: &[String]) -> String {
    let line = |role: &str, text: &str| format!("{}\n", json!({"session_id": session, "role": role, "content": text}));
    texts.iter().map(|text| line("user", text) + &line("assistant", "That is good to know.")).collect()
}

/// All Markdown files of the trees, with their texts.
fn markdown(scene: &Scene) -> Vec<(PathBuf, String)> {
    let found = scene.contents(DATA).into_iter().filter(|(path, _)| {
        path.extension().is_some_and(|end| end == "md")
            && path.components().any(|part| part.as_os_str() == "context-tree")
    });
    found.map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned())).collect()
}

/// Calls a tool of the provider, and answers with its result or with `{"error": …}`.
#[track_caller]
fn tool(scene: &Scene, name: &str, args: &Value) -> Value {
    let line = format!("tools call {name} '{args}'");
    let mut answer = scene.json(&line);
    if answer["ok"] == true { answer["result"].take() } else { answer }
}

#[test]
fn what_was_said_becomes_markdown_and_is_recalled() {
    let scene = with_fake();
    scene.does("plugins install byterover --yes");
    scene.does("memory setup byterover --yes");
    scene.write("talk.jsonl", talk("a", &["Biscuit the spaniel is allergic to chicken".to_owned(), "ok".to_owned()]));
    scene.does("replay --live talk.jsonl");
    let said: Vec<_> = markdown(&scene).into_iter().filter(|(_, text)| text.contains("allergic")).collect();
    assert!(!said.is_empty(), "{:?}", calls(&scene));
    assert_eq!(begun(&scene, "curate"), 1, "an acknowledgement is nothing to curate");
    let recalled = scene.json("memory recall 'What is Biscuit allergic to?'");
    let memories = recalled["memories"].as_array().unwrap();
    assert_eq!(memories.len(), 1, "what brv derives from a file is not recalled beside it: {recalled}");
    assert!(memories[0]["text"].as_str().unwrap().contains("chicken"), "{recalled}");
    // Neither the text nor anything else is left in a folder that is not the tree's.
    assert!(files(&scene.path(DATA).join("private/incoming")).is_empty());
}
