//! Facts from other memories: everything that they know arrives, once, and what is odd in them stops nothing.

use hermes_provider_api::records::{ImportBatch, ImportRecord, ImportReport};
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _, ProviderError};
use rusqlite::Connection;
use serde_json::json;

use crate::support::Case;

fn import_file(case: &Case, file: &str) -> Result<ImportReport, ProviderError> {
    let mut batch = ImportBatch { caller: case.caller.clone(), file: file.to_owned(), ..ImportBatch::default() };
    let mut sum = ImportReport::default();
    loop {
        let report = case.provider.import(&batch, &Call::default())?;
        sum.total = sum.total.or(report.total);
        sum.added += report.added;
        sum.skipped += report.skipped;
        sum.refused.extend(report.refused);
        if report.next.is_empty() {
            return Ok(sum);
        }
        batch.cursor = report.next;
    }
}

fn python(case: &Case, sql: &str) {
    Connection::open(case.folder.path().join("python.db")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_large_store_comes_page_by_page_and_once() {
    let case = Case::new();
    python(
        &case,
        "CREATE TABLE facts (fact_id INTEGER PRIMARY KEY, content TEXT, category TEXT, tags TEXT, trust_score REAL,
             retrieval_count INTEGER, helpful_count INTEGER, created_at TEXT, updated_at TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
         INSERT INTO facts SELECT i * 2, 'fact number ' || i, 'tool', 'a,b', 0.4, i, i % 7, '2025-01-01 00:00:00', '2025-01-02 00:00:00' FROM n;",
    );
    let report = import_file(&case, "python.db").unwrap();
    assert_eq!((report.added, report.skipped, report.total), (2500, 0, Some(2500)));
    assert_eq!(report.refused, Vec::<String>::new());
    let again = import_file(&case, "python.db").unwrap();
    assert_eq!((again.added, again.skipped), (0, 2500));
    let fact = &case.store(json!({"action": "list", "limit": 1}))["results"][0];
    assert_eq!(
        (&fact["content"], &fact["category"], &fact["tags"]),
        (&json!("fact number 2500"), &json!("tool"), &json!(["a", "b"]))
    );
    assert_eq!(
        (&fact["trust"], &fact["retrieval_count"], &fact["helpful_count"]),
        (&json!(0.4), &json!(2500), &json!(1))
    );
    assert_eq!(
        (&fact["created"], &fact["valid_from"]),
        (&json!("2025-01-01T00:00:00Z"), &json!("2025-01-01T00:00:00Z"))
    );
    assert_eq!(fact["updated"], "2025-01-02T00:00:00Z");
}

#[test]
fn columns_of_tomorrow_are_kept_and_missing_ones_do_not_matter() {
    let case = Case::new();
    python(
        &case,
        "CREATE TABLE facts (mood TEXT, content TEXT, fact_id INTEGER PRIMARY KEY, hrr_vector BLOB, digest BLOB, category TEXT);
         INSERT INTO facts VALUES ('happy', 'Mo likes tea', 3, x'00ff', x'ab01', 'recipes'), (NULL, 'Mo likes cake', 4, NULL, NULL, NULL);",
    );
    assert_eq!(import_file(&case, "python.db").unwrap().added, 2);
    let db = Connection::open(case.folder.path().join("facts.db")).unwrap();
    let extra = |id: i64| -> Option<String> {
        db.query_row("SELECT extra FROM facts WHERE fact_id = ?1", [id], |row| row.get(0)).unwrap()
    };
    let kept: serde_json::Value = serde_json::from_str(&extra(1).unwrap()).unwrap();
    assert_eq!(kept, json!({"mood": "happy", "digest": "ab01", "category": "recipes"}));
    assert_eq!(extra(2), None);
    assert_eq!(case.ids(json!({"action": "list", "category": "general"})), [2, 1]);
}

#[test]
fn odd_rows_are_named_and_the_rest_arrives() {
    let case = Case::new();
    python(
        &case,
        "CREATE TABLE facts (fact_id INTEGER PRIMARY KEY, content, trust_score, created_at, retrieval_count);
         INSERT INTO facts VALUES (1, NULL, 0.5, NULL, 0), (2, '   ', 0.5, NULL, 0), (3, x'00', 0.5, NULL, 0),
             (4, 'Mo likes tea', 'much', 'yesterday', -4), (5, 'Mo likes cake', 7.5, 1735689600, 'x'),
             (6, CAST(x'4d6f20ff' AS TEXT), 0.5, '2025-01-01T00:00:00', 2), (7, printf('%.*c', 100001, 'y'), 0.5, NULL, 0);",
    );
    let report = import_file(&case, "python.db").unwrap();
    assert_eq!(report.added, 3);
    let named: Vec<&str> = report.refused.iter().map(|reason| reason.split(':').next().unwrap()).collect();
    assert_eq!(named, ["fact 1", "fact 2", "fact 3", "fact 7"]);
    let list = case.store(json!({"action": "list"}));
    let facts = list["results"].as_array().unwrap();
    assert_eq!((&facts[2]["trust"], &facts[2]["retrieval_count"]), (&json!(0.5), &json!(0)));
    assert_eq!((&facts[1]["trust"], &facts[1]["created"]), (&json!(1.0), &json!("2025-01-01T00:00:00Z")));
    assert_eq!(facts[0]["content"], "Mo \u{fffd}");
}

#[track_caller]
fn refused(file: &str, sql: &str, says: &str) {
    let case = Case::with(&["Mo likes tea"]);
    if !sql.is_empty() {
        python(&case, sql);
    }
    std::fs::write(case.folder.path().join("text.db"), "no database, and long enough to be sure").unwrap();
    let error = import_file(&case, file).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidInput);
    assert!(error.message.contains(says) && error.hint.is_some(), "{error:?}");
    assert_eq!(case.ids(json!({"action": "list"})), [1]);
}

#[test]
fn other_files_are_refused_with_what_they_are() {
    refused("text.db", "", "cannot be read as a database");
    refused("missing.db", "", "cannot be read as a database");
    refused("python.db", "CREATE TABLE songs (title)", "has `songs`");
    refused("python.db", "CREATE TABLE facts (title)", "needs a table `facts`");
    refused("python.db", "PRAGMA user_version = 3", "no tables");
    for name in ["facts.db", "../python.db", "/etc/passwd", "a\\b", "..", "."] {
        refused(name, "", "is no file that can be imported");
    }
}

#[test]
fn records_of_any_memory_are_taken() {
    let case = Case::new();
    let record = |text: &str| ImportRecord { text: text.to_owned(), ..ImportRecord::default() };
    let first =
        ImportRecord { created: Some(86_400_000), tags: vec!["зоопарк".into()], ..record("Mo likes tea") };
    let records = vec![first, record("mo likes TEA."), record(" \0 "), record("Mo likes cake")];
    let batch = ImportBatch { records, ..ImportBatch::default() };
    let report = case.provider.import(&batch, &Call::default()).unwrap();
    assert_eq!((report.added, report.skipped, report.total), (2, 1, None));
    assert_eq!(report.refused, ["record 3: has no text"]);
    assert_eq!(case.search("зоопарк"), [1]);
    let list = case.store(json!({"action": "list"}));
    assert_eq!(
        (&list["results"][1]["created"], &list["results"][1]["source"]),
        (&json!("1970-01-02T00:00:00Z"), &json!("import"))
    );
}
