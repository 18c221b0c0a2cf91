//! Profiles: homes below the home, of which nothing is shared by accident.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::json;

use crate::package::Package;
use crate::pty::{ENTER, Terminal};
use crate::scene::{Scene, files};
use crate::setup::asking;
use crate::shown::words;

#[test]
fn a_profile_is_made_used_and_removed() {
    let scene = Scene::new();
    assert_snapshot!(scene.says("profiles list"), @"
    exit 0
    ---- out
    * default  /home
    ");
    assert_snapshot!(scene.says("profiles create team"), @"
    exit 0
    ---- err
    made the profile `team` in `/home/profiles/team`
    next: `hermes --profile team memory setup`
    ");
    assert_snapshot!(scene.says("profiles create team"), @"
    exit 1
    ---- err
    error: there is a profile `team` already: `/home/profiles/team`
    hint: use it with `--profile team`
    ");
    assert_snapshot!(scene.says("profiles create 仕事"), @"
    exit 0
    ---- err
    made the profile `仕事` in `/home/profiles/仕事`
    next: `hermes --profile 仕事 memory setup`
    ");
    assert_snapshot!(scene.says("--profile 仕事 profiles list"), @"
    exit 0
    ---- out
      default  /home
      team  /home/profiles/team
    * 仕事  /home/profiles/仕事
    ");
    assert_snapshot!(scene.says("profiles path team"), @"
    exit 0
    ---- out
    /home/profiles/team
    ");
    assert_snapshot!(scene.says("profiles path default"), @"
    exit 0
    ---- out
    /home
    ");
    assert_snapshot!(scene.says("--profile team memory status"), @"
    exit 0
    ---- out
    memory: no external provider
    ---- err
    hint: choose one with `hermes --profile team memory setup`
    ");
    assert_snapshot!(scene.says("--profile team memory setup holographic"), @r#"
    exit 0
    ---- err
    Holographic: local facts 0.1.0 is your memory now: 0 facts
    try `hermes --profile team memory remember "…"` and `hermes --profile team memory recall "…"`
    "#);
    assert_snapshot!(scene.says("--profile team config path"), @"
    exit 0
    ---- out
    /home/profiles/team/config.toml
    ");
    assert_snapshot!(scene.says("profiles remove team"), @"
    exit 2
    ---- err
    error: `team` was not removed: nobody can be asked here
    hint: run `hermes profiles remove team --yes`
    ");
    assert_snapshot!(scene.says("profiles remove team --yes"), @"
    exit 0
    ---- err
    removed the profile `team`
    ");
    assert_snapshot!(scene.says("profiles remove default --yes"), @"
    exit 2
    ---- err
    error: `default` is the home itself, and is not removed
    ");
    assert_snapshot!(scene.says("profiles remove team --yes"), @"
    exit 2
    ---- err
    error: there is no profile `team`
    hint: `hermes profiles list` shows what there is
    ");
    let names: Vec<_> = scene.json("profiles list").as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, [json!("default"), json!("仕事")]);
    assert_eq!(scene.json("profiles create b --from default")["from"], "default");
    assert!(scene.json("profiles path b")["path"].as_str().unwrap().ends_with("/home/profiles/b"));
    assert_eq!(scene.json("profiles remove b --yes")["name"], "b");
}

/// A slip of the pen must not end in an empty memory that is taken for the full one.
#[test]
fn a_name_that_is_no_profile_makes_none() {
    let scene = Scene::new();
    scene.does("profiles create team");
    assert_snapshot!(scene.says("--profile tema memory remember 'Biscuit is a spaniel'"), @"
    exit 2
    ---- err
    error: there is no profile `tema`
    hint: did you mean `team`?
    hint: to make it, run `hermes profiles create tema`
    ");
    assert_snapshot!(scene.says("--home home --profile tema config list"), @"
    exit 2
    ---- err
    error: there is no profile `tema`
    hint: did you mean `team`?
    hint: to make it, run `hermes --home home profiles create tema`
    ");
    for line in ["memory status", "config set log.level info", "plugins list", "replay x", "doctor", "config edit"] {
        let ran = scene.run(&format!("--profile tema {line}"));
        assert!(ran.status == 2 && ran.err.contains("did you mean `team`?"), "{line}: {}", ran.shown());
    }
    assert_eq!(files(&scene.path("home/profiles")).len(), 2, "the profile and the lock");
    for name in ["Team", "a/b", "..", "nul", "'a b'", ".hidden", "''"] {
        let ran = scene.run(&format!("profiles create {name}"));
        assert!(ran.status == 2 && ran.err.contains("cannot be the name of a profile"), "{name}: {}", ran.shown());
    }
    assert_eq!(scene.run("--profile ../x config list").status, 2);
    assert_eq!(files(&scene.path("home/profiles")).len(), 2);
    let scene = scene.variable("HERMES_PROFILE", "tema");
    assert_snapshot!(scene.says("config get log.level"), @"
    exit 2
    ---- err
    error: there is no profile `tema`
    hint: did you mean `team`?
    hint: to make it, run `hermes profiles create tema`
    hint: the variable `HERMES_PROFILE` names it
    ");
    for line in ["completions bash", "man", "profiles list"] {
        scene.does(line);
    }
    scene.does("profiles create tema");
    scene.does("config get log.level");
}

#[test]
fn flag_variable_and_folder_choose_a_profile() {
    let scene = Scene::new();
    scene.does("profiles create a");
    scene.does("profiles create b");
    let check = |scene: &Scene, line: &str, folder: &str| {
        assert_eq!(scene.does(&format!("{line} config path")), format!("/{folder}/config.toml\n"), "{line}");
    };
    check(&scene, "", "home");
    check(&scene, "--profile a", "home/profiles/a");
    check(&scene, "--profile default", "home");
    check(&scene, "--home home --profile a", "home/profiles/a");
    check(&scene, "--home home/profiles/a", "home/profiles/a");
    check(&scene, "--home home/profiles/a --profile a", "home/profiles/a");
    assert_snapshot!(scene.says("--home home/profiles/a --profile b config path"), @"
    exit 2
    ---- err
    error: `--home` is the profile `a`, and `--profile` names `b`
    hint: give one of the two
    ");
    let scene = scene.variable("HERMES_PROFILE", "a");
    check(&scene, "", "home/profiles/a");
    check(&scene, "--profile b", "home/profiles/b");
    check(&scene, "--home home/profiles/b", "home/profiles/b");
    let inside = scene.path("home/profiles/a");
    let scene = scene.variable("HERMES_PROFILE", "").variable("HERMES_HOME", inside.to_str().unwrap());
    check(&scene, "", "home/profiles/a");
    check(&scene, "--profile b", "home/profiles/b");
    check(&scene, "--profile default", "home");
    assert_snapshot!(scene.says("profiles list"), @"
    exit 0
    ---- out
      default  /home
    * a  /home/profiles/a
      b  /home/profiles/b
    ");
    // A home that merely lies in such a folder is no profile, and what it kept as `default` is found.
    let other = scene.path("profiles/vera");
    let scene = scene.variable("HERMES_HOME", other.to_str().unwrap());
    scene.does("memory setup holographic");
    assert_eq!(scene.json("doctor")["profile"], "default");
}

/// hermes-agent#10376, TencentDB-Agent-Memory#53: clones and command-line profiles must not share.
#[test]
fn nothing_is_shared() {
    let scene = Scene::with_memory();
    scene.does("memory remember 'Biscuit is a spaniel'");
    scene.write("home/.env", "ONLY_AT_HOME=hush-hush\n");
    scene.does("config set memory.recall_limit 7");
    assert_snapshot!(scene.says("profiles create team --from default"), @"
    exit 0
    ---- err
    made the profile `team` in `/home/profiles/team`
    it has the settings of `default`, and none of its secrets, plugins and memories
    next: `hermes --profile team memory setup`
    ");
    let made: Vec<_> = files(&scene.path("home/profiles/team"));
    assert_eq!(made, [".hermes-profile", "config.toml"].map(|name| scene.path("home/profiles/team").join(name)));
    assert_eq!(scene.does("--profile team config get memory.recall_limit"), "7\n");
    scene.does("config set memory.recall_limit 3");
    assert_eq!(scene.does("--profile team config get memory.recall_limit"), "7\n");
    assert_eq!(scene.json("--profile team plugins list")["installed"], json!([]));

    scene.does("--profile team memory setup holographic");
    assert_eq!(scene.does("--profile team memory recall Biscuit"), "");
    scene.does("--profile team memory remember 'Biscuit is the name of a server'");
    assert_eq!(scene.does("--profile team memory recall Biscuit"), "Biscuit is the name of a server\n");
    assert_eq!(scene.does("memory recall Biscuit"), "Biscuit is a spaniel\n");
    scene.does("plugins remove holographic --yes");
    assert!(scene.does("--profile team memory recall Biscuit").contains("server"));
}

/// The provider is told the profile: even from the same file it gives each only its own.
#[test]
fn the_scope_names_the_profile() {
    let scene = Scene::with_memory();
    scene.does("memory remember 'Biscuit is a spaniel'");
    scene.does("profiles create team --from default");
    scene.does("--profile team memory setup holographic");
    let data = |home: &str| scene.path(home).join("plugins/data/holographic");
    for file in files(&data("home/profiles/team")) {
        fs::remove_file(file).unwrap();
    }
    for file in files(&data("home")) {
        fs::copy(&file, data("home/profiles/team").join(file.file_name().unwrap())).unwrap();
    }
    assert_eq!(scene.does("--profile team memory recall Biscuit"), "");
    scene.does("--profile team memory remember 'Biscuit guards the office'");
    scene.write("talk.jsonl", "{\"session_id\": \"a\", \"role\": \"user\", \"content\": \"Where is Biscuit?\"}\n");
    for line in ["--profile team memory recall Biscuit", "--profile team replay --show-prompt talk.jsonl"] {
        let said = scene.does(line);
        assert!(said.contains("guards the office") && !said.contains("spaniel"), "{line}: {said}");
    }
    let found = scene.does(r#"--profile team tools call fact_store '{"action": "list"}'"#);
    assert!(found.contains("guards the office") && !found.contains("spaniel"), "{found}");
    // Named by its folder it is the same profile.
    assert!(scene.does("--home home/profiles/team memory recall Biscuit").contains("guards the office"));
}

#[test]
fn secrets_are_those_of_the_profile() {
    let scene = asking();
    scene.does("memory setup faulty --yes --set key=hush-hush-1");
    scene.does("profiles create team --from default");
    let ran = scene.run("--profile team memory setup faulty --yes");
    assert!(ran.status == 2 && ran.err.contains("set the variable FAULTY_KEY"), "{}", ran.shown());
    scene.does("--profile team memory setup faulty --yes --set key=hush-hush-2");
    assert_eq!(scene.read("home/.env"), "FAULTY_KEY=hush-hush-1\n");
    assert_eq!(scene.read("home/profiles/team/.env"), "FAULTY_KEY=hush-hush-2\n");
    fs::remove_file(scene.path("home/profiles/team/.env")).unwrap();
    let ran = scene.run("--profile team memory status --check");
    assert!(ran.status == 1 && ran.out.contains("FAULTY_KEY"), "{}", ran.shown());
    let doctor = scene.run("--profile team doctor --quick");
    let hint = "hint: run `hermes --profile team memory setup faulty`";
    assert!(doctor.status == 1 && doctor.out.contains("`FAULTY_KEY` is missing"), "{}", doctor.shown());
    assert!(doctor.out.contains(hint) && !doctor.out.contains("hush-hush"), "{}", doctor.shown());
    scene.does("memory status --check");
}

#[test]
fn what_looks_like_a_secret_is_not_copied() {
    let scene = Scene::new();
    let text =
        "# mine\n[plugins]\ncatalogs = ['../community']\n[providers.notes]\napi_key = 'hush-hush'\npath = '/tmp/x'\n";
    scene.write("home/config.toml", text);
    assert_snapshot!(scene.says("profiles create team --from default"), @"
    exit 0
    ---- err
    made the profile `team` in `/home/profiles/team`
    it has the settings of `default`, and none of its secrets, plugins and memories
    providers.notes.api_key looks like a secret and was left out
    warning: providers.notes.path names a path, which both profiles now use
    next: `hermes --profile team memory setup`
    ");
    let copied = scene.read("home/profiles/team/config.toml");
    assert!(copied.starts_with("# mine\n") && !copied.contains("hush-hush"), "{copied}");
    scene.publish("community", &Package::faulty().harmless());
    assert!(scene.does("--profile team plugins list").contains("faulty"), "a relative catalog is still found");
    scene.write("home/config.toml", "[memory]\nrecall_limit = 0\n");
    assert_eq!(scene.run("profiles create other --from default").status, 1);
    assert!(!scene.path("home/profiles/other").exists());
}

#[test]
fn one_in_use_is_not_removed() {
    let scene = Scene::new();
    scene.does("profiles create team");
    scene.does("--profile team memory setup holographic");
    let line = words("--profile team tools call --stdin");
    let mut child = scene.command(line).stdin(Stdio::piped()).spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    keyboard.write_all(b"{\"tool\": \"fact_store\", \"arguments\": {\"action\": \"list\"}}\n").unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
    assert_snapshot!(scene.says("profiles remove team --yes"), @"
    exit 1
    ---- err
    error: the profile `team` is in use by another hermes
    hint: end what uses it, and try again; nothing was changed
    ");
    drop(keyboard);
    assert!(child.wait().unwrap().success(), "{answer}");
    scene.does("profiles remove team --yes");
    assert!(!scene.path("home/profiles/team").exists());
}

#[test]
fn removal_is_asked_for_and_follows_no_link() {
    let scene = Scene::new();
    scene.does("profiles create team");
    if let Some(terminal) = Terminal::start(&scene, "profiles remove team") {
        terminal.sees("Delete the profile team").types(ENTER);
        assert_eq!(terminal.ends(), 1);
        assert!(scene.path("home/profiles/team").is_dir());
    }
    scene.write("elsewhere/config.toml", "# mine\n");
    symlink(scene.path("elsewhere"), scene.path("home/profiles/link")).unwrap();
    assert_eq!(scene.does("--profile link config path"), "/home/profiles/link/config.toml\n");
    scene.does("profiles remove link --yes");
    assert!(!scene.path("home/profiles/link").is_symlink());
    assert_eq!(scene.read("elsewhere/config.toml"), "# mine\n");
    symlink(Path::new("nowhere"), scene.path("home/profiles/broken")).unwrap();
    scene.does("profiles remove broken --yes");
}
