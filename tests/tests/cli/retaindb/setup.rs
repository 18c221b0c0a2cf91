//! Setting it up, and what the status says of it in every state.

use std::fs;

use hermes_tests_retaindb::{Fault, KEY};
use insta::assert_snapshot;

use super::scene::{fresh, ready, setup, talk};
use crate::pty::{ENTER, Terminal};
use crate::scene::Scene;

/// Answers that are asked for and then thrown away.
#[test]
fn answers_land_where_the_provider_reads_them() {
    let (scene, server) = fresh();
    scene.does(&format!("{} --set project=demo", setup(&server, KEY)));
    let settings = scene.read("home/config.toml").replace(&server.url, "[url]");
    assert_snapshot!(settings, @r#"
    [memory]
    provider = "retaindb"

    [providers.retaindb]
    base_url = "[url]"
    project = "demo"
    "#);
    assert_eq!(scene.read("home/.env"), format!("RETAINDB_API_KEY={KEY}\n"));
    scene.write("talk.jsonl", talk("monday", &["My name is Ann"]));
    scene.does("replay --live talk.jsonl");
    assert_eq!(server.cloud.ingested()[0]["project"], "demo");
}

#[test]
fn it_is_picked_from_a_list_and_asks_for_its_key() {
    let (scene, server) = fresh();
    let Some(terminal) = Terminal::start(&scene, "memory setup") else { return };
    terminal.sees("Which memory provider?").sees("> retaindb").types(ENTER);
    terminal.sees("may call the address that you set as `base_url`").sees("may read the secret RETAINDB_API_KEY");
    terminal.sees("Install retaindb?").types("y").types(ENTER);
    terminal.sees("API key of RetainDB:").types(KEY).types(ENTER);
    let rub_out = "\u{7f}".repeat("https://api.retaindb.com".len());
    terminal.sees("Address of the service:").types(&rub_out).types(&server.url).types(ENTER);
    terminal.sees("one for this profile").types("demo").types(ENTER);
    terminal.sees("may upload").types(ENTER).sees("who the agent is").types(ENTER);
    terminal.sees("is your memory now");
    assert_eq!(terminal.ends(), 0);
    assert!(scene.read("home/config.toml").contains("project = \"demo\""), "{}", scene.read("home/config.toml"));
    assert_eq!(scene.read("home/.env"), format!("RETAINDB_API_KEY={KEY}\n"));
}

/// The first problem that `memory status --check` names, and whether anything is wrong.
#[track_caller]
fn status(scene: &Scene) -> (String, String) {
    let status = scene.json("memory status --check");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let problem = text(&status["problems"][0]["message"]);
    let detail = text(&status["check"]["detail"]);
    assert!(!status.to_string().contains(KEY));
    (text(&status["state"]), if problem.is_empty() { detail } else { problem })
}

#[test]
fn the_status_is_true_before_it_is_set_up() {
    let (scene, server) = fresh();
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: no external provider
    ---- err
    hint: choose one with `hermes memory setup`
    ");
    scene.does("config set memory.provider retaindb");
    let said = scene.run("memory status");
    assert!(said.out.contains("`retaindb` is not installed"), "{}", said.shown());
    scene.does("plugins install retaindb --yes");
    let (state, problem) = status(&scene);
    assert_eq!(state, "degraded");
    assert_eq!(problem, "`retaindb` is not set up: `RETAINDB_API_KEY` is missing");
    assert!(server.cloud.asked().is_empty(), "nobody is asked before it is set up");
}

#[test]
fn the_status_is_true_once_it_is_set_up() {
    let (scene, server) = ready();
    let healthy = (String::from("ok"), format!("{} as project `default`; it answers", server.url));
    assert_eq!(status(&scene), healthy);

    server.cloud.fail("", 1, Fault::Slow(3100));
    let (state, detail) = status(&scene);
    assert!(state == "ok" && detail.contains("slow: it took 3."), "{state}: {detail}");

    server.set_down(true);
    let (state, problem) = status(&scene);
    assert!(
        state == "degraded" && problem.contains(&format!("{} cannot be reached", server.url)),
        "{state}: {problem}"
    );
    server.set_down(false);

    server.cloud.fail("", 1, Fault::Says(402, r#"{"error": "Free plan is used up"}"#));
    let (state, problem) = status(&scene);
    assert!(state == "degraded" && problem.ends_with("Free plan is used up"), "{state}: {problem}");

    server.cloud.set_key("rdb_another_key_0123456789");
    let told = scene.run("memory status --check");
    assert_eq!(told.status, 1);
    assert!(told.out.contains("RetainDB answers 401 to GET /v1/memory/profile/…: Invalid API key"), "{}", told.shown());
    assert!(told.err.contains("`hermes memory setup retaindb` takes a new key"), "{}", told.shown());
    server.cloud.set_key(KEY);
    server.cloud.heal();

    // An address that is not the service's, nor that of an older one: the route is named.
    server.cloud.fail("", 2, Fault::Says(404, "<html>nothing here</html>"));
    let told = scene.run("memory status --check");
    assert!(told.out.contains("RetainDB answers 404 to GET /v1/memory/profile/…: a web page"), "{}", told.shown());
    assert!(told.err.contains("is `base_url` the address of RetainDB?"), "{}", told.shown());
    assert_eq!(status(&scene), healthy);

    fs::remove_file(scene.path("home/.env")).unwrap();
    assert_eq!(status(&scene).1, "`retaindb` is not set up: `RETAINDB_API_KEY` is missing");
}

/// The service speaks no TLS, has no such name, or never answers: each is called what it is.
#[test]
fn ways_of_not_being_there_are_told_apart() {
    let (scene, server) = ready();
    let port = server.url.rsplit(':').next().unwrap();
    scene.does(&format!("config set providers.retaindb.base_url https://127.0.0.1:{port}"));
    let (_, tls) = status(&scene);
    assert!(tls.contains(&format!("https://127.0.0.1:{port} cannot be reached")), "{tls}");
    scene.does("config set providers.retaindb.base_url http://nowhere.invalid:8080");
    let (_, name) = status(&scene);
    assert!(name.contains("http://nowhere.invalid:8080 cannot be reached"), "{name}");
    scene.does(&format!("config set providers.retaindb.base_url {}", server.url));
    scene.does("config set timeouts.health 1s");
    server.cloud.fail("", 9, Fault::Waits);
    let (_, late) = status(&scene);
    assert!(late.contains("time") && !late.contains("not set up"), "{late}");
    server.cloud.heal();
    assert!(tls != name && name != late, "{tls}\n{name}\n{late}");
}

/// A key may come from the environment alone, and the status asks with it.
#[test]
fn a_key_of_the_environment_is_enough() {
    let (scene, server) = fresh();
    let scene = scene.variable("RETAINDB_API_KEY", KEY).variable("RETAINDB_BASE_URL", &server.url);
    scene.does("memory setup retaindb --yes");
    assert_eq!((scene.read("home/.env"), status(&scene).0), (String::new(), "ok".to_owned()));
}

/// Setup with a key that is refused keeps the answers and says what to do.
#[test]
fn a_wrong_key_is_told_at_once() {
    let (scene, server) = fresh();
    let told = scene.run(&setup(&server, "rdb_not_the_right_key_1"));
    assert_eq!(told.status, 1);
    assert!(told.err.contains("401") && told.err.contains("the answers are kept"), "{}", told.shown());
    assert!(!told.shown().contains("rdb_not_the_right_key_1"));
    scene.does(&setup(&server, KEY));
}
