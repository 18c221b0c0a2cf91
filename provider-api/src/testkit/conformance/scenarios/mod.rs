//! The scenarios, in the order in which they are tried, and the ways in and out of a memory that they share.
//!
//! The [guide](super::guide) has the author's side: what to do about a finding, with code. Here each scenario says what it
//! does, what a user would notice, and what a provider is free to do instead. To add one is to write a function, to name it
//! in [`ALL`] and to give it a section in the guide.
//!
//! A scenario must be fair. It asks only what the listed interfaces promise, it judges by what comes out and never by how it
//! is stored, and what is the provider's own choice is a note at the most.

mod deadlines;
mod deliveries;
mod hooks;
mod lasting;
mod scopes;
mod settings;
mod storing;
mod texts;
mod together;
mod tools;

use std::time::Duration;

use super::bench::{Instance, Outcome, Room};
use super::memories::Memory;
use super::requests::request;
use super::subject::Failure;
use crate::records::{Caller, EntryPage, ImportReport, ListEntries, PrefetchQuery, Recall, RecallItem};
use crate::{Hook, Interface};

/// A scenario: its name, what it is about, and what it does. The name is for [`Kit::only`](super::Kit::only) and the report.
pub(super) type Entry = (&'static str, &'static str, fn(&Room<'_>) -> Outcome);

/// How many of them find out what the provider can do, for those that follow.
pub(super) const FIRST: usize = 2;

/// All of them.
pub(super) const ALL: &[Entry] = &[
    ("opening", "a fresh memory opens and says how it is", hooks::opening),
    ("storing", "what is stored is found, listed and deleted", storing::run),
    ("hooks", "each hook answers its record in time", hooks::listed),
    ("unlisted hooks", "what is implemented is also listed", hooks::unlisted),
    ("deliveries", "what is delivered twice is stored once", deliveries::twice),
    ("sessions", "sessions are switched, resumed and ended", deliveries::sessions),
    ("texts", "empty, huge and odd texts of many languages", texts::run),
    ("future", "requests of a newer hermes", texts::future),
    ("scopes", "what is private stays private", scopes::run),
    ("deadlines", "calls that hermes has stopped waiting for", deadlines::run),
    ("reopening", "an exit and a crash lose nothing", lasting::reopening),
    ("together", "two hermes use the memory at once", together::run),
    ("folders", "two profiles in one process keep apart", together::folders),
    ("closing", "an exit is clean, however often it is asked for", lasting::closing),
    ("uninstalled", "a deleted memory begins anew", lasting::uninstalled),
    ("tools", "tools that a model can use, and cannot break", tools::run),
    ("lookups", "looking something up changes nothing", tools::lookups),
    ("settings", "wrong, missing and unknown settings", settings::run),
    ("prompt", "the text for the system prompt holds still", settings::prompt),
    ("capabilities", "what is asked for is what is declared", settings::capabilities),
];

/// A way into the memory. Each is an interface of its own, and most providers have some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A user's explicit wish.
    Remember,
    /// A note of the agent in its curated memory.
    Write,
    /// A finished turn, with the text as the user's message.
    Turn,
    /// A memory that is brought from elsewhere.
    Import,
}

impl Way {
    /// All of them; those that are confirmed to the user come first.
    pub(super) const ALL: [Self; 4] = [Self::Remember, Self::Write, Self::Turn, Self::Import];

    /// The hook that takes it.
    pub(super) fn hook(self) -> Hook {
        match self {
            Self::Remember => Hook::Remember,
            Self::Write => Hook::OnMemoryWrite,
            Self::Turn => Hook::SyncTurn,
            Self::Import => Hook::Import,
        }
    }

    /// As the subject of a sentence.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Remember => "a text that the user asked to be kept",
            Self::Write => "a note of the agent",
            Self::Turn => "a turn",
            Self::Import => "an imported memory",
        }
    }
}

/// Where a memory was found.
#[derive(Default)]
pub(super) struct Found {
    /// By a recall.
    pub recalled: Vec<RecallItem>,
    /// In the listing.
    pub listed: Vec<RecallItem>,
}

impl Found {
    /// Whether it was found nowhere.
    pub(super) fn is_empty(&self) -> bool {
        self.recalled.is_empty() && self.listed.is_empty()
    }

    /// How often a user sees it at the most. The greater of the two: an entry is usually found both ways, and that is once.
    pub(super) fn times(&self) -> usize {
        self.recalled.len().max(self.listed.len())
    }
}

/// The most pages that a listing may have here; the scenarios store far less. After that it counts as endless.
const MAX_PAGES: usize = 1000;

impl Instance<'_> {
    /// Stores a text for somebody, under this idempotency key where the way has one.
    ///
    /// # Errors
    /// Why it was not stored; for an import also what the report refuses.
    pub(super) fn store(&self, way: Way, who: &Caller, text: &str, key: &str) -> Result<(), Failure> {
        let what = format!("storing {}", way.noun());
        let hook = way.hook();
        let answer = self.call(&what, hook, &request(hook, who, text, key), self.patience(hook))?;
        match serde_json::from_slice::<ImportReport>(&answer) {
            Ok(report) if way == Way::Import && !report.refused.is_empty() => {
                Err(Failure::Error(crate::ProviderError::invalid(report.refused.join("; "))))
            }
            _ => Ok(()),
        }
    }

    /// The same, trying again what may succeed later, as hermes does: up to five times, with 50 ms more before each.
    pub(super) fn deliver(&self, way: Way, who: &Caller, text: &str, key: &str) -> Result<(), Failure> {
        let mut tries = 0;
        loop {
            match self.store(way, who, text, key) {
                Err(Failure::Error(error)) if error.retryable && tries < 5 => {
                    tries += 1;
                    std::thread::sleep(Duration::from_millis(50 * tries));
                }
                done => return done,
            }
        }
    }

    /// Stores something new for somebody, and answers with it once it was confirmed.
    pub(super) fn learn(&self, way: Way, who: &Caller) -> Option<Memory> {
        let memory = self.room.bench.memory();
        let stored = self.deliver(way, who, &memory.text, &format!("kit:{}", memory.marker));
        stored.is_ok().then_some(memory)
    }

    /// Recalls for somebody, five items as hermes does. Nothing where recall is not listed or fails, which is then told.
    pub(super) fn recall(&self, who: &Caller, question: &str) -> Vec<RecallItem> {
        if !self.room.bench.has(Interface::Prefetch) {
            return Vec::new();
        }
        let query = PrefetchQuery { caller: who.clone(), query: question.to_owned(), limit: 5 };
        let recall = self.ask_within::<Recall>("a recall", Hook::Prefetch, &query, self.unhurried());
        recall.map(|recall| recall.items).unwrap_or_default()
    }

    /// Everything that is listed for somebody, page by page. A listing that never ends is a finding.
    pub(super) fn list(&self, who: &Caller, limit: usize) -> Vec<RecallItem> {
        let mut entries = Vec::new();
        if !self.room.bench.has(Interface::Browse) {
            return entries;
        }
        let mut cursor = String::new();
        for _ in 0..MAX_PAGES {
            let list = ListEntries { caller: who.clone(), cursor: cursor.clone(), limit };
            let what = "a page of the listing";
            let Ok(page) = self.ask_within::<EntryPage>(what, Hook::ListEntries, &list, self.unhurried()) else {
                return entries;
            };
            entries.extend(page.entries);
            if page.next.is_empty() {
                return entries;
            }
            if page.next == cursor {
                break;
            }
            cursor = page.next;
        }
        self.room.error("the listing never ends: a page leads back to itself", "`next` of the last page is empty");
        entries
    }

    /// Looks for a memory as somebody, by a recall and in the listing.
    pub(super) fn find(&self, who: &Caller, memory: &Memory) -> Found {
        // An item that only repeats the question knows nothing.
        let about = |item: &RecallItem| item.text.contains(&memory.marker) && !item.text.contains(&memory.question);
        let keep = |items: Vec<RecallItem>| items.into_iter().filter(about).collect();
        Found { recalled: keep(self.recall(who, &memory.question)), listed: keep(self.list(who, 50)) }
    }
}
