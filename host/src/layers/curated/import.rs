//! Entries from elsewhere: each is judged by itself, so that one that cannot be kept does not keep the others out.

use hermes_provider_api::records::Caller;

use super::plan::{cost, unlimited};
use super::snapshot::first_words;
use super::text::chars;
use super::{Curated, NotAnEntry, Operation, Outcome, Proposed, Refusal, Target};

/// What became of entries from elsewhere.
#[derive(Clone, Debug)]
pub struct Imported {
    /// What was written, or proposed.
    pub outcome: Outcome,
    /// What was left out, in order.
    pub left_out: Vec<LeftOut>,
}

/// An entry that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its place among those that were given, from 1.
    pub number: usize,
    /// What it begins with, without secrets.
    pub excerpt: String,
    /// Why.
    pub why: WhyLeftOut,
}

/// Why an entry was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WhyLeftOut {
    /// It cannot be one.
    #[error("it {0}")]
    NotAnEntry(NotAnEntry),
    /// The file is full.
    #[error("there is no room: it needs {needed} characters, and {left} are left")]
    NoRoom {
        /// How many characters it takes.
        needed: usize,
        /// How many there are.
        left: usize,
    },
}

impl Curated {
    /// Takes over entries from elsewhere: those that can be entries, as far as there is room, all in one write. What the
    /// caller may not write unasked is proposed, as with [`write`](Self::write).
    ///
    /// # Errors
    /// When the file is off, or cannot be read or written.
    pub fn import(&self, target: Target, texts: &[String], caller: &Caller) -> Result<Imported, Refusal> {
        let limit = self.must_be_open(target, &caller.scope)?;
        let known = self.store.read(target, limit)?.entries;
        let mut used = chars(&known);
        let (mut operations, mut left_out) = (Vec::new(), Vec::new());
        let mut taken = known.clone();
        for (at, text) in texts.iter().enumerate() {
            let why = match self.checks.admit(text) {
                Ok(content) if taken.contains(&content) => {
                    operations.push(Operation::Add { content });
                    continue;
                }
                Ok(content) => {
                    let (needed, left) = (cost(&content), limit.saturating_sub(used));
                    // The first entry of a file has none before it that it is separated from.
                    let needed = if taken.is_empty() { chars(std::slice::from_ref(&content)) } else { needed };
                    if needed <= left {
                        used += needed;
                        taken.push(content.clone());
                        operations.push(Operation::Add { content });
                        continue;
                    }
                    WhyLeftOut::NoRoom { needed, left }
                }
                Err(reason) => WhyLeftOut::NotAnEntry(reason),
            };
            let excerpt = first_words(&self.checks.redactor.redact(text));
            left_out.push(LeftOut { number: at + 1, excerpt, why });
        }
        let planned = unlimited(&known, &operations)?;
        let mut outcome = self.outcome(target, limit, &known);
        outcome.duplicates = planned.duplicates;
        if !planned.changes.is_empty() {
            outcome = match self.gate(&operations, caller) {
                None => self.commit(target, &operations, caller)?,
                Some(why) => {
                    let proposed = Proposed::File { target, operations, changes: planned.changes };
                    Outcome { proposal: Some(self.stage(proposed, why, caller)?), ..outcome }
                }
            };
        }
        Ok(Imported { outcome, left_out })
    }
}
