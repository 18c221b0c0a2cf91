//! The range of host versions cannot be read.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

const MANIFEST: Manifest = Manifest::new("notes").requires_host("0.1 or newer");

export_provider!(Notes, MANIFEST);

fn main() {}
