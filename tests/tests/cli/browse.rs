//! Looking through what a provider has stored: a tree of files where it keeps them, and a list where it does not.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use insta::assert_snapshot;

use crate::byterover::with_fake;
use crate::scene::Scene;

/// Days and hashes are never twice the same.
fn steady(shown: &str) -> String {
    let digits = |word: &str, len: usize, also: &[char]| {
        word.len() == len && word.chars().all(|c| c.is_ascii_hexdigit() || also.contains(&c))
    };
    let mut text = shown.to_owned();
    for word in shown.split(|c: char| c.is_whitespace() || c == '.') {
        let hash = word.rsplit('-').next().unwrap_or_default();
        if digits(hash, 16, &[]) {
            text = text.replace(hash, "[hash]");
        } else if digits(word, 10, &['-']) && word.contains('-') {
            text = text.replace(word, "[day]");
        }
    }
    text
}

/// With a document that `brv` wrote and one of the user.
fn with_tree() -> Scene {
    let scene = with_fake();
    scene.does("memory setup byterover --yes");
    scene.does("memory remember 'The boat is called Wanderfalke'");
    let folder = "home/plugins/data/byterover/private/.brv/context-tree";
    scene.write(&format!("{folder}/people/mirabel.md"), "---\ntitle: 'bees of Mirabel'\n---\n- She keeps bees.\n");
    scene
}

#[test]
fn files_are_shown_as_a_tree() {
    let scene = with_tree();
    assert_snapshot!(steady(&scene.says("memory browse")), @"
    exit 0
    ---- out
    private/hermes/kept/
      the_boat_is_called_wanderfalke-[hash].md  [day]  The boat is called Wanderfalke
    private/people/
      mirabel.md  [day]  bees of Mirabel
    ");
    assert_snapshot!(scene.says("memory browse cat private/people/mirabel.md"), @"
    exit 0
    ---- out
    ---
    title: 'bees of Mirabel'
    ---
    - She keeps bees.
    ");
    assert_snapshot!(scene.says("memory browse path private/people/mirabel.md"), @"
    exit 0
    ---- out
    /home/plugins/data/byterover/private/.brv/context-tree/people/mirabel.md
    ");
    assert_snapshot!(scene.says("memory browse path"), @"
    exit 0
    ---- out
    /home/plugins/data/byterover
    ");
    assert_snapshot!(scene.says("memory browse cat nobody.md"), @"
    exit 1
    ---- err
    error: there is no entry `nobody.md`
    hint: `hermes memory browse` lists them
    ");
    let listed = scene.json("memory browse");
    assert_eq!(listed["entries"].as_array().unwrap().len(), 2);
    let path = listed["entries"][0]["path"].as_str().unwrap();
    assert_eq!(fs::read_to_string(scene.path(&path[1..])).unwrap(), listed["entries"][0]["text"].as_str().unwrap());
}

#[test]
fn a_file_is_opened_in_the_editor_and_recalled_as_it_is_then() {
    let scene = with_tree();
    let editor = scene.path("user/append");
    scene.write("user/append", "#!/bin/sh\necho '- She sells honey.' >> \"$2\"; [ \"$1\" = --wait ]\n");
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let without = scene.run("memory browse edit private/people/mirabel.md");
    assert!(without.status == 2 && without.err.contains("no editor is set"), "{}", without.shown());
    let scene = scene.variable("EDITOR", &format!("'{}' --wait", editor.display()));
    scene.does("memory browse edit private/people/mirabel.md");
    let recalled = scene.json("memory recall 'What does she sell? honey?'");
    assert!(recalled["memories"][0]["text"].as_str().unwrap().contains("She sells honey"), "{recalled}");
}

#[test]
fn nothing_outside_the_providers_folder_is_shown_or_opened() {
    let scene = with_tree();
    let tree = scene.path("home/plugins/data/byterover/private/.brv/context-tree");
    scene.write("home/key.md", "secret");
    symlink(scene.path("home/key.md"), tree.join("linked.md")).unwrap();
    symlink(scene.path("home"), tree.join("folder")).unwrap();
    assert!(!scene.says("memory browse").contains("linked"));
    for name in ["private/linked.md", "../../../key.md", "private/folder/key.md", "private/../../key.md"] {
        let ran = scene.run(&format!("memory browse path {name}"));
        assert!(ran.status == 1 && ran.err.contains("there is no entry"), "{name}: {}", ran.shown());
    }
}

#[test]
fn a_provider_without_files_is_listed_newest_first() {
    let scene = Scene::with_memory();
    assert_snapshot!(scene.says("memory browse"), @"
    exit 0
    ---- err
    nothing is stored yet
    ");
    scene.does("memory remember 'Biscuit is a spaniel'");
    scene.does("memory remember 'Anna lives in Riga'");
    assert_snapshot!(steady(&scene.says("memory browse")), @"
    exit 0
    ---- out
    2  [day]  Anna lives in Riga
    1  [day]  Biscuit is a spaniel
    ");
    assert_snapshot!(scene.says("memory browse cat 1"), @"
    exit 0
    ---- out
    Biscuit is a spaniel
    ");
    assert_snapshot!(scene.says("memory browse path 1"), @"
    exit 1
    ---- err
    error: `holographic` keeps `1` in no file of its own
    hint: see it with `hermes memory browse cat 1`
    ");
    assert_eq!(Scene::without_plugins().run("memory browse").status, 1);
}
