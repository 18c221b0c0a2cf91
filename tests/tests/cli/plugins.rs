//! Plugins of a community come, are replaced, and go away again.

use insta::assert_snapshot;
use serde_json::Value;

use crate::package::Package;
use crate::scene::Scene;

fn community(id: &str, version: &str) -> Package {
    Package::faulty().harmless().named(id, version)
}

#[test]
fn a_plugin_comes_and_goes() {
    let scene = Scene::without_plugins().variable("HERMES_CATALOG", "community");
    scene.publish("community", &community("notes", "1.0.0"));
    let asks = community("asks", "0.1.0").with(|metadata| metadata.capabilities.command = vec!["brv".to_owned()]);
    scene.publish("community", &asks);

    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    asks 0.1.0  community: Keeps things
    notes 1.0.0  community: Keeps things
    ");
    assert_snapshot!(scene.says("plugins install asks"), @r"
    exit 2
    ---- err
    error: `asks` was not installed: somebody has to agree to this, and nobody can be asked here
      asks 0.1.0, from a community catalog, which nobody at hermes reviews: `/community`
      may run `brv`: such a program runs with your full authority, outside the confinement
      its worker is confined to that by the kernel
    hint: to agree, run `hermes plugins install asks --yes`
    ");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    asks 0.1.0  community: Keeps things
    notes 1.0.0  community: Keeps things
    ");
    assert_snapshot!(scene.says("plugins install asks --yes"), @r"
    exit 0
    ---- err
    asks 0.1.0, from a community catalog, which nobody at hermes reviews: `/community`
    may run `brv`: such a program runs with your full authority, outside the confinement
    its worker is confined to that by the kernel
    installed asks 0.1.0
    next: `hermes memory setup asks`
    ");
    assert_snapshot!(scene.says("plugins install asks"), @r"
    exit 0
    ---- err
    asks 0.1.0 was installed already; nothing was changed
    next: `hermes memory setup asks`
    ");
    assert_snapshot!(scene.says("plugins install notes --yes --json"), @r#"
    exit 0
    ---- out
    {
      "granted": {},
      "id": "notes",
      "installed": true,
      "replaced": null,
      "tier": "community",
      "version": "1.0.0"
    }
    ---- err
    notes 1.0.0, from a community catalog, which nobody at hermes reviews: `/community`
    asks for nothing beyond its own data folder
    its worker is confined to that by the kernel
    "#);
    scene.does("memory setup notes");
    scene.publish("community", &community("notes", "1.1.0"));
    assert_snapshot!(scene.says("plugins list"), @"
    exit 0
    ---- out
    asks 0.1.0  installed, community
    notes 1.0.0  installed, community, active; 1.1.0 is there: `hermes plugins update notes`
    ");
    assert_snapshot!(scene.says("plugins install notes"), @r"
    exit 0
    ---- err
    installed notes 1.1.0, which replaces 1.0.0
    ");
    assert_snapshot!(scene.says("plugins install notes@1.0.0"), @r"
    exit 0
    ---- err
    installed notes 1.0.0, which replaces 1.1.0
    ");
    assert_snapshot!(scene.says("plugins remove asks"), @r"
    exit 2
    ---- err
    error: `asks` was not removed: nobody can be asked here
    hint: run `hermes plugins remove asks --yes`
    ");
    assert_snapshot!(scene.says("plugins remove asks --yes"), @r"
    exit 0
    ---- err
    removed asks 0.1.0
    ");
    assert_snapshot!(scene.says("plugins remove notes -y"), @r"
    exit 0
    ---- err
    removed notes 1.0.0
    what it stored is kept in `/home/plugins/data/notes`
    `memory.provider` still names it, and its next use may install it again; `hermes memory off` ends that
    ");
    assert_snapshot!(scene.says("plugins remove notes"), @r"
    exit 1
    ---- err
    error: `notes` is not installed
    hint: `hermes plugins list` shows what is
    ");
    // What was granted once need not be granted again.
    assert_snapshot!(scene.says("plugins install asks"), @r"
    exit 0
    ---- err
    installed asks 0.1.0
    next: `hermes memory setup asks`
    ");
}

#[test]
fn lists_for_programs() {
    let scene = Scene::without_plugins().variable("HERMES_CATALOG", "community");
    scene.publish("community", &community("notes", "1.0.0"));
    scene.publish("community", &community("foreign", "1.0.0").entry(|entry| "other".clone_into(&mut entry.target)));
    scene.does("plugins install notes --yes");
    let lists = scene.json("plugins list");
    let installed = &lists["installed"][0];
    assert_eq!(
        (&installed["id"], &installed["tier"], &installed["newest"]),
        (&"notes".into(), &"community".into(), &Value::Null)
    );
    assert_eq!(lists["available"][0]["version"], Value::Null);
    assert!(lists["available"][0]["reason"].as_str().unwrap().contains("is there only for other"));
}

#[test]
fn wrong_names_and_versions() {
    let scene = Scene::new();
    assert_snapshot!(scene.says("plugins install holografic"), @r"
    exit 1
    ---- err
    error: no catalog has a plugin named `holografic`
    hint: did you mean `holographic`?
    hint: `hermes plugins list` shows what the catalogs offer
    ");
    assert_snapshot!(scene.says("plugins install holographic@new"), @r"
    exit 2
    ---- err
    error: `new` is neither a version nor a range: unexpected character 'n' while parsing major version number
    hint: write `holographic@1.2.0` or `holographic@^1`
    ");
    assert_snapshot!(scene.says("plugins install holographic@9.0.0"), @r"
    exit 1
    ---- err
    error: the catalog has no release `holographic@9.0.0`, only 0.1.0
    hint: this one fits: `hermes plugins install holographic@0.1.0`
    ");
    assert_snapshot!(scene.says("plugins install ../etc"), @"
    exit 1
    ---- err
    error: there is no file or folder `../etc`
    hint: a name without `/` is looked for in the catalogs
    ");
    assert_snapshot!(scene.says("plugins install ''"), @r"
    exit 1
    ---- err
    error: no catalog has a plugin named ``
    hint: `hermes plugins list` shows what the catalogs offer
    ");
    assert_snapshot!(scene.says("plugins remove holographic"), @r"
    exit 1
    ---- err
    error: `holographic` is not installed
    hint: `hermes plugins list` shows what is
    ");
    assert_snapshot!(scene.says("memory setup holografic"), @r"
    exit 1
    ---- err
    error: no catalog has a plugin named `holografic`
    hint: did you mean `holographic`?
    hint: `hermes plugins list` shows what the catalogs offer
    ");
}
