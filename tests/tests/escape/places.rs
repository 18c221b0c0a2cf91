//! Homes in odd places, and users who are not root.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use hermes_provider_api::Capabilities;
use hermes_tests::wait;

use crate::scene::{NOTHING_HOLDS, Scene};

/// The worker loads there, and what matters most is refused there.
#[track_caller]
fn works(scene: &Scene) {
    assert_eq!(scene.tries("read-env", NOTHING_HOLDS).as_deref(), Ok("sk-escape-4711"));
    for way in ["read-env", "read-env-by-found-link", "read-other-provider", "write-own-library", "connect", "fork"] {
        let error = scene.tries(way, "").unwrap_err();
        assert!(error.contains("(os error 1"), "{way}: {error}");
    }
}

#[test]
fn a_home_behind_a_link() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("disk")).unwrap();
    let home = folder.path().join("home");
    symlink(folder.path().join("disk"), &home).unwrap();
    works(&Scene::at(folder, &home));
}

#[test]
fn a_home_with_spaces_and_of_other_letters() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("мой дом 家 'a\"b");
    works(&Scene::at(folder, &home));
}

#[test]
fn a_home_in_memory() {
    let memory = Path::new("/dev/shm");
    if !memory.is_dir() {
        return;
    }
    let folder = tempfile::tempdir_in(memory).unwrap();
    let home = folder.path().join("home");
    works(&Scene::at(folder, &home));
}

/// A folder that is not there could be confined to nothing.
#[test]
fn a_data_folder_that_cannot_be_made_is_told() {
    let scene = Scene::new();
    let data = scene.data();
    fs::remove_dir_all(&data).unwrap();
    fs::write(&data, "in the way").unwrap();
    let error = scene.tries_in(&scene.provider("", Capabilities::default()), "fork").unwrap_err();
    assert!(error.contains("`escape` cannot be loaded: its data folder"), "{error}");
}

/// The worker of a host that is killed ends by itself: its pipe does. This test's own binary is the host.
#[test]
fn a_confined_worker_ends_with_a_host_that_is_killed() {
    const NOTE: &str = "HERMES_TESTS_ESCAPE_NOTE";
    if let Some(note) = std::env::var_os(NOTE) {
        let scene = Scene::new();
        let provider = scene.provider("", scene.granted());
        provider.open().unwrap();
        fs::write(note, children(std::process::id())).unwrap();
        std::thread::sleep(wait::PATIENCE);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let name = "places::a_confined_worker_ends_with_a_host_that_is_killed";
    let mut host = again(&[name]).env(NOTE, &note).env("TMPDIR", folder.path()).spawn().unwrap();
    let worker = wait::until("the worker runs", || {
        fs::read_to_string(&note).ok()?.split_whitespace().next()?.parse::<u32>().ok()
    });
    assert!(wait::is_alive(worker));
    host.kill().unwrap();
    host.wait().unwrap();
    wait::until("it has ended", || (!wait::is_alive(worker)).then_some(()));
}

fn children(of: u32) -> String {
    let tasks = fs::read_dir(format!("/proc/{of}/task")).unwrap();
    tasks.map(|task| fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default()).collect()
}

/// The whole suite as another user. Only root can become one; everybody else is one.
#[test]
fn a_user_who_is_not_root() {
    const ANOTHER: u32 = 65_534;
    if !rustix::process::geteuid().is_root() || std::env::var_os("HERMES_TESTS_OTHER_USER").is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    // What it runs may lie where that user cannot look.
    let [test, hermes, escape, raw] =
        ["test", "hermes", "libescape.so", "libraw.so"].map(|name| folder.path().join(name));
    let fixtures = hermes_tests::fixtures();
    let this = std::env::current_exe().unwrap();
    let copies =
        [(this.as_path(), &test), (fixtures.hermes(), &hermes), (fixtures.escape(), &escape), (fixtures.raw(), &raw)];
    for (from, to) in copies {
        fs::copy(from, to).unwrap();
        fs::set_permissions(to, fs::Permissions::from_mode(0o755)).unwrap();
    }
    #[expect(clippy::disallowed_methods, reason = "the same test for another user")]
    let ran = Command::new("setpriv")
        .args(["--reuid", &ANOTHER.to_string(), "--regid", &ANOTHER.to_string(), "--clear-groups"])
        .arg(&test)
        .args(["suite::every", "suite::where", "suite::each", "suite::a_granted", "places::a_home_behind"])
        .env("HERMES_TESTS_OTHER_USER", folder.path())
        .env("TMPDIR", folder.path())
        .current_dir("/")
        .output();
    // Few systems lack the program.
    let Ok(ran) = ran else { return };
    let said = [&*ran.stdout, &*ran.stderr].map(String::from_utf8_lossy).join("\n");
    assert!(ran.status.success() && said.contains("5 passed"), "{said}");
}

#[expect(clippy::disallowed_methods, reason = "the host that is killed")]
fn again(names: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--exact").args(names).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
