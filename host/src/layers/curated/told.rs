//! What the user is told of the curated memory: after a write, and at the start of a session.

use std::fmt;

use super::snapshot::first_words;
use super::{Answer, Change, Curated, Entry, Operation, Outcome, Proposal, Proposed, Why};
use crate::clock::{UnixMillis, ago};
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
            Proposed::File { target, .. } => format!("{}: {}", target.file_name(), preview(&self.changes())),
            Proposed::Tool { provider, tool, args } => format!("{provider}: {tool} {}", first_words(&args.to_string())),
        }
    }

    /// The changes of a file that it would make; where they could not be done when it was made, as they were asked for.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        match &self.what {
            Proposed::File { operations, changes, .. } if changes.is_empty() => {
                operations.iter().map(Change::as_asked).collect()
            }
            Proposed::File { changes, .. } => changes.clone(),
            Proposed::Tool { .. } => Vec::new(),
        }
    }

    /// The same in a list of what waits.
    #[must_use]
    pub fn line(&self, now: UnixMillis) -> String {
        let auto = if self.is_auto() { "[auto] " } else { "" };
        format!("{}  {auto}{}  ({}; {})", self.id, self.preview(), ago(self.at, now), self.why)
    }

    /// What it would do, in full: where, why it waits, and every line that would go and come.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let auto = if self.is_auto() { " [auto]" } else { "" };
        let place = self.place();
        let mut lines = vec![format!("{}{auto} · {place} · session {}", self.id, self.caller.origin.session)];
        lines.push(format!("waits because {}", self.why));
        let changes = self.changes();
        let (mut gone, mut new): (Vec<&str>, Vec<&str>) = Default::default();
        for change in &changes {
            match change {
                Change::Add { content } => new.push(content),
                Change::Replace { previous, content } => {
                    gone.push(previous);
                    new.push(content);
                }
                Change::Remove { previous } => gone.push(previous),
            }
        }
        let call = match &self.what {
            Proposed::Tool { tool, args, .. } => format!("{tool} {args:#}"),
            Proposed::File { .. } => String::new(),
        };
        new.extend((!call.is_empty()).then_some(call.as_str()));
        let marked = |mark: &'static str, texts: Vec<&str>| {
            let all = texts.into_iter().flat_map(str::lines).map(move |line| format!("{mark} {line}"));
            all.collect::<Vec<_>>()
        };
        lines.extend(marked("-", gone));
        lines.extend(marked("+", new));
        lines
    }

    /// The store that it is for.
    #[must_use]
    pub fn place(&self) -> &str {
        match &self.what {
            Proposed::File { target, .. } => target.file_name(),
            Proposed::Tool { provider, .. } => provider,
        }
    }

    /// Whether an entry that it replaces is not in the file any more.
    #[must_use]
    pub fn has_moved(&self, entries: &[Entry]) -> bool {
        let is_there = |text: &str| entries.iter().any(|entry| entry.text == text);
        let Proposed::File { changes, .. } = &self.what else { return false };
        changes.iter().any(|change| match change {
            Change::Replace { previous, content } => !is_there(previous) && !is_there(content),
            _ => false,
        })
    }
}

impl Change {
    /// An operation before it is known which entry it finds.
    fn as_asked(operation: &Operation) -> Self {
        match operation.clone() {
            Operation::Add { content } => Self::Add { content },
            Operation::Replace { old_text, content } => Self::Replace { previous: old_text, content },
            Operation::Remove { old_text } => Self::Remove { previous: old_text },
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approval => f.write_str("`memory.write_approval` is on"),
            Self::Unattended => f.write_str("it replaces or removes, and nobody watched"),
            Self::NotStored { reason } => write!(f, "it could not be stored: {reason}"),
        }
    }
}

/// `1 entry`, `2 entries`.
#[must_use]
pub fn entries_in_words(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}
