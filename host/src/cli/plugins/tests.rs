//! The commands, from their arguments to what is printed.

use std::fs;
use std::path::Path;

use hermes_provider_api::Capabilities;
use hermes_provider_api::metadata::Metadata;
use tempfile::TempDir;

use crate::cli::tests::hermes;
use crate::plugins::inspect::fixture::metadata;
use crate::plugins::install::fixture::publish;

/// A home without a terminal, and a community catalog.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("catalog")).unwrap();
        Self { folder }
    }

    fn catalog(&self) -> &Path {
        self.folder.path()
    }

    fn publish(&self, metadata: &Metadata) {
        publish(&self.catalog().join("catalog"), metadata);
    }

    /// Exit status, stdout and stderr, with the folder left out.
    fn run(&self, args: &[&str]) -> String {
        let catalog = self.catalog().join("catalog");
        let mut all = vec!["plugins", "--catalog", catalog.to_str().unwrap()];
        all.extend(args);
        let (status, out, err) = hermes(&self.folder.path().join("home"), &all);
        let root = fs::canonicalize(self.folder.path()).unwrap().to_string_lossy().into_owned();
        format!("{status}\n{out}{err}").replace(&root, "")
    }
}

#[test]
fn a_plugin_comes_and_goes() {
    let scene = Scene::new();
    scene.publish(&metadata("notes", "1.0.0"));
    let command = Capabilities { command: vec!["brv".to_owned()], ..Capabilities::default() };
    scene.publish(&Metadata { capabilities: command, ..metadata("asks", "0.1.0") });

    insta::assert_snapshot!(scene.run(&["list"]), @r"
    0
    asks 0.1.0  community: Keeps notes
    notes 1.0.0  community: Keeps notes
    ");
    insta::assert_snapshot!(scene.run(&["install", "asks"]), @r"
    1
    error: `asks` was not installed: somebody has to agree to this, and nobody can be asked here
      Notes 0.1.0, from a community catalog, which nobody at hermes reviews: `/catalog`
      may run `brv`, which has your full authority
      it is native code: only a confined worker keeps it from taking more than this
    hint: to agree, run `hermes plugins install asks --yes`
    ");
    insta::assert_snapshot!(scene.run(&["install", "asks", "--yes"]), @r"
    0
    Notes 0.1.0, from a community catalog, which nobody at hermes reviews: `/catalog`
    may run `brv`, which has your full authority
    it is native code: only a confined worker keeps it from taking more than this
    installed asks 0.1.0
    next: `hermes memory setup asks`
    ");
    insta::assert_snapshot!(scene.run(&["install", "asks"]), @r"
    0
    asks 0.1.0 was installed already; nothing was changed
    next: `hermes memory setup asks`
    ");
    insta::assert_snapshot!(scene.run(&["install", "notes", "--yes", "--json"]), @r#"
    0
    {
      "granted": {},
      "id": "notes",
      "installed": true,
      "replaced": null,
      "tier": "community",
      "version": "1.0.0"
    }
    Notes 1.0.0, from a community catalog, which nobody at hermes reviews: `/catalog`
    asks for nothing beyond its own data folder
    it is native code: only a confined worker keeps it from taking more than this
    "#);
    scene.publish(&metadata("notes", "1.1.0"));
    fs::write(scene.folder.path().join("home").join("config.toml"), "[memory]\nprovider = 'notes'\n").unwrap();
    insta::assert_snapshot!(scene.run(&["list"]), @r"
    0
    asks 0.1.0  installed, community
    notes 1.0.0  installed, community, active; 1.1.0 is there: `hermes plugins install notes`
    ");
    insta::assert_snapshot!(scene.run(&["install", "notes"]), @r"
    0
    installed notes 1.1.0, which replaces 1.0.0
    ");
    insta::assert_snapshot!(scene.run(&["remove", "asks"]), @r"
    1
    error: `asks` was not removed: nobody can be asked here
    hint: run `hermes plugins remove asks --yes`
    ");
    insta::assert_snapshot!(scene.run(&["remove", "asks", "--yes"]), @r"
    0
    removed asks 0.1.0
    ");
    fs::create_dir_all(scene.folder.path().join("home/plugins/data/notes")).unwrap();
    insta::assert_snapshot!(scene.run(&["remove", "notes", "-y"]), @r"
    0
    removed notes 1.1.0
    what it stored is kept in `/home/plugins/data/notes`
    it is still named by `memory.provider`; `hermes memory off` changes that
    ");
    insta::assert_snapshot!(scene.run(&["remove", "notes"]), @r"
    1
    error: `notes` is not installed
    hint: `hermes plugins list` shows what is
    ");
}

#[test]
fn wrong_names_and_versions() {
    let scene = Scene::new();
    scene.publish(&metadata("notes", "1.0.0"));
    insta::assert_snapshot!(scene.run(&["install", "note"]), @r"
    1
    error: no catalog has a plugin named `note`
    hint: did you mean `notes`?
    hint: `hermes plugins list` shows what the catalogs offer
    ");
    insta::assert_snapshot!(scene.run(&["install", "notes@new"]), @r"
    2
    error: `new` is neither a version nor a range: unexpected character 'n' while parsing major version number
    hint: write `notes@1.2.0` or `notes@^1`
    ");
    insta::assert_snapshot!(scene.run(&["install", "notes@2.0.0"]), @r"
    1
    error: the catalog has no release `notes@2.0.0`, only 1.0.0
    hint: this one fits: `hermes plugins install notes@1.0.0`
    ");
    fs::write(scene.folder.path().join("catalog/broken.toml"), "name = ").unwrap();
    insta::assert_snapshot!(scene.run(&["install", "broken"]), @r"
    1
    error: the catalog file `/catalog/broken.toml:1` is broken: string values must be quoted, expected literal string
    ");
}

#[test]
fn lists_for_programs() {
    let scene = Scene::new();
    scene.publish(&metadata("notes", "1.0.0"));
    scene.publish(&Metadata { target: "other".to_owned(), ..metadata("foreign", "1.0.0") });
    scene.run(&["install", "notes", "--yes"]);
    let listed = scene.run(&["list", "--json"]);
    let (_, json) = listed.split_once('\n').unwrap();
    let lists: serde_json::Value = serde_json::from_str(json).unwrap();
    let installed = &lists["installed"][0];
    assert_eq!(
        (&installed["id"], &installed["tier"], &installed["newest"]),
        (&"notes".into(), &"community".into(), &serde_json::Value::Null)
    );
    assert_eq!(lists["available"][0]["version"], serde_json::Value::Null);
    assert!(lists["available"][0]["reason"].as_str().unwrap().contains("is there only for other"));
}
