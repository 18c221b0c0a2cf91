//! One conversation of a client: its session, and what the model saw of it that the client did not.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::clock::UnixMillis;
use crate::model::wire::{Digest, WireMessage};
use crate::turn::{Session, TurnHandle};

/// What the model was given at a message of the client, beside or in place of it. It is given the same ever after, byte
/// for byte: a model's cache knows a conversation by its beginning.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    /// A turn began with the message.
    pub(super) began: bool,
    /// The recall block below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) block: Option<String>,
    /// What stands there for it, which may be nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instead: Option<Vec<Box<RawValue>>>,
    /// What follows it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) after: Vec<Box<RawValue>>,
    /// An answer that was asked on, to the client the same: the id of the last, which its server goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) goes_by: Option<String>,
}

impl Kept {
    fn bytes(&self) -> usize {
        let block = self.block.as_ref().map_or(0, String::len);
        128 + block + self.raw().map(|raw| raw.get().len()).sum::<usize>()
    }

    /// The ids of what was made beside what is said.
    fn beside(&self) -> impl Iterator<Item = String> {
        let items = self.raw().filter_map(|raw| WireMessage::read(raw.clone()).ok());
        items.filter(WireMessage::is_beside).filter_map(|item| item.id().map(str::to_owned))
    }

    /// The same with other messages in it.
    pub(super) fn map(&self, change: impl Fn(&RawValue) -> Box<RawValue>) -> Self {
        let all = |all: &Vec<Box<RawValue>>| all.iter().map(|raw| change(raw)).collect::<Vec<_>>();
        Self { instead: self.instead.as_ref().map(all), after: all(&self.after), ..self.clone() }
    }

    fn raw(&self) -> impl Iterator<Item = &Box<RawValue>> {
        self.instead.iter().flatten().chain(&self.after)
    }
}

/// A turn that has begun, and whose answer is not there yet.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) turn: TurnHandle,
    /// The hash up to its message.
    pub(super) at: Digest,
    /// How many messages of the request are on record.
    pub(super) noted: usize,
}

#[derive(Debug, Default)]
pub(super) struct State {
    kept: HashMap<Digest, Kept>,
    pub(super) open: Option<Open>,
    /// Both hashes of where the conversation stands.
    pub(super) heads: [Digest; 2],
    /// The same behind the last answer.
    pub(super) answered: Option<[Digest; 2]>,
    /// All hashes by which it is found.
    pub(super) known_by: Vec<Digest>,
    /// What is kept of what a model made beside its words, by id: it is not given twice.
    beside: HashSet<String>,
    /// What is not on disk yet.
    pub(super) changed: BTreeSet<Digest>,
}

/// A conversation. One request at a time has it.
pub(super) struct Conversation {
    pub(super) key: String,
    pub(super) session: Session,
    busy: AtomicBool,
    /// It had a request in this process.
    began: AtomicBool,
    used: AtomicU64,
    bytes: AtomicUsize,
    state: Mutex<State>,
}

impl Conversation {
    pub(super) fn new(key: String, session: Session) -> Self {
        let (busy, began, used, bytes, state) = Default::default();
        Self { key, session, busy, began, used, bytes, state }
    }

    /// One that another process left, or this one forgot.
    pub(super) fn revived(key: String, session: Session, state: State) -> Self {
        let bytes = state.kept.values().map(Kept::bytes).sum::<usize>().into();
        Self { bytes, state: Mutex::new(state), ..Self::new(key, session) }
    }

    /// Whether its session is to be ended here.
    pub(super) fn has_begun(&self) -> bool {
        self.began.load(Ordering::Relaxed)
    }

    /// A request has it.
    pub(super) fn begins(&self) {
        self.began.store(true, Ordering::Relaxed);
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was free, and is the caller's now.
    pub(super) fn take(&self, now: UnixMillis) -> bool {
        self.used.store(now, Ordering::Relaxed);
        !self.busy.swap(true, Ordering::AcqRel)
    }

    pub(super) fn give_back(&self, now: UnixMillis) {
        self.used.store(now, Ordering::Relaxed);
        self.busy.store(false, Ordering::Release);
    }

    pub(super) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    pub(super) fn used(&self) -> UnixMillis {
        self.used.load(Ordering::Relaxed)
    }

    /// How much is kept for it.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Changes what is kept at a message.
    pub(super) fn keep(&self, at: Digest, change: impl FnOnce(&mut Kept)) {
        let mut guard = self.state();
        let state = &mut *guard;
        let before = state.kept.get(&at).map_or(0, Kept::bytes);
        let new = state.kept.entry(at).or_default();
        change(new);
        state.beside.extend(new.beside());
        state.changed.insert(at);
        self.bytes.fetch_add(new.bytes().saturating_sub(before), Ordering::Relaxed);
    }
}

impl State {
    /// As it was written down: what stands where.
    pub(super) fn of_stored(
        heads: [Digest; 2],
        answered: Option<[Digest; 2]>,
        stored: impl Iterator<Item = (Digest, Option<Kept>)>,
    ) -> Self {
        let mut state = Self { heads, answered, ..Self::default() };
        for (at, kept) in stored {
            state.known_by.push(at);
            if let Some(kept) = kept {
                state.beside.extend(kept.beside());
                state.kept.insert(at, kept);
            }
        }
        state
    }

    pub(super) fn kept(&self, at: &Digest) -> Option<&Kept> {
        self.kept.get(at)
    }

    /// Adds a message of the client as the model saw it, and what followed.
    pub(super) fn put_back(&self, message: &WireMessage, at: &Digest, into: &mut Vec<Box<RawValue>>) {
        if message.is_beside() {
            let is_there = message.id().is_some_and(|id| self.beside.contains(id));
            into.extend((!is_there).then(|| message.raw().to_owned()));
            return;
        }
        let kept = self.kept.get(at).filter(|_| !message.instructs());
        let Some(Kept { block, instead, after, .. }) = kept else {
            into.push(message.raw().to_owned());
            return;
        };
        match (instead, block) {
            (Some(instead), _) => into.extend(instead.iter().cloned()),
            (None, Some(block)) => into.push(message.with_below(block)),
            (None, None) => into.push(message.raw().to_owned()),
        }
        into.extend(after.iter().cloned());
    }
}
