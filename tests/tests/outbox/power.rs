//! Power that is cut at any moment: what was not synced is gone.

use hermes_tests::crash::{End, Plan, Survives};

use crate::kills::{plan, run};

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

#[test]
fn the_layer_would_notice_a_log_that_is_not_synced() {
    let figures = run(&plan(60, End::PowerCut { survives: Survives::Nothing, ignore: Some("hermes.db-wal") }));
    assert!(figures.broken.iter().any(|broken| broken.starts_with("lost: ")), "{figures}\n{:#?}", figures.broken);
}
