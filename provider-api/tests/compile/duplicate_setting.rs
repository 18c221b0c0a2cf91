//! Two settings have one key.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(
    Notes,
    Manifest::new("notes").config(&[
        Field::new("mode", FieldType::Text, "Where notes are kept"),
        Field::new("limit", FieldType::Integer, "Notes per message"),
        Field::new("mode", FieldType::Boolean, "Whether it is fast"),
    ])
);

fn main() {}
