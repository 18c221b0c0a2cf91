//! Opens the memory that the settings describe, and closes it again.

use hermes_provider_api::Scope;

use super::{Context, Exit, Ui};
use crate::error::Failure;
use crate::home::Home;
use crate::open::{Closed, Degraded, DegradedKind, OpenMemory};
use crate::outbox::{DrainReport, Lost};
use crate::turn::News;

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
    Ok(opened(context, home, |_| true)?.0)
}

/// The same, and answers what was said to keep the provider from working fully.
pub(super) fn memory_told(context: &Context) -> Result<(OpenMemory, Option<Degraded>), Failure> {
    opened(context, &context.home, |_| true)
}

/// The same for a command that calls the provider once: a provider that is not there is what that call fails with.
pub(super) fn memory_for_a_call(context: &Context) -> Result<OpenMemory, Failure> {
    Ok(opened(context, &context.home, |kind| kind == DegradedKind::Weak)?.0)
}

fn opened(
    context: &Context,
    home: &Home,
    is_told: impl Fn(DegradedKind) -> bool,
) -> Result<(OpenMemory, Option<Degraded>), Failure> {
    let open = context.surroundings_in(home, context.config.clone())?.memory()?;
    context.ui.mask(open.mask.clone());
    open.notes.iter().for_each(|note| context.ui.note(note));
    let degraded = open.degradation().filter(|degraded| is_told(degraded.kind));
    degraded.iter().for_each(|degraded| say_degraded(degraded, context));
    Ok((open, degraded))
}

/// Says in one line that the memory does not work fully.
pub(super) fn say_degraded(degraded: &Degraded, context: &Context) {
    context.ui.warn(context.with_catalogs(&degraded.to_string()));
}

/// Says what the user should know of the memory files at the start of a session.
pub(super) fn say_remarks(open: &OpenMemory, context: &Context) {
    open.remarks.iter().for_each(|remark| context.ui.note(remark));
}

/// Says what became of the memory files.
pub(super) fn say_news(news: &[News], ui: &Ui) {
    news.iter().filter_map(|news| news.line.as_ref()).for_each(|line| ui.note(line));
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
        ui.note(format!("{first}{more} will be delivered next time{why}"));
        ui.note("hint: nothing is lost; `hermes memory outbox list` shows what waits");
    }
}

/// Says that a delivery was given up.
pub(super) fn say_lost(lost: &Lost, ui: &Ui) {
    if lost.own {
        ui.warn(format!("{} is lost: {}", lost.what, lost.reason));
        return;
    }
    ui.warn(format!("{} did not reach the provider: {}", lost.what, lost.reason));
    if lost.kept {
        ui.note("hint: it is kept; `hermes memory outbox retry` tries it again");
    }
}
