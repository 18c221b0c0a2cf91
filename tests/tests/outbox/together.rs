//! Several processes on one home, none of which is killed.

use hermes_tests::crash::{self, accepted, arrived, begin, check};
use hermes_tests::fixtures;
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
