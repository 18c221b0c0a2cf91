//! What a user does: installs, sets up, talks, and is remembered.

use hermes_tests_retaindb::KEY;

use super::scene::{fresh, setup, talk};

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
    assert_eq!((&turns[0]["session_id"], &turns[0]["write_mode"]), (&"monday".into(), &"sync".into()));
    let messages: Vec<_> = turns[0]["messages"].as_array().unwrap().iter().map(|message| &message["content"]).collect();
    assert_eq!(messages, ["Меня зовут Анна, я пишу на Rust", "I see."]);
    // The server refuses what is not as it should be, so all of it was.
    let recall = scene.does("memory recall 'Как зовут и на чём пишет Анна?'");
    assert!(recall.contains("я пишу на Rust"), "{recall}");
    assert_eq!(scene.does("memory remember 'Анна любит зелёный чай'").trim(), "");
    assert!(server.cloud.rows().iter().any(|row| row.content == "Анна любит зелёный чай"));
}
