//! The curated memory of a home in a temporary folder.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use hermes_provider_api::records::{Author, Caller, Context, Origin, Scope};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::config::MemoryNotifications as Notifications;

mod calls;
mod examine;
mod files;
mod gated;
mod import;
mod races;

/// 2026-01-01T00:00:00Z.
const NOW: u64 = 1_767_225_600_000;

struct Scene {
    folder: TempDir,
    curated: Curated,
    attempts: Attempts,
}

impl Scene {
    fn new() -> Self {
        Self::with(Settings::default())
    }

    fn with(settings: Settings) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), settings)
    }

    fn in_folder(folder: TempDir, settings: Settings) -> Self {
        let curated =
            Curated::of(&Home::at(folder.path().join("home")), settings, Checks::default(), Clock::fixed(NOW));
        Self { folder, curated, attempts: Attempts::default() }
    }

    fn small(chars: usize) -> Self {
        let mut settings = Settings::default();
        settings.memory.chars = chars;
        Self::with(settings)
    }

    fn write(&self, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.folder.path().join("home/memories")).unwrap();
        fs::write(self.curated.path(Target::Memory), bytes).unwrap();
    }

    fn read(&self) -> String {
        fs::read_to_string(self.curated.path(Target::Memory)).unwrap_or_default()
    }

    fn call(&mut self, arguments: Value) -> Value {
        self.call_as(Author::Assistant, Context::Primary, arguments)
    }

    fn call_as(&mut self, author: Author, context: Context, arguments: Value) -> Value {
        self.curated.call(Ok(&arguments), &caller(author, context), &mut self.attempts).value
    }

    #[track_caller]
    fn does(&mut self, arguments: Value) -> Value {
        let answer = self.call(arguments);
        assert_eq!(answer["success"], true, "{answer}");
        answer
    }

    fn add(&self, text: &str) -> Result<Outcome, Refusal> {
        let add = Operation::Add { content: text.to_owned() };
        self.curated.write(&Request::one(Target::Memory, add), &caller(Author::User, Context::Primary))
    }
}

fn caller(author: Author, context: Context) -> Caller {
    Caller { origin: Origin { author, session: "monday".to_owned(), at: NOW }, context, ..Caller::default() }
}
