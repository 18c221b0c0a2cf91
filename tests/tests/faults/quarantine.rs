//! A provider that crashes again and again is left alone.

use hermes_host::plugins::hooks::CallError;
use hermes_tests::{BOTH, Setup};

#[test]
fn three_crashes_then_one_try_per_session() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).loaded();
        let paused = || match provider.recall("as ever") {
            Err(CallError::Paused { reason, .. }) => reason,
            other => panic!("{isolation:?}: {other:?}"),
        };
        for round in 1..=3 {
            provider.recall(&format!("panic round {round}")).unwrap_err();
        }
        let reason = paused();
        assert!(reason.starts_with("3 crashes, the last: the provider panicked: it hit a wall: round 3"), "{reason}");
        paused();

        // The next session may try, and goes on as long as it works.
        provider.hooks().session_begins();
        provider.still_answers();
        provider.still_answers();

        // One more crash ends the try.
        provider.recall("panic round 4").unwrap_err();
        let reason = paused();
        assert!(reason.starts_with("4 crashes, the last: the provider panicked: it hit a wall: round 4"), "{reason}");
    }
}

#[test]
fn a_provider_that_comes_in_quarantine_is_tried_once() {
    use hermes_host::plugins::health::Incident;
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).loaded();
        for _ in 0..3 {
            provider.health.incident(Incident::Crash, "in an earlier process");
        }
        provider.still_answers();
        provider.recall("panic again").unwrap_err();
        assert!(matches!(provider.recall("as ever"), Err(CallError::Paused { .. })));
    }
}

#[test]
fn crashes_at_opening_count() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).setting("at_open", "panic early").loaded();
        provider.recall("as ever").unwrap_err();
        let quarantine = provider.health.quarantine();
        assert!(quarantine.is_none(), "one crash is not enough: {quarantine:?}");
    }
}
