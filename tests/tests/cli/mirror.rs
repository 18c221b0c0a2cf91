//! Filling a folder that a machine without a network uses as its catalog.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::fetch::Online;
use crate::package::Package;
use crate::scene::{Scene, files};
use crate::server::Deed;

fn notes(version: &str) -> Package {
    Package::faulty().harmless().named("notes", version)
}

/// A server with three versions of `notes`, one of them for another target, and `other` that fits no host.
fn online() -> Online {
    let online = Online::with(&notes("1.0.0"), Vec::new());
    for package in [
        notes("1.1.0"),
        notes("2.0.0").entry(|metadata| metadata.target = "riscv64-none".to_owned()),
        Package::faulty()
            .harmless()
            .named("other", "1.0.0")
            .entry(|metadata| metadata.requires_host = ">=9".to_owned()),
    ] {
        online.scene.publish("www", &package);
    }
    online.names(&format!("https://{}/", online.server.address));
    online
}

/// What the user sees, without the sizes of the archives.
fn says(scene: &Scene, line: &str) -> String {
    let shown = scene.says(line);
    let lines = shown.lines().map(|line| match line.split_once(" KiB") {
        Some((before, after)) => format!("{}[size]{after}", before.trim_end_matches(|c: char| c.is_ascii_digit())),
        None => line.to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}

fn archives(scene: &Scene) -> usize {
    files(&scene.path("usb/artifacts")).len()
}

#[test]
fn another_machine_installs_from_a_mirror() {
    let online = online();
    online.scene.write("bin/catalog/removed.toml", "[names]\nevil = 'steals keys'\n");
    assert_snapshot!(says(&online.scene, "plugins mirror usb"), @"
    exit 0
    ---- out
    notes 1.1.0  x86_64-unknown-linux-gnu, [size]
    ---- err
    passed over: other: no release of `other` fits hermes 0.1.0 with ABI 1.0 on x86_64-unknown-linux-gnu
      1.0.0 needs hermes >=9
    another machine uses it with `hermes plugins install <name> --offline --catalog /usb`
    ");
    assert_eq!(online.server.asked().len(), 1);

    let away = Scene::without_plugins();
    fs::create_dir_all(away.path("usb")).unwrap();
    copy(&online.scene, &away, "usb");
    assert_snapshot!(away.says("plugins install notes --offline --catalog usb --yes"), @"
    exit 0
    ---- err
    notes 1.1.0, from a community catalog, which nobody at hermes reviews: `/usb`
    asks for nothing beyond its own data folder
    its worker is confined to that by the kernel
    installed notes 1.1.0
    next: `hermes memory setup notes --catalog /usb`
    ");
    away.does("memory setup notes --offline --catalog usb --yes");
    assert_snapshot!(away.says("plugins install evil --catalog usb"), @"
    exit 1
    ---- err
    error: no catalog has a plugin named `evil`
    hint: `hermes plugins list --catalog /usb` shows what the catalogs offer
    ");
    assert!(away.read("usb/removed.toml").contains("steals keys"));
}

fn copy(from: &Scene, to: &Scene, folder: &str) {
    for path in files(&from.path(folder)) {
        let below = format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap());
        match path.is_dir() {
            true => copy(from, to, &below),
            false => to.write(&below, fs::read(path).unwrap()),
        }
    }
}

#[test]
fn a_mirror_is_filled_further() {
    let online = online();
    let scene = &online.scene;
    // What is installed goes along.
    scene.does("plugins install notes@1.0.0");
    assert_snapshot!(says(scene, "plugins mirror usb notes"), @"
    exit 0
    ---- out
    notes 1.0.0  x86_64-unknown-linux-gnu, [size]
    notes 1.1.0  x86_64-unknown-linux-gnu, [size]
    ---- err
    another machine uses it with `hermes plugins install <name> --offline --catalog /usb`
    ");
    assert_eq!(archives(scene), 2);
    assert_snapshot!(says(scene, "plugins mirror usb --all-targets"), @"
    exit 0
    ---- out
    notes 2.0.0  riscv64-none, [size]
    notes 1.0.0  x86_64-unknown-linux-gnu, [size], was there
    notes 1.1.0  x86_64-unknown-linux-gnu, [size], was there
    ---- err
    passed over: other: no release of `other` fits hermes 0.1.0 with ABI 1.0 on x86_64-unknown-linux-gnu
      1.0.0 needs hermes >=9
    another machine uses it with `hermes plugins install <name> --offline --catalog /usb`
    ");
    let asked = online.server.asked().len();
    assert_snapshot!(says(scene, "plugins mirror usb notes --all-targets --all-versions --offline"), @"
    exit 0
    ---- out
    notes 2.0.0  riscv64-none, [size], was there
    notes 1.0.0  x86_64-unknown-linux-gnu, [size], was there
    notes 1.1.0  x86_64-unknown-linux-gnu, [size], was there
    ---- err
    another machine uses it with `hermes plugins install <name> --offline --catalog /usb`
    ");
    // A file that does not fit is fetched anew, from the cache.
    let first = files(&scene.path("usb/artifacts")).remove(0);
    fs::write(&first, "damaged").unwrap();
    let report = scene.json("plugins mirror usb 'notes@^1'");
    assert_eq!(report["archives"].as_array().unwrap().len(), 1, "{report}");
    scene.does("plugins mirror usb notes --all-versions");
    assert!(fs::metadata(&first).unwrap().len() > 1000);
    assert_eq!(online.server.asked().len(), asked);
    // What was there for another target stays in the entry.
    let entry = scene.read("usb/notes.toml");
    for part in ["2.0.0", "1.1.0", "1.0.0", "riscv64-none", "path = \"artifacts/notes-1.0.0-"] {
        assert!(entry.contains(part), "{part}: {entry}");
    }
    assert!(!entry.contains("\nurl ="), "{entry}");
}

#[test]
fn nothing_is_written_through_a_link_in_the_folder() {
    use std::os::unix::fs::symlink;

    let online = online();
    let scene = &online.scene;
    scene.does("plugins mirror usb");
    let archive = files(&scene.path("usb/artifacts")).remove(0);
    // Whoever handed the folder on has put links to files of the user's into it.
    let mine = scene.path("mine.toml");
    let kept = "name = 'mine'\n";
    let places = [scene.path("usb/removed.toml"), archive.clone()];
    for place in &places {
        fs::write(&mine, kept).unwrap();
        fs::remove_file(place).unwrap();
        symlink(&mine, place).unwrap();
        scene.does("plugins mirror usb");
        assert_eq!(fs::read_to_string(&mine).unwrap(), kept, "{}", place.display());
    }
    // A link to the very archive leads nowhere on another machine.
    fs::copy(&archive, scene.path("elsewhere")).unwrap();
    fs::remove_file(&archive).unwrap();
    symlink(scene.path("elsewhere"), &archive).unwrap();
    scene.does("plugins mirror usb");
    assert!(places.iter().all(|place| place.symlink_metadata().unwrap().is_file()));
}

#[test]
fn what_fails_does_not_hold_up_the_rest() {
    let online = online();
    online.scene.publish("www", &Package::faulty().harmless().named("again", "1.0.0"));
    online.names(&format!("https://{}/", online.server.address));
    online.server.next(vec![Deed::Status(404, "")]);
    let ran = online.scene.run("plugins mirror usb --json");
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(ran.status, 1);
    assert_eq!(report["failed"][0]["what"].as_str().unwrap().split(' ').next(), Some("again"), "{report}");
    assert_eq!(report["archives"][0]["id"], "notes", "{report}");
    assert!(!online.scene.path("usb/again.toml").exists());
    online.scene.does("plugins mirror usb");
    assert!(online.scene.path("usb/again.toml").exists());
}

#[test]
fn mirrors_that_cannot_be_filled() {
    let online = online();
    let scene = &online.scene;
    assert_snapshot!(says(scene, "plugins mirror bin/catalog"), @"
    exit 1
    ---- err
    error: `/bin/catalog` is one of the catalogs that are read
    hint: name another folder
    ");
    assert_snapshot!(says(scene, "plugins mirror usb note"), @"
    exit 1
    ---- err
    error: no catalog has a plugin named `note`
    hint: did you mean `notes`?
    hint: `hermes plugins list` shows what the catalogs offer
    ");
    assert_snapshot!(says(scene, "plugins mirror usb other"), @"
    exit 1
    ---- err
    error: no release of `other` fits hermes 0.1.0 with ABI 1.0 on x86_64-unknown-linux-gnu
      1.0.0 needs hermes >=9
    hint: nothing in the catalog fits; `other` can be installed once a release does
    ");
    assert_snapshot!(says(scene, "plugins mirror usb notes --target mips-none"), @"
    exit 1
    ---- err
    error: no release of `notes` fits hermes 0.1.0 with ABI 1.0 on mips-none
      2.0.0 is there only for riscv64-none
      1.1.0 is there only for x86_64-unknown-linux-gnu
      1.0.0 is there only for x86_64-unknown-linux-gnu
    hint: nothing in the catalog fits; `notes` can be installed once a release does
    ");
    scene.write("usb/notes.toml", "name = ");
    assert_snapshot!(says(scene, "plugins mirror usb notes"), @"
    exit 1
    ---- err
    error: the mirror's file `/usb/notes.toml:1` is broken: string values must be quoted, expected literal string
    hint: nothing was changed in it; move it away, or name another folder
    ");
}
