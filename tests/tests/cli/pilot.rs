//! Providers on trial: what is measured, what leaves the machine, and that the home stays as it was.

use std::fs;

use hermes_provider_api::Capabilities;
use hermes_provider_api::records::ConfigField;
use hermes_tests::wait::until;
use hermes_tests::workspace;
use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::package::Package;
use crate::pty::Terminal;
use crate::scene::{Scene, files};
use crate::shown::words;

/// With the recording that comes with the tests, as `talk.jsonl`.
fn scene_with_talk(scene: Scene) -> Scene {
    fs::copy(workspace().join("tests/data/pilot.jsonl"), scene.path("talk.jsonl")).unwrap();
    scene
}

fn said(session: &str, role: &str, text: &str, expects: Value) -> String {
    format!("{}\n", json!({"session_id": session, "role": role, "content": text, "expects": expects}))
}

/// What a provider sends to a model of the user's leaves the machine as well.
#[test]
fn a_model_that_is_turned_on_is_named_before() {
    let scene = scene_with_talk(Scene::with_memory());
    scene.does("config set model.base_url https://model.example/v1");
    scene.does("config set model.embedding small");
    scene.does("config set providers.holographic.semantic on");
    let ran = scene.run("memory pilot holographic --transcript talk.jsonl");
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.err.contains("the model `small` at https://model.example/v1"), "{}", ran.shown());
}

/// Without the blanks that depend on how long a time is, and without the tokens of what a provider says in its own words.
fn squeezed(shown: &str) -> String {
    let lines = shown.lines().map(|line| {
        let mut words: Vec<_> = line.split_whitespace().collect();
        if words.first() == Some(&"holographic") && words.get(2) == Some(&"ms") {
            words[8..12].fill("[…]");
        }
        words.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn providers_stand_side_by_side_and_the_home_is_only_read() {
    let scene = scene_with_talk(Scene::with_memory());
    scene.publish("bin/catalog", &Package::recorder().harmless());
    scene.does("memory remember 'The harbour pilot Ingeborg ordered a wedding cake'");
    scene.write("tmp/hermes-replay-dead/alive", "");
    let before = scene.every_file("home");
    let ran = scene.run("memory pilot none holographic recorder nowhere --transcript talk.jsonl");
    assert_snapshot!(squeezed(&ran.shown()), @"
    exit 1
    ---- out
    provider p50 p95 failed tokens/turn tokens/session tokens in all growth found
    none – – – 0.0 0 0 +0 % 0 of 5 (0 %)
    holographic […] ms […] ms 0 of 9 […] […] […] […] % 4 of 5 (80 %)
    recorder – – – 0.0 0 0 +0 % 0 of 5 (0 %)
    nowhere not tried: no catalog has a plugin named `nowhere`
    ---- err
    holographic: nothing leaves this machine
    recorder: nothing leaves this machine
    warning: nowhere was not tried: no catalog has a plugin named `nowhere`
    hint: `hermes plugins list` shows what the catalogs offer
    `talk.jsonl`: 11 turns of 3 sessions, 276 tokens of messages
    tokens are an estimate by characters: a quarter of a token for each of ASCII, 0.4 for other Latin, Cyrillic and Greek letters, 1 for Han, kana and Hangul, 0.5 for letters of other scripts, 1 for everything else; rounded up for each text. A model's own tokenizer differs, by a third or so
    ");
    // No data, no log, no database, no lock: nothing in the home has another byte.
    assert_eq!(scene.every_file("home"), before);
    assert!(files(&scene.path("tmp")).is_empty(), "{:?}", files(&scene.path("tmp")));

    // A recording with marks is replayed like any other.
    assert_eq!(scene.does("replay talk.jsonl --json").lines().count(), 11);
}

#[test]
fn what_a_provider_knows_comes_along_only_when_asked_for() {
    let scene = scene_with_talk(Scene::with_memory());
    scene.does("memory remember 'The harbour pilot Ingeborg ordered a wedding cake'");
    let before = scene.every_file("home");
    let found = |flags: &str| {
        let report = scene.json(&format!("memory pilot holographic --transcript talk.jsonl {flags}"));
        let provider = &report["providers"][0];
        assert_eq!(
            (&provider["ok"], &provider["sent_to"], &provider["cleanup"]),
            (&json!(true), &json!([]), &Value::Null)
        );
        assert_eq!(report["transcript"]["turns"], 11);
        assert_eq!(provider["turns"].as_array().unwrap().len(), 11);
        provider["recall"].clone()
    };
    assert_eq!(found(""), json!({"marked": 5, "found": 4, "share": 0.8}));
    assert_eq!(found("--copy-profile"), json!({"marked": 5, "found": 5, "share": 1.0}));
    assert_eq!(scene.every_file("home"), before);
}

#[test]
fn without_a_memory_nothing_is_added() {
    let scene = scene_with_talk(Scene::without_plugins());
    let report = scene.json("memory pilot none --transcript talk.jsonl");
    let none = &report["providers"][0];
    assert_eq!(none["tokens"], json!({"per_turn": 0.0, "per_session": 0.0, "added": 0, "growth": 0.0}));
    assert_eq!(none["delay"], json!({"asked": 0, "failed": 0, "p50_ms": null, "p95_ms": null}));
    assert_eq!(none["recall"], json!({"marked": 5, "found": 0, "share": 0.0}));
    assert!(!scene.path("home").exists(), "and no home is made");
}

#[test]
fn a_provider_that_fails_is_one_line() {
    let scene = scene_with_talk(Scene::new());
    let broken = |id: &str, key: &str, deed: &str| {
        let field = ConfigField { key: key.to_owned(), default: Some(deed.to_owned()), ..ConfigField::default() };
        Package::faulty().harmless().named(id, "1.0.0").with(|metadata| metadata.config = vec![field])
    };
    // One cannot be opened, one says that it cannot work, and one ends its process.
    scene.publish("bin/catalog", &broken("shut", "at_open", "error unavailable"));
    scene.publish("bin/catalog", &broken("sick", "unavailable", "no key is set"));
    let ran = scene.run("memory pilot shut sick holographic --transcript talk.jsonl --json");
    assert_eq!(ran.status, 1, "{}", ran.shown());
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let rows: Vec<_> = report["providers"].as_array().unwrap().iter().map(|row| (&row["ok"], &row["reason"])).collect();
    assert_eq!(rows[1], (&json!(false), &json!("no key is set")));
    assert_eq!(rows[2], (&json!(true), &Value::Null));
    assert!(rows[0].1.as_str().unwrap().contains("told to fail: unavailable"), "{rows:?}");
    assert!(files(&scene.path("tmp")).is_empty());
}

#[test]
fn crashes_and_silence_are_counted() {
    let scene = Scene::with_faulty_recall();
    let talk = said("a", "user", "error unavailable", Value::Null)
        + &said("a", "user", "abort", Value::Null)
        + &said("a", "user", "log about tea", json!("LOGGED"));
    scene.write("talk.jsonl", talk);
    let ran = scene.run("memory pilot faulty --transcript talk.jsonl --json");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let provider = &report["providers"][0];
    assert_eq!((&provider["delay"]["asked"], &provider["delay"]["failed"]), (&json!(3), &json!(2)));
    assert_eq!(provider["recall"]["found"], 1);
    assert_eq!(provider["turns"][0]["problem"], "told to fail: unavailable");
}

#[test]
fn marks_that_say_nothing_are_named() {
    let scene = Scene::new();
    scene.write("talk.jsonl", said("a", "user", "x", json!([])) + &said("a", "assistant", "y", json!("z")));
    assert_snapshot!(scene.says("memory pilot holographic --transcript talk.jsonl"), @"
    exit 1
    ---- err
    warning: talk.jsonl:1: `expects` is neither a text nor a list of texts, or of lists of texts, none of them empty
    warning: talk.jsonl:2: `expects` belongs to a message of the user
    error: `talk.jsonl` cannot be used: 2 marks are wrong
    hint: `hermes memory pilot --help` shows how questions are marked
    ");
    scene.write("talk.jsonl", said("a", "assistant", "y", Value::Null));
    assert_snapshot!(scene.says("memory pilot holographic --transcript talk.jsonl"), @"
    exit 1
    ---- err
    error: `talk.jsonl` holds no message of a user
    ");
    scene.write("talk.jsonl", said("a", "user", "y", Value::Null));
    assert_snapshot!(scene.says("memory pilot holographic --transcript talk.jsonl --html nowhere/report.html"), @"
    exit 1
    ---- err
    error: the report cannot be written to `nowhere/report.html`: its folder is not there
    ");
    assert_snapshot!(scene.says("memory pilot --transcript talk.jsonl"), @"
    exit 2
    ---- err
    error: the following required arguments were not provided:
      <PROVIDER>...

    Usage: hermes memory pilot --transcript <FILE> <PROVIDER>...

    For more information, try '--help'.
    ");
}

/// A provider that calls a service and keeps what it knows there, as far as its word goes.
fn of_a_service(package: Package, interfaces: Option<&[&str]>) -> Package {
    package.with(|metadata| {
        metadata.capabilities =
            Capabilities { http: vec!["https://memory.example".to_owned()], ..Capabilities::default() };
        let project = ConfigField {
            key: "project".to_owned(),
            namespace: true,
            env_var: "FAULTY_PROJECT".to_owned(),
            ..ConfigField::default()
        };
        metadata.config = vec![project];
        if let Some(interfaces) = interfaces {
            metadata.interfaces = interfaces.iter().map(|&id| id.to_owned()).collect();
        }
    })
}

#[test]
fn what_would_leave_is_said_first_and_a_service_knows_nobody() {
    let scene = Scene::without_plugins().variable("FAULTY_PROJECT", "mine");
    scene.publish("bin/catalog", &of_a_service(Package::faulty(), Some(&["hermes.prefetch/1"])));
    scene.does("plugins install faulty --yes");
    scene.does("config set providers.faulty.project mine");
    // The provider answers with its settings.
    scene.write("talk.jsonl", said("a", "user", "services", json!([r#""project":"hermes-pilot-"#])));
    let before = scene.contents("home");
    let refused = scene.run("memory pilot none faulty --transcript talk.jsonl");
    assert_snapshot!(named(&refused.shown()), @"
    exit 2
    ---- err
    faulty is told what is said in 1 turn of 1 session of `talk.jsonl`, secrets masked, and may pass it to:
      https://memory.example
      there `project` and the users are called `hermes-pilot-[random]`
      faulty offers no deletion: what is stored there stays, until you delete it there
    error: nothing was sent: nobody can be asked here
    hint: run the same command with `--yes`
    ");
    let ran = scene.run("memory pilot none faulty --transcript talk.jsonl --yes --json");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["providers"][1]["recall"]["found"], 1, "{report}");
    assert_eq!(report["providers"][1]["cleanup"], json!({"deleted": 0, "problem": "it offers no deletion"}));
    assert_eq!(scene.contents("home"), before);
}

#[test]
fn what_was_stored_at_a_service_is_deleted_there() {
    let scene = scene_with_talk(Scene::without_plugins());
    scene.publish("bin/catalog", &of_a_service(Package::holographic(), None));
    // Nobody is asked for what is installed into the copy either.
    let ran = scene.run("memory pilot holographic --transcript talk.jsonl");
    assert_eq!(ran.status, 2, "{}", ran.shown());
    let ran = scene.run("memory pilot holographic --transcript talk.jsonl --yes");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert_snapshot!(named(&squeezed(&ran.err)), @"
    Holographic: local facts 0.1.0, from the catalog that came with hermes
    may call https://memory.example
    its worker is confined to that by the kernel
    holographic is told what is said in 11 turns of 3 sessions of `talk.jsonl`, secrets masked, and may pass it to:
    https://memory.example
    there `project` and the users are called `hermes-pilot-[random]`
    what it stores for them is deleted afterwards, entry by entry
    holographic: deleted what was stored under `hermes-pilot-[random]`, 5 in all
    `talk.jsonl`: 11 turns of 3 sessions, 276 tokens of messages
    tokens are an estimate by characters: a quarter of a token for each of ASCII, 0.4 for other Latin, Cyrillic and Greek letters, 1 for Han, kana and Hangul, 0.5 for letters of other scripts, 1 for everything else; rounded up for each text. A model's own tokenizer differs, by a third or so
    ");
}

/// With the random part of the trial's name left out.
fn named(shown: &str) -> String {
    let mut parts = shown.split("hermes-pilot-");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit()).trim_start_matches("[hash]");
        text + "hermes-pilot-[random]" + rest
    })
}

#[test]
fn the_page_holds_no_markup_of_others() {
    let scene = Scene::with_memory();
    let hostile = "</td></svg><script>alert(1)</script><img src=x onerror='alert(2)'> & \"tea\" \u{0}\u{1b}[2J";
    scene.write("talk.jsonl", said("<b>", "user", hostile, json!(["</table><script>", "&amp;"])));
    scene.publish("bin/catalog", &Package::recorder().harmless());
    scene.does("memory pilot none holographic recorder --transcript talk.jsonl --html report.html");
    let page = scene.read("report.html");
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains('\0'), "{page}");
    assert!(page.contains("&lt;/td&gt;&lt;/svg&gt;&lt;script&gt;alert(1)"), "{page}");
    assert!(!page.contains("://") && page.contains("default-src 'none'"), "nothing is loaded from anywhere");
    assert!(page.matches("<svg").count() >= 2, "{page}");
    let open = unclosed(&page);
    assert!(open.is_empty(), "{open:?}");
}

/// The elements of a page that is not nested rightly; every element is closed by hand.
fn unclosed(page: &str) -> Vec<&str> {
    let mut open = Vec::new();
    for tag in page.split('<').skip(1).filter(|tag| !tag.starts_with("!doctype")) {
        let (tag, _) = tag.split_once('>').expect("a tag ends");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) if open.last() == Some(&name) => _ = open.pop(),
            (true, _) => return vec![name],
            (false, true) => {}
            (false, false) => open.push(name),
        }
    }
    open
}

#[test]
fn ctrl_c_ends_a_trial_and_leaves_nothing() {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &Package::recorder().harmless());
    scene.does("plugins install recorder");
    // The first delivery never comes back.
    scene.write("home/plugins/data/recorder/mode", "hang 0 *");
    scene.write("talk.jsonl", said("a", "user", "tea?", Value::Null) + &said("a", "assistant", "tea!", Value::Null));
    let line = "memory pilot recorder --copy-profile --transcript talk.jsonl";
    let child = scene.command(words(line)).spawn().unwrap();
    let begun = || {
        let trials = files(&scene.path("tmp"));
        let tries = trials.iter().map(|trial| trial.join("home-0/plugins/data/recorder/tries"));
        tries.into_iter().any(|tries| tries.exists()).then_some(())
    };
    until("the delivery is under way", begun);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ran = scene.ran(child.wait_with_output().unwrap());
    assert_snapshot!(ran.shown(), @"
    exit 1
    ---- err
    recorder: nothing leaves this machine
    error: stopped as you wished; nothing is reported
    ");
    assert!(files(&scene.path("tmp")).is_empty());
}

/// A person who breaks off is not left with half a trial at a service.
#[test]
fn ctrl_c_deletes_what_a_service_was_told() {
    let scene = scene_with_talk(Scene::without_plugins());
    scene.publish("bin/catalog", &of_a_service(Package::holographic(), None));
    // So long that nobody waits for its end.
    let questions = said("later", "user", "Wie heißt unser Sauerteig?", Value::Null).repeat(5000);
    scene.write("talk.jsonl", scene.read("talk.jsonl") + &questions);
    let line = "memory pilot holographic --transcript talk.jsonl --yes";
    let child = scene.command(words(line)).spawn().unwrap();
    let begun = || {
        let trials = files(&scene.path("tmp"));
        let data = trials.iter().map(|trial| files(&trial.join("home-0/plugins/data/holographic")));
        data.into_iter().any(|data| !data.is_empty()).then_some(())
    };
    until("the provider has a store", begun);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let ran = scene.ran(child.wait_with_output().unwrap());
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert!(ran.err.contains("holographic: deleted what was stored under `hermes-pilot-"), "{}", ran.err);
    assert!(files(&scene.path("tmp")).is_empty());
}

#[test]
fn a_person_is_asked_and_sees_how_far_it_is() {
    let scene = scene_with_talk(Scene::without_plugins());
    scene.publish("bin/catalog", &of_a_service(Package::holographic(), None));
    scene.does("plugins install holographic --yes");
    let line = "memory pilot holographic --transcript talk.jsonl";
    let Some(terminal) = Terminal::start(&scene, line) else { return };
    terminal.sees("https://memory.example").sees("Have holographic try it?").types("n\r").sees("nothing was sent");
    assert_eq!(terminal.ends(), 1);
    let Some(terminal) = Terminal::start(&scene, line) else { return };
    terminal.sees("Have holographic try it?").types("y\r").sees("/11").sees("provider").sees("4 of 5");
    assert_eq!(terminal.ends(), 0);
}
