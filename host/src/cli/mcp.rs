//! `hermes mcp`: the memory for any client of the Model Context Protocol.

use std::sync::Arc;

use super::{Context, Exit, open};
use crate::error::Failure;
use crate::open::{Degraded, prepare};
use crate::surfaces::mcp;

/// Serves one client.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A client starts this command by itself and speaks to it on stdin and stdout.
It ends with the client, whose settings, for example those of Claude Desktop or Claude Code, hold:

  {\"mcpServers\": {\"hermes\": {\"command\": \"hermes\", \"args\": [\"mcp\"]}}}

The client's name is the platform of what is learnt, its first root the project.

Examples:
  hermes mcp
  hermes mcp --home ~/.hermes-work --verbose")]
pub struct Args {}

/// Serves one client until it goes away.
///
/// # Errors
/// When the memory's surroundings cannot be read, or the client does not speak the protocol.
pub fn run(Args {}: Args, context: &Context) -> Result<Exit, Failure> {
    if context.ui.is_interactive() {
        context.ui.note("a client speaks to this command on stdin and stdout; Ctrl-C ends it");
    }
    prepare(&context.home, &context.config);
    let surroundings = context.surroundings()?;
    let (ui, hints) = (context.ui.clone(), context.hints());
    let tell = move |degraded: &Degraded| ui.warn(hints(&degraded.to_string()));
    let closed = mcp::serve(surroundings, Arc::new(context.hints()), Arc::new(tell))?;
    Ok(open::say_closed(&closed, &context.ui))
}
