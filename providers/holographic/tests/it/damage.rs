//! Broken files: the bytes are kept, the user is told, and work goes on.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use hermes_provider_api::records::{OpenRequest, RecallState};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _};
use hermes_provider_holographic::Holographic;
use serde_json::json;

use crate::support::{Case, open};

fn kept_files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.to_string_lossy().contains(".corrupt-")).collect()
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

#[track_caller]
fn degraded(provider: &Holographic) -> String {
    let health = provider.health(&Call::default()).unwrap();
    assert!(!health.ok, "{health:?}");
    health.detail
}

#[test]
fn an_overwritten_header_is_moved_aside() {
    let Case { provider, folder, .. } = Case::with(&["Mo likes tea"]);
    drop(provider);
    let path = folder.path().join("facts.db");
    overwrite(&path, 0, b"0123456789abcdef");
    let damaged = fs::read(&path).unwrap();

    let case = Case { provider: open(folder.path()), folder, caller: Default::default() };
    let kept = kept_files(case.folder.path());
    assert_eq!(kept, [case.folder.path().join("facts.db.corrupt-1767225600000")]);
    assert_eq!(fs::read(&kept[0]).unwrap(), damaged, "not a byte is changed");
    assert!(degraded(&case.provider).contains("facts.db.corrupt-1767225600000"));
    assert_eq!(case.provider.recall_status(&Call::default()).unwrap().state, RecallState::Degraded);

    case.add("Mo likes cake");
    let answer = case.store(json!({"action": "search", "query": "Mo"}));
    assert_eq!(answer["count"], 1);
    assert!(answer["notice"].as_str().unwrap().contains("damaged"));

    // The notice outlives the process and ends when the user takes the file away.
    drop(case.provider);
    let provider = open(case.folder.path());
    degraded(&provider);
    fs::remove_file(&kept[0]).unwrap();
    assert!(provider.health(&Call::default()).unwrap().ok);
}

/// A file that is harmed while nobody uses it: its bytes are kept, the user is told, and the provider is back.
#[track_caller]
fn comes_back(harm: impl Fn(&Path)) {
    let facts: Vec<String> = (0..200).map(|number| format!("fact number {number} about Mo")).collect();
    let Case { provider, folder, .. } = Case::with(&facts.iter().map(String::as_str).collect::<Vec<_>>());
    drop(provider);
    let path = folder.path().join("facts.db");
    harm(&path);
    let harmed = fs::read(&path).unwrap();
    let case = Case { provider: open(folder.path()), folder, caller: Default::default() };
    let told = degraded(&case.provider);
    assert!(told.contains("damaged") && told.contains("facts.db.corrupt-"), "{told}");
    let kept = kept_files(case.folder.path());
    assert!(kept.iter().any(|kept| fs::read(kept).unwrap() == harmed), "not a byte is changed");
    case.add("Mo is back");
    assert_eq!(case.search("Mo"), [1]);
}

#[test]
fn every_kind_of_damage_is_survived() {
    comes_back(|path| overwrite(path, 0, &[0; 100]));
    comes_back(|path| overwrite(path, 0, &vec![0; usize::try_from(fs::metadata(path).unwrap().len()).unwrap()]));
    // The page size, in bytes 16 and 17 of the header.
    comes_back(|path| overwrite(path, 16, &512_u16.to_be_bytes()));
    comes_back(|path| overwrite(path, 16, &7_u16.to_be_bytes()));
    comes_back(|path| {
        let size = fs::metadata(path).unwrap().len();
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(size / 2).unwrap();
    });
}

#[test]
fn a_file_that_another_program_holds_is_waited_for_and_then_told() {
    let case = Case::with(&["Mo likes tea"]);
    let holder = rusqlite::Connection::open(case.folder.path().join("facts.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let adding = scope.spawn(|| case.add("Mo likes cake"));
        assert_eq!(case.search("tea"), [1], "readers do not wait");
        std::thread::sleep(std::time::Duration::from_secs(1));
        holder.execute_batch("COMMIT").unwrap();
        assert_eq!(adding.join().unwrap(), 2, "the writer waited");
    });
    // Nobody gets in at all.
    drop(holder);
    let Case { provider, folder, .. } = case;
    drop(provider);
    let holder = rusqlite::Connection::open(folder.path().join("facts.db")).unwrap();
    holder.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    let case = Case { provider: open(folder.path()), folder, caller: Default::default() };
    let error = case.try_tool("fact_store", json!({"action": "list"})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.retryable && error.message.contains("another process"), "{error:?}");
    drop(holder);
    assert_eq!(case.ids(json!({"action": "list"})), [2, 1]);
    assert!(kept_files(case.folder.path()).is_empty(), "a lock is no damage");
}

#[test]
fn damage_met_while_running_does_not_stop_the_work() {
    let facts: Vec<String> = (0..400).map(|number| format!("fact number {number} about Mo")).collect();
    let case = Case::with(&facts.iter().map(String::as_str).collect::<Vec<_>>());
    let Case { provider, folder, caller } = case;
    drop(provider);
    let path = folder.path().join("facts.db");
    let size = fs::metadata(&path).unwrap().len();
    let provider = open(folder.path());
    overwrite(&path, 4096, &vec![0xA5; usize::try_from(size).unwrap() - 4096]);
    let case = Case { provider, folder, caller };
    assert!(degraded(&case.provider).contains("corrupt-"));
    assert_eq!(case.search("Mo"), [0_i64; 0]);
    case.add("Mo is back");
    assert_eq!(case.search("Mo"), [1]);
    assert!(!kept_files(case.folder.path()).is_empty());
}

#[test]
fn a_damaged_word_index_is_built_again_and_no_fact_is_lost() {
    let case = Case::with(&["Mo likes tea", "Mo likes cake"]);
    let other = rusqlite::Connection::open(case.folder.path().join("facts.db")).unwrap();
    // Words that are missing are noticed by the check of health, lists that cannot be read by whoever reads them.
    for (harm, checked) in [
        ("DELETE FROM words", true),
        ("UPDATE words SET ids = x'80'", false),
        ("UPDATE words SET ids = x'0000'", false),
    ] {
        other.execute_batch(harm).unwrap();
        if checked {
            assert!(case.provider.health(&Call::default()).unwrap().ok);
        }
        assert_eq!(case.search("cake"), [2], "{harm}");
        assert!(kept_files(case.folder.path()).is_empty());
    }
}

#[test]
fn another_process_that_has_the_old_file_open_follows() {
    let case = Case::with(&["old fact"]);
    let other =
        Case { provider: open(case.folder.path()), folder: tempfile::tempdir().unwrap(), caller: Default::default() };
    assert_eq!(other.search("old").len(), 1);
    fs::rename(case.folder.path().join("facts.db"), case.folder.path().join("elsewhere.db")).unwrap();
    case.add("new fact");
    assert_eq!(other.search("new").len(), 1, "both use the file that has the name now");
    other.add("third fact");
    drop(other);
    assert_eq!(case.search("third").len(), 1);
}

#[test]
fn a_newer_format_is_refused_untouched() {
    let Case { provider, folder, .. } = Case::with(&["Mo likes tea"]);
    drop(provider);
    let path = folder.path().join("facts.db");
    // `user_version` in the header of an SQLite file.
    overwrite(&path, 60, &99_u32.to_be_bytes());
    let before = fs::read(&path).unwrap();
    let error = Holographic::open(FakeHost::new(folder.path()).host(), OpenRequest::default()).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Storage);
    assert!(error.message.contains("99") && error.hint.is_some(), "{error:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_folder_in_place_of_the_file_is_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("facts.db")).unwrap();
    let error = Holographic::open(FakeHost::new(folder.path()).host(), OpenRequest::default()).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Storage);
    assert!(error.message.contains("facts.db") && error.hint.is_some(), "{error:?}");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt as _;
    let case = Case::with(&["Mo likes tea"]);
    for entry in fs::read_dir(case.folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?} has mode {mode:o}", entry.path());
    }
}
