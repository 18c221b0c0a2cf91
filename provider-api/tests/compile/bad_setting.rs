//! The key of a setting has a blank.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

const MODE: Field = Field::new("my mode", FieldType::Text, "Where notes are kept");

export_provider!(Notes, Manifest::new("notes").config(&[MODE]));

fn main() {}
