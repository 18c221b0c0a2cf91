//! The index against sets that are kept beside it.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// A file with facts that have numbers as words: those that divide their id, and 1.
fn facts(count: i64) -> Connection {
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch("CREATE TABLE facts (fact_id INTEGER PRIMARY KEY, audience TEXT, words BLOB)").unwrap();
    db.execute_batch(TABLES).unwrap();
    for id in 1..=count {
        db.execute("INSERT INTO facts VALUES (?1, 'a', ?2)", (id, row(id))).unwrap();
    }
    settle(&db).unwrap();
    db
}

fn row(id: i64) -> Vec<u8> {
    let divisors: Vec<String> = (1..=40).filter(|number| id % number == 0).map(|number| number.to_string()).collect();
    Numbers::of("a").pack(&divisors.join(" "))
}

fn listed(db: &Connection, word: &str) -> Vec<i64> {
    Lists::new(db).unwrap().newest(Numbers::of("a").word(word), usize::MAX).unwrap()
}

#[test]
fn lists_are_in_order_and_counted() {
    let db = facts(5000);
    let multiples = |of: i64| (1..=5000).rev().filter(|id| id % of == 0).collect::<Vec<_>>();
    for of in [1, 2, 7, 40] {
        assert_eq!(listed(&db, &of.to_string()), multiples(of));
    }
    let numbers = Numbers::of("a");
    let mut lists = Lists::new(&db).unwrap();
    assert_eq!(lists.count(numbers.every()).unwrap(), 5000);
    assert_eq!((lists.count(numbers.word("2")).unwrap(), lists.count(numbers.word("41")).unwrap()), (2500, 0));
    assert_eq!(lists.count(Numbers::of("b").every()).unwrap(), 0, "another audience has none");
    let newest = lists.newest(numbers.word("1"), 100).unwrap();
    assert!(newest.len() >= 100 && newest.len() < 400 && newest.first() == Some(&5000), "{newest:?}");
    assert_eq!(lists.with_all(&[numbers.word("8"), numbers.word("9")], usize::MAX).unwrap(), multiples(72));
    check(&db).unwrap();
}

#[test]
fn facts_come_and_go_in_any_order() {
    let db = facts(600);
    let mut expected: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    let mut there: BTreeSet<i64> = (1..=600).collect();
    // A linear congruential generator (Knuth, MMIX): the same in every run.
    let mut state = 11_u64;
    let mut next = |below: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1 + i64::try_from(state >> 33).unwrap() % below
    };
    for step in 0..2400 {
        let id = next(600);
        // First more go than come, then the other way round.
        if (step < 1200) == (next(10) > 2) {
            there.remove(&id).then(|| remove(&db, id, "a", &row(id)).unwrap());
        } else {
            there.insert(id).then(|| insert(&db, id, "a", &row(id)).unwrap());
        }
    }
    for id in &there {
        (1..=40).filter(|number| id % number == 0).for_each(|number| {
            expected.entry(number).or_default().insert(*id);
        });
    }
    for (number, ids) in expected {
        assert_eq!(listed(&db, &number.to_string()), ids.iter().rev().copied().collect::<Vec<_>>(), "{number}");
        let count = Lists::new(&db).unwrap().count(Numbers::of("a").word(&number.to_string())).unwrap();
        assert_eq!(usize::try_from(count).unwrap(), ids.len());
    }
    for id in there {
        remove(&db, id, "a", &row(id)).unwrap();
    }
    let left: i64 = db.query_row("SELECT count(*) FROM words", (), |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "nothing is left of words that no fact has");
}

#[test]
fn what_is_missing_is_noticed() {
    let db = facts(300);
    db.execute("DELETE FROM words WHERE word = ?1", [Numbers::of("a").word("3").number()]).unwrap();
    assert!(matches!(check(&db), Err(Error::DamagedIndex(_))));
    rebuild(&db).unwrap();
    check(&db).unwrap();
}
