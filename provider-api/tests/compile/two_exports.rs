//! Two exports in one crate, in two modules.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(Notes, Manifest::new("notes"));

mod other {
    use super::notes::*;

    export_provider!(Notes, Manifest::new("other"));
}

fn main() {}
