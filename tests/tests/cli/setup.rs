//! `memory setup` in a script: what is given, what is missing, and what is left when it fails.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hermes_provider_api::Capabilities;
use hermes_provider_api::records::{Choice, ConfigField, FieldType};
use insta::assert_snapshot;

use crate::package::Package;
use crate::scene::Scene;

/// A provider that wants a key, a mode and a number.
pub(crate) fn asking() -> Scene {
    let scene = Scene::without_plugins();
    let field = |key: &str, description: &str| ConfigField {
        key: key.to_owned(),
        description: description.to_owned(),
        ..ConfigField::default()
    };
    let choice = |value: &str| Choice { value: value.to_owned(), ..Choice::default() };
    let package = Package::faulty().with(|metadata| {
        (metadata.rustc, metadata.requires_host) = (String::new(), "*".to_owned());
        metadata.capabilities = Capabilities { secret: vec!["FAULTY_KEY".to_owned()], ..Capabilities::default() };
        metadata.config = vec![
            ConfigField { secret: true, required: true, env_var: "FAULTY_KEY".into(), ..field("key", "Key") },
            ConfigField {
                default: Some("low".into()),
                choices: ["low", "high"].map(choice).into(),
                ..field("mode", "Mode")
            },
            ConfigField { field_type: FieldType::Integer, max: Some(9), ..field("size", "Size") },
            field("at_open", "At open"),
        ];
    });
    scene.publish("bin/catalog", &package);
    scene
}

#[test]
fn what_is_missing_or_wrong_changes_nothing() {
    let scene = asking();
    assert_snapshot!(scene.says("memory setup faulty"), @r"
    exit 2
    ---- err
    error: `faulty` was not installed: somebody has to agree to this, and nobody can be asked here
      Faulty 0.1.0, from the catalog that came with hermes
      may read the secret FAULTY_KEY
      its worker is confined to that by the kernel
    hint: to agree, run `hermes memory setup faulty --yes`
    ");
    assert_snapshot!(scene.says("memory setup faulty --yes"), @r"
    exit 2
    ---- err
    Faulty 0.1.0, from the catalog that came with hermes
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    error: `faulty` needs key: Key
    hint: set the variable FAULTY_KEY, or give `--set key=…`
    ");
    assert_snapshot!(scene.says("memory setup faulty --yes --set keys=1"), @r"
    exit 2
    ---- err
    Faulty 0.1.0, from the catalog that came with hermes
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    error: `faulty` has no setting `keys`
    hint: did you mean `key`?
    ");
    assert_snapshot!(scene.says("memory setup faulty --yes --set color=1"), @r"
    exit 2
    ---- err
    Faulty 0.1.0, from the catalog that came with hermes
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    error: `faulty` has no setting `color`
    hint: it has key, mode, size, at_open
    ");
    assert_snapshot!(scene.says("memory setup faulty --yes --set key"), @r"
    exit 2
    ---- err
    Faulty 0.1.0, from the catalog that came with hermes
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    error: `--set key` has no `=`
    ");
    assert_snapshot!(scene.says("memory setup faulty --yes --set key=fk_1 --set mode=middle"), @r"
    exit 2
    ---- err
    Faulty 0.1.0, from the catalog that came with hermes
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    error: `mode` must be one of low, high
    ");
    assert_snapshot!(scene.says("memory setup faulty --yes --set key=fk_1 --set size=10"), @r"
    exit 2
    ---- err
    Faulty 0.1.0, from the catalog that came with hermes
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    error: `size` must be at most 9
    ");
    assert_snapshot!(scene.says("memory setup faulty --yes --set key="), @r"
    exit 2
    ---- err
    Faulty 0.1.0, from the catalog that came with hermes
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    error: `key` must not be empty
    ");
    assert_snapshot!(scene.says("memory setup"), @r"
    exit 2
    ---- err
    error: nobody can be asked here: Which memory provider?
    hint: give the name of a provider, or run it in a terminal
    ");
    assert!(scene.json("plugins list")["installed"].as_array().unwrap().is_empty());
    assert_eq!((scene.read("home/config.toml"), scene.read("home/.env")), (String::new(), String::new()));
}

#[test]
fn a_secret_is_kept_apart_and_never_shown() {
    let scene = asking();
    assert_snapshot!(scene.says("memory setup faulty --yes --set key=fk_hidden --set mode=high"), @r#"
    exit 0
    ---- err
    Faulty 0.1.0, from the catalog that came with hermes
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    Faulty 0.1.0 is your memory now: process [pid]
    try `hermes memory remember "…"` and `hermes memory recall "…"`
    "#);
    assert_snapshot!(scene.read("home/config.toml"), @r#"
    [memory]
    provider = "faulty"

    [providers.faulty]
    mode = "high"
    "#);
    assert_eq!(scene.read("home/.env"), "FAULTY_KEY=fk_hidden\n");
    let mode = fs::metadata(scene.path("home/.env")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The provider is given it, and what it says of it is masked.
    let services = scene.run(r#"tools call do '{"deed": "services"}'"#);
    assert!(services.out.contains("[FAULTY_KEY]"), "{}", services.shown());
    let everything: String =
        ["tools list", "memory status", "memory status --check --json", "config get", "-v memory recall x"]
            .map(|line| scene.run(line).shown())
            .concat();
    assert!(!everything.contains("fk_hidden") && !services.shown().contains("fk_hidden"));

    // Again, with nothing new: what was set stays.
    assert_snapshot!(scene.says("memory setup faulty --yes"), @r#"
    exit 0
    ---- err
    Faulty 0.1.0 is your memory now: process [pid]
    try `hermes memory remember "…"` and `hermes memory recall "…"`
    "#);
    assert_snapshot!(scene.read("home/config.toml"), @r#"
    [memory]
    provider = "faulty"

    [providers.faulty]
    mode = "high"
    "#);
    scene.does("memory setup faulty --yes --set mode=low --set size=3");
    assert_snapshot!(scene.read("home/config.toml"), @r#"
    [memory]
    provider = "faulty"

    [providers.faulty]
    size = 3
    "#);
    assert_eq!(scene.read("home/.env"), "FAULTY_KEY=fk_hidden\n");
}

#[test]
fn a_secret_may_come_from_the_environment() {
    let scene = asking().variable("FAULTY_KEY", "fk_outside");
    scene.does("memory setup faulty --yes");
    assert_eq!(scene.read("home/.env"), "", "it is not copied");
    let services = scene.run(r#"tools call do '{"deed": "services"}'"#).shown();
    assert!(services.contains("[FAULTY_KEY]") && !services.contains("fk_outside"), "{services}");
    let unset = scene.variable("FAULTY_KEY", "");
    assert_snapshot!(unset.says("memory recall x"), @r"
    exit 1
    ---- err
    error: `faulty` is not set up: `FAULTY_KEY` is missing
    hint: run `hermes memory setup faulty`
    ");
    assert_snapshot!(unset.says("memory status"), @"
    exit 0
    ---- out
    memory: faulty 0.1.0 · process · degraded
    may use: secret FAULTY_KEY
    problem: `faulty` is not set up: `FAULTY_KEY` is missing
    last success: call_tool, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    call_tool                1      0        0       0 [ms] [ms]     –  ok [ago]
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    system_prompt_block      1      0        0       0 [ms] [ms]     –  ok [ago]
    tool_schemas             1      0        0       0 [ms] [ms]     –  ok [ago]
    ---- err
    hint: run `hermes memory setup faulty`
    ");
}

#[test]
fn a_provider_that_does_not_work_says_why() {
    let scene = asking();
    assert_snapshot!(scene.says("memory setup faulty --yes --set key=fk_hidden --set 'at_open=error the key fk_hidden was refused'"), @r"
    exit 1
    ---- err
    Faulty 0.1.0, from the catalog that came with hermes
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    error: `faulty` cannot be loaded: told to fail: the key [FAULTY_KEY] was refused
    hint: the answers are kept; try again with `hermes memory setup faulty`
    ");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: faulty 0.1.0 · process · degraded
    may use: secret FAULTY_KEY
    problem: its last call, unavailable_reason, failed [ago]: `faulty` cannot be loaded: told to fail: the key [FAULTY_KEY] was refused
    last failure: unavailable_reason, [ago]: `faulty` cannot be loaded: told to fail: the key [FAULTY_KEY] was refused
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    unavailable_reason       1      1        0       0 [ms] [ms]     –  failed [ago]
    ---- err
    hint: `hermes memory status --check` calls it now
    ");
    assert_snapshot!(scene.says("memory status --check"), @"
    exit 1
    ---- out
    memory: faulty 0.1.0 · process · degraded
    may use: secret FAULTY_KEY
    problem: `faulty` cannot be loaded: told to fail: the key [FAULTY_KEY] was refused
    last failure: unavailable_reason, [ago]: `faulty` cannot be loaded: told to fail: the key [FAULTY_KEY] was refused
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    unavailable_reason       2      2        0       0 [ms] [ms]     –  failed [ago]
    ---- err
    hint: `hermes memory setup faulty` sets it up anew
    ");
    assert_snapshot!(scene.says("memory setup faulty --yes --set at_open=fine"), @r#"
    exit 0
    ---- err
    Faulty 0.1.0 is your memory now: process [pid]
    try `hermes memory remember "…"` and `hermes memory recall "…"`
    "#);
}

#[test]
fn none_is_a_choice_too() {
    let scene = Scene::with_memory();
    assert_snapshot!(scene.says("memory setup none"), @r"
    exit 0
    ---- err
    `holographic` is off; its data stays in `/home/plugins/data/holographic`, and `hermes memory setup holographic` brings it back
    ");
    assert_snapshot!(scene.read("home/config.toml"), @r#"
    [memory]
    provider = "none"
    "#);
}

#[test]
fn settings_of_a_provider_that_is_not_in_use_are_said() {
    let scene = Scene::new();
    scene.write("home/config.toml", "[providers.holographic]\ntrust = 0.5\n");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: no external provider
    ---- err
    hint: `holographic` has settings and is not in use; `hermes memory setup holographic` turns it on
    ");
    assert_eq!(scene.json("memory status")["configured"], serde_json::json!(["holographic"]));
}
