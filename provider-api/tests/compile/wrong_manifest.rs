//! The manifest is of another type.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes, "notes");

fn main() {}
