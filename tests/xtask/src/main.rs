//! `cargo xtask`: tasks of this repository that are not cargo's.

mod bench;
mod cargo;
mod crash;
mod dist;
mod fuzz;
mod guard;
mod install;
mod quality;
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
    #[command(args_conflicts_with_subcommands = true)]
    Bench {
        #[command(subcommand)]
        of: Option<BenchOf>,
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
    /// Measure whether the local memory finds the right fact, the search over sessions the right message, or the threat scan
    /// what attacks, and print the tables; data that is not there is skipped
    Quality {
        /// What is measured
        #[arg(value_parser = ["memory", "guard", "sessions"], default_value = "memory")]
        of: String,
        /// The folder with facts and queries
        #[arg(long, value_name = "DIR", default_value = "../shared/quality/dev")]
        data: PathBuf,
        /// The folder with LoCoMo and XQuAD
        #[arg(long, value_name = "DIR", default_value = "../shared/bench")]
        bench: PathBuf,
        /// Of the memory only facts, locomo or xquad
        #[arg(long)]
        only: Option<String>,
        /// Tell each question whose answer was not found, and each text of the development half that was misjudged
        #[arg(long)]
        misses: bool,
        /// Find by meaning too, with the model that answers at this address; `tests/quality/embeddings.py` serves one
        #[arg(long, value_name = "URL")]
        embeddings: Option<String>,
    },
    /// Kill conversations at random moments and check that all that was accepted is delivered, in order, once
    CrashTest {
        /// How often
        #[arg(long, default_value_t = 5000)]
        kills: u32,
        /// The seed of what is random, to see the same again [default: another each time]
        #[arg(long)]
        seed: Option<u64>,
        /// Cut the power instead: what was not synced is gone, or but for a random part
        #[arg(long)]
        power_cuts: bool,
    },
    /// Look for bytes that break what must hold for any bytes: sections, libraries, archives, catalogs, lockfiles, texts
    Fuzz {
        /// How long each target is fuzzed
        #[arg(long, default_value_t = 60)]
        secs: u32,
        /// Which targets [default: all]
        targets: Vec<String>,
    },
}

#[derive(Subcommand)]
enum BenchOf {
    /// Put `hermes proxy` under load, beside the model's server alone, and print a table
    Proxy {
        /// How many answers are streamed at once
        #[arg(long, default_value_t = 200)]
        streams: usize,
        /// How many words an answer has, one each 25 ms
        #[arg(long, default_value_t = 200)]
        words: usize,
        /// For how long
        #[arg(long, default_value_t = 60)]
        secs: u64,
        /// Build unoptimised, which is quicker, to try it
        #[arg(long)]
        dev: bool,
    },
    /// Measure the archive of sessions with many messages and print a table
    Sessions {
        /// How many messages there are
        #[arg(long, default_value_t = 200_000)]
        messages: usize,
        /// A folder for them, to ask the same ones again [default: a throw-away one]
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
        /// The folder of the Python peer's scripts; a peer that does not run is skipped
        #[arg(long, value_name = "DIR", default_value = "../shared/bench/peer")]
        peer: PathBuf,
        /// The Python that has the peer installed
        #[arg(long, value_name = "FILE", default_value = "python3")]
        python: PathBuf,
    },
    /// Measure holographic with many facts and print a table
    Holographic {
        /// How many facts there are
        #[arg(long, default_value_t = 10_000)]
        facts: usize,
        /// How often each question is asked
        #[arg(long, default_value_t = 200)]
        runs: usize,
        /// A folder for the facts, to ask the same ones again [default: a throw-away one]
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
        /// The folder of the Python peer's scripts; a peer that does not run is skipped
        #[arg(long, value_name = "DIR", default_value = "../shared/bench/peer")]
        peer: PathBuf,
        /// The Python that has the peer installed
        #[arg(long, value_name = "FILE", default_value = "python3")]
        python: PathBuf,
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
        Task::Bench { of: Some(BenchOf::Holographic { facts, runs, folder, peer, python }), .. } => {
            let peer = bench::Peer { scripts: peer, python };
            bench::facts(facts, runs, folder.as_deref(), &peer).map(|table| print(&table))
        }
        Task::Bench { of: Some(BenchOf::Proxy { streams, words, secs, dev }), .. } => {
            let profile = if dev { cargo::Profile::Dev } else { cargo::Profile::Release };
            bench::proxy(streams, words, secs, profile).map(|table| print(&table))
        }
        Task::Bench { of: Some(BenchOf::Sessions { messages, folder, peer, python }), .. } => {
            let peer = bench::Peer { scripts: peer, python };
            bench::sessions(messages, folder.as_deref(), &peer).map(|table| print(&table))
        }
        Task::Bench { of: None, quick, peer, python } => {
            bench::run(quick, peer.map(|scripts| bench::Peer { scripts, python }).as_ref())
        }
        Task::Quality { of, misses, .. } if of == "guard" => guard::run(misses),
        Task::Quality { of, data, bench, only, misses, embeddings } => {
            // The memory is what is measured but for that.
            let only = if of == "sessions" { Some(of) } else { only };
            quality::run(&data, &bench, only.as_deref(), misses, embeddings.as_deref())
        }
        Task::CrashTest { kills, seed, power_cuts } => crash::run(kills, seed, power_cuts),
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

fn print(text: &str) {
    #[expect(clippy::print_stdout, reason = "the table is what it is for")]
    {
        println!("{text}");
    }
}

/// Tells the person at the terminal.
fn say(line: &str) {
    #[expect(clippy::print_stderr, reason = "a task talks to a person")]
    {
        eprintln!("{line}");
    }
}
