//! Running cargo, and finding what it built.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use hermes_tests::cargo::{self, Built};

use crate::Result;

/// How to build.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quickly, and shared with the tests.
    Dev,
    /// For users.
    Release,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    cargo::workspace().to_owned()
}

/// Where cargo builds.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// A command that runs in the repository.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = cargo::command(program);
    command.current_dir(root());
    command
}

/// Builds one package and returns the files of the wanted kind: `bin` or `cdylib`.
pub(crate) fn build(package: &str, kind: &str, profile: Profile) -> Result<Vec<PathBuf>> {
    let is_library = |file: &PathBuf| file.extension().is_some_and(|end| end == std::env::consts::DLL_EXTENSION);
    let files: Vec<_> =
        build_all(&[package], profile)?.into_values().filter(|file| is_library(file) == (kind == "cdylib")).collect();
    if files.is_empty() { Err(format!("`{package}` built no {kind}")) } else { Ok(files) }
}

/// Builds an example and returns its file.
pub(crate) fn build_example(package: &str, name: &str, profile: Profile) -> Result<PathBuf> {
    let chosen = ["--package", package, "--example", name, "--profile", profile.name()];
    cargo::build(&root().join("Cargo.toml"), &target_dir(), chosen, Stdio::inherit())
        .map_err(|_| format!("the example `{name}` does not build"))?
        .remove(name)
        .ok_or_else(|| format!("cargo named no file for `{name}`"))
}

/// Builds packages in one go: what they share is built once.
pub(crate) fn build_all(packages: &[&str], profile: Profile) -> Result<Built> {
    let chosen = packages.iter().flat_map(|package| ["--package", package]).chain(["--profile", profile.name()]);
    cargo::build(&root().join("Cargo.toml"), &target_dir(), chosen, Stdio::inherit())
        .map_err(|_| format!("`{}` does not build", packages.join("`, `")))
}
