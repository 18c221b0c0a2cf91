//! `hermes plugins validate`: what an author reads before anybody else has the plugin.

use std::fs;

use hermes_provider_api::metadata::Metadata;
use hermes_tests::fixtures;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::package::{Archive, Package};
use crate::scene::Scene;

const LIBRARY: &str = if cfg!(target_os = "macos") { "libnotes.dylib" } else { "libnotes.so" };

/// The lines that a compiler or a system has its part in are left out, and how many they are.
fn file_checks(said: &str) -> String {
    let varies = |line: &&str| {
        ["metadata:", "size:", "glibc:", "strip =", "systems with"].iter().any(|part| line.contains(part))
    };
    let plain = |line: &str| match line.split_once(" warnings: ") {
        Some((_, verdict)) => verdict.to_owned(),
        None => line.to_owned(),
    };
    said.lines().filter(|line| !varies(line)).map(plain).collect::<Vec<_>>().join("\n")
}

/// A scene with this library in the folder `plugin`.
fn with_library(package: &Package) -> Scene {
    let scene = Scene::without_plugins();
    scene.write(&format!("plugin/{LIBRARY}"), package.bytes());
    scene
}

#[test]
fn the_file_is_checked_before_any_code_runs() {
    let scene = with_library(&Package::holographic());
    assert_snapshot!(file_checks(&scene.says("plugins validate plugin --quick")), @"
    exit 0
    ---- out
    plugin/libnotes.so

    the file, before any of its code runs
      ok      interfaces: hermes.core/1, hermes.prefetch/1, hermes.memory_write/1, hermes.session/1, hermes.tools/1, hermes.remember/1, hermes.import/1, hermes.browse/1
      ok      capabilities: none: it can be installed without asking
      ok      capabilities: once the user turns it on: model embed:config:semantic, model chat:config:rerank
      ok      settings: min_trust, prefetch_limit, mirror, extract, semantic, rerank, default_trust, helpful, unhelpful, half_life_days

    nothing is wrong with the file; its code was not run
    ");
    let broken = |metadata: &mut Metadata| {
        metadata.id = "Holo".to_owned();
        metadata.version = "1".to_owned();
        metadata.title = String::new();
        metadata.panic = "abort".to_owned();
        metadata.capabilities.secret = vec!["KEY".to_owned()];
    };
    let scene = with_library(&Package::holographic().with(broken));
    assert_snapshot!(file_checks(&scene.says("plugins validate plugin --quick")), @r#"
    exit 1
    ---- out
    plugin/libnotes.so

    the file, before any of its code runs
      error   id: `Holo` is no id for a plugin: no catalog takes it
              hint: 1 to 64 lower-case letters, digits and `-`, beginning with a letter
      error   version: `1` is no version: unexpected end of input while parsing major version number
              hint: such as 0.1.0
      error   title: the title is empty: ``
              hint: one line that people read in lists
      warning panic: a panic ends the process: it runs in workers only, and each panic costs a worker
              hint: leave out `panic = "abort"`
      ok      interfaces: hermes.core/1, hermes.prefetch/1, hermes.memory_write/1, hermes.session/1, hermes.tools/1, hermes.remember/1, hermes.import/1, hermes.browse/1
      warning capabilities: no setting asks for the secret `KEY`: users have to find out by themselves
              hint: `Field::secret("…", "KEY", "…")`
      ok      capabilities: users are asked to agree to secret KEY
      ok      capabilities: once the user turns it on: model embed:config:semantic, model chat:config:rerank
      ok      settings: min_trust, prefetch_limit, mirror, extract, semantic, rerank, default_trust, helpful, unhelpful, half_life_days

    hermes or a catalog would refuse this plugin
    "#);
    scene.write("none/README.md", "nothing");
    assert_snapshot!(scene.says("plugins validate none"), @"
    exit 1
    ---- err
    error: `none` holds 0 libraries, and a plugin is exactly one
    hint: name the library itself, its archive, or the folder of its crate
    ");
    scene.write("text.so", "no library");
    assert_snapshot!(scene.says("plugins validate text.so"), @"
    exit 1
    ---- out
    text.so

    the file, before any of its code runs
      error   metadata: `text.so` is not a library that can be loaded, or is cut off: Could not read file magic

    1 error, 0 warnings: no hermes can load this
    ");
}

#[test]
fn an_archive_is_unpacked_as_an_install_would() {
    let scene = Scene::without_plugins();
    let library = fs::read(fixtures().careless()).unwrap();
    scene.write("careless-0.1.0.tar.gz", Archive::default().file(LIBRARY, &library).done());
    let report = scene.json("plugins validate careless-0.1.0.tar.gz --quick");
    assert_eq!(
        (&report["ok"], &report["metadata"]["id"], &report["runs"]),
        (&json!(true), &json!("careless"), &json!([]))
    );
    scene.write("evil.tar.gz", Archive::default().file("../x.so", &library).done());
    assert_snapshot!(scene.says("plugins validate evil.tar.gz"), @"
    exit 1
    ---- err
    error: `evil.tar.gz`: its entry `../x.so` is not at the root of the archive
    ");
}

#[test]
fn a_good_plugin_passes_and_a_bad_one_does_not() {
    let scene = with_library(&Package::holographic());
    let ran = scene.run(&format!("plugins validate plugin/{LIBRARY} --json"));
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.status, &report["ok"], &report["errors"]), (0, &json!(true), &json!(0)), "{report:#}");
    let places: Vec<_> = report["runs"].as_array().unwrap().iter().map(|run| run["isolation"].clone()).collect();
    assert_eq!(places, ["process", "in-process"]);
    assert!(report["runs"][1]["scenarios"].as_array().unwrap().len() > 15, "{report:#}");

    let scene = Scene::without_plugins();
    fs::copy(fixtures().careless(), scene.path(LIBRARY)).unwrap();
    let line = format!("plugins validate {LIBRARY} --isolation in-process --set 'mistake=writes beside its folder'");
    let ran = scene.run(&line);
    let said = ran.shown();
    assert_eq!(ran.status, 1, "{said}");
    assert!(said.contains("FAIL opening") && said.contains("(`notes.bak` beside it)"), "{said}");
    assert!(said.contains("users would lose something by this plugin"), "{said}");
    assert_eq!(scene.run(&format!("plugins validate {LIBRARY} --set mistake")).status, 2);
}

#[test]
fn what_ends_a_worker_is_not_tried_in_process() {
    let scene = Scene::without_plugins();
    fs::copy(fixtures().careless(), scene.path(LIBRARY)).unwrap();
    let report = scene.json(&format!("plugins validate {LIBRARY} --set 'mistake=ends its process in a worker'"));
    assert_eq!(report["ok"], false);
    let reason = "a worker crashed, and this process would: its worker was ended by signal 6 (SIGABRT)";
    assert_eq!(report["runs"][1], json!({"isolation": "in-process", "not_run": reason}));
}
