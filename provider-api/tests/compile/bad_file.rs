//! A file capability does not say what for.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes, Manifest::new("notes").file(&["~/notes"]));

fn main() {}
