//! The host of a capability has a path.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes, Manifest::new("notes").http(&["https://notes.example/v1"]));

fn main() {}
