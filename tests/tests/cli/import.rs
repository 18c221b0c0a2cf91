//! A memory that comes from elsewhere: the store of the Python plugin.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::scene::Scene;

/// A store as the Python plugin makes it; the connection keeps its log from being folded in.
fn python_store(path: &Path) -> Connection {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let db = Connection::open(path).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
         CREATE TABLE facts (fact_id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL UNIQUE,
             category TEXT DEFAULT 'general', tags TEXT DEFAULT '', trust_score REAL DEFAULT 0.5,
             retrieval_count INTEGER DEFAULT 0, helpful_count INTEGER DEFAULT 0,
             created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, hrr_vector BLOB);
         CREATE VIRTUAL TABLE facts_fts USING fts5 (content, tags, content = facts, content_rowid = fact_id);
         CREATE TABLE memory_banks (bank_id INTEGER PRIMARY KEY, bank_name TEXT UNIQUE);
         INSERT INTO facts VALUES
             (1, 'Biscuit is a spaniel', 'general', 'dog, pets', 0.65, 7, 3, '2024-02-03 04:05:06', '2025-01-01 00:00:00', x'48525231'),
             (2, 'Вера любит чай', 'user_pref', '', 0.3, 0, 0, '2024-02-03 04:05:06', '2024-02-03 04:05:06', NULL),
             (5, '王芳住在广州。', 'project', 'город', 0.5, 1, 0, '2025-06-07 08:09:10', '2025-06-07 08:09:10', NULL);",
    )
    .unwrap();
    db
}

fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn the_store_of_the_python_plugin_is_taken_over() {
    let scene = Scene::with_memory();
    let folder = scene.path("python");
    let running = python_store(&folder.join("memory_store.db"));
    let before = bytes(&folder);
    assert!(before.keys().any(|path| path.ends_with("memory_store.db-wal")), "{:?}", before.keys());
    assert_snapshot!(scene.says("memory import holographic --from python/memory_store.db"), @"
    exit 0
    ---- err
    holographic took 3 from `python/memory_store.db`
    ");
    assert_eq!(bytes(&folder), before, "the source is only read");
    let listed: Value =
        serde_json::from_str(&scene.does(r#"tools call fact_store '{"action": "list"}' --json"#)).unwrap();
    let fact = listed["result"]["results"].as_array().unwrap().iter().find(|fact| fact["fact_id"] == 1).unwrap();
    assert_eq!(fact["tags"], json!(["dog", "pets"]));
    assert_eq!(
        (&fact["trust"], &fact["retrieval_count"], &fact["helpful_count"]),
        (&json!(0.65), &json!(7), &json!(3))
    );
    assert_eq!((&fact["created"], &fact["updated"]), (&json!("2024-02-03T04:05:06Z"), &json!("2025-01-01T00:00:00Z")));
    assert_eq!(fact["source"], "import");
    assert!(scene.does("memory recall 'What is Biscuit?'").contains("spaniel"));

    let again = scene.json("memory import holographic --from python/memory_store.db");
    assert_eq!(
        again,
        json!({"provider": "holographic", "from": "python/memory_store.db", "added": 0, "skipped": 3, "refused": []})
    );
    running.execute("INSERT INTO facts (content) VALUES ('Vera plays the violin')", []).unwrap();
    let more = scene.json("memory import holographic --from python/memory_store.db");
    assert_eq!((&more["added"], &more["skipped"]), (&json!(1), &json!(3)));
    let left: Vec<_> = bytes(&scene.path("home/plugins/data/holographic")).into_keys().collect();
    assert!(left.iter().all(|path| !path.to_string_lossy().contains("import-")), "{left:?}");
}

#[test]
fn what_cannot_be_imported_is_told_and_changes_nothing() {
    let scene = Scene::with_memory();
    scene.write("notes.json", r#"{"facts": ["this is JSON and no database at all"]}"#);
    assert_snapshot!(scene.says("memory import holographic --from nowhere.db"), @"
    exit 1
    ---- err
    error: cannot read `nowhere.db`: No such file or directory (os error 2)
    ");
    assert_snapshot!(scene.says("memory import holographic --from notes.json"), @"
    exit 1
    ---- err
    error: `notes.json` is not an SQLite database
    hint: name the file that the other memory keeps its facts in
    ");
    assert_snapshot!(scene.says("memory import other --from notes.json"), @"
    exit 2
    ---- err
    error: `other` is not the provider that is set up
    hint: run `hermes memory setup other` first
    ");
    let other = Connection::open(scene.path("other.db")).unwrap();
    other.execute_batch("CREATE TABLE songs (title); CREATE TABLE bands (name)").unwrap();
    assert_snapshot!(scene.says("memory import holographic --from other.db"), @"
    exit 1
    ---- err
    error: `holographic`: this is not a store of the Python plugin: it needs a table `facts` with `fact_id` and `content`, and has `bands`, `songs`
    hint: the plugin keeps its store as `memory_store.db` in its home
    ");
    assert!(scene.does("memory status --check").contains("0 facts"));
}
