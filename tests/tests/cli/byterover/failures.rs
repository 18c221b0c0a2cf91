//! `brv` is missing, has no model, fails, hangs or talks nonsense: the status says so in one line, and nothing else breaks.

use serde_json::json;

use super::{begun, calls, does, install, markdown, talk, tool, with_fake, without_brv};
use crate::scene::Scene;

/// What `memory status --check` says of the provider, and whether it is well.
fn status(scene: &Scene) -> (bool, String) {
    let status = scene.json("memory status --check");
    let problem = status["problems"][0]["message"].as_str();
    let detail = status["check"]["detail"].as_str().or(problem).unwrap_or_default().to_owned();
    (status["state"] == "ok", detail)
}

/// A scene that worked, with a document in the tree, until `brv` began to do this.
fn turned(what: &str) -> Scene {
    let scene = with_fake();
    scene.does("memory setup byterover --yes");
    scene.does("memory remember 'Biscuit the spaniel is allergic to chicken'");
    // Only what never ends is waited for in vain.
    let limit = if what == "hangs" { "5s" } else { "60s" };
    for hook in ["health", "call_tool"] {
        scene.does(&format!("config set timeouts.{hook} {limit}"));
    }
    does(&scene, what);
    scene
}

#[test]
fn the_status_is_true_in_every_state() {
    let scene = without_brv();
    assert_eq!(scene.json("memory status --check")["provider"], json!(null));
    scene.does("plugins install byterover --yes");
    assert_eq!(scene.json("memory status")["idle"], json!(["byterover"]), "installed and not in use");

    // Set up without the program: the answers are kept, and it works as soon as the program is there.
    let ran = scene.run("memory setup byterover --yes");
    assert!(ran.status == 1 && ran.err.contains("`brv` is not installed"), "{}", ran.shown());
    assert!(ran.err.contains("npm install -g byterover-cli"), "{}", ran.shown());
    let (ok, detail) = status(&scene);
    assert!(!ok && detail.contains("not installed"), "{detail}");

    super::add_fake(&scene);
    does(&scene, "no-model");
    let (ok, detail) = status(&scene);
    assert!(!ok && detail.contains("no model is connected") && detail.contains("brv providers connect"), "{detail}");
    // Cloud sync is the user's own login; no key is asked for that `brv` never reads.
    assert!(detail.contains("`brv login`") && !scene.read("home/.env").contains("BRV"), "{detail}");

    does(&scene, "well");
    let (ok, detail) = status(&scene);
    assert!(ok && detail == "brv works with small of Ollama; documents: 0", "{detail}");
}

/// Whatever a child does, and however it ends, the host goes on: a broken pipe is the child's trouble alone.
#[test]
fn each_failure_is_one_line_and_no_knowledge() {
    let failures = [
        ("down", "`brv` says: Unexpected error: connect ECONNREFUSED"),
        ("garbage", "`brv` says: something that is no answer"),
        ("lies", "`brv` says: Unexpected error: the daemon said no"),
        ("hangs", "`brv` did not end within"),
        ("much", "`brv` says: xxxxxxxx"),
        ("cut", "`brv` says: something that is no answer"),
        ("asks", "`brv` says: Log in? [y/N] no answer:"),
        ("dies", "`brv` says: it ended in the middle of its work"),
    ];
    for (what, said) in failures {
        let scene = turned(what);
        let (ok, detail) = status(&scene);
        assert!(!ok && detail.contains(said), "{what}: {detail}");
        assert!(detail.lines().count() == 1 && detail.len() < 600 && !detail.contains('\u{1b}'), "{what}: {detail}");
        // A question is answered from the documents, and one about something else with the failure.
        let found = tool(&scene, "brv_query", &json!({"query": "What is Biscuit allergic to?"}));
        assert!(found["result"].is_null() && found["message"].as_str().unwrap().contains(said), "{what}: {found}");
        assert!(found["documents"][0]["text"].as_str().unwrap().contains("chicken"), "{what}: {found}");
        let failed = tool(&scene, "brv_query", &json!({"query": "Who sails the Wanderfalke?"}));
        assert!(failed.to_string().contains(said) && failed["ok"] == false, "{what}: {failed}");
        // Neither recalls nor notes need it.
        let recalled = scene.json("memory recall 'What is Biscuit allergic to?'");
        assert_eq!(recalled["memories"].as_array().unwrap().len(), 1, "{what}: {recalled}");
        scene.does("memory remember 'The cellar is at 12 degrees'");
    }
}

#[test]
fn a_turn_goes_on_when_brv_dies_in_the_middle() {
    let scene = turned("dies");
    scene.write("talk.jsonl", talk("a", &["Mirabel keeps bees in Ljubljana".to_owned()]));
    let ran = scene.run("replay --live talk.jsonl");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let waits = &scene.json("memory outbox list")["providers"][0];
    // The turn, and behind it the end of its session.
    assert_eq!((&waits["waiting"], &waits["dead"]), (&json!(2), &json!(0)));
    assert_eq!(markdown(&scene).len(), 1, "nothing was made up");
}

#[test]
fn nothing_that_is_known_and_nothing_that_changed_are_said_as_such() {
    let scene = turned("well");
    let nothing = tool(&scene, "brv_query", &json!({"query": "zebra crossings"}));
    assert_eq!(nothing, json!({"result": null, "message": "nothing is known about this"}));
    let known = tool(&scene, "brv_query", &json!({"query": "spaniel"}));
    assert_eq!((&known["result"], &known["cut"]), (&json!("It is known."), &json!(false)));
    assert!(known["documents"][0].as_str().unwrap().starts_with("hermes/kept/"), "{known}");

    assert_eq!(tool(&scene, "brv_curate", &json!({"content": "The boat is Wanderfalke"}))["status"], "stored");
    does(&scene, "nothing");
    assert_eq!(tool(&scene, "brv_curate", &json!({"content": "Hm, well, so it is"}))["status"], "unchanged");
    // What the daemon still works on has neither failed nor been stored.
    does(&scene, "slow");
    assert_eq!(tool(&scene, "brv_curate", &json!({"content": "Ann has moved to Riga"}))["status"], "accepted");
    assert!(tool(&scene, "brv_curate", &json!({"content": " "})).to_string().contains("`content` must be"));
}

#[test]
fn what_was_done_after_a_timeout_is_not_done_again() {
    let scene = turned("slow");
    scene.write("talk.jsonl", talk("a", &["Mirabel keeps bees in Ljubljana".to_owned()]));
    assert_eq!(scene.run("replay --live talk.jsonl").status, 0);
    assert_eq!(scene.json("memory outbox list")["providers"][0]["waiting"], 2);
    let tries = begun(&scene, "curate");
    does(&scene, "late");
    scene.does("memory outbox retry");
    assert_eq!(begun(&scene, "curate"), tries, "{:?}", calls(&scene));
    assert_eq!(scene.json("memory outbox list")["providers"], json!([]));
}

#[test]
fn one_brv_at_a_time_works_in_a_folder() {
    let scene = turned("calm");
    scene.does("config set timeouts.call_tool 120s");
    let curate = |n: usize| {
        let args = json!({"content": format!("Note {n} on bees")}).to_string();
        scene.command(["tools", "call", "brv_curate", &args]).spawn().unwrap()
    };
    let children: Vec<_> = (0..3).map(curate).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let in_tree: Vec<_> = calls(&scene).into_iter().filter(|call| call.ends_with(" private")).collect();
    let begins = in_tree.iter().map(|call| call.starts_with("begin"));
    assert!(begins.enumerate().all(|(at, begins)| begins == (at % 2 == 0)), "{in_tree:?}");
    assert_eq!(begun(&scene, "curate"), 3);
}

#[test]
fn a_brv_that_was_half_installed_is_told_and_a_new_one_is_found() {
    let scene = turned("well");
    install(&scene, "#!/no/such/interpreter\n");
    let (ok, detail) = status(&scene);
    assert!(!ok && detail.contains("`brv` cannot be run"), "{detail}");
    super::add_fake(&scene);
    assert!(status(&scene).0);
}
