//! The manifest is missing.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes);

fn main() {}
