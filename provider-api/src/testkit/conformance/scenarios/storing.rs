//! What goes in comes out, in order, page by page, and not after it was deleted.

use std::collections::BTreeSet;

use super::super::bench::{Instance, Outcome, Room, describe};
use super::super::requests::{NOW, private, request};
use super::super::subject::Failure;
use super::Way;
use crate::records::{Caller, MemoryWrite, PrefetchQuery, Recall, RecallItem, WriteAction};
use crate::{Hook, Interface};

/// Finds out which ways of storing lead to something that is found, and tries what is done with entries.
///
/// One sentence through each way in, then looked for by a recall and in the listing. The ways that lead to a find are what
/// later scenarios build on. A user would have said "remember this" for nothing.
///
/// The provider may distil turns later, rank as it likes, and find by the question or by the listing alone. Whatever it
/// stores need not be the sentence, as long as the name in it is kept.
pub(super) fn run(room: &Room<'_>) -> Outcome {
    let ways = room.bench.ways()?;
    let looks = room.bench.has(Interface::Prefetch) || room.bench.has(Interface::Browse);
    let Some(instance) = room.open() else { return Ok(()) };
    let ann = private("ann");
    for way in ways {
        let memory = room.bench.memory();
        if let Err(failure) = instance.deliver(way, &ann, &memory.text, way.hook().name()) {
            room.error(format!("{} is not stored: {}", way.noun(), describe(&failure)), "");
            continue;
        }
        if !looks {
            continue;
        }
        if !instance.find(&ann, &memory).is_empty() {
            room.bench.finds_after(way);
        } else if way == Way::Turn {
            room.note("what is said in a turn is not found right after it", "no fault where turns are distilled later");
        } else {
            let hint = "the kit stores one sentence and asks with its own words and names";
            room.error(format!("{} is stored and then neither recalled nor listed", way.noun()), hint);
        }
    }
    if let Ok(sure) = room.bench.sure_ways() {
        recall_limits(&instance, &ann);
        removal(&instance, &ann);
        pages(&instance, sure[0]);
        deletion(&instance, sure[0]);
    }
    instance.end();
    Ok(())
}

/// No more than was asked for, and each item of use to a host.
///
/// Limits of none, one and as many as a machine can count: whoever reserves room for the limit ends here. Too many items are
/// cut off by hermes and only a note; items without a text, or two with one id, lead a model to forget the wrong one.
fn recall_limits(instance: &Instance<'_>, ann: &Caller) {
    let room = instance.room;
    if !room.bench.has(Interface::Prefetch) {
        return;
    }
    let words = "Who keeps what near which place?";
    for limit in [0, 1, usize::MAX] {
        let query = PrefetchQuery { caller: ann.clone(), query: words.to_owned(), limit };
        let Ok(recall) = instance.ask::<Recall>("a recall with an odd limit", Hook::Prefetch, &query) else { continue };
        if recall.items.len() > limit {
            room.note(
                "a recall has more items than were asked for; the rest is cut off",
                "heed `PrefetchQuery::limit`",
            );
        }
        if recall.items.iter().any(|item| item.text.trim().is_empty()) {
            room.warn("a recall holds items without a text", "leave them out");
        }
        let ids: BTreeSet<_> = recall.items.iter().map(|item| &item.id).collect();
        if ids.len() < recall.items.len() {
            room.warn("two items of one recall have the same id: the model may forget the wrong one", "");
        }
    }
}

/// A note that the agent removed from its curated memory, which the provider had mirrored.
///
/// Most users expect it to be gone. The provider may keep it as something that was once known, so it is a note.
fn removal(instance: &Instance<'_>, ann: &Caller) {
    if !instance.room.bench.has(Interface::MemoryWrite) {
        return;
    }
    let Some(memory) = instance.learn(Way::Write, ann) else { return };
    let write = MemoryWrite {
        caller: ann.clone(),
        idempotency_key: format!("remove {}", memory.marker),
        action: WriteAction::Remove,
        previous: memory.text.clone(),
        ..MemoryWrite::default()
    };
    if instance.ask::<()>("removing a note", Hook::OnMemoryWrite, &write).is_ok()
        && !instance.find(ann, &memory).is_empty()
    {
        let hint = "what a removal means is the provider's choice; most users expect the note to be gone";
        instance.room.note("a note that the agent removed still comes up", hint);
    }
}

/// All entries come once, newest first, also one at a time.
///
/// Three entries, a second apart by the clock of their origin, listed with pages of one. A user who looks through the memory
/// would miss an entry or meet it twice. A cursor that is none may be an error or the first page, but no crash.
fn pages(instance: &Instance<'_>, way: Way) {
    let room = instance.room;
    if !room.bench.has(Interface::Browse) {
        return;
    }
    let memories: Vec<_> = (0..3)
        .filter_map(|number| {
            let mut reader = private("pat");
            reader.origin.at = NOW + 1000 * number;
            instance.learn(way, &reader)
        })
        .collect();
    let marker = |item: &RecallItem| memories.iter().position(|memory| item.text.contains(&memory.marker));
    let entries = instance.list(&private("pat"), 1);
    let order: Vec<_> = entries.iter().filter_map(marker).collect();
    let found: BTreeSet<_> = order.iter().copied().collect();
    if found.len() < memories.len() {
        room.error("whoever looks through the memory page by page misses entries", "see the cursor of `list_entries`");
    } else if order.len() > found.len() {
        room.error(
            "whoever looks through the memory page by page sees entries twice",
            "see the cursor of `list_entries`",
        );
    } else if order.windows(2).any(|pair| pair[0] < pair[1]) {
        room.warn("the listing does not begin with the newest entry", "sort by when it was stored");
    }
    let garbage = request(Hook::ListEntries, &private("pat"), "no cursor \u{0}", "");
    let _ = instance.call("a cursor that is none", Hook::ListEntries, &garbage, instance.patience(Hook::ListEntries));
}

/// What is deleted does not come back, neither by a recall nor in the listing.
///
/// Deleted by the id that the listing gave. The provider may keep the fact of a deletion, such as an idempotency key, but
/// nothing of the text that could come up.
fn deletion(instance: &Instance<'_>, way: Way) {
    let room = instance.room;
    if !room.bench.has(Interface::Browse) {
        return;
    }
    let ann = private("ann");
    let Some(memory) = instance.learn(way, &ann) else { return };
    let Some(entry) = instance.find(&ann, &memory).listed.into_iter().next() else { return };
    let delete = request(Hook::DeleteEntry, &ann, &entry.id, "");
    match instance.call("deleting an entry", Hook::DeleteEntry, &delete, instance.patience(Hook::DeleteEntry)) {
        Ok(_) if !instance.find(&ann, &memory).is_empty() => {
            room.error("what the user deleted still comes up", "delete it from every index as well");
        }
        Err(Failure::Error(error)) => {
            let text = format!("the user cannot delete an entry: {}", describe(&Failure::Error(error)));
            room.error(text, "it is deleted by the id that the listing gives");
        }
        _ => {}
    }
}
