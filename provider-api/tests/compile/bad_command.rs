//! A program is named by its path.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes, Manifest::new("notes").command(&["/usr/bin/git"]));

fn main() {}
