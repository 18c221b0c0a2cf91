//! Real processes on one store: many at once, and ones that are killed at any moment.
//!
//! `HOLOGRAPHIC_KILLS` and `HOLOGRAPHIC_ADDS` set how many kills there are of each kind, and how many facts each of eight
//! processes adds; by default as many as a quick run of all tests can bear.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hermes_provider_api::{Call, MemoryProvider as _};
use rusqlite::Connection;
use serde_json::json;

use crate::support::{Case, Dice, open};

fn knob(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn start(folder: &Path, task: &[&str]) -> Child {
    // Beside `deps`, where this test is.
    let exe = std::env::current_exe().unwrap();
    let worker = exe.parent().and_then(Path::parent).unwrap().join("examples/worker");
    assert!(worker.exists(), "cargo builds the examples with the tests");
    #[expect(clippy::disallowed_methods, reason = "an own helper, to be killed")]
    let mut command = Command::new(worker);
    command.arg(folder).args(task).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Kills a process after some time and answers what it had confirmed.
fn kill_after(mut child: Child, pause: Duration) -> Vec<String> {
    std::thread::sleep(pause);
    child.kill().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    child.wait().unwrap();
    lines
}

/// Times that differ from kill to kill, up to `most` milliseconds.
fn pauses(most: usize) -> impl FnMut() -> Duration {
    let mut dice = Dice(u64::from(std::process::id()));
    move || Duration::from_millis(dice.below(most) as u64)
}

/// SQLite finds nothing wrong, and every index says what the facts say.
fn sound(folder: &Path) {
    let db = Connection::open(folder.join("facts.db")).unwrap();
    let verdict: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    // With rank 1 the index is compared with the table that it indexes.
    db.execute_batch("INSERT INTO versions_fts (versions_fts, rank) VALUES ('integrity-check', 1)").unwrap();
    assert_eq!(entered(&db), having(&db), "the word index says what the facts say");
    let strays = "SELECT (SELECT count(*) FROM fact_entities WHERE fact_id NOT IN (SELECT fact_id FROM facts))
                       + (SELECT count(*) FROM versions WHERE fact_id NOT IN (SELECT fact_id FROM facts))
                       + (SELECT count(*) FROM facts WHERE merged_into NOT IN (SELECT fact_id FROM facts))";
    assert_eq!(db.query_row(strays, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

/// The number at the beginning of some bytes, seven bits to a byte, and how long it is.
fn varint(bytes: &[u8]) -> (i64, usize) {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    (bytes[..length].iter().rev().fold(0, |number, byte| number << 7 | i64::from(byte & 0x7f)), length)
}

/// Word by word the facts that the index has for it. The count of a word is that of its facts.
fn entered(db: &Connection) -> BTreeSet<(i64, i64)> {
    let mut select = db.prepare("SELECT word, block, facts, ids FROM words").unwrap();
    let mut rows = select.query([]).unwrap();
    let (mut entered, mut counted) = (BTreeSet::new(), 0);
    while let Some(row) = rows.next().unwrap() {
        let (word, block, facts): (i64, i64, i64) = (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap());
        let (mut ids, mut id) = (row.get_ref(3).unwrap().as_blob().unwrap(), 0);
        while !ids.is_empty() {
            let (step, length) = varint(ids);
            (id, ids) = (id + step, &ids[length..]);
            assert!(entered.insert((word, id)), "no fact is there twice");
        }
        counted += if block == 0 { facts } else { 0 };
    }
    assert_eq!(usize::try_from(counted).unwrap(), entered.len());
    entered
}

/// Word by word the facts that have it, by their own rows, without the word that every fact has.
fn having(db: &Connection) -> BTreeSet<(i64, i64)> {
    let mut select = db.prepare("SELECT fact_id, words FROM facts WHERE length(words) > 0").unwrap();
    let mut rows = select.query([]).unwrap();
    let (mut having, mut facts) = (BTreeSet::new(), Vec::new());
    while let Some(row) = rows.next().unwrap() {
        let (fact, words): (i64, Vec<u8>) = (row.get(0).unwrap(), row.get(1).unwrap());
        // Behind two counts.
        let words = &words[varint(&words).1..];
        let words = words[varint(words).1..].chunks(5);
        having.extend(words.map(|word| (word.iter().fold(0, |number, byte| number << 8 | i64::from(*byte)), fact)));
        facts.push(fact);
    }
    // The word of every fact: the one that is in the index and in no row.
    let every = db
        .prepare("SELECT word FROM words")
        .unwrap()
        .query_map([], |row| row.get::<_, i64>(0))
        .unwrap()
        .map(Result::unwrap)
        .find(|word| !having.iter().any(|(other, _)| other == word));
    assert_eq!(every.is_some(), !facts.is_empty(), "facts are counted");
    having.extend(every.into_iter().flat_map(|word| facts.iter().map(move |fact| (word, *fact))));
    having
}

/// What the store should hold after these confirmations: texts by id.
fn replay(lines: &[String], texts: &mut BTreeMap<i64, String>) {
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let (what, id) = (words.next().unwrap(), words.next().unwrap().parse::<i64>().unwrap());
        let rest = words.next().unwrap_or_default();
        match what {
            "add" | "update" => drop(texts.insert(id, rest.to_owned())),
            "merge" => drop(texts.remove(&rest.parse().unwrap())),
            "forget" => drop(texts.remove(&id)),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn what_was_confirmed_survives_kills_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let mut pause = pauses(150);
    let mut confirmed = BTreeMap::new();
    for kill in 0..knob("HOLOGRAPHIC_KILLS", 20) {
        // The later the longer: on a busy machine a process needs its time to begin.
        let pause = pause() + Duration::from_millis(20 * kill);
        let lines = kill_after(start(folder.path(), &["churn", &format!("k{kill}")]), pause);
        replay(&lines, &mut confirmed);
        sound_and_complete(folder.path(), &mut confirmed);
    }
    assert!(!confirmed.is_empty(), "something was stored at all");
}

/// All that was confirmed is there. What was under way may be there as well, and counts from now on.
fn sound_and_complete(folder: &Path, confirmed: &mut BTreeMap<i64, String>) {
    let provider = open(folder);
    assert!(provider.health(&Call::default()).unwrap().ok);
    drop(provider);
    sound(folder);
    let db = Connection::open(folder.join("facts.db")).unwrap();
    let mut select = db.prepare("SELECT fact_id, content FROM facts WHERE merged_into IS NULL").unwrap();
    let stored: BTreeMap<i64, String> =
        select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    let differing = |id: &&i64| stored.get(id) != confirmed.get(id);
    let differs: Vec<&i64> = stored.keys().chain(confirmed.keys()).filter(differing).collect();
    // One call was under way: an addition, a change, or the disappearance of one fact.
    let distinct: BTreeSet<_> = differs.into_iter().collect();
    assert!(distinct.len() <= 1, "{distinct:?}");
    *confirmed = stored;
}

/// The tables of former releases.
const FORMATS: [&str; 2] = [include_str!("format1.sql"), include_str!("format2.sql")];

/// A store as a former release left it.
fn old_format(format: &str, folder: &Path, facts: usize) -> PathBuf {
    let path = folder.join("facts.db");
    let mut db = Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    db.execute_batch(format).unwrap();
    let tx = db.transaction().unwrap();
    for number in 1..=facts {
        let content = format!("Mo keeps thing{number} in Harbourtown");
        let terms = hermes_text::index_terms(&content);
        let scope = r#"{"profile":"","platform":"","chat":"","chat_kind":"private","user":"","project":""}"#;
        tx.execute(
            "INSERT INTO facts (content, digest, terms, category, tags, trust, created_ms, updated_ms, audience, platform, scope, origin)
             VALUES (?1, 7, ?2, 'general', '[]', 0.5, 1000, 2000, ?3, '', ?4, '{}')",
            (&content, &terms, "\u{1f}private\u{1f}", scope),
        )
        .unwrap();
        tx.execute("INSERT INTO facts_fts (rowid, terms) VALUES (last_insert_rowid(), ?1)", [&terms]).unwrap();
    }
    tx.commit().unwrap();
    path
}

#[test]
fn a_store_of_a_former_release_is_brought_up_to_date() {
    for (format, valid_from) in FORMATS.into_iter().zip(["1970-01-01T00:00:01Z", "1970-01-01T00:00:00Z"]) {
        let folder = tempfile::tempdir().unwrap();
        old_format(format, folder.path(), 3);
        let case = Case { provider: open(folder.path()), folder, caller: Default::default() };
        let list = case.store(json!({"action": "list"}));
        assert_eq!(list["count"], 3);
        let fact = &list["results"][0];
        assert_eq!((&fact["created"], &fact["valid_from"]), (&json!("1970-01-01T00:00:01Z"), &json!(valid_from)));
        assert_eq!(case.search("thing2").first(), Some(&2));
        assert_eq!(case.ids(json!({"action": "probe", "entity": "Harbourtown"})).len(), 3);
        let added = case.store(json!({"action": "add", "content": "MO keeps thing1 in Harbourtown."}));
        assert_eq!(added["status"], "exists");
        assert_eq!(case.add("a new one"), 4);
        case.store(json!({"action": "update", "fact_id": 2, "content": "Mo keeps nothing"}));
        assert!(!case.search("thing2").contains(&2), "no index has what a fact said before");
        drop(case.provider);
        sound(case.folder.path());
    }
}

#[test]
fn a_migration_that_is_killed_is_made_again() {
    let mut pause = pauses(120);
    let templates = FORMATS.map(|format| {
        let folder = tempfile::tempdir().unwrap();
        (old_format(format, folder.path(), 400), folder)
    });
    for kill in 0..knob("HOLOGRAPHIC_KILLS", 20) {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = &templates[usize::try_from(kill).unwrap() % templates.len()];
        std::fs::copy(path, folder.path().join("facts.db")).unwrap();
        let opened = kill_after(start(folder.path(), &["open"]), pause());
        let db = Connection::open(folder.path().join("facts.db")).unwrap();
        let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        drop(db);
        assert!(opened.is_empty() || version == 3, "it was confirmed");
        let provider = open(folder.path());
        assert_eq!(provider.health(&Call::default()).unwrap().detail, "400 facts");
        drop(provider);
        sound(folder.path());
    }
}

#[test]
fn eight_processes_add_to_one_store_and_nothing_is_lost() {
    let count = knob("HOLOGRAPHIC_ADDS", 40);
    let folder = tempfile::tempdir().unwrap();
    let workers: Vec<Child> =
        (0..8).map(|number| start(folder.path(), &["add", &format!("p{number}"), &count.to_string()])).collect();
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        assert!(output.status.success(), "no error reaches the user");
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count() as u64, count);
    }
    let health = open(folder.path()).health(&Call::default()).unwrap();
    assert_eq!((health.ok, health.detail), (true, format!("{} facts", 8 * count)));
    sound(folder.path());
}
