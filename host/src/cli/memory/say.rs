//! stub
use crate::cli::{Context, Exit};
use crate::error::Failure;
pub(super) fn recall(_text: &str, _context: &Context) -> Result<Exit, Failure> {
    Ok(Exit::Failed)
}
pub(super) fn remember(_text: &str, _context: &Context) -> Result<Exit, Failure> {
    Ok(Exit::Failed)
}
