//! Running cargo from a program that cargo runs, and finding what it built.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The binaries, examples and loadable libraries that a build made, by the names of their targets with `_` for `-`.
pub type Built = BTreeMap<String, PathBuf>;

/// The folder of this workspace.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"))
}

/// A command without the variables in which cargo describes this program to itself. Some build scripts watch those
/// (that of `ring` does), and all that depends on them would be built anew each time.
#[must_use]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    #[expect(clippy::disallowed_methods, reason = "tests and tasks start programs")]
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let about_this_program = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"];
        if about_this_program.iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(&name);
        }
    }
    command
}

/// The cargo that runs this program.
#[must_use]
pub fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Builds what the arguments choose. `stderr` is where messages go; those that are piped become the error.
///
/// # Errors
/// When it does not build.
pub fn build(
    manifest: &Path,
    target: &Path,
    arguments: impl IntoIterator<Item: AsRef<OsStr>>,
    stderr: Stdio,
) -> Result<Built, String> {
    let printed = run("build", manifest, target, arguments, stderr)?;
    let mut built = Built::new();
    for line in printed.split(|&byte| byte == b'\n') {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        let (name, kinds) = (&message["target"]["name"], message["target"]["kind"].as_array());
        let wanted =
            kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "bin" || kind == "cdylib" || kind == "example"));
        let files = message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str).map(PathBuf::from);
        let file = message["executable"].as_str().map(PathBuf::from).or_else(|| {
            files.into_iter().find(|file| file.extension().is_some_and(|end| end == std::env::consts::DLL_EXTENSION))
        });
        if let (true, Some(name), Some(file)) = (wanted, name.as_str(), file) {
            built.insert(name.replace('-', "_"), file);
        }
    }
    Ok(built)
}

/// Runs cargo and answers what it printed, its own messages as JSON among it.
///
/// # Errors
/// When it fails: what was printed that is meant for people.
pub fn run(
    verb: &str,
    manifest: &Path,
    target: &Path,
    arguments: impl IntoIterator<Item: AsRef<OsStr>>,
    stderr: Stdio,
) -> Result<Vec<u8>, String> {
    let output = cargo()
        .args([verb, "--message-format=json-render-diagnostics", "--manifest-path"])
        .arg(manifest)
        .arg("--target-dir")
        .arg(target)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !output.status.success() {
        let printed = [&*output.stdout, &*output.stderr].map(String::from_utf8_lossy).join("\n");
        let told: Vec<_> = printed.lines().filter(|line| !line.starts_with('{')).collect();
        return Err(format!("`cargo {verb}` of `{}`:\n{}", manifest.display(), told.join("\n")).trim_end().to_owned());
    }
    Ok(output.stdout)
}
