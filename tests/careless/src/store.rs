//! Notes in one JSON file, read and written as a whole under a lock.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hermes_provider_api::records::{Caller, RecallItem, Scope};
use hermes_provider_api::{Host, ProviderError, Result};
use serde::{Deserialize, Serialize};

/// One note.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Note {
    pub(crate) id: u64,
    pub(crate) text: String,
    scope: Scope,
    at: u64,
    deleted: bool,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default)]
struct Notes {
    last: u64,
    keys: BTreeSet<String>,
    notes: Vec<Note>,
}

/// The file, and which mistake is made with it.
pub(crate) struct Store {
    folder: PathBuf,
    mistake: String,
    /// What is not written yet, for those who write at exit.
    late: Mutex<Option<Notes>>,
}

/// For those who keep in the process what belongs into the folder.
static SHARED: Mutex<Option<Notes>> = Mutex::new(None);

impl Store {
    pub(crate) fn open(host: &Host, mistake: &str) -> Result<Self> {
        let folder = host.data_dir()?;
        if mistake == "writes beside its folder" {
            let above = folder.parent().unwrap_or(Path::new("."));
            fs::write(above.join("notes.bak"), "[]").map_err(storage)?;
        }
        if mistake == "allows one process"
            && let Err(error) = File::create(folder.join("only.lock")).and_then(|file| {
                // Kept until the process ends: nobody gives it back.
                let locked = file.try_lock();
                std::mem::forget(file);
                locked.map_err(|_| std::io::ErrorKind::ResourceBusy.into())
            })
        {
            return Err(ProviderError::storage(format!("another process has the notes: {error}")));
        }
        Ok(Self { folder, mistake: mistake.to_owned(), late: Mutex::default() })
    }

    fn path(&self) -> PathBuf {
        self.folder.join("notes.json")
    }

    fn load(&self) -> Result<Notes> {
        if self.mistake == "keeps a static" {
            return Ok(SHARED.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default());
        }
        if let Some(late) = &*self.late.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(late.clone());
        }
        match fs::read(self.path()) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(storage),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Notes::default()),
            Err(error) => Err(storage(error)),
        }
    }

    fn save(&self, notes: &Notes) -> Result<()> {
        match self.mistake.as_str() {
            "keeps a static" => *SHARED.lock().unwrap_or_else(PoisonError::into_inner) = Some(notes.clone()),
            "writes at exit" => *self.late.lock().unwrap_or_else(PoisonError::into_inner) = Some(notes.clone()),
            _ => self.write(notes)?,
        }
        Ok(())
    }

    /// A reader sees the old file or the new one: it is written beside it and takes its place.
    fn write(&self, notes: &Notes) -> Result<()> {
        let beside = self.folder.join(format!("notes.{:?}.new", std::thread::current().id()));
        fs::write(&beside, serde_json::to_vec(notes).map_err(storage)?).map_err(storage)?;
        #[expect(clippy::disallowed_methods, reason = "a plain provider has no helper of the host's")]
        fs::rename(&beside, self.path()).map_err(storage)
    }

    /// Writes what is not written yet.
    pub(crate) fn flush(&self) -> Result<()> {
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner).take();
        late.map_or(Ok(()), |notes| self.write(&notes))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Notes) -> T) -> Result<T> {
        let lock = File::create(self.folder.join("notes.lock")).map_err(storage)?;
        if self.mistake == "writes without a lock" {
            // Long enough for the other process to read what is about to be replaced.
            let mut notes = self.load()?;
            std::thread::sleep(Duration::from_millis(20));
            let done = change(&mut notes);
            self.save(&notes)?;
            return Ok(done);
        }
        lock.lock().map_err(storage)?;
        let mut notes = self.load()?;
        let done = change(&mut notes);
        self.save(&notes)?;
        Ok(done)
    }

    /// Stores a text, once for each key; an empty key stands for the text. Answers whether it was there before.
    pub(crate) fn add(&self, who: &Caller, key: &str, text: &str) -> Result<(u64, bool)> {
        let doubles = self.mistake == "stores deliveries twice";
        self.change(|notes| {
            let same = |note: &&Note| note.text == text && note.scope == who.scope && !note.deleted;
            let known = if key.is_empty() { None } else { notes.keys.get(key) };
            if let (Some(note), false) = (notes.notes.iter().find(same), doubles) {
                return (note.id, true);
            }
            if known.is_some() && !doubles {
                return (0, true);
            }
            notes.last += 1;
            if !key.is_empty() {
                notes.keys.insert(key.to_owned());
            }
            let (id, scope) = (notes.last, who.scope.clone());
            notes.notes.push(Note { id, text: text.to_owned(), scope, at: who.origin.at, deleted: false });
            (id, false)
        })
    }

    /// Takes notes away.
    pub(crate) fn remove(&self, who: &Caller, which: impl Fn(&Note) -> bool) -> Result<bool> {
        let anybody = self.mistake == "lets anybody delete";
        let hides = self.mistake == "hides what is deleted";
        self.change(|notes| {
            let before = notes.notes.iter().filter(|note| !note.deleted).count();
            for note in &mut notes.notes {
                note.deleted |= which(note) && (anybody || note.scope.visible_to(&who.scope));
            }
            if !hides {
                notes.notes.retain(|note| !note.deleted);
            }
            notes.notes.iter().filter(|note| !note.deleted).count() < before
        })
    }

    /// What somebody may see, newest first.
    pub(crate) fn seen_by(&self, who: &Caller) -> Result<Vec<Note>> {
        let all = self.mistake == "forgets scopes";
        let mut notes = self.load()?.notes;
        notes.retain(|note| (all || note.scope.visible_to(&who.scope)) && !note.deleted);
        notes.sort_by_key(|note| std::cmp::Reverse((note.at, note.id)));
        Ok(notes)
    }

    /// What a recall or a tool looks through, which may be more than it should be.
    pub(crate) fn searched(&self, who: &Caller, by_tool: bool) -> Result<Vec<Note>> {
        let mut notes = self.seen_by(who)?;
        if self.mistake == "hides what is deleted" {
            notes.extend(self.load()?.notes.into_iter().filter(|note| note.deleted));
        }
        if by_tool && self.mistake == "searches for everybody" {
            notes = self.load()?.notes;
        }
        Ok(notes)
    }
}

/// A note as a host wants it.
pub(crate) fn item(note: &Note) -> RecallItem {
    RecallItem {
        id: note.id.to_string(),
        text: note.text.clone(),
        scope: Some(note.scope.clone()),
        ..RecallItem::default()
    }
}

fn storage(error: impl std::fmt::Display) -> ProviderError {
    ProviderError::storage(error.to_string())
}
