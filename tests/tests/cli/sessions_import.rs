//! Conversations with other programs, taken into the archive and out again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::kills::Dice;
use crate::scene::Scene;
use crate::shown::words;

pub(crate) fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Sessions with so many messages each, in the words of OpenAI's API.
fn lines(sessions: usize, messages: usize) -> String {
    let line = |session: usize, number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        let text = format!("сообщение {number} о чае и погоде, tea and weather, 绿茶");
        let at = 1_700_000_000 + session * 1000 + number;
        json!({"session_id": format!("s{session:04}"), "role": role, "content": text, "timestamp": at}).to_string()
            + "\n"
    };
    (0..sessions).flat_map(|session| (0..messages).map(move |number| line(session, number))).collect()
}

fn counts(scene: &Scene) -> (i64, i64) {
    let db = Connection::open(scene.path("home/hermes.db")).unwrap();
    let count = |table: &str| db.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get(0)).unwrap();
    let told = db.query_row(
        "SELECT count(*) FROM sessions s WHERE messages <> (SELECT count(*) FROM messages WHERE session = s.id)",
        (),
        |row| row.get(0),
    );
    assert_eq!(told, Ok(0_i64), "each session knows how many messages it has");
    (count("sessions"), count("messages"))
}

#[test]
fn a_chatgpt_export_is_imported_exported_and_imported_elsewhere() {
    let scene = Scene::without_plugins();
    let message = |role: &str, text: &str, at: f64| {
        let content = json!({"content_type": "text", "parts": [text]});
        json!({"author": {"role": role}, "create_time": at, "content": content})
    };
    let mapping = json!({
        "root": {"message": null, "parent": null, "children": ["a"]},
        "a": {"message": message("user", "Куда поехать весной?", 1_700_000_001.0), "parent": "root", "children": ["b"]},
        "b": {"message": message("assistant", "В Кострому.", 1_700_000_002.0), "parent": "a", "children": []},
    });
    let list = json!([{"id": "11112222-aaaa", "title": "Весна", "create_time": 1_700_000_000.0, "current_node": "b", "mapping": mapping}]);
    scene.write("export/conversations.json", list.to_string());
    scene.write("export/chat.html", "<html>");
    let before = bytes(&scene.path("export"));
    assert_snapshot!(scene.says("sessions import --from export --user anna --dry-run"), @"
    exit 0
    ---- err
    would add 1 session with 2 messages
    ");
    assert!(!scene.path("home/hermes.db").exists(), "counting makes no archive");
    assert_snapshot!(scene.says("sessions import --from export --user anna"), @"
    exit 0
    ---- err
    added 1 session with 2 messages
    1 session older than 90 days, which `hermes sessions prune` deletes
    hint: `hermes config set sessions.retention_days 0` keeps all
    ");
    assert_snapshot!(scene.says("sessions import --from export --user anna"), @"
    exit 0
    ---- err
    added 0 sessions with 0 messages
    2 messages already there
    ");
    let told = scene.json("sessions import --from export/conversations.json");
    assert_eq!((&told["messages"], &told["known"], &told["left_out"]), (&json!(0), &json!(2), &json!(0)));
    assert_eq!(bytes(&scene.path("export")), before);
    assert!(scene.does("sessions list --user anna --platform chatgpt").contains("Весна"));

    assert_snapshot!(scene.says("sessions export --all -o out/sessions.jsonl"), @"
    exit 0
    ---- err
    wrote 1 session with 2 messages to `out/sessions.jsonl`
    ");
    let exported = scene.read("out/sessions.jsonl");
    assert_eq!(scene.does("sessions export 1111"), exported);
    scene.does("sessions import --from out/sessions.jsonl --home other");
    assert_eq!(scene.does("sessions export --all --home other"), exported);
    assert_snapshot!(scene.does("sessions export 1111 --format markdown"), @"
    # Весна

    - Session: `11112222-aaaa`
    - Began: 2023-11-14 22:13:20 UTC
    - Platform: chatgpt
    - User: anna
    - Imported from: chatgpt

    ## User, 2023-11-14 22:13:21 UTC

    Куда поехать весной?

    ## Assistant, 2023-11-14 22:13:22 UTC

    В Кострому.
    ");
    assert_snapshot!(scene.says("sessions export nothing"), @"
    exit 1
    ---- err
    error: no session is called `nothing`
    hint: `hermes sessions list` shows them
    ");
    assert_snapshot!(scene.says("sessions export"), @"
    exit 2
    ---- err
    error: the following required arguments were not provided:
      <ID>...

    Usage: hermes sessions export <ID>...

    For more information, try '--help'.
    ");
    assert_snapshot!(scene.says("sessions export --all --home nowhere"), @"exit 0");
    assert_snapshot!(scene.says("sessions export --all -o /dev/full"), @"
    exit 1
    ---- err
    error: cannot write `/dev/full`: No space left on device (os error 28)
    hint: free some disk space; nothing was changed
    ");
}

#[test]
fn what_is_left_out_is_told_with_its_place() {
    let scene = Scene::without_plugins();
    let good = json!({"session_id": "s", "role": "user", "content": "чай", "timestamp": 1_700_000_000});
    scene.write("log.jsonl", format!("{good}\n{{\"role\": \"user\"\n{}\n", json!({"role": "robot", "content": "x"})));
    assert_snapshot!(scene.says("sessions import --from log.jsonl"), @"
    exit 1
    ---- err
    added 1 session with 1 message
    warning: left out: `log.jsonl`, line 2: not JSON: EOF while parsing an object at column 15
    warning: left out: `log.jsonl`, line 3: the role `robot` is not known
    1 session older than 90 days, which `hermes sessions prune` deletes
    hint: `hermes config set sessions.retention_days 0` keeps all
    ");
    let told = scene.json("sessions import --from log.jsonl");
    assert_eq!((&told["left_out"], &told["known"]), (&json!(2), &json!(1)));
    scene.write("notes.md", "# notes");
    assert_snapshot!(scene.says("sessions import --from notes.md"), @"
    exit 1
    ---- err
    error: `notes.md` holds no conversations that hermes can read
    hint: name the Python agent's `state.db`, a data export of ChatGPT or Claude, JSONL with messages, or a folder with such files
    ");
    assert_snapshot!(scene.says("sessions import --from nowhere"), @"
    exit 1
    ---- err
    error: cannot read `nowhere`: No such file or directory (os error 2)
    ");
    assert_snapshot!(scene.says("sessions import --from home/hermes.db"), @"
    exit 1
    ---- err
    error: `home/hermes.db` is a database of this hermes
    hint: run `hermes sessions export --all --output sessions.jsonl` there, and import that file
    ");
}

#[test]
fn secrets_are_masked_as_the_settings_say() {
    let scene = Scene::without_plugins();
    scene.write("home/.env", "SERVICE_PHRASE=correct-horse-battery\n");
    let text = "the phrase is correct-horse-battery and ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let line = |id: &str| json!({"session_id": id, "role": "user", "content": text, "timestamp": 1}).to_string();
    scene.write("a.jsonl", line("masked"));
    scene.does("sessions import --from a.jsonl");
    scene.does("config set sessions.redact false");
    scene.write("b.jsonl", line("kept"));
    scene.does("sessions import --from b.jsonl");
    let db = Connection::open(scene.path("home/hermes.db")).unwrap();
    let mut select = db.prepare("SELECT content FROM messages ORDER BY id").unwrap();
    let stored: Vec<String> = select.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(stored, ["the phrase is [SERVICE_PHRASE] and [redacted]", text]);
    // What is handed on shows no secret of this home.
    assert!(!scene.does("sessions export kept").contains("correct-horse"));
}

#[test]
fn kills_during_an_import_lose_and_double_nothing() {
    let scene = Scene::without_plugins();
    let (sessions, messages) = (60, 100);
    scene.write("log.jsonl", lines(sessions, messages));
    let source = scene.read("log.jsonl");
    let begun = Instant::now();
    scene.does("sessions import --from log.jsonl --home whole");
    let took = begun.elapsed();
    let mut dice = Dice::new();
    let mut halfway = 0;
    for kill in 0..25 {
        // Each round ends with an import that nothing disturbs.
        if kill % 5 == 0 {
            let _ = fs::remove_dir_all(scene.path("home"));
        }
        let moment = Duration::from_micros(dice.below(u64::try_from(took.as_micros()).unwrap()));
        let mut child = scene.command(words("sessions import --from log.jsonl"));
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment);
        let _ = child.kill();
        child.wait().unwrap();
        if scene.path("home/hermes.db").exists() {
            let (_, there) = scene.json("sessions list --limit 0").as_array().map_or((0, 0), |_| counts(&scene));
            halfway += usize::from(there > 0 && there < 6000);
        }
        if kill % 5 == 4 {
            scene.does("sessions import --from log.jsonl");
            assert_eq!(counts(&scene), (60, 6000));
            let exported = scene.does("sessions export --all");
            assert_eq!(exported, scene.does("sessions export --all --home whole"), "kill {kill}");
        }
    }
    assert!(halfway > 0, "no kill came while something was written");
    assert_eq!(scene.read("log.jsonl"), source);
    assert_eq!(fs::read_dir(scene.path("home/import")).unwrap().count(), 1, "the lock alone is left");
}

#[test]
fn two_imports_at_the_same_time_add_each_message_once() {
    let scene = Scene::without_plugins();
    scene.write("log.jsonl", lines(10, 50));
    let spawn = || scene.command(words("sessions import --from log.jsonl --json")).spawn().unwrap();
    let both = [spawn(), spawn()].map(|child| child.wait_with_output().unwrap());
    let added = both.iter().map(|output| {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["messages"].as_u64().unwrap()
    });
    assert_eq!(added.sum::<u64>(), 500);
    assert_eq!(counts(&scene), (10, 500));
}
