//! Power that is cut at any moment: what was not synced is gone.

use std::fs;

use hermes_tests::crash::home::Scene;
use hermes_tests::crash::{End, Plan, Survives, begin};
use hermes_tests::fixtures;

use crate::kills::{plan, run, say};

#[track_caller]
fn check(survives: Survives) {
    // Few kills between counts: so the database is made anew, and the power cut meanwhile, more often.
    let figures = run(&Plan { between_counts: 10, ..plan(100, End::PowerCut { survives, ignore: None }) });
    assert!(figures.broken.is_empty(), "{:#?}", figures.broken);
}

#[test]
fn what_was_accepted_outlives_a_power_cut() {
    check(Survives::Nothing);
}

#[test]
fn what_was_accepted_outlives_a_power_cut_that_spares_some_of_the_rest() {
    check(Survives::Some);
}

/// How often a driver with one writer syncs, from its beginning to its end.
fn syncs(turns: u64, archive: bool) -> usize {
    let parts = fixtures().crash();
    let scene = Scene::new(&parts).unwrap();
    if !archive {
        fs::write(scene.home().config_file(), "[memory]\nprovider = \"recorder\"\n[sessions]\nenabled = false\n")
            .unwrap();
    }
    let orders = serde_json::json!({
        "home": scene.home().root(), "life": 1, "sessions": "s", "writers": 1, "turns": turns, "plain": true,
    });
    let count = scene.path("count");
    let variables = [("LD_PRELOAD", &*parts.powerloss), ("POWERLOSS_COUNT", &*count)];
    assert!(begin(&parts, &orders, &variables).unwrap().wait().unwrap().well);
    fs::read(count).unwrap().len()
}

#[test]
fn a_turn_is_archived_with_the_sync_that_it_needs_anyway() {
    let of_turns = |archive| syncs(220, archive) - syncs(20, archive);
    let (with, without) = (of_turns(true), of_turns(false));
    say(&format!("syncs of 200 turns: {with} with the archive, {without} without"));
    // One for each, and those of moving the log into the file now and then.
    assert!((200..=260).contains(&with) && with <= without + without / 10, "{with} {without}");
}

#[test]
fn the_layer_would_notice_a_log_that_is_not_synced() {
    let figures = run(&plan(60, End::PowerCut { survives: Survives::Nothing, ignore: Some("hermes.db-wal") }));
    assert!(figures.broken.iter().any(|broken| broken.starts_with("lost: ")), "{figures}\n{:#?}", figures.broken);
}
