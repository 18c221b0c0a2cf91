//! The author's road: a new crate, built, packed, installed from its own catalog, and used.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_tests::{other_workspace, target_folder, test_other_workspace, workspace};
use insta::assert_snapshot;
use serde_json::json;

use crate::scene::{Scene, files};

const API: &str = "provider-api";

/// A new crate as the program writes it, in a folder that stays, so that cargo need not build it anew each time.
fn written(scene: &Scene) -> PathBuf {
    let api = workspace().join(API).to_string_lossy().into_owned();
    assert_snapshot!(scene.says(&format!("plugins new my-notes --provider-api {api}")), @"
    exit 0
    ---- out
    my-notes/.gitignore
    my-notes/Cargo.toml
    my-notes/LICENSE.md
    my-notes/README.md
    my-notes/rustfmt.toml
    my-notes/src/lib.rs
    my-notes/src/provider.rs
    my-notes/src/store.rs
    my-notes/src/words.rs
    my-notes/tests/conformance.rs
    my-notes/tests/provider.rs
    ---- err
    next: `cd my-notes`, `cargo test`, `cargo build --release`, `hermes plugins validate .`, `hermes plugins pack .`
    ");
    let folder = target_folder().join("fixtures/my-notes");
    copy(&scene.path("my-notes"), &folder);
    // With the versions of this workspace nothing has to be fetched.
    write(&folder.join("Cargo.lock"), &fs::read(workspace().join("Cargo.lock")).unwrap());
    folder
}

fn copy(from: &Path, to: &Path) {
    for path in files(from) {
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { write(&target, &fs::read(path).unwrap()) }
    }
}

fn write(path: &Path, content: &[u8]) {
    if fs::read(path).is_ok_and(|found| found == content) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn a_new_provider_is_built_packed_and_used() {
    let scene = Scene::without_plugins();
    let folder = written(&scene);
    let manifest = folder.join("Cargo.toml");
    let library = other_workspace(&manifest, &["--offline"]).artifact("hermes_provider_my_notes").to_owned();

    // Its own tests, and the conformance kit where this checkout has it.
    let testkit = ["src/testkit.rs", "src/testkit/mod.rs"].map(|file| workspace().join(API).join(file));
    let has_kit = testkit.iter().any(|file| {
        fs::read_to_string(file).is_ok_and(|text| text.lines().any(|line| line.starts_with("pub mod conformance")))
    });
    let kit: &[&str] = if has_kit { &["--test", "conformance"] } else { &[] };
    test_other_workspace(&manifest, &[&["--offline", "--lib", "--test", "provider"], kit].concat());

    // As an author packs it: from the folder of the crate, after a build for release.
    let name = library.file_name().unwrap().to_string_lossy().into_owned();
    fs::create_dir_all(scene.path("my-notes/target/release")).unwrap();
    fs::copy(&library, scene.path("my-notes/target/release").join(&name)).unwrap();
    let packed = scene.json("plugins pack my-notes");
    assert_eq!(
        (&packed["id"], &packed["version"], &packed["change"], &packed["capabilities"]),
        (&"my-notes".into(), &"0.1.0".into(), &"entry".into(), &json!({}))
    );
    assert_eq!(packed["files"], json!(["LICENSE.md", "README.md", name]));
    let entry = scene.read("dist/my-notes.toml");
    let head = entry.split("[[releases]]").next().unwrap();
    assert_snapshot!(head, @r#"
    name = "my-notes"
    title = "My notes"
    description = "Keeps what the user says in a file and finds it again by shared words"
    maintainer = "the authors of my-notes"
    category = "memory"
    licence = "MIT OR Apache-2.0"
    "#);

    assert_snapshot!(scene.says("memory setup my-notes --catalog dist --yes"), @r#"
    exit 0
    ---- err
    My notes 0.1.0, from a community catalog, which nobody at hermes reviews: `/dist`
    asks for nothing beyond its own data folder
    its worker is confined to that by the kernel
    My notes 0.1.0 is your memory now: 0 facts
    try `hermes memory remember "…"` and `hermes memory recall "…"`
    "#);
    assert_snapshot!(scene.says("memory remember 'Biscuit ist ein Spaniel'"), @"
    exit 0
    ---- err
    my-notes keeps it as 1
    ");
    assert_snapshot!(scene.says("memory recall 'Was ist Biscuit?'"), @"
    exit 0
    ---- out
    Biscuit ist ein Spaniel
    ---- err
    🧠 my-notes — recalled 1 memory · […] ms
    ");
    assert_snapshot!(scene.says("memory recall 'Wer gewann 1954?'"), @"
    exit 0
    ---- err
    🧠 my-notes — recalled nothing · […] ms
    ");
    assert_snapshot!(scene.says(r#"tools call my_notes_search '{"query": "spaniel"}'"#), @r#"
    exit 0
    ---- out
    {"ok":true,"result":{"facts":[{"id":"1","text":"Biscuit ist ein Spaniel"}]},"tool":"my_notes_search"}
    "#);
    assert_snapshot!(scene.says("memory status --check"), @"
    exit 0
    ---- out
    memory: my-notes 0.1.0 · process · ok
    may use: nothing outside its data folder
    checked now: 1 fact
    last success: health, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    call_tool                1      0        0       0 [ms] [ms]     –  ok [ago]
    health                   2      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 2      0        0       0 [ms] [ms]     1  ok [ago]
    remember                 1      0        0       0 [ms] [ms]     –  ok [ago]
    system_prompt_block      1      0        0       0 [ms] [ms]     –  ok [ago]
    tool_schemas             1      0        0       0 [ms] [ms]     –  ok [ago]
    ");
    // In a replay: turns are kept, each once, and recalled in another session.
    scene.write(
        "talk.jsonl",
        concat!(
            r#"{"session_id": "mon", "role": "user", "content": "Анна пьёт чай без сахара"}"#,
            "\n",
            r#"{"session_id": "mon", "role": "assistant", "content": "Хорошо."}"#,
            "\n",
            r#"{"session_id": "tue", "role": "user", "content": "Что пьёт Анна?"}"#,
            "\n",
            r#"{"session_id": "tue", "role": "assistant", "content": "Чай."}"#,
            "\n",
        ),
    );
    let turns = scene.does("replay talk.jsonl --json --live");
    let last: serde_json::Value = serde_json::from_str(turns.lines().last().unwrap()).unwrap();
    assert_eq!(last["recall"]["memories"][0]["text"], "Анна пьёт чай без сахара", "{turns}");
}

#[test]
fn the_program_knows_where_it_was_built() {
    let scene = Scene::without_plugins();
    let lies_in_checkout = scene.path("bin").starts_with(workspace());
    let ran = scene.run("plugins new notes --json");
    if lies_in_checkout {
        let created: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((&created["id"], &created["folder"]), (&"notes".into(), &"notes".into()));
        assert!(created["files"].as_array().unwrap().contains(&"src/provider.rs".into()), "{created}");
        let manifest = scene.read("notes/Cargo.toml");
        assert!(manifest.contains(&format!("path = \"{}\"", workspace().join(API).display())), "{manifest}");
    } else {
        assert_eq!(ran.status, 2, "{}", ran.shown());
    }
}

#[test]
fn names_and_folders_that_cannot_be() {
    let scene = Scene::without_plugins();
    assert_snapshot!(scene.says("plugins new My_Notes"), @"
    exit 2
    ---- err
    error: `My_Notes` is no name of a plugin: 1 to 64 lower-case letters, digits and `-`, beginning with a letter
    hint: this one fits: `hermes plugins new my-notes`
    ");
    assert_snapshot!(scene.says("plugins new заметки"), @"
    exit 2
    ---- err
    error: `заметки` is no name of a plugin: 1 to 64 lower-case letters, digits and `-`, beginning with a letter
    ");
    assert_snapshot!(scene.says("plugins new removed"), @"
    exit 2
    ---- err
    error: `removed` is no name of a plugin: another file of a catalog is called so
    ");
    assert_snapshot!(scene.says("plugins new notes --provider-api user"), @"
    exit 2
    ---- err
    error: `user` is not the folder of `hermes-provider-api`: it has no `Cargo.toml` of that name
    hint: name the folder `provider-api` of a checkout of hermes with `--provider-api`
    ");
    assert!(!scene.path("notes").exists());
    scene.write("notes/mine.txt", "do not touch");
    let api = workspace().join(API).to_string_lossy().into_owned();
    assert_snapshot!(scene.says(&format!("plugins new notes --provider-api {api}")), @"
    exit 1
    ---- err
    error: `notes` is there already, and it is not empty
    hint: name another folder with `--dir`
    ");
    assert_eq!(files(&scene.path("notes")).len(), 1);
    fs::create_dir(scene.path("empty")).unwrap();
    scene.does(&format!("plugins new notes --dir empty --provider-api {api}"));
    assert!(scene.read("empty/Cargo.toml").contains("name = \"hermes-provider-notes\""));
}
