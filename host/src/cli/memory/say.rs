//! `hermes memory recall` and `remember`: one question to the provider, and one thing told to it.

use hermes_provider_api::Context as Role;
use hermes_provider_api::records::{Caller, Origin, Remember};
use serde_json::json;

use crate::cli::open;
use crate::cli::{Context, Exit};
use crate::error::Failure;
use crate::open::OpenMemory;
use crate::turn::{RecallOutcome, Skip, line};

/// Shows what a turn with this message would be given in a new session. It is not a turn: nothing is recorded.
pub(super) fn recall(text: &str, context: &Context) -> Result<Exit, Failure> {
    let opened = usable(context)?;
    // A role that may only read keeps the question out of what is learnt.
    let session = opened.memory.session("cli-recall", open::scope(&context.home), Role::Subagent);
    let (block, recall) = session.peek(text);
    let line = line(opened.memory.external().map_or("", |external| external.id()), &recall);
    let (memories, failed) = match &recall {
        RecallOutcome::Asked(recalled) => (recalled.memories.as_slice(), recalled.problem.is_some()),
        RecallOutcome::Skipped(_) => (&[][..], false),
    };
    if context.json {
        context.ui.json(&json!({ "memories": memories, "block": block, "line": line, "ok": !failed }));
    } else {
        memories.iter().for_each(|memory| context.ui.out(&memory.text));
        match (&line, &recall) {
            (Some(line), _) => context.ui.note(line),
            (None, RecallOutcome::Skipped(Skip::NoRecall)) => context.ui.note("this provider has no recall"),
            (None, _) => context.ui.note("a turn recalls nothing for a greeting, an acknowledgement or a command"),
        }
    }
    drop(session);
    let closed = open::close(opened, &context.ui);
    Ok(if failed { Exit::Failed } else { closed })
}

/// Has the provider keep a text.
pub(super) fn remember(text: &str, context: &Context) -> Result<Exit, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::usage("there is nothing to remember"));
    }
    let opened = usable(context)?;
    let caller = Caller {
        scope: open::scope(&context.home),
        origin: Origin { session: "cli".to_owned(), at: context.clock.now(), ..Origin::default() },
        context: Role::Primary,
    };
    let external = opened.memory.external().ok_or_else(no_provider)?;
    let kept = external.remember(&Remember { caller, text: text.to_owned() });
    let id = external.id().to_owned();
    let closed = open::close(opened, &context.ui);
    let kept = kept?;
    if context.json {
        context.ui.json(&json!({ "provider": id, "id": kept.id, "existed": kept.existed }));
    } else if kept.existed {
        context.ui.note(format!("{id} knew that already, as {}", kept.id));
    } else {
        context.ui.note(format!("{id} keeps it as {}", kept.id));
    }
    Ok(closed)
}

/// An open memory whose provider is there.
pub(super) fn usable(context: &Context) -> Result<OpenMemory, Failure> {
    if context.config.provider().is_none() {
        return Err(no_provider());
    }
    let mut opened = open::memory_for_a_call(context)?;
    match opened.degraded.take() {
        Some(failure) => Err(context.failure_with_catalogs(failure)),
        None => Ok(opened),
    }
}

/// What a command fails with that needs one.
pub(super) fn no_provider() -> Failure {
    Failure::new("no external provider is set up").hint("choose one with `hermes memory setup`")
}
