//! Settings: what is wrong in them is named, and what is right is kept as it was written.

use insta::assert_snapshot;

use crate::scene::Scene;

#[test]
fn wrong_settings_are_named() {
    let scene = Scene::new();
    scene.write("home/config.toml", "[memory]\nprovder = 'holographic'\n");
    assert_snapshot!(scene.says("memory status"), @r"
    exit 0
    ---- out
    memory: no external provider
    ---- err
    warning: /home/config.toml:2: unknown setting `memory.provder`; did you mean `memory.provider`?
    hint: choose one with `hermes memory setup`
    ");
    scene.write("home/config.toml", "# mine\n[memory]\nrecall_limit = 'many'\n");
    assert_snapshot!(scene.says("memory status"), @r"
    exit 1
    ---- err
    error: /home/config.toml:3: memory.recall_limit must be a whole number from 1 to 20
    hint: set it with `hermes config set memory.recall_limit <value>`, or drop it with `hermes config unset memory.recall_limit`
    ");
    scene.write("home/config.toml", "[memory\n");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 1
    ---- err
    error: /home/config.toml:1: unclosed table, expected `]`
    ");
    scene.write("home/config.toml", b"[memory]\nprovider = '\xff'\n");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 1
    ---- err
    error: cannot read `/home/config.toml`: line 2 is not UTF-8 text
    ");
}

#[test]
fn comments_are_kept() {
    let scene = Scene::new();
    scene.write("home/config.toml", "# all mine\n\n[memory]  # the memory\nrecall_limit = 3 # few\n");
    assert_snapshot!(scene.says("config set memory.recall_limit 7"), @r"
    exit 0
    ---- err
    set memory.recall_limit in `/home/config.toml`
    ");
    assert_snapshot!(scene.says("config set memory.prefetch_timeout 300ms"), @r"
    exit 0
    ---- err
    set memory.prefetch_timeout in `/home/config.toml`
    ");
    assert_snapshot!(scene.says("config set memory.recal_limit 7"), @r"
    exit 2
    ---- err
    error: there is no setting `memory.recal_limit`
    hint: did you mean `memory.recall_limit`?
    ");
    assert_snapshot!(scene.says("config set memory.recall_limit many"), @r"
    exit 2
    ---- err
    error: memory.recall_limit must be a whole number from 1 to 20
    ");
    assert_snapshot!(scene.says("config unset memory.prefetch_timeout"), @r"
    exit 0
    ---- err
    unset memory.prefetch_timeout in `/home/config.toml`
    ");
    assert_snapshot!(scene.read("home/config.toml"), @r"
    # all mine

    [memory]  # the memory
    recall_limit = 7 # few
    ");
    assert_snapshot!(scene.says("config get memory"), @r#"
    exit 0
    ---- out
    # memory.provider is not set
    # memory.prefetch_timeout is not set
    memory.recall_limit = 7  # line 4
    memory.recall_chars = 4000  # default
    memory.shutdown_timeout = "5s"  # default
    "#);
    assert_snapshot!(scene.says("config path"), @r"
    exit 0
    ---- out
    /home/config.toml
    ");
}

#[test]
fn the_home_of_the_python_agent_is_left_alone() {
    let scene = Scene::new().variable("HERMES_HOME", "");
    scene.write("user/.hermes/config.yaml", "memory: {}\n");
    assert_snapshot!(scene.says("config path"), @r"
    exit 0
    ---- out
    /user/.hermes-host/config.toml
    ---- err
    `/user/.hermes` belongs to the Python agent and is left alone; the home of this hermes is `/user/.hermes-host`
    ");
    assert_snapshot!(scene.says("config path"), @r"
    exit 0
    ---- out
    /user/.hermes-host/config.toml
    ");
    scene.does("memory setup holographic");
    assert!(scene.path("user/.hermes-host/config.toml").exists());
    assert_eq!(scene.read("user/.hermes/config.yaml"), "memory: {}\n");
    // Named by hand it is used, and its settings are mentioned once.
    assert_snapshot!(scene.says("--home user/.hermes config path"), @r"
    exit 0
    ---- out
    /user/.hermes/config.toml
    ---- err
    `/user/.hermes/config.yaml` is the Python agent's and is not read; the settings of this hermes are in `/user/.hermes/config.toml`
    ");
    assert_snapshot!(scene.says("--home user/.hermes config path"), @r"
    exit 0
    ---- out
    /user/.hermes/config.toml
    ");
}

#[test]
fn an_ordinary_home_and_none() {
    let scene = Scene::new().variable("HERMES_HOME", "");
    assert_snapshot!(scene.says("config path"), @r"
    exit 0
    ---- out
    /user/.hermes/config.toml
    ");
    let scene = scene.variable("HOME", "");
    assert_snapshot!(scene.says("config path"), @r"
    exit 1
    ---- err
    error: no home folder: neither `--home`, `HERMES_HOME` nor `HOME` is set
    hint: set `HERMES_HOME` to a folder that hermes may write to
    ");
    assert_snapshot!(scene.says("memory status"), @r"
    exit 1
    ---- err
    error: no home folder: neither `--home`, `HERMES_HOME` nor `HOME` is set
    hint: set `HERMES_HOME` to a folder that hermes may write to
    ");
    scene.write("file", "");
    assert_snapshot!(scene.says("--home file memory status"), @r"
    exit 1
    ---- err
    error: the home `/file` is not a folder
    hint: name a folder with `--home` or `HERMES_HOME`
    ");
    assert_snapshot!(scene.says("--home file memory setup holographic"), @r"
    exit 1
    ---- err
    error: the home `/file` is not a folder
    hint: name a folder with `--home` or `HERMES_HOME`
    ");
}

#[test]
fn a_providers_own_rules_hold() {
    let scene = Scene::with_memory();
    assert_snapshot!(scene.says("config set providers.holographic.min_trust 7"), @r"
    exit 2
    ---- err
    error: providers.holographic.min_trust must be at most 1
    ");
    assert_snapshot!(scene.says("config set providers.holographic.mintrust 0.5"), @r"
    exit 2
    ---- err
    error: `holographic` has no setting `mintrust`
    hint: did you mean `providers.holographic.min_trust`?
    ");
    assert_snapshot!(scene.says("config set providers.holographic.min_trust 0.4"), @r"
    exit 0
    ---- err
    set providers.holographic.min_trust in `/home/config.toml`
    ");
}
