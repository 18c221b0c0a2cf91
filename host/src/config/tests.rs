//! Reading, checking and editing, from a text to a text.

use std::ffi::OsString;

use hermes_provider_api::records::{Choice, ConfigField, FieldType, When};

use super::*;
use crate::error::Hint as _;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("config.toml"))
}

#[track_caller]
fn refused(text: &str, message: &str) {
    let error = parse(text).unwrap_err().to_string();
    assert!(error.starts_with(message), "{error}");
}

#[track_caller]
fn warned(text: &str, messages: &[&str]) {
    let warnings: Vec<_> = parse(text).unwrap().warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings, messages);
}

/// Applies an edit to a file and compares the outcome.
#[track_caller]
fn edited(before: &str, edit: impl FnOnce(&mut ConfigEdit), after: &str) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    std::fs::write(home.config_file(), before).unwrap();
    let mut changes = ConfigEdit::default();
    edit(&mut changes);
    assert_eq!(changes.apply(&home).unwrap(), before != after);
    assert_eq!(std::fs::read_to_string(home.config_file()).unwrap(), after);
    Config::load(&home).unwrap();
}

fn set(key: &'static str, text: &'static str) -> impl FnOnce(&mut ConfigEdit) {
    move |edit| {
        edit.set(key, text).unwrap();
    }
}

fn unset(key: &'static str) -> impl FnOnce(&mut ConfigEdit) {
    move |edit| {
        edit.unset(key).unwrap();
    }
}

#[test]
fn an_empty_file_means_the_defaults() {
    let config = Config::default();
    assert_eq!(config.provider(), None);
    assert_eq!((config.recall_limit(), config.recall_chars()), (5, 4000));
    assert_eq!(config.shutdown_timeout(), Duration::from_secs(5));
    assert!(Hook::ALL.iter().all(|&hook| config.timeout(hook).is_none()));
    assert_eq!((config.isolation(), config.offline(), config.allow_lazy_installs()), (None, false, true));
    assert_eq!(config.log_level(), tracing::Level::INFO);
    assert!(config.catalogs().is_empty());
}

#[test]
fn what_is_set_is_read() {
    let text = "\u{feff}log.level = 'debug'\r\n[memory]\r\nprovider = \"holographic\"\r\nprefetch_timeout = 0.5\r\n\
                recall_limit = 7\r\n[timeouts]\r\nsync_turn = '2m'\r\n[plugins]\r\nisolation = 'in-process'\r\n\
                catalogs = ['more', 'file:///b%20c']\r\noffline = true\r\n\
                [security]\r\nallow_lazy_installs = false\r\n";
    let config = Config::parse(text, Path::new("/home/config.toml")).unwrap();
    assert_eq!(config.warnings(), []);
    assert_eq!((config.provider(), config.recall_limit()), (Some("holographic"), 7));
    assert_eq!(config.timeout(Hook::Prefetch), Some(Duration::from_millis(500)));
    assert_eq!(config.timeout(Hook::SyncTurn), Some(Duration::from_secs(120)));
    assert_eq!((config.isolation(), config.offline()), (Some(Isolation::InProcess), true));
    assert_eq!(config.catalogs(), [Path::new("/home/more"), Path::new("/b c")]);
    assert_eq!((config.allow_lazy_installs(), config.log_level()), (false, tracing::Level::DEBUG));
    for word in ["none", "builtin", "", " "] {
        assert_eq!(parse(&format!("memory.provider = '{word}'")).unwrap().provider(), None);
    }
}

#[test]
fn wrong_values_name_file_and_line() {
    refused("[memory]\n\nrecall_limit = 'x'", "config.toml:3: memory.recall_limit must be a whole number");
    refused("memory.recall_limit = 0", "config.toml:1: memory.recall_limit must be a whole number from 1 to 20");
    refused("memory = 3", "config.toml:1: memory must be a table");
    refused("[memory.provider]", "config.toml:1: memory.provider must be the name of a provider");
    refused("[memory]\nprovider = '../x'", "config.toml:2: memory.provider must be");
    refused("[plugins]\noffline = 'true'", "config.toml:2: plugins.offline must be true or false");
    refused("# c\n[timeouts]\nprefetch = -1", "config.toml:3: timeouts.prefetch must be a time");
    refused("providers = 1", "config.toml:1: providers must be a table");
    refused("[providers]\nmem0 = 'x'", "config.toml:2: providers.mem0 must be a table");
    refused("[memory]\nprovider = ", "config.toml:2: ");
    refused("[memory\n", "config.toml:1: ");
    refused("a = 1\na = 2", "config.toml:2: ");
    refused("a = \"\0\"", "config.toml:1: ");
}

#[test]
fn unknown_keys_are_warned_about_once() {
    warned("[memroy]\na = 1\nb = 2", &["config.toml:1: unknown setting `memroy`; did you mean `memory`?"]);
    warned(
        "[memory]\nrecal_limit = 1",
        &["config.toml:2: unknown setting `memory.recal_limit`; did you mean `memory.recall_limit`?"],
    );
    warned("provider = 'x'", &["config.toml:1: unknown setting `provider`; did you mean `memory.provider`?"]);
    warned(
        "colour = 'x'\n[[things]]",
        &["config.toml:1: unknown setting `colour`", "config.toml:2: unknown setting `things`"],
    );
    warned(
        "'memory.provider' = 3",
        &["config.toml:1: unknown setting `\"memory.provider\"`; did you mean `memory.provider`?"],
    );
    warned("[providers.mem0]\nanything = [1, {a = 1979-05-27}]", &[]);
}

#[test]
fn bytes_that_are_no_text_name_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    std::fs::write(home.config_file(), b"a = 1\nb = '\xff'\n").unwrap();
    let failure = crate::error::Failure::from(Config::load(&home).unwrap_err());
    assert!(failure.message.contains("config.toml") && failure.message.contains("line 2"), "{}", failure.message);
}

#[test]
fn entries_show_value_and_source() {
    let config = parse("[memory]\nrecall_limit = 7\n[providers.mem0]\nbase_url = 'x'\nmy_api_key = 'sk-1'\n").unwrap();
    let entry = |key: &str| config.entries().into_iter().find(|entry| entry.key == key).map(|e| (e.value, e.source));
    assert_eq!(entry("memory.recall_limit"), Some((7.into(), Source::File(2))));
    assert_eq!(entry("memory.shutdown_timeout"), Some(("5s".into(), Source::Default)));
    assert_eq!(entry("memory.prefetch_timeout"), Some((serde_json::Value::Null, Source::Default)));
    assert_eq!(entry("providers.mem0.base_url"), Some(("x".into(), Source::File(4))));
    assert_eq!(entry("providers.mem0.my_api_key"), Some(("[hidden]".into(), Source::File(5))));
}

#[test]
fn comments_order_and_line_ends_are_kept() {
    edited(
        "# mine\n[memory] # here\n# five is few\nrecall_limit   = 5 # so\nprovider = 'a'\n",
        set("memory.recall_limit", "7"),
        "# mine\n[memory] # here\n# five is few\nrecall_limit   = 7 # so\nprovider = 'a'\n",
    );
    edited(
        "\u{feff}[memory]\r\n# c\r\n",
        set("memory.recall_limit", "7"),
        "\u{feff}[memory]\r\nrecall_limit = 7\r\n# c\r\n",
    );
    edited(
        "memory.provider = 'a'\n",
        set("memory.recall_limit", "7"),
        "memory.provider = 'a'\nmemory.recall_limit = 7\n",
    );
    edited(
        "memory = { provider = 'a' }\n",
        set("memory.recall_limit", "7"),
        "memory = { provider = 'a' , recall_limit = 7 }\n",
    );
    edited("[memory]\nrecall_limit = 7\n", set("memory.recall_limit", "7"), "[memory]\nrecall_limit = 7\n");
}

#[test]
fn missing_tables_go_to_the_end() {
    edited("", set("memory.recall_limit", "7"), "[memory]\nrecall_limit = 7\n");
    edited("# note", set("log.level", "debug"), "# note\n\n[log]\nlevel = \"debug\"\n");
    edited(
        "[providers.a]\nx = 1\n\n[memory]\nprovider = 'a'\n# recall_limit = 9\n",
        set("providers.b.url", "http://b"),
        "[providers.a]\nx = 1\n\n[memory]\nprovider = 'a'\n# recall_limit = 9\n\n[providers.b]\nurl = \"http://b\"\n",
    );
    edited(
        "# a\nproviders.a.x = 1\n# b\n",
        set("providers.b.n", "3"),
        "# a\nproviders.a.x = 1\nproviders.b.n = 3\n# b\n",
    );
    edited("providers = {}\n# end\n", set("providers.b.n", "3"), "providers = { b = { n = 3 } }\n# end\n");
    edited("providers = {}\n", set("providers.b.n", "3"), "providers = { b = { n = 3 } }\n");
}

#[test]
fn unset_leaves_the_comments() {
    edited(
        "# mine\n[memory]\n# why\nrecall_limit = 7 # x\nprovider = 'a'\n",
        unset("memory.recall_limit"),
        "# mine\n[memory]\n# why\nprovider = 'a'\n",
    );
    edited(
        "[plugins]\ncatalogs = [\n  'a',\n  'b',\n]\noffline = true",
        unset("plugins.catalogs"),
        "[plugins]\noffline = true",
    );
    edited(
        "memory = { provider = 'a', recall_limit = 3 }\n",
        unset("memory.recall_limit"),
        "memory = { provider = 'a'}\n",
    );
    edited("[memory]\nprovider = 'a'\n[providers.a]\nx = 1\n", unset("providers.a"), "[memory]\nprovider = 'a'\n");
    edited("typo = 1\n", unset("typo"), "");
    edited("[memory]\n", unset("memory.provider.deeper"), "[memory]\n");
}

#[test]
fn several_keys_go_in_one_write() {
    edited(
        "",
        |edit| {
            edit.set("memory.provider", "mem0").unwrap().set("providers.mem0.top", "1.5").unwrap();
            edit.set("providers.mem0.list", "[1, 2]").unwrap().set("providers.mem0.bank", "0x1F").unwrap();
            edit.unset("log").unwrap();
        },
        "[memory]\nprovider = \"mem0\"\n\n[providers.mem0]\ntop = 1.5\nlist = [1, 2]\nbank = \"0x1F\"\n",
    );
}

#[test]
fn what_cannot_be_set_says_why() {
    let refused = |key: &str, text: &str| {
        let error = ConfigEdit::default().set(key, text).map(|_| ()).unwrap_err();
        (error.to_string(), error.hints().join(" "))
    };
    let (error, hint) = refused("memory.recal_limit", "7");
    assert_eq!(
        (error.as_str(), hint.as_str()),
        ("there is no setting `memory.recal_limit`", "did you mean `memory.recall_limit`?")
    );
    assert_eq!(refused("memory.recall_limit", "many").0, "memory.recall_limit must be a whole number from 1 to 20");
    let (error, hint) = refused("providers.mem0.api_key", "sk-123456");
    assert!(!error.contains("sk-123456") && hint.contains("hermes memory setup mem0"), "{error} {hint}");
    for key in ["memory", "providers.mem0", "x.y.z", "", "a..b", "memory provider"] {
        assert!(refused(key, "x").0.contains("there is no setting"), "{key}");
    }
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    for (text, message) in [("\nmemory = 3\n", ":2: memory must be a table"), ("[memory\n", ":1: ")] {
        std::fs::write(home.config_file(), text).unwrap();
        let error = ConfigEdit::default().set("memory.provider", "a").unwrap().apply(&home).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(std::fs::read_to_string(home.config_file()).unwrap(), text);
    }
}

#[test]
fn two_writers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let home = &home;
            scope.spawn(move || {
                for key in 0..5 {
                    let key = format!("providers.p{thread}.k{key}");
                    ConfigEdit::default().set(&key, "1").unwrap().apply(home).unwrap();
                }
            });
        }
    });
    let entries = Config::load(&home).unwrap().entries();
    assert_eq!(entries.iter().filter(|entry| entry.key.starts_with("providers.")).count(), 20);
}

fn fields() -> Vec<ConfigField> {
    let field = |key: &str, field_type| ConfigField { key: key.to_owned(), field_type, ..ConfigField::default() };
    let choice = |value: &str| Choice { value: value.to_owned(), description: String::new() };
    let when = |key: &str, equals: &str| Some(When { key: key.to_owned(), equals: equals.to_owned() });
    vec![
        ConfigField {
            choices: vec![choice("cloud"), choice("local")],
            default: Some("cloud".to_owned()),
            env_var: "MODE".to_owned(),
            ..field("mode", FieldType::Text)
        },
        ConfigField { when: when("mode", "local"), required: true, ..field("folder", FieldType::Path) },
        ConfigField { max: Some(9), default: Some("3".to_owned()), ..field("top", FieldType::Integer) },
        ConfigField { secret: true, env_var: "KEY".to_owned(), ..field("key", FieldType::Text) },
        field("bank", FieldType::Text),
        field("loud", FieldType::Boolean),
        ConfigField { when: when("round", "1"), default: Some("1".to_owned()), ..field("round", FieldType::Integer) },
    ]
}

fn settings(text: &str, variables: &[(&str, &str)]) -> Result<ProviderSettings, ConfigError> {
    let env = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
    parse(text).unwrap().provider_settings("p", &fields(), env)
}

#[test]
fn a_providers_settings_follow_its_fields() {
    let values = |text: &str, variables: &[(&str, &str)]| {
        serde_json::Value::Object(settings(text, variables).unwrap().values).to_string()
    };
    assert_eq!(values("", &[]), r#"{"mode":"cloud","top":3}"#);
    assert_eq!(
        values("[providers.p]\ntop = 5\nbank = 42\nloud = true", &[]),
        r#"{"bank":"42","loud":true,"mode":"cloud","top":5}"#
    );
    assert_eq!(values("[providers.p]\nfolder = 'x'\nmode = 'local'", &[]), r#"{"folder":"x","mode":"local","top":3}"#);
    assert_eq!(
        values("[providers.p]\nfolder = 'x'\nmode = 'local'", &[("MODE", "cloud")]),
        r#"{"mode":"cloud","top":3}"#
    );
    assert_eq!(values("", &[("MODE", ""), ("KEY", "sk-1")]), r#"{"mode":"cloud","top":3}"#);
    assert_eq!(settings("[providers.p]\nmode = 'local'", &[]).unwrap().missing, ["folder"]);
}

#[test]
fn a_providers_wrong_settings_say_where() {
    let error = |text: &str, variables: &[(&str, &str)]| settings(text, variables).unwrap_err().to_string();
    assert_eq!(error("[providers.p]\ntop = 10", &[]), "config.toml:2: providers.p.top must be at most 9");
    assert_eq!(error("[providers.p]\n\ntop = 'x'", &[]), "config.toml:3: providers.p.top must be a whole number");
    assert_eq!(error("[providers.p]\nbank = [1]", &[]), "config.toml:2: providers.p.bank must be a text");
    assert_eq!(
        error("", &[("MODE", "mars")]),
        "environment variable `MODE`: providers.p.mode must be one of cloud, local"
    );
    let warnings = settings("[providers.p]\ntopp = 1\nkey = 'sk-1'", &[]).unwrap().warnings;
    let warnings: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings[0], "config.toml:2: unknown setting `providers.p.topp`; did you mean `top`?");
    assert!(warnings[1].starts_with("config.toml:3: `providers.p.key` is a secret") && !warnings[1].contains("sk-1"));
}

#[test]
fn fields_are_checked_when_they_are_set() {
    let fields = fields();
    let field = |key: &str| fields.iter().find(|field| field.key == key).unwrap();
    edited(
        "[providers.p]\nbank = 'old'\n",
        |edit| {
            edit.set_field("p", field("top"), "4").unwrap().set_field("p", field("loud"), "true").unwrap();
            edit.set_field("p", field("bank"), "").unwrap().set_field("p", field("mode"), "local").unwrap();
        },
        "[providers.p]\ntop = 4\nloud = true\nmode = \"local\"\n",
    );
    let error = |key: &str, text: &str| ConfigEdit::default().set_field("p", field(key), text).unwrap_err().to_string();
    assert_eq!(error("top", "10"), "providers.p.top must be at most 9");
    assert!(error("key", "sk-1").contains("is a secret"));
}
