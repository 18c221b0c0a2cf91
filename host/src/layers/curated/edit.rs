//! The entries as they are, and the one place that changes them.

use hermes_provider_api::records::Caller;
use serde::Serialize;

use super::meta::Meta;
use super::plan::{Plan, plan};
use super::text::{self, chars};
use super::{Change, Curated, Facts, Operation, Proposal, Refusal, Target, Usage, id_of};
use crate::clock::UnixMillis;

/// What a write did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// In which file.
    pub target: Target,
    /// What really changed; nothing where it was so already, or where it is only proposed.
    pub changes: Vec<Change>,
    /// How many of the texts were there already.
    pub duplicates: usize,
    /// How many entries there are now.
    pub entries: usize,
    /// How full the file is now.
    pub usage: Usage,
    /// It waits for the user's approval.
    pub proposal: Option<Proposal>,
}

/// An entry and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The beginning of the hash of its text: its name at the command line.
    pub id: String,
    /// Its place in the file, from 1.
    pub number: usize,
    /// Its text.
    pub text: String,
    /// Where it comes from; None where that is not known.
    pub facts: Option<Facts>,
    /// It is not shown to a model any more.
    pub expired: bool,
}

/// The entries of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Listing {
    /// The file.
    pub target: Target,
    /// Whether it is in use.
    pub on: bool,
    /// How full it is.
    pub usage: Usage,
    /// In their order.
    pub entries: Vec<Entry>,
    /// What is odd about the file, in one line.
    pub remark: Option<String>,
}

impl Listing {
    /// The one entry that a number, the beginning of an id or a part of the text names.
    ///
    /// # Errors
    /// When none does, or more than one.
    pub fn find(&self, which: &str) -> Result<&Entry, Refusal> {
        let named =
            |is_it: &dyn Fn(&Entry) -> bool| self.entries.iter().filter(|entry| is_it(entry)).collect::<Vec<_>>();
        let which = which.trim();
        let loose = hermes_text::normalize(which);
        let by_number = named(&|entry| entry.number.to_string() == which);
        let by_id = named(&|entry| which.len() >= 4 && entry.id.starts_with(which));
        let by_text = named(&|entry| !loose.is_empty() && hermes_text::normalize(&entry.text).contains(&loose));
        let file = self.target.file_name();
        match [by_number, by_id, by_text].into_iter().find(|found| !found.is_empty()).as_deref() {
            Some([one]) => Ok(one),
            Some(several) => {
                let ids: Vec<&str> = several.iter().map(|entry| entry.id.as_str()).collect();
                let what = format!("{} entries of {file} have “{which}”: {}", several.len(), ids.join(", "));
                Err(Refusal::no_such(what, "list"))
            }
            None => Err(Refusal::no_such(format!("{file} has no entry “{which}”"), "list")),
        }
    }
}

impl Curated {
    /// The entries of a file as they are now, also of one that is off.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn list(&self, target: Target) -> Result<Listing, Refusal> {
        let limits = self.settings.of(target);
        let text = self.store.read(target, limits.chars)?;
        let meta = Meta::read(self.store.folder());
        let now = self.clock.now();
        let usage = Usage { used: chars(&text.entries), limit: limits.chars };
        let remark = text::remark(target, &text, limits.chars);
        let entries = text.entries.into_iter().enumerate().map(|(at, text)| {
            let facts = meta.of(target, &text).cloned();
            let expired = facts.as_ref().and_then(|facts| facts.expires).is_some_and(|expires| expires <= now);
            Entry { id: id_of(&text), number: at + 1, text, facts, expired }
        });
        Ok(Listing { target, on: limits.on, usage, entries: entries.collect(), remark })
    }

    /// Sets from when on an entry is not shown to a model any more, or takes that away.
    ///
    /// # Errors
    /// When there is no such entry, or the record cannot be written.
    pub fn expire(&self, target: Target, text: &str, expires: Option<UnixMillis>) -> Result<(), Refusal> {
        let (limit, text) = (self.must_be_on(target)?, &text::plain(text));
        if !self.store.read(target, limit)?.entries.contains(text) {
            return Err(Refusal::no_such(format!("{} has no entry “{text}”", target.file_name()), "list"));
        }
        Meta::expire(self.store.folder(), target, text, expires)
    }

    /// Does admitted operations under the lock.
    pub(super) fn commit(&self, target: Target, operations: &[Operation], caller: &Caller) -> Result<Outcome, Refusal> {
        let limit = self.must_be_on(target)?;
        self.change(target, limit, caller, |entries| plan(entries, operations, limit))
            .map_err(|refusal| self.with_ages(target, refusal))
    }

    pub(super) fn change(
        &self,
        target: Target,
        limit: usize,
        caller: &Caller,
        make: impl Fn(&[String]) -> Result<Plan, Refusal>,
    ) -> Result<Outcome, Refusal> {
        let locked = self.store.lock(target, limit)?;
        let caller = self.dated(caller);
        let plan = locked.change(self.clock.now(), make, |changes, write| {
            self.tell(target, changes, &caller, write);
        })?;
        if !plan.changes.is_empty() {
            // The entries are written; that their origin is not known is no reason to say that they are not.
            if let Err(error) = Meta::note(self.store.folder(), target, &plan, &caller) {
                tracing::warn!(%error, "where a memory entry comes from is not written down");
            }
        }
        Ok(Outcome { changes: plan.changes, duplicates: plan.duplicates, ..self.outcome(target, limit, &plan.entries) })
    }

    /// Has a change written, and whoever mirrors it hear of it.
    pub(super) fn tell(&self, target: Target, changes: &[Change], caller: &Caller, write: &mut dyn FnMut() -> bool) {
        match &self.mirror {
            Some(mirror) => mirror.mirrored(target, changes, caller, write),
            None => _ = write(),
        }
    }

    /// What is so now, without a change.
    pub(super) fn outcome(&self, target: Target, limit: usize, entries: &[String]) -> Outcome {
        let usage = Usage { used: chars(entries), limit };
        Outcome { target, changes: Vec::new(), duplicates: 0, entries: entries.len(), usage, proposal: None }
    }

    /// The same refusal with the entries by age, so that it can be chosen what has to go.
    pub(super) fn with_ages(&self, target: Target, refusal: Refusal) -> Refusal {
        match refusal {
            Refusal::OverLimit { used, needed, limit, entries, .. } => {
                let meta = Meta::read(self.store.folder());
                let age =
                    |entry: &String| meta.of(target, entry).map_or(0, |facts| facts.changed.unwrap_or(facts.created));
                let mut oldest = entries.clone();
                oldest.sort_by_key(age);
                Refusal::OverLimit { used, needed, limit, entries, oldest }
            }
            other => other,
        }
    }

    pub(super) fn dated(&self, caller: &Caller) -> Caller {
        let mut caller = caller.clone();
        if caller.origin.at == 0 {
            caller.origin.at = self.clock.now();
        }
        caller
    }
}
