//! Sources made by hand, read into an archive in memory.

mod chats;
mod databases;
mod files;
mod kept;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_provider_api::Secret;
use hermes_provider_api::records::Role;
use serde_json::Value;

use super::*;
use crate::db::Db;
use crate::guard::Redactor;
use crate::home::Home;
use crate::layers::episodic::search::Settings;
use crate::layers::episodic::{self, Archive, Filter};
use crate::secrets::Mask;

/// 2026-01-05 12:00:00 UTC.
const NOW: UnixMillis = 1_767_614_400_000;

/// An archive, and a folder with sources.
struct Bench {
    folder: tempfile::TempDir,
    db: Arc<Db>,
    defaults: Defaults,
    redacts: bool,
}

impl Bench {
    fn new() -> Self {
        let defaults = Defaults { profile: "default".to_owned(), ..Defaults::default() };
        let db = Arc::new(Db::in_memory().unwrap());
        Self { folder: tempfile::tempdir().unwrap(), db, defaults, redacts: true }
    }

    fn home(&self) -> Home {
        Home::at(self.folder.path().join("home"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("sources").join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    fn json(&self, name: &str, content: &Value) -> &Self {
        self.write(name, content.to_string())
    }

    fn try_import(&self, name: &str) -> Result<Report, ImportError> {
        self.import_from(&self.path(name), false)
    }

    fn import_from(&self, path: &Path, is_dry: bool) -> Result<Report, ImportError> {
        let redactor = self.redacts.then(|| Redactor::new(Mask::new([("PHRASE", Secret::new("correct horse"))])));
        let db = Some(self.db.clone());
        let mut importer = Importer::new(db, is_dry, redactor, Settings::default(), self.defaults.clone(), NOW, |_| ());
        read(path, &self.home(), &mut importer)?;
        importer.finish()
    }

    /// With nothing left out.
    #[track_caller]
    fn import(&self, name: &str) -> Report {
        let report = self.try_import(name).unwrap();
        assert_eq!(report.problems, [""; 0]);
        report
    }

    fn archive(&self) -> Archive {
        Archive::new(self.db.clone())
    }

    fn session(&self, id: &str) -> episodic::Session {
        self.archive().find(id).unwrap()
    }

    fn messages(&self, id: &str) -> Vec<NewMessage> {
        let messages = self.archive().messages(&self.session(id), 0, usize::MAX).unwrap();
        messages.into_iter().map(|message| message.said).collect()
    }

    /// Who said what.
    fn said(&self, id: &str) -> Vec<(Role, String)> {
        self.messages(id).into_iter().map(|said| (said.role, said.content)).collect()
    }

    fn names(&self) -> Vec<String> {
        let mut sessions = self.archive().list(&Filter::default()).unwrap();
        sessions.sort_by_key(|session| session.row);
        sessions.into_iter().map(|session| session.head.name).collect()
    }

    /// Everything in the archive.
    fn all(&self) -> Vec<(SessionHead, Vec<NewMessage>)> {
        let sessions = self.names().into_iter().map(|name| (self.session(&name).head, self.messages(&name)));
        sessions.collect()
    }
}

fn user(text: &str) -> (Role, String) {
    (Role::User, text.to_owned())
}

fn assistant(text: &str) -> (Role, String) {
    (Role::Assistant, text.to_owned())
}

fn tool(text: &str) -> (Role, String) {
    (Role::Tool, text.to_owned())
}
