//! Going back to the version before, and forth again.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use crate::pty::Terminal;
use crate::scene::Scene;
use crate::updates::{notes, runs, scene};

/// With `notes` 1.0.0, which runs a program, updated to 1.1.0, which runs none.
fn updated() -> Scene {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &runs(notes("1.0.0"), "brv"));
    scene.does("memory setup notes --yes");
    scene.publish("bin/catalog", &notes("1.1.0"));
    scene.does("plugins update");
    scene
}

#[test]
fn doctor_tells_when_there_is_no_way_back() {
    let scene = updated();
    let told = |scene: &Scene| scene.does("doctor --quick").contains("notes 1.0.0 is gone from the store");
    assert!(!told(&scene));
    let store = scene.path("home/plugins/store/notes");
    let old = fs::read_dir(store).unwrap().map(|item| item.unwrap().path());
    let old = old.into_iter().find(|path| path.to_string_lossy().contains("/1.0.0-")).unwrap();
    fs::remove_dir_all(old).unwrap();
    assert!(told(&scene));
}

#[test]
fn back_and_forth() {
    let scene = updated();
    scene.does("memory recall 'as ever'");
    assert_snapshot!(scene.says("plugins rollback notes"), @"
    exit 2
    ---- err
    notes 1.1.0 → 1.0.0
      + command brv
    error: `notes` was not rolled back: nobody can be asked here
    hint: run `hermes plugins rollback notes --yes`
    ");
    assert_snapshot!(scene.says("plugins rollback notes --yes"), @"
    exit 0
    ---- err
    notes 1.1.0 → 1.0.0
      + command brv
    notes is at 1.0.0 again; `hermes plugins rollback notes` goes back
    its data is not rolled back: it stays as 1.1.0 wrote it
    programs that are running keep notes 1.1.0 until they are restarted
    ");
    assert_snapshot!(scene.says("plugins list"), @"
    exit 0
    ---- out
    notes 1.0.0  installed, official, active; 1.1.0 is there: `hermes plugins update notes`
    ");
    scene.does("memory recall 'as ever'");
    let lock = scene.read("home/plugins.lock");
    assert_snapshot!(scene.says("plugins rollback notes --yes"), @"
    exit 0
    ---- err
    notes 1.0.0 → 1.1.0
      - command brv
    notes is at 1.1.0 again; `hermes plugins rollback notes` goes back
    its data is not rolled back: it stays as 1.0.0 wrote it
    programs that are running keep notes 1.0.0 until they are restarted
    ");
    assert_eq!(
        scene.json("plugins rollback notes --yes"),
        json!({
            "id": "notes", "from": "1.1.0", "to": "1.0.0", "gained": ["command brv"], "dropped": [],
            "settings_problem": null, "data_rolled_back": false,
        })
    );
    assert_eq!(scene.read("home/plugins.lock"), lock, "both records are as they were, hashes of all machines included");
    scene.does("plugins verify");
}

#[test]
fn at_a_terminal_it_asks() {
    let scene = updated();
    let Some(terminal) = Terminal::start(&scene, "plugins rollback notes") else { return };
    terminal.sees("+ command brv");
    terminal.sees("Roll notes back?");
    terminal.types("n\r");
    terminal.sees("was not rolled back, as you chose");
    assert_eq!(terminal.ends(), 1);
    assert_eq!(scene.json("plugins list")["installed"][0]["version"], "1.1.0");
}

#[test]
fn where_there_is_no_way_back() {
    let scene = scene();
    assert_snapshot!(scene.says("plugins rollback notes"), @"
    exit 1
    ---- err
    error: `notes` 1.0.0 has no version before it to go back to
    hint: `hermes plugins info notes` shows the releases
    hint: `hermes plugins install notes@<version>` installs one of them
    ");
    assert_snapshot!(scene.says("plugins rollback note --yes"), @"
    exit 1
    ---- err
    error: `note` is not installed
    hint: did you mean `notes`?
    ");
    scene.publish("bin/catalog", &notes("1.1.0"));
    scene.does("plugins update");
    let before = scene.read("home/plugins.lock");
    let library = scene.stored("notes");
    assert!(library.to_string_lossy().contains("/1.0.0-"), "{}", library.display());
    let whole = fs::read(&library).unwrap();

    fs::write(&library, "damaged").unwrap();
    assert_snapshot!(scene.says("plugins rollback notes --yes"), @"
    exit 1
    ---- err
    notes 1.1.0 → 1.0.0
    error: `notes` stays at 1.1.0: `notes` 1.0.0 cannot be used
      the file was changed: its sha256 is [hash]…, the lockfile says [hash]…
      `/home/plugins/store/notes/1.0.0-[hash]/libplugin.so` is not a library that can be loaded, or is cut off: Could not read file magic
    hint: `hermes plugins install notes@1.0.0` installs it anew
    ");
    fs::write(&library, &whole).unwrap();

    let hash = before.rsplit("library_sha256 = ").next().unwrap().lines().next().unwrap();
    scene.write("bin/catalog/removed.toml", format!("[sha256]\n{hash} = 'it leaks'\n"));
    assert_snapshot!(scene.says("plugins rollback notes --yes"), @"
    exit 1
    ---- err
    notes 1.1.0 → 1.0.0
    error: `notes` stays at 1.1.0: `notes` 1.0.0 cannot be used
      the file with sha256 [hash]… is blocked by `/bin/catalog/removed.toml`: it leaks
    hint: `hermes plugins info notes` shows which releases fit
    ");
    scene.write("bin/catalog/removed.toml", "");

    // A grant that somebody made smaller is not exceeded.
    let scene = updated();
    let granted = scene.read("home/plugins.lock");
    scene.write("home/plugins.lock", granted.replace("command = [\"brv\"]", "command = []"));
    assert_snapshot!(scene.says("plugins rollback notes --yes"), @"
    exit 1
    ---- err
    notes 1.1.0 → 1.0.0
    error: `notes` stays at 1.1.0: `notes` 1.0.0 cannot be used
      it asks for more than was granted: `command brv`
    hint: `hermes plugins info notes` shows which releases fit
    ");
    scene.does("memory recall 'as ever'");
}

#[test]
fn a_version_that_does_not_load_is_not_gone_back_to() {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &notes("1.0.0"));
    scene.does("memory setup notes");
    scene.publish("bin/catalog", &notes("1.1.0"));
    scene.does("plugins update");
    // It is tried in a temporary folder, and there is none.
    let scene = scene.variable("TMPDIR", "/gone");
    let ran = scene.run("plugins rollback notes --yes");
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(ran.err.contains("stays at 1.1.0, because 1.0.0 does not load"), "{}", ran.shown());
    assert_eq!(scene.json("plugins list")["installed"][0]["version"], "1.1.0");
}
