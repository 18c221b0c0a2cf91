//! `hermes mcp` and `hermes mcp --http`: serves until the client goes away, or until it is stopped.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use serde_json::json;

use super::super::{Context, Exit, open};
use crate::error::Failure;
use crate::open::{Degraded, prepare};
use crate::surfaces::guard;
use crate::surfaces::mcp::{Door, Service, TOKEN};

/// Where it listens unless told otherwise.
const PORT: u16 = 8765;

/// How clients reach it.
#[derive(Debug, clap::Args)]
pub(super) struct How {
    /// Serve over HTTP, at this address of the machine; without one, on loopback
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1")]
    http: Option<IpAddr>,
    /// The port to listen on; 0 takes any free one
    #[arg(long, value_name = "PORT", requires = "http", default_value_t = PORT)]
    port: u16,
}

/// Serves.
pub(super) fn run(args: &How, context: &Context) -> Result<Exit, Failure> {
    let door = match args.http {
        Some(address) => Some(open_door(SocketAddr::new(address, args.port), context)?),
        None => {
            if context.ui.is_interactive() {
                context.ui.note("a client speaks to this command on stdin and stdout; Ctrl-C ends it");
                context.ui.note("hint: `hermes mcp install` sets a client up, `hermes mcp --http` serves several");
            }
            None
        }
    };
    prepare(&context.home, &context.config);
    let surroundings = context.surroundings()?;
    let (ui, hints, later) = (context.ui.clone(), context.hints(), context.copy());
    let service = Service {
        surroundings,
        reload: Arc::new(move || later.again()?.surroundings()),
        hints: Arc::new(context.hints()),
        tell: Arc::new(move |degraded: &Degraded| ui.warn(hints(&degraded.to_string()))),
    };
    let closed = match door {
        Some(door) => service.on_http(door),
        None => service.on_stdio(),
    }?;
    Ok(open::say_closed(&closed, &context.ui))
}

/// Takes the address and says how to connect. The token itself is never shown.
fn open_door(address: SocketAddr, context: &Context) -> Result<Door, Failure> {
    context.home.create()?;
    let token = guard::token(&mut context.load_secrets()?, TOKEN)?;
    let door = Door::open(address, token)?;
    // From now on it is masked in whatever is said.
    context.load_masked_secrets()?;
    let env_file = context.home.env_file();
    match context.json {
        true => context.ui.json(&json!({"url": door.url(), "token_variable": TOKEN, "env_file": env_file})),
        false => context.ui.out(door.url()),
    }
    let place = env_file.display();
    context
        .ui
        .note(format!("clients send `Authorization: Bearer` with the value of {TOKEN} in `{place}`; Ctrl-C ends this"));
    if address.ip() != IpAddr::V4(Ipv4Addr::LOCALHOST) && !address.ip().is_loopback() {
        context.ui.warn("others on the network can knock here, and read along: there is no encryption");
    }
    Ok(door)
}
