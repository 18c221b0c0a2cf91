//! Running cargo, and finding what it built.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Result;

/// How to build.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quickly, and shared with the tests.
    Dev,
    /// For users.
    Release,
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .components()
        .collect::<PathBuf>()
        .canonicalize()
        .unwrap_or_default()
}

/// Where cargo builds.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// A command that runs in the repository.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    #[expect(clippy::disallowed_methods, reason = "tasks start programs")]
    let mut command = Command::new(program);
    command.current_dir(root());
    // Cargo describes this task to itself in variables. Some build scripts watch those (that of `ring` does), and all
    // that depends on them would be built anew each time.
    for (name, _) in std::env::vars_os() {
        let about_this_task = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"];
        if about_this_task.iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(&name);
        }
    }
    command
}

/// Builds one package and returns the files of the wanted kind: `bin` or `cdylib`.
pub(crate) fn build(package: &str, kind: &str, profile: Profile) -> Result<Vec<PathBuf>> {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--package", package, "--message-format", "json-render-diagnostics"]);
    if profile == Profile::Release {
        cargo.arg("--release");
    }
    let output = cargo
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{package}` does not build"));
    }
    let mut files = Vec::new();
    for line in output.stdout.split(|byte| *byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { continue };
        let target = &message["target"];
        let is_wanted = message["reason"] == "compiler-artifact"
            && target["name"].as_str().is_some_and(|name| belongs_to(name, package))
            && target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|found| found == kind));
        if is_wanted {
            let names = message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str);
            files.extend(names.map(PathBuf::from).filter(|file| kind != "cdylib" || is_library(file)));
        }
    }
    if files.is_empty() { Err(format!("`{package}` built no {kind}")) } else { Ok(files) }
}

/// A package's library has its name with `_` for `-`; the host's binary is called `hermes`.
fn belongs_to(target: &str, package: &str) -> bool {
    target.replace('-', "_") == package.replace('-', "_") || (package == "hermes-host" && target == "hermes")
}

fn is_library(file: &Path) -> bool {
    file.extension().is_some_and(|extension| ["so", "dylib", "dll"].iter().any(|known| extension == *known))
}
