//! What others who read along may see of the memory files.

use std::fs;

use super::curated::{Scene, call};
use super::*;
use crate::layers::curated::Settings;

/// A home in which both files hold something.
fn scene(settings: Settings) -> Scene {
    let scene = Scene::with(settings, super::settings());
    fs::create_dir_all(scene.folder.path().join("memories")).unwrap();
    fs::write(scene.folder.path().join("memories/USER.md"), "Anna, born 1984, door code in the safe").unwrap();
    fs::write(scene.folder.path().join("memories/MEMORY.md"), "deploys run on Fridays").unwrap();
    scene
}

fn targets(session: &Session) -> Value {
    session.tools().offered[0].parameters["properties"]["target"]["enum"].clone()
}

/// Who the user is was told to the agent alone.
#[test]
fn a_group_sees_nothing_of_the_user() {
    let scene = scene(Settings::default());
    let before = fs::read_to_string(scene.folder.path().join("memories/USER.md")).unwrap();
    let here = scene.memory.session("g", group("team"), Context::Primary);
    let prompt = here.system_prompt();
    assert!(prompt.contains("Fridays") && !prompt.contains("1984") && !prompt.contains("USER PROFILE"), "{prompt}");
    assert_eq!(targets(&here), json!(["memory"]));
    let calls = [
        json!({"target": "user", "content": "likes tea"}),
        json!({"target": "user", "action": "remove", "old_text": "1984"}),
        json!({"target": "user", "action": "replace", "old_text": "nothing like it", "content": "x"}),
        json!({"target": "user", "content": "x".repeat(2000)}),
        json!({"operations": [{"content": "x", "target": "user"}]}),
    ];
    for arguments in calls {
        // Each call is the first of its turn.
        here.forget_attempts();
        let outcome = call(&here, arguments);
        let told = format!("{} {}", outcome.content(), outcome.to_json());
        assert!(outcome.result.is_err() && told.contains("USER.md is not used where others read along"), "{told}");
        assert!(!told.contains("1984") && !told.contains("door code"), "{told}");
    }
    assert_eq!(fs::read_to_string(scene.folder.path().join("memories/USER.md")).unwrap(), before);
    assert!(scene.memory.curated().unwrap().proposals().is_empty(), "nor is it kept for later");
    call(&here, json!({"content": "the build takes an hour"})).result.unwrap();
    assert!(session(&scene.memory, "p").system_prompt().contains("1984"), "alone with the user it is all there");
}

#[test]
fn the_settings_say_what_a_group_sees() {
    let mut settings = Settings::default();
    settings.user.in_groups = true;
    settings.memory.in_groups = false;
    let open = scene(settings);
    let here = open.memory.session("g", group("team"), Context::Primary);
    assert!(here.system_prompt().contains("1984") && !here.system_prompt().contains("Fridays"));
    assert_eq!(targets(&here), json!(["user"]));
    settings.user.in_groups = false;
    let scene = scene(settings);
    let here = scene.memory.session("g", group("team"), Context::Primary);
    assert!(!here.tools().offers("memory") && !here.system_prompt().contains("═"), "{}", here.system_prompt());
    let told = call(&here, json!({"content": "x"})).result.unwrap_err();
    assert_eq!(told.kind, "not_found");
}

/// A conversation that moves to a group takes nothing along that was for one person.
#[test]
fn a_session_that_changes_its_audience_changes_what_it_shows() {
    let scene = scene(Settings::default());
    let here = session(&scene.memory, "s");
    let alone = here.system_prompt().to_owned();
    assert!(alone.contains("1984"));
    here.set_scope(group("team"));
    let together = here.system_prompt().to_owned();
    assert!(!together.contains("1984") && together.contains("Fridays"));
    assert!(call(&here, json!({"target": "user", "content": "x"})).result.is_err());
    // As a protocol does that asks the provider anew while it is connected.
    let surface = here.with_new_surface();
    assert_eq!(surface.system_prompt(), together);
    surface.set_scope(private("anna"));
    assert_eq!(surface.system_prompt(), alone);
    here.set_scope(private("anna"));
    assert_eq!(here.system_prompt(), alone, "the same bytes as before");
    here.set_scope(group("other"));
    assert_eq!(here.system_prompt(), together);
}

/// Full is full there as well, and what is named to make room is of that file alone.
#[test]
fn what_could_go_is_named_without_the_other_file() {
    let mut settings = Settings::default();
    settings.memory.chars = 30;
    let scene = scene(settings);
    let here = scene.memory.session("g", group("team"), Context::Primary);
    let refused = call(&here, json!({"content": "x".repeat(29)}));
    let told = refused.content();
    assert!(told.contains("must_free") && told.contains("Fridays") && !told.contains("1984"), "{told}");
}
