//! Entering many messages: words are gathered while those before them are written, in transactions so short that nobody
//! else who writes waits for long.
//!
//! A word is written with all messages of its batch or with none, and the mark moves behind the last word. What is entered
//! again is passed over ([`postings::append`](super::postings::append)), so a batch that was broken off in the middle is
//! no fault, and another process may enter some of the same messages meanwhile. What is forgotten meanwhile must not come
//! back: a batch from before that is thrown away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, Result, TransactionBehavior};

use super::super::{Settings, open};
use super::gather::{Entry, Gathered};
use super::{
    FORGOTTEN, MARK, SELECT_AFTER, Stored, UNDER_WAY, begin, catch_up, context, enter, mark, set_state, state,
};
use crate::db::{Db, DbError};

/// How much is done at once.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Portions {
    /// So many bytes of messages are a batch: a word costs the same however many of them have it.
    pub(in super::super) bytes: usize,
    /// So many messages are read at once: the log of the database cannot be emptied while somebody reads.
    pub(in super::super) read: i64,
    /// So many words are written in one transaction.
    pub(in super::super) words: usize,
}

const PORTIONS: Portions = Portions { bytes: 16 << 20, read: 2000, words: 2000 };
/// How often it is looked for more.
const PAUSE: Duration = Duration::from_millis(20);

/// Enters messages into the index while others are added.
#[derive(Debug)]
pub struct Filler {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<(), DbError>>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// No more are added.
    is_over: AtomicBool,
    /// What is not entered yet is left.
    is_stopped: AtomicBool,
    entered: AtomicI64,
}

/// The words of some messages.
struct Batch {
    words: Vec<(Box<str>, Entry)>,
    /// From behind which message, up to which, and how many they are.
    after: i64,
    last: i64,
    messages: i64,
    /// What had been forgotten when the first of them was read.
    forgotten: i64,
}

impl Filler {
    /// Begins to enter what is not in the index of this archive.
    #[must_use]
    pub fn start(db: Arc<Db>, settings: Settings) -> Self {
        Self::in_portions(db, settings, PORTIONS)
    }

    pub(in super::super) fn in_portions(db: Arc<Db>, settings: Settings, portions: Portions) -> Self {
        let shared = Arc::<Shared>::default();
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::spawn(move || fill(&db, &settings, portions, &of_thread));
        Self { shared, thread: Some(thread) }
    }

    /// Waits until all that was added before is entered, and shows how many messages are, now and then. Answers how many were.
    ///
    /// # Errors
    /// What SQLite says. What was entered before stays.
    pub fn finish(mut self, mut show: impl FnMut(i64)) -> Result<i64, DbError> {
        self.shared.is_over.store(true, Ordering::Release);
        let entered = || self.shared.entered.load(Ordering::Relaxed);
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            show(entered());
            std::thread::sleep(PAUSE);
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(done)) => done.map(|()| entered()),
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(entered()),
        }
    }
}

impl Drop for Filler {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Release);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn fill(db: &Db, settings: &Settings, portions: Portions, shared: &Shared) -> Result<(), DbError> {
    let Some(path) = db.path() else {
        while !shared.is_over.load(Ordering::Acquire) && !shared.is_stopped.load(Ordering::Acquire) {
            std::thread::sleep(PAUSE);
        }
        let entered = db.with(|db| catch_up(db, settings, i64::MAX))?;
        shared.entered.store(entered, Ordering::Relaxed);
        return Ok(());
    };
    let failed = |source| DbError::Sqlite { path: path.to_owned(), source };
    loop {
        let after = write(db, |db| begin(db, settings).and_then(|()| mark(db)))?;
        let is_whole = std::thread::scope(|scope| {
            let (sender, batches) = sync_channel(0);
            let gathering = scope.spawn(move || gather(&open(path)?, settings, portions, after, shared, &sender));
            let is_whole = write_all(db, batches, portions.words, shared)?;
            match gathering.join() {
                Ok(done) => done.map_err(failed).map(|()| is_whole),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })?;
        if is_whole {
            return Ok(());
        }
    }
}

/// Sends batch after batch, until no more are added and all are gathered, or nobody wants them.
fn gather(
    db: &Connection,
    settings: &Settings,
    portions: Portions,
    mut after: i64,
    shared: &Shared,
    batches: &SyncSender<Batch>,
) -> Result<()> {
    let mut select = db.prepare(SELECT_AFTER)?;
    let mut is_last = false;
    while !is_last {
        let forgotten = state(db, FORGOTTEN)?.unwrap_or(0);
        let (mut gathered, mut bytes, mut messages, mut last) = (Gathered::default(), 0, 0, after);
        while bytes < portions.bytes && !is_last {
            let is_over = shared.is_over.load(Ordering::Acquire);
            let before = messages;
            let mut rows = select.query((last, portions.read))?;
            while let Some(row) = rows.next()? {
                let message = Stored::read(row)?;
                bytes += gathered.add(&message, context(row)?, settings.index_tool_chars);
                (messages, last) = (messages + 1, message.id);
            }
            let is_all = messages == before;
            is_last = is_all && is_over;
            if shared.is_stopped.load(Ordering::Acquire) {
                return Ok(());
            }
            if is_all && !is_over {
                std::thread::sleep(PAUSE);
            }
        }
        let words = gathered.sorted().collect();
        if messages > 0 && batches.send(Batch { words, after, last, messages, forgotten }).is_err() {
            return Ok(());
        }
        after = last;
    }
    Ok(())
}

/// Writes batches as they come. Answers whether all could be used.
fn write_all(db: &Db, batches: Receiver<Batch>, words: usize, shared: &Shared) -> Result<bool, DbError> {
    for batch in batches {
        let is_valid = |db: &Connection| {
            Ok::<_, rusqlite::Error>(state(db, FORGOTTEN)?.unwrap_or(0) == batch.forgotten && mark(db)? >= batch.after)
        };
        for (at, part) in batch.words.chunks(words).map(Some).chain([None]).enumerate() {
            let is_written = write(db, |db| {
                if !is_valid(db)? {
                    return Ok(false);
                }
                if at == 0 {
                    set_state(db, UNDER_WAY, batch.last.max(state(db, UNDER_WAY)?.unwrap_or(0)))?;
                }
                match part {
                    Some(part) => part.iter().try_for_each(|(word, entry)| enter(db, word, entry))?,
                    None => set_state(db, MARK, batch.last.max(mark(db)?))?,
                }
                Ok(true)
            })?;
            if !is_written {
                return Ok(false);
            }
            if shared.is_stopped.load(Ordering::Acquire) {
                return Ok(true);
            }
        }
        shared.entered.fetch_add(batch.messages, Ordering::Relaxed);
    }
    Ok(true)
}

/// A power cut may undo it, and the rest is entered again.
fn write<T>(db: &Db, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T, DbError> {
    db.with_relaxed(|connection| {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    })
}
