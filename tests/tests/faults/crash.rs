//! Panics, which both loaders survive, and ends of a process, which only a worker survives.

use hermes_host::plugins::hooks::CallError;
use hermes_host::plugins::load::Isolation;
use hermes_tests::{BOTH, Provider, Setup, log, wait};

/// The deed crashes the provider with one cause; the next call is answered, and one crash is counted.
#[track_caller]
fn check(isolation: Isolation, deed: &str, causes: &[&str]) {
    let provider = Setup::faulty(isolation).open();
    let error = provider.recall(deed).unwrap_err();
    let CallError::Crashed { hook, reason, .. } = &error else { panic!("{isolation:?} {deed}: {error}") };
    assert_eq!(*hook, "prefetch");
    for cause in causes {
        assert_eq!(reason.matches(cause).count(), 1, "{isolation:?} {deed}: {reason}");
    }
    provider.still_answers();
    assert_eq!(crashes(&provider), 1, "{deed}");
}

/// How many crashes are on record: as many as it takes fewer to be in quarantine.
fn crashes(provider: &Provider) -> usize {
    use hermes_host::plugins::health::Incident;
    let mut added = 0;
    while provider.health.quarantine().is_none() {
        provider.health.incident(Incident::Crash, "added by the test");
        added += 1;
    }
    provider.health.quarantine().map_or(0, |quarantine| quarantine.crashes) - added
}

#[test]
fn a_panic_is_told_with_message_and_place() {
    for isolation in BOTH {
        check(
            isolation,
            "panic привет",
            &["the provider panicked: it hit a wall: привет (at tests/faulty/src/deeds.rs:"],
        );
    }
}

#[test]
fn a_panic_without_a_text() {
    for isolation in BOTH {
        check(isolation, "panic-number", &["a panic without a message (at tests/faulty/src/deeds.rs:"]);
    }
}

#[test]
fn a_payload_that_panics_when_it_is_dropped() {
    for isolation in BOTH {
        check(isolation, "panic-payload", &["a panic without a message"]);
    }
}

#[test]
fn a_panic_that_goes_on_after_another_was_caught() {
    for isolation in BOTH {
        check(isolation, "panic-resumed", &["this one is"]);
    }
}

#[test]
fn a_thread_of_the_provider_may_panic_without_harm() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).open();
        assert_eq!(provider.recall("panic-thread").unwrap(), "the thread ended well: false");
        provider.still_answers();
        if isolation == Isolation::Process {
            let log = provider.log();
            let line = log.iter().find(|record| record.message.contains("a thread hit a wall")).unwrap();
            assert!(line.message.contains("deeds.rs:") && line.level == "error", "{line:?}");
        }
    }
}

#[test]
fn calls_that_wait_behind_a_panic_are_made_on_the_next_instance() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).open();
        std::thread::scope(|scope| {
            // One call holds the instance, so that it lives on poisoned while the others arrive.
            let held = scope.spawn(|| provider.recall("wait-deaf"));
            provider.until_started("wait-deaf", 1);
            provider.recall("panic now").unwrap_err();
            let others: Vec<_> = (0..8).map(|_| scope.spawn(|| provider.recall("as ever"))).collect();
            for other in others {
                assert_eq!(other.join().unwrap().unwrap(), "as ever");
            }
            provider.release();
            assert_eq!(held.join().unwrap().unwrap(), "released");
        });
        assert_eq!(crashes(&provider), 1);
    }
}

#[test]
fn a_panic_at_opening_is_told_and_does_no_harm() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).setting("at_open", "panic early").loaded();
        for _ in 0..2 {
            let error = provider.recall("anything").unwrap_err();
            let CallError::Unloadable { reason, .. } = &error else { panic!("{error}") };
            assert!(error.is_retryable(), "the next opening may succeed: no turn is lost to this one");
            assert_eq!(reason.matches("it hit a wall: early (at tests/faulty/src/deeds.rs:").count(), 1, "{reason}");
        }
        // A second call within a few seconds is answered from memory.
        assert_eq!(crashes(&provider), 1);
        Setup::faulty(isolation).open().still_answers();
    }
}

#[test]
fn an_error_at_opening_is_told() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).setting("at_open", "error unauthorized").loaded();
        let error = provider.recall("anything").unwrap_err();
        assert!(error.to_string().contains("told to fail: unauthorized"), "{error}");
        assert_eq!(crashes(&provider), 0);
    }
}

#[test]
fn a_panic_in_the_drop_is_told_by_close() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).setting("at_drop", "panic at the end").open();
        let problem = provider.loaded.close().problem.unwrap();
        assert!(problem.contains("it hit a wall: at the end (at tests/faulty/src/deeds.rs:"), "{problem}");
        assert_eq!(provider.loaded.close().problem, None);
    }
}

#[test]
fn a_panic_in_the_drop_after_a_panic_does_no_harm() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).setting("at_drop", "panic at the end").open();
        let error = provider.recall("panic first").unwrap_err();
        assert!(error.to_string().contains("it hit a wall: first"), "{error}");
        provider.still_answers();
    }
}

#[test]
fn an_abort() {
    check(Isolation::Process, "abort", &["signal 6 (SIGABRT)"]);
}

#[test]
fn a_segmentation_fault() {
    check(Isolation::Process, "segfault", &["signal 11 (SIGSEGV)"]);
}

#[test]
fn a_stack_overflow() {
    check(Isolation::Process, "overflow", &["signal 6 (SIGABRT)", "stack overflow"]);
}

#[test]
fn an_exit_with_success() {
    check(Isolation::Process, "exit", &["its worker ended with status 0"]);
}

#[test]
fn an_allocation_that_cannot_be() {
    check(Isolation::Process, "allocate", &["signal 6 (SIGABRT)", "memory allocation of"]);
}

#[test]
fn a_crash_is_counted_once_however_many_calls_were_in_flight() {
    let provider = Setup::faulty(Isolation::Process).open();
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..6).map(|_| scope.spawn(|| provider.recall("wait-deaf"))).collect();
        provider.until_started("wait-deaf", 2);
        kill(provider_process(&provider));
        // One that came only after the end is made in the next worker.
        provider.release();
        let outcomes: Vec<_> = waiting.into_iter().map(|call| call.join().unwrap()).collect();
        let told = outcomes
            .iter()
            .filter(|outcome| outcome.as_ref().is_err_and(|error| error.to_string().contains("signal 9 (SIGKILL)")));
        let released = outcomes.iter().filter(|outcome| outcome.as_ref().is_ok_and(|text| text == "released"));
        let (told, released) = (told.count(), released.count());
        assert!(told >= 2 && told + released == 6, "{outcomes:?}");
    });
    provider.still_answers();
    assert_eq!(crashes(&provider), 1);
}

#[test]
fn a_worker_that_was_killed_between_calls_is_replaced_unnoticed_but_counted() {
    let provider = Setup::faulty(Isolation::Process).open();
    let pid = provider.process();
    kill(pid);
    // Not a zombie any more: the host knows.
    let process = std::path::PathBuf::from(format!("/proc/{pid}"));
    wait::until("the host has noticed", || (!process.exists()).then_some(()));
    provider.still_answers();
    assert_ne!(provider.process(), pid);
    assert_eq!(crashes(&provider), 1);
    assert!(log::contains("signal 9 (SIGKILL)"));
}

/// The worker's process, read from what the provider noted: a call would have to wait behind those that hang.
fn provider_process(provider: &Provider) -> u32 {
    provider.started().split(' ').next().and_then(|pid| pid.parse().ok()).unwrap()
}

fn kill(pid: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
}
