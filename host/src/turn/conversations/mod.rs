//! Conversations of clients that send the whole conversation with every request, as those of OpenAI's API do, and never
//! hear of a session: found again by what they send.
//!
//! A client names its session, or it is found by the beginning of the conversation, which has to be known from one
//! session alone: what might belong to two begins a new one. Two who speak never share one ([`Who`]).
//!
//! What the client does not see, recall blocks and calls of the memory's tools, is put back where the model saw it. All of
//! this is in memory, bounded, and written down with the turns (`store`): a conversation goes on in its session with the
//! same bytes in another process too, for a month.

mod chain;
mod conversation;
mod exchange;
mod store;
#[cfg(test)]
mod tests;

pub use exchange::{Exchange, Request, Since};

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use hermes_provider_api::records::{Context, Scope};

use super::Memory;
use crate::clock::Clock;
use crate::model::wire::{Digest, Form, WireMessage};
use chain::Chain;
use conversation::Conversation;
use store::Store;

/// How many conversations are known at once.
const MOST: usize = 2000;
/// How much is kept for all of them.
const MOST_BYTES: usize = 64 << 20;

/// By how many beginnings one conversation is found.
const MOST_BEGINNINGS: usize = 8000;
/// How often it is looked for what is old.
const DAY: u64 = 24 * 60 * 60 * 1000;
/// How many of the beginnings of a request are looked for on disk: it goes on with one of its newest.
const MOST_LOOKED_FOR: usize = 64;

/// Who speaks, and to whom it may be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Who {
    /// By which door, such as the name of a token.
    pub door: String,
    /// The audience.
    pub scope: Scope,
}

impl Who {
    fn key(&self) -> String {
        let Scope { platform, user, chat, project, .. } = &self.scope;
        format!("{:?}", [&self.door, platform, user, chat, project])
    }
}

impl Who {
    /// Where the names of answers are known, which are of one form of the API.
    fn space(&self, form: Form) -> String {
        format!("{}{form:?}", self.key())
    }
}

/// What no client may see of what its model's server keeps, beside recall blocks.
#[derive(Clone, Debug, Default)]
pub struct Hidden {
    /// The memory's part of the instructions.
    pub instructions: String,
    /// The names of the memory's tools.
    pub tools: BTreeSet<String>,
    /// The id that the whole answer has there, where the client knows the first part's.
    pub goes_by: Option<String>,
}

/// The conversations that are going on.
pub struct Conversations {
    prefix: String,
    clock: Clock,
    begun: AtomicU64,
    known: Mutex<Known>,
    /// What is written down is there, and when it was last looked through for what is old.
    store: OnceLock<Store>,
    pruned: AtomicU64,
}

#[derive(Default)]
struct Known {
    by_key: HashMap<String, Arc<Conversation>>,
    by_beginning: HashMap<Digest, Vec<Arc<Conversation>>>,
    /// They are to be ended, which takes time.
    leaving: Vec<Arc<Conversation>>,
}

impl Conversations {
    /// None yet. Sessions that no client names are called `<prefix>-…`.
    #[must_use]
    pub fn new(prefix: &str, clock: Clock) -> Self {
        // Two processes may begin in the same millisecond.
        let prefix = format!("{prefix}-{}-{}", clock.now(), std::process::id());
        let (begun, known, store, pruned) = Default::default();
        Self { prefix, clock, begun, known, store, pruned }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known().by_key.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ends the sessions in which nothing was said for so long, and those that there was no room for. May take as long as
    /// the disk.
    pub fn end_idle(&self, idle: Duration) {
        let idle = u64::try_from(idle.as_millis()).unwrap_or(u64::MAX);
        let before = self.clock.now().saturating_sub(idle);
        let leaving = {
            let mut known = self.known();
            let old: Vec<_> = known.by_key.values().filter(|one| one.used() <= before).cloned().collect();
            old.into_iter().filter(|one| one.take(one.used())).for_each(|one| known.forget(&one));
            std::mem::take(&mut known.leaving)
        };
        let now = self.clock.now();
        if let Some(store) = self.store.get().filter(|_| now >= self.pruned.load(Ordering::Relaxed) + DAY) {
            self.pruned.store(now, Ordering::Relaxed);
            store.prune(now);
        }
        for conversation in leaving.iter().filter(|one| one.has_begun()) {
            if let Err(error) = conversation.session.end() {
                tracing::warn!(session = conversation.session.id(), %error, "the end of a session");
            }
        }
    }

    /// The conversation of a request, for this request alone: the one that it names, the one that it goes on with, or a
    /// new one.
    fn take(
        &self,
        memory: &Memory,
        store: Option<&Store>,
        who: &Who,
        named: Option<&str>,
        ask: &Asked<'_>,
    ) -> Arc<Conversation> {
        let mut key = named.map(|id| format!("{}{id}", who.key()));
        if let Some(store) = store {
            self.store.get_or_init(|| store.clone());
            let keys = key.as_ref().map_or_else(|| store.keys_at(&ask.beginnings()), |key| vec![key.clone()]);
            self.revive(memory, store, who, keys);
        }
        let mut known = self.known();
        let now = self.clock.now();
        let found = match &key {
            Some(key) => known.by_key.get(key).cloned(),
            None => known.find(ask),
        };
        if let Some(found) = found {
            if found.take(now) {
                found.begins();
                return found;
            }
            // It answers another request just now: a session has one turn at a time.
            key = None;
        }
        let id = match (&key, named) {
            (Some(_), Some(id)) => session_id(who, id),
            _ => format!("{}-{}", self.prefix, self.begun.fetch_add(1, Ordering::Relaxed) + 1),
        };
        let session = memory.session(id.as_str(), who.scope.clone(), Context::Primary);
        let conversation = Arc::new(Conversation::new(key.unwrap_or(id), session));
        conversation.take(now);
        conversation.begins();
        known.make_room();
        known.by_key.insert(conversation.key.clone(), Arc::clone(&conversation));
        conversation
    }

    /// What no client may see of an answer that its server keeps, if the answer is one of these conversations. May ask the
    /// provider.
    pub fn hidden_in(&self, memory: &Memory, who: &Who, answer: &str) -> Option<Hidden> {
        let at = chain::of_answer(&who.space(Form::Responses), answer);
        if let Some(store) = Store::of(memory) {
            self.revive(memory, &store, who, store.keys_at(&[at]));
        }
        let one = only(self.known().at(&at))?;
        let tools = one.session.tools().offered.iter().map(|tool| tool.name.clone()).collect();
        let instructions = one.session.system_prompt().to_owned();
        let goes_by = one.state().kept(&at).and_then(|kept| kept.goes_by.clone());
        Some(Hidden { instructions, tools, goes_by })
    }

    /// Reads those of these conversations that are not in memory. A key, and what is known of it, is of one person.
    fn revive(&self, memory: &Memory, store: &Store, who: &Who, keys: Vec<String>) {
        for key in keys {
            if self.known().by_key.contains_key(&key) {
                continue;
            }
            let Some((session, state)) = store.load(&key) else { continue };
            let session = memory.session(session, who.scope.clone(), Context::Primary);
            let mut known = self.known();
            if known.by_key.contains_key(&key) {
                continue;
            }
            known.make_room();
            let beginnings = state.known_by.clone();
            let conversation = Arc::new(Conversation::revived(key.clone(), session, state));
            for beginning in beginnings {
                known.by_beginning.entry(beginning).or_default().push(Arc::clone(&conversation));
            }
            known.by_key.insert(key, conversation);
        }
    }

    /// It is found by this as well.
    fn known_as(&self, conversation: &Arc<Conversation>, at: Digest) {
        let mut known = self.known();
        if known.by_key.get(&conversation.key).is_some_and(|one| Arc::ptr_eq(one, conversation)) {
            known.add(&mut conversation.state(), conversation, at);
        }
    }

    /// From now on, it is found by this beginning.
    fn stands_at(&self, conversation: &Arc<Conversation>, heads: [Digest; 2]) {
        let mut known = self.known();
        // It may have been forgotten in between.
        if !known.by_key.get(&conversation.key).is_some_and(|one| Arc::ptr_eq(one, conversation)) {
            return;
        }
        let mut state = conversation.state();
        state.heads = heads;
        heads.into_iter().for_each(|head| known.add(&mut state, conversation, head));
        // One that goes on for months is found by its newest part.
        if state.known_by.len() > MOST_BEGINNINGS {
            for oldest in state.known_by.drain(..MOST_BEGINNINGS / 4) {
                known.no_longer_at(&oldest, conversation);
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a client sends.
struct Asked<'a> {
    messages: &'a [WireMessage],
    chain: &'a Chain,
    /// The hash up to the newest message of the user.
    turn: Digest,
    /// The hash of the answer that it goes on from, where what was before is not in it.
    from: Option<Digest>,
    /// The hash of the last part of an answer that it names in place of what was said.
    named: Option<Digest>,
}

impl Asked<'_> {
    /// The hashes by which it may be known, the best first.
    fn beginnings(&self) -> Vec<Digest> {
        let [whole, _] = self.chain.last();
        let shorter = self.chain.beginnings().map(|(_, both)| both).take(MOST_LOOKED_FOR);
        let shorter: Vec<_> = if self.from.is_some() { Vec::new() } else { shorter.collect() };
        let full = shorter.iter().map(|[full, _]| *full);
        let said = shorter.iter().map(|[_, said]| *said);
        std::iter::once(whole).chain(self.named).chain(self.from).chain(full).chain(said).collect()
    }
}

impl Known {
    fn find(&self, ask: &Asked<'_>) -> Option<Arc<Conversation>> {
        // Sent again, since there was no answer.
        let [whole, _] = ask.chain.last();
        let again = self
            .at(&whole)
            .filter(|one| !one.is_busy() && one.state().open.as_ref().is_some_and(|open| open.at == ask.turn));
        if let Some(only) = only(again) {
            return Some(only);
        }
        if let Some(from) = ask.from {
            return only(self.at(&from));
        }
        // Nothing else is so sure: its server gives no two parts the same name.
        if let Some(named) = ask.named.and_then(|named| only(self.at(&named))) {
            return Some(named);
        }
        let by_all = ask.chain.beginnings().map(|(_, [full, _])| full).find_map(|full| self.of(&full, 0));
        // The application's instructions may change; what was said then has to tell the conversation from others.
        let answered = |length: usize| ask.messages[..length].iter().any(|message| message.role() == "assistant");
        let by_said = || {
            let answered = ask.chain.beginnings().take_while(|(length, _)| answered(*length));
            answered.map(|(_, [_, said])| said).find_map(|said| self.of(&said, 1))
        };
        by_all.or_else(by_said).flatten()
    }

    /// The one conversation that stands at a beginning, else the one that went on from it; None inside for more than
    /// one.
    fn of(&self, beginning: &Digest, kind: usize) -> Option<Option<Arc<Conversation>>> {
        self.by_beginning.get(beginning)?;
        let standing = only(self.at(beginning).filter(|one| one.state().heads[kind] == *beginning));
        Some(standing.or_else(|| only(self.at(beginning))))
    }

    fn at(&self, beginning: &Digest) -> impl Iterator<Item = &Arc<Conversation>> {
        self.by_beginning.get(beginning).into_iter().flatten()
    }

    fn add(&mut self, state: &mut conversation::State, conversation: &Arc<Conversation>, at: Digest) {
        let others = self.by_beginning.entry(at).or_default();
        if !others.iter().any(|one| Arc::ptr_eq(one, conversation)) {
            others.push(Arc::clone(conversation));
            state.known_by.push(at);
            state.changed.insert(at);
        }
    }

    fn make_room(&mut self) {
        let bytes: usize = self.by_key.values().map(|one| one.bytes()).sum();
        if self.by_key.len() < MOST && bytes < MOST_BYTES {
            return;
        }
        // A tenth at once, so that not every request has to look through them all.
        let mut idle: Vec<_> = self.by_key.values().filter(|one| !one.is_busy()).cloned().collect();
        idle.sort_by_key(|one| one.used());
        idle.truncate(idle.len() / 10 + 1);
        idle.iter().filter(|one| one.take(one.used())).for_each(|one| self.forget(one));
    }

    fn forget(&mut self, conversation: &Arc<Conversation>) {
        self.by_key.remove(&conversation.key);
        for beginning in std::mem::take(&mut conversation.state().known_by) {
            self.no_longer_at(&beginning, conversation);
        }
        self.leaving.push(Arc::clone(conversation));
    }

    fn no_longer_at(&mut self, beginning: &Digest, conversation: &Arc<Conversation>) {
        if let Some(others) = self.by_beginning.get_mut(beginning) {
            others.retain(|one| !Arc::ptr_eq(one, conversation));
            if others.is_empty() {
                self.by_beginning.remove(beginning);
            }
        }
    }
}

fn only<'a>(mut several: impl Iterator<Item = &'a Arc<Conversation>>) -> Option<Arc<Conversation>> {
    let first = several.next()?;
    several.next().is_none().then(|| Arc::clone(first))
}

/// A client's name for a session, which two who speak may both use.
fn session_id(who: &Who, id: &str) -> String {
    let parts = [who.door.as_str(), who.scope.user.as_str(), id];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}
