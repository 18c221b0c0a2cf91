//! The type does not implement the trait.

use hermes_provider_api::{Manifest, export_provider};

struct Notes;

export_provider!(Notes, Manifest::new("notes"));

fn main() {}
