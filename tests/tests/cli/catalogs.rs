//! Several catalogs: in which order, who wins, and what any of them blocks.

use insta::assert_snapshot;

use crate::package::Package;
use crate::scene::Scene;

#[test]
fn one_name_in_two_catalogs_is_an_error() {
    let scene = Scene::new();
    scene.publish("community", &Package::holographic());
    scene.does("config set plugins.catalogs community");
    assert_snapshot!(scene.says("plugins install holographic"), @r"
    exit 1
    ---- err
    error: `holographic` is in two catalogs: `/community/holographic.toml` and `/bin/catalog/holographic.toml`
    hint: use one of the two catalogs alone with `--catalog`
    ");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- err
    warning: `holographic` is in two catalogs: `/community/holographic.toml` and `/bin/catalog/holographic.toml`
    ");
    assert_snapshot!(scene.says("memory setup holographic"), @r"
    exit 1
    ---- err
    error: `holographic` is in two catalogs: `/community/holographic.toml` and `/bin/catalog/holographic.toml`
    hint: use one of the two catalogs alone with `--catalog`
    ");
    // One of them alone.
    assert_snapshot!(scene.says("plugins install holographic --catalog bin/catalog"), @r"
    exit 0
    ---- err
    installed holographic 0.1.0
    next: `hermes memory setup holographic --catalog /bin/catalog`
    ");
}

#[test]
fn what_one_catalog_blocks_none_installs() {
    let scene = Scene::new();
    scene.write("community/removed.toml", "[names]\nholographic = 'it forgets to forget'\n");
    assert_snapshot!(scene.says("plugins install holographic --catalog bin/catalog --catalog community"), @r"
    exit 1
    ---- err
    error: `holographic` is blocked by `/community/removed.toml`: it forgets to forget
    ");
    assert_snapshot!(scene.says("plugins list --catalog bin/catalog --catalog community"), @r"
    exit 0
    ---- out
    holographic  cannot be installed: `holographic` is blocked by `/community/removed.toml`: it forgets to forget
    ");
    scene.does("plugins install holographic");
    scene.does("memory setup holographic");
    scene.does("memory recall x");

    // Blocked while it is installed.
    scene.write("bin/catalog/removed.toml", "[names]\nholographic = 'it forgets to forget'\n");
    assert_snapshot!(scene.says("memory recall x"), @r"
    exit 1
    ---- err
    error: `holographic` 0.1.0 cannot be used
      `holographic` is blocked by `/bin/catalog/removed.toml`: it forgets to forget
    hint: take it away with `hermes plugins remove holographic`
    ");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: holographic 0.1.0 · process · degraded
    problem: `holographic` 0.1.0 cannot be used
      `holographic` is blocked by `/bin/catalog/removed.toml`: it forgets to forget
    last success: prefetch, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 1      0        0       0 [ms] [ms]     0  ok [ago]
    ---- err
    hint: take it away with `hermes plugins remove holographic`
    ");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    holographic 0.1.0  installed, official, active; not used any more: `holographic` is blocked by `/bin/catalog/removed.toml`: it forgets to forget
    ");
    let hash = scene.json("plugins list");
    assert!(hash["installed"][0]["id"] == "holographic");
    assert_snapshot!(scene.says("plugins remove holographic --yes"), @r"
    exit 0
    ---- err
    removed holographic 0.1.0
    what it stored is kept in `/home/plugins/data/holographic`
    `memory.provider` still names it, and its next use may install it again; `hermes memory off` ends that
    ");
    assert_snapshot!(scene.says("memory recall x"), @r"
    exit 1
    ---- err
    error: `holographic` is not installed and cannot be: `holographic` is blocked by `/bin/catalog/removed.toml`: it forgets to forget
    hint: choose another with `hermes memory setup`
    ");
}

#[test]
fn a_hash_is_blocked_wherever_it_comes_from() {
    let scene = Scene::with_memory();
    let lock = scene.read("home/plugins.lock");
    let hash = lock.lines().find_map(|line| line.strip_prefix("library_sha256 = ")).unwrap();
    scene.write("bin/catalog/removed.toml", format!("[sha256]\n{hash} = 'it leaks'\n"));
    assert_snapshot!(scene.says("memory recall x"), @r"
    exit 1
    ---- err
    error: `holographic` 0.1.0 cannot be used
      the file with sha256 [hash]… is blocked by `/bin/catalog/removed.toml`: it leaks
    hint: take it away with `hermes plugins remove holographic`
    ");
}

#[test]
fn a_catalog_that_is_gone_does_not_free_what_another_blocks() {
    let scene = Scene::with_memory();
    let config = scene.read("home/config.toml");
    scene.write("home/config.toml", format!("{config}\n[plugins]\ncatalogs = [\"/gone\"]\n"));
    assert_snapshot!(scene.says("memory recall x"), @"
    exit 0
    ---- err
    warning: what a catalog blocks is not known: there is no catalog at `/gone`, named by `plugins.catalogs`
    🧠 holographic — recalled nothing · […] ms
    ");
    assert_snapshot!(scene.says("memory status --check"), @"
    exit 1
    ---- out
    memory: holographic 0.1.0 · process · degraded
    may use: nothing outside its data folder
    sends nothing to a model: `semantic` and `rerank` are off
    checked now: 0 facts
    problem: what a catalog blocks is not known: there is no catalog at `/gone`, named by `plugins.catalogs`
    last success: health, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   2      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 1      0        0       0 [ms] [ms]     0  ok [ago]
    ---- err
    hint: correct it with `hermes config set plugins.catalogs <folder>`, or unset it
    ");
    scene.write("bin/catalog/removed.toml", "[names]\nholographic = 'it forgets to forget'\n");
    assert_snapshot!(scene.says("memory recall x"), @"
    exit 1
    ---- err
    warning: what a catalog blocks is not known: there is no catalog at `/gone`, named by `plugins.catalogs`
    error: `holographic` 0.1.0 cannot be used
      `holographic` is blocked by `/bin/catalog/removed.toml`: it forgets to forget
    hint: take it away with `hermes plugins remove holographic`
    ");
    assert_snapshot!(scene.says("memory status --check"), @"
    exit 1
    ---- out
    memory: holographic 0.1.0 · process · degraded
    problem: what a catalog blocks is not known: there is no catalog at `/gone`, named by `plugins.catalogs`
    problem: `holographic` 0.1.0 cannot be used
      `holographic` is blocked by `/bin/catalog/removed.toml`: it forgets to forget
    last success: health, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   2      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 1      0        0       0 [ms] [ms]     0  ok [ago]
    ---- err
    hint: correct it with `hermes config set plugins.catalogs <folder>`, or unset it
    hint: take it away with `hermes plugins remove holographic`
    ");
    scene.does("plugins remove holographic --yes");
    assert_snapshot!(scene.says("memory recall x"), @"
    exit 1
    ---- err
    error: there is no catalog at `/gone`, named by `plugins.catalogs`
    hint: correct it with `hermes config set plugins.catalogs <folder>`, or unset it
    ");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: holographic (not installed) · process · degraded
    problem: what a catalog blocks is not known: there is no catalog at `/gone`, named by `plugins.catalogs`
    problem: `holographic` is not installed, and is not before every catalog can be read
    last success: health, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   2      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 1      0        0       0 [ms] [ms]     0  ok [ago]
    ---- err
    hint: correct it with `hermes config set plugins.catalogs <folder>`, or unset it
    ");
}

#[test]
fn the_order_of_catalogs() {
    let scene = Scene::new().variable("HERMES_CATALOG", "community");
    scene.publish("community", &Package::faulty().harmless().named("notes", "1.0.0"));
    // The variable takes the place of the official one, and a flag that of the variable.
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    notes 1.0.0  community: Keeps things
    ");
    assert_snapshot!(scene.says("plugins list --catalog bin/catalog"), @r"
    exit 0
    ---- out
    holographic 0.1.0  official: Keeps things
    ");
    assert_snapshot!(scene.says("plugins list --catalog bin/catalog --catalog community --catalog bin/../community"), @r"
    exit 0
    ---- out
    holographic 0.1.0  official: Keeps things
    notes 1.0.0  community: Keeps things
    ");
    // Both, as the settings have it.
    let scene = scene.variable("HERMES_CATALOG", "");
    scene.does("config set plugins.catalogs community");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    holographic 0.1.0  official: Keeps things
    notes 1.0.0  community: Keeps things
    ");
    // And the user's own folder.
    scene.does("config unset plugins.catalogs");
    std::fs::create_dir_all(scene.path("user/.local/share/hermes")).unwrap();
    std::os::unix::fs::symlink(scene.path("community"), scene.path("user/.local/share/hermes/catalog")).unwrap();
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    holographic 0.1.0  official: Keeps things
    notes 1.0.0  community: Keeps things
    ");
}

#[test]
fn a_tilde_and_a_relative_path_lead_to_a_catalog() {
    let scene = Scene::without_plugins();
    scene.publish("user/plugins", &Package::faulty().harmless().named("notes", "1.0.0"));
    let offered = |scene: &Scene, line: &str| scene.does(line).starts_with("notes 1.0.0  community: ");
    assert!(offered(&scene, "plugins list --catalog=~/plugins"));
    assert!(offered(&scene, "plugins list --catalog user/plugins"));
    scene.does("config set plugins.catalogs ~/plugins");
    assert!(scene.read("home/config.toml").contains("\"~/plugins\""));
    assert!(offered(&scene, "plugins list"));
    // From the folder of the settings.
    scene.write("home/config.toml", "[plugins]\ncatalogs = ['../user/plugins']\n");
    assert!(offered(&scene, "plugins list"));
    scene.write("home/config.toml", "");
    let scene = scene.variable("HERMES_CATALOG", "~/plugins:user/plugins");
    assert!(offered(&scene, "plugins list"));
}

#[test]
fn a_catalog_that_is_missing_is_named_with_who_named_it() {
    let scene = Scene::without_plugins();
    scene.write("home/config.toml", "[plugins]\ncatalogs = ['~/away', 'here']\n");
    assert_snapshot!(scene.says("plugins list"), @"
    exit 1
    ---- err
    error: there is no catalog at `/user/away`, named by `plugins.catalogs`
    hint: correct it with `hermes config set plugins.catalogs <folder>`, or unset it
    ");
    let scene = scene.variable("HERMES_CATALOG", "bin/catalog:gone");
    assert_snapshot!(scene.says("plugins list"), @"
    exit 1
    ---- err
    error: there is no catalog at `/gone`, named by `HERMES_CATALOG`
    hint: name a folder that holds `<name>.toml` files with `HERMES_CATALOG`
    ");
    assert_snapshot!(scene.says("plugins list --catalog=~/nowhere"), @"
    exit 1
    ---- err
    error: there is no catalog at `/user/nowhere`, named by `--catalog`
    hint: name a folder that holds `<name>.toml` files with `--catalog`
    ");
}

#[test]
fn catalogs_that_cannot_be_read() {
    let scene = Scene::new();
    assert_snapshot!(scene.says("plugins list --catalog nowhere"), @"
    exit 1
    ---- err
    error: there is no catalog at `/nowhere`, named by `--catalog`
    hint: name a folder that holds `<name>.toml` files with `--catalog`
    ");
    assert_snapshot!(scene.says("plugins list --catalog bin/hermes"), @"
    exit 1
    ---- err
    error: there is no catalog at `/bin/hermes`, named by `--catalog`
    hint: name a folder that holds `<name>.toml` files with `--catalog`
    ");
    scene.write("bin/catalog/broken.toml", "name = ");
    scene.write("bin/catalog/other.toml", "name = 'holographic'\n");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    holographic 0.1.0  official: Keeps things
    ---- err
    warning: the catalog file `/bin/catalog/broken.toml:1` is broken: string values must be quoted, expected literal string
    warning: the catalog file `/bin/catalog/other.toml:1` is broken: missing field `title`
    ");
    assert_snapshot!(scene.says("plugins install broken"), @r"
    exit 1
    ---- err
    error: the catalog file `/bin/catalog/broken.toml:1` is broken: string values must be quoted, expected literal string
    ");
    scene.write("bin/catalog/removed.toml", "names = 1\n");
    assert_snapshot!(scene.says("plugins install holographic"), @r"
    exit 1
    ---- err
    error: the catalog file `/bin/catalog/removed.toml:1` is broken: invalid type: integer `1`, expected a map
    ");
}
