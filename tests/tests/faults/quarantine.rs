//! A provider that fails or crashes again and again is left alone.

use hermes_host::plugins::hooks::CallError;
use hermes_provider_api::Hook;
use hermes_provider_api::records::{Health, Message, Role, Turn};
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
fn errors_that_may_pass_pause_a_hook_and_those_of_the_caller_do_not() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).open();
        let is_paused = || matches!(provider.recall("as ever"), Err(CallError::Paused { .. }));
        for kind in ["invalid_input", "unauthorized", "denied"] {
            (0..3).for_each(|_| drop(provider.recall(&format!("error {kind}")).unwrap_err()));
            assert!(!is_paused(), "{isolation:?}: {kind} would not pass by waiting");
        }
        // The first of them show that the provider is there, so it is not yet three in a row.
        for deed in ["error unavailable", "error storage", "error not_found", "error unavailable", "error quota"] {
            provider.recall(deed).unwrap_err();
        }
        provider.recall("error rate_limited").unwrap_err();
        let error = provider.recall("as ever").unwrap_err();
        let CallError::Paused { reason, .. } = &error else { panic!("{isolation:?}: {error}") };
        assert_eq!(reason, "3 failed calls: told to fail: rate_limited");
        // What is delivered in the background has a back-off of its own.
        let turn = |text: &str| Turn { messages: vec![Message::new(Role::User, text)], ..Turn::default() };
        for _ in 0..4 {
            let error = provider.hooks().ask::<()>(Hook::SyncTurn, &turn("error unavailable")).unwrap_err();
            assert!(matches!(error, CallError::Failed { .. }), "{error}");
        }
        provider.hooks().ask::<()>(Hook::SyncTurn, &turn("as ever")).unwrap();
        assert!(is_paused());
        provider.hooks().ask::<Health>(Hook::Health, &()).unwrap();
        provider.still_answers();
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
