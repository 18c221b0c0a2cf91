//! Looking for plugins, at them, and into them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::package::Package;
use crate::scene::{Scene, files};
use crate::updates::{notes, runs};

#[test]
fn plugins_are_found_by_any_word_of_theirs() {
    let scene = Scene::new();
    scene.publish("bin/catalog", &notes("1.0.0"));
    let entry = scene.read("bin/catalog/notes.toml");
    let entry =
        entry.replace("title = 'notes'", "title = 'Заметки'").replace("Keeps things", "Trägt Ｎｏｔｅｓ ins Café");
    scene.write("bin/catalog/notes.toml", entry);
    assert_snapshot!(scene.says("plugins search things"), @"
    exit 0
    ---- out
    holographic 0.1.0  official: Keeps things
    ");
    // Case, width and how an accent is written make no difference.
    for words in ["notes", "ЗАМЕТКИ", "cafe\u{301} TRÄGT", "ｃａｆé"] {
        assert_eq!(scene.json(&format!("plugins search {words}"))["found"][0]["id"], "notes", "{words}");
    }
    // Nor does the form of a word.
    assert_eq!(scene.json("plugins search keeping")["found"][0]["id"], "holographic");
    scene.does("plugins install notes");
    assert_snapshot!(scene.says("plugins search notes"), @"
    exit 0
    ---- out
    notes 1.0.0  installed, official: Trägt Ｎｏｔｅｓ ins Café
    ");
    assert_snapshot!(scene.says("plugins search nots things"), @"
    exit 0
    ---- err
    no plugin has all of: nots things
    did you mean `notes`?
    ");
    assert_eq!(scene.json("plugins search nothing-at-all"), json!({"found": []}));
    assert_eq!(scene.run("plugins search").status, 2);
    // What is installed is found also where no catalog has it any more.
    fs::remove_file(scene.path("bin/catalog/notes.toml")).unwrap();
    assert_snapshot!(scene.says("plugins search notes"), @"
    exit 0
    ---- out
    notes 1.0.0  installed, official: in no catalog
    ");
}

#[test]
fn all_that_is_known_of_a_plugin() {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &runs(notes("1.0.0"), "brv"));
    assert_snapshot!(scene.says("plugins info notes"), @"
    exit 0
    ---- out
    notes: notes
    Keeps things
    by Jo, MIT, memory
    catalog: `/bin/catalog`, official
    not installed
    release 1.0.0  fits
    ---- err
    hint: `hermes plugins install notes` installs it
    ");
    scene.does("memory setup notes --yes");
    scene.does("memory recall 'as ever'");
    scene.publish("bin/catalog", &notes("1.1.0").entry(|entry| "other".clone_into(&mut entry.target)));
    scene.publish("bin/catalog", &notes("1.2.0").entry(|entry| ">=9".clone_into(&mut entry.requires_host)));
    let told = scene.says("plugins info notes");
    // Sizes depend on the compiler.
    let sizes = |line: &str| match line.rsplit_once(", ") {
        Some((start, size)) if size.ends_with("iB") || size.ends_with(" B") => format!("{start}, [size]\n"),
        _ => format!("{line}\n"),
    };
    assert_snapshot!(told.lines().map(sizes).collect::<String>(), @"
    exit 0
    ---- out
    notes: notes
    Keeps things
    by Jo, MIT, memory
    catalog: `/bin/catalog`, official
    installed: 1.0.0 on [time], active
      from `notes-1.0.0.tar.gz` of `/bin/catalog`, official
      library `/home/plugins/store/notes/1.0.0-[hash]/libplugin.so`, [size]
      sha256 [hash]
      sha256 of the archive [hash]
      granted: command brv
    confined by the kernel (Landlock [version], seccomp)
      files: changes its data folder, reads its package and the system's libraries
      attributes: changes no owner, mode, time or extended attribute of a file
      network: none of its own
      programs: starts none by itself, makes no process
      processes: looks into no other and sends it no signal
      code: runs what was checked and nothing that came later
      privileges: gains none, and has none of root's but that over files
      resources: 4 GiB of memory, 8 GiB a file, 1024 open files
      services: what was granted, as hermes checks; a granted program runs with your full authority
    data: `/home/plugins/data/notes`, [size]
    calls: 5, 0 failed, 0 too slow
    release 1.2.0  needs hermes >=9
    release 1.1.0  is there only for other
    release 1.0.0  fits, installed
    ");
    let info = scene.json("plugins info notes");
    assert_eq!(info["installed"]["granted"], json!({"command": ["brv"]}));
    assert_eq!(info["installed"]["asks"], info["installed"]["granted"]);
    assert!(info["installed"]["size"].as_u64().unwrap() > 100_000 && info["data"]["size"].as_u64().unwrap() > 0);
    assert_eq!((&info["releases"][0]["version"], &info["releases"][0]["fits"]), (&json!("1.2.0"), &json!(false)));
    assert_eq!(info["releases"][2]["fits"], true);
    assert!(info["health"]["calls"].as_u64().unwrap() >= 2, "{info}");

    fs::remove_file(scene.path("bin/catalog/notes.toml")).unwrap();
    let info = scene.json("plugins info notes");
    assert_eq!((&info["entry"], &info["installed"]["version"]), (&Value::Null, &json!("1.0.0")));
    assert_snapshot!(scene.says("plugins info note"), @"
    exit 1
    ---- err
    error: `note` is not installed
    hint: did you mean `notes`?
    ");
}

#[test]
fn what_is_installed_is_checked_byte_by_byte() {
    let scene = Scene::without_plugins();
    assert_snapshot!(scene.says("plugins verify"), @"
    exit 0
    ---- err
    nothing is installed
    ");
    assert!(!scene.path("home/plugins").exists(), "looking makes no folders");
    for version in ["1.0.0", "1.1.0"] {
        scene.publish("bin/catalog", &notes(version));
        scene.does("plugins install notes");
    }
    scene.write("home/plugins/store/notes/0.9.0-abababababab/libnotes.so", "x");
    scene.write("home/plugins/store/.staging-dead/libnotes.so", "x");
    scene.write("home/plugins/store/Mine/libnotes.so", "x");
    assert_snapshot!(scene.says("plugins verify"), @"
    exit 0
    ---- out
    notes 1.1.0  whole
    notes 1.0.0  whole, the version before
    left over: `/home/plugins/store/.staging-dead`
    left over: `/home/plugins/store/Mine`
    left over: `/home/plugins/store/notes/0.9.0-[hash]`
    ---- err
    nothing uses what is left over; it may be deleted
    ");
    let verified = scene.json("plugins verify");
    assert_eq!((&verified["ok"], verified["leftovers"].as_array().unwrap().len()), (&json!(true), 3));

    let folders = files(&scene.path("home/plugins/store/notes"));
    let library_in = |folder: &Path| {
        let is_library = |file: &PathBuf| file.extension().is_some_and(|end| end == std::env::consts::DLL_EXTENSION);
        files(folder).into_iter().find(is_library).unwrap()
    };
    let library = library_in(&folders[1]);
    let mut bytes = fs::read(&library).unwrap();
    bytes[100] ^= 1;
    fs::write(&library, bytes).unwrap();
    fs::remove_file(library_in(&folders[2])).unwrap();
    assert_snapshot!(scene.says("plugins verify notes"), @"
    exit 1
    ---- out
    notes 1.1.0  broken: `notes` 1.1.0 cannot be used
      `/home/plugins/store/notes/1.1.0-[hash]/libplugin.so` is not there any more
    notes 1.0.0  broken, the version before: `notes` 1.0.0 cannot be used
      the file was changed: its sha256 is [hash]…, the lockfile says [hash]…
    ---- err
    hint: `hermes plugins install notes@1.1.0` repairs it
    hint: `hermes plugins install notes@1.0.0` repairs it
    ");
    assert_eq!(scene.json("plugins verify notes")["plugins"][0]["ok"], false);
    scene.does("plugins install notes@1.0.0");
    scene.does("plugins install notes@1.1.0");
    assert_snapshot!(scene.says("plugins verify"), @"
    exit 0
    ---- out
    notes 1.1.0  whole
    notes 1.0.0  whole, the version before
    left over: `/home/plugins/store/Mine`
    ---- err
    nothing uses what is left over; it may be deleted
    ");
    assert_snapshot!(scene.says("plugins verify note"), @"
    exit 1
    ---- err
    error: `note` is not installed
    hint: did you mean `notes`?
    ");
}

#[test]
fn a_remembered_hash_is_not_believed() {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &notes("1.0.0"));
    scene.does("plugins install notes");
    let library = scene.stored("notes");
    // Remembered once it is old enough; then the memory is made to fit other bytes.
    std::thread::sleep(std::time::Duration::from_millis(3500));
    scene.does("plugins verify");
    let remembered = scene.read("home/plugins/hashes.toml");
    let mut bytes = fs::read(&library).unwrap();
    bytes[100] ^= 1;
    fs::write(&library, bytes).unwrap();
    let changed = {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = fs::metadata(&library).unwrap();
        format!("changed = [{}, {}]", metadata.ctime(), metadata.ctime_nsec())
    };
    let line = remembered.lines().find(|line| line.starts_with("changed = ")).unwrap_or("changed = [");
    let start = remembered.find(line).unwrap();
    let end = start + remembered[start..].find(']').unwrap() + 1;
    scene.write("home/plugins/hashes.toml", remembered.replace(&remembered[start..end], &changed));
    let told = scene.says("plugins verify");
    assert!(told.starts_with("exit 1") && told.contains("was changed behind the memory of its hash"), "{told}");
    assert!(told.contains("`hermes plugins install notes@1.0.0` repairs it"), "{told}");
}

#[test]
fn files_are_read_without_being_run() {
    let scene = Scene::without_plugins();
    scene.publish("community", &runs(notes("1.0.0"), "brv"));
    let told = scene.says("plugins inspect community/notes-1.0.0.tar.gz");
    let steady =
        |line: &&str| !line.starts_with("target") && !line.starts_with("compiler") && !line.starts_with("file");
    let lines: Vec<_> = told.lines().filter(steady).collect();
    assert_snapshot!(lines.join("\n"), @"
    exit 0
    ---- out
    sha256        [hash]
    plugin        notes 1.0.0: notes
    ABI           1.0
    provider-api  0.1.0
    needs hermes  *
    interfaces    hermes.core/1, hermes.prefetch/1, hermes.sync/1, hermes.tools/1
    may use       command brv
    this hermes   would load it
    ");
    scene.publish(
        "community",
        &notes("2.0.0").with(|metadata| {
            (metadata.abi_major, metadata.target) = (9, "other".to_owned());
        }),
    );
    let info = scene.json("plugins inspect community/notes-2.0.0.tar.gz");
    assert_eq!((&info["kind"], &info["metadata"]["id"]), (&json!("archive"), &json!("notes")));
    let refused: Vec<_> = info["refused"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert!(refused[0].starts_with("target: ") && refused[1].starts_with("ABI: "), "{refused:?}");
    assert!(!scene.path("home/plugins").exists(), "nothing is kept");

    scene.does("plugins install notes@1.0.0 --yes --catalog community");
    let library = scene.stored("notes");
    let info = scene.json(&format!("plugins inspect {}", library.display()));
    assert_eq!((&info["kind"], &info["refused"]), (&json!("library"), &json!([])));
    scene.write("text.so", "no library");
    scene.write("bad.tar.gz", [0x1f, 0x8b, 0, 0]);
    assert_snapshot!(scene.says("plugins inspect text.so"), @"
    exit 1
    ---- err
    error: `text.so` is not a library that can be loaded, or is cut off: Could not read file magic
    ");
    assert_snapshot!(scene.says("plugins inspect bad.tar.gz"), @"
    exit 1
    ---- err
    error: `bad.tar.gz`: the archive cannot be read: unexpected end of file
    ");
    assert_snapshot!(scene.says("plugins inspect gone.so"), @"
    exit 1
    ---- err
    error: cannot read `gone.so`: No such file or directory (os error 2)
    ");
    assert_snapshot!(scene.says("plugins inspect community"), @"
    exit 1
    ---- err
    error: `community` is a folder
    hint: name a library or an archive
    ");
}

#[test]
fn a_name_may_be_typed_with_either_line() {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &Package::faulty().harmless().named("my-notes", "1.0.0"));
    assert_snapshot!(scene.says("plugins install my_notes"), @"
    exit 0
    ---- err
    installed my-notes 1.0.0
    next: `hermes memory setup my-notes`
    ");
    scene.does("memory setup my_notes");
    assert_eq!(scene.json("plugins info my_notes")["id"], "my-notes");
    assert_eq!(scene.json("plugins remove my_notes --yes")["id"], "my-notes");
    assert_snapshot!(scene.says("plugins install my_nots"), @"
    exit 1
    ---- err
    error: no catalog has a plugin named `my-nots`
    hint: did you mean `my-notes`?
    hint: `hermes plugins list` shows what the catalogs offer
    ");
}

#[test]
fn folders_may_be_links_of_their_owner() {
    let scene = Scene::new();
    for (link, folder) in [("home", "elsewhere"), ("elsewhere/plugins", "plugins-elsewhere")] {
        fs::create_dir_all(scene.path(folder)).unwrap();
        symlink(scene.path(folder), scene.path(link)).unwrap();
    }
    scene.does("memory setup holographic");
    scene.does("memory remember 'Biscuit is a spaniel'");
    assert!(scene.does("memory recall Biscuit").contains("spaniel"));
    scene.does("plugins verify");
    assert!(!files(&scene.path("plugins-elsewhere/store/holographic")).is_empty());
    scene.does("plugins remove holographic --yes");
    assert!(fs::symlink_metadata(scene.path("elsewhere/plugins")).unwrap().is_symlink(), "the link stays");
}

#[test]
fn a_catalog_one_folder_too_high_is_named() {
    let scene = Scene::new();
    assert_snapshot!(scene.says("plugins list --catalog bin"), @"
    exit 1
    ---- err
    error: the catalog `/bin` is empty; the entries are in `/bin/catalog`
    hint: use it with `--catalog /bin/catalog`
    ");
    assert_snapshot!(scene.says("plugins install holographic --catalog bin"), @"
    exit 1
    ---- err
    error: the catalog `/bin` is empty; the entries are in `/bin/catalog`
    hint: use it with `--catalog /bin/catalog`
    ");
}
