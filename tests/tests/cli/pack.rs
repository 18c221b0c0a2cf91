//! Packing a built plugin: what comes out, what is asked for, and what is refused.

use std::fs;

use hermes_provider_api::metadata::TARGET;
use hermes_tests::fixtures;
use insta::assert_snapshot;
use serde_json::json;

use crate::scene::Scene;

const TEXTS: &str = "--description 'Keeps facts' --maintainer Jo --licence MIT";

/// A folder with a library and its licence, as a build server hands it over.
fn built() -> Scene {
    let scene = Scene::without_plugins();
    scene.write("package/LICENSE-MIT", "as you like");
    scene.write("package/README.md", "# Facts");
    scene.write("package/notes.txt", "stays here");
    let library = fixtures().holographic();
    fs::copy(library, scene.path("package").join(library.file_name().unwrap())).unwrap();
    scene
}

/// What a user sees, with sizes and the machine left out.
fn says(scene: &Scene, line: &str) -> String {
    let shown = scene.says(line).replace(TARGET, "[target]").replace(".dylib", ".so");
    let mut lines: Vec<_> = shown.lines().map(str::to_owned).collect();
    for line in &mut lines {
        if let Some((start, rest)) = line.split_once(" (").filter(|_| line.starts_with("packed ")) {
            let files = rest.split_once(": ").map(|(_, files)| files.split(')').next().unwrap()).unwrap_or_default();
            *line = format!("{start} ({files})");
        }
    }
    lines.join("\n")
}

#[test]
fn a_package_becomes_a_catalog() {
    let scene = built();
    assert_snapshot!(says(&scene, "plugins pack package"), @r#"
    exit 2
    ---- err
    error: a new catalog entry needs `description`, `maintainer`, `licence`
    hint: give `--description "…" --maintainer "…" --licence "…"`
    "#);
    assert!(!scene.path("dist").exists());
    assert_snapshot!(says(&scene, &format!("plugins pack package {TEXTS}")), @"
    exit 0
    ---- out
    dist/holographic-0.1.0-[target].tar.gz
    dist/holographic.toml
    ---- err
    packed holographic 0.1.0 for [target] (LICENSE-MIT, README.md, libhermes_provider_holographic.so)
    `dist/holographic.toml` is new
    next: `hermes plugins install holographic --catalog dist`
    ");
    assert_snapshot!(says(&scene, "plugins pack package --title Facts"), @"
    exit 0
    ---- out
    dist/holographic-0.1.0-[target].tar.gz
    dist/holographic.toml
    ---- err
    packed holographic 0.1.0 for [target] (LICENSE-MIT, README.md, libhermes_provider_holographic.so)
    `dist/holographic.toml` had it already
    next: `hermes plugins install holographic --catalog dist`
    ");
    let entry = scene.read("dist/holographic.toml");
    assert!(entry.contains("title = \"Facts\"") && entry.contains("description = \"Keeps facts\""), "{entry}");
    scene.write("dist/holographic.toml", format!("# reviewed by Jo\n{entry}"));

    // Another README makes another archive of the same version.
    scene.write("package/README.md", "# More facts");
    let ran = scene.run("plugins pack package");
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("`dist/holographic.toml` has holographic 0.1.0 for `"), "{}", ran.err);
    assert!(ran.err.ends_with("hint: if nobody has it yet, `--force` replaces it\n"), "{}", ran.err);
    let packed = scene.json("plugins pack package --force");
    assert_eq!((&packed["change"], &packed["target"]), (&"replaced".into(), &TARGET.into()));
    assert_eq!(
        (&packed["abi"], &packed["requires_host"], &packed["capabilities"]),
        (&"1.0".into(), &"*".into(), &json!({"model": ["embed:config:semantic", "chat:config:rerank"]}))
    );
    assert_eq!(packed["glibc"].is_string(), cfg!(all(target_os = "linux", target_env = "gnu")), "{packed}");
    assert!(scene.read("dist/holographic.toml").starts_with("# reviewed by Jo\nname = "));

    scene.does("plugins install holographic --catalog dist --yes");
    let version = scene.stored("holographic").parent().unwrap().to_owned();
    assert_eq!(fs::read_to_string(version.join("README.md")).unwrap(), "# More facts");
    assert!(!version.join("notes.txt").exists());
}

#[test]
fn an_archive_can_be_served_from_elsewhere() {
    let scene = built();
    let url = format!("file://{}/dist", scene.path("").to_string_lossy().trim_end_matches('/'));
    scene.does(&format!("plugins pack package {TEXTS} --base-url {url}"));
    assert!(
        scene.read("dist/holographic.toml").contains(&format!("url = \"{url}/holographic-0.1.0-{TARGET}.tar.gz\""))
    );
    scene.does("plugins install holographic --catalog dist --yes");
    assert_snapshot!(says(&scene, "plugins pack package --base-url ftp://notes.example"), @"
    exit 2
    ---- err
    error: invalid value 'ftp://notes.example' for '--base-url <URL>': it is neither `https://…` nor `file:/…`

    For more information, try '--help'.
    ");
    assert_snapshot!(says(&scene, "plugins pack package --base-url https://jo:pass@notes.example"), @"
    exit 2
    ---- err
    error: the address in `--base-url` holds credentials or a query
    hint: everybody can read a catalog; give the address alone
    ");
}

#[test]
fn what_is_no_plugin_is_not_packed() {
    let scene = built();
    assert_snapshot!(says(&scene, "plugins pack nothing"), @"
    exit 2
    ---- err
    error: there is no file and no folder `nothing`
    ");
    assert_snapshot!(says(&scene, &format!("plugins pack bin/hermes {TEXTS}")), @"
    exit 1
    ---- err
    error: `/bin/hermes` is not named like a library: `lib….so`, `lib….so` or `….dll`
    ");
    scene.write("package/libother.so", "not a library");
    assert_snapshot!(says(&scene, &format!("plugins pack package {TEXTS}")), @"
    exit 1
    ---- err
    error: `/package` holds 2 libraries, and a plugin is exactly one
    hint: name the library itself
    ");
    assert_snapshot!(says(&scene, &format!("plugins pack package/libother.so {TEXTS}")), @"
    exit 1
    ---- err
    error: `/package/libother.so` is not a library that can be loaded, or is cut off: Could not read file magic
    ");
    assert_snapshot!(says(&scene, "plugins pack package/notes.txt"), @"
    exit 1
    ---- err
    error: `/package/notes.txt` is not named like a library: `lib….so`, `lib….so` or `….dll`
    ");
    scene.write("crate/Cargo.toml", "[package]\nname = 'notes'\n[workspace]\n");
    assert_snapshot!(says(&scene, "plugins pack crate"), @"
    exit 1
    ---- err
    error: `/crate` is not built for release: no `libnotes.so` in `/crate/target`
    hint: run `cargo build --release` there; if it builds to another folder, name the library itself
    ");
    assert!(!scene.path("dist").exists());
}
