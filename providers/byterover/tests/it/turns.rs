//! What is said, handed over once, and the flush before a window is folded.

use hermes_provider_api::records::{Context, Message, PreCompress, Role, Turn};
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _, ProviderError};
use serde_json::json;

use crate::support::{Case, down};

fn turn(case: &Case, key: &str, messages: &[(Role, &str)]) -> Turn {
    Turn {
        caller: case.caller.clone(),
        idempotency_key: key.to_owned(),
        messages: messages.iter().map(|(role, text)| Message::new(*role, *text)).collect(),
        ..Turn::default()
    }
}

const SAID: [(Role, &str); 4] = [
    (Role::User, "Mirabel keeps bees"),
    (Role::Assistant, "Let me look that up, one moment"),
    (Role::Tool, "{\"rows\": 4711}"),
    (Role::Assistant, "I will remember the bees."),
];

#[test]
fn a_turn_is_curated_once_and_without_what_was_said_on_the_way() {
    let case = Case::new();
    for key in ["s:1", "s:1", "s:2", "s:1"] {
        case.provider.sync_turn(&turn(&case, key, &SAID), &Call::default()).unwrap();
    }
    assert_eq!(case.curated(), 2);
    let asked = case.asked.lock().unwrap();
    // Every user of the machine may read arguments.
    assert!(asked.iter().all(|asked| !asked.args.concat().contains("Mirabel")), "{asked:?}");
    assert!(asked.iter().all(|asked| asked.folder == "private" && asked.program == "brv"), "{asked:?}");
    drop(asked);
    let found = case.recall("What does Mirabel keep?").concat();
    assert!(found.contains("Mirabel keeps bees") && !found.contains("4711") && !found.contains("moment"), "{found}");
}

#[test]
fn what_was_broken_off_or_says_nothing_is_left_out() {
    let case = Case::new();
    let broken = Turn { interrupted: true, ..turn(&case, "s:1", &[(Role::User, "Mirabel keeps bees")]) };
    case.provider.sync_turn(&broken, &Call::default()).unwrap();
    case.provider
        .sync_turn(&turn(&case, "s:2", &[(Role::User, "thanks!"), (Role::Assistant, "Sure.")]), &Call::default())
        .unwrap();
    assert_eq!(case.curated(), 0);
}

/// What the host is told decides whether a turn waits or dies.
#[test]
fn what_brv_cannot_do_now_waits() {
    let missing = |_: &_, _: &_| Err(ProviderError::not_found("the program `brv` is not installed"));
    let case = Case::with(json!({}), missing);
    let error = case.provider.sync_turn(&turn(&case, "s:1", &SAID), &Call::default()).unwrap_err();
    assert_eq!((error.kind, error.retryable), (ErrorKind::Unavailable, true));
    assert!(case.provider.unavailable_reason().unwrap().contains("npm install -g byterover-cli"));
    let case = Case::with(json!({}), down);
    let error = case.provider.sync_turn(&turn(&case, "s:1", &SAID), &Call::default()).unwrap_err();
    assert_eq!((error.kind, error.retryable), (ErrorKind::Timeout, true));
    // A call whose time is up runs nothing.
    let asked = case.asked.lock().unwrap().len();
    let late = Call::new(Some(std::time::Duration::ZERO), 0, || false);
    assert!(case.provider.sync_turn(&turn(&case, "s:2", &SAID), &late).is_err());
    assert_eq!(case.asked.lock().unwrap().len(), asked);
}

#[test]
fn a_window_is_flushed_before_it_is_folded() {
    let case = Case::new();
    let messages: Vec<_> = SAID.iter().map(|(role, text)| Message::new(*role, *text)).collect();
    let compress = PreCompress { caller: case.caller.clone(), messages };
    let note = case.provider.on_pre_compress(&compress, &Call::default()).unwrap();
    assert_eq!((note.text.as_str(), case.curated()), ("", 1));
    let queued = case.asked.lock().unwrap().iter().all(|asked| asked.args.contains(&"--detach".to_owned()));
    assert!(queued, "the agent waits for it, and not for a model");
    let mut read_only = compress.clone();
    read_only.caller.context = Context::Subagent;
    case.provider.on_pre_compress(&read_only, &Call::default()).unwrap();
    assert_eq!(case.curated(), 1);
    let off = Case::configured(json!({"auto_extract": false}));
    off.provider.on_pre_compress(&compress, &Call::default()).unwrap();
    off.provider.sync_turn(&turn(&off, "s:1", &SAID), &Call::default()).unwrap();
    assert_eq!(off.curated(), 0);
}
