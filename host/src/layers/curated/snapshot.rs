//! What a session is given of the curated memory, once.

use hermes_provider_api::records::Scope;

use super::edit::Entry;
use super::text::SEPARATOR;
use super::{Curated, Listing, Refusal, Target, Threat};
use crate::guard::fence;

/// How many `═` a rule has.
const RULE: usize = 46;
/// A file that is longer than it may be is shown up to so many times its limit: it is the user's own, and must not look
/// empty, but must not fill the window either.
const MOST: usize = 4;

/// The text for the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Empty when there is nothing.
    pub text: String,
    /// What the user should know about it, a line each.
    pub told: Vec<String>,
}

impl Curated {
    /// What the files that this audience may see hold now. A session asks once and repeats the same bytes; an application
    /// does so itself when it runs turns without sessions.
    ///
    /// An entry that the scan refuses is replaced here, and not in its file.
    #[must_use]
    pub fn snapshot(&self, audience: &Scope) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for target in self.settings.targets(audience) {
            match self.list(target) {
                Ok(listing) => {
                    snapshot.told.extend(listing.remark.clone());
                    let block = self.block(&listing, &mut snapshot.told);
                    snapshot.add(&block);
                }
                // A model that sees nothing would tell the user that nothing was ever kept.
                Err(refusal) => {
                    snapshot.add(&format!("[NOT LOADED: {refusal}]"));
                    snapshot.told.push(refusal.to_string());
                }
            }
        }
        snapshot
    }

    /// What one file holds now, as a model may see it; empty when that is nothing.
    ///
    /// # Errors
    /// When it is off or cannot be read.
    pub fn current(&self, target: Target) -> Result<String, Refusal> {
        self.must_be_on(target)?;
        Ok(self.block(&self.list(target)?, &mut Vec::new()))
    }

    fn block(&self, listing: &Listing, told: &mut Vec<String>) -> String {
        let most = listing.usage.limit.saturating_mul(MOST);
        let (mut shown, mut used, mut left_out) = (Vec::new(), 0, 0);
        for entry in &listing.entries {
            if entry.expired {
                told.push(format!(
                    "{}: expired, and not shown: {}",
                    listing.target.file_name(),
                    first_words(&entry.text)
                ));
                continue;
            }
            let room = most.saturating_sub(used);
            let text = self.shown(listing.target, entry, room, told);
            let chars = text.chars().count();
            if chars <= room {
                shown.push(text);
            } else if shown.is_empty() {
                shown.push(text.chars().take(room).collect::<String>() + " …");
                left_out += 1;
            } else {
                left_out += 1;
            }
            used += chars.min(room);
        }
        if left_out > 0 {
            let rest = format!("[{left_out} more not shown or not whole: the file is too long]");
            told.push(format!("{}: {rest}", listing.target.file_name()));
            shown.push(rest);
        }
        if shown.is_empty() {
            return String::new();
        }
        let rule = "═".repeat(RULE);
        format!("{rule}\n{} [{}]\n{rule}\n{}", listing.target.title(), listing.usage, shown.join(SEPARATOR))
    }

    /// An entry as the snapshot shows it. Of one that is far too long only so much is looked at as may be shown.
    fn shown(&self, target: Target, entry: &Entry, room: usize, told: &mut Vec<String>) -> String {
        let text = hermes_text::truncate_chars(&entry.text, 2 * room + 1);
        let (shown, threat) = self.for_model(target, text, &entry.id);
        if let Some(threat) = threat {
            told.push(format!(
                "{}: an entry looks like {} and is not shown to the model: {}",
                target.file_name(),
                threat.pattern,
                first_words(&threat.excerpt)
            ));
        }
        shown
    }

    /// An entry as a model may see it anywhere, and why it may not see all of it. The id finds it for a removal.
    pub(super) fn for_model(&self, target: Target, text: &str, id: &str) -> (String, Option<Threat>) {
        match (self.checks.scan)(text).into_iter().next() {
            Some(threat) => {
                let shown = format!(
                    "[BLOCKED: an entry of {} looks like {}. It is not shown here; `remove` with \"old_text\": \"{id}\" \
                     deletes it.]",
                    target.file_name(),
                    threat.pattern
                );
                (shown, Some(threat))
            }
            None => (fence::clean(&self.checks.redactor.redact(text)), None),
        }
    }
}

impl Snapshot {
    fn add(&mut self, block: &str) {
        if !block.is_empty() {
            if !self.text.is_empty() {
                self.text.push_str("\n\n");
            }
            self.text.push_str(block);
        }
    }
}

/// The beginning of a text, in one line.
pub(super) fn first_words(text: &str) -> String {
    // More words than have room.
    fence::shorten(&text.split_whitespace().take(40).collect::<Vec<_>>().join(" "), 60).into_owned()
}
