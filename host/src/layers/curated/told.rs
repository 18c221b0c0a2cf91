//! What the user is told of the curated memory: after a write, and at the start of a session.

use super::snapshot::first_words;
use super::{Answer, Change, Curated, Outcome, Proposal, Proposed, Why};
use crate::clock::UnixMillis;
use crate::config::MemoryNotifications as Notifications;

/// How many changes a line names.
const NAMED: usize = 3;

/// What waits for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// How many proposals.
    pub count: usize,
    /// How many of them because they could not be stored.
    pub not_stored: usize,
    /// Since when the oldest waits.
    pub oldest: UnixMillis,
}

impl Curated {
    /// What waits for the user; None when nothing does.
    #[must_use]
    pub fn waiting(&self) -> Option<Waiting> {
        let all = self.proposals();
        let oldest = all.first()?.at;
        let not_stored = all.iter().filter(|proposal| matches!(proposal.why, Why::NotStored { .. })).count();
        Some(Waiting { count: all.len(), not_stored, oldest })
    }

    /// What a call of the tool did, in one line for the user, as `display.memory_notifications` says.
    #[must_use]
    pub fn notice(&self, answer: &Answer) -> Option<String> {
        if self.settings.notifications == Notifications::Off {
            return None;
        }
        if let Some(proposal) = answer.kept.first() {
            return Some(not_stored(proposal));
        }
        let outcome = answer.outcome.as_ref()?;
        match &outcome.proposal {
            Some(proposal) => Some(format!("💾 A change of the memory {}", waits(proposal))),
            None => self.updated(outcome),
        }
    }

    fn updated(&self, outcome: &Outcome) -> Option<String> {
        if outcome.changes.is_empty() {
            return None;
        }
        let mut line = "💾 Memory updated".to_owned();
        if self.settings.notifications == Notifications::Verbose {
            line.push_str(&format!(" ({}): {}", outcome.target.file_name(), preview(&outcome.changes)));
        }
        Some(line)
    }
}

/// That something could not be stored, in one line.
#[must_use]
pub fn not_stored(proposal: &Proposal) -> String {
    format!("💾 Memory not updated, it {}", waits(proposal))
}

fn waits(proposal: &Proposal) -> String {
    format!("waits for you: `hermes memory diff {}`", proposal.id)
}

/// Changes in one line.
#[must_use]
pub fn preview(changes: &[Change]) -> String {
    let named = changes.iter().take(NAMED).map(|change| match change {
        Change::Add { content } => format!("+ {}", first_words(content)),
        Change::Replace { previous, content } => format!("{} → {}", first_words(previous), first_words(content)),
        Change::Remove { previous } => format!("− {}", first_words(previous)),
    });
    let mut line = named.collect::<Vec<_>>().join(" · ");
    if changes.len() > NAMED {
        line.push_str(&format!(" · {} more", changes.len() - NAMED));
    }
    line
}

impl Proposal {
    /// What it would do, in one line.
    #[must_use]
    pub fn preview(&self) -> String {
        match &self.what {
            Proposed::File { target, operations, changes } if changes.is_empty() => {
                let texts = operations.iter().map(|operation| match operation {
                    super::Operation::Add { content } => Change::Add { content: content.clone() },
                    super::Operation::Replace { old_text, content } => {
                        Change::Replace { previous: old_text.clone(), content: content.clone() }
                    }
                    super::Operation::Remove { old_text } => Change::Remove { previous: old_text.clone() },
                });
                format!("{}: {}", target.file_name(), preview(&texts.collect::<Vec<_>>()))
            }
            Proposed::File { target, changes, .. } => format!("{}: {}", target.file_name(), preview(changes)),
            Proposed::Tool { provider, tool, args } => format!("{provider}: {tool} {}", first_words(&args.to_string())),
        }
    }
}
