//! Many messages are entered beside others who write, forget and enter too.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::index::{Portions, postings};
use super::*;
use crate::home::Home;
use crate::layers::episodic::forget as forget_session;

const SMALL: Portions = Portions { bytes: 700, read: 7, words: 3 };

/// An archive on disk, which several may have open.
struct Shelf {
    folder: tempfile::TempDir,
    db: Arc<Db>,
}

impl Shelf {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = Arc::new(Db::open(&Home::at(folder.path())).unwrap().db);
        Self { folder, db }
    }

    /// As another process has it.
    fn other(&self) -> Arc<Db> {
        Arc::new(Db::open(&Home::at(self.folder.path())).unwrap().db)
    }

    fn filler(&self) -> Filler {
        Filler::in_portions(self.other(), Settings::default(), SMALL)
    }

    /// All words with their messages.
    fn words(&self) -> Vec<(String, Vec<i64>)> {
        let read = |db: &mut Connection| {
            let words: Vec<String> = db
                .prepare("SELECT word FROM search_words UNION ALL SELECT '<' || ending FROM search_ends")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            let with_messages = words.into_iter().map(|word| {
                let messages = postings::since(db, &word, 0)?;
                assert_eq!(postings::frequency(db, &word)?, i64::try_from(messages.len()).unwrap(), "{word}");
                Ok((word, messages))
            });
            with_messages.collect()
        };
        self.db.with(read).unwrap()
    }

    /// What is in it is what is there once it is made anew.
    #[track_caller]
    fn is_right(&self) {
        let words = self.words();
        self.db
            .with(|db| {
                clear(db)?;
                catch_up(db, &Settings::default(), i64::MAX)
            })
            .unwrap();
        assert!(words == self.words(), "the index is not that of the messages");
    }

    fn behind(&self) -> i64 {
        self.db.with(|db| progress(db, &Settings::default())).unwrap().behind
    }
}

/// Ends the others, also where this one panics.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn write(db: &Db, session: usize, settles: bool) {
    let said = (0..5).map(|at| {
        let content = format!("all say number{} and word{} of s{session}", session * 5 + at, session * 7919 % 101);
        NewMessage { turn: 1, role: Role::User, content, at_ms: NOW, ..NewMessage::default() }
    });
    let said: Vec<_> = said.collect();
    db.with_relaxed(|db| {
        let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        append(&transaction, &head(&format!("s{session}")), &said)?;
        if settles {
            settle(&transaction, &Settings::default(), 20)?;
        }
        transaction.commit()
    })
    .unwrap();
}

fn delete(db: &Db, session: usize) {
    db.with_relaxed(|db| {
        let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let row = "SELECT id FROM sessions WHERE name = ?1";
        let row = transaction.query_row(row, [format!("s{session}")], |row| row.get(0))?;
        forget_session(&transaction, row)?;
        transaction.commit()
    })
    .unwrap();
}

#[test]
fn what_is_added_is_entered_beside() {
    let shelf = Shelf::new();
    let filler = shelf.filler();
    (0..100).for_each(|session| write(&shelf.db, session, false));
    let mut shown = Vec::new();
    assert_eq!(filler.finish(|entered| shown.push(entered)).unwrap(), 500);
    assert!(shown.is_sorted() && shown.iter().all(|entered| *entered <= 500), "{shown:?}");
    assert_eq!(shelf.behind(), 0);
    shelf.is_right();
    assert_eq!(shelf.filler().finish(drop).unwrap(), 0);
}

#[test]
fn nothing_that_was_forgotten_comes_back_and_nothing_is_left_out() {
    for round in 0..6_usize {
        let shelf = Shelf::new();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // Some are left in the middle, as by the end of their process.
            scope.spawn(|| {
                let mut stop = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let filler = shelf.filler();
                    std::thread::sleep(std::time::Duration::from_millis(u64::try_from(stop % 40).unwrap()));
                    stop = stop * 7 + 11 + round;
                    drop(filler);
                }
            });
            scope.spawn(|| {
                let filler = shelf.filler();
                while !is_over.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                filler.finish(drop).unwrap();
            });
            let _ends = Ends(&is_over);
            for session in 0..120 {
                write(&shelf.db, session, session % 40 == 30);
                if session % 2 == 1 && session > 9 {
                    delete(&shelf.db, session - 2 * (round % 5));
                }
            }
        });
        shelf.filler().finish(drop).unwrap();
        assert_eq!(shelf.behind(), 0);
        shelf.is_right();
    }
}

#[test]
fn an_index_that_is_thrown_away_meanwhile_is_filled_again() {
    let shelf = Shelf::new();
    (0..60).for_each(|session| write(&shelf.db, session, false));
    let filler = shelf.filler();
    for _ in 0..5 {
        shelf.other().with(|db| clear(db)).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    filler.finish(drop).unwrap();
    assert_eq!(shelf.behind(), 0);
    shelf.is_right();
}

#[test]
fn what_is_forgotten_goes_from_a_batch_that_was_broken_off() {
    let mut broken_off = 0;
    for words in 1..=40 {
        let shelf = Shelf::new();
        (0..30).for_each(|session| write(&shelf.db, session, false));
        let filler = Filler::in_portions(shelf.other(), Settings::default(), Portions { bytes: 4000, ..SMALL });
        let count = "SELECT count(*) FROM search_words";
        while shelf.db.with(|db| db.query_row(count, [], |row| row.get::<_, i64>(0))).unwrap() < words {
            std::thread::yield_now();
        }
        drop(filler);
        // None of these messages is entered, and some of their words are.
        broken_off += u32::from(shelf.behind() == 150 && !shelf.words().is_empty());
        (0..30).for_each(|session| delete(&shelf.db, session));
        assert_eq!(shelf.words(), [], "after {words} words");
    }
    assert!(broken_off > 3, "{broken_off}");
}
