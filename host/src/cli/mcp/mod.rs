//! `hermes mcp`: the memory for any client of the Model Context Protocol.

mod install;
mod serve;

use super::{Context, Exit};
use crate::error::Failure;

/// Serves clients, or sets them up.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
A client starts this command by itself and speaks to it on stdin and stdout; it ends with the client.
`hermes mcp install` writes that into the client's settings.

With `--http` it serves any number of clients until it is stopped, each with a session of its own. They have to send
`Authorization: Bearer` with the token of `HERMES_MCP_TOKEN`, which is made at first use and kept in `.env`. No web page
is let in.

The client's name is the platform of what is learnt, its first root the project.
When a provider is installed, switched or set up in another way, the memory is opened anew and the clients are told.

Examples:
  hermes mcp install claude-code
  hermes mcp --profile work --verbose
  hermes mcp --http --port 8765"
)]
pub struct Args {
    #[command(flatten)]
    how: serve::How,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Put the memory into the settings of a client; without a name, list the clients that are here
    Install(install::Install),
}

/// Does what was asked.
///
/// # Errors
/// When the memory's surroundings cannot be read, the client does not speak the protocol, the address is taken, or the
/// settings of a client cannot be changed.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.action {
        Some(Action::Install(install)) => install::run(&install, context),
        None => serve::run(&args.how, context),
    }
}
