//! Changes the settings of a client, or looks at them.

use std::path::{Path, PathBuf};

use super::entry::{Replace, edited, edited_text, entry_in};
use super::{Action, Client, ClientError, Entry, Place};
use crate::home::files;

/// The longest file that is looked at: Claude Code keeps histories in it.
const LONGEST: u64 = 64 << 20;
/// How often another program may write the file at the same moment.
const TRIES: u32 = 5;
/// Behind the name of what stood in the file before.
const BEFORE: &str = ".before-hermes";

/// What became of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was so already.
    None,
    /// It was made.
    Made,
    /// It was changed.
    Changed {
        /// Where what stood there before is kept.
        before: PathBuf,
    },
}

/// How a client stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The client does not seem to be there.
    NoClient,
    /// It is there and does not know of hermes.
    NotSetUp,
    /// It starts hermes in this way.
    SetUp,
    /// It starts hermes, or another server of the name, in another way.
    Otherwise,
}

/// Changes the file. One that is not understood is not touched, and one that is not there is made only where the client
/// is, or with `force`.
///
/// # Errors
/// When the client is not there, or its file cannot be read, understood or written.
pub fn change(client: Client, place: &Place, action: Action<'_>, force: bool) -> Result<Change, ClientError> {
    for _ in 0..TRIES {
        let Some(old) = files::read_foreign_text(&place.file, LONGEST)? else {
            return make(client, place, action, force);
        };
        let Some(new) = edited(client, place, &old, action)? else { return Ok(Change::None) };
        let before = before(&place.file);
        files::replace(&before, old.as_bytes())?;
        // The client may write it too, and does so while it runs.
        if files::read_foreign_text(&place.file, LONGEST)?.as_ref() == Some(&old) {
            files::rewrite(&place.file, new.as_bytes())?;
            return Ok(Change::Changed { before });
        }
    }
    Err(ClientError::Contended { path: place.file.clone() })
}

fn make(client: Client, place: &Place, action: Action<'_>, force: bool) -> Result<Change, ClientError> {
    if matches!(action, Action::Remove(_)) {
        return Ok(Change::None);
    }
    if !place.folder.is_dir() && !force {
        return Err(ClientError::NotFound { client, folder: place.folder.clone() });
    }
    let Some(new) = edited(client, place, "", action)? else { return Ok(Change::None) };
    files::rewrite(&place.file, new.as_bytes())?;
    Ok(Change::Made)
}

/// How a client stands, and why that cannot be told.
///
/// # Errors
/// When its file cannot be read or understood.
pub fn look(client: Client, place: &Place, entry: &Entry) -> Result<Found, ClientError> {
    let Some(text) = files::read_foreign_text(&place.file, LONGEST)? else {
        return Ok(if place.folder.is_dir() { Found::NotSetUp } else { Found::NoClient });
    };
    if entry_in(client, place, &text, &entry.name)?.is_none() {
        return Ok(Found::NotSetUp);
    }
    match edited(client, place, &text, Action::Put(entry, Replace::Replace))? {
        None => Ok(Found::SetUp),
        Some(_) => Ok(Found::Otherwise),
    }
}

/// The file that a client would have with this entry alone, to be copied by hand.
#[must_use]
pub fn shown(client: Client, entry: &Entry) -> String {
    edited_text(client, "", Action::Put(entry, Replace::Replace)).ok().flatten().unwrap_or_default()
}

fn before(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(BEFORE);
    name.into()
}
