//! The beginnings of a conversation, each known by a hash of its messages and of who speaks.

use sha2::{Digest as _, Sha256};

use crate::model::wire::{Digest, WireMessage};

/// The hashes of all beginnings of a conversation as a client sends it.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    start: [Digest; 2],
    /// Up to and with each message.
    full: Vec<Digest>,
    /// The same without the instructions of the application, in which the time may stand.
    said: Vec<Digest>,
}

impl Chain {
    /// Those of these messages, in a space of their own for each `who`.
    pub(super) fn new(who: &str, messages: &[WireMessage]) -> Self {
        let start = ["full", "said"].map(|kind| Sha256::digest(format!("{kind}\n{who}")).into());
        let mut chain = Self { start, full: Vec::new(), said: Vec::new() };
        messages.iter().for_each(|message| chain.push(message));
        chain
    }

    pub(super) fn push(&mut self, message: &WireMessage) {
        let [full, said] = self.last();
        let digest = message.digest();
        self.full.push(link(&full, &digest));
        self.said.push(if message.instructs() { said } else { link(&said, &digest) });
    }

    /// The hash of what was said up to a message.
    pub(super) fn said(&self, message: usize) -> Digest {
        self.said[message]
    }

    /// Both hashes of the whole.
    pub(super) fn last(&self) -> [Digest; 2] {
        let last = |links: &[Digest], start| links.last().copied().unwrap_or(start);
        [last(&self.full, self.start[0]), last(&self.said, self.start[1])]
    }

    /// Both hashes of each shorter beginning, the longest first, with how many messages it has.
    pub(super) fn beginnings(&self) -> impl Iterator<Item = (usize, [Digest; 2])> {
        let shorter = self.full.len().saturating_sub(1);
        (0..shorter).rev().map(|at| (at + 1, [self.full[at], self.said[at]]))
    }
}

fn link(before: &Digest, message: &Digest) -> Digest {
    Sha256::new().chain_update(before).chain_update(message).finalize().into()
}
