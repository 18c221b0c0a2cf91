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
