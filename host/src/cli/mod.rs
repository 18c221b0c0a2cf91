//! The command line of `hermes`: one file for each noun, and the frame that they stand in.
//!
//! Data goes to stdout and everything else to stderr. The exit status is 0, 1 when something could not be done, or 2
//! when it was not asked rightly; a reader that closes its pipe is no failure.

pub mod chat;
pub mod config;
mod context;
pub mod doctor;
mod editor;
mod log;
pub mod logs;
pub mod man;
pub mod mcp;
pub mod memory;
pub mod open;
pub mod plugins;
pub mod profiles;
pub mod proxy;
pub mod replay;
pub mod sessions;
mod surroundings;
pub mod tools;
pub mod ui;

pub use context::{Context, Env};
pub use ui::Ui;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::error::Failure;

/// How a command ended that said all there was to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Status 0.
    Success,
    /// Status 1, with what is wrong already shown.
    Failed,
}

/// A memory host for AI agents.
#[derive(Debug, clap::Parser)]
#[command(
    name = "hermes",
    version,
    propagate_version = true,
    after_help = "\
Examples:
  hermes memory setup holographic
  hermes memory remember \"Vera's dog Biscuit is allergic to chicken\"
  hermes memory recall \"What can I buy for Biscuit?\"
  hermes memory status

Exit status: 0 ok, 1 failed, 2 wrong usage."
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    noun: Noun,
}

/// The flags that every command takes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// The home folder; otherwise `HERMES_HOME`, otherwise `~/.hermes`
    #[arg(long, global = true, value_name = "DIR")]
    home: Option<PathBuf>,
    /// A profile of the home; otherwise `HERMES_PROFILE`, otherwise `default`, the home itself
    #[arg(long, global = true, value_name = "NAME")]
    profile: Option<String>,
    /// A catalog to use in place of all others; may be given several times
    #[arg(long = "catalog", global = true, value_name = "DIR")]
    catalogs: Vec<PathBuf>,
    /// Install nothing from the network; what a provider does there is its own setting
    #[arg(long, global = true)]
    offline: bool,
    /// Print JSON, and ask nothing
    #[arg(long, global = true)]
    json: bool,
    /// Say more
    #[arg(short, long, global = true)]
    verbose: bool,
    /// When to use colours; `NO_COLOR` is honoured
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: clap::ColorChoice,
}

#[derive(Debug, clap::Subcommand)]
enum Noun {
    /// Install, list and remove plugins
    Plugins(plugins::Args),
    /// Set up and look at the memory provider
    Memory(memory::Args),
    /// List, read and tidy up the recorded conversations
    Sessions(sessions::Args),
    /// Talk to your own model, with the memory in the conversation
    Chat(chat::Args),
    /// List and call the tools that a model would see
    Tools(tools::Args),
    /// Run a recorded conversation and show what the model would be given
    Replay(replay::Args),
    /// Serve the memory to clients of the Model Context Protocol, and set them up
    Mcp(mcp::Args),
    /// Give any application that speaks to OpenAI's API a memory
    Proxy(proxy::Args),
    /// Read and change the settings
    Config(config::Args),
    /// List, make and remove profiles: homes of their own below the home
    Profiles(profiles::Args),
    /// Look at everything, and say what to do about what is wrong
    Doctor(doctor::Args),
    /// Print the log of what went on in the background
    Logs(logs::Args),
    /// Print the completions of a shell
    Completions {
        /// For this shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of a command, or write all of them
    Man(man::Args),
}

/// Runs the program with its arguments, the program's name first.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    // Whatever is created is for the user alone, also by libraries that choose no mode.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help that nobody reads to its end is no failure.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let ui = Ui::new(&cli.global);
    log::allow(&ui);
    ExitCode::from(finish(&ui, execute(cli, Env::process(), &ui)))
}

fn execute(cli: Cli, env: Env, ui: &Ui) -> Result<Exit, Failure> {
    let Cli { global, noun } = cli;
    match noun {
        Noun::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "hermes", &mut script);
            ui.out(String::from_utf8_lossy(&script).trim_end());
            Ok(Exit::Success)
        }
        Noun::Man(args) => man::run(&args, Cli::command(), ui, global.json),
        // It reads the settings itself: `config set` must be able to repair a file that cannot be read.
        Noun::Config(args) => config::run(args, &Context::without_config(global, env, ui)?),
        // What is wrong with the settings is one of its findings.
        Noun::Doctor(args) => doctor::run(&args, Context::without_config(global, env, ui)?),
        // It is asked for when something is wrong, perhaps with the settings.
        Noun::Logs(args) => logs::run(&args, &Context::without_config(global, env, ui)?),
        // A profile that is not there can be made.
        Noun::Profiles(args) => profiles::run(args, &Context::of_any_profile(global, env, ui)?),
        Noun::Plugins(args) => plugins::run(args, &Context::open(global, env, ui)?),
        Noun::Memory(args) => memory::run(args, &Context::open(global, env, ui)?),
        Noun::Sessions(args) => sessions::run(args, &Context::open(global, env, ui)?),
        Noun::Tools(args) => tools::run(args, &Context::open(global, env, ui)?),
        Noun::Mcp(args) => mcp::run(args, &Context::open(global, env, ui)?),
        Noun::Chat(args) => chat::run(args, &Context::open(global, env, ui)?),
        Noun::Proxy(args) => proxy::run(args, &Context::open(global, env, ui)?),
        Noun::Replay(args) => replay::run(args, &Context::open(global, env, ui)?),
    }
}

/// This program, which is started again as a worker.
fn executable() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| Failure::new(format!("the program does not know where it lies: {error}")))
}

/// What is wrong with a text that is one line of many: the parser counts lines for itself, and knows only this one.
fn in_one_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

/// `1 error`, `2 errors`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The same of a number that was counted elsewhere.
fn counted_of(count: u64, noun: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), noun)
}

/// Shows what failed, and chooses the exit status.
fn finish(ui: &Ui, outcome: Result<Exit, Failure>) -> u8 {
    let outcome = match (outcome, ui.output_error()) {
        (Ok(_), Some(error)) => Err(Failure::new(format!("cannot write the output: {error}"))),
        (outcome, _) => outcome,
    };
    match outcome {
        Ok(Exit::Success) => 0,
        Ok(Exit::Failed) => 1,
        Err(failure) => {
            ui.failure(&failure);
            if failure.usage { 2 } else { 1 }
        }
    }
}

#[cfg(test)]
mod tests;
