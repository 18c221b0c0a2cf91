//! The worker process itself: its pipes, its end, and what it answers to somebody who is not hermes.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use hermes_host::plugins::load::{Direct, Fault, Isolation, Plugin, WORKER_ARGUMENT};
use hermes_provider_api::{ProviderError, Services};
use hermes_tests::{Setup, fixtures, log, patch, wait};

#[test]
fn what_it_prints_goes_to_the_log_and_not_between_the_frames() {
    let provider = Setup::faulty(Isolation::Process).open();
    assert_eq!(provider.recall("print 4711").unwrap(), "printed");
    provider.still_answers();
    for line in ["println 4711", "eprintln 4711", "raw 4711"] {
        wait::until(line, || log::contains(line).then_some(()));
    }
}

#[test]
fn it_ends_with_its_host_and_takes_along_what_the_provider_started() {
    // Confined, it could start nothing.
    let provider = Setup::faulty(Isolation::Process).unconfined().open();
    let (worker, child) = (provider.process(), provider.recall("child").unwrap().parse().unwrap());
    assert!(wait::is_alive(worker) && wait::is_alive(child));
    assert_eq!(provider.loaded.close().problem, None);
    for pid in [worker, child] {
        wait::until("it has ended", || (!wait::is_alive(pid)).then_some(()));
    }
}

#[test]
fn a_crash_takes_along_what_the_provider_started() {
    let provider = Setup::faulty(Isolation::Process).unconfined().open();
    let child = provider.recall("child").unwrap().parse().unwrap();
    let error = provider.recall("segfault").unwrap_err();
    assert!(error.to_string().contains("SIGSEGV"), "{error}");
    wait::until("it has ended", || (!wait::is_alive(child)).then_some(()));
    provider.still_answers();
}

/// This test's own binary is the host that is killed: run again for one test alone, told where to note its worker.
#[test]
fn a_host_that_is_killed_leaves_no_process_behind() {
    const NOTE: &str = "HERMES_TESTS_NOTE_WORKER";
    if let Some(note) = std::env::var_os(NOTE) {
        let provider = Setup::faulty(Isolation::Process).unconfined().open();
        let pids = format!("{} {}\n", provider.process(), provider.recall("child").unwrap());
        std::fs::write(note, pids).unwrap();
        let _ = provider.recall("wait-deaf");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    #[expect(clippy::disallowed_methods, reason = "the host that is killed")]
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "worker::a_host_that_is_killed_leaves_no_process_behind"])
        .env(NOTE, &note)
        .env("TMPDIR", folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pids = wait::until("the worker is open", || {
        let text = std::fs::read_to_string(&note).ok().filter(|text| text.ends_with('\n'))?;
        Some(text.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<u32>>())
    });
    assert_eq!(pids.iter().filter(|&&pid| wait::is_alive(pid)).count(), 2);
    host.kill().unwrap();
    host.wait().unwrap();
    for pid in pids {
        wait::until("it has ended", || (!wait::is_alive(pid)).then_some(()));
    }
}

/// Runs the worker as a person might.
#[track_caller]
fn by_hand(input: Stdio, text: &[u8]) -> Output {
    #[expect(clippy::disallowed_methods, reason = "the test is the person at the keyboard")]
    let mut worker = Command::new(fixtures().hermes())
        .arg(WORKER_ARGUMENT)
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    if let Some(mut stdin) = worker.stdin.take() {
        // It may end before it has read all.
        let _ = stdin.write_all(text);
    }
    worker.wait_with_output().unwrap()
}

#[track_caller]
fn check(output: &Output, code: i32, line: &str) {
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("{line}\n"));
    assert_eq!(output.status.code(), Some(code));
    assert!(output.stdout.is_empty());
}

#[test]
fn in_a_terminal_it_says_what_it_is() {
    let terminal = File::options().read(true).write(true).open("/dev/ptmx").unwrap();
    check(
        &by_hand(terminal.into(), b""),
        2,
        "this is the inner worker of hermes, started by it alone: its input is a terminal",
    );
}

#[test]
fn garbage_ends_it() {
    let piped = |text: &[u8]| by_hand(Stdio::piped(), text);
    check(&piped(b""), 1, "the worker cannot go on: nobody greeted it; it is started by hermes alone");
    check(&piped(b"hi\n"), 1, "the worker cannot go on: nobody greeted it; it is started by hermes alone");
    check(&piped(b"hello world\n"), 1, "the worker cannot go on: a frame of 1819043176 bytes");
    check(&piped(&[b'x'; 1 << 20]), 1, "the worker cannot go on: a frame of 2021161080 bytes");
    check(
        &piped(b"\x06\0\0\0\x01\0\0\0\0{"),
        1,
        "the worker cannot go on: EOF while parsing an object at line 1 column 1",
    );
    check(&by_hand(Stdio::null(), b""), 1, "the worker cannot go on: nobody greeted it; it is started by hermes alone");
}

#[test]
fn another_program_in_its_place_is_told() {
    let open = |program: &str| {
        let provider = Setup::faulty(Isolation::Process).executable(Path::new(program)).loaded();
        provider.recall("anything").unwrap_err().to_string()
    };
    assert_eq!(open("/bin/true"), "`faulty` cannot be loaded: its worker ended with status 0");
    let missing = open("/nowhere/hermes");
    assert!(missing.contains("the worker cannot be started: No such file"), "{missing}");
}

/// A worker trusts neither its host nor the file: the plugin's code must not run when they differ.
#[test]
fn a_file_that_was_changed_after_the_host_looked_is_refused_before_its_code_runs() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("marker");
    let with_marker = |setup: Setup| {
        let old = format!("\"marker\":\"{}\"", " ".repeat(200));
        let new = format!("\"marker\":\"{:<200}\"", marker.display());
        setup.patched(|bytes| patch::in_section(bytes, &old, &new))
    };
    // It leaves it outside of its folder.
    let raw = || with_marker(Setup::new(fixtures().raw(), Isolation::Process).unconfined());

    // The marker works: an unchanged file leaves it.
    drop(raw().open());
    assert!(marker.exists());
    std::fs::remove_file(&marker).unwrap();

    let installed = raw().plugin();
    let check = |setup: Setup, expect: &str| {
        let plugin = Plugin { library: setup.library().to_owned(), ..installed.clone() };
        let path = plugin.library.display().to_string();
        let error = setup.loaded_as(plugin).recall("").unwrap_err().to_string().replace(&path, "FILE");
        assert_eq!(error, format!("`raw` cannot be loaded: {expect}"));
        assert!(!marker.exists(), "its code ran");
    };
    let one_byte = raw().patched(|bytes| {
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
    });
    check(one_byte, "`FILE` is not the file that was installed");
    check(raw().patched(|bytes| bytes.truncate(bytes.len() / 2)), "`FILE` is not the file that was installed");
    check(raw().patched(Vec::clear), "`FILE` is not the file that was installed");
}

/// Confined to a folder that is not there it would be confined to nothing.
#[test]
fn a_provider_that_cannot_be_confined_is_not_loaded() {
    struct Nowhere(std::path::PathBuf);

    impl Services for Nowhere {
        fn call(&self, _: &str, _: &str, _: &[u8]) -> Result<Vec<u8>, ProviderError> {
            Ok(serde_json::to_vec(&self.0).unwrap())
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let (marker, data) = (folder.path().join("data/marker"), folder.path().join("data"));
    let setup = || {
        let old = format!("\"marker\":\"{}\"", " ".repeat(200));
        let new = format!("\"marker\":\"{:<200}\"", marker.display());
        Setup::new(fixtures().raw(), Isolation::Process).patched(|bytes| patch::in_section(bytes, &old, &new))
    };
    let open = |setup: Setup| {
        let plugin = Plugin { services: Arc::new(Nowhere(data.clone())), ..setup.plugin() };
        Direct::open(&plugin, Isolation::Process, fixtures().hermes(), wait::PATIENCE).map(drop)
    };
    let Err(Fault::Unloadable(reason)) = open(setup()) else { panic!("it is loaded") };
    let expected = "it cannot be confined, so its code was not run: its data folder: No such file";
    assert!(reason.starts_with(expected), "{reason}");

    // With the folder its code runs, and leaves the marker.
    std::fs::create_dir(&data).unwrap();
    open(setup()).unwrap();
    assert!(marker.exists());
}
