//! `hermes plugins`: what is installed.

use super::{Context, Exit};
use crate::error::Failure;

/// Nothing yet.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Does what was asked.
///
/// # Errors
/// Always, so far.
pub fn run(_args: Args, _context: &Context) -> Result<Exit, Failure> {
    Err(Failure::new("`hermes plugins` is not built yet"))
}

/// stub
pub(super) fn install_for(
    _: &Context,
    _: &crate::open::Surroundings,
    _: &crate::plugins::catalog::Catalogs,
    _: &str,
    _: bool,
) -> Result<Option<()>, Failure> {
    Ok(None)
}
