//! What keeps a memory from working fully, in one line for the beginning of a session: the cause, and what to type.

use hermes_provider_api::records::{RecallState, RecallStatus};

use super::OpenMemory;
use crate::error::{Failure, Hint as _};
use crate::layers::external::{External, ExternalError};
use crate::plugins::hooks::CallError;

/// What keeps a memory from working fully.
#[derive(Clone, Debug)]
pub struct Degraded {
    /// What is the matter.
    pub kind: DegradedKind,
    /// The cause, and what to type.
    pub failure: Failure,
}

/// What is the matter with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DegradedKind {
    /// The provider that the settings name is not there: every call says so.
    Absent,
    /// It cannot be opened: every call says so.
    Unloadable,
    /// It is there and does less than it could: a call need not say so.
    Weak,
}

impl Degraded {
    fn new(kind: DegradedKind, failure: Failure) -> Self {
        Self { kind, failure }
    }

    fn weak(message: String, hint: String) -> Self {
        Self::new(DegradedKind::Weak, Failure::new(message).hint(hint))
    }
}

/// A failure and its first hint as one line.
impl std::fmt::Display for Degraded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Failure { message, hints, .. } = &self.failure;
        let hint = hints.first().map_or("see `hermes memory status`", String::as_str);
        write!(f, "{} — {hint}", message.replace('\n', " "))
    }
}

impl OpenMemory {
    /// What keeps the memory from working fully, the worst of it. Asks the provider, and waits for it no longer than
    /// two of its short deadlines; one that does not answer shows in the recall line instead.
    #[must_use]
    pub fn degradation(&self) -> Option<Degraded> {
        self.known_degradation().or_else(|| {
            let mut degraded = asked(self.memory.external()?)?;
            let Failure { message, hints, .. } = &mut degraded.failure;
            hints.iter_mut().chain([message]).for_each(|text| *text = self.mask.apply(text).into_owned());
            Some(degraded)
        })
    }

    /// The same without asking the provider.
    #[must_use]
    pub fn known_degradation(&self) -> Option<Degraded> {
        if let Some(failure) = &self.degraded {
            let message = format!("going on without a memory provider: {}", failure.message);
            return Some(Degraded::new(DegradedKind::Absent, Failure { message, ..failure.clone() }));
        }
        let (id, provider) = (self.memory.external()?.id(), self.provider.as_ref()?);
        if let Some(quarantine) = provider.quarantine() {
            let (crashes, reason) = (quarantine.crashes, quarantine.reason);
            return Some(Degraded::weak(
                format!("`{id}` crashed {crashes} times and is tried once in each session: {reason}"),
                format!("`hermes plugins quarantine clear {id}` uses it again at once"),
            ));
        }
        let streak = provider.paused().into_iter().next()?;
        Some(Degraded::weak(
            format!("`{id}` is left alone in part: {}", streak.sentence()),
            "`hermes memory status --check` tries it now, and ends the pause if it is healthy".to_owned(),
        ))
    }
}

fn asked(external: &External) -> Option<Degraded> {
    let id = external.id();
    match external.unavailable_reason() {
        Ok(Some(reason)) => Some(Degraded::weak(
            format!("`{id}` cannot work as it is set up: {reason}"),
            format!("`hermes memory setup {id}` sets it up anew"),
        )),
        Err(ExternalError::Call(error @ (CallError::Unloadable { .. } | CallError::Crashed { .. }))) => {
            let (message, hints) = (error.to_string(), error.hints());
            Some(Degraded::new(DegradedKind::Unloadable, Failure { hints, ..Failure::new(message) }))
        }
        _ => match external.recall_status() {
            Ok(Some(RecallStatus { state: RecallState::Degraded, detail, .. })) => Some(Degraded::weak(
                format!("`{id}` recalls less than it could: {detail}"),
                "`hermes memory status --check` says more".to_owned(),
            )),
            _ => None,
        },
    }
}
