//! A setting is read from a variable that looks like a secret.

#[path = "notes/mod.rs"]
mod notes;
use notes::*;

export_provider!(
    Notes,
    Manifest::new("notes").config(&[Field::new("token", FieldType::Text, "Token").env("NOTES_TOKEN")])
);

fn main() {}
