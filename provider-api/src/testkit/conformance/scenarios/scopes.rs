//! What somebody said in private is for nobody else; the host cannot check what a tool or a listing gives away.

use super::super::bench::{Instance, Outcome, Room};
use super::super::memories::Memory;
use super::super::requests::{group, private, request};
use super::{Way, tools};
use crate::records::{Caller, Effect, ToolRequest};
use crate::{Hook, Interface};

/// Something is learnt in private and in a group, and looked for by all who must not see it.
///
/// By a recall, by the listing, and by each tool call that says it reads. A user would have told a secret in private and read
/// it in a group. The rule is [`Scope::visible_to`](crate::Scope::visible_to), and nothing here asks for less or more.
///
/// The provider may be stricter than the rule. It may recall an item that others must not see only with its true scope, for
/// hermes to drop: a warning, since the place is lost.
pub(super) fn run(room: &Room<'_>) -> Outcome {
    let ways = room.bench.ways()?;
    let Some(instance) = room.open() else { return Ok(()) };
    let ann = private("ann");
    let mut elsewhere = private("ann");
    "work".clone_into(&mut elsewhere.scope.profile);
    let mut namesake = private("ann");
    "discord".clone_into(&mut namesake.scope.platform);
    let mut nobody = private("ann");
    nobody.scope.user.clear();
    let strangers = [
        ("another user", private("bob")),
        ("a group", group("team", "ann")),
        ("another profile", elsewhere),
        ("a namesake on another platform", namesake),
        ("somebody unknown", nobody),
    ];
    for way in &ways {
        let Some(memory) = instance.learn(*way, &ann) else { continue };
        for (who, stranger) in &strangers {
            look(&instance, *way, "in private", &memory, who, stranger);
        }
        let Some(memory) = instance.learn(*way, &group("team", "ann")) else { continue };
        look(&instance, *way, "in a group", &memory, "another group", &group("others", "ann"));
        look(&instance, *way, "in a group", &memory, "a private chat", &ann);
    }
    theft(&instance, &ways, &ann);
    instance.end();
    Ok(())
}

/// Looks for a memory as somebody who must not see it. The tools are asked for its name, and must not answer with its place.
fn look(instance: &Instance<'_>, way: Way, learnt: &str, memory: &Memory, who: &str, stranger: &Caller) {
    let room = instance.room;
    let found = instance.find(stranger, memory);
    let hint = "store `Caller::scope` with what is learnt, and answer only what is `visible_to` the scope that asks";
    if !found.listed.is_empty() {
        room.error(format!("{} learnt {learnt} is listed for {who}", way.noun()), hint);
    }
    for item in &found.recalled {
        match &item.scope {
            Some(scope) if !scope.visible_to(&stranger.scope) => room.warn(
                format!(
                    "{} learnt {learnt} is recalled for {who}: hermes drops it, and less that fits is left",
                    way.noun()
                ),
                hint,
            ),
            _ => room.error(format!("{} learnt {learnt} is recalled for {who}", way.noun()), hint),
        }
    }
    for (tool, args) in tools::calls(instance, &memory.marker) {
        if tools::effect(instance, &tool, &args) != Some(Effect::Read) {
            continue;
        }
        // A tool may repeat what it was asked; the rest of the memory it cannot know.
        let secret = memory.text.rsplit(' ').next().unwrap_or_default();
        let call = ToolRequest { caller: stranger.clone(), tool: tool.clone(), args };
        if let Ok(answer) = instance.ask::<serde_json::Value>("a lookup by a tool", Hook::CallTool, &call)
            && answer.to_string().contains(secret)
        {
            room.error(format!("{} learnt {learnt} is shown to {who} by the tool `{tool}`", way.noun()), hint);
        }
    }
}

/// Deletes somebody's entry as somebody else, by the id that its owner was given. It must be there afterwards; the answer may
/// be any, and best is that there is no such entry.
fn theft(instance: &Instance<'_>, ways: &[Way], ann: &Caller) {
    let room = instance.room;
    if !room.bench.has(Interface::Browse) {
        return;
    }
    let Some(memory) = ways.first().and_then(|way| instance.learn(*way, ann)) else { return };
    let Some(entry) = instance.find(ann, &memory).listed.into_iter().next() else { return };
    let delete = request(Hook::DeleteEntry, &private("bob"), &entry.id, "");
    let _ = instance.call("deleting another's entry", Hook::DeleteEntry, &delete, instance.patience(Hook::DeleteEntry));
    if instance.find(ann, &memory).is_empty() {
        room.error("one user can delete what another stored", "look for the entry within the caller's scope");
    }
}
