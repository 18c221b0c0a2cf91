//! Whoever hears of each change of a file. It is told while the file's lock is held, before and after, so that a process
//! that is killed in between leaves a note which the next one can judge by the file.

use hermes_provider_api::records::Caller;

use super::{Change, Curated, Refusal, Target};

/// Hears of each change of a memory file.
pub trait Mirror: Send + Sync {
    /// Calls `write` once, which writes the file and answers whether the changes are in it then, and passes them on if
    /// so.
    fn mirrored(&self, target: Target, changes: &[Change], caller: &Caller, write: &mut dyn FnMut() -> bool);
}

impl Change {
    /// Whether entries are as this change leaves them.
    #[must_use]
    pub fn is_in(&self, entries: &[String]) -> bool {
        match self {
            Self::Add { content } => entries.contains(content),
            Self::Replace { previous, content } => entries.contains(content) && !entries.contains(previous),
            Self::Remove { previous } => !entries.contains(previous),
        }
    }
}

impl Curated {
    /// Looks at the entries of a file while nobody changes it; not at all where somebody does so just now.
    ///
    /// # Errors
    /// When the file cannot be locked or read.
    pub fn look_if_idle(&self, target: Target, look: impl FnOnce(&[String])) -> Result<(), Refusal> {
        if let Some(locked) = self.store.try_lock(target, self.settings.of(target).chars)? {
            look(&locked.entries()?);
        }
        Ok(())
    }
}
