//! Plugins that do not fit, told by their metadata before any of their code runs; all reasons in one message.

use hermes_provider_api::metadata::Metadata;
use hermes_tests::patch;
use insta::assert_snapshot;

use crate::package::Package;
use crate::scene::{Scene, files};

fn refused(package: &Package) -> String {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", package);
    let said = scene.says("plugins install faulty");
    assert!(files(&scene.path("home/plugins/store")).is_empty(), "nothing is left");
    said
}

/// The library says this, while its entry says what fits.
fn says(change: impl FnOnce(&mut Metadata)) -> Package {
    let mut honest = None;
    let package = Package::faulty().harmless();
    let package = package.entry(|entry| honest = Some(entry.clone()));
    package.with(change).entry(|entry| *entry = honest.unwrap())
}

#[test]
fn libraries_that_do_not_fit() {
    assert_snapshot!(refused(&says(|metadata| metadata.abi_major = 2)), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      ABI: the plugin has 2.0, hermes has 1.0; hermes is the older side
    hint: update hermes to one with ABI 2.0
    ");
    assert_snapshot!(refused(&says(|metadata| metadata.abi_major = 0)), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      ABI: the plugin has 0.0, hermes has 1.0; the plugin is the older side
    ");
    assert_snapshot!(refused(&says(|metadata| "sparc-sun-solaris".clone_into(&mut metadata.target))), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      target: the plugin was built for `sparc-sun-solaris`, hermes for `x86_64-unknown-linux-gnu`
    ");
    assert_snapshot!(refused(&says(|metadata| ">=9".clone_into(&mut metadata.requires_host))), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      host: the plugin needs hermes `>=9`, this is 0.1.0
    hint: use hermes `>=9`
    ");
    assert_snapshot!(refused(&says(|metadata| "other".clone_into(&mut metadata.id))), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      id: the plugin calls itself `other`, its catalog entry is `faulty`
    hint: the plugin and its catalog entry disagree; whoever maintains them has to know
    ");
    assert_snapshot!(refused(&says(|metadata| metadata.capabilities.command = vec!["sh".to_owned()])), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      capability command `sh` is refused: it is a shell, which runs any command
      it asks for more than its catalog entry allows: `command sh`
    hint: the plugin and its catalog entry disagree; whoever maintains them has to know
    ");
    assert_snapshot!(refused(&says(|metadata| {
        metadata.abi_major = 2;
        "wasm32-wasip2".clone_into(&mut metadata.target);
        "9.9.9".clone_into(&mut metadata.version);
    })), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      target: the plugin was built for `wasm32-wasip2`, hermes for `x86_64-unknown-linux-gnu`
      ABI: the plugin has 2.0, hermes has 1.0; hermes is the older side
      version: the plugin says 9.9.9, its catalog entry 0.1.0
    hint: update hermes to one with ABI 2.0
    hint: the plugin and its catalog entry disagree; whoever maintains them has to know
    ");
}

#[test]
fn entries_that_do_not_fit() {
    let entry = |change: fn(&mut Metadata)| Package::faulty().harmless().entry(change);
    assert_snapshot!(refused(&entry(|entry| entry.abi_major = 2)), @r"
    exit 1
    ---- err
    error: no release of `faulty` fits hermes 0.1.0 with ABI 1.0 on x86_64-unknown-linux-gnu
      0.1.0 is built for ABI 2.0, so hermes is the older side
    hint: nothing in the catalog fits; `faulty` can be installed once a release does
    ");
    assert_snapshot!(refused(&entry(|entry| "sparc-sun-solaris".clone_into(&mut entry.target))), @r"
    exit 1
    ---- err
    error: no release of `faulty` fits hermes 0.1.0 with ABI 1.0 on x86_64-unknown-linux-gnu
      0.1.0 is there only for sparc-sun-solaris
    hint: nothing in the catalog fits; `faulty` can be installed once a release does
    ");
    assert_snapshot!(refused(&entry(|entry| ">=9".clone_into(&mut entry.requires_host))), @r"
    exit 1
    ---- err
    error: no release of `faulty` fits hermes 0.1.0 with ABI 1.0 on x86_64-unknown-linux-gnu
      0.1.0 needs hermes >=9
    hint: nothing in the catalog fits; `faulty` can be installed once a release does
    ");
}

#[test]
fn files_that_are_no_plugins() {
    let changed = |change: fn(&mut Vec<u8>)| Package::faulty().harmless().patched(change);
    assert_snapshot!(refused(&changed(|bytes| bytes.truncate(bytes.len() / 2))), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      `libplugin.so` is not a library that can be loaded, or is cut off: Invalid ELF section header offset/size/alignment
    ");
    assert_snapshot!(refused(&changed(Vec::clear)), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      `libplugin.so` is not a library that can be loaded, or is cut off: Could not read file magic
    ");
    assert_snapshot!(refused(&changed(|bytes| {
        let at = bytes.windows(9).position(|name| name == b".memprov\0").unwrap();
        bytes[at + 1] = b'x';
    })), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      `libplugin.so` is a library but not a hermes plugin: it has no `.memprov` section
    hint: a plugin is made with `hermes_provider_api::export_provider!`
    ");
    assert_snapshot!(refused(&changed(|bytes| {
        let section = patch::section(bytes);
        bytes[section.start + 8] = 2;
    })), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      `libplugin.so`: the metadata section has format 2, this side reads format 1
    hint: the plugin was built for another hermes; update the older of the two
    ");
    assert_snapshot!(refused(&changed(|bytes| {
        let section = patch::section(bytes);
        bytes[section.start + 16] = b'?';
    })), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      `libplugin.so`: the metadata section does not hold the metadata record: expected value at line 1 column 1
    ");
}
