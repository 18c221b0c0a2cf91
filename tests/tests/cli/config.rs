//! Settings: what is wrong in them is named, and what is right is kept as it was written.

use insta::assert_snapshot;

use crate::pty::{ENTER, Terminal};
use crate::scene::{Scene, files};

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
    assert_snapshot!(scene.says("plugins list"), @"
    exit 1
    ---- err
    error: /home/config.toml:1: unclosed table, expected `]`
    hint: `hermes config edit` opens it in your editor
    ");
    assert!(scene.says("doctor --quick").contains("hint: `hermes config edit` opens it in your editor"));
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
    memory.memory_enabled = true  # default
    memory.user_profile_enabled = true  # default
    memory.memory_in_groups = true  # default
    memory.user_profile_in_groups = false  # default
    memory.memory_char_limit = 2200  # default
    memory.user_char_limit = 1375  # default
    memory.write_approval = false  # default
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

#[test]
fn the_file_is_edited_in_the_users_editor() {
    let scene = Scene::new();
    assert_snapshot!(scene.says("config edit"), @"
    exit 2
    ---- err
    error: no editor is set, and nobody can use one here
    hint: name an editor in the variable `EDITOR`, or use `hermes config set`
    ");
    let scene = scene.variable("EDITOR", "true");
    assert_snapshot!(scene.says("config edit"), @"
    exit 0
    ---- err
    nothing was changed in `/home/config.toml`
    ");
    assert!(!scene.path("home/config.toml").exists(), "what was not written is not made");
    let scene = scene.variable("EDITOR", r#"sh -c 'printf "[memory]\nrecall_limit = 7\n[memroy]\n" > "$1"' --"#);
    assert_snapshot!(scene.says("config edit"), @"
    exit 0
    ---- err
    warning: /home/config.toml:3: unknown setting `memroy`; did you mean `memory`?
    changed `/home/config.toml`
    ");
    assert_eq!(scene.does("config get memory.recall_limit"), "7\n");
    assert_eq!(scene.json("config edit")["changed"], false);
    // The variable that means a screen comes first.
    let scene = scene.variable("VISUAL", "sed -i s/7/9/");
    assert_eq!(scene.json("config edit")["changed"], true);
    assert_eq!(scene.does("config get memory.recall_limit"), "9\n");
    assert_eq!(copies(&scene), [""; 0]);
}

#[test]
fn what_is_wrong_after_an_edit_does_not_count() {
    let scene = Scene::new().variable("EDITOR", "sed -i s/7/77/");
    scene.write("home/config.toml", "[memory]\nrecall_limit = 7\n");
    let ran = scene.run("config edit");
    let copy = copies(&scene).pop().unwrap();
    assert_snapshot!(ran.shown().replace(&copy, "[copy]"), @"
    exit 1
    ---- err
    error: /home/[copy]:2: memory.recall_limit must be a whole number from 1 to 20
    hint: it does not count; what you wrote is kept in `/home/[copy]`
    ");
    assert_eq!(scene.read("home/config.toml"), "[memory]\nrecall_limit = 7\n");
    assert_eq!(scene.read(&format!("home/{copy}")), "[memory]\nrecall_limit = 77\n");
    std::fs::remove_file(scene.path("home").join(copy)).unwrap();
    for (editor, part) in [
        ("false", "the editor `false` ended with status 1; nothing was changed"),
        ("no-such-editor", "ended with status 127"),
        ("kill -9 $$ #", "was killed"),
        ("rm", "the editor `rm` left no file; nothing was changed"),
    ] {
        let scene = Scene::new().variable("EDITOR", editor);
        scene.write("home/config.toml", "# mine\n");
        let ran = scene.run("config edit");
        assert!(ran.status == 1 && ran.err.contains(part), "{}", ran.shown());
        assert_eq!((scene.read("home/config.toml").as_str(), copies(&scene).len()), ("# mine\n", 0));
    }
}

#[test]
fn a_broken_file_can_be_opened() {
    let scene = Scene::new().variable("EDITOR", "true");
    scene.write("home/config.toml", "[memory]\nrecall_limit = 0\n");
    let ran = scene.run("config edit");
    assert!(ran.status == 1 && ran.err.contains("error: /home/config.toml:2: memory.recall_limit"), "{}", ran.shown());
    assert_eq!(copies(&scene).len(), 0, "nobody wrote to it");
    let scene = scene.variable("EDITOR", "sed -i s/0/8/");
    scene.does("config edit");
    assert_eq!(scene.does("config get memory.recall_limit"), "8\n");
}

#[test]
fn an_edit_overwrites_nobody_elses() {
    let edit = "sh -c 'echo \"# theirs\" >> home/config.toml; echo \"# ours\" >> \"$1\"' --";
    let scene = Scene::new().variable("EDITOR", edit);
    scene.write("home/config.toml", "# mine\n");
    let ran = scene.run("config edit");
    let copy = copies(&scene).pop().unwrap();
    assert_snapshot!(ran.shown().replace(&copy, "[copy]"), @"
    exit 1
    ---- err
    error: `/home/config.toml` was changed by somebody else meanwhile
    hint: it does not count; what you wrote is kept in `/home/[copy]`
    ");
    assert_eq!(scene.read("home/config.toml"), "# mine\n# theirs\n");
    assert_eq!(scene.read(&format!("home/{copy}")), "# mine\n# ours\n");
}

#[test]
fn links_and_modes_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new().variable("EDITOR", "sed -i s/3/4/");
    scene.write("dotfiles/hermes.toml", "[memory]\nrecall_limit = 3\n");
    let file = scene.path("dotfiles/hermes.toml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(scene.path("home")).unwrap();
    std::os::unix::fs::symlink("../dotfiles/hermes.toml", scene.path("home/config.toml")).unwrap();
    for (line, value) in [("config edit", "4"), ("config set memory.recall_limit 5", "5")] {
        scene.does(line);
        assert_eq!(scene.read("dotfiles/hermes.toml"), format!("[memory]\nrecall_limit = {value}\n"));
        assert!(scene.path("home/config.toml").is_symlink());
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
}

#[test]
fn a_wrong_edit_can_be_put_right() {
    // Wrong at first, right at the second time.
    let scene = Scene::new().variable("EDITOR", "sed -i -e s/77/4/ -e s/7/77/");
    scene.write("home/config.toml", "[memory]\nrecall_limit = 7\n");
    let Some(terminal) = Terminal::start(&scene, "config edit") else { return };
    terminal.sees("recall_limit must be a whole number").sees("Edit it again?").types("y").types(ENTER);
    terminal.sees("changed");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(scene.does("config get memory.recall_limit"), "4\n");
}

/// The names of copies that were left in the home.
fn copies(scene: &Scene) -> Vec<String> {
    let names =
        files(&scene.path("home")).into_iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    names.filter(|name| name.starts_with("config-edit-")).collect()
}

#[test]
fn the_deadlines_of_all_hooks_are_told_once() {
    let scene = Scene::new();
    let said = scene.says("config list");
    assert_eq!(said.matches("timeouts.").count(), 1, "{said}");
    assert!(said.contains("prefetch, queue_prefetch"), "{said}");
    let listed = scene.json("config list");
    assert!(listed.as_array().unwrap().iter().any(|key| key["key"] == "timeouts.prefetch"));
}
