//! The id breaks the rule.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes, Manifest::new("My Notes"));

fn main() {}
