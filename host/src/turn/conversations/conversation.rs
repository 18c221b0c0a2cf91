//! One conversation of a client: its session, and what the model saw of it that the client did not.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

use crate::clock::UnixMillis;
use crate::model::wire::{Digest, WireMessage};
use crate::turn::{Session, TurnHandle};

/// What the model was given at a message of the client, beside or in place of it. It is given the same ever after, byte
/// for byte: a model's cache knows a conversation by its beginning.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// A turn began with the message.
    pub(super) began: bool,
    /// The recall block below it.
    pub(super) block: Option<String>,
    /// What stands there for it.
    pub(super) instead: Option<Box<RawValue>>,
    /// What follows it.
    pub(super) after: Vec<Box<RawValue>>,
}

impl Kept {
    fn bytes(&self) -> usize {
        let raw = |raw: &RawValue| raw.get().len();
        let block = self.block.as_ref().map_or(0, String::len);
        128 + block + self.instead.as_deref().map_or(0, raw) + self.after.iter().map(|after| raw(after)).sum::<usize>()
    }
}

/// A turn that has begun, and whose answer is not there yet.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) turn: TurnHandle,
    /// The hash up to its message.
    pub(super) at: Digest,
    /// How many messages of the client are on record.
    pub(super) noted: usize,
}

#[derive(Debug, Default)]
pub(super) struct State {
    kept: HashMap<Digest, Kept>,
    pub(super) open: Option<Open>,
    /// Both hashes of where the conversation stands.
    pub(super) heads: [Digest; 2],
    /// All hashes by which it is found.
    pub(super) known_by: Vec<Digest>,
}

/// A conversation. One request at a time has it.
pub(super) struct Conversation {
    pub(super) key: String,
    pub(super) session: Session,
    busy: AtomicBool,
    used: AtomicU64,
    bytes: AtomicUsize,
    state: Mutex<State>,
}

impl Conversation {
    pub(super) fn new(key: String, session: Session) -> Self {
        let (busy, used, bytes, state) = Default::default();
        Self { key, session, busy, used, bytes, state }
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
        let mut state = self.state();
        let new = state.kept.entry(at).or_default();
        let before = if new.began || new.instead.is_some() || !new.after.is_empty() { new.bytes() } else { 0 };
        change(new);
        self.bytes.fetch_add(new.bytes().saturating_sub(before), Ordering::Relaxed);
    }
}

impl State {
    pub(super) fn kept(&self, at: &Digest) -> Option<&Kept> {
        self.kept.get(at)
    }

    /// Adds a message of the client as the model saw it, and what followed.
    pub(super) fn put_back(&self, message: &WireMessage, at: &Digest, into: &mut Vec<Box<RawValue>>) {
        let kept = self.kept.get(at).filter(|_| !message.instructs());
        let Some(Kept { block, instead, after, .. }) = kept else {
            into.push(message.raw().to_owned());
            return;
        };
        into.push(match (instead, block) {
            (Some(instead), _) => instead.clone(),
            (None, Some(block)) => message.with_below(block),
            (None, None) => message.raw().to_owned(),
        });
        into.extend(after.iter().cloned());
    }
}
