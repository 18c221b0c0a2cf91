//! Builds the binary and the plugins that the tests load.
//!
//! `cargo test` does not build a cdylib for the tests of another crate, so a nested `cargo build` does: once per test
//! process, under a lock that holds off other test processes, with the profile and target folder of the running test.
//! When nothing has changed it takes a fraction of a second. Paths come from cargo's own messages.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

use hermes_provider_api::metadata::TARGET;

use crate::cargo::{self, Built, workspace};

/// What was built in this workspace.
#[derive(Debug)]
pub struct Fixtures(Built);

impl Fixtures {
    /// The `hermes` binary.
    #[must_use]
    pub fn hermes(&self) -> &Path {
        self.artifact("hermes")
    }

    /// The provider of `tests/faulty`.
    #[must_use]
    pub fn faulty(&self) -> &Path {
        self.artifact("hermes_tests_faulty")
    }

    /// The provider of `tests/careless`.
    #[must_use]
    pub fn careless(&self) -> &Path {
        self.artifact("hermes_tests_careless")
    }

    /// The provider of `tests/escape`.
    #[must_use]
    pub fn escape(&self) -> &Path {
        self.artifact("hermes_tests_escape")
    }

    /// The plugin of `tests/raw`.
    #[must_use]
    pub fn raw(&self) -> &Path {
        self.artifact("hermes_tests_raw")
    }

    /// What a crash test is made of.
    ///
    /// # Panics
    /// When a part was not built.
    #[must_use]
    pub fn crash(&self) -> crate::crash::Parts {
        crate::crash::Parts::of(&self.0).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The provider of `tests/recorder`.
    #[must_use]
    pub fn recorder(&self) -> &Path {
        self.artifact("hermes_tests_recorder")
    }

    /// The provider of `providers/holographic`.
    #[must_use]
    pub fn holographic(&self) -> &Path {
        self.artifact("hermes_provider_holographic")
    }

    /// The provider of `providers/byterover`.
    #[must_use]
    pub fn byterover(&self) -> &Path {
        self.artifact("hermes_provider_byterover")
    }

    /// A binary or cdylib, by the name of its target.
    ///
    /// # Panics
    /// When it was not among what was built.
    #[must_use]
    pub fn artifact(&self, target: &str) -> &Path {
        self.0.get(target).unwrap_or_else(|| panic!("cargo named no file for `{target}`: {:?}", self.0))
    }
}

/// The binary and the plugins of this workspace, built when they are first asked for.
///
/// # Panics
/// When they do not build.
#[must_use]
pub fn fixtures() -> &'static Fixtures {
    static FIXTURES: OnceLock<Result<Fixtures, String>> = OnceLock::new();
    let built = FIXTURES.get_or_init(|| {
        let packages = [
            "hermes-host",
            "hermes-provider-byterover",
            "hermes-provider-holographic",
            "hermes-provider-retaindb",
            "hermes-tests-careless",
            "hermes-tests-escape",
            "hermes-tests-driver",
            "hermes-tests-faulty",
            "hermes-tests-powerloss",
            "hermes-tests-raw",
            "hermes-tests-recorder",
        ];
        let profile = Profile::running();
        let mut arguments: Vec<String> = packages.iter().flat_map(|name| ["-p", name]).map(str::to_owned).collect();
        // The lock file was settled before the test was built, and must not move while other tests build.
        arguments.extend(["--lib", "--bins", "--locked"].map(str::to_owned));
        arguments.extend(profile.arguments);
        build(&workspace().join("Cargo.toml"), &profile.target, &arguments)
    });
    match built {
        Ok(fixtures) => fixtures,
        Err(messages) => panic!("{messages}"),
    }
}

/// Builds another workspace, with a target folder that all of them share and the features that it has by itself.
///
/// # Panics
/// When it does not build.
#[must_use]
pub fn other_workspace(manifest: &Path, arguments: &[&str]) -> Fixtures {
    let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    match build(manifest, &target_folder().join("fixtures"), &arguments) {
        Ok(fixtures) => fixtures,
        Err(messages) => panic!("{messages}"),
    }
}

/// Runs the tests of another workspace, with the same target folder.
///
/// # Panics
/// When one fails.
pub fn test_other_workspace(manifest: &Path, arguments: &[&str]) {
    let target = target_folder().join("fixtures");
    let _lock = lock(&target);
    if let Err(messages) = cargo::run("test", manifest, &target, arguments, Stdio::piped()) {
        panic!("{messages}");
    }
}

/// The target folder that the running test was built in.
#[must_use]
pub fn target_folder() -> PathBuf {
    Profile::running().target
}

/// How the running test was built, read from where it lies: `<target>[/<triple>]/<profile>/deps/<test>`.
struct Profile {
    target: PathBuf,
    arguments: Vec<String>,
}

impl Profile {
    fn running() -> Self {
        let test = std::env::current_exe().expect("a running test has a path");
        let folder = test.parent().and_then(Path::parent).expect("cargo put the test two folders deep");
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let profile = match name(folder).as_str() {
            "debug" => "dev".to_owned(),
            other => other.to_owned(),
        };
        let mut arguments = vec!["--profile".to_owned(), profile];
        let mut target = folder.parent().unwrap_or(folder);
        // A triple that was asked for has a folder of its own in the target folder.
        if name(target) == TARGET {
            arguments.extend(["--target".to_owned(), name(target)]);
            target = target.parent().unwrap_or(target);
        }
        Self { target: target.to_owned(), arguments }
    }
}

fn build(manifest: &Path, target: &Path, arguments: &[String]) -> Result<Fixtures, String> {
    let _lock = lock(target);
    cargo::build(manifest, target, arguments, Stdio::piped()).map(Fixtures)
}

/// Until it is dropped no other test runs cargo on this target folder.
fn lock(target: &Path) -> File {
    fs::create_dir_all(target).expect("the target folder can be made");
    let lock = File::create(target.join("fixtures.lock")).expect("the target folder can be written");
    lock.lock().expect("the file system has locks");
    lock
}
