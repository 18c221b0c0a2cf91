//! What has to reach a provider in order: finished turns, mirrored writes, ends and switches of sessions.
//!
//! A delivery is a row of the home's database before [`Outbox::push`] returns; whatever happens to the process, the row
//! is delivered by the next one. One thread per [`Outbox`] delivers, and of all outboxes of a provider in a home one at
//! a time. A delivery that fails for now is tried again with back-off; until it is through or given up, nothing that
//! shares a lane (a session) with it is delivered, while other sessions go on. What is given up stays as a dead letter.
//! The outbox knows no plugins: it hands a [`Delivery`] to a [`Deliver`]. Nor does it know what else is to be kept of a
//! turn: that is a [`Beside`], written in the same transaction, with the same sync.

mod entry;
mod group;
mod post;
mod retry;
mod store;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Transaction;

use crate::clock::{Clock, UnixMillis};
use crate::db::{Db, DbError};
use crate::error::Hint;
use entry::Entry;
use post::{Post, Until};
pub use retry::{Retry, RetryPolicy};
pub use store::view::{Backlog, Hold, Row, RowState, Rows, Selection};

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
    /// Where it is a turn: its number is known after it was delivered.
    pub turn: Option<TurnMark>,
}

/// Which turn that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnMark {
    /// Its session.
    pub session: String,
    /// Its number there.
    pub number: u64,
    /// When it began.
    pub at: UnixMillis,
}

/// Something that is written in one transaction with deliveries, or without any, and goes to nobody.
pub struct Beside {
    /// What it is, for a person.
    pub what: String,
    /// How much memory it takes where it cannot be written.
    pub bytes: usize,
    /// Where it is of a turn.
    pub turn: Option<TurnMark>,
    /// Writes it. What fails is tried again later, whole.
    pub write: Write,
}

/// Writes something in a transaction.
pub type Write = Box<dyn Fn(&Transaction<'_>) -> rusqlite::Result<()> + Send + Sync>;

impl Beside {
    /// The same with something more.
    #[must_use]
    pub fn and(mut self, more: Option<Write>) -> Self {
        if let Some(more) = more {
            let first = self.write;
            self.write = Box::new(move |transaction| first(transaction).and_then(|()| more(transaction)));
        }
        self
    }
}

impl std::fmt::Debug for Beside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Beside").field(&self.what).finish()
    }
}

/// How much a delivery matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// It is kept until it has arrived.
    MustArrive,
    /// It helps when it comes in time: it is not kept, has one try, and no word is said when that fails.
    Hint,
}

/// Carries deliveries to the provider.
pub trait Deliver: Send + Sync {
    /// Makes one try. Blocks until the provider has answered or its deadline has passed.
    ///
    /// # Errors
    /// Why it did not arrive, and whether to try again.
    fn deliver(&self, delivery: &Delivery) -> Result<(), DeliveryError>;

    /// The longest that a try of this kind takes. Another process waits longer than that before it takes the place of
    /// one that does not move.
    fn limit(&self, kind: &str) -> Duration;
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

/// A delivery that could not be written down. Unless it is lost, it is in the memory of the process, which goes on
/// trying to write it, and is delivered after that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} could not be written down: {reason}")]
pub struct NotKept {
    /// What it is.
    pub what: String,
    /// Why.
    pub reason: String,
    /// The outbox is closed: nobody goes on trying.
    pub lost: bool,
}

impl Hint for NotKept {
    fn hints(&self) -> Vec<String> {
        if self.lost {
            return vec!["it is lost; see `hermes doctor`".to_owned()];
        }
        vec!["it is in memory, and written down as soon as that works; see `hermes doctor`".to_owned()]
    }
}

/// A delivery that was given up. Each is told once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What it was.
    pub what: String,
    /// Why the last try failed.
    pub reason: String,
    /// Whether it is kept as a dead letter, which can be tried again. Otherwise it is gone.
    pub kept: bool,
    /// It was to be kept here, and not to be delivered.
    pub own: bool,
}

/// What became of the deliveries of this outbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainReport {
    /// How many arrived since the outbox was opened, hints not counted.
    pub delivered: u64,
    /// What is still waiting or under way, in order. It is delivered later, by this process or the next.
    pub waiting: Vec<String>,
    /// Why the provider is given nothing for the time being.
    pub held: Option<String>,
    /// What was given up and not told before.
    pub lost: Vec<Lost>,
}

impl DrainReport {
    /// What waits is given up, since nobody will come back for it.
    #[must_use]
    pub fn without_a_next_time(mut self, reason: &str) -> Self {
        let lost = |what| Lost { what, reason: reason.to_owned(), kept: false, own: false };
        self.lost.extend(self.waiting.drain(..).map(lost));
        self
    }

    /// Whether everything arrived.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.waiting.is_empty() && self.lost.is_empty()
    }
}

/// The deliveries to one provider. Dropping it stops after the one that is under way, without waiting for it.
pub struct Outbox {
    post: Arc<Post>,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outbox")
    }
}

impl Outbox {
    /// Opens the outbox of a provider in this database and starts its thread. Without anybody to deliver, deliveries are
    /// kept for a process that has.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn open(
        db: Arc<Db>,
        provider: &str,
        deliver: Option<Arc<dyn Deliver>>,
        policy: RetryPolicy,
        clock: Clock,
    ) -> io::Result<Self> {
        let post = Arc::new(Post::new(db, provider, policy, clock, deliver.is_none()));
        if let Some(deliver) = deliver {
            let worker = Arc::clone(&post);
            std::thread::Builder::new().name("hermes-outbox".into()).spawn(move || worker.work(deliver.as_ref()))?;
        }
        Ok(Self { post })
    }

    /// Takes deliveries; those that must arrive are on disk when it returns. Callers at the same time share one write.
    ///
    /// # Errors
    /// When they could not be written down. After [`close`](Self::close) they are lost then, else tried again. What is
    /// written down after it is for the next process.
    pub fn push(&self, deliveries: Vec<Delivery>) -> Result<(), NotKept> {
        self.post.push(deliveries.into_iter().map(Entry::Delivery).collect())
    }

    /// The same with something beside them: it is on disk exactly if they are.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_with(&self, deliveries: Vec<Delivery>, beside: Beside) -> Result<(), NotKept> {
        let deliveries = deliveries.into_iter().map(Entry::Delivery);
        self.post.push(deliveries.chain([Entry::Beside(Arc::new(beside))]).collect())
    }

    /// The highest number that a turn of this session had for a provider, in this process or an earlier one, or has that
    /// could not be written yet; 0 when there is none.
    ///
    /// # Errors
    /// When the record of turns cannot be read.
    pub fn last_turn(&self, session: &str) -> Result<u64, DbError> {
        self.post.last_turn(session)
    }

    /// What was given up since the last time that this, or [`drain`](Self::drain), was asked.
    #[must_use]
    pub fn take_lost(&self) -> Vec<Lost> {
        self.post.take_lost()
    }

    /// Waits until what was pushed here has arrived or is given up, at most this long. Deliveries may go on being pushed.
    #[must_use]
    pub fn drain(&self, timeout: Duration) -> DrainReport {
        self.post.drain(timeout, Until::AllDone)
    }

    /// The same, and no longer once the next try is more than a second away: a provider that is not there would be waited
    /// for in vain.
    #[must_use]
    pub fn settle(&self, timeout: Duration) -> DrainReport {
        self.settle_while(timeout, &|| true)
    }

    /// The same, and no longer than it is wanted, which is asked now and then and must be answered at once.
    #[must_use]
    pub fn settle_while(&self, timeout: Duration, is_wanted: &dyn Fn() -> bool) -> DrainReport {
        self.post.drain_while(timeout, Until::DoneOrStuck, is_wanted)
    }

    /// The same for the end: hints are not waited for, nor a try that comes after the time.
    #[must_use]
    pub fn drain_at_end(&self, timeout: Duration) -> DrainReport {
        self.post.drain(timeout, Until::MustArriveDone)
    }

    /// Waits until nothing is left for the provider, whoever pushed it, or nothing can be done in the time.
    #[must_use]
    pub fn empty(&self, timeout: Duration) -> DrainReport {
        self.post.drain(timeout, Until::Empty)
    }

    /// Delivers nothing more. What is under way is not waited for; what waits stays on disk.
    pub fn close(&self) {
        self.post.close();
    }

    /// After [`close`](Self::close), waits for what is under way, which may be another process's, at most this long.
    pub fn finish(&self, timeout: Duration) {
        self.post.finish(timeout);
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.close();
    }
}
