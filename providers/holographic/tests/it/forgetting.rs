//! What is forgotten is gone from every file, and the answer says where else it may be.

use std::path::Path;

use hermes_provider_api::ErrorKind;
use rusqlite::Connection;
use serde_json::json;

use crate::support::{Case, open};

/// No file of the folder has any of the words, in any case.
#[track_caller]
fn nowhere(folder: &Path, words: &[&str]) {
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).to_lowercase();
        for word in words {
            assert!(!text.contains(&word.to_lowercase()), "`{word}` is still in {path:?}");
        }
        files += 1;
    }
    assert!(files > 0, "there were no files to look into");
}

#[test]
fn a_forgotten_fact_is_in_no_byte_of_any_file() {
    let case = Case::with(&["Zyxomma lives in Quillmark", "Mo likes tea"]);
    case.store(json!({"action": "update", "fact_id": 1, "tags": ["vorpalish"]}));
    case.store(json!({"action": "update", "fact_id": 1, "content": "Zyxomma lives in Brambleford"}));
    case.store(json!({"action": "update", "fact_id": 1, "content": "Zyxomma moved to Thistledown"}));
    case.add("Zyxomma dwells near Thistledown lighthouse");
    case.store(json!({"action": "merge", "fact_id": 1, "other": 3}));
    assert_eq!(case.search("Zyxomma"), [1]);
    let answer = case.store(json!({"action": "forget", "fact_id": 1}));
    assert_eq!((&answer["fact_id"], &answer["status"]), (&json!(1), &json!("forgotten")));
    let words = ["zyxomma", "zyxom", "quillmark", "brambleford", "thistledown", "vorpalish", "lighthouse"];
    nowhere(case.folder.path(), &words);
    assert_eq!(case.search("Zyxomma"), [0_i64; 0]);
    let error = case.try_tool("fact_store", json!({"action": "timeline", "fact_id": 1})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert_eq!(case.store(json!({"action": "as_of", "date": "2026-01-01", "query": "Zyxomma"}))["count"], 0);
    assert_eq!(case.search("tea"), [2], "the rest is untouched");
    assert_eq!(case.add("Another fact"), 4, "an id is never given twice");
    let folder = case.folder;
    drop(case.provider);
    nowhere(folder.path(), &words);
}

#[test]
fn among_many_facts_only_the_forgotten_one_goes() {
    let case = Case::new();
    let facts: Vec<String> =
        (0..300).map(|number| format!("Person{number} keeps item{number} in Harbourtown")).collect();
    case.store(json!({"action": "add", "facts": facts}));
    for id in [1, 150, 300] {
        case.store(json!({"action": "remove", "fact_id": id}));
    }
    nowhere(case.folder.path(), &["person0 ", "item149", "person299", "item299"]);
    assert_eq!(case.search("item42").first(), Some(&43));
}

#[test]
fn it_says_where_else_the_text_may_live() {
    let case = Case::with(&["Mo likes green tea", "green tea Mo liked"]);
    let answer = case.store(json!({"action": "forget", "fact_id": 1}));
    let places = answer["may_live_on_in"].to_string();
    for place in ["hermes.db", "outbox", "curated memory", "backups"] {
        assert!(places.contains(place), "{places}");
    }
    assert!(!places.contains("facts.db.corrupt"));
    assert_eq!(answer["similar"][0]["fact_id"], 2);
    std::fs::write(case.folder.path().join("facts.db.corrupt-7"), "x").unwrap();
    let answer = case.store(json!({"action": "forget", "fact_id": 2}));
    assert!(answer["may_live_on_in"].to_string().contains("facts.db.corrupt-7"), "{answer}");
}

#[test]
fn another_reader_of_the_file_is_named() {
    let case = Case::with(&["Zyxomma likes tea"]);
    let reader = Connection::open(case.folder.path().join("facts.db")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let _: i64 = reader.query_row("SELECT count(*) FROM facts", (), |row| row.get(0)).unwrap();
    let answer = case.store(json!({"action": "forget", "fact_id": 1}));
    assert!(answer["may_live_on_in"].to_string().contains("the log of `facts.db`"), "{answer}");
    drop(reader);
    let folder = case.folder;
    drop(case.provider);
    drop(open(folder.path()));
    nowhere(folder.path(), &["zyxomma"]);
}
