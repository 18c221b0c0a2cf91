//! `hermes memory`: the external provider.

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
    Err(Failure::new("`hermes memory` is not built yet"))
}
