//! One write for all who ask at the same time: a write is as slow as the disk's sync, however much it holds.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::entry::Entry;
use super::store::Store;
use crate::error::Failure;

/// Writes entries in groups.
#[derive(Default)]
pub(super) struct Group {
    waiting: Mutex<Vec<Waiting>>,
}

/// The rows of one caller's deliveries, or why they were not written. What goes to nobody has none.
type Written = Result<Vec<Option<i64>>, String>;

struct Waiting {
    entries: Vec<Entry>,
    written: Arc<OnceLock<Written>>,
}

/// Nobody waits for an answer that will not come.
impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.written.set(Err("the write broke off".to_owned()));
    }
}

impl Group {
    /// Writes entries and answers their rows, in order. Whoever is given the database writes what all the others wait
    /// with; they find it done when their turn comes. `note` learns of every row before anybody else can claim it.
    pub(super) fn put(&self, store: &Store, entries: Vec<Entry>, note: impl Fn(&[Entry], &[Option<i64>])) -> Written {
        let written = Arc::default();
        self.waiting().push(Waiting { entries, written: Arc::clone(&written) });
        let all: OnceLock<Vec<Waiting>> = OnceLock::new();
        let take = || {
            let all = all.get_or_init(|| std::mem::take(&mut *self.waiting()));
            all.iter().map(|one| &*one.entries).collect()
        };
        let note_all = |rows: &[Vec<Option<i64>>]| {
            all.get().into_iter().flatten().zip(rows).for_each(|(one, rows)| note(&one.entries, rows));
        };
        let result = store.put(take, note_all);
        // Where the database was never free, nobody has taken what waits: it has to be answered all the same.
        let all = all.into_inner().unwrap_or_else(|| std::mem::take(&mut *self.waiting()));
        match result {
            Ok(rows) => all.iter().zip(rows).for_each(|(one, rows)| drop(one.written.set(Ok(rows)))),
            Err(error) => {
                let reason = Failure::from(error).message;
                all.iter().for_each(|one| drop(one.written.set(Err(reason.clone()))));
            }
        }
        drop(all);
        written.wait().clone()
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
