//! `/memory …` in a chat.

use std::fs;

use super::curated::{Scene, call, write};
use super::*;
use crate::layers::curated::Settings;

fn person(scope: Scope) -> Caller {
    by_user(Caller { scope, ..Caller::default() })
}

fn types(scene: &Scene, text: &str) -> Result<String, Failure> {
    scene.memory.memory_command(text, &person(private("anna"))).unwrap()
}

fn gated() -> Scene {
    let scene = Scene::with(Settings { write_approval: true, ..Settings::default() }, settings());
    *scene.shared.schemas.lock().unwrap() = vec![schema("note")];
    scene
}

#[test]
fn only_the_command_is_one() {
    let scene = Scene::new();
    let caller = person(private("anna"));
    for text in ["hello", "/memoryx", "/new", "see /memory pending", ""] {
        assert!(scene.memory.memory_command(text, &caller).is_none(), "{text}");
    }
    for text in ["/memory", " /memory help ", "/memory\npending"] {
        assert!(scene.memory.memory_command(text, &caller).unwrap().is_ok(), "{text}");
    }
    for text in ["/memory destroy", "/memory diff", "/memory approve", "/memory approve a b", "/memory approval maybe"]
    {
        let failure = types(&scene, text).unwrap_err();
        assert_eq!(failure.hints, ["`/memory help` shows what there is"], "{text}");
    }
}

#[test]
fn a_person_decides_in_the_chat() {
    let scene = gated();
    let here = session(&scene.memory, "s");
    let pending = |arguments: Value| call(&here, arguments).result.unwrap()["pending"].as_str().unwrap().to_owned();
    let tea = pending(json!({"content": "likes tea\nand cake"}));
    let listed = types(&scene, "/memory pending").unwrap();
    assert_eq!(listed, format!("{tea}  MEMORY.md: + likes tea and cake  (just now; `memory.write_approval` is on)"));
    let whole = types(&scene, &format!("/memory diff {tea}")).unwrap();
    assert!(whole.starts_with(&format!("{tea} · MEMORY.md · session s\n")), "{whole}");
    assert!(whole.ends_with("\n+ likes tea\n+ and cake"), "{whole}");
    let reworded = types(&scene, &format!("/memory edit {tea} likes green\ntea")).unwrap();
    assert!(reworded.ends_with("\n+ likes green\n+ tea"), "{reworded}");
    let done = types(&scene, &format!("/memory approve {tea}")).unwrap();
    assert_eq!(done, "MEMORY.md (0% — 15/2,200 chars): + likes green tea");
    assert_eq!(
        (scene.file().as_str(), scene.mirrored()),
        ("likes green\ntea", vec![write("add", "", "likes green\ntea")])
    );
    let shown = types(&scene, "/memory show memory").unwrap();
    assert_eq!(shown, "MEMORY.md · 1 entry · 0% — 15/2,200 chars\n1. likes green\ntea");
    let rye = pending(json!({"content": "likes rye"}));
    let note = here.tool(&ToolCall { id: String::new(), name: "note".to_owned(), arguments: "{\"a\": 1}".to_owned() });
    let note = note.result.unwrap()["pending"].as_str().unwrap().to_owned();
    assert!(types(&scene, &format!("/memory reject {rye}")).unwrap().starts_with(&format!("dropped {rye}")));
    assert_eq!(types(&scene, "/memory approve all").unwrap(), format!("{note} is done"));
    assert_eq!(types(&scene, "/memory pending").unwrap(), "nothing waits for your approval");
    assert!(types(&scene, &format!("/memory diff {rye}")).unwrap_err().message.contains("waits"));
}

/// The file has moved on since: that is said, and nothing is overwritten unseen.
#[test]
fn one_that_cannot_be_written_goes_on_waiting() {
    let scene = gated();
    fs::create_dir_all(scene.folder.path().join("memories")).unwrap();
    let file = scene.folder.path().join("memories/MEMORY.md");
    fs::write(&file, "port 80 is open").unwrap();
    let here = session(&scene.memory, "s");
    call(&here, json!({"old_text": "port 80", "content": "port 80 is closed"})).result.unwrap();
    call(&here, json!({"content": "likes tea"})).result.unwrap();
    fs::write(&file, "port 80 is filtered").unwrap();
    let id = scene.memory.curated().unwrap().proposals()[0].id.clone();
    let whole = types(&scene, &format!("/memory diff {}", &id[..6])).unwrap();
    let moved = whole.contains("--rebase") || types(&scene, "/memory pending").unwrap().contains("likes tea");
    assert!(moved, "{whole}");
    let failure = types(&scene, "/memory approve all").unwrap_err();
    assert!(failure.message.contains("goes on waiting: MEMORY.md has changed"), "{failure:?}");
    assert!(failure.message.contains("+ likes tea"), "the other one is written: {failure:?}");
    types(&scene, "/memory approve all --rebase").unwrap();
    assert_eq!(scene.file(), "port 80 is closed\n§\nlikes tea");
}

#[test]
fn approval_is_switched_for_the_sessions_that_run() {
    let scene = Scene::new();
    let here = session(&scene.memory, "s");
    assert!(types(&scene, "/memory approval").unwrap().starts_with("the agent writes"));
    types(&scene, "/memory approval on").unwrap();
    assert!(call(&here, json!({"content": "likes tea"})).result.unwrap()["pending"].is_string());
    let config = fs::read_to_string(scene.folder.path().join("config.toml")).unwrap();
    assert!(config.contains("write_approval = true"), "{config}");
    types(&scene, "/memory approval off").unwrap();
    call(&here, json!({"content": "likes rye"})).result.unwrap();
    assert_eq!(scene.file(), "likes rye");
}

/// Anybody can type in a group.
#[test]
fn a_group_sees_what_is_its_own_and_decides_nothing() {
    let scene = gated();
    let here = session(&scene.memory, "s");
    call(&here, json!({"content": "likes tea"})).result.unwrap();
    let user = call(&here, json!({"target": "user", "content": "born 1984"})).result.unwrap();
    let in_group = |text: &str| scene.memory.memory_command(text, &person(group("team"))).unwrap();
    let listed = in_group("/memory pending").unwrap();
    assert!(
        listed.contains("likes tea") && listed.ends_with("\n1 more, not shown where others read along"),
        "{listed}"
    );
    assert!(!listed.contains("1984"));
    assert!(in_group(&format!("/memory diff {}", user["pending"].as_str().unwrap())).is_err());
    let shown = in_group("/memory show").unwrap();
    assert!(shown.ends_with("\nUSER.md is not shown where others read along"), "{shown}");
    for text in ["/memory approve all", "/memory reject all", "/memory edit p x", "/memory approval off"] {
        assert!(in_group(text).unwrap_err().message.contains("nothing is decided"), "{text}");
    }
    assert_eq!(scene.memory.curated().unwrap().proposals().len(), 2);
}
