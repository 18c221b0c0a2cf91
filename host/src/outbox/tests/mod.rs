//! Order, retries, dead letters and the bounded end; and what other processes and a broken disk do to them.

mod shared;

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::*;

const LONG: Duration = Duration::from_secs(600);
/// What is tried again is tried at once, so that the order is certain.
const QUICK: RetryPolicy = RetryPolicy { tries: 3, first: Duration::ZERO, longest: Duration::ZERO };
/// What failed is not tried again while the test lasts.
const SLOW: RetryPolicy = RetryPolicy { tries: 3, first: LONG, longest: LONG };

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
        self.tries.lock().unwrap().push(delivery.key.clone());
        if let Some(gate) = &self.gate {
            // The sender is gone: the test is over.
            let _ = gate.lock().unwrap().recv();
        }
        assert_ne!(delivery.key, "panic1");
        let mut script = self.script.lock().unwrap();
        match script.get_mut(&delivery.key) {
            Some(tries) if !tries.is_empty() => {
                Err(DeliveryError { message: format!("{} is down", delivery.key), retry: tries.remove(0) })
            }
            _ => Ok(()),
        }
    }

    fn limit(&self, _kind: &str) -> Duration {
        Duration::from_secs(1)
    }
}

/// `a1` is in lane `a`, `ab1` in lanes `a` and `b`.
fn delivery(key: &str) -> Delivery {
    let lanes = key.chars().filter(|c| c.is_alphabetic()).map(String::from).collect();
    let (what, kind, payload) = (format!("the {key}"), "sync_turn".to_owned(), "{}".to_owned());
    Delivery { key: key.to_owned(), lanes, kind, payload, what, care: Care::MustArrive, turn: None }
}

fn hint(key: &str) -> Delivery {
    Delivery { care: Care::Hint, ..delivery(key) }
}

fn in_memory(deliver: Arc<Scripted>, policy: RetryPolicy) -> Outbox {
    let db = Arc::new(Db::in_memory().unwrap());
    Outbox::open(db, "notes", Some(deliver), policy, Clock::default()).unwrap()
}

fn push(outbox: &Outbox, keys: &[&str]) {
    for key in keys {
        outbox.push(vec![delivery(key)]).unwrap();
    }
}

fn lost(key: &str) -> Lost {
    Lost { what: format!("the {key}"), reason: format!("{key} is down"), kept: true, own: false }
}

#[track_caller]
fn check(script: &[(&str, &[Retry])], pushed: &[&str], tries: &[&str], given_up: &[&str]) {
    let deliver = Scripted::new(script);
    let outbox = in_memory(deliver.clone(), QUICK);
    // In one write, so that the first try does not run before all are there.
    outbox.push(pushed.iter().map(|key| delivery(key)).collect()).unwrap();
    let report = outbox.drain(LONG);
    assert_eq!(deliver.tries(), tries);
    assert_eq!(report.waiting, Vec::<String>::new());
    assert_eq!(report.lost, given_up.iter().map(|key| lost(key)).collect::<Vec<_>>());
    assert_eq!(report.delivered, u64::try_from(pushed.len() - given_up.len()).unwrap());
    assert_eq!(outbox.take_lost(), []);
}

#[test]
fn first_in_first_out() {
    check(&[], &["a1", "b1", "a2", "b2"], &["a1", "b1", "a2", "b2"], &[]);
}

#[test]
fn nothing_of_a_session_overtakes_what_is_tried_again() {
    for again in [Retry::Down, Retry::Counted] {
        check(&[("a1", &[again])], &["a1", "a2", "b1"], &["a1", "a1", "a2", "b1"], &[]);
        check(&[("a1", &[again])], &["a1", "ab1", "b1"], &["a1", "a1", "ab1", "b1"], &[]);
    }
}

#[test]
fn other_sessions_go_on_while_one_waits() {
    let deliver = Scripted::new(&[("a1", &[Retry::Down])]);
    let outbox = in_memory(deliver.clone(), SLOW);
    push(&outbox, &["a1", "a2", "ab1", "b1", "c1"]);
    let report = outbox.settle(LONG / 2);
    assert_eq!((report.delivered, report.held), (1, None));
    assert_eq!(report.waiting, ["the a1", "the a2", "the ab1", "the b1"]);
    assert_eq!(deliver.tries(), ["a1", "c1"]);
}

#[test]
fn what_is_given_up_is_told_once_and_lets_the_rest_go_on() {
    check(&[("a1", &[Retry::Never])], &["a1", "a2"], &["a1", "a2"], &["a1"]);
    check(&[("a1", &[Retry::Counted; 3])], &["a1", "a2"], &["a1", "a1", "a1", "a2"], &["a1"]);
    check(&[("a1", &[Retry::Never])], &["a1", "ab1", "b1"], &["a1", "ab1", "b1"], &["a1"]);
}

#[test]
fn a_provider_that_is_down_or_refuses_everything_costs_no_delivery() {
    check(&[("a1", &[Retry::Down; 20])], &["a1"], &["a1"; 21], &[]);
    check(&[("a1", &[Retry::Hold(None); 20])], &["a1"], &["a1"; 21], &[]);
    let mixed = [Retry::Hold(None), Retry::Counted, Retry::Down, Retry::Counted, Retry::Hold(None), Retry::Down];
    check(&[("a1", &mixed)], &["a1"], &["a1"; 7], &[]);
}

#[test]
fn a_provider_that_refuses_one_is_given_no_other() {
    let deliver = Scripted::new(&[("a1", &[Retry::Hold(None)])]);
    let outbox = in_memory(deliver.clone(), SLOW);
    outbox.push(vec![delivery("a1"), delivery("b1")]).unwrap();
    let report = outbox.settle(LONG / 2);
    assert_eq!((report.delivered, report.held.as_deref()), (0, Some("a1 is down")));
    assert_eq!(report.waiting, ["the a1", "the b1"]);
    assert_eq!(deliver.tries(), ["a1"]);
}

#[test]
fn a_provider_that_names_a_time_is_left_alone_until_then() {
    let deliver = Scripted::new(&[("a1", &[Retry::Hold(Some(Duration::from_millis(30)))])]);
    let outbox = in_memory(deliver.clone(), SLOW);
    push(&outbox, &["a1"]);
    assert!(outbox.drain(LONG).is_complete(), "its own wait would have been longer");
    assert_eq!(deliver.tries(), ["a1", "a1"]);
    let deliver = Scripted::new(&[("a1", &[Retry::Hold(Some(LONG * 100))])]);
    let outbox = in_memory(deliver, SLOW);
    push(&outbox, &["a1"]);
    let hour = Duration::from_secs(3600);
    assert_eq!(outbox.settle(hour - LONG).delivered, 0, "the wait is an hour");
}

#[test]
fn hints_keep_their_place_have_one_try_and_no_report() {
    let deliver = Scripted::new(&[("a1", &[Retry::Down]), ("a3", &[Retry::Counted])]);
    let outbox = in_memory(deliver.clone(), QUICK);
    outbox.push(vec![hint("a1")]).unwrap();
    outbox.push(vec![delivery("a2"), hint("a3")]).unwrap();
    assert_eq!(outbox.drain(LONG), DrainReport { delivered: 1, ..DrainReport::default() });
    assert_eq!(deliver.tries(), ["a1", "a2", "a3"]);
}

#[test]
fn the_end_is_bounded_and_names_what_is_left() {
    let (deliver, go) = Scripted::gated();
    let outbox = in_memory(deliver, QUICK);
    push(&outbox, &["a1", "a2", "b1"]);
    outbox.push(vec![hint("h1")]).unwrap();
    let report = outbox.drain(Duration::from_millis(1));
    assert_eq!(report.waiting, ["the a1", "the a2", "the b1"]);
    assert!(!report.is_complete());
    for _ in 0..4 {
        go.send(()).unwrap();
    }
    let report = outbox.drain(LONG);
    assert_eq!((report.delivered, report.is_complete()), (3, true));
}

#[test]
fn a_hint_is_not_waited_for_at_the_end() {
    let (deliver, go) = Scripted::gated();
    let outbox = in_memory(deliver, QUICK);
    outbox.push(vec![delivery("a1"), hint("a2")]).unwrap();
    go.send(()).unwrap();
    let report = outbox.drain_at_end(LONG);
    assert_eq!((report.delivered, report.is_complete()), (1, true));
}

#[test]
fn what_comes_after_the_close_is_reported() {
    let outbox = in_memory(Scripted::new(&[]), QUICK);
    outbox.close();
    let error = outbox.push(vec![delivery("a1")]).unwrap_err();
    assert_eq!(error.to_string(), "the a1 could not be written down: hermes is ending");
    assert_eq!(outbox.take_lost(), [Lost { reason: "hermes is ending".to_owned(), kept: false, ..lost("a1") }]);
}

/// Cut off, it may have been stored, and would come a second time.
#[test]
fn what_is_under_way_at_the_close_can_be_waited_for() {
    let (deliver, go) = Scripted::gated();
    let outbox = in_memory(deliver.clone(), QUICK);
    push(&outbox, &["a1", "a2"]);
    while deliver.tries().is_empty() {
        std::thread::yield_now();
    }
    outbox.close();
    outbox.finish(Duration::ZERO);
    go.send(()).unwrap();
    outbox.finish(LONG);
    assert_eq!((deliver.tries(), outbox.drain(Duration::ZERO).delivered), (vec!["a1".to_owned()], 1));
}

#[test]
fn without_a_file_what_is_left_at_the_end_is_lost_and_said() {
    let outbox = in_memory(Scripted::new(&[("a1", &[Retry::Down])]), SLOW);
    push(&outbox, &["a1", "a2"]);
    let report = outbox.drain_at_end(LONG / 2);
    assert_eq!(report.waiting, Vec::<String>::new());
    let whats: Vec<_> = report.lost.iter().map(|lost| (lost.what.as_str(), lost.kept)).collect();
    assert_eq!(whats, [("the a1", false), ("the a2", false)]);
}

#[test]
fn a_fault_of_who_delivers_is_counted_and_the_thread_goes_on() {
    let outbox = in_memory(Scripted::new(&[]), QUICK);
    push(&outbox, &["panic1", "x1"]);
    let report = outbox.drain(LONG);
    let whats: Vec<_> = report.lost.iter().map(|lost| (lost.what.as_str(), lost.kept)).collect();
    assert_eq!((report.delivered, whats), (1, vec![("the panic1", true)]));
}

#[test]
fn one_hook_that_is_paused_does_not_hold_up_the_others() {
    let deliver = Scripted::new(&[("a1", &[Retry::NotBefore(UnixMillis::MAX)])]);
    let outbox = in_memory(Arc::clone(&deliver), QUICK);
    push(&outbox, &["a1", "a2", "b1"]);
    let report = outbox.settle(LONG);
    assert_eq!((report.delivered, report.waiting, report.held), (1, vec!["the a1".into(), "the a2".into()], None));
    assert_eq!(deliver.tries(), ["a1", "b1"]);
}
