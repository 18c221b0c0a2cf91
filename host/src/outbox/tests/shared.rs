//! One database: several processes, one after the other or at once, and a disk that fails.

use rusqlite::params;

use super::*;
use crate::home::Home;

const NOW: UnixMillis = 1_767_225_600_000;

struct Folder {
    home: Home,
    _folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { home: Home::at(folder.path().join("home")), _folder: folder }
    }

    /// As another process has it, with a connection of its own.
    fn db(&self) -> Arc<Db> {
        Arc::new(Db::open(&self.home).unwrap().db)
    }

    fn open(&self, deliver: &Arc<Scripted>, policy: RetryPolicy) -> Outbox {
        let deliver = Arc::clone(deliver) as Arc<dyn Deliver>;
        Outbox::open(self.db(), "notes", Some(deliver), policy, Clock::default()).unwrap()
    }

    /// A process in which the provider is not there.
    fn away(&self) -> Outbox {
        Outbox::open(self.db(), "notes", None, QUICK, Clock::default()).unwrap()
    }

    fn rows(&self) -> Vec<Row> {
        Rows(&self.db()).list(&Selection::default()).unwrap()
    }
}

fn keys(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{}{number}", ['a', 'b', 'c'][number % 3])).collect()
}

#[test]
fn what_one_process_leaves_the_next_delivers_in_order() {
    let folder = Folder::new();
    let keys = keys(30);
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    let first = folder.away();
    push(&first, &names);
    assert_eq!(first.drain_at_end(LONG).waiting.len(), 30);
    drop(first);
    let deliver = Scripted::new(&[]);
    let next = folder.open(&deliver, QUICK);
    assert_eq!(next.empty(LONG), DrainReport { delivered: 30, ..DrainReport::default() });
    assert_eq!(deliver.tries(), names);
    assert_eq!(folder.rows(), []);
}

#[test]
fn of_a_turn_that_arrived_stays_the_number_and_a_key_is_taken_once() {
    let folder = Folder::new();
    let mark = TurnMark { session: "a".to_owned(), number: 3, at: NOW };
    let turn = Delivery { payload: "{\"a\":\"чай\"}".to_owned(), turn: Some(mark), ..delivery("a1") };
    let outbox = folder.away();
    outbox.push(vec![turn.clone()]).unwrap();
    outbox.push(vec![turn.clone()]).unwrap();
    let db = folder.db();
    assert_eq!(Rows(&db).payload(1).unwrap().unwrap().get(), turn.payload);
    let deliver = Scripted::new(&[]);
    assert_eq!(folder.open(&deliver, QUICK).empty(LONG).delivered, 1);
    let last = "SELECT session, number, at_ms FROM last_turns";
    let ask = |connection: &mut rusqlite::Connection| {
        connection.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    };
    let kept: (String, u32, i64) = db.with(ask).unwrap();
    assert_eq!(kept, ("a".to_owned(), 3, NOW.cast_signed()));
    drop((db, outbox, deliver));
    let bytes = std::fs::read(folder.home.database()).unwrap();
    assert!(!bytes.windows(6).any(|part| part == "чай".as_bytes()), "what arrived is gone from the file");
}

#[test]
fn of_two_processes_one_delivers_and_both_know() {
    let folder = Folder::new();
    let (slow, go) = Scripted::gated();
    let (one, other) = (folder.open(&slow, QUICK), Scripted::new(&[]));
    push(&one, &["a1"]);
    while slow.tries().is_empty() {
        std::thread::yield_now();
    }
    let two = folder.open(&other, QUICK);
    push(&two, &["a2", "b1"]);
    assert_eq!(two.drain(Duration::from_millis(50)).waiting, ["the a2", "the b1"]);
    (0..3).for_each(|_| go.send(()).unwrap());
    assert_eq!(two.drain(LONG), DrainReport { delivered: 2, ..DrainReport::default() });
    assert!(one.drain(LONG).is_complete());
    let mut all = [slow.tries(), other.tries()].concat();
    assert_eq!(all.iter().filter(|key| key.starts_with('a')).collect::<Vec<_>>(), ["a1", "a2"]);
    all.sort();
    assert_eq!(all, ["a1", "a2", "b1"], "nothing comes twice");
}

#[test]
fn many_writers_lose_nothing_and_double_nothing() {
    let folder = Folder::new();
    let (one, two) = (Scripted::new(&[]), Scripted::new(&[]));
    let outboxes = [folder.open(&one, QUICK), folder.open(&two, QUICK)];
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let outbox = &outboxes[writer % 2];
            scope.spawn(move || {
                let lane = char::from(b'a' + u8::try_from(writer).unwrap());
                (0..25).for_each(|number| outbox.push(vec![delivery(&format!("{lane}{number}"))]).unwrap());
            });
        }
    });
    for outbox in &outboxes {
        let report = outbox.drain(LONG);
        assert_eq!((report.delivered >= 100, report.is_complete()), (true, true), "{report:?}");
    }
    let mut all = [one.tries(), two.tries()].concat();
    all.sort();
    all.dedup();
    assert_eq!((all.len(), one.tries().len() + two.tries().len()), (200, 200));
    // Within a session the order held, whoever delivered.
    for tries in [one.tries(), two.tries()] {
        for lane in 'a'..='h' {
            let numbers: Vec<u32> =
                tries.iter().filter_map(|key| key.strip_prefix(lane)).map(|number| number.parse().unwrap()).collect();
            assert!(numbers.is_sorted(), "{lane}: {numbers:?}");
        }
    }
}

/// Writes that another process delivers now: one that is dead if nobody holds the lock.
fn lease(db: &Db, until: UnixMillis) {
    let sql = "INSERT INTO outbox_providers (provider, owner, lease_until_ms) VALUES ('notes', 'another', ?1)";
    db.with(|connection| connection.execute(sql, [i64::try_from(until).unwrap()])).unwrap();
}

#[test]
fn a_dead_owner_is_noticed_at_once_and_a_stuck_one_in_time() {
    let folder = Folder::new();
    let db = folder.db();
    let clock = Clock::fixed(NOW);
    let open = |deliver: &Arc<Scripted>| {
        let deliver = Arc::clone(deliver) as Arc<dyn Deliver>;
        Outbox::open(folder.db(), "notes", Some(deliver), QUICK, clock.clone()).unwrap()
    };
    lease(&db, NOW + 60_000);
    let deliver = Scripted::new(&[]);
    let outbox = open(&deliver);
    push(&outbox, &["a1"]);
    assert!(outbox.drain(LONG).is_complete(), "nobody holds the lock: the owner is dead");
    drop(outbox);

    db.with(|connection| connection.execute("DELETE FROM outbox_providers", [])).unwrap();
    lease(&db, NOW + 60_000);
    let lock = folder.home.database().with_extension("outbox-notes.lock");
    let mut held = crate::home::files::FileLock::try_acquire(&lock).unwrap();
    while held.is_none() {
        held = crate::home::files::FileLock::try_acquire(&lock).unwrap();
    }
    let outbox = open(&deliver);
    push(&outbox, &["a2"]);
    assert_eq!(outbox.drain(Duration::from_millis(100)).waiting, ["the a2"], "its owner lives");
    clock.set(NOW + 60_001);
    assert!(outbox.drain(LONG).is_complete(), "it has not moved for too long");
    drop(held);
}

/// It has the lock and is about to write down that it delivers: who came in between would deliver the same row.
#[test]
fn whoever_is_about_to_deliver_is_waited_for() {
    let folder = Folder::new();
    let clock = Clock::fixed(NOW);
    let _db = folder.db();
    let lock = folder.home.database().with_extension("outbox-notes.lock");
    let held = crate::home::files::FileLock::acquire(&lock).unwrap();
    let deliver = Scripted::new(&[]);
    let outbox = Outbox::open(folder.db(), "notes", Some(Arc::clone(&deliver) as _), QUICK, clock.clone()).unwrap();
    push(&outbox, &["a1"]);
    assert_eq!(outbox.drain(Duration::from_millis(100)).waiting, ["the a1"]);
    drop(held);
    assert!(outbox.drain(LONG).is_complete());
    // One that was stopped just then holds nobody up for ever.
    let held = crate::home::files::FileLock::acquire(&lock).unwrap();
    push(&outbox, &["a2"]);
    assert_eq!(outbox.drain(Duration::from_millis(100)).waiting, ["the a2"]);
    clock.set(NOW + 60_000);
    assert!(outbox.drain(LONG).is_complete());
    drop(held);
}

#[test]
fn who_was_stopped_for_too_long_does_not_take_its_place_back() {
    let folder = Folder::new();
    let db = folder.db();
    let clock = Clock::fixed(NOW);
    let (deliver, go) = Scripted::gated();
    let outbox = Outbox::open(folder.db(), "notes", Some(Arc::clone(&deliver) as _), QUICK, clock.clone()).unwrap();
    push(&outbox, &["a1", "a2"]);
    while deliver.tries().is_empty() {
        std::thread::yield_now();
    }
    // Another has waited long enough, and delivers now.
    db.with(|connection| connection.execute("DELETE FROM outbox_providers", [])).unwrap();
    lease(&db, NOW + 60_000);
    (0..2).for_each(|_| go.send(()).unwrap());
    assert_eq!(outbox.drain(Duration::from_millis(100)).waiting, ["the a2"]);
    clock.set(NOW + 60_001);
    assert!(outbox.drain(LONG).is_complete());
    assert_eq!(deliver.tries(), ["a1", "a2"]);
}

#[test]
fn a_clock_that_went_back_holds_nothing_up() {
    let folder = Folder::new();
    let clock = Clock::fixed(NOW);
    let open = |deliver: &Arc<Scripted>| {
        let deliver = Arc::clone(deliver) as Arc<dyn Deliver>;
        Outbox::open(folder.db(), "notes", Some(deliver), SLOW, clock.clone()).unwrap()
    };
    let (hold, down) = (Retry::Hold(Some(LONG)), Retry::Down);
    let deliver = Scripted::new(&[("a1", &[down]), ("b1", &[hold])]);
    let outbox = open(&deliver);
    push(&outbox, &["a1", "b1"]);
    assert_eq!(outbox.settle(LONG / 2).waiting, ["the a1", "the b1"]);
    clock.set(NOW - 86_400_000);
    // Something new makes it look at the times.
    push(&outbox, &["c1"]);
    assert_eq!(outbox.empty(LONG / 2).delivered, 3);
}

#[test]
fn a_new_process_tries_again_what_nobody_asked_it_to_wait_for() {
    let folder = Folder::new();
    let deliver = Scripted::new(&[("b1", &[Retry::Down])]);
    let outbox = folder.open(&deliver, SLOW);
    push(&outbox, &["b1"]);
    assert_eq!(outbox.settle(LONG / 2).waiting, ["the b1"]);
    drop(outbox);
    assert_eq!(folder.open(&deliver, SLOW).empty(LONG / 2).delivered, 1);
    let deliver = Scripted::new(&[("a1", &[Retry::Hold(None)])]);
    let outbox = folder.open(&deliver, SLOW);
    push(&outbox, &["a1"]);
    assert_eq!(outbox.settle(LONG / 2).held.as_deref(), Some("a1 is down"));
    let hold = Rows(&folder.db()).backlog().unwrap().remove(0).held.unwrap();
    assert_eq!(hold.reason, "a1 is down");
    drop(outbox);
    assert_eq!(folder.open(&deliver, SLOW).empty(LONG / 2).delivered, 1);
    assert_eq!(Rows(&folder.db()).backlog().unwrap(), []);
}

#[test]
fn dead_letters_are_kept_and_tried_again_on_request() {
    let folder = Folder::new();
    let deliver = Scripted::new(&[("a1", &[Retry::Never])]);
    let outbox = folder.open(&deliver, QUICK);
    push(&outbox, &["a1", "a2"]);
    assert_eq!(outbox.drain(LONG).lost, [lost("a1")]);
    drop(outbox);
    let row = folder.rows().remove(0);
    assert_eq!((row.state, row.tries, row.last_error.as_deref()), (RowState::Dead, 1, Some("a1 is down")));
    let dead = Selection { only_dead: true, ..Selection::of("notes") };
    assert_eq!(Rows(&folder.db()).retry(&Selection { ids: vec![7], ..dead.clone() }).unwrap(), 0);
    assert_eq!(Rows(&folder.db()).retry(&dead).unwrap(), 1);
    push(&folder.away(), &["a3"]);
    assert_eq!(folder.open(&deliver, QUICK).empty(LONG).delivered, 2);
    assert_eq!(deliver.tries(), ["a1", "a2", "a1", "a3"]);
}

#[test]
fn rows_are_dropped_for_one_provider_alone() {
    let folder = Folder::new();
    push(&folder.away(), &["a1", "a2"]);
    let other = Outbox::open(folder.db(), "other", None, QUICK, Clock::default()).unwrap();
    push(&other, &["b1"]);
    let db = folder.db();
    let counts = || {
        let all = Rows(&db).backlog().unwrap();
        all.iter().map(|one| (one.provider.clone(), one.waiting)).collect::<Vec<_>>()
    };
    assert_eq!(counts(), [("notes".to_owned(), 2), ("other".to_owned(), 1)]);
    assert_eq!(Rows(&db).drop_rows(&Selection { ids: vec![2, 3], ..Selection::of("notes") }).unwrap(), 1);
    assert_eq!(Rows(&db).drop_rows(&Selection::of("notes")).unwrap(), 1);
    assert_eq!(counts(), [("other".to_owned(), 1)]);
    let left = |sql: &str| db.with(|connection| connection.query_row(sql, [], |row| row.get::<_, u32>(0))).unwrap();
    assert_eq!(left("SELECT count(*) FROM outbox_lanes"), 1);
}

#[test]
fn a_disk_that_takes_nothing_is_said_and_what_came_is_written_later() {
    let folder = Folder::new();
    let deliver = Scripted::new(&[]);
    let outbox = folder.open(&deliver, QUICK);
    let db = folder.db();
    let full = "CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(FAIL, 'no room'); END";
    db.with(|connection| connection.execute_batch(full)).unwrap();
    let error = outbox.push(vec![delivery("a1")]).unwrap_err();
    assert!(error.reason.contains("no room"), "{error}");
    outbox.push(vec![delivery("a2")]).unwrap_err();
    db.with(|connection| connection.execute_batch("DROP TRIGGER full")).unwrap();
    assert_eq!(outbox.drain(LONG), DrainReport { delivered: 2, ..DrainReport::default() });
    assert_eq!(deliver.tries(), ["a1", "a2"]);
    push(&outbox, &["a3"]);
    assert!(outbox.drain(LONG).is_complete());
    db.with(|connection| connection.execute_batch(full)).unwrap();
    outbox.push(vec![delivery("a4")]).unwrap_err();
    assert_eq!(outbox.settle(LONG).waiting, ["the a4"], "it is not waited for between turns");
    let report = outbox.drain_at_end(Duration::from_millis(10));
    assert_eq!(report.lost.iter().map(|lost| (&*lost.what, lost.kept)).collect::<Vec<_>>(), [("the a4", false)]);
}

#[test]
fn the_last_turn_of_a_session_is_known_whoever_wrote_it_and_wherever_it_is() {
    let folder = Folder::new();
    let turn = |key: &str, session: &str, number| {
        let mark = TurnMark { session: session.to_owned(), number, at: NOW };
        Delivery { turn: Some(mark), ..delivery(key) }
    };
    let first = folder.open(&Scripted::new(&[]), QUICK);
    first.push(vec![turn("a1", "a", 2), turn("a2", "a", 11), turn("b1", "b", 40)]).unwrap();
    assert!(first.drain(LONG).is_complete());
    drop(first);
    let outbox = Outbox::open(folder.db(), "other", None, QUICK, Clock::default()).unwrap();
    let last = |session: &str| outbox.last_turn(session).unwrap();
    assert_eq!((last("a"), last("b"), last("ä")), (11, 40, 0));
    let full = "CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(FAIL, 'no room'); END";
    folder.db().with(|connection| connection.execute_batch(full)).unwrap();
    outbox.push(vec![turn("a3", "a", 12)]).unwrap_err();
    assert_eq!((last("a"), last("b")), (12, 40), "what could not be written down yet counts");
}

#[test]
fn without_anybody_to_deliver_what_came_is_written_later_too() {
    let folder = Folder::new();
    let outbox = folder.away();
    let db = folder.db();
    let full = "CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(FAIL, 'no room'); END";
    db.with(|connection| connection.execute_batch(full)).unwrap();
    outbox.push(vec![delivery("a1")]).unwrap_err();
    db.with(|connection| connection.execute_batch("DROP TRIGGER full")).unwrap();
    // Too soon for another try; the end does not wait for one.
    outbox.push(vec![delivery("a2")]).unwrap_err();
    assert_eq!(
        outbox.drain_at_end(LONG),
        DrainReport { waiting: vec!["the a1".into(), "the a2".into()], ..DrainReport::default() }
    );
    let deliver = Scripted::new(&[]);
    drop(outbox);
    assert_eq!(folder.open(&deliver, QUICK).empty(LONG).delivered, 2);
    assert_eq!(deliver.tries(), ["a1", "a2"]);
}

#[test]
fn whoever_writes_is_answered_where_no_database_can_be() {
    let folder = Folder::new();
    let outbox = folder.away();
    let root = folder.home.root();
    std::fs::remove_dir_all(root).unwrap();
    std::fs::write(root, "in its place").unwrap();
    let error = outbox.push(vec![delivery("a1")]).unwrap_err();
    assert!(error.reason.contains(&*root.to_string_lossy()), "{error}");
    std::fs::remove_file(root).unwrap();
    assert_eq!(outbox.drain_at_end(LONG).waiting, ["the a1"]);
}

/// Zeros in place of the database, as long as it was.
fn wipe(folder: &Folder) {
    let path = folder.home.database();
    let size = std::fs::metadata(&path).unwrap().len();
    std::fs::write(&path, vec![0; usize::try_from(size).unwrap()]).unwrap();
}

fn set_aside(folder: &Folder) -> usize {
    let files = std::fs::read_dir(folder.home.root()).unwrap().flatten();
    files.filter(|file| file.file_name().to_string_lossy().contains("hermes.db.corrupt-")).count()
}

#[test]
fn a_database_that_breaks_is_set_aside_and_the_outbox_goes_on() {
    let folder = Folder::new();
    let deliver = Scripted::new(&[("a1", &[Retry::Down])]);
    let outbox = folder.open(&deliver, SLOW);
    push(&outbox, &["a1"]);
    assert_eq!(outbox.settle(LONG / 2).waiting, ["the a1"]);
    // Another process moves the log into the file, which is then wiped, and is the first to notice.
    folder.db().with(|connection| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))).unwrap();
    wipe(&folder);
    let opened = Db::open(&folder.home).unwrap();
    assert!(opened.warning.is_some());
    push(&outbox, &["b1"]);
    let report = outbox.drain(LONG);
    assert_eq!((report.delivered, report.lost.len(), &*report.lost[0].what), (1, 1, "the a1"));
    assert!(!report.lost[0].kept && set_aside(&folder) >= 1);
    assert_eq!(deliver.tries(), ["a1", "b1"]);
}

#[test]
fn what_was_accepted_into_a_wiped_file_is_not_lost_in_silence() {
    let folder = Folder::new();
    let (deliver, go) = Scripted::gated();
    let outbox = folder.open(&deliver, QUICK);
    push(&outbox, &["a1"]);
    wipe(&folder);
    for number in 2..100 {
        // Accepted, or said.
        let _ = outbox.push(vec![delivery(&format!("a{number}"))]);
    }
    (1..100).for_each(|_| go.send(()).unwrap_or_default());
    drop(go);
    let report = outbox.drain(LONG);
    let known = report.delivered + u64::try_from(report.lost.len()).unwrap();
    assert_eq!((known, report.waiting.len()), (99, 0), "{report:?}");
}

#[test]
fn a_database_that_is_deleted_is_made_anew() {
    let folder = Folder::new();
    let deliver = Scripted::new(&[]);
    let outbox = folder.open(&deliver, QUICK);
    push(&outbox, &["a1"]);
    assert!(outbox.drain(LONG).is_complete());
    std::fs::remove_file(folder.home.database()).unwrap();
    push(&outbox, &["a2"]);
    assert!(outbox.drain(LONG).is_complete());
    assert!(folder.home.database().exists());
    assert_eq!(deliver.tries(), ["a1", "a2"]);
}

#[test]
fn a_row_that_nobody_understands_is_not_lost() {
    let folder = Folder::new();
    let insert =
        "INSERT INTO outbox (provider, key, kind, what, payload, added_ms) VALUES (?1, 'k', 'new', 'x', '{', 1)";
    folder.db().with(|connection| connection.execute(insert, params!["notes"])).unwrap();
    let deliver = Scripted::new(&[("k", &[Retry::Never])]);
    assert_eq!(folder.open(&deliver, QUICK).empty(LONG).lost.len(), 1);
    assert_eq!(folder.rows()[0].state, RowState::Dead);
}

#[test]
fn what_comes_after_the_close_is_for_the_next_process() {
    let folder = Folder::new();
    let closed = folder.open(&Scripted::new(&[]), QUICK);
    closed.close();
    push(&closed, &["a1"]);
    assert_eq!(closed.take_lost(), []);
    assert_eq!(folder.open(&Scripted::new(&[]), QUICK).empty(LONG).delivered, 1);
}

#[test]
fn two_providers_may_be_told_the_same() {
    let folder = Folder::new();
    push(&folder.away(), &["a1"]);
    let deliver = Scripted::new(&[]);
    let other = Arc::clone(&deliver) as Arc<dyn Deliver>;
    let other = Outbox::open(folder.db(), "other", Some(other), QUICK, Clock::default()).unwrap();
    push(&other, &["a1"]);
    assert_eq!(other.drain(LONG), DrainReport { delivered: 1, ..DrainReport::default() });
    assert_eq!((deliver.tries().len(), folder.rows().len()), (1, 1), "the first waits on");
}

#[test]
fn what_failed_while_it_was_closed_is_as_if_it_was_not_tried() {
    let folder = Folder::new();
    let (tries, go) = Scripted::gated();
    tries.script.lock().unwrap().insert("a1".to_owned(), vec![Retry::Hold(None)]);
    let outbox = folder.open(&tries, QUICK);
    push(&outbox, &["a1"]);
    while tries.tries().is_empty() {
        std::thread::yield_now();
    }
    outbox.close();
    go.send(()).unwrap();
    let next = Scripted::new(&[]);
    assert_eq!(folder.open(&next, QUICK).empty(LONG).delivered, 1);
    let backlog = Rows(&folder.db()).backlog().unwrap();
    assert_eq!((backlog, next.tries()), (Vec::new(), vec!["a1".to_owned()]), "nobody refused it");
}
