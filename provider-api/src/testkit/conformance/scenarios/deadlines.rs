//! A call that hermes has stopped waiting for must end by itself, and leave the memory as usable as before.

use std::time::{Duration, Instant};

use super::super::bench::{Outcome, Room, describe};
use super::super::requests::{private, request};
use super::super::subject::Failure;
use crate::{ErrorKind, Hook};

/// Nothing here has that much to do once it was told to stop.
const SOON: Duration = Duration::from_secs(5);

/// Each hook once past its deadline, once told to stop, and then as ever.
///
/// With a text of two thousand sentences, so that there is something to stop. A user would wait for a turn because the one
/// before still holds the store, or lose the worker, which is killed when a call does not end.
///
/// The provider may finish what it has begun, answer, or fail with whatever error. What counts is that the call ends within
/// seconds and that the next one is answered.
pub(super) fn run(room: &Room<'_>) -> Outcome {
    let Some(instance) = room.open() else { return Ok(()) };
    let ends = |hook: &Hook| matches!(hook, Hook::Close | Hook::Shutdown | Hook::CallTool | Hook::SaveConfig);
    let sentence = room.bench.memory().text + ". ";
    for &hook in Hook::ALL.iter().filter(|hook| room.bench.has(hook.interface()) && !ends(hook)) {
        let long = if hook == Hook::ListEntries { String::new() } else { sentence.repeat(2000) };
        for (cancelled, what) in [(false, "a call past its deadline"), (true, "a call that was told to stop")] {
            let asked = request(hook, &private("ann"), &long, &format!("{} {what}", hook.name()));
            let begun = Instant::now();
            let answer = instance.stopped_call(what, hook, &asked, cancelled);
            if answer != Err(Failure::Hang) && begun.elapsed() > SOON {
                let text = format!("{what}: `{}` goes on for seconds, and holds up the next one", hook.name());
                room.warn(text, "look at `Call::check` between steps");
            }
        }
        let text = if hook == Hook::ListEntries { String::new() } else { room.bench.memory().text };
        let usual = request(hook, &private("ann"), &text, &format!("{} as ever", hook.name()));
        let what = "the next call after one that was stopped";
        let after = instance.call(what, hook, &usual, instance.patience(hook));
        if let (true, Err(Failure::Error(error))) = (room.bench.works() && hook != Hook::DeleteEntry, after)
            && error.kind != ErrorKind::Cancelled
        {
            let reason = describe(&Failure::Error(error));
            let text = format!("once a `{}` was stopped, the next one fails: {reason}", hook.name());
            room.error(text, "give back locks and connections also on the way out by an error");
        }
    }
    instance.end();
    Ok(())
}
