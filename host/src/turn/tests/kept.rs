//! What outlives a process: the prompt of a session, and what the provider has yet to hear of a change.

use std::fs;

use rusqlite::params;
use tempfile::TempDir;

use super::curated::{call, write};
use super::*;
use crate::home::Home;
use crate::layers::curated::{Checks, Settings};

struct Kept {
    folder: TempDir,
    settings: Settings,
    shared: Arc<Shared>,
}

impl Kept {
    fn new() -> Self {
        let (_, shared) = InProcess::new();
        Self { folder: tempfile::tempdir().unwrap(), settings: Settings::default(), shared }
    }

    fn home(&self) -> Home {
        Home::at(self.folder.path().join("home"))
    }

    fn db(&self) -> Arc<Db> {
        Arc::new(Db::open(&self.home()).unwrap().db)
    }

    /// Another process, with the same home.
    fn process(&mut self) -> Memory {
        let (hooks, shared) = InProcess::new();
        self.shared = shared;
        let (db, clock) = (self.db(), Clock::fixed(1_767_225_600_000));
        let curated = Curated::of(&self.home(), self.settings, Checks::default(), clock.clone());
        let provider = Provider::Ready(hooks);
        let memory = Memory::open(provider, Some(Arc::clone(&db)), settings(), clock, Redactor::default()).unwrap();
        memory.with_curated(curated.kept_in(Some(db)))
    }

    fn file(&self, name: &str, text: &str) {
        fs::create_dir_all(self.home().memories()).unwrap();
        fs::write(self.home().memories().join(name), text).unwrap();
    }

    fn note(&self, provider: &str, key: &str, write: &Value) {
        self.db()
            .with(|connection| {
                let sql = "INSERT INTO unmirrored (provider, key, target, write) VALUES (?1, ?2, 'memory', ?3)";
                connection.execute(sql, params![provider, key, write.to_string()])
            })
            .unwrap();
    }

    fn noted(&self) -> u32 {
        let sql = "SELECT count(*) FROM unmirrored";
        self.db().with(|connection| connection.query_row(sql, [], |row| row.get(0))).unwrap()
    }

    fn told(&self) -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let writes = self.shared.requests(Hook::OnMemoryWrite);
        writes.iter().map(|write| (text(&write["action"]), text(&write["previous"]), text(&write["content"]))).collect()
    }
}

/// The prompt that a session had is paid for once, whichever process goes on with it.
#[test]
fn a_session_that_another_process_takes_up_has_the_same_prompt() {
    let mut kept = Kept::new();
    kept.file("MEMORY.md", "likes tea");
    kept.file("USER.md", "Anna");
    let first = kept.process();
    let here = session(&first, "s");
    let prompt = here.system_prompt().to_owned();
    call(&here, json!({"content": "likes rye"})).result.unwrap();
    // It was killed, or simply ended: the conversation goes on.
    drop((here, first));
    let second = kept.process();
    let again = session(&second, "s");
    assert_eq!(again.system_prompt(), prompt);
    assert!(session(&second, "t").system_prompt().contains("rye"), "another session is of today");
    let review = second.session("s", private("anna"), Context::Review);
    assert_eq!(review.system_prompt(), prompt, "what runs beside it shares its prompt");
    let other = second.session("s", group("team"), Context::Primary);
    assert!(!other.system_prompt().contains("Anna"), "and another audience has its own");
    drop((again, review, other, second));
    // What is switched off meanwhile is off.
    kept.settings.user.on = false;
    let third = kept.process();
    let prompt = session(&third, "s").system_prompt().to_owned();
    assert!(!prompt.contains("Anna") && prompt.contains("rye"));
}

/// The window starts again, or the session is over: then the files are read again.
#[test]
fn a_session_that_starts_again_is_shown_what_is_so_now() {
    let mut kept = Kept::new();
    for starts_again in [true, false] {
        kept.file("MEMORY.md", "likes tea");
        let first = kept.process();
        let here = session(&first, "s");
        assert!(here.system_prompt().contains("tea"));
        let review = first.session("s", private("anna"), Context::Review);
        kept.file("MEMORY.md", "likes rye");
        review.end().unwrap();
        assert!(session(&first, "s").system_prompt().contains("tea"), "a review ends nothing");
        match starts_again {
            true => assert!(here.restarted().system_prompt().contains("rye")),
            false => here.end().unwrap(),
        }
        drop((here, review, first));
        let second = kept.process();
        let again = session(&second, "s");
        assert!(again.system_prompt().contains("rye"));
        again.end().unwrap();
    }
}

/// They are bounded in number and in age.
#[test]
fn old_snapshots_go() {
    let kept = Kept::new();
    kept.file("MEMORY.md", "likes tea");
    let db = kept.db();
    let at = |now: u64| {
        let curated = Curated::of(&kept.home(), kept.settings, Checks::default(), Clock::fixed(now));
        curated.kept_in(Some(Arc::clone(&db)))
    };
    let day = 24 * 3600 * 1000;
    let count = || -> u32 {
        db.with(|connection| connection.query_row("SELECT count(*) FROM snapshots", [], |row| row.get(0))).unwrap()
    };
    let first = at(day);
    for number in 0..510 {
        _ = first.frozen(&format!("s{number}"), &Scope::default(), true);
    }
    assert_eq!(count(), 500);
    // One that is asked for is not old.
    _ = at(50 * day).frozen("s509", &Scope::default(), true);
    kept.file("MEMORY.md", "likes rye");
    let later = at(100 * day);
    assert!(later.frozen("new", &Scope::default(), true).contains("rye"));
    assert!(later.frozen("s509", &Scope::default(), true).contains("tea"));
    assert_eq!(count(), 2);
    _ = later.frozen("of a helper", &Scope::default(), false);
    _ = later.frozen("", &Scope::default(), true);
    assert_eq!(count(), 2);
}

/// What was written to a file by a process that was killed before it could say so is said by the next, with its key.
#[test]
fn what_a_killed_process_wrote_is_still_passed_on() {
    let mut kept = Kept::new();
    kept.file("MEMORY.md", "likes green tea\n§\nhas a dog");
    let write_of = |key: &str, action: &str, previous: &str, content: &str| {
        json!({"caller": {"context": "primary", "origin": {"session": "s"}}, "idempotency_key": key, "action": action,
               "target": "memory", "content": content, "previous": previous})
    };
    for (key, action, previous, content) in [
        ("k1", "add", "", "has a dog"),
        ("k2", "add", "", "never came into the file"),
        ("k3", "replace", "likes tea", "likes green tea"),
        ("k4", "replace", "likes green tea", "likes black tea"),
        ("k5", "remove", "has a cat", ""),
        ("k6", "remove", "has a dog", ""),
    ] {
        kept.note("notes", key, &write_of(key, action, previous, content));
    }
    kept.note("another", "k7", &write_of("k7", "add", "", "has a dog"));
    let memory = kept.process();
    assert!(memory.drain(LONG).is_complete());
    assert_eq!(
        kept.told(),
        [
            write("add", "", "has a dog"),
            write("replace", "likes tea", "likes green tea"),
            write("remove", "has a cat", ""),
        ]
    );
    let keys: Vec<Value> =
        kept.shared.requests(Hook::OnMemoryWrite).iter().map(|write| write["idempotency_key"].clone()).collect();
    assert_eq!(keys, ["k1", "k3", "k5"]);
    assert_eq!(kept.noted(), 1, "what another provider should hear waits for it");
    drop(memory);
    let memory = kept.process();
    assert!(memory.drain(LONG).is_complete() && kept.told().is_empty(), "once");
}

/// A note goes with its delivery, and with a change that could not be made.
#[test]
fn nothing_stays_noted_of_what_is_through_or_failed() {
    let mut kept = Kept::new();
    let memory = kept.process();
    let here = session(&memory, "s");
    call(&here, json!({"operations": [{"content": "a"}, {"content": "b"}]})).result.unwrap();
    assert_eq!(kept.noted(), 0);
    let path = kept.home().memories().join("MEMORY.md");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    call(&here, json!({"content": "c"})).result.unwrap_err();
    assert_eq!(kept.noted(), 0);
    assert!(memory.drain(LONG).is_complete());
    assert_eq!(kept.told().len(), 2);
}

/// Whoever holds the lock of a file passes on its own change.
#[test]
fn what_a_living_process_noted_is_left_to_it() {
    let mut kept = Kept::new();
    kept.file("MEMORY.md", "likes tea");
    let write = json!({"caller": {"context": "primary"}, "idempotency_key": "k", "action": "add", "target": "memory",
                       "content": "likes tea", "previous": ""});
    kept.note("notes", "k", &write);
    let lock = crate::home::files::FileLock::acquire(&kept.home().memories().join("MEMORY.md.lock")).unwrap();
    drop(kept.process());
    assert_eq!(kept.noted(), 1);
    drop(lock);
    drop(kept.process());
    assert_eq!(kept.noted(), 0);
}
