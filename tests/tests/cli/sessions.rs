//! The archive of what was said, as a user meets it: recorded by a conversation, looked at, tidied up.

use serde_json::{Value, json};

use crate::scene::Scene;

/// What must be gone: nobody else says it.
const SECRET_PLAN: &str = "белый крокодил уезжает в Ригу";

fn talk(session: &str, texts: &[&str]) -> String {
    let line = |role: &str, text: &str| format!("{}\n", json!({"session_id": session, "role": role, "content": text}));
    texts.iter().map(|text| line("user", text) + &line("assistant", "Хорошо.")).collect()
}

/// Two recorded conversations, without a provider.
fn with_sessions() -> Scene {
    let scene = Scene::without_plugins();
    scene.write("a.jsonl", talk("trip-1", &[SECRET_PLAN, "And then?"]));
    scene.write(
        "b.jsonl",
        talk("trip-2", &["What to cook for Vera on a long Sunday evening with all of her many friends?"]),
    );
    scene.does("replay --live a.jsonl");
    scene.does("replay --live b.jsonl");
    scene
}

fn names(scene: &Scene, line: &str) -> Vec<Value> {
    scene.json(line).as_array().unwrap().iter().map(|session| session["id"].clone()).collect()
}

#[test]
fn what_was_said_is_listed_and_shown() {
    let scene = with_sessions();
    assert_eq!(names(&scene, "sessions list"), ["trip-2", "trip-1"]);
    assert_eq!(names(&scene, "sessions list --limit 1"), ["trip-2"]);
    assert_eq!(names(&scene, "sessions list --title КРОКОДИЛ --since 1d --context primary"), ["trip-1"]);
    for line in ["--until 1d", "--platform telegram", "--user bob", "--project x", "--chat y", "--context cron"] {
        assert_eq!(names(&scene, &format!("sessions list {line}")), [""; 0], "{line}");
    }
    let listed = scene.run("sessions list -n 1");
    assert!(
        listed.out.starts_with("trip-2  What to cook for Vera on a long Sunday evening with all of…  "),
        "{listed:?}"
    );
    assert!(listed.out.contains("2 messages") && listed.err.contains("there are more"), "{listed:?}");
    let shown = scene.does("sessions show trip-1");
    assert!(shown.starts_with(&format!("{SECRET_PLAN}\ntrip-1 · 20")), "{shown}");
    let said: Vec<&str> = shown.lines().filter(|line| !line.is_empty() && !line.starts_with('─')).skip(2).collect();
    assert_eq!(said, [SECRET_PLAN, "Хорошо.", "And then?", "Хорошо."]);
    let shown = scene.json("sessions show trip-1");
    assert_eq!((&shown["session"]["messages"], &shown["session"]["reason"]), (&json!(4), &json!("ended")));
    assert_eq!((&shown["messages"][3]["turn"], &shown["messages"][0]["content"]), (&json!(2), &json!(SECRET_PLAN)));
    let stats = scene.json("sessions stats");
    assert_eq!((&stats["sessions"], &stats["messages"], &stats["roles"]["user"]), (&json!(2), &json!(6), &json!(3)));
    assert!(scene.does("sessions stats").starts_with("2 sessions, 6 messages\n"));
    let status = scene.does("memory status");
    assert!(status.contains("archive: 2 sessions, 6 messages, the last "), "{status}");
    assert!(scene.does("doctor --quick").contains("archive      2 sessions, 6 messages, the last at 20"));
}

#[test]
fn what_is_not_there_is_said_with_what_to_type() {
    let scene = with_sessions();
    let none = scene.run("sessions show nowhere");
    assert_eq!((none.status, none.out.as_str()), (1, ""));
    assert!(none.err.contains("no session is called `nowhere`") && none.err.contains("hermes sessions list"));
    let several = scene.run("sessions show trip");
    assert!(several.status == 1 && several.err.contains("`trip-2` or `trip-1`"), "{several:?}");
    assert_eq!(scene.run("sessions rename trip-1 ' '").status, 2);
    assert_eq!(scene.run("sessions list --since yesterday").status, 2);
    let fresh = Scene::without_plugins();
    assert_eq!(fresh.json("sessions list"), json!([]));
    assert_eq!(fresh.json("sessions stats")["messages"], 0);
    assert_eq!(fresh.run("sessions delete x --yes").status, 1);
    assert_eq!(fresh.does("sessions prune --yes"), "");
    assert!(!fresh.path("home/hermes.db").exists(), "looking makes nothing");
}

#[test]
fn sessions_are_renamed_pinned_and_pruned() {
    let scene = with_sessions();
    assert_eq!(scene.json("sessions rename trip-1 'Рига  весной'")["title"], "Рига весной");
    assert_eq!(scene.json("sessions pin trip-1")["pinned"], true);
    assert_eq!(scene.json("sessions prune --dry-run"), json!({"would_prune": [], "pruned": 0}));
    assert_eq!(scene.json("sessions prune --older-than 0d --dry-run")["would_prune"], json!(["trip-2"]));
    let asked = scene.run("sessions prune --older-than 0d");
    assert!(asked.status == 2 && asked.err.contains("hermes sessions prune --yes"), "{asked:?}");
    assert_eq!(scene.json("sessions prune --older-than 0d --yes"), json!({"pruned": 1, "log_emptied": true}));
    assert_eq!(names(&scene, "sessions list"), ["trip-1"]);
    assert_eq!(scene.json("sessions unpin trip-1")["pinned"], false);
    scene.does("config set sessions.retention_days 0");
    let never = scene.run("sessions prune --yes");
    assert!(never.status == 1 && never.err.contains("kept for ever"), "{never:?}");
    assert!(scene.json("sessions vacuum")["after_bytes"].as_u64() > Some(0));
}

#[test]
fn what_is_deleted_is_in_no_file_of_the_home() {
    let scene = Scene::with_faulty();
    scene.does("config set memory.shutdown_timeout 100ms");
    let plan = format!("{SECRET_PLAN}, {}", "и ещё раз ".repeat(2000));
    // One turn arrives, one waits for a service that is down.
    scene.write("a.jsonl", talk("s", &[&plan, &format!("down the cellar, {SECRET_PLAN}")]));
    scene.run("replay --live a.jsonl");
    let found = |below: &str| {
        let files = scene.every_file(below).into_iter();
        let has = |bytes: &[u8]| memchr::memmem::find(bytes, SECRET_PLAN.as_bytes()).is_some();
        files.filter(|(_, bytes)| has(bytes)).map(|(path, _)| path).collect::<Vec<_>>()
    };
    assert!(!found("home").is_empty());
    let asked = scene.run("sessions delete s");
    assert!(asked.status == 2 && asked.err.contains("hermes sessions delete s --yes"), "{asked:?}");
    let deleted = scene.json("sessions delete s --yes");
    assert_eq!((&deleted["deleted"], &deleted["log_emptied"]), (&json!(["s"]), &json!(true)));
    let elsewhere = deleted["elsewhere"].to_string();
    for place in ["hermes memory outbox drop ", "`faulty` may have", "hermes memory list", "backups"] {
        assert!(elsewhere.contains(place), "{elsewhere}");
    }
    let waits = elsewhere.split("outbox drop ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    scene.does(&format!("memory outbox drop {waits} --yes"));
    scene.does("sessions vacuum");
    // What the provider keeps is its own.
    let left: Vec<_> =
        found("home").into_iter().filter(|path| !path.to_string_lossy().contains("/plugins/data/")).collect();
    assert_eq!(left, [""; 0].map(std::path::PathBuf::from));
}

#[test]
fn nothing_is_recorded_where_that_is_turned_off() {
    let scene = Scene::without_plugins();
    scene.does("config set sessions.enabled false");
    scene.write("a.jsonl", talk("s", &[SECRET_PLAN]));
    scene.does("replay --live a.jsonl");
    assert_eq!(scene.json("sessions list"), json!([]));
    assert_eq!(scene.json("memory status")["sessions"]["on"], false);
    let status = scene.does("memory status");
    assert!(status.contains("`sessions.enabled` is false, and nothing is added"), "{status}");
}

#[test]
fn old_sessions_go_by_themselves_only_where_the_user_wants_it() {
    let scene = with_sessions();
    let database = rusqlite::Connection::open(scene.path("home/hermes.db")).unwrap();
    let age = "UPDATE sessions SET last_ms = 1000, started_ms = 1000, ended_ms = 1000 WHERE name = 'trip-1'";
    assert_eq!(database.execute(age, []).unwrap(), 1);
    drop(database);
    scene.does("replay --live b.jsonl");
    assert_eq!(names(&scene, "sessions list"), ["trip-2", "trip-1"]);
    scene.does("config set sessions.auto_prune true");
    scene.does("replay --live b.jsonl");
    assert_eq!(names(&scene, "sessions list"), ["trip-2"]);
}

#[test]
fn a_database_of_the_python_agent_is_refused_by_name() {
    let scene = Scene::without_plugins();
    scene.write("home/config.toml", "");
    let python = rusqlite::Connection::open(scene.path("home/hermes.db")).unwrap();
    let tables = "CREATE TABLE schema_version (version INTEGER); CREATE TABLE sessions (id TEXT PRIMARY KEY);
        CREATE TABLE messages (id INTEGER PRIMARY KEY)";
    python.execute_batch(tables).unwrap();
    drop(python);
    let bytes = std::fs::read(scene.path("home/hermes.db")).unwrap();
    let listed = scene.run("sessions list");
    assert!(listed.status == 1 && listed.err.contains("is the Python agent's `state.db`"), "{listed:?}");
    // A conversation goes on without it, and says so.
    scene.write("a.jsonl", talk("s", &["What is new?"]));
    let played = scene.run("replay --live a.jsonl");
    assert!(played.out.contains("What is new?") && played.err.contains("the Python agent's `state.db`"), "{played:?}");
    let status = scene.json("memory status");
    assert!(status["sessions"]["problem"]["hints"].to_string().contains("hermes doctor"), "{status}");
    assert_eq!(scene.run("doctor --quick").status, 1);
    assert_eq!(std::fs::read(scene.path("home/hermes.db")).unwrap(), bytes);
}
