//! What fits: it keeps each rule that another case breaks, in whichever order and module.

#[path = "../notes/mod.rs"]
mod notes;

mod elsewhere {
    use super::notes::*;

    export_provider!(
        Notes,
        Manifest::new("notes-2")
            .config(&[
                Field::secret("api_key", "NOTES_KEY", "Key"),
                Field::new("base_url", FieldType::Url, "Address").env("NOTES_URL"),
            ])
            .secret(&["NOTES_KEY"])
            .requires_host(">=0.1, <2")
            .http(&["https://notes.example:8443", "http://[::1]:80", "config:base_url"])
            .command(&["python3.11"])
            .file(&["read:notes_dir", "write:notes_dir"])
            .interfaces(&[Interface::Prefetch]),
    );
}

fn main() {}
