//! Plugins that are named by their path: an archive, a folder, a library alone.

use std::fs;

use insta::assert_snapshot;

use crate::package::{Package, zstd};
use crate::scene::Scene;

#[test]
fn what_no_catalog_vouches_for_is_always_asked() {
    let scene = Scene::without_plugins();
    scene.publish("away", &Package::faulty().harmless());
    assert_snapshot!(scene.says("plugins install ./away/faulty-0.1.0.tar.gz"), @"
    exit 2
    ---- err
    error: `faulty` was not installed: somebody has to agree to this, and nobody can be asked here
      Faulty 0.1.0, from a file that no catalog vouches for: `/away/faulty-0.1.0.tar.gz`
      asks for nothing beyond its own data folder
      its worker is confined to that by the kernel
    hint: to agree, run `hermes plugins install /away/faulty-0.1.0.tar.gz --yes`
    ");
    assert_snapshot!(scene.says("plugins install ./away/faulty-0.1.0.tar.gz --yes"), @"
    exit 0
    ---- err
    Faulty 0.1.0, from a file that no catalog vouches for: `/away/faulty-0.1.0.tar.gz`
    asks for nothing beyond its own data folder
    its worker is confined to that by the kernel
    installed faulty 0.1.0
    next: `hermes memory setup faulty`
    ");
    assert_snapshot!(scene.says("plugins install ./away/faulty-0.1.0.tar.gz"), @"
    exit 0
    ---- err
    faulty 0.1.0 was installed already; nothing was changed
    next: `hermes memory setup faulty`
    ");
    // Even if it was granted before.
    assert_eq!(scene.run("plugins install ./away/faulty-0.1.0.tar.gz --force").status, 2);
    assert_snapshot!(scene.says("plugins install ./away/faulty-0.1.0.tar.gz --force --yes"), @"
    exit 0
    ---- err
    Faulty 0.1.0, from a file that no catalog vouches for: `/away/faulty-0.1.0.tar.gz`
    asks for nothing beyond its own data folder
    its worker is confined to that by the kernel
    installed faulty 0.1.0 anew
    next: `hermes memory setup faulty`
    ");
    let lock = scene.read("home/plugins.lock");
    let source =
        format!("source = \"file:{}\"", fs::canonicalize(scene.path("away/faulty-0.1.0.tar.gz")).unwrap().display());
    assert!(
        lock.contains(&source) && lock.contains("catalog = \"\"") && lock.contains("tier = \"community\""),
        "{lock}"
    );
    assert!(lock.contains("[plugins.faulty.current.artifacts]\n\n") || !lock.contains("current.artifacts"), "{lock}");
    scene.does("memory setup faulty");
    assert_eq!(scene.run("memory recall x").status, 0);
}

#[test]
fn an_archive_a_folder_or_a_library() {
    let scene = Scene::without_plugins();
    scene.publish("away", &Package::faulty().harmless());
    let archive = fs::read(scene.path("away/faulty-0.1.0.tar.gz")).unwrap();
    scene.write("faulty.tar.zst", zstd(&archive));
    // By what it is, not by what it is called.
    scene.write("misnamed.tar.gz", zstd(&archive));
    Package::faulty().harmless().unpack_into(&scene.path("folder"));
    fs::copy(scene.path("folder/libplugin.so"), scene.path("libplugin.so")).unwrap();
    std::os::unix::fs::symlink(scene.path("folder"), scene.path("link")).unwrap();
    for path in ["faulty.tar.zst", "./misnamed.tar.gz", "./folder", "folder/libplugin.so", "libplugin.so", "link/"] {
        scene.does(&format!("plugins install {path} --yes"));
        assert!(scene.does("plugins list").starts_with("faulty 0.1.0  installed, from a file"), "{path}");
        assert!(scene.does("plugins info faulty").contains("which no catalog vouches for"), "{path}");
        scene.does("plugins remove faulty --yes");
    }
}

#[test]
fn a_bare_name_is_a_name() {
    let scene = Scene::new();
    fs::create_dir(scene.path("holographic")).unwrap();
    scene.does("plugins install holographic");
    assert_eq!(scene.json("plugins list")["installed"][0]["tier"], "official");
    assert_snapshot!(scene.says("plugins install holographic.tar.gz"), @"
    exit 1
    ---- err
    error: no catalog has a plugin named `holographic.tar.gz`
    hint: `hermes plugins list` shows what the catalogs offer
    ");
    assert_snapshot!(scene.says("plugins install ./holographic.tar.gz"), @"
    exit 1
    ---- err
    error: there is no file or folder `./holographic.tar.gz`
    hint: a name without `/` is looked for in the catalogs
    ");
}

#[test]
fn all_other_checks_are_the_same() {
    let scene = Scene::without_plugins();
    let plugin = || Package::faulty().harmless();
    let says = |package: Package| {
        fs::remove_dir_all(scene.path("folder")).ok();
        package.unpack_into(&scene.path("folder"));
        let said = scene.says("plugins install ./folder --yes");
        assert!(scene.json("plugins list")["installed"].as_array().unwrap().is_empty(), "{said}");
        said
    };
    assert_snapshot!(says(plugin().with(|metadata| metadata.target = "riscv64-none".to_owned())), @"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      target: the plugin was built for `riscv64-none`, hermes for `x86_64-unknown-linux-gnu`
    ");
    assert_snapshot!(says(plugin().with(|metadata| metadata.abi_major = 9)), @"
    exit 1
    ---- err
    error: `faulty` 0.1.0 cannot be used
      ABI: the plugin has 9.0, hermes has 1.0; hermes is the older side
    hint: update hermes to one with ABI 9.0
    ");
    assert_snapshot!(says(plugin().with(|metadata| metadata.id = "../x".to_owned())), @"
    exit 1
    ---- err
    error: cannot install `/folder`: its library says that it is `../x` 0.1.0
    hint: an id is lower-case letters, digits and `-`, a version is like `1.2.0`
    ");
    assert_snapshot!(says(plugin().with(|metadata| metadata.version = "one".to_owned())), @"
    exit 1
    ---- err
    error: cannot install `/folder`: its library says that it is `faulty` one
    hint: an id is lower-case letters, digits and `-`, a version is like `1.2.0`
    ");
    assert_snapshot!(says(plugin().patched(|bytes| bytes.truncate(1000))), @"
    exit 1
    ---- err
    error: cannot install `/folder`: `libplugin.so` is not a library that can be loaded, or is cut off: Invalid ELF section header offset/size/alignment
    ");
    scene.write("bin/catalog/removed.toml", "[names]\nfaulty = 'it is faulty'\n");
    assert_snapshot!(says(plugin()), @"
    exit 1
    ---- err
    error: `faulty` is blocked by `/bin/catalog/removed.toml`: it is faulty
    ");
    scene.write("bin/catalog/removed.toml", "");
    plugin().unpack_into(&scene.path("two"));
    scene.write("two/libother.so", "x");
    assert_snapshot!(scene.says("plugins install ./two --yes"), @"
    exit 1
    ---- err
    error: cannot install `/two`: it holds 2 libraries, and a plugin is exactly one
    ");
    scene.write("two/sub/x", "x");
    assert_snapshot!(scene.says("plugins install ./two --yes"), @"
    exit 1
    ---- err
    error: cannot install `/two`: its entry `sub` is no plain file
    ");
    // What a server says instead of an archive, saved under the archive's name.
    scene.write("notes.tar.gz", "<html>404</html>");
    assert_snapshot!(scene.says("plugins install ./notes.tar.gz --yes"), @"
    exit 1
    ---- err
    error: cannot install `/notes.tar.gz`: it is neither an archive (`.tar.gz`, `.tar.zst`) nor a library `lib….so`, `lib….dylib` or `….dll`
    ");
    scene.write("notes.txt", "x");
    assert_snapshot!(scene.says("plugins install ./notes.txt --yes"), @"
    exit 1
    ---- err
    error: cannot install `/notes.txt`: it is neither an archive (`.tar.gz`, `.tar.zst`) nor a library `lib….so`, `lib….dylib` or `….dll`
    ");
}

#[test]
fn an_author_tries_again() {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &Package::faulty().harmless());
    scene.does("plugins install faulty");
    // The same version, asking for more than the catalog admits for it.
    Package::faulty().unpack_into(&scene.path("folder"));
    assert_snapshot!(scene.says("plugins install ./folder --yes"), @"
    exit 1
    ---- err
    error: `faulty` 0.1.0 is installed already, and what `/folder` holds is another
    hint: to put it in its place, run `hermes plugins install /folder --force`
    ");
    assert_snapshot!(scene.says("plugins install ./folder --yes --force"), @"
    exit 0
    ---- err
    Faulty 0.1.0, from a file that no catalog vouches for: `/folder`
    may read the secret FAULTY_KEY
    its worker is confined to that by the kernel
    installed faulty 0.1.0 anew
    next: `hermes memory setup faulty`
    ");
    let found = scene.json("plugins list");
    assert_eq!(found["installed"][0]["previous"], "0.1.0", "{found}");
    // Back to the catalog's.
    assert_snapshot!(scene.says("plugins install faulty"), @"
    exit 0
    ---- err
    installed faulty 0.1.0 anew
    next: `hermes memory setup faulty`
    ");
}
