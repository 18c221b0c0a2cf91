//! Databases of the Python agent, of this release and of an old one.

use std::collections::BTreeMap;

use hermes_provider_api::records::{ChatKind, Context};
use rusqlite::{Connection, params};

use super::*;

const TODAY: &str = "
    CREATE TABLE schema_version (version INTEGER NOT NULL);
    INSERT INTO schema_version VALUES (22);
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, chat_id TEXT,
        chat_type TEXT, model TEXT, model_config TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL,
        end_reason TEXT, cwd TEXT, git_repo_root TEXT, title TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
        tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER,
        active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX idx_messages_session ON messages (session_id, timestamp);";

fn database(bench: &Bench, name: &str, schema: &str) -> Connection {
    std::fs::create_dir_all(bench.path(name).parent().unwrap()).unwrap();
    let db = Connection::open(bench.path(name)).unwrap();
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;").unwrap();
    db.execute_batch(schema).unwrap();
    db
}

fn say(db: &Connection, session: &str, role: &str, content: &str, flags: (i64, i64)) {
    let insert =
        "INSERT INTO messages (session_id, role, content, timestamp, active, compacted) VALUES (?, ?, ?, ?, ?, ?)";
    db.execute(insert, params![session, role, content, 1_700_000_000.25, flags.0, flags.1]).unwrap();
}

fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn a_database_in_use_is_read_and_not_touched() {
    let bench = Bench::new();
    let db = database(&bench, "hermes/state.db", TODAY);
    db.execute_batch(
        "INSERT INTO sessions (id, source, user_id, model, started_at, ended_at, end_reason, cwd, title)
             VALUES ('s1', 'cli', NULL, 'opus', 1700000000.5, 1700000100, 'exit', '/projects/tea', 'Tea');
         INSERT INTO sessions (id, source, user_id, chat_id, chat_type, started_at, parent_session_id)
             VALUES ('s2', 'telegram', 'anna', '-100', 'group', 1700000000, 's1');
         INSERT INTO sessions (id, source, started_at) VALUES ('job', 'cron', 1700000000), ('none', 'cli', 1700000000);
         INSERT INTO sessions (id, source, session_key, model_config, started_at)
             VALUES ('sub', 'telegram', 'agent:main:telegram:group:-7', '{\"_delegate_from\": \"s1\"}', 1700000000);",
    )
    .unwrap();
    say(&db, "s1", "user", "folded", (0, 1));
    say(&db, "s1", "user", "taken back", (0, 0));
    say(&db, "s1", "user", "\0json:[{\"type\": \"text\", \"text\": \"look\"}, {\"type\": \"image_url\"}]", (1, 0));
    say(&db, "s1", "assistant", "", (1, 0));
    db.execute(
        "UPDATE messages SET tool_calls = '[{\"id\": \"c\", \"function\": {\"name\": \"f\", \"arguments\": \"{}\"}}]', token_count = 7
         WHERE id = last_insert_rowid()",
        (),
    )
    .unwrap();
    say(&db, "s1", "tool", "{\"ok\": true}", (1, 0));
    db.execute("UPDATE messages SET tool_call_id = 'c', tool_name = 'f' WHERE id = last_insert_rowid()", ()).unwrap();
    say(&db, "s1", "session_meta", "x", (1, 0));
    say(&db, "s2", "user", "чай в группе", (1, 0));
    for session in ["job", "sub", "gone"] {
        say(&db, session, "user", "x", (1, 0));
    }
    let folder = bench.path("hermes");
    let before = bytes(&folder);
    assert!(before.len() > 1, "it has a log");
    // The folder's name will do, and the same conversations in files beside it are not read again.
    std::fs::create_dir(bench.path("hermes/sessions")).unwrap();
    bench.write("hermes/sessions/s1.jsonl", "{\"role\": \"user\", \"content\": \"again\"}");
    let report = bench.try_import("hermes").unwrap();
    std::fs::remove_dir_all(bench.path("hermes/sessions")).unwrap();
    assert_eq!(bytes(&folder), before);
    assert_eq!(std::fs::read_dir(work_folder(&bench.home())).unwrap().count(), 0, "no copy is left");
    assert_eq!((report.sessions, report.messages, report.taken_back, report.empty, report.left_out), (4, 7, 1, 1, 2));
    assert!(report.problems[0].ends_with("message 6: the role `session_meta` is not known"), "{:?}", report.problems);
    assert!(report.problems[1].ends_with("1 messages belong to sessions that are not there"), "{:?}", report.problems);

    let expected = [user("folded"), user("look\n[image]"), assistant(""), tool("{\"ok\": true}")];
    assert_eq!(bench.said("s1"), expected);
    let messages = bench.messages("s1");
    assert_eq!(messages.iter().map(|said| said.folded).collect::<Vec<_>>(), [true, false, false, false]);
    assert_eq!((messages[2].tool_calls[0].name.as_str(), messages[2].tokens), ("f", Some(7)));
    assert_eq!(
        (messages[3].tool_call.as_str(), messages[3].tool.as_str(), messages[3].at_ms),
        ("c", "f", 1_700_000_000_250)
    );
    let head = bench.session("s1").head;
    assert_eq!(
        (head.title.as_deref(), head.reason.as_deref(), head.ended_ms),
        (Some("Tea"), Some("exit"), Some(1_700_000_100_000))
    );
    assert_eq!(
        (head.source.as_deref(), &*head.scope.platform, &*head.scope.project),
        (Some("hermes"), "cli", "/projects/tea")
    );
    let head = bench.session("s2").head;
    assert_eq!((head.scope.chat_kind, &*head.scope.chat, &*head.scope.user), (ChatKind::Group, "-100", "anna"));
    assert_eq!(head.parent.as_deref(), Some("s1"));
    let head = bench.session("job").head;
    assert_eq!((head.context, &*head.scope.platform), (Context::Cron, "hermes"));
    let head = bench.session("sub").head;
    assert_eq!((head.context, head.scope.chat_kind), (Context::Subagent, ChatKind::Group));

    // It goes on: one message more, and a summary in the place of what was said.
    db.execute("UPDATE messages SET active = 0, compacted = 1 WHERE session_id = 's2'", ()).unwrap();
    say(&db, "s2", "user", "в итоге: чай", (1, 0));
    let report = bench.try_import("hermes/state.db").unwrap();
    assert_eq!((report.sessions, report.grown, report.messages, report.known), (0, 1, 1, 7));
    assert_eq!(bench.messages("s2").iter().map(|said| said.folded).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn columns_of_other_releases_are_found_by_name() {
    let bench = Bench::new();
    let db = database(
        &bench,
        "old.db",
        "CREATE TABLE messages (content, role, later, session_id, id INTEGER PRIMARY KEY);
         CREATE TABLE sessions (later, id);
         INSERT INTO sessions VALUES (1, 's'), (2, '7'), (3, NULL);
         INSERT INTO messages (session_id, role, content) VALUES ('s', 'user', x'D187D0B0D0B9FF'), ('s', 'user', 5), ('7', 'user', 'n');",
    );
    drop(db);
    let report = bench.try_import("old.db").unwrap();
    assert_eq!((report.sessions, report.messages, report.left_out), (2, 3, 1));
    assert_eq!(bench.said("s"), [user("чай\u{fffd}"), user("5")]);
    assert_eq!(bench.session("s").head.started_ms, NOW);
}

#[test]
fn a_damaged_database_gives_what_it_has() {
    let bench = Bench::new();
    let db = database(&bench, "state.db", TODAY);
    for session in 0..40 {
        let id = format!("s{session}");
        db.execute("INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', 1700000000)", [&id]).unwrap();
        (0..20).for_each(|number| say(&db, &id, "user", &format!("{number} {}", "чай ".repeat(50)), (1, 0)));
    }
    db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE").unwrap();
    let root: i64 =
        db.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'messages'", (), |row| row.get(0)).unwrap();
    drop(db);
    let mut content = std::fs::read(bench.path("state.db")).unwrap();
    // Pages in the middle, and not the roots.
    assert!(root < 10 && content.len() > 4096 * 60);
    content[4096 * 40..4096 * 44].fill(0xee);
    bench.write("state.db", &content);
    let report = bench.try_import("state.db").unwrap();
    assert!(report.messages > 100 && report.messages < 800, "{report:?}");
    assert!(report.left_out > 0 && report.remarks[0].contains("the database is damaged"), "{report:?}");
    assert_eq!(std::fs::read(bench.path("state.db")).unwrap(), content);
}

#[test]
fn other_databases_are_refused() {
    let bench = Bench::new();
    database(&bench, "songs.db", "CREATE TABLE songs (title)");
    let error = bench.try_import("songs.db").unwrap_err().to_string();
    assert!(error.ends_with("holds no conversations that hermes can read"), "{error}");
    database(&bench, "chats.db", "CREATE TABLE sessions (id); CREATE TABLE messages (id, chat, text)");
    assert!(bench.try_import("chats.db").is_err());
    let other = Home::at(bench.path("home"));
    for home in [&other, &bench.home()] {
        let _open = Db::open(home).unwrap();
        let error = bench.import_from(&home.database(), false).unwrap_err();
        assert!(error.to_string().ends_with("is a database of this hermes"), "{error}");
        assert!(error.hints()[0].contains("sessions export"));
        assert!(matches!(bench.import_from(home.root(), false), Err(ImportError::Unknown(_))));
    }
    bench.write("no.db", b"SQLite format 3\0 and no more");
    assert!(bench.try_import("no.db").is_err());
}
