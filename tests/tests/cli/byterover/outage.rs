//! `brv` is away for three hundred turns: they wait, and all of them arrive, each once.

use serde_json::json;

use super::{calls, does, markdown, talk, with_fake};
use crate::scene::Scene;

fn waiting_and_dead(scene: &Scene) -> (u64, u64) {
    let list = scene.json("memory outbox list");
    let count = |key: &str| list["providers"][0][key].as_u64().unwrap_or_default();
    (count("waiting"), count("dead"))
}

fn outage(scene: &Scene, what: &str, turns: usize) {
    does(scene, what);
    scene.does("config set memory.shutdown_timeout 100ms");
    let said: Vec<_> = (0..turns).map(|n| format!("Shelf number {n} holds honey of the year {}", 1000 + n)).collect();
    // Several conversations: one that waits holds up no other.
    for (session, part) in said.chunks(turns.div_ceil(3)).enumerate() {
        scene.write("talk.jsonl", talk(&format!("s{session}"), part));
        let ran = scene.run("replay --live talk.jsonl");
        assert_eq!(ran.status, 0, "{what}: {}", ran.shown());
    }
    // And behind those of each conversation its end.
    assert_eq!(waiting_and_dead(scene), (turns as u64 + 3, 0), "{what}");

    does(scene, "well");
    for _ in 0..100 {
        scene.run("memory outbox retry");
        if waiting_and_dead(scene).0 == 0 {
            break;
        }
    }
    assert_eq!(waiting_and_dead(scene), (0, 0), "{what}: {:?}", calls(scene).last());
    let texts: Vec<_> =
        markdown(scene).into_iter().filter(|(path, _)| !path.to_string_lossy().ends_with(".abstract.md")).collect();
    for said in said {
        let times: usize = texts.iter().map(|(_, text)| text.matches(&format!("{said}\n")).count()).sum();
        // The copy that `brv` derives is no second one.
        assert_eq!(times, 1, "{what}: {said}");
    }
}

#[test]
fn three_hundred_turns_wait_for_brv_and_arrive() {
    let scene = with_fake();
    scene.does("memory setup byterover --yes");
    outage(&scene, "down", 300);
}

/// None of these is the fault of what was said, so that it is never given up.
#[test]
fn whatever_is_wrong_with_brv_turns_wait() {
    for what in ["no-model", "lies", "garbage", "dies"] {
        let scene = with_fake();
        scene.does("memory setup byterover --yes");
        outage(&scene, what, 6);
    }
}

#[test]
fn turns_wait_for_a_brv_that_was_removed() {
    let scene = with_fake();
    scene.does("memory setup byterover --yes");
    std::fs::remove_file(scene.path("user/.brv-cli/bin/brv")).unwrap();
    scene.write("talk.jsonl", talk("a", &["Mirabel keeps bees in Ljubljana".to_owned()]));
    assert_eq!(scene.run("replay --live talk.jsonl").status, 0);
    assert_eq!(waiting_and_dead(&scene), (2, 0));
    let said = scene.json("memory outbox list").to_string();
    assert!(said.contains("`brv` is not installed"), "{said}");
    super::add_fake(&scene);
    scene.does("memory outbox retry");
    assert_eq!(scene.json("memory outbox list")["providers"], json!([]));
    assert_eq!(markdown(&scene).len(), 2);
}
