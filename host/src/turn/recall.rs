//! From what a provider found to the block that the model is given.

use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

use hermes_provider_api::ChatKind;
use hermes_provider_api::records::{Recall, RecallItem, Scope};
use serde::Serialize;

use super::TurnSettings;
use super::window::{Memory, Window};
use crate::clock::utc;
use crate::guard::{Redactor, fence, threats};
use crate::layers::external::ExternalError;
use crate::plugins::hooks::CallError;

/// The longest reason in a recall line, in characters.
const REASON_CHARS: usize = 160;

/// What the memory did for a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecallOutcome {
    /// The provider was not asked.
    Skipped(Skip),
    /// The provider was asked.
    Asked(Recalled),
}

/// Why a provider was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// There is no provider, or it has no recall.
    NoRecall,
    /// A greeting, an acknowledgement or nothing at all.
    Trivial,
    /// A slash command.
    Command,
    /// The message was there before, and what was recalled for it then stands.
    Again,
}

/// A memory as the model is given it.
#[derive(Serialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// The provider's id of it.
    pub id: String,
    /// Its text, redacted and without forged fences; it may have been shortened in the block.
    pub text: String,
}

/// What came of asking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled {
    /// What is in the block.
    pub memories: Vec<Given>,
    /// How many of them are the late answer to the turn before.
    pub late: usize,
    /// How many were left out because the window holds them.
    pub known: usize,
    /// How many were left out because they are not for this audience.
    pub withheld: usize,
    /// How many were left out because they attack the model that would read them.
    pub blocked: usize,
    /// How long the provider took.
    pub elapsed: Duration,
    /// Why there is no answer of its own.
    pub problem: Option<Problem>,
}

/// Why there is no recall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The deadline passed; an answer that still comes serves the next turn.
    TimedOut {
        /// The deadline.
        limit: Duration,
    },
    /// Anything else.
    Failed {
        /// One line, redacted.
        reason: String,
    },
}

impl Problem {
    pub(super) fn new(error: &ExternalError, redactor: &Redactor) -> Self {
        let reason = match error {
            ExternalError::Call(CallError::Timeout { limit, .. }) => return Self::TimedOut { limit: *limit },
            ExternalError::Call(CallError::Failed { error, .. }) => error.message.clone(),
            ExternalError::Call(CallError::Crashed { reason, .. }) => format!("crashed: {reason}"),
            ExternalError::Call(CallError::Cut { reason, .. }) => format!("was cut off: {reason}"),
            ExternalError::Call(CallError::Paused { reason, until, .. }) => {
                format!("paused until {} after {reason}", utc(*until))
            }
            ExternalError::Call(CallError::Unloadable { reason, .. }) => format!("cannot be loaded: {reason}"),
            other => other.to_string(),
        };
        let reason = fence::clean(&redactor.redact(&reason));
        let first = reason.lines().next().unwrap_or_default();
        Self::Failed { reason: fence::shorten(first, REASON_CHARS).into_owned() }
    }
}

/// What was found for a turn, late answers last.
pub(super) struct Found {
    pub(super) new: Recall,
    pub(super) late: Recall,
}

/// Chooses what the model is given, and notes it in the window.
pub(super) fn choose(
    found: &Found,
    audience: &Scope,
    window: &mut Window,
    settings: &TurnSettings,
    redactor: &Redactor,
) -> (Option<String>, Recalled) {
    let mut recalled = Recalled::default();
    let mut chosen: Vec<(fence::Line, Memory, &RecallItem, bool)> = Vec::new();
    let mut seen = HashSet::new();
    let new = found.new.items.iter().map(|item| (item, false));
    for (item, late) in new.chain(found.late.items.iter().map(|item| (item, true))) {
        if chosen.len() == settings.recall_limit {
            break;
        }
        if !is_for(item, audience) {
            recalled.withheld += 1;
            continue;
        }
        let text = fence::clean(&redactor.redact(&item.text));
        let normal = window.memory(&text);
        if normal.is_empty() || !seen.insert(normal.clone()) {
            continue;
        }
        if window.holds(&normal) {
            recalled.known += 1;
            continue;
        }
        // As the provider gave it: cleaning may have taken away what tells an attack.
        if let Some(line) = threats::blocked(&item.text, threats::Scope::Context) {
            recalled.blocked += 1;
            if window.block(normal) {
                tracing::warn!(id = item.id, pattern = line, "a memory that attacks its reader is kept from the model");
            }
            continue;
        }
        let at = item.updated.or(item.origin.as_ref().map(|origin| origin.at)).filter(|at| *at > 0);
        chosen.push((fence::Line { text, at }, normal, item, late));
    }
    let lines: Vec<fence::Line> = chosen.iter().map(|(line, ..)| line.clone()).collect();
    let preface = found.new.preface.as_ref().or(found.late.preface.as_ref()).map(|preface| redactor.redact(preface));
    let preface = preface.map(|preface| unless_blocked(preface, "a preface"));
    let block = fence::block(preface.as_deref(), &lines, settings.recall_chars);
    let Some(fence::Block { text, kept }) = block else { return (None, recalled) };
    for place in kept {
        let (line, normal, item, late) = &chosen[place];
        recalled.memories.push(Given { id: item.id.clone(), text: line.text.clone() });
        recalled.late += usize::from(*late);
        window.inject(normal.clone());
    }
    (Some(text), recalled)
}

/// What a provider says to the model, or in its place the line that names the attack.
pub(super) fn unless_blocked<'a>(text: impl Into<Cow<'a, str>>, what: &str) -> Cow<'a, str> {
    let text = text.into();
    match threats::blocked(&text, threats::Scope::Context) {
        Some(line) => {
            tracing::warn!(
                what,
                pattern = line,
                "a text of the provider that attacks its reader is kept from the model"
            );
            Cow::Owned(line)
        }
        None => text,
    }
}

/// What has no scope is not for a group.
fn is_for(item: &RecallItem, audience: &Scope) -> bool {
    match &item.scope {
        Some(scope) => scope.visible_to(audience),
        None => audience.chat_kind != ChatKind::Group,
    }
}
