//! Hermes delivers at least once: after a crash or a timeout the same thing comes again, with the same key.

use serde_json::json;

use super::super::bench::{Instance, Outcome, Room, describe};
use super::super::memories::Memory;
use super::super::requests::{private, request};
use super::super::subject::Failure;
use super::Way;
use crate::records::Caller;
use crate::{Hook, Interface};

/// Every delivery comes twice, and once more after hermes was started anew.
///
/// Same key, same text, same caller. A user would see one memory two times, and three times after the next crash. An import
/// is left out: it is the user's own doing, and has no key.
///
/// The provider may recognise a repetition by its key or by its text, and answer it as it likes but for an error. For
/// `remember`, which has no key, a second entry is a warning.
pub(super) fn twice(room: &Room<'_>) -> Outcome {
    let ways: Vec<_> = room.bench.ways()?.into_iter().filter(|way| *way != Way::Import).collect();
    if ways.is_empty() {
        return Err("nothing that it lists is delivered twice");
    }
    let Some(instance) = room.open() else { return Ok(()) };
    let ann = private("ann");
    let mut told: Vec<(Way, Memory)> = Vec::new();
    for way in ways {
        let Some(memory) = instance.learn(way, &ann) else { continue };
        let before = instance.find(&ann, &memory).times();
        again(&instance, way, &ann, &memory);
        compare(&instance, way, &ann, &memory, before);
        told.push((way, memory));
    }
    instance.end();
    let Some(instance) = room.open() else { return Ok(()) };
    for (way, memory) in told {
        let before = instance.find(&ann, &memory).times();
        again(&instance, way, &ann, &memory);
        compare(&instance, way, &ann, &memory, before);
    }
    instance.end();
    Ok(())
}

/// Delivers the same thing under the same key once more.
fn again(instance: &Instance<'_>, way: Way, who: &Caller, memory: &Memory) {
    let key = format!("kit:{}", memory.marker);
    if let Err(failure @ Failure::Error(_)) = instance.store(way, who, &memory.text, &key) {
        let text =
            format!("{} that is delivered again is refused, and reported as lost: {}", way.noun(), describe(&failure));
        instance.room.warn(text, "answer a known idempotency key as the first time");
    }
}

/// Finds fault where a memory is there more often than `before`, or than once.
fn compare(instance: &Instance<'_>, way: Way, who: &Caller, memory: &Memory, before: usize) {
    if instance.find(who, memory).times() <= before.max(1) {
        return;
    }
    match way {
        Way::Remember => instance.room.warn(
            "what the user asks to be kept twice is there twice",
            "answer the entry that is known, with `existed`",
        ),
        _ => instance.room.error(
            format!("a second delivery of {} is stored twice: a user sees the same memory two times", way.noun()),
            "remember the idempotency key with what is stored, in the same transaction",
        ),
    }
}

/// Turns in two sessions, a switch, a way back, and their ends.
///
/// Everything that is told about sessions comes twice, and the end also for a session that was never seen. A user would find
/// what was learnt gone, or doubled, once the conversation is over.
///
/// The provider may ignore sessions altogether, or store a summary at the end beside what the turns brought.
pub(super) fn sessions(room: &Room<'_>) -> Outcome {
    if !room.bench.has(Interface::Session) {
        return Err("it does not list the session interface");
    }
    let Some(instance) = room.open() else { return Ok(()) };
    let (first, mut second) = (private("ann"), private("ann"));
    "kit-2".clone_into(&mut second.origin.session);
    let stored = room.bench.sure_ways().unwrap_or_default();
    let mut memories = Vec::new();
    for (number, who) in [(1, &first), (2, &second), (3, &first)] {
        let start = json!({"caller": who, "number": number, "message": "What do you know?"});
        told(&instance, "a turn's start", Hook::OnTurnStart, &start);
        memories.extend(stored.iter().filter_map(|way| instance.learn(*way, who)));
        let (from, to) = if number % 2 == 1 { ("kit-1", "kit-2") } else { ("kit-2", "kit-1") };
        let key = format!("switch:{number}");
        let switch = json!({"caller": who, "idempotency_key": key, "from": from, "to": to, "reset": number == 1});
        for _ in 0..2 {
            told(&instance, "a switch of sessions", Hook::OnSessionSwitch, &switch);
        }
    }
    let before: Vec<_> = memories.iter().map(|memory| instance.find(&first, memory).times()).collect();
    let mut stranger = private("ann");
    "never seen".clone_into(&mut stranger.origin.session);
    for who in [&first, &second, &stranger] {
        let end = request(Hook::OnSessionEnd, who, "Goodbye", &format!("end:{}", who.origin.session));
        for _ in 0..2 {
            told(&instance, "a session's end", Hook::OnSessionEnd, &end);
        }
    }
    for (memory, before) in memories.iter().zip(before) {
        match instance.find(&first, memory).times() {
            0 if before > 0 => {
                room.error("what was learnt in a session is gone once the session has ended", "");
            }
            after if after > before.max(1) => {
                let hint = "at a session's end, store only what its turns have not brought yet";
                room.error("when a session ends its turns are stored once more: a user sees them two times", hint);
            }
            _ => {}
        }
    }
    instance.end();
    Ok(())
}

/// Tells something about a session. One that is answered with an error is one that hermes reports as lost: a warning, unless
/// the provider cannot work here anyway.
fn told(instance: &Instance<'_>, what: &str, hook: Hook, notice: &serde_json::Value) {
    let answer = instance.call(what, hook, notice, instance.patience(hook));
    if let (true, Err(failure @ Failure::Error(_))) = (instance.room.bench.works(), answer) {
        let text = format!("{what} is refused, and reported to the user: {}", describe(&failure));
        instance.room.warn(text, "a session that is not known, or has ended already, is no error");
    }
}
