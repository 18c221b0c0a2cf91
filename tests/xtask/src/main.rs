//! `cargo xtask`: tasks of this repository that are not cargo's.

mod cargo;
mod dist;
mod install;
mod quickstart;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What a task stops with: one sentence.
type Result<T, E = String> = std::result::Result<T, E>;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of this repository that are not cargo's")]
struct Xtask {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build every provider and write a complete catalog with artifacts and pins
    Dist {
        /// Where the catalog goes [default: target/catalog]
        #[arg(long)]
        out: Option<PathBuf>,
        /// Build optimised, as for users
        #[arg(long)]
        release: bool,
    },
    /// Build, install the first provider in a throw-away home, and run a conversation through it
    Quickstart,
    /// Put `hermes`, the catalog, manual and completions where they are found: below PREFIX, in `bin` and `share`
    Install {
        /// Such as ~/.local or /usr/local
        #[arg(long)]
        prefix: PathBuf,
        /// Build unoptimised, which is quicker, to try it
        #[arg(long)]
        dev: bool,
    },
}

fn main() -> ExitCode {
    let done = match Xtask::parse().task {
        Task::Dist { out, release } => {
            let profile = if release { cargo::Profile::Release } else { cargo::Profile::Dev };
            dist::run(&out.unwrap_or_else(|| cargo::target_dir().join("catalog")), profile)
        }
        Task::Quickstart => quickstart::run(),
        Task::Install { prefix, dev } => {
            install::run(&prefix, if dev { cargo::Profile::Dev } else { cargo::Profile::Release })
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("error: {message}"));
            ExitCode::FAILURE
        }
    }
}

/// Tells the person at the terminal.
fn say(line: &str) {
    #[expect(clippy::print_stderr, reason = "a task talks to a person")]
    {
        eprintln!("{line}");
    }
}
