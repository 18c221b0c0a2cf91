//! `hermes doctor`: what is wrong is found, named and told what to do about, and nothing is changed by looking.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use hermes_host::db::{Db, Examined, examine};
use hermes_host::home::Home;
use insta::assert_snapshot;
use serde_json::Value;

use crate::fetch::Online;
use crate::package::Package;
use crate::scene::Scene;
use crate::setup::asking;

/// The findings of a check that are not fine: severity and message.
#[track_caller]
fn found(scene: &Scene, check: &str) -> Vec<(String, String)> {
    let report = scene.json("doctor --quick");
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let findings = report["checks"].as_array().unwrap().iter().filter(|finding| finding["check"] == check);
    let wrong = findings.filter(|finding| finding["severity"] != "ok");
    wrong.map(|finding| (text(finding, "severity"), text(finding, "message"))).collect()
}

#[track_caller]
fn check(scene: &Scene, name: &str, severity: &str, part: &str) {
    let wrong = found(scene, name);
    assert!(wrong.iter().any(|(found, message)| found == severity && message.contains(part)), "{part}: {wrong:?}");
    assert_eq!(scene.run("doctor --quick").status, i32::from(severity == "error"), "{part}");
}

/// How much room there is, and what time it is, is not up to a test.
fn says(scene: &Scene, line: &str) -> String {
    let is_ours = |line: &&str| !line.contains("left on the disk") && !line.starts_with("ok       clock ");
    scene.says(line).lines().filter(is_ours).map(|line| format!("{line}\n")).collect()
}

/// What is not fine, and the summary.
fn wrong(scene: &Scene, line: &str) -> String {
    says(scene, line).lines().skip_while(|line| !line.starts_with("error")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn all_is_well() {
    let scene = Scene::new();
    assert_snapshot!(says(&scene, "doctor"), @"
    exit 0
    ---- out
    ok       program      hermes 0.1.0 at `/bin/hermes`
    ok       home         `/home` is not there yet; what is kept first makes it
    ok       settings     there is no `config.toml`; the defaults hold
    ok       secrets      `.env` holds 0 secrets
    ok       database     there is no `hermes.db` yet
    ok       archive      0 sessions, 0 messages
    ok       leftovers    nothing is left of what was cut short
    ok       lockfile     0 plugins installed
    ok       catalogs     1 plugin in 1 catalog
    ok       provider     no external provider is set up
                          hint: choose one with `hermes memory setup`
    ok       confinement  a provider is confined by the kernel (Landlock [version], seccomp)
    0 errors, 0 warnings, 13 ok
    ");
    assert!(!scene.path("home").exists(), "looking makes nothing");
    scene.does("memory setup holographic");
    scene.does("memory remember 'Biscuit is a spaniel'");
    assert_snapshot!(says(&scene, "doctor"), @"
    exit 0
    ---- out
    ok       program      hermes 0.1.0 at `/bin/hermes`
    ok       home         `/home`, profile default
    ok       settings     `config.toml` is right
    ok       secrets      `.env` holds 0 secrets
    ok       database     `hermes.db` and its indexes are whole, schema 9
    ok       archive      0 sessions, 0 messages
    ok       leftovers    nothing is left of what was cut short
    ok       lockfile     1 plugin installed
    ok       catalogs     1 plugin in 1 catalog
    ok       provider     holographic: it works: 1 fact
    ok       confinement  a provider is confined by the kernel (Landlock [version], seccomp)
    0 errors, 0 warnings, 13 ok
    ");
    assert_snapshot!(says(&scene, "doctor --quick"), @"
    exit 0
    ---- out
    ok       program      hermes 0.1.0 at `/bin/hermes`
    ok       home         `/home`, profile default
    ok       settings     `config.toml` is right
    ok       secrets      `.env` holds 0 secrets
    ok       database     `hermes.db` and its indexes are whole, schema 9
    ok       archive      0 sessions, 0 messages
    ok       leftovers    nothing is left of what was cut short
    ok       lockfile     1 plugin installed
    ok       catalogs     1 plugin in 1 catalog
    ok       provider     holographic: not started, as you chose
    ok       confinement  a provider is confined by the kernel (Landlock [version], seccomp)
    0 errors, 0 warnings, 13 ok
    ");
    let report = scene.json("doctor");
    assert_eq!((&report["ok"], &report["errors"], &report["profile"]), (&true.into(), &0.into(), &"default".into()));
    assert!(report["checks"].as_array().unwrap().len() > 10, "{report}");
}

#[test]
fn files_that_others_can_use() {
    let scene = Scene::new();
    scene.write("home/.env", "KEY=hush-hush\nwhat\n");
    scene.write("home/config.toml", "[memroy]\n");
    let mode = |path: &str, mode| fs::set_permissions(scene.path(path), Permissions::from_mode(mode)).unwrap();
    mode("home", 0o755);
    mode("home/.env", 0o644);
    mode("home/config.toml", 0o622);
    let said = says(&scene, "doctor");
    assert!(!said.contains("hush-hush"));
    assert_snapshot!(said, @"
    exit 0
    ---- out
    ok       program      hermes 0.1.0 at `/bin/hermes`
    ok       database     there is no `hermes.db` yet
    ok       archive      0 sessions, 0 messages
    ok       leftovers    nothing is left of what was cut short
    ok       lockfile     0 plugins installed
    ok       catalogs     1 plugin in 1 catalog
    ok       provider     no external provider is set up
                          hint: choose one with `hermes memory setup`
    ok       confinement  a provider is confined by the kernel (Landlock [version], seccomp)
    warning  home         `/home` is open to other users
                          hint: run `chmod 700 '/home'`
                          hint: `hermes doctor --fix` does that
    warning  home         `/home/config.toml` can be changed by other users
                          hint: run `chmod 600 '/home/config.toml'`
                          hint: `hermes doctor --fix` does that
    warning  settings     /home/config.toml:1: unknown setting `memroy`; did you mean `memory`?
    warning  secrets      `/home/.env` can be read by other users
                          hint: run `chmod 600 '/home/.env'`
                          hint: `hermes doctor --fix` does that
    warning  secrets      /home/.env:2: not understood and left out: there is no `=`
    0 errors, 5 warnings, 10 ok
    ");
}

#[test]
fn settings_and_secrets_that_cannot_be_read() {
    let scene = Scene::with_memory();
    scene.write("home/config.toml", "[memory]\nrecall_limit = 0\n");
    assert_snapshot!(says(&scene, "doctor"), @"
    exit 1
    ---- out
    ok       program      hermes 0.1.0 at `/bin/hermes`
    ok       home         `/home`, profile default
    ok       secrets      `.env` holds 0 secrets
    ok       database     `hermes.db` and its indexes are whole, schema 9
    ok       archive      0 sessions, 0 messages
    ok       leftovers    nothing is left of what was cut short
    ok       lockfile     1 plugin installed
    ok       confinement  a provider is confined by the kernel (Landlock [version], seccomp)
    warning  provider     not looked at, because the settings or secrets cannot be read
    error    settings     /home/config.toml:2: memory.recall_limit must be a whole number from 1 to 20
                          hint: set it with `hermes config set memory.recall_limit <value>`, or drop it with `hermes config unset memory.recall_limit`
    1 error, 1 warning, 10 ok
    ");
    scene.write("home/config.toml", "");
    scene.write("home/.env", b"A=\xff\n");
    check(&scene, "secrets", "error", "line 1 is not UTF-8 text");
    scene.write("home/.env", "");
    scene.write("home/plugins.lock", "format = 99\n");
    check(&scene, "lockfile", "error", "has format 99");
}

#[test]
fn a_broken_database_is_left_as_it_is() {
    let scene = Scene::with_memory();
    let broken = vec![0xff; 5000];
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(scene.path(&format!("home/hermes.db{end}")));
    }
    scene.write("home/hermes.db", &broken);
    check(&scene, "database", "error", "is broken");
    assert_eq!(fs::read(scene.path("home/hermes.db")).unwrap(), broken);
    scene.does("memory status");
    check(&scene, "leftovers", "warning", "hermes.db.corrupt-");
}

#[test]
fn a_database_of_an_older_hermes_is_only_looked_at() {
    let scene = Scene::with_memory();
    let home = Home::at(scene.path("home"));
    let db = Db::open(&home).unwrap().db;
    let newer = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                     AND name NOT IN ('hook_health', 'incidents', 'pauses')";
    db.with(|connection| {
        connection.execute_batch("PRAGMA foreign_keys = OFF")?;
        let names: Vec<String> =
            connection.prepare(newer)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        names.iter().try_for_each(|name| connection.execute_batch(&format!("DROP TABLE {name}")))?;
        connection.execute_batch("ALTER TABLE hook_health DROP COLUMN refused; PRAGMA user_version = 2")
    })
    .unwrap();
    drop(db);
    for line in ["doctor", "doctor --quick"] {
        scene.does(line);
        assert_eq!(examine(&home).unwrap(), Examined::Whole { schema: 2 }, "{line}");
    }
    scene.does("memory status");
    assert_ne!(examine(&home).unwrap(), Examined::Whole { schema: 2 });
}

#[test]
fn plugins_that_are_not_what_they_were() {
    let scene = Scene::with_memory();
    scene.publish("bin/catalog", &Package::faulty().harmless());
    scene.does("plugins install faulty");
    assert!(scene.says("doctor --quick").contains("faulty 0.1.0 is what it was"));
    let mut bytes = fs::read(scene.stored("faulty")).unwrap();
    bytes.push(0);
    fs::write(scene.stored("faulty"), bytes).unwrap();
    check(&scene, "plugins", "error", "faulty");
    scene.does("plugins remove faulty --yes");
    assert!(found(&scene, "plugins").is_empty());
    scene.write("bin/catalog/removed.toml", "[names]\nholographic = 'it tells tales'\n");
    check(&scene, "provider", "error", "it tells tales");
    fs::remove_file(scene.path("bin/catalog/removed.toml")).unwrap();
    scene.write("bin/catalog/broken.toml", "name = \n");
    check(&scene, "catalogs", "warning", "broken.toml");
    fs::remove_file(scene.stored("holographic")).unwrap();
    check(&scene, "provider", "error", "holographic");
}

#[test]
fn a_provider_that_does_not_work() {
    let scene = asking();
    scene.does("memory setup faulty --yes --set key=hush-hush");
    scene.does("doctor");
    scene.does("config set providers.faulty.at_open 'error kaput'");
    assert_snapshot!(wrong(&scene, "doctor"), @"
    error    provider     `faulty` cannot be loaded: told to fail: kaput
                          hint: `hermes memory setup faulty` sets it up anew
    1 error, 0 warnings, 12 ok
    ");
    scene.does("config set providers.faulty.at_open segfault");
    assert_snapshot!(wrong(&scene, "doctor"), @"
    error    provider     `faulty` cannot be loaded: its worker was ended by signal 11 (SIGSEGV)
                          hint: `hermes memory setup faulty` sets it up anew
    1 error, 0 warnings, 12 ok
    ");
    // It is not started, and its last failure is known all the same.
    assert_snapshot!(wrong(&scene, "doctor --quick"), @"
    error    provider     faulty: its last call, unavailable_reason, failed [ago]: `faulty` cannot be loaded: its worker was ended by signal 11 (SIGSEGV)
                          hint: `hermes memory status --check` calls it now
    1 error, 0 warnings, 12 ok
    ");
    scene.does("config unset providers.faulty.at_open");
    scene.does("doctor");
    fs::remove_file(scene.path("home/.env")).unwrap();
    assert_snapshot!(wrong(&scene, "doctor"), @"
    error    provider     `faulty` is not set up: `FAULTY_KEY` is missing
                          hint: run `hermes memory setup faulty`
    1 error, 0 warnings, 12 ok
    ");
}

#[test]
fn what_was_cut_short_is_named() {
    let scene = Scene::with_memory();
    fs::create_dir_all(scene.path("home/plugins/store/.staging-dead")).unwrap();
    fs::create_dir_all(scene.path("home/plugins/store/holographic/9.9.9-abc")).unwrap();
    fs::create_dir_all(scene.path("home/profiles/.aside-dead")).unwrap();
    scene.write("home/config-edit-x.toml", "");
    let wrong = found(&scene, "leftovers");
    let names = ["config-edit-x.toml", ".aside-dead", ".staging-dead", "9.9.9-abc"];
    assert_eq!(wrong.len(), names.len(), "{wrong:?}");
    for (name, (severity, message)) in names.iter().zip(&wrong) {
        assert!(severity == "warning" && message.contains(name), "{wrong:?}");
    }
}

#[test]
fn the_python_agents_home_is_named() {
    let scene = Scene::new().variable("HERMES_HOME", "");
    scene.write("user/.hermes/config.yaml", "memory: {}\n");
    let said = scene.says("doctor");
    assert!(said.contains("`/user/.hermes` belongs to the Python agent and is left alone"), "{said}");
}

#[test]
fn a_broken_lockfile_is_told_once() {
    let scene = Scene::with_memory();
    scene.write("home/plugins.lock", "{{{");
    assert_snapshot!(wrong(&scene, "doctor"), @"
    error    lockfile     the lockfile `/home/plugins.lock:1` is broken: invalid key-value pair, expected key
                          hint: nothing was changed; repair it, or move `/home/plugins.lock` away and install the plugins again
    1 error, 1 warning, 11 ok
    ");
    let said = scene.says("doctor");
    assert!(said.contains("warning  provider     not looked at, because the lockfile cannot be read"), "{said}");
}

#[test]
fn what_the_user_got_wrong_is_no_fault_of_the_memory() {
    let scene = Scene::with_memory();
    let refused = scene.run(&format!("memory remember {}", "x".repeat(9000)));
    assert!(refused.status == 1 && refused.err.contains("a fact may have 8000"), "{}", refused.err);
    assert_eq!(scene.json("memory status")["state"], "ok");
}

#[test]
fn what_is_open_to_others_is_closed_on_request() {
    let scene = Scene::new();
    let home = Home::at(scene.path("home"));
    drop(Db::open(&home).unwrap());
    fs::create_dir(home.root().join("memories")).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (path, open) in
        [(home.database(), 0o644), (home.root().join("memories"), 0o755), (home.root().to_owned(), 0o755)]
    {
        fs::set_permissions(path, Permissions::from_mode(open)).unwrap();
    }
    check(&scene, "permissions", "warning", "hermes.db` is open to other users");
    check(&scene, "permissions", "warning", "memories` is open to other users");
    assert_eq!(mode(home.root()), 0o755, "looking changes nothing");

    let fixed = scene.json("doctor --quick --fix")["fixed"].as_array().unwrap().len();
    assert!(fixed >= 3, "{fixed}");
    assert_eq!((mode(home.root()), mode(&home.database())), (0o700, 0o600));
    assert_eq!(mode(&home.root().join("memories")), 0o700);
    assert_eq!(found(&scene, "permissions"), []);
    assert_eq!(scene.json("doctor --quick --fix")["fixed"], serde_json::json!([]));
}

#[test]
fn what_was_cut_short_is_taken_away_on_request() {
    let scene = Scene::with_memory();
    let version = format!("home/plugins/store/holographic/9.9.9-{}", "a".repeat(12));
    let left = ["home/plugins/store/.staging-dead", &version];
    left.iter().for_each(|folder| fs::create_dir_all(scene.path(folder)).unwrap());
    // Nobody but this program names files like this one, and it may be written right now.
    let (old, new) = (scene.path("home/.hermes-a1b2c3d4e5f6"), scene.path("home/.hermes-b1b2c3d4e5f6"));
    for (file, age) in [(&old, 2 * 3600), (&new, 60)] {
        let written = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        fs::File::create(file).unwrap().set_modified(written).unwrap();
    }
    check(&scene, "leftovers", "warning", "what a killed hermes was writing");
    let stored = scene.stored("holographic");
    assert_eq!(scene.json("doctor --quick --fix")["fixed"].as_array().unwrap().len(), 3);
    assert!(!old.exists() && new.exists() && stored.exists());
    assert!(left.iter().all(|folder| !scene.path(folder).exists()));
    assert_eq!(found(&scene, "leftovers"), []);
}

#[test]
fn a_secret_in_the_settings_is_told_and_not_shown() {
    let scene = Scene::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    scene.write("home/config.toml", format!("[providers.notes]\nplace = '{token}'\napi_key = 'x'\n"));
    for key in ["providers.notes.place", "providers.notes.api_key"] {
        check(&scene, "settings", "warning", &format!("`{key}` in `config.toml` looks like a secret"));
    }
    let said = scene.says("doctor --quick");
    assert!(!said.contains(&token) && said.contains("`notes` has settings and is not in use"), "{said}");
}

#[test]
fn servers_are_asked_whether_they_are_there() {
    let online = Online::new(Vec::new());
    let address = &online.server.address;
    let told = |line: &str| online.scene.says(line).contains(&format!("{address} answers"));
    assert!(told("doctor"));
    let asked = online.server.asked().len();
    assert!(asked > 0 && !told("doctor --quick") && !told("doctor --offline"));
    assert_eq!(online.server.asked().len(), asked, "somebody was asked all the same");
    online.names("https://nobody.invalid/");
    let said = online.scene.says("doctor");
    assert!(said.contains("warning  network      nobody.invalid cannot be reached: "), "{said}");
}

#[test]
fn files_of_another_user_are_told() {
    let scene = Scene::with_memory();
    if std::os::unix::fs::chown(scene.path("home/hermes.db"), Some(65_534), None).is_err() {
        eprintln!("skipped: only root gives files away");
        return;
    }
    check(&scene, "permissions", "warning", "user 65534 owns `/home/hermes.db`");
}
