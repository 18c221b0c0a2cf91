//! What was said, found again at the command line.

use serde_json::json;

use crate::pty::Terminal;
use crate::scene::Scene;

fn with_talks() -> Scene {
    let scene = Scene::without_plugins();
    let line = |session: &str, role: &str, text: &str| {
        format!("{}\n", json!({"session_id": session, "role": role, "content": text}))
    };
    let talks = [
        ("gateway", "Мы перезапустили шлюз gateway на порту 8443", "Записал."),
        ("garden", "When do we water the tomatoes in the greenhouse?", "Every other evening, after the sun has set."),
        ("tea", "重启gateway服务之后喝茶", "好的。"),
    ];
    for (session, asked, answered) in talks {
        scene.write("talk.jsonl", line(session, "user", asked) + &line(session, "assistant", answered));
        scene.does("replay --live talk.jsonl");
    }
    scene
}

fn found(scene: &Scene, line: &str) -> Vec<String> {
    let answer = scene.json(&format!("sessions search {line}"));
    let sessions = answer["sessions"].as_array().unwrap().iter();
    sessions.map(|session| session["session"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_person_finds_what_was_said() {
    let scene = with_talks();
    assert_eq!(found(&scene, "watering a tomato"), ["garden"]);
    assert_eq!(found(&scene, "шлюзы"), ["gateway"]);
    assert_eq!(found(&scene, "greenhuose"), ["garden"]);
    assert_eq!(found(&scene, "gateway --not-session gateway"), ["tea"]);
    assert_eq!(found(&scene, "gateway --since 2020-01-01 --until 1d"), [""; 0]);
    assert_eq!(found(&scene, "'OR ( \" *'"), [""; 0]);
    let shown = scene.does("sessions search 'water tomatoes'");
    assert!(shown.starts_with("1. garden  ") && shown.contains("\n   user, 20"), "{shown}");
    assert!(shown.contains("When do we water the tomatoes in the greenhouse?"), "{shown}");
    let none = scene.run("sessions search xylophone");
    assert_eq!((none.status, none.out.as_str(), none.err.as_str()), (0, "", "nothing was found\n"));
    assert_eq!(scene.run("sessions search").status, 2);
    let pager = scene.run("sessions search tomatoes --open");
    assert!(pager.status == 2 && pager.err.contains("hermes sessions show garden"), "{pager:?}");
    assert_eq!(scene.run("sessions search tomatoes --open=7").status, 1);
    let fresh = Scene::without_plugins();
    assert_eq!(fresh.json("sessions search tea")["sessions"], json!([]));
    assert!(!fresh.path("home/hermes.db").exists(), "looking makes nothing");
}

#[test]
fn what_was_deleted_is_not_found() {
    let scene = with_talks();
    scene.does("sessions reindex");
    scene.does("sessions delete garden --yes");
    assert_eq!(found(&scene, "tomatoes"), [""; 0]);
    assert_eq!(found(&scene, "gateway").len(), 2);
}

#[test]
fn an_index_that_was_off_comes_back_by_itself() {
    let scene = with_talks();
    scene.does("config set sessions.index false");
    let told = scene.does("memory status");
    assert!(told.contains("search: off: `sessions.index` is false"), "{told}");
    let refused = scene.run("sessions reindex");
    assert!(refused.status == 1 && refused.err.contains("hermes config set sessions.index true"), "{refused:?}");
    let line =
        |n: usize| format!("{}\n", json!({"session_id": "more", "role": "user", "content": format!("tick {n}")}));
    scene.write("more.jsonl", (0..40).map(line).collect::<String>());
    scene.does("replay --live more.jsonl");
    scene.does("config set sessions.index true");
    let told = scene.run("memory status");
    assert!(told.out.contains("search: behind: ") && told.err.contains("hermes sessions reindex"), "{told:?}");
    assert_eq!(found(&scene, "tick 7")[0], "more");
    assert!(!scene.does("memory status").contains("search: behind"));
    assert_eq!(scene.json("sessions reindex")["entered"], 0);
    assert_ne!(scene.json("sessions reindex --all")["entered"], 0);
    assert_eq!(found(&scene, "tomatoes"), ["garden"]);
}

#[test]
fn words_that_were_found_are_marked_and_opened() {
    let scene = with_talks().variable("PAGER", "cat");
    let shown = scene.does("--color always sessions search tomato");
    assert!(shown.contains("the \u{1b}[1m\u{1b}[33mtomatoes\u{1b}[0m in"), "{shown}");
    let Some(terminal) = Terminal::start(&scene, "sessions search tomato --open") else { return };
    terminal.sees("── user · 20").sees("When do we water the tomatoes").sees("after the sun has set.");
    assert_eq!(terminal.ends(), 0);
}
