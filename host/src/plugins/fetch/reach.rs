//! Whether a server that archives come from is there.

use std::time::Duration;

use ureq::Agent;
use ureq::http::Request;

use crate::net::{Network, host};
use crate::plugins::catalog::Location;

/// A server that takes longer is as good as none.
const PATIENCE: Duration = Duration::from_secs(5);

/// The server of an archive, without credentials; None where it is no web address.
#[must_use]
pub fn server(location: &Location) -> Option<String> {
    match location {
        Location::Url(url) if url.starts_with("https://") => Some(host(url)),
        _ => None,
    }
}

/// Asks a server for nothing in particular; whatever it answers, it is there.
///
/// # Errors
/// Why there is no secure connection to it, for a person.
pub fn reach(server: &str) -> Result<(), String> {
    let config = Network::of_process().map_err(|error| error.to_string())?.agent("https");
    let agent: Agent = config.https_only(true).max_redirects(0).timeout_global(Some(PATIENCE)).build().into();
    let request = Request::head(format!("https://{server}/")).body(());
    let request = request.map_err(|_| "the address is not valid".to_owned())?;
    agent.run(request).map(drop).map_err(|error| error.to_string())
}
