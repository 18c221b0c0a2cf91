//! What was changed and when, and the way back.

use std::fs;

use hermes_provider_api::records::Caller;
use serde::Serialize;

use super::meta::Meta;
use super::plan::{Change, Plan, difference};
use super::text::FileText;
use super::{Curated, Refusal, Target};
use crate::clock::UnixMillis;
use crate::home::exchange::exchange;
use crate::home::files::{At as _, rename};

/// A version that was replaced.
#[derive(Clone, Debug, Serialize)]
pub struct Version {
    /// Its name.
    pub id: String,
    /// When it was replaced.
    pub replaced_at: UnixMillis,
    /// How many entries it had; None when it cannot be read.
    pub entries: Option<usize>,
    /// What was changed when it was replaced.
    pub changes: Vec<Change>,
    /// It was taken back by an undo.
    pub undone: bool,
}

/// What an undo did.
#[derive(Clone, Debug)]
pub struct Undone {
    /// The version that is in place again.
    pub version: String,
    /// What that changed.
    pub changes: Vec<Change>,
}

/// How the names of versions end that an undo took back.
const UNDONE: &str = ".undone";

impl Curated {
    /// The versions that are kept, the newest first.
    #[must_use]
    pub fn history(&self, target: Target) -> Vec<Version> {
        let limit = self.settings.of(target).chars;
        // What cannot be read is a reason to look for what was there before.
        let mut after = self.store.read(target, limit).ok().map(|text| text.entries);
        let mut versions = Vec::new();
        for kept in self.store.versions(target).all().into_iter().rev() {
            let read = fs::read(&kept.path).ok().and_then(|bytes| FileText::read(&bytes, limit).ok());
            let entries = read.map(|text| text.entries);
            let both = entries.as_ref().zip(after.as_ref());
            let changes = both.map(|(entries, after)| difference(entries, after)).unwrap_or_default();
            let (undone, count) = (kept.id.ends_with(UNDONE), entries.as_ref().map(Vec::len));
            versions.push(Version { id: kept.id, replaced_at: kept.replaced_at, entries: count, changes, undone });
            after = entries.or(after);
        }
        versions
    }

    /// Puts a version back, byte for byte: the one before the last change that was not undone yet, or a named one. What
    /// is there now is kept as a version too.
    ///
    /// # Errors
    /// When there is none, or a file cannot be read or written.
    pub fn undo(&self, target: Target, to: Option<&str>, caller: &Caller) -> Result<Undone, Refusal> {
        let limit = self.must_be_open(target, &caller.scope)?;
        let locked = self.store.lock(target, limit)?;
        let caller = self.dated(caller);
        let versions = self.store.versions(target);
        let all = versions.all();
        let wanted = match to {
            Some(id) => match all.iter().filter(|kept| kept.id.starts_with(id)).collect::<Vec<_>>()[..] {
                [one] => Some(one),
                [_, _, ..] if !all.iter().any(|kept| kept.id == id) => {
                    return Err(Refusal::no_such(format!("more than one version begins with `{id}`"), "history"));
                }
                _ => all.iter().find(|kept| kept.id == id),
            },
            None => all.iter().rev().find(|kept| !kept.id.ends_with(UNDONE)),
        };
        let name = target.file_name();
        let wanted = wanted.ok_or_else(|| match to {
            Some(id) => Refusal::no_such(format!("{name} has no version `{id}`"), "history"),
            None => Refusal::no_such(format!("there is nothing to undo in {name}"), "history"),
        })?;
        locked.must_be_writable()?;
        let bytes = fs::read(&wanted.path).at("read", &wanted.path)?;
        let entries = FileText::read(&bytes, limit).map(|text| text.entries).unwrap_or_default();
        // A file that cannot be read is a reason to go back.
        let before = locked.entries().unwrap_or_default();
        let kept = versions.next(self.clock.now())?;
        let plan = Plan { changes: difference(&before, &entries), entries, duplicates: 0 };
        let mut exchanged = Ok(());
        self.tell(target, &plan.changes, &caller, &mut || {
            exchanged = exchange(&self.store.path(target), &bytes, &kept);
            exchanged.is_ok() || locked.has(&plan.changes)
        });
        exchanged?;
        if to.is_none() {
            let mut undone = kept.clone().into_os_string();
            undone.push(UNDONE);
            if kept.exists() {
                rename(&kept, undone.as_ref())?;
            }
            fs::remove_file(&wanted.path).at("remove", &wanted.path)?;
        }
        versions.prune();
        // What comes back keeps its origin, which is still known.
        let known = Plan { changes: Vec::new(), ..plan.clone() };
        if let Err(error) = Meta::note(self.store.folder(), target, &known, &caller) {
            tracing::warn!(%error, "an undo is not written down");
        }
        Ok(Undone { version: wanted.id.clone(), changes: plan.changes })
    }
}
