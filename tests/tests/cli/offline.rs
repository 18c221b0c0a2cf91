//! Without a network: what is on the machine is used, and what is missing is named exactly.

use std::fs;

use insta::assert_snapshot;

use crate::fetch::Online;
use crate::package::{Package, zstd};
use crate::scene::files;

#[test]
fn what_is_missing_is_named_and_used_once_it_is_there() {
    let online = Online::new(Vec::new());
    let shown = |line: &str| {
        let text = online.scene.says(line).replace(&online.server.address, "[server]");
        assert!(online.server.asked().is_empty(), "nothing goes over the network");
        text
    };
    assert_snapshot!(shown("plugins install faulty --offline"), @"
    exit 1
    ---- err
    error: offline, and the archive of `faulty` 0.1.0 is not on this machine: it is at `https://[server]/faulty-0.1.0.tar.gz`, with the sha256 [hash]
    hint: put the archive at `/home/plugins/cache/[hash]`, or name a folder that `hermes plugins mirror` filled with `--catalog`
    ");
    // Where the message says, by its hash.
    let said = online.scene.run("plugins install faulty --offline").err;
    let place = said.split('`').find(|word| word.contains("/plugins/cache/")).unwrap();
    let place = online.scene.path(place.trim_start_matches('/'));
    fs::write(&place, "something else").unwrap();
    let size = fs::metadata(online.scene.path("www/faulty-0.1.0.tar.gz")).unwrap().len().to_string();
    assert_snapshot!(shown("plugins install faulty --offline").replace(&size, "[size]"), @"
    exit 1
    ---- err
    error: the archive `/home/plugins/cache/[hash]` has 14 bytes, the catalog says [size] bytes
    hint: it is damaged or was replaced; nothing of it was used. Fetch the catalog anew
    ");
    fs::copy(online.scene.path("www/faulty-0.1.0.tar.gz"), &place).unwrap();
    assert_snapshot!(shown("plugins install faulty --offline"), @"
    exit 0
    ---- err
    installed faulty 0.1.0
    next: `hermes memory setup faulty`
    ");
    // By the settings as well.
    online.scene.does("plugins remove faulty --yes");
    fs::remove_file(&place).unwrap();
    online.scene.does("config set plugins.offline true");
    assert_eq!(online.scene.run("plugins install faulty").status, 1);
}

#[test]
fn a_lazy_install_downloads_only_with_a_network() {
    let online = Online::new(Vec::new());
    online.scene.write("home/config.toml", "[memory]\nprovider = \"faulty\"\n");
    let shown = |line: &str| online.scene.says(line).replace(&online.server.address, "[server]");
    assert_snapshot!(shown("memory recall x --offline"), @"
    exit 1
    ---- err
    error: `faulty` is not installed and cannot be: offline, and the archive of `faulty` 0.1.0 is not on this machine: it is at `https://[server]/faulty-0.1.0.tar.gz`, with the sha256 [hash]
    hint: put the archive at `/home/plugins/cache/[hash]`, or name a folder that `hermes plugins mirror` filled with `--catalog`
    ");
    assert_snapshot!(shown("memory status --offline"), @"
    exit 0
    ---- out
    memory: faulty (not installed) · process · degraded
    problem: `faulty` is not installed and cannot be: offline, and the archive of `faulty` 0.1.0 is not on this machine: it is at `https://[server]/faulty-0.1.0.tar.gz`, with the sha256 [hash]
    not called yet
    ---- err
    hint: put the archive at `/home/plugins/cache/[hash]`, or name a folder that `hermes plugins mirror` filled with `--catalog`
    ");
    assert!(online.server.asked().is_empty());
    assert_snapshot!(shown("memory recall x"), @"
    exit 0
    ---- out
    x
    ---- err
    installed faulty 0.1.0 from the official catalog
    🧠 faulty — recalled 1 memory · […] ms
    ");
    assert_eq!(online.server.asked().len(), 1);
}

#[test]
fn a_zstd_archive_comes_from_a_server_too() {
    let package = Package::faulty().harmless();
    let scene = crate::scene::Scene::without_plugins();
    scene.publish("www", &package);
    let archive = zstd(&fs::read(scene.path("www/faulty-0.1.0.tar.gz")).unwrap());
    let online = Online::with(&package.archive(archive), Vec::new());
    online.scene.does("plugins install faulty");
    assert_eq!(files(&online.scene.path("home/plugins/store/faulty")).len(), 1);
}
