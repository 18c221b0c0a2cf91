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
fn what_a_plugin_may_do_is_agreed_to_by_somebody() {
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
    2
    error: `asks` was not installed: somebody has to agree to this, and nobody can be asked here
      Notes 0.1.0, from a community catalog, which nobody at hermes reviews: `/catalog`
      may run `brv`: such a program runs with your full authority, outside the confinement
      its worker is confined to that by the kernel
    hint: to agree, run `hermes plugins install asks --yes --catalog /catalog`
    ");
}

#[test]
fn wrong_names_and_versions() {
    let scene = Scene::new();
    scene.publish(&metadata("notes", "1.0.0"));
    insta::assert_snapshot!(scene.run(&["install", "note"]), @"
    1
    error: no catalog has a plugin named `note`
    hint: did you mean `notes`?
    hint: `hermes plugins list --catalog /catalog` shows what the catalogs offer
    ");
    insta::assert_snapshot!(scene.run(&["install", "notes@new"]), @r"
    2
    error: `new` is neither a version nor a range: unexpected character 'n' while parsing major version number
    hint: write `notes@1.2.0` or `notes@^1`
    ");
    insta::assert_snapshot!(scene.run(&["install", "notes@2.0.0"]), @r"
    1
    error: the catalog has no release `notes@2.0.0`, only 1.0.0
    hint: this one fits: `hermes plugins install notes@1.0.0 --catalog /catalog`
    ");
    fs::write(scene.folder.path().join("catalog/broken.toml"), "name = ").unwrap();
    insta::assert_snapshot!(scene.run(&["install", "broken"]), @r"
    1
    error: the catalog file `/catalog/broken.toml:1` is broken: string values must be quoted, expected literal string
    ");
}
