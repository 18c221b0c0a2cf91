//! Calls that do not end in time. Outcomes and their order are checked, never how long something took.

use std::sync::mpsc::channel;
use std::time::Duration;

use hermes_host::plugins::hooks::{CallError, Late};
use hermes_host::plugins::load::Isolation;
use hermes_provider_api::records::{Message, Role, Turn};
use hermes_provider_api::{Hook, records::Health};
use hermes_tests::provider::query_of;
use hermes_tests::{BOTH, Provider, Setup, log, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// The deadline of the hook that is made to miss it; all others have a minute.
const SHORT: Duration = Duration::from_millis(50);

/// `queue_prefetch` is the hook that hangs.
fn hanging(isolation: Isolation) -> Setup {
    Setup::faulty(isolation).limit(Hook::QueuePrefetch, SHORT)
}

#[track_caller]
fn times_out(provider: &Provider, deed: &str) {
    let error = provider.queue(deed).unwrap_err();
    assert_eq!(error.to_string(), "`faulty` did not answer queue_prefetch within 50 ms");
}

#[test]
fn a_call_that_can_be_cancelled() {
    for isolation in BOTH {
        let provider = hanging(isolation).open();
        times_out(&provider, "wait");
        provider.still_answers();
        // It ends by itself, though nobody said `release`: the instance can be dropped.
        assert_eq!(provider.loaded.close().problem, None);
        wait::until("the instance is dropped", || provider.started().contains(" drop").then_some(()));
    }
}

#[test]
fn closing_waits_for_a_call_that_holds_the_provider() {
    for isolation in BOTH {
        let provider = hanging(isolation).open();
        times_out(&provider, "wait-deaf");
        std::thread::scope(|scope| {
            let closing = scope.spawn(|| provider.loaded.close());
            wait::until("closing has begun", || provider.recall("anything").is_err().then_some(()));
            provider.release();
            assert_eq!(closing.join().unwrap().problem, None);
        });
        assert!(provider.started().contains(" drop"), "{}", provider.started());
    }
}

#[test]
fn a_call_that_does_not_listen() {
    for isolation in BOTH {
        let provider = hanging(isolation).open();
        times_out(&provider, "wait-deaf");
        provider.still_answers();
        provider.release();
    }
}

#[test]
fn a_late_answer_is_handed_on() {
    for isolation in BOTH {
        let provider = hanging(isolation).open();
        let (send, receive) = channel();
        let late: Late = Box::new(move |answer| send.send(answer).unwrap());
        let request = serde_json::to_vec(&query_of("wait-deaf")).unwrap();
        let error = provider.hooks().call(Hook::QueuePrefetch, &request, Some(late)).unwrap_err();
        assert!(matches!(error, CallError::Timeout { .. }), "{error}");
        assert!(receive.try_recv().is_err(), "nothing has answered yet");
        provider.release();
        assert_eq!(receive.recv_timeout(wait::PATIENCE).unwrap(), b"null");
    }
}

#[test]
fn a_late_error_is_no_late_answer() {
    for isolation in BOTH {
        let provider = hanging(isolation).open();
        let (send, receive) = channel::<Vec<u8>>();
        let late: Late = Box::new(move |answer| send.send(answer).unwrap());
        let request = serde_json::to_vec(&query_of("wait")).unwrap();
        provider.hooks().call(Hook::QueuePrefetch, &request, Some(late)).unwrap_err();
        // The call was cancelled, and says so.
        assert!(receive.recv_timeout(wait::PATIENCE).is_err());
        provider.still_answers();
    }
}

#[test]
fn three_timeouts_pause_a_hook_until_the_provider_is_healthy() {
    for isolation in BOTH {
        let provider = hanging(isolation).open();
        for _ in 0..3 {
            times_out(&provider, "wait");
            // Another hook that works makes this one no faster.
            provider.still_answers();
        }
        let error = provider.queue("anything").unwrap_err();
        let CallError::Paused { reason, until, .. } = &error else { panic!("{error}") };
        assert_eq!(reason, "3 timeouts: no answer within 50 ms");
        assert!(*until > hermes_tests::provider::NOW);
        assert!(provider.health.quarantine().is_none(), "a provider that is slow has not crashed");
        provider.still_answers();
        let health: Health = provider.hooks().ask(Hook::Health, &()).unwrap();
        assert!(health.ok);
        // It is tried again.
        times_out(&provider, "wait");
    }
}

#[test]
fn past_the_late_limit_a_thread_is_written_off_and_replaced() {
    let provider = hanging(Isolation::InProcess).late(SHORT).open();
    // Both threads of its pool.
    times_out(&provider, "wait-deaf");
    times_out(&provider, "wait-deaf");
    provider.still_answers();
    provider.release();
}

#[test]
fn past_the_late_limit_a_worker_is_ended_and_other_reads_are_made_again() {
    let provider = hanging(Isolation::Process).late(SHORT).open();
    let first = provider.process();
    std::thread::scope(|scope| {
        let read = scope.spawn(|| provider.recall("wait-deaf"));
        provider.until_started("prefetch wait-deaf", 1);
        times_out(&provider, "wait-deaf ");
        // The read begins a second time, in another process.
        wait::until("the read is made again", || {
            (provider.started().matches(" prefetch wait-deaf\n").count() == 2).then_some(())
        });
        provider.release();
        assert_eq!(read.join().unwrap().unwrap(), "released");
    });
    assert!(!wait::is_alive(first));
    assert_ne!(provider.process(), first);
    assert!(provider.health.quarantine().is_none(), "the host ended it, so it did not crash");
}

#[test]
fn past_the_late_limit_a_write_is_not_made_again() {
    let provider = hanging(Isolation::Process).late(SHORT).open();
    let turn = Turn { messages: vec![Message::new(Role::User, "wait-deaf")], ..Turn::default() };
    std::thread::scope(|scope| {
        let write = scope.spawn(|| provider.hooks().ask::<Value>(Hook::SyncTurn, &turn));
        provider.until_started("sync_turn wait-deaf", 1);
        times_out(&provider, "wait-deaf");
        let error = write.join().unwrap().unwrap_err();
        let expect = "sync_turn of `faulty` was cut off: a call ran on past its late limit, and the host ended it";
        assert_eq!(error.to_string(), expect);
        assert!(error.is_retryable());
    });
    provider.still_answers();
    assert_eq!(provider.started().matches("sync_turn").count(), 1);
}

#[test]
fn after_a_worker_was_ended_the_next_call_opens_another() {
    let provider = hanging(Isolation::Process).late(SHORT).open();
    let first = provider.process();
    times_out(&provider, "wait-deaf");
    wait::until("the worker was ended", || (!wait::is_alive(first)).then_some(()));
    provider.still_answers();
    assert!(log::contains("queue_prefetch did not end"));
}

#[test]
fn a_worker_that_was_stopped_is_ended() {
    let provider = hanging(Isolation::Process).late(SHORT).open();
    let pid = provider.process();
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::STOP).unwrap();
    times_out(&provider, "as ever");
    wait::until("the worker was ended", || (!wait::is_alive(pid)).then_some(()));
    provider.still_answers();
}

#[test]
fn opening_has_a_deadline_too() {
    for isolation in BOTH {
        let setup = Setup::faulty(isolation).setting("at_open", "wait-deaf").limit(Hook::Health, SHORT);
        let provider = setup.loaded();
        let error = provider.recall("anything").unwrap_err();
        assert_eq!(error.to_string(), "`faulty` cannot be loaded: it did not open within 0.05 s");
        provider.release();
    }
}

#[test]
fn a_drop_that_hangs_is_told_by_close() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).setting("at_drop", "wait-deaf").limit(Hook::Shutdown, SHORT).open();
        let problem = provider.loaded.close().problem.unwrap();
        // A busy machine may already miss the deadline of the shutdown.
        let expect = ["its drop did not end in time", "it did not shut down in time"];
        assert!(expect.contains(&problem.as_str()), "{problem}");
        provider.release();
    }
}

#[test]
fn a_drop_that_hangs_after_a_panic_holds_no_caller_up() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).setting("at_drop", "wait-deaf").open();
        provider.recall("panic").unwrap_err();
        provider.still_answers();
        provider.release();
    }
}

#[test]
fn closing_does_not_wait_for_a_call_for_ever() {
    for isolation in BOTH {
        let provider = hanging(isolation).limit(Hook::Shutdown, SHORT).open();
        times_out(&provider, "wait-deaf");
        times_out(&provider, "wait-deaf");
        provider.loaded.close();
        let error = provider.recall("anything").unwrap_err();
        assert!(matches!(error, CallError::Unloadable { .. }), "{error}");
        provider.release();
    }
}
