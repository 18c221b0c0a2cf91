//! What a user does: installs, sets up, talks, and is remembered.

use std::fs;

use hermes_tests_retaindb::KEY;
use serde_json::{Value, json};

use super::scene::{fresh, ready, setup, talk};
use crate::scene::files;

#[test]
fn from_install_to_a_turn_that_the_service_holds() {
    let (scene, server) = fresh();
    scene.does("plugins install retaindb --yes");
    scene.does(&setup(&server, KEY));
    scene.write("talk.jsonl", talk("monday", &["Меня зовут Анна, я пишу на Rust"]));
    scene.does("replay --live talk.jsonl");
    let turns = server.cloud.ingested();
    assert_eq!(turns.len(), 1, "{turns:?}");
    assert_eq!((&turns[0]["project"], &turns[0]["user_id"]), (&"default".into(), &"default".into()));
    assert_eq!((&turns[0]["session_id"], &turns[0]["write_mode"]), (&"monday".into(), &"async".into()));
    let messages: Vec<_> = turns[0]["messages"].as_array().unwrap().iter().map(|message| &message["content"]).collect();
    assert_eq!(messages, ["Меня зовут Анна, я пишу на Rust", "I see."]);
    // The server refuses what is not as it should be, so all of it was.
    let recall = scene.does("memory recall 'Как зовут и на чём пишет Анна?'");
    assert!(recall.contains("я пишу на Rust"), "{recall}");
    scene.does("memory remember 'Анна любит зелёный чай'");
    assert!(server.cloud.rows().iter().any(|row| row.content == "Анна любит зелёный чай"));
    let found = scene.json(r#"tools call retaindb_search '{"query": "чай"}'"#);
    assert!(found.to_string().contains("зелёный"), "{found}");
}

/// A worker carries files both ways by its data folder, and only from the folder that the user chose.
#[test]
fn files_and_the_soul_are_what_the_user_granted() {
    let (scene, server) = fresh();
    let picture: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    scene.write("notes/план.md", "Посадить редис в мае");
    scene.write("notes/picture.png", &picture);
    scene.write("soul/SOUL.md", "You are calm.");
    scene.write("private.md", "not for anybody");
    let (notes, soul) = (scene.path("notes"), scene.path("soul"));
    let granted = format!("--set files={} --set soul={}", notes.display(), soul.display());
    scene.does(&format!("{} {granted}", setup(&server, KEY)));
    let call = |tool: &str, args: Value| scene.run(&format!("tools call retaindb_{tool} '{args}'"));
    let up = call("upload_file", json!({"local_path": "план.md", "ingest": true}));
    assert_eq!(up.status, 0, "{}", up.shown());
    call("upload_file", json!({"local_path": notes.join("picture.png")}));
    let stored = server.cloud.files();
    assert_eq!(stored.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["/план.md", "/picture.png"]);
    assert!(stored[0].ingested && stored[1].bytes == picture, "byte for byte");
    let read = call("read_file", json!({"file_id": stored[0].id}));
    assert!(read.out.contains("Посадить редис в мае"), "{}", read.shown());
    for outside in ["../private.md", "/etc/hostname", "nope.md"] {
        let refused = call("upload_file", json!({"local_path": outside}));
        assert_eq!(refused.status, 1, "{outside}: {}", refused.shown());
    }
    assert_eq!(server.cloud.files().len(), 2);
    let left = files(&scene.path("home/plugins/data/retaindb"));
    assert!(left.iter().all(|file| !file.to_string_lossy().contains("passing-")), "{left:?}");

    scene.write("talk.jsonl", talk("monday", &["What grows in May?", "And in June?"]));
    scene.does("replay --live talk.jsonl");
    scene.does("replay --live talk.jsonl");
    let seed = json!({"project": "default", "content": "You are calm.", "source": "soul_md"});
    assert_eq!(server.cloud.seeds(), [seed], "once, over two starts");
}

/// What was asked ahead in one session is not recalled in another.
#[test]
fn sessions_do_not_leak_into_each_other() {
    let (scene, server) = ready();
    let both = talk("monday", &["What grows in May?", "And what grows in June?"]) + &talk("friday", &["And in July?"]);
    scene.write("talk.jsonl", both);
    let lines = scene.does("replay --live talk.jsonl --json");
    let turns: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let friday = turns.iter().find(|turn| turn["session_id"] == "friday").unwrap();
    assert!(!friday["recall"].to_string().contains("About the user"), "{friday}");
    assert_eq!(server.cloud.said().len(), 3);
}

/// Its name in the catalog of this repository is that of the crate.
#[test]
fn the_repository_lists_it() {
    let entry = fs::read_to_string(hermes_tests::workspace().join("catalog/retaindb.toml")).unwrap();
    let entry: toml::Table = entry.parse().unwrap();
    assert_eq!((entry["name"].as_str(), entry["crate"].as_str()), (Some("retaindb"), Some("hermes-provider-retaindb")));
}
