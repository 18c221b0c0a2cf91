//! Opening, and each hook once.

use serde_json::Value;

use super::super::bench::{Outcome, Room, describe, shortened};
use super::super::requests::{loss, private, request};
use super::super::subject::Failure;
use crate::records::{Health, Recall};
use crate::{ErrorKind, Hook};

/// Finds out whether the provider works with what the kit can give it.
///
/// Opens on an empty folder, asks `unavailable_reason` and `health`, and shuts down. A user would notice a memory that does
/// not open, or a status right after setup that says it does not work.
///
/// The provider may say that it needs a service or a key: that is a note, and scenarios with a store are left out.
pub(super) fn opening(room: &Room<'_>) -> Outcome {
    let Some(instance) = room.open() else {
        room.bench.does_not_work();
        return Ok(());
    };
    let reason: Option<String> = instance.ask("an open memory", Hook::UnavailableReason, &()).unwrap_or_default();
    let health = instance.ask::<Health>("an open memory", Hook::Health, &());
    match (reason, health) {
        (Some(reason), _) => {
            room.bench.does_not_work();
            let text = format!("the memory says that it cannot work as the kit sets it up: {}", shortened(&reason));
            room.note(text, "scenarios that need a store are left out; `Kit::with_http` and `Kit::with_command` can play its service");
        }
        (None, Ok(Health { ok: true, .. })) => {}
        (None, Ok(Health { detail, .. })) => {
            room.bench.does_not_work();
            let text =
                format!("right after setup the status says that the memory does not work: {}", shortened(&detail));
            room.warn(text, "a fresh, empty store is healthy; what is missing belongs to `unavailable_reason`");
        }
        (None, Err(failure)) => {
            room.bench.does_not_work();
            let text = format!("right after setup the status shows an error: {}", describe(&failure));
            room.warn(text, "a missing key or service is told by `unavailable_reason`");
        }
    }
    instance.end();
    Ok(())
}

/// Asks each hook that is listed an ordinary thing.
///
/// One request each on one instance, as Ann in a private chat; the entry to delete and the page to list are none that were
/// given out. A user would be offered something that is then refused, or get an answer that hermes cannot read.
///
/// The provider may answer next to nothing: an empty recall, no tools, no further settings. It may fail where it has said
/// that it cannot work here.
pub(super) fn listed(room: &Room<'_>) -> Outcome {
    let works = room.bench.works();
    let Some(instance) = room.open() else { return Ok(()) };
    for &hook in Hook::ALL {
        let listed = room.bench.has(hook.interface());
        // The tools have a scenario of their own; the instance is not ended yet.
        if !listed || matches!(hook, Hook::Close | Hook::Shutdown | Hook::CallTool | Hook::ToolEffect) {
            continue;
        }
        let text = match hook {
            // The first page.
            Hook::ListEntries => String::new(),
            _ => room.bench.memory().text,
        };
        let asked = request(hook, &private("ann"), &text, hook.name());
        let answer = instance.call("an ordinary call", hook, &asked, instance.patience(hook));
        match answer {
            Err(Failure::Error(error)) if error.kind == ErrorKind::Unsupported => {
                let text = format!("`{}` is offered and then refused, and {}", hook.name(), loss(hook));
                room.error(text, "list only interfaces whose hooks are implemented, or implement it");
            }
            Err(Failure::Error(error)) if hook == Hook::DeleteEntry && error.kind == ErrorKind::NotFound => {}
            // One that ran out of time was named as slow.
            Err(Failure::Error(error)) if error.kind == ErrorKind::Cancelled => {}
            Err(Failure::Error(error)) if works => {
                let text =
                    format!("an ordinary `{}` fails, and {}: {}", hook.name(), loss(hook), shortened(&error.message));
                room.error(text, "");
            }
            Ok(_) if hook == Hook::DeleteEntry => {
                let text = "deleting an entry that is not there is answered as if it had been deleted";
                room.warn(text, "answer `ProviderError::not_found`, so that a mistyped id is noticed");
            }
            _ => {}
        }
    }
    instance.end();
    Ok(())
}

/// Asks each hook that is not listed, to see whether the author forgot to list it.
///
/// What differs from the trait's default was written for somebody: a user would have a memory that has learnt to do
/// something and never does it. Through a loader, a hook that is not listed is not there, and nothing is found.
///
/// The provider may leave a hook implemented and unlisted on purpose; that is why it is a warning.
pub(super) fn unlisted(room: &Room<'_>) -> Outcome {
    let missing = |hook: &&Hook| !room.bench.has(hook.interface()) && !matches!(hook, Hook::Close | Hook::Shutdown);
    let hooks: Vec<_> = Hook::ALL.iter().filter(missing).collect();
    if hooks.is_empty() {
        return Err("it lists every interface");
    }
    let Some(instance) = room.open() else { return Ok(()) };
    for &hook in hooks {
        let text = room.bench.memory().text;
        let asked = request(hook, &private("ann"), &text, hook.name());
        let patience = instance.patience(hook);
        // Not through `call`: what goes wrong in a hook that no host calls is no user's concern.
        let answer = instance.quietly(hook, &asked, patience);
        let implemented = match answer {
            Ok(answer) => !is_default(hook, &answer),
            Err(Failure::Error(error)) => error.kind != ErrorKind::Unsupported,
            Err(_) => true,
        };
        if implemented {
            let interface = hook.interface();
            room.warn(
                format!(
                    "`{}` is implemented and never called: `{}` is not listed, so {}",
                    hook.name(),
                    interface.id(),
                    loss(hook)
                ),
                &format!("add `Interface::{interface:?}` to the manifest"),
            );
        }
    }
    instance.end();
    Ok(())
}

/// Whether this is what the trait answers by itself. An answer that looks like it is given the benefit of the doubt.
fn is_default(hook: Hook, answer: &[u8]) -> bool {
    match hook {
        Hook::Prefetch => serde_json::from_slice::<Recall>(answer).is_ok_and(|recall| recall == Recall::default()),
        Hook::ToolEffect => answer == b"\"write\"",
        _ => match serde_json::from_slice::<Value>(answer) {
            Ok(Value::Null) => true,
            Ok(Value::Array(items)) => items.is_empty(),
            Ok(Value::Object(fields)) => {
                fields.values().all(|value| value == "" || value == "ready" || value.is_null())
            }
            _ => false,
        },
    }
}
