//! Plugins and hosts of other versions, built for real.
//!
//! | plugin | host |
//! |---|---|
//! | `provider-api` of the next minor and of the next major version, with a record that has grown | today's |
//! | from the beginning of ABI 1 | today's |
//! | today's | from the beginning of ABI 1, which knows two interfaces |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use hermes_provider_api::records::{Message, Recall, Remember, Remembered, Role, ToolRequest, ToolSchema, Turn};
use hermes_provider_api::{ErrorKind, Hook};
use hermes_tests::provider::query_of;
use hermes_tests::{BOTH, Fixtures, Provider, Setup, fixtures, other_workspace, target_folder, workspace};
use serde_json::{Value, json};

/// What was built when ABI 1 began.
fn frozen() -> &'static Fixtures {
    static FROZEN: OnceLock<Fixtures> = OnceLock::new();
    FROZEN.get_or_init(|| other_workspace(&workspace().join("tests/fixtures/frozen/Cargo.toml"), &["--locked"]))
}

#[test]
fn the_frozen_copy_is_the_boundary() {
    let read = |path: &str| fs::read_to_string(workspace().join(path)).unwrap();
    let (frozen, today) = (read("tests/fixtures/frozen/abi/src/lib.rs"), read("provider-api/abi/src/lib.rs"));
    // Comments may be bettered and new tables follow the old ones; what was there stays as it was.
    let code = |text: &str| {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let today = code(&today);
    let missing: Vec<_> = code(&frozen).into_iter().filter(|line| !today.contains(line)).collect();
    assert!(missing.is_empty(), "lines of the frozen boundary that are gone: {missing:#?}");
}

#[test]
fn a_plugin_from_the_beginning_is_loaded_today() {
    for isolation in BOTH {
        let provider = Setup::new(frozen().artifact("hermes_frozen_plugin"), isolation).open();
        assert_eq!(provider.recall("как встарь").unwrap(), "как встарь");
        let hooks = provider.hooks();
        assert_eq!(hooks.ask::<String>(Hook::SystemPromptBlock, &()).unwrap(), "old but alive");
        assert_eq!(hooks.ask::<Value>(Hook::Health, &()).unwrap(), json!({"ok": true, "detail": "1 open"}));
        assert_eq!(hooks.ask::<Option<String>>(Hook::UnavailableReason, &()).unwrap(), None);
        let error = hooks.ask::<Value>(Hook::SyncTurn, &Turn::default()).unwrap_err();
        assert_eq!(error.provider_error().unwrap().kind, ErrorKind::Unsupported);
        assert_eq!(provider.loaded.close().problem, None);
    }
}

/// The old host opens a plugin, recalls once, and prints status and answer of each of its four calls.
#[track_caller]
fn check_old_host(plugin: &Path, recall: &Value) {
    let folder = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the old host is a program")]
    let output = Command::new(frozen().artifact("hermes_frozen_old_host"))
        .args([plugin, folder.path(), Path::new("hello there")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = printed.lines().collect();
    let [health, prefetch, shutdown, close] = lines.as_slice() else { panic!("{printed}") };
    assert!(health.starts_with("0 {\"ok\":true,"), "{health}");
    let found: Recall = serde_json::from_str(prefetch.strip_prefix("0 ").unwrap()).unwrap();
    let texts: Vec<_> = found.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(json!(texts), *recall);
    assert_eq!((*shutdown, close.trim()), ("0 null", "0"));
}

#[test]
fn a_host_from_the_beginning_loads_todays_plugins() {
    check_old_host(fixtures().faulty(), &json!(["hello there"]));
    check_old_host(fixtures().holographic(), &json!([]));
}

/// Writes a workspace of today's `provider-api` under another version beside the small plugin, and builds it.
fn bumped(name: &str, version: &str) -> PathBuf {
    let today = workspace();
    let folder = target_folder().join("fixtures").join(format!("bumped-{name}"));
    let read = |path: &Path| fs::read_to_string(path).unwrap();

    let manifest = read(&today.join("Cargo.toml"));
    let (_, tables) = manifest.split_once("[workspace.package]").unwrap();
    let own = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    assert_eq!(tables.matches(&own).count(), 1);
    let members = "[workspace]\nresolver = \"3\"\nmembers = [\"provider-api\", \"provider-api/abi\", \"plugin\"]\n";
    let tables = tables.replace(&own, &format!("version = \"{version}\""));
    // Packages that this workspace lacks would only be warned about.
    let profiles = tables.find("[profile.").unwrap_or(tables.len());
    write(&folder.join("Cargo.toml"), &format!("{members}\n[workspace.package]{}", &tables[..profiles]));

    for file in files(&today.join("provider-api")) {
        let mut text = read(&file);
        if file.ends_with("records/recall.rs") {
            let grown = "pub struct Recall {\n    /// A field of tomorrow.\n    pub field_of_tomorrow: String,\n";
            assert_eq!(text.matches("pub struct Recall {\n").count(), 1);
            text = text.replace("pub struct Recall {\n", grown);
        }
        write(&folder.join(file.strip_prefix(today).unwrap()), &text);
    }
    let plugin = today.join("tests/fixtures/bumped");
    let manifest = read(&plugin.join("Cargo.toml")).replace("NAME", name);
    write(&folder.join("plugin/Cargo.toml"), &manifest);
    write(&folder.join("plugin/src/lib.rs"), &read(&plugin.join("src/lib.rs")));

    // Cargo cuts the lock file down to what is needed here; today's stays beside it, to see when it changes.
    let lock = read(&today.join("Cargo.lock"));
    if fs::read_to_string(folder.join("today.lock")).ok().as_ref() != Some(&lock) {
        write(&folder.join("Cargo.lock"), &lock);
        write(&folder.join("today.lock"), &lock);
    }
    let arguments = ["--offline", "-p", &format!("hermes-bumped-{name}")];
    other_workspace(&folder.join("Cargo.toml"), &arguments).artifact(&format!("hermes_bumped_{name}")).to_owned()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Leaves a file alone that is as it should be, so that cargo does not build again.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[track_caller]
fn check_every_hook(provider: &Provider) {
    let hooks = provider.hooks();
    assert_eq!(provider.recall("завтра").unwrap(), "завтра");
    let health: Value = hooks.ask(Hook::Health, &()).unwrap();
    assert_eq!(health["detail"], format!("at {}", hermes_tests::provider::NOW), "host services are reached");
    let turn = Turn { messages: vec![Message::new(Role::User, "да")], ..Turn::default() };
    hooks.ask::<()>(Hook::SyncTurn, &turn).unwrap();
    let error = hooks.ask::<()>(Hook::SyncTurn, &Turn::default()).unwrap_err();
    assert_eq!(error.provider_error().unwrap().kind, ErrorKind::InvalidInput);
    assert_eq!(hooks.ask::<Vec<ToolSchema>>(Hook::ToolSchemas, &()).unwrap()[0].name, "bumped");
    let request = ToolRequest { args: json!({"a": [1]}), ..ToolRequest::default() };
    assert_eq!(hooks.ask::<Value>(Hook::CallTool, &request).unwrap(), json!({"a": [1]}));
    let wish = Remember { text: "wish".to_owned(), ..Remember::default() };
    assert_eq!(hooks.ask::<Remembered>(Hook::Remember, &wish).unwrap().id, "wish");

    // The others have their defaults: an answer, or "this provider has no …".
    for &hook in Hook::ALL {
        match hooks.call(hook, b"", None) {
            Ok(_) => {}
            Err(error) => {
                let kind = error.provider_error().map(|error| error.kind);
                assert!(matches!(kind, Some(ErrorKind::Unsupported | ErrorKind::InvalidInput)), "{hook:?}: {error}");
            }
        }
    }
    let error = hooks.ask::<Recall>(Hook::Prefetch, &query_of("panic")).unwrap_err();
    assert!(error.to_string().contains("a panic of another version (at plugin/src/lib.rs:"), "{error}");
    assert_eq!(provider.recall("снова").unwrap(), "снова");
}

#[track_caller]
fn check_bumped(name: &str, version: &str) {
    let plugin = bumped(name, version);
    for isolation in BOTH {
        let setup = Setup::new(&plugin, isolation);
        assert_eq!(setup.plugin().metadata.api_version, version);
        check_every_hook(&setup.open());
    }
}

#[test]
fn a_plugin_of_the_next_minor_version_is_loaded() {
    check_bumped("minor", "0.2.0");
}

#[test]
fn a_plugin_of_the_next_major_version_is_loaded() {
    check_bumped("major", "1.0.0");
}
