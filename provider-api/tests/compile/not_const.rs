//! The manifest is not a constant.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

fn manifest() -> Manifest {
    Manifest::new("notes")
}

export_provider!(Notes, manifest());

fn main() {}
