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
    /// What the model said since, in several messages that are one to some clients, and the hashes before the first.
    run: Option<([Digest; 2], String)>,
}

impl Chain {
    /// Of a conversation in a space of its own for each `who`.
    pub(super) fn new(who: &str, messages: &[WireMessage]) -> Self {
        let start = ["full", "said"].map(|kind| Sha256::digest(format!("{kind}\n{who}")).into());
        Self::after(start, messages)
    }

    /// Of messages that go on from these hashes.
    pub(super) fn after(start: [Digest; 2], messages: &[WireMessage]) -> Self {
        let mut chain = Self { start, full: Vec::new(), said: Vec::new(), run: None };
        messages.iter().for_each(|message| chain.push(message));
        chain
    }

    pub(super) fn push(&mut self, message: &WireMessage) {
        let mut last = self.last();
        if message.is_beside() {
            self.full.push(last[0]);
            self.said.push(last[1]);
            return;
        }
        let digest = match message.said() {
            Some(text) => {
                let (before, mut all) = self.run.take().unwrap_or((last, String::new()));
                all.push_str(&text);
                let digest = WireMessage::digest_of_said(&all);
                (self.run, last) = (Some((before, all)), before);
                digest
            }
            None => {
                self.run = None;
                message.digest()
            }
        };
        self.full.push(link(&last[0], &digest));
        self.said.push(if message.instructs() { last[1] } else { link(&last[1], &digest) });
    }

    /// The hash of what was said up to a message.
    pub(super) fn said(&self, message: usize) -> Digest {
        self.said[message]
    }

    /// The hash that it goes on from.
    pub(super) fn start(&self) -> Digest {
        self.start[1]
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

/// The hash of a part of an answer that its server calls so: what only names it goes on from it.
pub(super) fn of_item(who: &str, id: &str) -> Digest {
    Sha256::digest(format!("item\n{who}\n{id}")).into()
}

/// The hash of an answer that its server calls so: what goes on from it names it in place of what was said.
pub(super) fn of_answer(who: &str, id: &str) -> Digest {
    Sha256::digest(format!("answer\n{who}\n{id}")).into()
}
