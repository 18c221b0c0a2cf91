//! Opens the memory that the settings describe, and closes it again.

use hermes_provider_api::Scope;

use super::{Context, Exit, Ui};
use crate::error::Failure;
use crate::home::Home;
use crate::open::{Closed, OpenMemory};
use crate::outbox::{DrainReport, Lost};

/// Opens the memory of the home.
///
/// # Errors
/// When it cannot be opened at all. A provider that does not work is no error: it is said once, and the memory goes on
/// without it.
pub fn memory(context: &Context) -> Result<OpenMemory, Failure> {
    memory_in(context, &context.home)
}

/// The same with the files of another home, a copy.
///
/// # Errors
/// As [`memory`].
pub fn memory_in(context: &Context, home: &Home) -> Result<OpenMemory, Failure> {
    let open = memory_quietly(context, home)?;
    if let Some(failure) = open.degraded.clone() {
        let failure = context.failure_with_catalogs(failure);
        context.ui.warn(format!("going on without a memory provider: {}", failure.message));
        failure.hints.iter().for_each(|hint| context.ui.note(format!("hint: {hint}")));
    }
    Ok(open)
}

/// The same, with a provider that is not there left to the caller to speak of.
pub(super) fn memory_quietly(context: &Context, home: &Home) -> Result<OpenMemory, Failure> {
    let open = context.surroundings_in(home, context.config.clone())?.memory()?;
    context.ui.mask(open.mask.clone());
    open.notes.iter().for_each(|note| context.ui.note(note));
    let warnings = open.warnings();
    warnings.iter().for_each(|warning| context.ui.warn(warning));
    if !warnings.is_empty() {
        context.ui.note("hint: `hermes memory status --check` says more");
    }
    Ok(open)
}

/// The audience of what is said at the command line, where nothing else is known.
pub(super) fn scope(home: &Home) -> Scope {
    Scope { profile: home.profile().to_owned(), platform: "cli".to_owned(), ..Scope::default() }
}

/// Delivers what is left, ends the provider, and says what was not delivered.
pub(super) fn close(open: OpenMemory, ui: &Ui) -> Exit {
    say_closed(&open.close(), ui)
}

/// Says what was not delivered, and how the provider ended if it did not do so well. What waits on disk is no failure.
pub(super) fn say_closed(Closed { deliveries, problem }: &Closed, ui: &Ui) -> Exit {
    say_undelivered(deliveries, ui);
    if let Some(problem) = problem {
        ui.warn(format!("the provider did not end cleanly: {problem}"));
    }
    if deliveries.lost.is_empty() && problem.is_none() { Exit::Success } else { Exit::Failed }
}

/// Says what could not be delivered, and what will be.
pub(super) fn say_undelivered(report: &DrainReport, ui: &Ui) {
    report.lost.iter().for_each(|lost| say_lost(lost, ui));
    if let [first, others @ ..] = &*report.waiting {
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        let why = report.held.as_ref().map(|held| format!(": {held}")).unwrap_or_default();
        ui.warn(format!("{first}{more} will be delivered next time{why}"));
        ui.note("hint: nothing is lost; `hermes memory outbox list` shows what waits");
    }
}

/// Says that a delivery was given up.
pub(super) fn say_lost(lost: &Lost, ui: &Ui) {
    ui.warn(format!("{} did not reach the provider: {}", lost.what, lost.reason));
    if lost.kept {
        ui.note("hint: it is kept; `hermes memory outbox retry` tries it again");
    }
}
