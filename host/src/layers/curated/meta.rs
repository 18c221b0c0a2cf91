//! Where each entry comes from, in a file of its own, so that the Markdown stays plain.
//!
//! The key is the hash of the text. An entry without a record was written by hand or by another program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hermes_provider_api::records::{Author, Caller};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::plan::{Change, Plan};
use super::{Refusal, Target};
use crate::clock::UnixMillis;
use crate::home::files::{FileLock, read_text, rename, replace};

/// What is known of an entry that is gone is kept for so long, since it may come back: 90 days, in milliseconds.
const GONE_FOR: u64 = 90 * 24 * 3600 * 1000;

/// What is known of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Who wrote it; None for somebody without this memory: an editor, another program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// In which session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// When it was written, or first seen.
    pub created: UnixMillis,
    /// When its text was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<UnixMillis>,
    /// From then on it is not shown to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<UnixMillis>,
    /// Since when it has not been in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<UnixMillis>,
}

/// All that is known, by file and hash.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Meta {
    memory: BTreeMap<String, Facts>,
    user: BTreeMap<String, Facts>,
}

/// The name that an entry has at the command line, and the key of what is known of it: the beginning of a hash.
#[must_use]
pub fn id_of(entry: &str) -> String {
    let hash = Sha256::digest(entry.as_bytes());
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn path(folder: &Path) -> PathBuf {
    folder.join(".meta.json")
}

impl Meta {
    /// A record that cannot be read is none; the entries are there all the same.
    pub(super) fn read(folder: &Path) -> Self {
        Self::try_read(folder).unwrap_or_else(|reason| {
            tracing::warn!(reason, "where memory entries come from is not known");
            Self::default()
        })
    }

    fn try_read(folder: &Path) -> Result<Self, String> {
        match read_text(&path(folder)).map_err(|error| error.to_string())? {
            Some(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
            None => Ok(Self::default()),
        }
    }

    /// The record that cannot be read, and why.
    pub(super) fn problem(folder: &Path) -> Option<(PathBuf, String)> {
        Self::try_read(folder).err().map(|reason| (path(folder), reason))
    }

    pub(super) fn of(&self, target: Target, entry: &str) -> Option<&Facts> {
        self.file(target).get(&id_of(entry))
    }

    fn file(&self, target: Target) -> &BTreeMap<String, Facts> {
        match target {
            Target::Memory => &self.memory,
            Target::User => &self.user,
        }
    }

    fn file_mut(&mut self, target: Target) -> &mut BTreeMap<String, Facts> {
        match target {
            Target::Memory => &mut self.memory,
            Target::User => &mut self.user,
        }
    }

    /// Notes what was done to a file. Called while its lock is held; both files share this record, which has its own.
    pub(super) fn note(folder: &Path, target: Target, plan: &Plan, caller: &Caller) -> Result<(), Refusal> {
        let origin = &caller.origin;
        Self::update(folder, |meta| {
            let known = meta.file_mut(target);
            for change in &plan.changes {
                let (previous, content) = match change {
                    Change::Add { content } => (None, content),
                    Change::Replace { previous, content } => (Some(previous), content),
                    Change::Remove { .. } => continue,
                };
                let old = previous.and_then(|previous| known.get(&id_of(previous))).cloned();
                let (author, session) = (Some(origin.author), origin.session.clone());
                let created = old.as_ref().map_or(origin.at, |old| old.created);
                let changed = previous.map(|_| origin.at);
                let expires = old.and_then(|old| old.expires);
                known.insert(id_of(content), Facts { author, session, created, changed, expires, gone: None });
            }
            meta.settle(target, &plan.entries, origin.at);
        })
    }

    /// Sets or takes away when an entry expires.
    pub(super) fn expire(
        folder: &Path,
        target: Target,
        entry: &str,
        expires: Option<UnixMillis>,
    ) -> Result<(), Refusal> {
        Self::update(folder, |meta| {
            meta.file_mut(target).entry(id_of(entry)).or_default().expires = expires;
        })
    }

    /// Marks what is gone, forgets what has been gone for long, and dates what is new and not ours.
    fn settle(&mut self, target: Target, entries: &[String], at: UnixMillis) {
        let known = self.file_mut(target);
        let ids: Vec<String> = entries.iter().map(|entry| id_of(entry)).collect();
        for (id, facts) in known.iter_mut() {
            let is_there = ids.contains(id);
            facts.gone = if is_there { None } else { facts.gone.or(Some(at)) };
        }
        known.retain(|_, facts| facts.gone.is_none_or(|gone| at.saturating_sub(gone) < GONE_FOR));
        for id in ids {
            known.entry(id).or_insert_with(|| Facts { created: at, ..Facts::default() });
        }
    }

    fn update(folder: &Path, change: impl FnOnce(&mut Self)) -> Result<(), Refusal> {
        let file = path(folder);
        let _lock = FileLock::acquire(&folder.join(".meta.json.lock"))?;
        let mut meta = match Self::try_read(folder) {
            Ok(meta) => meta,
            Err(reason) => {
                tracing::warn!(
                    reason,
                    "what is known of memory entries begins anew; the old record is kept as .meta.json.bad"
                );
                rename(&file, &folder.join(".meta.json.bad"))?;
                Self::default()
            }
        };
        change(&mut meta);
        let text = serde_json::to_string_pretty(&meta).unwrap_or_default();
        Ok(replace(&file, text.as_bytes())?)
    }
}
