//! What lasts: over an exit, over a crash. And what must not: after a removal.

use std::fs;

use serde_json::Value;

use super::super::bench::{Instance, Outcome, Room, describe};
use super::super::memories::Memory;
use super::super::requests::{private, request};
use super::super::subject::Failure;
use super::Way;
use crate::Hook;
use crate::records::Health;

/// After an exit, and after a crash right behind the answer, everything is still there.
///
/// The crash is to let go of the instance: a worker is killed by that, in process the drop runs. A user would lose what the
/// memory had confirmed. The disk itself is not pulled, so a missing `fsync` is not found here.
///
/// The provider may answer later, once it is sure; it may not answer first and write afterwards.
pub(super) fn reopening(room: &Room<'_>) -> Outcome {
    let ways = room.bench.sure_ways()?;
    let Some(instance) = room.open() else { return Ok(()) };
    let kept = learn(&instance, &ways);
    instance.end();
    let Some(instance) = room.open() else { return Ok(()) };
    missed(&instance, &kept, "after hermes was started anew");
    let confirmed = learn(&instance, &ways);
    drop(instance);
    let Some(instance) = room.open() else { return Ok(()) };
    missed(&instance, &kept, "after a crash");
    missed(&instance, &confirmed, "after a crash right behind its confirmation");
    instance.end();
    Ok(())
}

/// Stores something in each of these ways, and answers with what was confirmed.
fn learn(instance: &Instance<'_>, ways: &[Way]) -> Vec<(Way, Memory)> {
    ways.iter().filter_map(|way| Some((*way, instance.learn(*way, &private("ann"))?))).collect()
}

/// Finds fault with each of these memories that is not there any more.
fn missed(instance: &Instance<'_>, memories: &[(Way, Memory)], when: &str) {
    for (way, memory) in memories {
        if instance.find(&private("ann"), memory).is_empty() {
            let hint = "store before you answer, in the folder of `Host::data_dir`";
            instance.room.error(format!("{} is gone {when}", way.noun()), hint);
        }
    }
}

/// Shutting down twice, calling on, and closing; then once more on the same folder.
///
/// Hermes promises one `shutdown` and nothing after it, and a crash in between keeps no promise. A user would see an exit
/// that hangs or fails. The provider may answer late calls with errors, or as ever.
pub(super) fn closing(room: &Room<'_>) -> Outcome {
    let Some(instance) = room.open() else { return Ok(()) };
    for what in ["at exit", "at an exit that is asked for twice"] {
        let answer = instance.call(what, Hook::Shutdown, &Value::Null, instance.patience(Hook::Shutdown));
        if let (true, Err(failure @ Failure::Error(_))) = (room.bench.works(), answer) {
            room.warn(format!("{what} hermes reports a failure: {}", describe(&failure)), "");
        }
    }
    for &hook in Hook::ALL.iter().filter(|hook| room.bench.has(hook.interface()) && !matches!(hook, Hook::Close)) {
        let late = request(hook, &private("ann"), &room.bench.memory().text, "late");
        let _ = instance.call("a call that comes after the exit", hook, &late, instance.patience(hook));
    }
    instance.close();
    if let Some(instance) = room.open() {
        instance.close();
    }
    Ok(())
}

/// The user deletes the folder and installs the provider again.
///
/// In one process, so that statics are still there. A user would meet memories that they had deleted, or a memory that does
/// not work until hermes is started anew.
///
/// Memories that lie with a service come up again by their nature: where [`Kit::with_http`](super::super::Kit::with_http)
/// plays one that keeps them, let its answers begin anew with the folder.
pub(super) fn uninstalled(room: &Room<'_>) -> Outcome {
    let ways = room.bench.ways()?;
    let Some(instance) = room.open() else { return Ok(()) };
    let told = learn(&instance, &ways);
    instance.end();
    if let Err(error) = fs::remove_dir_all(room.data())
        && error.kind() != std::io::ErrorKind::NotFound
    {
        room.note(format!("the data folder could not be removed: {error}"), "");
        return Ok(());
    }
    let Some(instance) = room.open() else { return Ok(()) };
    let ann = private("ann");
    for (way, memory) in &told {
        if !instance.find(&ann, memory).is_empty() {
            let hint = "keep nothing in statics, and nothing outside the data folder";
            room.error(format!("{} still comes up after the memory's folder was deleted", way.noun()), hint);
        }
    }
    match instance.ask::<Health>("a memory that begins anew", Hook::Health, &()) {
        Ok(Health { ok: false, detail }) => {
            room.error(format!("after the memory's folder was deleted it does not work any more: {detail}"), "");
        }
        Err(failure @ Failure::Error(_)) => {
            let text =
                format!("after the memory's folder was deleted it does not work any more: {}", describe(&failure));
            room.error(text, "");
        }
        _ => {}
    }
    for way in room.bench.sure_ways().unwrap_or_default() {
        let again = instance.learn(way, &ann).is_some_and(|memory| !instance.find(&ann, &memory).is_empty());
        if !again {
            room.error(
                "after the memory's folder was deleted nothing can be stored",
                "make the folder again in `open`",
            );
        }
    }
    instance.end();
    Ok(())
}
