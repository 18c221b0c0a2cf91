//! What does not fit is refused before `dlopen`, in one message, and none of the plugin's code runs: the raw fixture
//! leaves a marker as soon as its file is mapped into a process.

use std::fs;
use std::path::PathBuf;

use hermes_host::config::Isolation;
use hermes_host::error::Failure;
use hermes_host::home::Home;
use hermes_host::plugins::resolve::Platform;
use hermes_host::plugins::verify::{Check, Verified, sha256_of};
use hermes_provider_api::metadata::TARGET;
use hermes_tests::{BOTH, Setup, fixtures, patch};
use tempfile::TempDir;

/// A home with the raw plugin in its store.
struct Scene {
    folder: TempDir,
    home: Home,
    library: PathBuf,
    /// What the lockfile says; None: whatever the file has.
    locked: Option<String>,
}

impl Scene {
    fn new(change: impl FnOnce(&mut Vec<u8>)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        let place = home.store().join("raw").join("0.1.0");
        fs::create_dir_all(&place).unwrap();
        let marker = folder.path().join("marker");
        let library = patch::copy(fixtures().raw(), &place, |bytes| {
            let old = format!("\"marker\":\"{}\"", " ".repeat(200));
            patch::in_section(bytes, &old, &format!("\"marker\":\"{:<200}\"", marker.display()));
            change(bytes);
        });
        Self { folder, home, library, locked: None }
    }

    fn marker(&self) -> PathBuf {
        self.folder.path().join("marker")
    }

    /// The checks, and the message with what differs from machine to machine taken out.
    fn check(&self, isolation: Isolation) -> Result<Verified, String> {
        let found = sha256_of(&self.library).unwrap();
        let locked = self.locked.clone().map_or(found.clone(), |locked| locked.try_into().unwrap());
        let version = semver::Version::new(0, 1, 0);
        let check = Check {
            home: &self.home,
            library: &self.library,
            sha256: &locked,
            archive_sha256: &locked,
            source: "raw.tar.gz",
            id: "raw",
            version: &version,
            granted: None,
            isolation,
            platform: &Platform::current(),
            catalogs: None,
            admitted: false,
        };
        check.run().map_err(|error| {
            let Failure { message, hints, .. } = (*error).into();
            let text = hints.iter().fold(message, |text, hint| format!("{text}\nhint: {hint}"));
            text.replace(&self.library.display().to_string(), "[library]")
                .replace(TARGET, "[target]")
                .replace(found.short(), "[found]")
                .replace(locked.short(), "[locked]")
        })
    }
}

#[track_caller]
fn refused(scene: &Scene, isolation: Isolation) -> String {
    let message = scene.check(isolation).unwrap_err();
    assert!(!scene.marker().exists(), "code of the plugin ran");
    message
}

fn field(bytes: &mut [u8], old: &str, new: &str) {
    patch::in_section(bytes, old, new);
}

#[test]
fn the_unchanged_file_passes_and_its_code_leaves_the_marker_when_it_is_loaded() {
    for isolation in BOTH {
        let scene = Scene::new(|_| {});
        let verified = scene.check(isolation).unwrap();
        assert_eq!(verified.metadata.id, "raw");
        assert!(!scene.marker().exists(), "checking runs no code");
        // The marker lies where a confined worker writes nothing.
        assert_eq!(Setup::new(&scene.library, isolation).unconfined().open().recall("").unwrap(), "in many pieces");
        assert!(scene.marker().exists(), "the marker proves what it should");
    }
}

#[test]
fn another_abi() {
    let newer = Scene::new(|bytes| field(bytes, "\"abi_major\":1", "\"abi_major\":2"));
    insta::assert_snapshot!(refused(&newer, Isolation::Process));
    let older = Scene::new(|bytes| field(bytes, "\"abi_major\":1", "\"abi_major\":0"));
    insta::assert_snapshot!(refused(&older, Isolation::Process));
}

#[test]
fn another_target() {
    let scene = Scene::new(|bytes| field(bytes, &format!("\"target\":\"{TARGET}\""), "\"target\":\"s390x-moon\""));
    insta::assert_snapshot!(refused(&scene, Isolation::Process));
}

#[test]
fn a_panic_strategy_that_only_a_worker_survives() {
    let scene = Scene::new(|bytes| field(bytes, "\"panic\":\"unwind\"", "\"panic\":\"abort\""));
    insta::assert_snapshot!(refused(&scene, Isolation::InProcess));
    scene.check(Isolation::Process).unwrap();
}

#[test]
fn no_section() {
    let scene = Scene::new(|bytes| {
        let name = b"\0.memprov\0";
        let at = bytes.windows(name.len()).rposition(|window| window == name).unwrap();
        bytes[at + 2..at + 5].copy_from_slice(b"not");
    });
    insta::assert_snapshot!(refused(&scene, Isolation::Process));
}

#[test]
fn another_format_of_the_section() {
    let scene = Scene::new(|bytes| {
        let section = patch::section(bytes);
        bytes[section.start + 8] = 9;
    });
    insta::assert_snapshot!(refused(&scene, Isolation::Process));
}

#[test]
fn a_file_that_is_cut_off() {
    let scene = Scene::new(|bytes| bytes.truncate(bytes.len() / 2));
    insta::assert_snapshot!(refused(&scene, Isolation::Process));
    let nothing = Scene::new(Vec::clear);
    insta::assert_snapshot!(refused(&nothing, Isolation::Process));
}

#[test]
fn one_changed_byte() {
    let mut scene = Scene::new(|_| {});
    scene.locked = Some(sha256_of(&scene.library).unwrap().to_string());
    let mut bytes = fs::read(&scene.library).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&scene.library, bytes).unwrap();
    insta::assert_snapshot!(refused(&scene, Isolation::Process));
}

#[test]
fn a_file_outside_the_store() {
    let mut scene = Scene::new(|_| {});
    let outside = scene.folder.path().join("lib.so");
    fs::copy(&scene.library, &outside).unwrap();
    let inside = scene.library.clone();
    scene.library.clone_from(&outside);
    insta::assert_snapshot!(refused(&scene, Isolation::Process));
    fs::remove_file(&inside).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    scene.library = inside;
    insta::assert_snapshot!(refused(&scene, Isolation::Process));
}

#[test]
fn all_that_does_not_fit_is_told_at_once() {
    let mut scene = Scene::new(|bytes| {
        field(bytes, "\"abi_major\":1", "\"abi_major\":3");
        field(bytes, &format!("\"target\":\"{TARGET}\""), "\"target\":\"s390x-moon\"");
        field(bytes, "\"panic\":\"unwind\"", "\"panic\":\"abort\"");
        field(bytes, "\"requires_host\":\"*\"", "\"requires_host\":\"9\"");
        field(bytes, "\"id\":\"raw\"", "\"id\":\"cow\"");
    });
    scene.locked = Some("0".repeat(64));
    insta::assert_snapshot!(refused(&scene, Isolation::InProcess));
}
