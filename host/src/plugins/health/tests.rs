//! The record of a provider: what is kept of it, how it is bounded, and that processes add up.

use hermes_provider_api::Secret;

use super::record::{INCIDENTS_KEPT, PROVIDERS_KEPT};
use super::*;
use crate::home::Home;

#[test]
fn what_is_kept_holds_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let db = Arc::new(Db::open(&Home::at(folder.path())).unwrap().db);
    let mask = Mask::new([("NOTES_KEY", Secret::new("nt_123456"))]);
    let health = Health::new("notes", Clock::fixed(7), Some(Arc::clone(&db))).masked(mask);
    health.record(Hook::Health, Outcome::Error("401 for nt_123456".to_owned()), Duration::from_millis(1));
    (0..3).for_each(|_| health.incident(Incident::Crash, "it saw nt_123456"));
    health.flush();
    assert_eq!(read(&db, "notes").unwrap()[0].last_error.as_deref(), Some("401 for [NOTES_KEY]"));
    assert_eq!(health.quarantine().unwrap().reason, "it saw [NOTES_KEY]");
    let again = Health::new("notes", Clock::fixed(7), Some(db));
    assert_eq!(again.quarantine().unwrap().reason, "it saw [NOTES_KEY]");
    (0..3).for_each(|_| health.failed(Hook::Prefetch, Failing::Broken, "nt_123456 is refused"));
    assert_eq!(again.paused(Hook::Prefetch).unwrap().reason, "[NOTES_KEY] is refused");
}

#[test]
fn the_record_of_incidents_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let db = Arc::new(Db::open(&Home::at(folder.path())).unwrap().db);
    let sql = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {INCIDENTS_KEPT})
         INSERT INTO incidents (provider, at_ms, kind, reason) SELECT 'notes', i, 'open', 'no key' FROM n"
    );
    db.with(|connection| connection.execute_batch(&sql)).unwrap();
    let of = |provider: &str| Health::new(provider, Clock::fixed(7), Some(Arc::clone(&db)));
    of("other").incident(Incident::Open, "no key");
    of("notes").incident(Incident::Open, "the newest");
    let seen = |sql: &str| db.with(|connection| connection.query_row(sql, [], |row| row.get::<_, i64>(0))).unwrap();
    assert_eq!(seen("SELECT count(*) FROM incidents WHERE provider = 'notes'"), INCIDENTS_KEPT);
    assert_eq!(seen("SELECT min(at_ms) FROM incidents WHERE reason = 'no key' AND provider = 'notes'"), 2);
    assert_eq!(seen("SELECT count(*) FROM incidents WHERE reason = 'the newest'"), 1);
    assert_eq!(seen("SELECT count(*) FROM incidents WHERE provider = 'other'"), 1);
}

#[test]
fn what_is_cleared_is_over_in_every_process() {
    let folder = tempfile::tempdir().unwrap();
    let db = Arc::new(Db::open(&Home::at(folder.path())).unwrap().db);
    let health = Health::new("notes", Clock::fixed(7), Some(Arc::clone(&db)));
    (0..3).for_each(|_| health.incident(Incident::Crash, "it fell"));
    assert_eq!(troubled(&db).unwrap(), ["notes"]);
    assert!(clear(&db, "notes").unwrap() && !clear(&db, "notes").unwrap());
    assert!(troubled(&db).unwrap().is_empty());
    assert!(Health::new("notes", Clock::fixed(7), Some(Arc::clone(&db))).quarantine().is_none());
    assert!(health.quarantine().is_some(), "it is believed for a moment");
    health.crashes.lock().unwrap().read = Instant::now().checked_sub(BELIEVED);
    assert!(health.quarantine().is_none());
    // Nor does a database that cannot be read free anybody.
    (0..3).for_each(|_| health.incident(Incident::Crash, "it fell"));
    db.with(|connection| connection.execute_batch("DROP TABLE incidents")).unwrap();
    health.crashes.lock().unwrap().read = Instant::now().checked_sub(BELIEVED);
    assert!(health.quarantine().is_some());
    // Without a database to ask, the memory of the process counts.
    let alone = Health::new("notes", Clock::fixed(7), None);
    (0..3).for_each(|_| alone.incident(Incident::Crash, "it fell"));
    assert!(alone.quarantine().is_some());
}

fn called(health: &Health, hook: Hook, ms: u64) {
    health.record(hook, Outcome::Ok, Duration::from_millis(ms));
}

#[test]
fn two_processes_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let process = |at| {
        let db = Arc::new(Db::open(&home).unwrap().db);
        Health::new("notes", Clock::fixed(at), Some(db))
    };
    let (here, there) = (process(20), process(10));
    (0..9).for_each(|_| called(&here, Hook::Prefetch, 10));
    called(&there, Hook::Prefetch, 1000);
    there.record(Hook::Prefetch, Outcome::Timeout, Duration::from_millis(2000));
    there.refused(Hook::Prefetch);
    here.hits(3);
    // The one that saw less comes last.
    here.flush();
    there.flush();
    there.flush();
    let db = Db::open(&home).unwrap().db;
    let [hook] = <[HookHealth; 1]>::try_from(read(&db, "notes").unwrap()).unwrap();
    assert_eq!((hook.calls, hook.ok, hook.timeouts, hook.errors, hook.refused, hook.hits), (11, 10, 1, 0, 1, 3));
    assert_eq!((hook.last_ok_ms, hook.last_error_ms), (Some(20), Some(10)), "the newer of both");
    assert_eq!(hook.last_error.as_deref(), Some("no answer within 2000 ms"));
    let (p50, p95) = (hook.p50_ms.unwrap(), hook.p95_ms.unwrap());
    assert!((7.0..=14.2).contains(&p50) && (1400.0..=2900.0).contains(&p95), "{p50} {p95}");
}

#[test]
fn counts_survive_a_database_that_another_process_holds() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let (ours, theirs) = (Arc::new(Db::open(&home).unwrap().db), Db::open(&home).unwrap().db);
    let health = Health::new("notes", Clock::fixed(7), Some(Arc::clone(&ours)));
    called(&health, Hook::Prefetch, 1);
    theirs
        .with(|connection| {
            let held = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            std::thread::scope(|scope| {
                let flush = scope.spawn(|| health.flush());
                // However long the flush waits, calls are counted meanwhile.
                while !flush.is_finished() {
                    called(&health, Hook::Prefetch, 1);
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
            health.incident(Incident::Crash, "it fell");
            held.commit()
        })
        .unwrap();
    assert_eq!(read(&ours, "notes").unwrap(), []);
    health.flush();
    assert!(read(&ours, "notes").unwrap()[0].calls > 2);
    let incidents = "SELECT count(*) FROM incidents WHERE reason = 'it fell'";
    let written = ours.with(|connection| connection.query_row(incidents, [], |row| row.get::<_, i64>(0))).unwrap();
    assert_eq!(written, 1, "it was noted for later");
}

#[test]
fn the_tables_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let db = Arc::new(Db::open(&Home::at(folder.path())).unwrap().db);
    let clock = Clock::fixed(0);
    for at in 0..PROVIDERS_KEPT + 3 {
        clock.set(at.cast_unsigned() + 1);
        let health = Health::new(&format!("p{at}"), clock.clone(), Some(Arc::clone(&db)));
        called(&health, Hook::Prefetch, 1);
        health.flush();
    }
    let number = |sql: &str| db.with(|connection| connection.query_row(sql, [], |row| row.get::<_, i64>(0))).unwrap();
    assert_eq!(number("SELECT count(*) FROM hook_health"), PROVIDERS_KEPT);
    assert_eq!(number("SELECT count(*) FROM hook_latency WHERE provider IN ('p0', 'p1', 'p2')"), 0);
    let health = Health::new("busy", clock.clone(), Some(Arc::clone(&db)));
    (0..10_000).for_each(|_| called(&health, Hook::Prefetch, 1));
    health.flush();
    assert_eq!(number("SELECT sum(calls) FROM hook_latency WHERE provider = 'busy'"), 5000);
    assert_eq!(number("SELECT calls FROM hook_health WHERE provider = 'busy'"), 10_000);
}

#[test]
fn a_database_to_look_at_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    assert!(Db::open_read_only(&home).unwrap().is_none());
    let db = Arc::new(Db::open(&home).unwrap().db);
    let health = Health::new("notes", Clock::fixed(7), Some(Arc::clone(&db)));
    (0..3).for_each(|_| health.failed(Hook::Prefetch, Failing::Broken, "it is down"));
    let looking = Arc::new(Db::open_read_only(&home).unwrap().unwrap());
    let look = Health::new("notes", Clock::fixed(7), Some(Arc::clone(&looking)));
    assert!(look.paused(Hook::Prefetch).is_some());
    called(&look, Hook::Prefetch, 1);
    look.incident(Incident::Open, "no key");
    look.healthy();
    look.flush();
    assert!(read(&looking, "notes").unwrap().is_empty());
    assert!(Health::new("notes", Clock::fixed(7), Some(db)).paused(Hook::Prefetch).is_some());
}
