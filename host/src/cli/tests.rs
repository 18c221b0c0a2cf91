//! Whole commands, from their arguments to their exit status and output.

use std::io;
use std::path::Path;

use super::ui::captured;
use super::*;

/// Runs a command with `HERMES_HOME` set; answers with its status, stdout and stderr.
pub(super) fn hermes(home: &Path, args: &[&str]) -> (u8, String, String) {
    let cli = Cli::try_parse_from(["hermes"].iter().chain(args)).unwrap();
    let (ui, out, err) = captured::ui();
    let home = home.to_owned();
    let env = Env::new(move |name| (name == "HERMES_HOME").then(|| home.clone().into_os_string()));
    let status = finish(&ui, execute(cli, env, &ui));
    (status, out.text(), err.text())
}

#[track_caller]
fn prints(home: &Path, args: &[&str], stdout: &str) {
    assert_eq!(hermes(home, args), (0, stdout.to_owned(), String::new()));
}

#[track_caller]
fn fails(home: &Path, args: &[&str], status: u8, parts: &[&str]) {
    let (found, stdout, stderr) = hermes(home, args);
    assert_eq!((found, stdout.as_str()), (status, ""), "{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn the_arguments_are_consistent() {
    Cli::command().debug_assert();
    for args in
        [&["hermes"][..], &["hermes", "memroy"], &["hermes", "config", "set", "a"], &["hermes", "--color", "red"]]
    {
        assert_eq!(Cli::try_parse_from(args).unwrap_err().exit_code(), 2, "{args:?}");
    }
    let version = Cli::try_parse_from(["hermes", "--version"]).unwrap_err();
    assert_eq!((version.exit_code(), version.to_string()), (0, format!("hermes {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn a_setting_is_set_and_read_and_unset() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    prints(home, &["config", "path"], &format!("{}\n", home.join("config.toml").display()));
    let (status, out, err) = hermes(home, &["config", "set", "memory.recall_limit", "7"]);
    assert_eq!((status, out.as_str()), (0, ""));
    assert!(err.starts_with("set memory.recall_limit in `"), "{err}");
    prints(home, &["config", "get", "memory.recall_limit"], "7\n");
    prints(home, &["config", "get", "security"], "security.allow_lazy_installs = true  # default\n");
    prints(
        home,
        &["--json", "config", "get", "memory.recall_limit"],
        "{\n  \"key\": \"memory.recall_limit\",\n  \"line\": 2,\n  \"source\": \"file\",\n  \"value\": 7\n}\n",
    );
    prints(
        home,
        &["config", "unset", "memory.recall_limit", "--json"],
        "{\n  \"changed\": true,\n  \"key\": \"memory.recall_limit\"\n}\n",
    );
    prints(home, &["config", "get", "memory.recall_limit"], "5\n");
    assert_eq!(hermes(home, &["config", "get", "memory.provider"]).2, "memory.provider is not set\n");
    let (_, all, _) = hermes(home, &["config", "get"]);
    assert!(
        all.contains("# memory.provider is not set\n") && all.contains("log.level = \"info\"  # default\n"),
        "{all}"
    );
    let (_, list, _) = hermes(home, &["config", "list"]);
    assert!(list.contains("memory.recall_limit\n    how many") && list.contains("from 1 to 20, default 5\n"), "{list}");
}

#[test]
fn what_is_shown_as_settings_can_be_pasted_into_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (_, all, _) = hermes(folder.path(), &["config", "get"]);
    std::fs::write(folder.path().join("config.toml"), all).unwrap();
    let (status, again, err) = hermes(folder.path(), &["config", "get"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(again.contains("plugins.offline = false  # line"), "{again}");
}

#[test]
fn wrong_commands_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    fails(
        home,
        &["config", "get", "memory.recal_limit"],
        2,
        &["error: there is no setting `memory.recal_limit`\n", "hint: did you mean `memory.recall_limit`?\n"],
    );
    fails(home, &["config", "set", "memory.recall_limit", "-1"], 2, &["error: memory.recall_limit must be a whole"]);
    fails(home, &["config", "set", "providers.mem0.api_key", "sk-1"], 2, &["hint: run `hermes memory setup mem0`"]);
}

#[test]
fn a_wrong_file_stops_all_but_its_repair() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    std::fs::write(home.join("config.toml"), "[memory]\nrecall_limit = 'x'\n").unwrap();
    fails(
        home,
        &["memory", "status"],
        1,
        &["config.toml:2: memory.recall_limit must be", "hint: set it with `hermes config set"],
    );
    fails(home, &["config", "get"], 1, &["config.toml:2: "]);
    assert_eq!(hermes(home, &["config", "set", "memory.recall_limit", "3"]).0, 0);
    prints(home, &["config", "get", "memory.recall_limit"], "3\n");
}

#[test]
fn unknown_settings_are_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.toml"), "[memroy]\n").unwrap();
    let (status, _, err) = hermes(folder.path(), &["config", "get", "log.level"]);
    assert_eq!(status, 0);
    assert!(err.starts_with("warning: ") && err.contains("did you mean `memory`?"), "{err}");
}

#[test]
fn the_python_agents_files_are_mentioned_once() {
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join(".hermes");
    std::fs::create_dir(&python).unwrap();
    std::fs::write(python.join("config.yaml"), "").unwrap();
    let own = folder.path().join(".hermes-host");
    let note = format!("the home of this hermes is `{}`\n", own.display());
    let (_, path, err) = hermes(&python, &["config", "path"]);
    assert_eq!(path, format!("{}\n", own.join("config.toml").display()));
    assert!(err.ends_with(&note), "{err}");
    assert_eq!(hermes(&python, &["config", "path"]).2, "");
    std::fs::write(python.join("config.toml"), "").unwrap();
    assert!(hermes(&python, &["config", "path"]).2.contains("config.yaml` is the Python agent's and is not read"));
    assert_eq!(hermes(&python, &["config", "path"]).2, "");
}

#[test]
fn catalogs_of_flags_are_kept_apart_from_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.toml"), "plugins.catalogs = ['/b', '/c']\nplugins.offline = true")
        .unwrap();
    let home = folder.path().to_str().unwrap();
    let cli = Cli::try_parse_from(["hermes", "--home", home, "--catalog", "/a", "--catalog", "/b", "memory", "status"])
        .unwrap();
    let context = Context::open(cli.global, Env::new(|_| None), &captured::ui().0).unwrap();
    assert_eq!(context.catalogs, ["/a", "/b"].map(PathBuf::from));
    assert!(context.offline && !context.json);
}

#[test]
fn secrets_are_masked_once_they_were_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".env"), "KEY=sk-123456\n").unwrap();
    let home = folder.path().to_str().unwrap();
    let cli = Cli::try_parse_from(["hermes", "--home", home, "memory", "status"]).unwrap();
    let (ui, _, err) = captured::ui();
    let context = Context::open(cli.global, Env::new(|_| None), &ui).unwrap();
    assert_eq!(context.secrets().unwrap().get("KEY").unwrap().expose(), "sk-123456");
    assert_eq!(finish(&ui, Err(Failure::usage("no sk-123456"))), 2);
    assert!(err.text().ends_with("error: no [KEY]\n"), "{}", err.text());
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let (ui, _) = captured::failing(io::ErrorKind::BrokenPipe);
    ui.out("x");
    assert_eq!(finish(&ui, Ok(Exit::Success)), 0);
    let (ui, err) = captured::failing(io::ErrorKind::StorageFull);
    ui.out("x");
    assert_eq!(finish(&ui, Ok(Exit::Success)), 1);
    assert!(err.text().contains("cannot write the output"), "{}", err.text());
}

#[test]
fn completions_name_the_nouns() {
    let folder = tempfile::tempdir().unwrap();
    let (status, script, _) = hermes(folder.path(), &["completions", "bash"]);
    assert!(status == 0 && script.contains("replay"));
}
