//! `cargo xtask`: tasks of this repository that are not cargo's.

mod bench;
mod cargo;
mod dist;
mod fuzz;
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
    /// Measure an optimised build and write the tables of BENCHMARKS.md
    Bench {
        /// Fewer runs
        #[arg(long)]
        quick: bool,
        /// The folder of the Python peer's scripts, to measure it in the same run
        #[arg(long, value_name = "DIR")]
        peer: Option<PathBuf>,
        /// The Python that has the peer installed
        #[arg(long, value_name = "FILE", default_value = "python3", requires = "peer")]
        python: PathBuf,
    },
    /// Look for bytes that break what must hold for any bytes: sections, libraries, archives, catalogs, lockfiles
    Fuzz {
        /// How long each target is fuzzed
        #[arg(long, default_value_t = 60)]
        secs: u32,
        /// Which targets [default: all]
        targets: Vec<String>,
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
        Task::Bench { quick, peer, python } => {
            bench::run(quick, peer.map(|scripts| bench::Peer { scripts, python }).as_ref())
        }
        Task::Fuzz { secs, targets } => fuzz::run(secs, &targets),
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
