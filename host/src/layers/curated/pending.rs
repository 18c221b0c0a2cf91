//! What waits for the user: proposed changes, each a file of its own in `pending`, until a person decides.
//!
//! A proposal outlives every process. It holds what it would change as of when it was made, so that an approval can see
//! that the file has moved on meanwhile.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_provider_api::records::{Author, Caller, Context};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plan::{admit, plan};
use super::{Change, Curated, Operation, Outcome, Refusal, Request, Target};
use crate::clock::{UnixMillis, nonce};
use crate::home::files::{At as _, FileLock, read_text, replace};

/// Something that waits for approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its name.
    pub id: String,
    /// Since when it waits.
    pub at: UnixMillis,
    /// Why it waits.
    pub why: Why,
    /// Who proposed it, and for whom.
    pub caller: Caller,
    /// What it would do.
    pub what: Proposed,
}

/// Why something waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Why {
    /// `memory.write_approval` is on.
    Approval,
    /// Nobody saw it: what runs unattended may not replace or remove.
    Unattended,
    /// It could not be stored, and would be lost otherwise.
    NotStored {
        /// Why.
        reason: String,
    },
}

/// What is proposed. It is applied to the store that it names, and to no other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "store", rename_all = "snake_case")]
pub enum Proposed {
    /// A change of a memory file.
    File {
        /// The file.
        target: Target,
        /// As they were asked for.
        operations: Vec<Operation>,
        /// What they would have changed at that time; empty where they could not be done.
        changes: Vec<Change>,
    },
    /// A call of a tool of a provider that would write.
    Tool {
        /// The provider.
        provider: String,
        /// Its tool.
        tool: String,
        /// The arguments.
        args: Value,
    },
}

impl Proposal {
    /// Whether it came from something that ran unattended.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        self.caller.origin.author == Author::Review || !self.caller.context.may_write()
    }
}

impl Curated {
    /// What waits, the oldest first. A file that is no proposal is passed over, and stays.
    #[must_use]
    pub fn proposals(&self) -> Vec<Proposal> {
        let told = |(path, read): (PathBuf, Result<Proposal, String>)| {
            read.inspect_err(|reason| tracing::warn!(reason, path = %path.display(), "this is no proposal")).ok()
        };
        let mut all: Vec<Proposal> = self.queue().filter_map(told).collect();
        all.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        all
    }

    /// The files of the queue that are no proposals, and why.
    pub(super) fn no_proposals(&self) -> Vec<(PathBuf, String)> {
        let mut all: Vec<_> = self.queue().filter_map(|(path, read)| Some((path, read.err()?))).collect();
        all.sort();
        all
    }

    fn queue(&self) -> impl Iterator<Item = (PathBuf, Result<Proposal, String>)> + use<> {
        let files = fs::read_dir(self.home.pending()).into_iter().flatten().flatten().map(|file| file.path());
        files.filter(|path| path.extension().is_some_and(|end| end == "json")).filter_map(|path| {
            let read = match read_text(&path) {
                // It was decided upon just now.
                Ok(None) => return None,
                Ok(Some(text)) => serde_json::from_str(&text).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            Some((path, read))
        })
    }

    /// The one proposal whose name begins like this.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn proposal(&self, id: &str) -> Result<Proposal, Refusal> {
        let mut found: Vec<Proposal> = self.proposals();
        found.retain(|proposal| proposal.id.starts_with(id.trim()) && !id.trim().is_empty());
        match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(one),
            (Some(_), false) => Err(Refusal::no_such(format!("more than one proposal begins with `{id}`"), "pending")),
            (None, _) => Err(Refusal::no_such(format!("no proposal `{id}` waits"), "pending")),
        }
    }

    /// Puts something into the queue; what waits there already is not put there twice.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn stage(&self, what: Proposed, why: Why, caller: &Caller) -> Result<Proposal, Refusal> {
        let _lock = self.lock_pending()?;
        if let Some(known) = self.proposals().into_iter().find(|known| is_same(&known.what, &what)) {
            return Ok(known);
        }
        let caller = self.dated(caller);
        let id = format!("p{:08x}", nonce() & 0xffff_ffff);
        let proposal = Proposal { id, at: caller.origin.at, why, caller, what };
        self.keep(&proposal)?;
        Ok(proposal)
    }

    /// Puts a request that could not be stored into the queue.
    pub(super) fn keep_unstored(
        &self,
        request: &Request,
        reason: String,
        caller: &Caller,
    ) -> Result<Proposal, Refusal> {
        let Request { target, operations } = request;
        let operations = admit(operations, &self.checks)?;
        let what = Proposed::File { target: *target, operations, changes: Vec::new() };
        self.stage(what, Why::NotStored { reason }, caller)
    }

    /// Applies a proposed change of a file to the file as it is now. What was proposed for a store elsewhere is applied
    /// there, and then [dropped](Self::drop_proposal).
    ///
    /// With `rebase` the operations are looked for anew where the entry that they were about has changed.
    ///
    /// # Errors
    /// [`Refusal::Moved`] when the entry that it is about is not there any more; why it cannot be stored. It goes on
    /// waiting then.
    pub fn approve(&self, id: &str, rebase: bool) -> Result<Outcome, Refusal> {
        let _lock = self.lock_pending()?;
        let proposal = self.proposal(id)?;
        let Proposed::File { target, operations, changes } = &proposal.what else {
            return Err(Refusal::no_such(format!("`{}` is no change of a memory file", proposal.id), "pending"));
        };
        let limit = self.must_be_on(*target)?;
        // The rules may be stricter than when it was proposed.
        let operations = admit(operations, &self.checks)?;
        // A person stands behind it now, whoever thought of it.
        let caller = Caller { context: Context::Primary, ..proposal.caller.clone() };
        let done = self.change(*target, limit, &caller, |entries| match rebase || changes.is_empty() {
            true => plan(entries, &operations, limit),
            false => plan(entries, &as_of_then(*target, changes, entries)?, limit),
        });
        let done = done.map_err(|refusal| self.with_ages(*target, refusal))?;
        self.forget(&proposal)?;
        Ok(done)
    }

    /// Drops what waits.
    ///
    /// # Errors
    /// When there is no such proposal, or it cannot be deleted.
    pub fn drop_proposal(&self, id: &str) -> Result<Proposal, Refusal> {
        let _lock = self.lock_pending()?;
        let proposal = self.proposal(id)?;
        self.forget(&proposal)?;
        Ok(proposal)
    }

    /// Gives the one text that a proposal would write another wording.
    ///
    /// # Errors
    /// When it writes no text or more than one, or the new one cannot be an entry.
    pub fn reword(&self, id: &str, content: &str) -> Result<Proposal, Refusal> {
        let _lock = self.lock_pending()?;
        let mut proposal = self.proposal(id)?;
        let mut texts = Vec::new();
        if let Proposed::File { operations, changes, .. } = &mut proposal.what {
            for operation in operations.iter_mut() {
                if let Operation::Add { content } | Operation::Replace { content, .. } = operation {
                    texts.push(content);
                }
            }
            for change in changes.iter_mut() {
                if let Change::Add { content } | Change::Replace { content, .. } = change {
                    texts.push(content);
                }
            }
        }
        let old = texts.first().map(|text| (*text).clone());
        match old {
            Some(old) if texts.iter().all(|text| **text == old) => {}
            _ => return Err(Refusal::no_such(format!("`{}` does not write exactly one text", proposal.id), "pending")),
        }
        let new = self.checks.admit(content).map_err(|reason| Refusal::Text { place: "text".to_owned(), reason })?;
        texts.into_iter().for_each(|text| text.clone_from(&new));
        self.keep(&proposal)?;
        Ok(proposal)
    }

    fn keep(&self, proposal: &Proposal) -> Result<(), Refusal> {
        let text = serde_json::to_string_pretty(proposal).unwrap_or_default();
        Ok(replace(&self.file(proposal), text.as_bytes())?)
    }

    fn forget(&self, proposal: &Proposal) -> Result<(), Refusal> {
        let path = self.file(proposal);
        Ok(fs::remove_file(&path).at("remove", &path)?)
    }

    fn file(&self, proposal: &Proposal) -> PathBuf {
        self.home.pending().join(Path::new(&proposal.id).with_extension("json"))
    }

    fn lock_pending(&self) -> Result<FileLock, Refusal> {
        Ok(FileLock::acquire(&self.home.pending().join(".lock"))?)
    }
}

/// What a proposal meant when it was made, for the file as it is now. What is done already is left out.
fn as_of_then(target: Target, changes: &[Change], entries: &[String]) -> Result<Vec<Operation>, Refusal> {
    let mut operations = Vec::new();
    // A batch may replace what it added itself.
    let mut there = entries.to_vec();
    for change in changes {
        let moved = |previous: &String| Refusal::Moved { target, previous: super::snapshot::first_words(previous) };
        let operation = match change {
            Change::Add { content } => Operation::Add { content: content.clone() },
            Change::Remove { previous } if !there.contains(previous) => continue,
            Change::Remove { previous } => Operation::Remove { old_text: previous.clone() },
            Change::Replace { previous, content } if !there.contains(previous) => {
                if there.contains(content) {
                    continue;
                }
                return Err(moved(previous));
            }
            Change::Replace { previous, content } => {
                Operation::Replace { old_text: previous.clone(), content: content.clone() }
            }
        };
        match change {
            Change::Add { content } => there.push(content.clone()),
            Change::Remove { previous } => there.retain(|entry| entry != previous),
            Change::Replace { previous, content } => {
                there.retain(|entry| entry != previous);
                there.push(content.clone());
            }
        }
        operations.push(operation);
    }
    Ok(operations)
}

fn is_same(one: &Proposed, other: &Proposed) -> bool {
    match (one, other) {
        (Proposed::File { target: a, operations: b, .. }, Proposed::File { target: c, operations: d, .. }) => {
            (a, b) == (c, d)
        }
        (one, other) => one == other,
    }
}
