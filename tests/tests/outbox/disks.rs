//! Disks that are full or read-only, databases that are broken, and locks that cannot be made, as a user meets them.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_host::db::Db;
use hermes_host::outbox::{Rows, Selection};
use hermes_tests::cargo::command;
use hermes_tests::crash::home::Scene;
use hermes_tests::crash::{Parts, arrived};
use hermes_tests::fixtures;

use crate::kills::say;

/// What a command said.
struct Said {
    status: i32,
    out: String,
    err: String,
}

fn parts() -> Parts {
    fixtures().crash()
}

fn hermes(scene: &Scene, arguments: &[&str]) -> Said {
    let mut hermes = command(parts().hermes);
    hermes.args(arguments).env("HERMES_HOME", scene.home().root()).env_remove("HERMES_CATALOG");
    let output = hermes.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { status: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}

/// A conversation with these texts, replayed in the home itself.
fn converse(scene: &Scene, recording: &Path, texts: &[&str]) -> Said {
    let line = |text: &&str| {
        let said = serde_json::json!({"role": "user", "content": text, "session_id": "s"});
        let answer = serde_json::json!({"role": "assistant", "content": "да", "session_id": "s"});
        format!("{said}\n{answer}\n")
    };
    fs::write(recording, texts.iter().map(line).collect::<String>()).unwrap();
    hermes(scene, &["replay", "--live", &recording.to_string_lossy()])
}

fn turns(scene: &Scene) -> Vec<String> {
    let lines = arrived(&scene.data()).into_iter();
    lines.filter(|line| line.of.what == "turn" && !line.repeat).map(|line| line.of.text).collect()
}

/// A disk of memory, for as long as it is not dropped.
struct Disk(PathBuf);

impl Disk {
    /// None where mounting is not allowed.
    fn mount(place: &Path) -> Option<Self> {
        mount(&["-t", "tmpfs", "-o", "size=48m,mode=700", "tmpfs"], place).then(|| Self(place.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        #[expect(clippy::disallowed_methods, reason = "what was mounted has to be unmounted")]
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn mount(arguments: &[&str], place: &Path) -> bool {
    #[expect(clippy::disallowed_methods, reason = "a disk has to be mounted")]
    let mut mount = Command::new("mount");
    let mount = mount.args(arguments).arg(place).stdout(Stdio::null()).stderr(Stdio::null());
    mount.status().is_ok_and(|status| status.success())
}

/// A home on a disk of its own, and a folder elsewhere; None where mounting is not allowed.
fn on_a_disk() -> Option<(tempfile::TempDir, Disk, Scene)> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("disk");
    fs::create_dir(&place).unwrap();
    let Some(disk) = Disk::mount(&place) else {
        say("skipped: no disk may be mounted here");
        return None;
    };
    let scene = Scene::new_in(&parts(), &place).unwrap();
    Some((folder, disk, scene))
}

/// Nothing more fits on the disk.
fn fill(file: &Path) {
    let to = fs::File::create(file).unwrap();
    let mut at = 0;
    for size in [1 << 20, 4096, 1] {
        while let Ok(written) = to.write_at(&vec![1; size], at) {
            at += written as u64;
        }
    }
}

#[test]
fn a_full_disk_is_said_and_costs_nothing_that_was_accepted() {
    let Some((folder, _disk, scene)) = on_a_disk() else { return };
    let recording = folder.path().join("conversation.jsonl");
    assert_eq!(converse(&scene, &recording, &["before"]).status, 0);
    let filler = scene.path("filler");
    fill(&filler);
    let said = converse(&scene, &recording, &["while it was full"]);
    let database = scene.home().database().display().to_string();
    // There is no room for the database to be opened, or none for the turn.
    let kept_only = said.err.contains("turns and health are kept only until this command ends: ");
    let turn = if kept_only { "turn 1 of session s" } else { "turn 2 of session s" };
    assert!(kept_only || said.err.contains(&format!("{turn} could not be written down")), "{}", said.err);
    assert!(said.err.contains(&database) && said.err.contains("hint: "), "{}", said.err);
    assert!(said.out.contains("while it was full"), "the conversation goes on: {}", said.out);
    // The provider has no room either: it is said that the turn is gone, or it has arrived.
    let told = said.err.contains(&format!("{turn} did not reach the provider")) && said.status == 1;
    assert!(told || turns(&scene).contains(&"while it was full".to_owned()), "{}", said.err);
    if kept_only {
        let status = hermes(&scene, &["memory", "status"]);
        assert!(status.out.contains("· degraded") && status.out.contains(&database), "{}", status.out);
    }
    fs::remove_file(filler).unwrap();
    assert_eq!(converse(&scene, &recording, &["after"]).status, 0);
    let turns = turns(&scene);
    assert!(turns.starts_with(&["before".to_owned()]) && turns.ends_with(&["after".to_owned()]), "{turns:?}");
    assert!(hermes(&scene, &["memory", "status"]).out.contains("· ok"));
}

#[test]
fn a_home_that_is_read_only_is_said_and_what_waits_in_it_stays() {
    let Some((folder, disk, scene)) = on_a_disk() else { return };
    let recording = folder.path().join("conversation.jsonl");
    fs::create_dir_all(scene.data()).unwrap();
    fs::write(scene.data().join("mode"), "rate_limited 900 *").unwrap();
    let said = converse(&scene, &recording, &["before"]);
    assert!(said.status == 0 && said.err.contains("will be delivered next time"), "{}", said.err);
    fs::write(scene.data().join("mode"), "").unwrap();
    assert!(mount(&["-o", "remount,ro"], &disk.0));
    let said = converse(&scene, &recording, &["while it was read-only"]);
    assert!(
        said.err.contains("Read-only file system") && said.err.contains("hint: the disk is read-only"),
        "{}",
        said.err
    );
    assert!(said.err.contains("turn 1 of session s did not reach the provider"), "{}", said.err);
    assert_eq!(said.status, 1);
    assert!(said.out.contains("while it was read-only"), "the conversation goes on: {}", said.out);
    assert!(hermes(&scene, &["memory", "status"]).out.contains("· degraded"));
    assert!(mount(&["-o", "remount,rw"], &disk.0));
    let left = {
        let db = Db::open(&scene.home()).unwrap().db;
        Rows(&db).retry(&Selection::default()).unwrap()
    };
    assert_eq!(left, 2, "the turn and the end of its session");
    converse(&scene, &recording, &["after"]);
    assert_eq!(turns(&scene), ["before", "after"]);
}

#[track_caller]
fn broken(scene: &Scene, what: &str, harm: impl FnOnce(&mut Vec<u8>)) {
    let path = scene.home().database();
    // All that the log holds is in the file then, so that the log heals nothing.
    let log = "PRAGMA wal_checkpoint(TRUNCATE)";
    let db = Db::open(&scene.home()).unwrap().db;
    assert_eq!(db.with(|connection| connection.query_row(log, [], |row| row.get::<_, i64>(0))).unwrap(), 0);
    drop(db);
    let mut bytes = fs::read(&path).unwrap();
    harm(&mut bytes);
    fs::write(&path, &bytes).unwrap();
    let said = converse(scene, &scene.path("conversation.jsonl"), &[what]);
    assert!(said.err.contains("` was broken (") && said.err.contains("a new one was made"), "{what}: {}", said.err);
    let kept = said.err.split("is kept as `").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    assert_eq!(fs::read(kept).unwrap(), bytes, "{what}");
    assert_eq!((said.status, turns(scene).last().map(String::as_str)), (0, Some(what)));
}

#[test]
fn a_broken_database_is_kept_and_said_and_the_memory_goes_on() {
    let scene = Scene::new(&parts()).unwrap();
    converse(&scene, &scene.path("conversation.jsonl"), &["before"]);
    broken(&scene, "zeros", |bytes| bytes.fill(0));
    broken(&scene, "half of it", |bytes| bytes.truncate(bytes.len() / 2));
    broken(&scene, "a page", |bytes| bytes[4096 * 3..4096 * 4].fill(0xaa));
}

#[test]
fn locks_that_cannot_be_made_are_said_or_done_without() {
    let scene = Scene::new(&parts()).unwrap();
    let recording = scene.path("conversation.jsonl");
    let lock = scene.home().database().with_extension("outbox-recorder.lock");
    fs::create_dir(&lock).unwrap();
    let said = converse(&scene, &recording, &["one", "two"]);
    assert_eq!((said.status, &*said.err), (0, ""));
    assert_eq!(turns(&scene), ["one", "two"]);
    let lock = scene.home().database().with_extension("db.lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let said = converse(&scene, &recording, &["three"]);
    assert!(
        said.err.contains("kept only until this command ends") && said.err.contains("hermes.db.lock"),
        "{}",
        said.err
    );
    assert_eq!(turns(&scene), ["one", "two", "three"]);
    assert!(hermes(&scene, &["memory", "status"]).out.contains("· degraded"));
}
