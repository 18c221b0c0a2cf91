//! The fuzzer, for a bounded time: built with the compiler that is there, without `cargo fuzz`.
//!
//! Coverage is a matter of LLVM, which any compiler switches on; only a sanitizer would need a nightly one, and the code
//! under test is safe Rust.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_tests::hostile::TARGETS;

use crate::cargo::{self, command};
use crate::{Result, say};

/// What libFuzzer needs to see where an input leads: counters, the values of comparisons, and no shortcuts.
const COVERAGE: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
];

/// Fuzzes each target for so many seconds.
pub(crate) fn run(secs: u32, targets: &[String]) -> Result<()> {
    let known = || TARGETS.map(|(name, _)| name);
    if let Some(unknown) = targets.iter().find(|target| !known().contains(&target.as_str())) {
        return Err(format!("there is no target `{unknown}`; the targets are {}", known().join(", ")));
    }
    let programs = build()?;
    let chosen = known().into_iter().filter(|name| targets.is_empty() || targets.iter().any(|target| target == name));
    for target in chosen {
        fuzz(target, &programs.join(target), secs)?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    cargo::root().join("tests/fuzz")
}

/// Builds all targets and answers the folder that they are in.
fn build() -> Result<PathBuf> {
    if !has_compiler() {
        return Err("libFuzzer is C++, and there is no `c++`: `apt-get install g++`".to_owned());
    }
    // The same versions as everywhere; cargo adds what only the fuzzer has.
    let lock = folder().join("Cargo.lock");
    fs::copy(cargo::root().join("Cargo.lock"), &lock).map_err(|error| format!("`{}`: {error}", lock.display()))?;
    let triple = hermes_provider_api::metadata::TARGET;
    let target_dir = cargo::target_dir().join("fuzz");
    say("building the fuzz targets");
    // With a triple, the flags are not for build scripts and macros, which have no counters to link with.
    let status = hermes_tests::cargo::cargo()
        .args(["build", "--release", "--bins", "--target", triple, "--manifest-path"])
        .arg(folder().join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target_dir)
        .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\u{1f}"))
        .status()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !status.success() {
        return Err("the fuzz targets do not build".to_owned());
    }
    Ok(target_dir.join(triple).join("release"))
}

fn has_compiler() -> bool {
    let name = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    command(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|done| done.success())
}

fn fuzz(target: &str, program: &Path, secs: u32) -> Result<()> {
    let made = |path: PathBuf| match fs::create_dir_all(&path) {
        Ok(()) => Ok(path),
        Err(error) => Err(format!("`{}`: {error}", path.display())),
    };
    let found = made(cargo::target_dir().join("fuzz/corpus").join(target))?;
    let artifacts = made(cargo::target_dir().join("fuzz/artifacts").join(target))?;
    let temporary = tempfile::Builder::new().prefix("hermes-fuzz-").tempdir_in(memory());
    let temporary = temporary.map_err(|error| format!("no temporary folder: {error}"))?;
    say(&format!("fuzzing `{target}` for {secs} s"));
    let mut fuzzer: Command = command(program);
    fuzzer
        .arg(format!("-max_total_time={secs}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        // An input that takes ten seconds or half a GiB is a finding.
        .args(["-timeout=10", "-rss_limit_mb=512", "-print_final_stats=1", "-verbosity=0"])
        // What is new goes into the first folder; the seeds are only read.
        .arg(&found)
        .arg(folder().join("corpus").join(target))
        .env("TMPDIR", temporary.path());
    let output = fuzzer.output().map_err(|error| format!("`{}`: {error}", program.display()))?;
    let told = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        let inputs = told.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        say(&format!("{} inputs, and nothing found", inputs.unwrap_or("an unknown number of").trim()));
        return Ok(());
    }
    say(told.trim_end());
    Err(format!(
        "`{target}` found an input that breaks a promise, in `{}`; put it into `tests/fuzz/corpus/{target}` as \
         `bad-<what it is>` or `ok-<what it is>`, and `cargo test --package hermes-tests --test hostile` shows it again",
        artifacts.display()
    ))
}

/// Files are made and removed thousands of times in a second: in memory where there is a folder for that.
fn memory() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}
