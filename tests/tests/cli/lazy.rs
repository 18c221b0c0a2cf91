//! A provider that the settings name and that is not installed: installed unasked, or asked for.

use hermes_provider_api::records::ConfigField;
use insta::assert_snapshot;

use crate::package::Package;
use crate::scene::Scene;

const TALK: &str = r#"{"session_id": "a", "role": "user", "content": "What does Biscuit eat?"}
{"session_id": "a", "role": "assistant", "content": "Salmon."}
"#;

fn named(scene: Scene, provider: &str) -> Scene {
    scene.write("home/config.toml", format!("[memory]\nprovider = \"{provider}\"\n"));
    scene.write("talk.jsonl", TALK);
    scene
}

#[test]
fn what_needs_nothing_is_installed_at_once() {
    let scene = named(Scene::new(), "holographic");
    assert_snapshot!(scene.says("memory recall Biscuit"), @r"
    exit 0
    ---- err
    installed holographic 0.1.0 from the official catalog
    🧠 holographic — recalled nothing · […] ms
    ");
    assert_snapshot!(scene.says("memory recall Biscuit"), @r"
    exit 0
    ---- err
    🧠 holographic — recalled nothing · […] ms
    ");

    let scene = named(Scene::new(), "holographic");
    assert_snapshot!(scene.says("replay talk.jsonl"), @r"
    exit 0
    ---- out
    == session a
    -- user · session a · turn 1
    What does Biscuit eat?
    🧠 holographic — recalled nothing · […] ms
    -- assistant
    Salmon.
    ---- err
    replayed on a copy of the home; `--live` keeps what is learnt
    installed holographic 0.1.0 from the official catalog
    ");
    let scene = named(Scene::new(), "holographic");
    assert_snapshot!(scene.says("replay --live talk.jsonl"), @r"
    exit 0
    ---- out
    == session a
    -- user · session a · turn 1
    What does Biscuit eat?
    🧠 holographic — recalled nothing · […] ms
    -- assistant
    Salmon.
    ---- err
    installed holographic 0.1.0 from the official catalog
    ");
    assert_eq!(scene.json("plugins list")["installed"][0]["active"], true);
}

#[test]
fn what_lies_in_a_folder_needs_no_network() {
    let scene = named(Scene::new(), "holographic");
    assert_snapshot!(scene.says("memory recall Biscuit --offline"), @"
    exit 0
    ---- err
    installed holographic 0.1.0 from the official catalog
    🧠 holographic — recalled nothing · […] ms
    ");
}

#[track_caller]
fn stays_away(scene: &Scene, flags: &str) -> String {
    let said = scene.says(&format!("{flags}memory recall Biscuit")) + &scene.says(&format!("{flags}replay talk.jsonl"));
    assert!(scene.json("plugins list")["installed"].as_array().unwrap().is_empty());
    said
}

#[test]
fn what_somebody_has_to_agree_to_is_asked_for() {
    let scene = named(Scene::without_plugins(), "faulty");
    scene.publish("bin/catalog", &Package::faulty());
    assert_snapshot!(stays_away(&scene, ""), @"
    exit 1
    ---- err
    error: `faulty` is not installed: it asks for secret FAULTY_KEY
    hint: run `hermes memory setup faulty`
    exit 0
    ---- out
    == session a
    -- user · session a · turn 1
    What does Biscuit eat?
    -- assistant
    Salmon.
    ---- err
    replayed on a copy of the home; `--live` keeps what is learnt
    warning: going on without a memory provider: `faulty` is not installed: it asks for secret FAULTY_KEY — run `hermes memory setup faulty`
    ");

    let scene = named(Scene::without_plugins(), "faulty").variable("HERMES_CATALOG", "community");
    scene.publish("community", &Package::faulty().harmless());
    assert_snapshot!(stays_away(&scene, ""), @"
    exit 1
    ---- err
    error: `faulty` is not installed: it comes from a community catalog
    hint: run `hermes memory setup faulty`
    exit 0
    ---- out
    == session a
    -- user · session a · turn 1
    What does Biscuit eat?
    -- assistant
    Salmon.
    ---- err
    replayed on a copy of the home; `--live` keeps what is learnt
    warning: going on without a memory provider: `faulty` is not installed: it comes from a community catalog — run `hermes memory setup faulty`
    ");

    let scene = named(Scene::new(), "holographic");
    scene.does("config set security.allow_lazy_installs false");
    assert_snapshot!(stays_away(&scene, ""), @"
    exit 1
    ---- err
    error: `holographic` is not installed: `security.allow_lazy_installs` is off
    hint: run `hermes memory setup holographic`
    exit 0
    ---- out
    == session a
    -- user · session a · turn 1
    What does Biscuit eat?
    -- assistant
    Salmon.
    ---- err
    replayed on a copy of the home; `--live` keeps what is learnt
    warning: going on without a memory provider: `holographic` is not installed: `security.allow_lazy_installs` is off — run `hermes memory setup holographic`
    ");
}

#[test]
fn an_install_is_said_even_when_nothing_comes_of_it() {
    let scene = named(Scene::without_plugins(), "faulty");
    let key = ConfigField {
        key: "key".into(),
        env_var: "FAULTY_KEY".into(),
        secret: true,
        required: true,
        ..ConfigField::default()
    };
    scene.publish("bin/catalog", &Package::faulty().with(|metadata| metadata.config = vec![key]));
    scene.does("plugins install faulty --yes");
    scene.does("plugins remove faulty --yes");
    assert_snapshot!(scene.says("memory recall x"), @r"
    exit 1
    ---- err
    installed faulty 0.1.0 from the official catalog
    error: `faulty` is not set up: `FAULTY_KEY` is missing
    hint: run `hermes memory setup faulty`
    ");
    scene.does("plugins remove faulty --yes");
    assert_snapshot!(scene.says("tools list"), @"
    exit 0
    ---- out
    memory  Keeps short facts for later conversations, in small files that you are shown at the start of each.…
    session_search  Searches the record of earlier conversations and shows what was really said. Give `query` to find s…
    ---- err
    installed faulty 0.1.0 from the official catalog
    warning: going on without a memory provider: `faulty` is not set up: `FAULTY_KEY` is missing — run `hermes memory setup faulty`
    ");
}

#[test]
fn what_no_catalog_has_is_said() {
    let scene = named(Scene::new(), "holografic");
    assert_snapshot!(stays_away(&scene, ""), @"
    exit 1
    ---- err
    error: `holografic` is not installed and in no catalog
    hint: did you mean `holographic`? Run `hermes memory setup holographic`
    exit 0
    ---- out
    == session a
    -- user · session a · turn 1
    What does Biscuit eat?
    -- assistant
    Salmon.
    ---- err
    replayed on a copy of the home; `--live` keeps what is learnt
    warning: going on without a memory provider: `holografic` is not installed and in no catalog — did you mean `holographic`? Run `hermes memory setup holographic`
    ");
    assert_snapshot!(scene.says("memory status"), @r"
    exit 0
    ---- out
    memory: holografic (not installed) · process · degraded
    problem: `holografic` is not installed and in no catalog
    not called yet
    ---- err
    hint: did you mean `holographic`? Run `hermes memory setup holographic`
    ");
    assert_snapshot!(scene.says("tools list"), @"
    exit 0
    ---- out
    memory  Keeps short facts for later conversations, in small files that you are shown at the start of each.…
    session_search  Searches the record of earlier conversations and shows what was really said. Give `query` to find s…
    ---- err
    warning: going on without a memory provider: `holografic` is not installed and in no catalog — did you mean `holographic`? Run `hermes memory setup holographic`
    ");
}

#[test]
fn what_was_granted_before_comes_back_by_itself() {
    let scene = named(Scene::without_plugins(), "faulty");
    scene.publish("bin/catalog", &Package::faulty());
    scene.does("plugins install faulty --yes");
    scene.does("plugins remove faulty --yes");
    assert_snapshot!(scene.says("memory recall x"), @"
    exit 0
    ---- out
    x
    ---- err
    installed faulty 0.1.0 from the official catalog
    🧠 faulty — recalled 1 memory · […] ms
    ");
}
