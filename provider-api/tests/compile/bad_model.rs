//! A model is asked for vectors or answers, and for nothing else.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes, Manifest::new("notes").model(&["embed:semantic"]));

fn main() {}
