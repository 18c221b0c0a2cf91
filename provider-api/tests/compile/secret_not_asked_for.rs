//! A secret setting without its capability.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes, Manifest::new("notes").config(&[Field::secret("api_key", "NOTES_KEY", "Key")]));

fn main() {}
