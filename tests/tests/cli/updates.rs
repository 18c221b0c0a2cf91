//! Newer releases take the place of older ones, and what they may do beyond that is agreed to first.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::thread;

use hermes_provider_api::metadata::TARGET;
use hermes_provider_api::records::ConfigField;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::package::Package;
use crate::scene::{Scene, files};
use crate::shown::words;

pub(crate) fn notes(version: &str) -> Package {
    Package::faulty().harmless().named("notes", version)
}

pub(crate) fn runs(package: Package, command: &str) -> Package {
    package.with(|metadata| metadata.capabilities.command = vec![command.to_owned()])
}

/// With `notes` 1.0.0 of the official catalog as the memory.
pub(crate) fn scene() -> Scene {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &notes("1.0.0"));
    scene.does("memory setup notes");
    scene
}

#[test]
fn an_update_that_asks_for_more_is_agreed_to() {
    let scene = scene();
    assert_snapshot!(scene.says("plugins update"), @"
    exit 0
    ---- err
    notes 1.0.0 is the newest that fits
    ");
    scene.publish("bin/catalog", &runs(notes("1.1.0"), "brv"));
    scene.publish("bin/catalog", &notes("1.2.0").entry(|entry| ">=9".clone_into(&mut entry.requires_host)));
    assert_snapshot!(scene.says("plugins update --check"), @"
    exit 0
    ---- out
    notes 1.0.0 → 1.1.0; somebody has to agree to it
      + command brv
      passed over: 1.2.0 needs hermes >=9
    ---- err
    hint: `hermes plugins update notes` does it
    ");
    assert_snapshot!(scene.says("plugins update"), @"
    exit 1
    ---- err
    notes 1.0.0 → 1.1.0
      + command brv
    passed over: notes 1.2.0 needs hermes >=9
    error: `notes` was not updated to 1.1.0: it asks for more: command brv; nobody can be asked here
    hint: to agree, run `hermes plugins update notes --yes`
    ");
    assert_snapshot!(scene.says("plugins list"), @"
    exit 0
    ---- out
    notes 1.0.0  installed, official, active; 1.1.0 is there: `hermes plugins update notes`
    ");
    assert_snapshot!(scene.says("plugins update notes --yes"), @"
    exit 0
    ---- err
    notes 1.0.0 → 1.1.0
      + command brv
    passed over: notes 1.2.0 needs hermes >=9
    notes 1.1.0, from the catalog that came with hermes
    may run `brv`: such a program runs with your full authority, outside the confinement
    its worker is confined to that by the kernel
    updated notes to 1.1.0
    programs that are running keep notes 1.0.0 until they are restarted
    ");
    assert_snapshot!(scene.says("memory recall 'as ever'"), @"
    exit 0
    ---- out
    as ever
    ---- err
    🧠 notes — recalled 1 memory · […] ms
    ");
    assert_snapshot!(scene.says("plugins update --check"), @"
    exit 0
    ---- out
    notes 1.1.0 is the newest that fits
      passed over: 1.2.0 needs hermes >=9
    ");

    // What is not needed any more is given back, and has to be asked for again.
    scene.publish("bin/catalog", &notes("1.1.1"));
    assert_snapshot!(scene.says("plugins update"), @"
    exit 0
    ---- err
    notes 1.1.0 → 1.1.1
      - command brv
    passed over: notes 1.2.0 needs hermes >=9
    updated notes to 1.1.1
    programs that are running keep notes 1.1.0 until they are restarted
    ");
    scene.publish("bin/catalog", &runs(notes("1.1.2"), "brv"));
    assert_eq!(scene.run("plugins update").status, 1);
    assert_snapshot!(scene.says("plugins list"), @"
    exit 0
    ---- out
    notes 1.1.1  installed, official, active; 1.1.2 is there: `hermes plugins update notes`
    ");
}

#[test]
fn another_default_of_what_was_granted_by_its_setting_is_agreed_to() {
    let calls = |version: &str, address: &str| {
        notes(version).with(|metadata| {
            metadata.capabilities.http = vec!["config:base_url".to_owned()];
            let default = Some(address.to_owned());
            metadata.config = vec![ConfigField { key: "base_url".to_owned(), default, ..ConfigField::default() }];
        })
    };
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &calls("1.0.0", "https://api.example"));
    scene.does("memory setup notes --yes");
    scene.publish("bin/catalog", &calls("1.1.0", "https://api.example"));
    scene.does("plugins update");
    scene.publish("bin/catalog", &calls("1.2.0", "https://elsewhere.example"));
    let lock = scene.read("home/plugins.lock");
    assert_snapshot!(scene.says("plugins update"), @"
    exit 1
    ---- err
    notes 1.1.0 → 1.2.0
    error: `notes` was not updated to 1.2.0: the address or folder that it uses until you set another has changed; nobody can be asked here
    hint: to agree, run `hermes plugins update notes --yes`
    ");
    assert_eq!(scene.read("home/plugins.lock"), lock);
    assert_snapshot!(scene.says("plugins update --yes"), @"
    exit 0
    ---- err
    notes 1.1.0 → 1.2.0
    notes 1.2.0, from the catalog that came with hermes
    may call the address that you set as `base_url`, which is `https://elsewhere.example` until then
    its worker is confined to that by the kernel
    updated notes to 1.2.0
    programs that are running keep notes 1.1.0 until they are restarted
    ");
}

#[test]
fn settings_that_a_new_version_needs_are_named() {
    let scene = scene();
    scene.publish(
        "bin/catalog",
        &notes("1.1.0").with(|metadata| {
            let field = ConfigField { key: "shelf".to_owned(), required: true, ..ConfigField::default() };
            metadata.config = vec![field];
        }),
    );
    assert_snapshot!(scene.says("plugins update"), @"
    exit 0
    ---- err
    notes 1.0.0 → 1.1.0
    updated notes to 1.1.0
    programs that are running keep notes 1.0.0 until they are restarted
    warning: its settings do not fit this version: `notes` is not set up: `shelf` is missing
    hint: run `hermes memory setup notes`
    ");
    scene.does("memory setup notes --yes --set shelf=top");
    scene.does("memory recall 'as ever'");
}

#[test]
fn one_that_fails_does_not_stop_the_others() {
    let scene = Scene::without_plugins();
    for id in ["first", "second"] {
        scene.publish("bin/catalog", &notes("1.0.0").named(id, "1.0.0"));
        scene.does(&format!("plugins install {id}"));
        scene.publish("bin/catalog", &notes("1.0.0").named(id, "1.1.0"));
    }
    scene.write("bin/catalog/first-1.1.0.tar.gz", "damaged");
    let ran = scene.run("plugins update");
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("error: the archive `/bin/catalog/first-1.1.0.tar.gz` has 7 bytes"), "{}", ran.shown());
    assert_snapshot!(scene.says("plugins list"), @"
    exit 0
    ---- out
    first 1.0.0  installed, official; 1.1.0 is there: `hermes plugins update first`
    second 1.1.0  installed, official
    ");
    assert_snapshot!(scene.says("plugins update third"), @"
    exit 1
    ---- err
    error: `third` is not installed
    hint: `hermes plugins list` shows what is
    ");

    let told = scene.json("plugins update");
    assert_eq!(told["plugins"][0]["state"], "failed");
    assert!(told["plugins"][0]["error"].as_str().unwrap().contains("has 7 bytes"), "{told}");
    assert_eq!(told["plugins"][1], json!({"id": "second", "from": "1.1.0", "state": "newest", "passed_over": []}));
}

#[test]
fn lists_of_updates_for_programs() {
    let scene = scene();
    scene.publish("bin/catalog", &runs(notes("1.1.0"), "brv"));
    let expected = json!({"plugins": [{
        "id": "notes", "from": "1.0.0", "to": "1.1.0", "state": "available", "asks": true, "blocked": null,
        "gained": ["command brv"], "dropped": [], "passed_over": [],
    }]});
    assert_eq!(scene.json("plugins update --check"), expected);
    assert_eq!(scene.run("plugins update --check").status, 0);
    assert_eq!(
        scene.json("plugins update --yes"),
        json!({"plugins": [{
            "id": "notes", "from": "1.0.0", "to": "1.1.0", "state": "updated",
            "gained": ["command brv"], "dropped": [], "passed_over": [], "settings_problem": null,
        }]})
    );
}

#[test]
fn a_blocked_release_is_left_for_another() {
    let scene = scene();
    scene.publish("bin/catalog", &notes("1.1.0"));
    scene.does("plugins update");
    let lock = scene.read("home/plugins.lock");
    let hash = lock.lines().find_map(|line| line.strip_prefix("library_sha256 = ")).unwrap();
    scene.write("bin/catalog/removed.toml", format!("[sha256]\n{hash} = 'it leaks'\n"));
    assert_eq!(scene.run("memory recall 'as ever'").status, 1);
    assert_snapshot!(scene.says("plugins update"), @"
    exit 0
    ---- err
    notes 1.1.0 → 1.0.0, since the file with sha256 [hash]… is blocked by `/bin/catalog/removed.toml`: it leaks
    updated notes to 1.0.0
    programs that are running keep notes 1.1.0 until they are restarted
    ");
    scene.does("memory recall 'as ever'");
    // Going back to it is no way out.
    assert_snapshot!(scene.says("plugins rollback notes --yes"), @"
    exit 1
    ---- err
    notes 1.0.0 → 1.1.0
    error: `notes` stays at 1.0.0: `notes` 1.1.0 cannot be used
      the file with sha256 [hash]… is blocked by `/bin/catalog/removed.toml`: it leaks
    hint: `hermes plugins info notes` shows which releases fit
    ");
    scene.write("bin/catalog/removed.toml", "[names]\nnotes = 'it leaks'\n");
    assert_snapshot!(scene.says("plugins update"), @"
    exit 1
    ---- err
    error: `notes` 1.0.0 must not be used: `notes` is blocked by `/bin/catalog/removed.toml`: it leaks
    hint: nothing takes its place; take it away with `hermes plugins remove notes`
    ");
}

#[test]
fn what_no_catalog_has_stays() {
    let scene = scene();
    let lock = scene.read("home/plugins.lock");
    fs::remove_file(scene.path("bin/catalog/notes.toml")).unwrap();
    assert_snapshot!(scene.says("plugins update"), @"
    exit 0
    ---- err
    notes 1.0.0 stays: no catalog has a plugin named `notes`
    ");
    // Its catalog named the archive by a path, and does not list that release any more.
    scene.write("home/plugins.lock", lock.replace("\"notes-1.0.0.tar.gz\"", "\"file:/downloads/notes.tar.gz\""));
    scene.publish("bin/catalog", &notes("1.1.0"));
    assert_snapshot!(scene.says("plugins update"), @"
    exit 0
    ---- err
    notes 1.0.0 → 1.1.0
    updated notes to 1.1.0
    programs that are running keep notes 1.0.0 until they are restarted
    ");
    // What the user installed from a file is the user's to replace.
    scene.publish("away", &notes("1.0.0"));
    scene.does("plugins install ./away/notes-1.0.0.tar.gz --yes");
    assert_snapshot!(scene.says("plugins update"), @"
    exit 0
    ---- err
    notes 1.0.0 stays: it was installed from `file:/away/notes-1.0.0.tar.gz`, not from a catalog
    ");
}

#[test]
fn a_catalog_that_is_trusted_less_asks_again() {
    let scene = scene();
    scene.publish("community", &notes("1.1.0"));
    assert_snapshot!(scene.says("plugins update --catalog community"), @"
    exit 1
    ---- err
    notes 1.0.0 → 1.1.0
    error: `notes` was not updated to 1.1.0: its catalog is not the one that was agreed to; nobody can be asked here
    hint: to agree, run `hermes plugins update notes --yes --catalog /community`
    ");
}

#[test]
fn a_program_that_is_running_keeps_its_version() {
    let scene = scene();
    let mut child = scene.command(words("tools call --stdin")).stdin(Stdio::piped()).spawn().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut input = child.stdin.take().unwrap();
    let mut call = |deed: &str| -> Value {
        writeln!(input, "{}", json!({"tool": "do", "args": {"deed": deed}})).unwrap();
        serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
    };
    assert_eq!(call("before")["result"], "before");
    scene.publish("bin/catalog", &notes("1.1.0"));
    scene.does("plugins update");
    assert_eq!(call("after")["result"], "after");
    // Also the worker that it opens after a crash is of its version.
    assert_eq!(call("abort")["ok"], false);
    assert_eq!(call("and again")["result"], "and again");
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn only_two_versions_stay_and_several_updates_at_once_are_one() {
    let scene = scene();
    for version in ["1.1.0", "1.2.0"] {
        scene.publish("bin/catalog", &notes(version));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| scene.does("plugins update"));
            }
        });
    }
    let lock = scene.json("plugins list");
    assert_eq!(
        (&lock["installed"][0]["version"], &lock["installed"][0]["previous"]),
        (&json!("1.2.0"), &json!("1.1.0"))
    );
    assert_eq!(files(&scene.path("home/plugins/store/notes")).len(), 2);
    assert_eq!(files(&scene.path("home/plugins/store")).len(), 1);
    scene.does("plugins verify");
}

#[test]
fn different_commands_at_once_leave_a_whole_plugin() {
    let scene = scene();
    scene.publish("bin/catalog", &notes("1.1.0"));
    scene.publish("bin/catalog", &notes("1.2.0"));
    scene.does("plugins install notes@1.1.0");
    for _ in 0..3 {
        thread::scope(|scope| {
            let lines = [
                "plugins update",
                "plugins install notes@1.1.0",
                "plugins rollback notes --yes",
                "plugins install notes@1.0.0",
                "plugins verify",
                "memory recall 'as ever'",
            ];
            for line in lines {
                let scene = &scene;
                scope.spawn(move || {
                    let ran = scene.run(line);
                    assert!(ran.status == 0, "{line}: {}", ran.shown());
                });
            }
        });
        scene.does("plugins verify");
        assert!(files(&scene.path("home/plugins/store/notes")).len() <= 2);
    }
}

/// A lockfile as another machine wrote it, whose library is of another target.
fn from_another_machine(scene: &Scene) -> String {
    let lock = scene.read("home/plugins.lock");
    let value = |key: &str| {
        let line = lock.lines().find(|line| line.starts_with(key)).unwrap();
        line.split(" = ").nth(1).unwrap().trim_matches('"').to_owned()
    };
    let (library, archive) = (value("library_sha256"), value("archive_sha256"));
    let theirs = "ab".repeat(32);
    lock.replace(&library, &theirs)
        .replace(&format!("archive_sha256 = \"{archive}\""), &format!("archive_sha256 = \"{theirs}\""))
        .replace(&format!("{TARGET} = "), &format!("other-machine = \"{theirs}\"\n{TARGET} = "))
}

#[test]
fn a_lockfile_of_another_machine_pins_the_same_version_here() {
    let scene = scene();
    let foreign = from_another_machine(&scene);
    let fresh = || {
        fs::remove_dir_all(scene.path("home/plugins")).unwrap();
        scene.write("home/plugins.lock", &foreign);
    };
    fresh();
    let says = |line: &str| scene.says(line).replace(TARGET, "[target]");
    assert_snapshot!(says("memory recall 'as ever'"), @"
    exit 1
    ---- err
    error: `notes` 1.0.0 was installed on another machine, and is not here for `[target]` yet
    hint: `hermes plugins install notes@1.0.0` installs the same version here
    ");
    assert_snapshot!(scene.says("plugins update --check"), @"
    exit 0
    ---- out
    notes 1.0.0 stays: it was installed on another machine; `hermes plugins install notes@1.0.0` installs it here
    ");
    scene.publish("bin/catalog", &notes("1.1.0"));
    assert_snapshot!(says("plugins verify"), @"
    exit 1
    ---- out
    notes 1.0.0  broken: `notes` 1.0.0 was installed on another machine, and is not here for `[target]` yet
    ---- err
    hint: `hermes plugins install notes@1.0.0` installs the same version here
    ");
    assert_snapshot!(scene.says("plugins install notes@1.0.0"), @"
    exit 0
    ---- err
    installed notes 1.0.0 anew
    ");
    scene.does("memory recall 'as ever'");
    scene.does("plugins verify");
    assert_snapshot!(scene.says("plugins rollback notes --yes"), @"
    exit 1
    ---- err
    error: `notes` 1.0.0 has no version before it to go back to
    hint: `hermes plugins info notes` shows the releases
    hint: `hermes plugins install notes@<version>` installs one of them
    ");

    // A catalog that means another archive by that version is not believed.
    fresh();
    let line = foreign.lines().find(|line| line.starts_with(TARGET)).unwrap();
    scene.write("home/plugins.lock", foreign.replace(line, &format!("{TARGET} = \"{}\"", "cd".repeat(32))));
    assert_snapshot!(scene.says("plugins install notes@1.0.0"), @"
    exit 1
    ---- err
    error: the catalog has another archive of `notes` 1.0.0 than the lockfile: [hash], not [hash]
    hint: use the catalog that it was installed from, or forget it with `hermes plugins remove notes`
    ");
    // And where that version has nothing for this machine, another is chosen.
    scene.write("home/plugins.lock", foreign.replace(line, ""));
    assert_snapshot!(says("memory recall 'as ever'"), @"
    exit 1
    ---- err
    error: `notes` 1.0.0 was installed on another machine, and is not here for `[target]` yet
    hint: that version has no archive for it; `hermes plugins install notes` finds one that has
    ");
    scene.does("plugins install notes");
    scene.does("memory recall 'as ever'");
}
