//! The version is none.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

const MANIFEST: Manifest = Manifest::new("notes").version("1.0");

export_provider!(Notes, MANIFEST);

fn main() {}
