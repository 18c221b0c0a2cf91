//! A user has two terminals, or two profiles: several instances at once.

use super::super::bench::{Instance, Outcome, Room, describe};
use super::super::memories::Memory;
use super::super::requests::private;
use super::super::subject::Failure;
use super::Way;

/// How much each of two instances stores while the other does.
const EACH: usize = 10;

/// Two instances on one data folder store at the same time, ten things each, from two threads.
///
/// In a worker these are two processes. A user with two terminals would lose what one of them stored, or have no memory in
/// the second. All that was confirmed is looked for by a third instance.
///
/// Either may wait for the other, or answer a retryable error: it is then tried again as by hermes. Order does not matter.
pub(super) fn run(room: &Room<'_>) -> Outcome {
    let way = *room.bench.sure_ways()?.first().ok_or("nothing that is stored can be found at once")?;
    let Some(first) = room.open() else { return Ok(()) };
    let second = match room.open_with(room.data(), room.settings(), true) {
        Ok(opened) => room.instance(room.data(), opened),
        Err(failure) => {
            let hint =
                "two processes may have the provider open at once: lock what both write, for as long as it takes";
            room.error(format!("while one hermes runs, a second has no memory: {}", describe(&failure)), hint);
            return Ok(());
        }
    };
    let (ones, others) = std::thread::scope(|scope| {
        let thread = scope.spawn(|| fill(&second, way));
        let ones = fill(&first, way);
        (ones, thread.join().unwrap_or_default())
    });
    second.end();
    first.end();
    let Some(reader) = room.open() else { return Ok(()) };
    let told: Vec<_> = ones.into_iter().chain(others).collect();
    let lost = told.iter().filter(|memory| reader.find(&private("ann"), memory).is_empty()).count();
    if lost > 0 {
        let hint = "read, change and write under one lock, or in one transaction";
        room.error(format!("two hermes at once: {lost} of {} memories that were confirmed are lost", told.len()), hint);
    }
    reader.end();
    Ok(())
}

/// Stores several things, and answers with those that were confirmed.
fn fill(instance: &Instance<'_>, way: Way) -> Vec<Memory> {
    let mut told = Vec::new();
    for _ in 0..EACH {
        let memory = instance.room.bench.memory();
        match instance.deliver(way, &private("ann"), &memory.text, &memory.marker) {
            Ok(()) => told.push(memory),
            Err(failure @ Failure::Error(_)) => {
                let text = format!("two hermes at once: {} is not stored: {}", way.noun(), describe(&failure));
                instance.room.error(text, "wait for the other process, or answer a retryable error");
            }
            Err(_) => {}
        }
    }
    told
}

/// Two instances on two data folders, in one process where the way of loading has it so.
///
/// What one stores must not come up in the other. A user would find the notes of work in the profile for home. The provider
/// may share what holds no memories, such as a compiled pattern or a pool of connections to one service.
pub(super) fn folders(room: &Room<'_>) -> Outcome {
    let ways = room.bench.ways()?;
    let Some(home) = room.open() else { return Ok(()) };
    let Some(work) = room.open_in(room.data().join("profile-work")) else { return Ok(()) };
    for way in ways {
        let Some(memory) = home.learn(way, &private("ann")) else { continue };
        if !work.find(&private("ann"), &memory).is_empty() {
            let hint = "keep the store in the instance, not in a static";
            room.error(format!("{} of one profile comes up in another", way.noun()), hint);
        }
    }
    work.end();
    home.end();
    Ok(())
}
