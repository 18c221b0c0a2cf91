//! Order, retries, losses and the bounded end.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::*;

const LONG: Duration = Duration::from_secs(600);
/// What is tried again is tried at once, so that the order is certain.
const QUICK: RetryPolicy = RetryPolicy { tries: 3, first: Duration::ZERO, longest: Duration::ZERO };

/// Notes every try, and fails as the script says: the outcomes of each delivery's tries, then success.
#[derive(Default)]
struct Scripted {
    tries: Mutex<Vec<String>>,
    script: Mutex<BTreeMap<String, Vec<Retry>>>,
    gate: Option<Mutex<Receiver<()>>>,
}

impl Scripted {
    fn new(script: &[(&str, &[Retry])]) -> Arc<Self> {
        let script = script.iter().map(|(key, tries)| ((*key).to_owned(), tries.to_vec())).collect();
        Arc::new(Self { script: Mutex::new(script), ..Self::default() })
    }

    /// Each try waits for a word.
    fn gated() -> (Arc<Self>, Sender<()>) {
        let (go, gate) = channel();
        (Arc::new(Self { gate: Some(Mutex::new(gate)), ..Self::default() }), go)
    }

    fn tries(&self) -> Vec<String> {
        self.tries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Deliver for Scripted {
    fn deliver(&self, delivery: &Delivery) -> Result<(), DeliveryError> {
        if let Some(gate) = &self.gate {
            // The sender is gone: the test is over.
            let _ = gate.lock().unwrap().recv();
        }
        self.tries.lock().unwrap().push(delivery.key.clone());
        let mut script = self.script.lock().unwrap();
        match script.get_mut(&delivery.key) {
            Some(tries) if !tries.is_empty() => {
                Err(DeliveryError { message: format!("{} is down", delivery.key), retry: tries.remove(0) })
            }
            _ => Ok(()),
        }
    }
}

/// `a1` is in lane `a`, `ab1` in lanes `a` and `b`.
fn delivery(key: &str) -> Delivery {
    let lanes = key.chars().filter(|c| c.is_alphabetic()).map(String::from).collect();
    let what = format!("the {key}");
    let care = Care::MustArrive;
    Delivery { key: key.to_owned(), lanes, kind: "sync_turn".to_owned(), payload: "{}".to_owned(), what, care }
}

#[track_caller]
fn check(script: &[(&str, &[Retry])], pushed: &[&str], tries: &[&str], lost: &[&str]) {
    let deliver = Scripted::new(script);
    let outbox = Outbox::open(deliver.clone(), QUICK).unwrap();
    for key in pushed {
        outbox.push(delivery(key));
    }
    let report = outbox.drain(LONG);
    assert_eq!(deliver.tries(), tries);
    assert_eq!(report.undelivered, Vec::<String>::new());
    assert_eq!(report.lost.iter().map(|lost| lost.what.as_str()).collect::<Vec<_>>(), lost);
    assert_eq!(report.delivered, u64::try_from(pushed.len() - lost.len()).unwrap());
    assert_eq!(outbox.take_lost(), []);
}

const LATER: Retry = Retry::Later(None);

#[test]
fn first_in_first_out() {
    check(&[], &["a1", "b1", "a2", "b2"], &["a1", "b1", "a2", "b2"], &[]);
}

#[test]
fn nothing_of_a_session_overtakes_what_is_tried_again() {
    check(&[("a1", &[LATER])], &["a1", "a2", "b1"], &["a1", "a1", "a2", "b1"], &[]);
    check(&[("a1", &[LATER])], &["a1", "ab1", "b1"], &["a1", "a1", "ab1", "b1"], &[]);
}

#[test]
fn other_sessions_go_on_while_one_waits() {
    let deliver = Scripted::new(&[("a1", &[LATER])]);
    let outbox = Outbox::open(deliver.clone(), RetryPolicy { first: LONG, longest: LONG, ..QUICK }).unwrap();
    for key in ["a1", "a2", "ab1", "b1", "c1"] {
        outbox.push(delivery(key));
    }
    let mut report = DrainReport::default();
    while report.delivered < 1 {
        report = outbox.drain(Duration::from_millis(1));
    }
    assert_eq!(report.undelivered, ["the a1", "the a2", "the ab1", "the b1"]);
    assert_eq!(deliver.tries(), ["a1", "c1"]);
}

#[test]
fn what_is_given_up_is_told_once_and_lets_the_rest_go_on() {
    check(&[("a1", &[Retry::Never])], &["a1", "a2"], &["a1", "a2"], &["the a1"]);
    check(&[("a1", &[LATER, LATER, LATER])], &["a1", "a2"], &["a1", "a1", "a1", "a2"], &["the a1"]);
}

#[test]
fn a_pause_does_not_count_as_a_try() {
    let script = [Retry::Paused, LATER, Retry::Paused, LATER, Retry::Paused];
    check(&[("a1", &script)], &["a1"], &["a1"; 6], &[]);
}

#[test]
fn a_wait_that_the_provider_asks_for_is_bounded() {
    check(&[("a1", &[Retry::Later(Some(LONG))])], &["a1", "a2"], &["a1", "a1", "a2"], &[]);
}

#[test]
fn a_hint_has_one_try_and_no_report() {
    let deliver = Scripted::new(&[("a1", &[LATER])]);
    let outbox = Outbox::open(deliver.clone(), QUICK).unwrap();
    outbox.push(Delivery { care: Care::Hint, ..delivery("a1") });
    outbox.push(delivery("a2"));
    assert_eq!(outbox.drain(LONG), DrainReport { delivered: 1, ..DrainReport::default() });
    assert_eq!(deliver.tries(), ["a1", "a2"]);
}

#[test]
fn the_end_is_bounded_and_names_what_is_left() {
    let (deliver, go) = Scripted::gated();
    let outbox = Outbox::open(deliver, QUICK).unwrap();
    for key in ["a1", "a2", "b1"] {
        outbox.push(delivery(key));
    }
    outbox.push(Delivery { care: Care::Hint, ..delivery("h1") });
    let report = outbox.drain(Duration::from_millis(1));
    assert_eq!(report.undelivered, ["the a1", "the a2", "the b1"]);
    assert!(!report.is_complete());
    for _ in 0..4 {
        go.send(()).unwrap();
    }
    let report = outbox.drain(LONG);
    assert_eq!((report.delivered, report.is_complete()), (3, true));
}

#[test]
fn what_comes_after_the_close_is_reported() {
    let outbox = Outbox::open(Scripted::new(&[]), QUICK).unwrap();
    outbox.close();
    outbox.push(delivery("a1"));
    let lost = Lost { what: "the a1".to_owned(), reason: "hermes is shutting down".to_owned() };
    assert_eq!(outbox.drain(LONG).lost, [lost]);
}

#[test]
fn a_paused_provider_is_not_waited_for_between_turns() {
    let deliver = Scripted::new(&[("a1", &[Retry::Paused])]);
    let outbox = Outbox::open(deliver, RetryPolicy { first: LONG, longest: LONG, ..QUICK }).unwrap();
    outbox.push(delivery("a1"));
    outbox.push(delivery("a2"));
    assert_eq!(outbox.settle(LONG).undelivered, ["the a1", "the a2"]);
}

#[test]
fn a_hint_is_not_waited_for_at_the_end() {
    let (deliver, go) = Scripted::gated();
    let outbox = Outbox::open(deliver, QUICK).unwrap();
    outbox.push(delivery("a1"));
    outbox.push(Delivery { care: Care::Hint, ..delivery("a2") });
    go.send(()).unwrap();
    let report = outbox.drain_at_end(LONG);
    assert_eq!((report.delivered, report.is_complete()), (1, true));
}
