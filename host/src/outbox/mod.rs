//! What has to reach a provider in order: finished turns, mirrored writes, ends and switches of sessions.
//!
//! One thread per provider takes deliveries first in, first out. One that fails for now is tried again with back-off;
//! until it is through or given up, nothing that shares a lane (a session) with it is delivered, while other sessions
//! go on. The outbox knows no plugins: it hands a [`Delivery`] to a [`Deliver`]. It lives in memory; a delivery is made
//! of plain text so that a table can hold it.

mod queue;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use queue::{Queue, Until};

/// One call that has to reach the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The same for every try, different for every delivery.
    pub key: String,
    /// What it waits for, and what waits for it: the sessions that it belongs to.
    pub lanes: Vec<String>,
    /// What it is, for the one who delivers it: the name of a hook.
    pub kind: String,
    /// The request, JSON.
    pub payload: String,
    /// What it is, for a person: `turn 3 of session work`.
    pub what: String,
    /// What becomes of it when it fails.
    pub care: Care,
}

/// How much a delivery matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// It is tried again, and reported when it is lost.
    MustArrive,
    /// It helps when it comes in time: one try, and no word when it fails.
    Hint,
}

/// Carries deliveries to the provider.
pub trait Deliver: Send + Sync {
    /// Makes one try. Blocks until the provider has answered or its deadline has passed.
    ///
    /// # Errors
    /// Why it did not arrive, and whether to try again.
    fn deliver(&self, delivery: &Delivery) -> Result<(), DeliveryError>;
}

/// A try that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DeliveryError {
    /// Why, for a person.
    pub message: String,
    /// What to do next.
    pub retry: Retry,
}

/// Whether to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Another try will not help.
    Never,
    /// After the back-off, or this long where the provider said so.
    Later(Option<Duration>),
    /// It was not really tried, because the provider is paused: this does not count as a try.
    Paused,
}

/// How often and how soon a delivery is tried again.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// How many tries there are in all.
    pub tries: u32,
    /// The wait after the first failure; it doubles with each.
    pub first: Duration,
    /// The longest wait, also where the provider asks for more.
    pub longest: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { tries: 8, first: Duration::from_millis(500), longest: Duration::from_secs(60) }
    }
}

/// A delivery that was given up. Each is told once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What it was.
    pub what: String,
    /// Why the last try failed.
    pub reason: String,
}

/// What became of the deliveries at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainReport {
    /// How many arrived since the outbox was opened, hints not counted.
    pub delivered: u64,
    /// What was still waiting or under way when the time was up, in order.
    pub undelivered: Vec<String>,
    /// What was given up and not told before.
    pub lost: Vec<Lost>,
}

impl DrainReport {
    /// Whether everything arrived.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.undelivered.is_empty() && self.lost.is_empty()
    }
}

/// The deliveries of one provider. Dropping it stops after the one that is under way, without waiting for it.
pub struct Outbox {
    queue: Arc<Queue>,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outbox")
    }
}

impl Outbox {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn open(deliver: Arc<dyn Deliver>, policy: RetryPolicy) -> io::Result<Self> {
        let queue = Arc::new(Queue::new(policy));
        let worker = Arc::clone(&queue);
        std::thread::Builder::new().name("hermes-outbox".into()).spawn(move || worker.work(deliver.as_ref()))?;
        Ok(Self { queue })
    }

    /// Takes a delivery and returns at once. After [`close`](Self::close) it is lost, and reported as such.
    pub fn push(&self, delivery: Delivery) {
        self.queue.push(delivery);
    }

    /// What was given up since the last time that this, or [`drain`](Self::drain), was asked.
    #[must_use]
    pub fn take_lost(&self) -> Vec<Lost> {
        self.queue.take_lost()
    }

    /// Waits until all has arrived or is given up, at most this long. Deliveries may go on being pushed.
    #[must_use]
    pub fn drain(&self, timeout: Duration) -> DrainReport {
        self.queue.drain(timeout, Until::AllDone)
    }

    /// The same, and no longer once the provider is paused: it would be waited for in vain.
    #[must_use]
    pub fn settle(&self, timeout: Duration) -> DrainReport {
        self.queue.drain(timeout, Until::DoneOrPaused)
    }

    /// The same for the end: hints are not waited for.
    #[must_use]
    pub fn drain_at_end(&self, timeout: Duration) -> DrainReport {
        self.queue.drain(timeout, Until::MustArriveDone)
    }

    /// Delivers nothing more. What is under way is not waited for.
    pub fn close(&self) {
        self.queue.close();
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.close();
    }
}
