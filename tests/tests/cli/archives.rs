//! Archives that were damaged, or made to do harm.

use std::fs;

use insta::assert_snapshot;
use tar::EntryType;

use crate::package::{Archive, Package};
use crate::scene::{Scene, files};

/// What an install of this archive says; nothing of it may be left.
#[track_caller]
fn refused(archive: Vec<u8>) -> String {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &Package::faulty().harmless().archive(archive));
    let said = scene.says("plugins install faulty");
    let left: Vec<_> = files(&scene.path("home/plugins/store"));
    assert!(left.is_empty(), "{left:?}");
    assert!(!scene.path("home/plugins/x.md").exists() && !scene.path("home/plugins/store/x.md").exists());
    said
}

fn with(name: &str, kind: EntryType) -> Vec<u8> {
    Archive::default().file("libplugin.so", b"x").entry(name, kind, b"").done()
}

#[test]
fn hostile_archives_are_refused() {
    assert_snapshot!(refused(with("../x.md", EntryType::Regular)), @"
    exit 1
    ---- err
    error: cannot unpack the archive of `faulty`: its entry `../x.md` is not at the root of the archive
    ");
    assert_snapshot!(refused(with("/tmp/x.md", EntryType::Regular)), @"
    exit 1
    ---- err
    error: cannot unpack the archive of `faulty`: its entry `/tmp/x.md` is not at the root of the archive
    ");
    assert_snapshot!(refused(with("x.md", EntryType::Symlink)), @"
    exit 1
    ---- err
    error: cannot unpack the archive of `faulty`: its entry `x.md` is a link
    ");
    assert_snapshot!(refused(with("libplugin.so", EntryType::Regular)), @"
    exit 1
    ---- err
    error: cannot unpack the archive of `faulty`: its entry `libplugin.so` is there twice
    ");
    assert_snapshot!(refused(Archive::default().bomb("libplugin.so", 900)), @"
    exit 1
    ---- err
    error: cannot unpack the archive of `faulty`: its entry `libplugin.so` is too large
    ");
    assert_snapshot!(refused(Archive::default().file("README.md", b"x").done()), @"
    exit 1
    ---- err
    error: cannot unpack the archive of `faulty`: it holds 0 libraries, and a plugin is exactly one
    ");
    assert_snapshot!(refused(Archive::default().file("libplugin.so", b"x").done()), @r"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      `libplugin.so` is not a library that can be loaded, or is cut off: Could not read file magic
    ");
    assert_snapshot!(refused(b"no archive at all".to_vec()), @"
    exit 1
    ---- err
    error: cannot unpack the archive of `faulty`: the archive cannot be read: it is neither gzip nor zstd
    ");
}

#[test]
fn an_archive_is_what_its_entry_says() {
    let scene = Scene::new();
    let archive = scene.path("bin/catalog").join(
        files(&scene.path("bin/catalog"))
            .into_iter()
            .find(|file| file.extension().is_some_and(|end| end == "gz"))
            .unwrap(),
    );
    let mut bytes = fs::read(&archive).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&archive, &bytes).unwrap();
    assert_snapshot!(scene.says("plugins install holographic"), @r"
    exit 1
    ---- err
    error: the archive `/bin/catalog/holographic-0.1.0.tar.gz` has the sha256 [hash], the catalog says [hash]
    hint: it is damaged or was replaced; nothing of it was used. Fetch the catalog anew
    ");
    fs::write(&archive, &bytes[..middle]).unwrap();
    let said = scene.says("plugins install holographic");
    assert!(said.contains("bytes, the catalog says"), "{said}");
    fs::remove_file(&archive).unwrap();
    assert_snapshot!(scene.says("plugins install holographic"), @r"
    exit 1
    ---- err
    error: cannot read `/bin/catalog/holographic-0.1.0.tar.gz`: No such file or directory (os error 2)
    ");
    assert_snapshot!(scene.says("memory setup holographic"), @r"
    exit 1
    ---- err
    error: cannot read `/bin/catalog/holographic-0.1.0.tar.gz`: No such file or directory (os error 2)
    ");
}
