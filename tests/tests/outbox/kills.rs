//! Processes that are killed at any moment.

use std::io::Write as _;

use hermes_tests::crash::{self, Dice, End, Figures, Plan};
use hermes_tests::fixtures;

/// For who runs the tests.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

pub(crate) fn run(plan: &Plan) -> Figures {
    say(&format!("HERMES_CRASH_SEED={}", plan.seed));
    let figures = crash::run(plan, &fixtures().crash(), &|_| {}).unwrap();
    say(&figures.to_string());
    figures
}

pub(crate) fn plan(kills: u32, end: End) -> Plan {
    let seed = Dice::seed("HERMES_CRASH_SEED");
    Plan { kills, between_counts: 50, seed, at_once: 1, worker: false, end }
}

#[test]
fn five_hundred_kills_lose_nothing_and_double_nothing() {
    // Two processes at a time, so that one takes over from the other.
    let figures = run(&Plan { at_once: 2, ..plan(500, End::Killed) });
    assert!(figures.broken.is_empty(), "{:#?}", figures.broken);
    let Figures { while_opening, while_talking, while_ending, .. } = figures;
    assert!(while_opening > 0 && while_talking > 0 && while_ending > 0, "{figures}");
}

#[test]
fn the_same_with_providers_in_workers() {
    let figures = run(&Plan { worker: true, ..plan(40, End::Killed) });
    assert!(figures.broken.is_empty(), "{:#?}", figures.broken);
}
