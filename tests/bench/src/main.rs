//! Measures what `BENCHMARKS.md` tells, with programs and plugins that are built already. `cargo xtask bench` builds
//! them, runs this, and writes the tables.

mod calls;
mod load;
mod loading;
mod outbox;
mod programs;
mod recall;
mod samples;
mod sessions;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

/// What this stops with: one sentence.
type Result<T, E = String> = std::result::Result<T, E>;

#[derive(Parser)]
struct Options {
    /// The `hermes` program
    #[arg(long)]
    hermes: PathBuf,
    /// The library of the provider that does nothing
    #[arg(long)]
    echo: PathBuf,
    /// The library of holographic
    #[arg(long)]
    holographic: PathBuf,
    /// Fewer runs
    #[arg(long)]
    quick: bool,
    /// Only the part of this name
    #[arg(long)]
    only: Option<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().collect();
    let words: Vec<_> = arguments.iter().skip(1).map(String::as_str).collect();
    let done = match words[..] {
        [calls::PIPE_ARGUMENT] => calls::other_end().map_err(|error| error.to_string()),
        [programs::LOAD_ARGUMENT, loader, home, hermes] => {
            programs::load(loader, home.as_ref(), hermes.as_ref()).map(|took| print(&took.as_nanos().to_string()))
        }
        [load::ARGUMENT, hermes, catalog, streams, words, seconds] => {
            load::measure(hermes.as_ref(), catalog.as_ref(), [streams, words, seconds]).map(|table| print(&table))
        }
        [sessions::ARGUMENT, messages] => sessions::measure(messages, None).map(|table| print(&table)),
        [sessions::ARGUMENT, messages, folder] => sessions::measure(messages, Some(folder)).map(|table| print(&table)),
        _ => measure(&Options::parse()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("error: {message}"));
            ExitCode::FAILURE
        }
    }
}

fn measure(options: &Options) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("hermes-bench-").tempdir().map_err(|error| error.to_string())?;
    let mut measured = Vec::new();
    for (what, measure) in PARTS.iter().filter(|(name, _)| options.only.as_ref().is_none_or(|only| only == name)) {
        say(&format!("measuring {what}"));
        measured.extend(measure(options, folder.path())?);
    }
    print(&serde_json::to_string(&measured).map_err(|error| error.to_string())?);
    Ok(())
}

type Part = fn(&Options, &Path) -> Result<Vec<samples::Measured>>;

const PARTS: [(&str, Part); 4] = [
    ("calls and turns", calls::measure),
    ("the outbox", outbox::measure),
    ("starts and loads", programs::measure),
    ("recall", recall::measure),
];

fn print(line: &str) {
    #[expect(clippy::print_stdout, reason = "what was measured")]
    {
        println!("{line}");
    }
}

fn say(line: &str) {
    #[expect(clippy::print_stderr, reason = "a task talks to a person")]
    {
        eprintln!("{line}");
    }
}
