//! What is kept, what is set aside, and what is left alone.

use super::*;
use crate::error::Failure;

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("home"));
    (folder, home)
}

fn open(home: &Home) -> Db {
    let opened = Db::open(home).unwrap();
    assert_eq!(opened.warning, None);
    opened.db
}

fn add_incident(db: &Db, reason: &str) {
    let sql = "INSERT INTO incidents (provider, at_ms, kind, reason) VALUES ('p', 1, 'panic', ?1)";
    db.with(|connection| connection.execute(sql, [reason])).unwrap();
}

fn incidents(db: &Db) -> i64 {
    db.with(|connection| connection.query_row("SELECT count(*) FROM incidents", [], |row| row.get(0))).unwrap()
}

#[track_caller]
fn broken(home: &Home, bytes: &[u8]) {
    home.create().unwrap();
    fs::write(home.database(), bytes).unwrap();
    let Opened { db, warning } = Db::open(home).unwrap();
    let warning = warning.unwrap();
    assert_eq!(fs::read(&warning.kept).unwrap(), bytes);
    assert_eq!(incidents(&db), 0);
    let name = warning.kept.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("hermes.db.corrupt-"), "{warning}");
}

#[test]
fn what_is_written_is_there_again() {
    let (_folder, home) = home();
    add_incident(&open(&home), "x");
    let (first, second) = (open(&home), open(&home));
    add_incident(&second, "y");
    assert_eq!(incidents(&first), 2);
    let pragma = |name: &str| {
        let value = |row: &rusqlite::Row<'_>| row.get::<_, rusqlite::types::Value>(0);
        first.with(|connection| connection.pragma_query_value(None, name, value)).unwrap()
    };
    assert_eq!(pragma("journal_mode"), rusqlite::types::Value::Text("wal".to_owned()));
    for (name, value) in [("synchronous", 2), ("foreign_keys", 1), ("temp_store", 2)] {
        assert_eq!(pragma(name), rusqlite::types::Value::Integer(value), "{name}");
    }
}

#[test]
fn only_the_user_can_read_it() {
    let (_folder, home) = home();
    home.create().unwrap();
    fs::write(home.database(), b"").unwrap();
    fs::set_permissions(home.database(), Permissions::from_mode(0o644)).unwrap();
    let db = open(&home);
    add_incident(&db, "x");
    for end in ["", "-wal", "-shm"] {
        let path = format!("{}{end}", home.database().display());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{path}");
    }
}

#[test]
fn a_broken_file_is_kept_aside() {
    let (_folder, home) = home();
    broken(&home, b"this is no database, and it is longer than the header of one, which has 100 bytes\0\0\0\0\0\0\0");
    broken(&home, &[0xff; 5000]);
    let db = open(&home);
    (0..200).for_each(|_| add_incident(&db, &"x".repeat(100)));
    drop(db);
    let whole = fs::read(home.database()).unwrap();
    broken(&home, &whole[..whole.len() - 5000]);
    let mut one_page = whole.clone();
    let middle = whole.len() / 2 / 4096 * 4096;
    one_page[middle..middle + 4096].fill(0xaa);
    broken(&home, &one_page);
}

#[test]
fn the_log_of_a_broken_file_is_kept_with_it() {
    let (_folder, home) = home();
    home.create().unwrap();
    let log = format!("{}-wal", home.database().display());
    fs::write(home.database(), [0xff; 5000]).unwrap();
    fs::write(&log, b"half a log").unwrap();
    let warning = Db::open(&home).unwrap().warning.unwrap();
    assert_eq!(fs::read(format!("{}-wal", warning.kept.display())).unwrap(), b"half a log");
}

#[test]
fn a_log_whose_file_is_gone_is_kept() {
    let (_folder, home) = home();
    for emptied in [true, false] {
        let db = open(&home);
        add_incident(&db, "only in the log");
        let log = fs::read(with_end(&home.database(), "-wal")).unwrap();
        match emptied {
            true => fs::write(home.database(), "").unwrap(),
            false => fs::remove_file(home.database()).unwrap(),
        }
        // As if its process had been killed: nothing is moved from the log into the file.
        std::mem::forget(db);
        let warning = Db::open(&home).unwrap().warning.unwrap();
        assert_eq!(fs::read(with_end(&warning.kept, "-wal")).unwrap(), log);
    }
}

#[test]
fn a_page_of_a_large_file_that_breaks_in_use_costs_the_file() {
    let (_folder, home) = home();
    let db = open(&home);
    let many = |connection: &mut Connection| {
        let transaction = connection.transaction()?;
        let sql = "INSERT INTO incidents (provider, at_ms, kind, reason) VALUES ('p', ?1, 'panic', ?2)";
        for number in 0..4000 {
            transaction.execute(sql, rusqlite::params![number, "x".repeat(500)])?;
        }
        transaction.commit()
    };
    db.with(many).unwrap();
    drop(db);
    let mut bytes = fs::read(home.database()).unwrap();
    assert!(bytes.len() as u64 > FULLY_CHECKED);
    let end = bytes.len() / 4096 * 4096;
    bytes[end / 2 / 4096 * 4096..end].fill(0);
    fs::write(home.database(), &bytes).unwrap();
    let db = open(&home);
    let count = "SELECT count(DISTINCT reason) FROM incidents";
    let read = || db.with(|connection| connection.query_row(count, [], |row| row.get::<_, i64>(0)));
    assert!(read().is_err());
    assert_eq!((read().unwrap(), db.generation()), (0, 1));
    assert_eq!(fs::read(&db.take_set_aside()[0].kept).unwrap().len(), bytes.len());
}

#[test]
fn what_panics_inside_leaves_no_change_unsynced() {
    let (_folder, home) = home();
    let db = open(&home);
    let panics = || {
        let _: Result<(), _> = db.with_relaxed(|_| panic!("on purpose"));
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    let synchronous =
        |connection: &mut Connection| connection.pragma_query_value(None, "synchronous", |row| row.get(0));
    let synchronous: i64 = db.with(synchronous).unwrap();
    assert_eq!(synchronous, 2);
}

#[test]
fn an_older_schema_keeps_what_it_holds() {
    let (_folder, home) = home();
    home.create().unwrap();
    let old = Connection::open(home.database()).unwrap();
    old.execute_batch(migrations::first()).unwrap();
    old.execute_batch(
        "PRAGMA user_version = 1;
         INSERT INTO incidents (provider, at_ms, kind, reason) VALUES ('p', 1, 'crash', 'старое');",
    )
    .unwrap();
    drop(old);
    let db = open(&home);
    assert_eq!(incidents(&db), 1);
    let value = |sql: &str| db.with(|connection| connection.query_row(sql, [], |row| row.get::<_, i64>(0))).unwrap();
    assert_eq!((value("SELECT count(*) FROM pauses"), value("PRAGMA user_version")), (0, migrations::known()));
    drop(db);
    assert_eq!(incidents(&open(&home)), 1, "and it is done once");
}

#[test]
fn what_was_recorded_as_turns_is_in_the_archive() {
    let (_folder, home) = home();
    home.create().unwrap();
    let old = Connection::open(home.database()).unwrap();
    migrations::up_to(&old, 4);
    let turn = |chat: &str, number: i64, interrupted: bool| {
        serde_json::json!({
            "caller": {"scope": {"profile": "default", "platform": "cli", "chat": chat, "user": "anna"}},
            "number": number,
            "messages": [
                {"role": "user", "content": format!("чай {number}")},
                {"role": "assistant", "tool_calls": [{"id": "c", "name": "note", "arguments": "{}"}]},
                {"role": "tool", "content": "ok", "tool_call_id": "c"},
            ],
            "interrupted": interrupted,
        })
    };
    let put = "INSERT INTO turns (session, number, at_ms, record) VALUES (?1, ?2, ?3, ?4)";
    for (session, number, record) in [
        ("s", 1, turn("", 1, false).to_string()),
        ("s", 2, turn("team", 2, true).to_string()),
        ("t", 7, turn("", 7, false).to_string()),
        ("t", 8, "no JSON".to_owned()),
    ] {
        old.execute(put, rusqlite::params![session, number, 1000 * number, record]).unwrap();
    }
    old.execute_batch(
        "INSERT INTO outbox (provider, key, kind, what, turn, added_ms) VALUES ('p', 'k', 'sync_turn', 'x', 2, 1);
         INSERT INTO outbox (provider, key, kind, what, payload, added_ms) VALUES ('p', 'l', 'end', 'y', '{}', 1);
         INSERT INTO outbox_lanes (provider, lane, row) VALUES ('p', 's', 1);",
    )
    .unwrap();
    drop(old);
    let db = open(&home);
    let text = |sql: &str| db.with(|connection| connection.query_row(sql, [], |row| row.get::<_, String>(0))).unwrap();
    assert!(text("SELECT payload FROM outbox WHERE key = 'k'").contains("чай 2"));
    assert_eq!(text("SELECT payload FROM outbox WHERE key = 'l'"), "{}");
    let all = "SELECT group_concat(session || number || ' ' || at_ms) FROM (SELECT * FROM last_turns ORDER BY session)";
    assert_eq!(text(all), "s2 2000,t8 8000");
    let sessions = "SELECT group_concat(name || ' ' || chat || messages || ' ' || started_ms || ' ' || last_ms || ' '
        || last_turn, '; ') FROM (SELECT * FROM sessions s JOIN audiences a ON a.id = s.audience ORDER BY name)";
    assert_eq!(text(sessions), "s 6 1000 2000 2; t 3 7000 7000 7");
    let messages = "SELECT group_concat(turn || role || content || coalesce(tool_call, '') || flags || chat, ' ')
        FROM (SELECT * FROM messages m JOIN audiences a ON a.id = m.audience ORDER BY m.id)";
    assert_eq!(
        text(messages),
        "1userчай 10 1assistant0 1toolokc0 2userчай 22team 2assistant2team 2toolokc2team 7userчай 70 7assistant0 7toolokc0"
    );
    let calls = text("SELECT DISTINCT tool_calls FROM messages WHERE tool_calls IS NOT NULL");
    assert_eq!(calls, r#"[{"arguments":"{}","id":"c","name":"note"}]"#);
    let alone = "SELECT count(*) || '' FROM sqlite_schema WHERE name IN ('turns', 'told')";
    assert_eq!(text(alone), "0");
}

#[test]
fn a_newer_schema_is_left_alone() {
    let (_folder, home) = home();
    open(&home).with(|connection| connection.pragma_update(None, "user_version", 999)).unwrap();
    let failure = Failure::from(Db::open(&home).unwrap_err());
    assert!(failure.message.contains("has schema 999"), "{}", failure.message);
    assert!(failure.hints[0].contains("newer hermes"));
}

#[test]
fn a_database_of_another_program_is_refused_by_name_and_left_alone() {
    let python = "CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (22);
        CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT); CREATE TABLE messages (id INTEGER PRIMARY KEY)";
    for (made, name) in [(python, "the Python agent's `state.db`"), ("CREATE TABLE x (y)", "another program's")] {
        for wal in [true, false] {
            let (_folder, home) = home();
            home.create().unwrap();
            let other = Connection::open(home.database()).unwrap();
            other
                .pragma_update_and_check(None, "journal_mode", if wal { "WAL" } else { "DELETE" }, |_| Ok(()))
                .unwrap();
            other.execute_batch(made).unwrap();
            other.pragma_update(None, "user_version", if wal { 5 } else { 0 }).unwrap();
            drop(other);
            let bytes = fs::read(home.database()).unwrap();
            for error in [Db::open(&home).unwrap_err(), examine(&home).unwrap_err()] {
                let failure = Failure::from(error);
                assert!(failure.message.contains(name), "{}", failure.message);
                assert!(failure.hints[0].contains("mv "), "{failure:?}");
            }
            assert_eq!(fs::read(home.database()).unwrap(), bytes);
        }
    }
}

#[test]
fn a_log_that_is_deleted_in_use_costs_nothing() {
    let (_folder, home) = home();
    let db = open(&home);
    add_incident(&db, "x");
    for end in ["-wal", "-shm"] {
        fs::remove_file(with_end(&home.database(), end)).unwrap();
    }
    add_incident(&db, "y");
    assert_eq!((incidents(&db), incidents(&open(&home))), (2, 2));
    drop(db);
    assert_eq!(incidents(&open(&home)), 2);
}

#[test]
fn a_folder_in_its_place_is_an_error() {
    let (_folder, home) = home();
    fs::create_dir_all(home.database()).unwrap();
    let failure = Failure::from(Db::open(&home).unwrap_err());
    assert!(failure.message.contains("hermes.db"), "{}", failure.message);
}

#[test]
fn many_open_it_at_once() {
    let (_folder, home) = home();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| add_incident(&open(&home), "x"));
        }
    });
    assert_eq!(incidents(&open(&home)), 4);
}

#[test]
fn a_panic_inside_does_not_close_it() {
    let (_folder, home) = home();
    let db = open(&home);
    let panics = || {
        let _: Result<(), _> = db.with(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute("DELETE FROM incidents", [])?;
            panic!("on purpose")
        });
    };
    add_incident(&db, "x");
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    assert_eq!(incidents(&db), 1);
}
