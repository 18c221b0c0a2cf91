//! Several processes on one home, none of which is killed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileExt as _;

use hermes_tests::crash::{self, accepted, arrived, begin, check};
use hermes_tests::fixtures;
use hermes_tests::wait::until;
use serde_json::json;

#[test]
fn a_thousand_turns_of_two_processes_and_eight_writers_arrive_once() {
    let parts = fixtures().crash();
    let scene = crash::home::Scene::new(&parts).unwrap();
    let orders = |life: u64| {
        let home = scene.home().root().to_owned();
        json!({"home": home, "life": life, "sessions": life.to_string(), "writers": 4, "turns": 125, "plain": true})
    };
    let both = [1, 2].map(|life| begin(&parts, &orders(life), &[]).unwrap());
    let said: Vec<_> = both.into_iter().map(|life| life.wait().unwrap()).collect();
    assert!(said.iter().all(|ended| ended.well), "{said:?}");
    // What the first left at its end, since it was not in time, the next process delivers.
    let mut rest = orders(3);
    (rest["turns"], rest["drain"]) = (json!(0), json!(120));
    crash::run_to_the_end(&parts, &rest).unwrap();
    let promised: Vec<_> = said.iter().flat_map(|ended| accepted(&ended.said)).collect();
    assert_eq!(promised.len(), 1000);
    let found = check(&promised, &arrived(&scene.data()));
    assert_eq!((found.delivered, found.repeats, found.broken), (1000, 0, Vec::new()));
}

#[test]
fn a_session_that_another_process_takes_up_goes_on_counting_its_turns() {
    let parts = fixtures().crash();
    let scene = crash::home::Scene::new(&parts).unwrap();
    for life in 1..=3 {
        let orders = json!({"home": scene.home().root(), "life": life, "sessions": "s", "writers": 1, "turns": 6,
            "plain": true, "seed": 7, "drain": 60});
        assert_eq!(accepted(&crash::run_to_the_end(&parts, &orders).unwrap()).len(), 6);
    }
    let mut numbers = BTreeMap::<String, Vec<u64>>::new();
    for line in arrived(&scene.data()) {
        numbers.entry(line.of.session).or_default().push(line.number);
    }
    assert_eq!(numbers.values().map(Vec::len).sum::<usize>(), 18);
    for (session, numbers) in numbers {
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "{session}");
    }
}

/// Harms the database of a process that is conversing. What was accepted arrives, or is said to be gone.
#[track_caller]
fn harmed_in_use(what: &str, harm: impl FnOnce(&mut Vec<u8>)) {
    let parts = fixtures().crash();
    let scene = crash::home::Scene::new(&parts).unwrap();
    let home = scene.home();
    let orders = json!({"home": home.root(), "life": 1, "sessions": "s", "writers": 2, "turns": 300, "plain": true,
        "drain": 60});
    let life = begin(&parts, &orders, &[]).unwrap();
    until("some have arrived", || (arrived(&scene.data()).len() > 20).then_some(()));
    let mut bytes = fs::read(home.database()).unwrap();
    let length = bytes.len();
    harm(&mut bytes);
    // In place, as a fault of the disk would.
    let file = fs::OpenOptions::new().write(true).open(home.database()).unwrap();
    file.write_all_at(&bytes, 0).unwrap();
    if bytes.len() < length {
        file.set_len(bytes.len() as u64).unwrap();
    }
    drop(file);
    let ended = life.wait().unwrap();
    assert!(ended.well, "{what}: {}", ended.said);
    // The next process has nothing in its way either.
    let rest = json!({"home": home.root(), "life": 2, "sessions": "t", "writers": 1, "turns": 5, "plain": true,
        "drain": 60});
    let next = crash::run_to_the_end(&parts, &rest).unwrap();
    let said = ended.said + &next;
    let promised = accepted(&said);
    let found = check(&promised, &arrived(&scene.data()));
    let (lost, other): (Vec<_>, Vec<_>) = found.broken.into_iter().partition(|broken| broken.starts_with("lost"));
    let told = said.lines().filter(|line| line.starts_with("lost\t")).count();
    assert_eq!(other, Vec::<String>::new(), "{what}");
    assert!(lost.len() <= told, "{what}: {} are gone and {told} were told of: {lost:?}\n{said}", lost.len());
    assert!(accepted(&next).len() == 5 && !promised.is_empty(), "{what}: {said}");
}

#[test]
fn a_database_that_is_harmed_in_use_costs_nothing_in_silence() {
    harmed_in_use("zeros", |bytes| bytes.fill(0));
    harmed_in_use("half of it", |bytes| bytes.truncate(bytes.len() / 2));
    harmed_in_use("nothing left", Vec::clear);
    harmed_in_use("a page", |bytes| {
        let page = bytes.len() / 8192 * 4096;
        bytes[page..page + 4096].fill(0xaa);
    });
}
