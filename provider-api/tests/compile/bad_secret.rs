//! A secret is named in lower case.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes, Manifest::new("notes").secret(&["notes key"]));

fn main() {}
