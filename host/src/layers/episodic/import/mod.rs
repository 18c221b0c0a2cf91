//! Conversations of other programs, taken into the archive.
//!
//! Each source has a reader of its own, which hands one session after another to a [`Sink`], message by message: memory
//! holds one conversation, however large the file is. What a file is, is seen by its content and never by its name. The
//! files are only read. What cannot be understood is told with its place and left out, and the rest goes on.
//!
//! Imports are records of what was said, and are stored unscanned: what a search shows of them is scanned then.

mod archive;
mod chatgpt;
mod claude;
mod clean;
mod exported;
mod json;
mod keep;
mod kind;
mod known;
mod lossy;
mod openai;
mod parts;
mod python;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::{NewMessage, SessionHead};
use crate::clock::UnixMillis;
use crate::db::DbError;
use crate::error::Hint;
use crate::home::files::FileError;
use crate::home::snapshot::SnapshotError;

pub use keep::{Defaults, Importer, Report};
pub use kind::{read, work_folder};

/// The program that a conversation was held with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Source {
    /// The Python agent.
    Hermes,
    /// A data export of ChatGPT.
    ChatGpt,
    /// A data export of Claude.
    Claude,
    /// Whatever writes messages as OpenAI's API takes them.
    #[default]
    Messages,
    /// An export of this program.
    Export,
}

impl Source {
    /// How it is named in the archive; also the platform of a session that tells none.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hermes => "hermes",
            Self::ChatGpt => "chatgpt",
            Self::Claude => "claude",
            Self::Messages | Self::Export => "import",
        }
    }
}

/// A session as its source tells it: a time of 0 is not known, nor is a text that is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Who recorded it.
    pub source: Source,
    /// What is known of it. Its id stays the same when the source is read again.
    pub head: SessionHead,
    /// It is never pruned.
    pub pinned: bool,
}

/// How far a file is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A file begins, with so many bytes or messages.
    Begins {
        /// How it is shown.
        what: String,
        /// Of what there are so many.
        unit: Unit,
        /// So many.
        total: u64,
    },
    /// So many are read.
    At(u64),
}

/// What is counted while a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of the file.
    Bytes,
    /// Messages.
    Messages,
}

/// What takes the sessions in.
pub trait Sink {
    /// Begins a session, or goes on with one that was begun; the messages after it belong to it.
    ///
    /// # Errors
    /// When it cannot be stored; this ends the import.
    fn session(&mut self, session: Session) -> Result<(), ImportError>;

    /// A message of the session that was begun last. Without a time it has that of the one before it, and without a turn
    /// the next one.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn message(&mut self, said: NewMessage) -> Result<(), ImportError>;

    /// No session that was begun so far comes again.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn part(&mut self) -> Result<(), ImportError>;

    /// Something that is not understood, and where it stands.
    fn left_out(&mut self, place: String, reason: String);

    /// Something that was not as it should be and was taken all the same.
    fn remark(&mut self, place: String, what: String);

    /// So many messages that the source itself has taken back.
    fn taken_back(&mut self, count: u64);

    /// How far it is.
    fn step(&mut self, step: Step);
}

/// Why an import ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file or folder could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A database could not be copied to be read.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A database could not be read.
    #[error("cannot read the database `{}`", path.display())]
    Source {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// It is of no kind that is known.
    #[error("`{}` holds no conversations that hermes can read", .0.display())]
    Unknown(PathBuf),
    /// It is a database of this program.
    #[error("`{}` is a database of this hermes", .0.display())]
    Ours(PathBuf),
    /// It is an archive that cannot be read.
    #[error("cannot read the archive `{}`: {reason}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The archive of sessions could not be written.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Whether there is nothing in a message.
fn is_empty(said: &NewMessage) -> bool {
    said.content.trim().is_empty() && said.tool_calls.is_empty()
}

impl Hint for ImportError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            Self::Snapshot(error) => error.hints(),
            Self::Source { .. } => {
                vec!["restore it from a backup, or repair a copy of it with `sqlite3 .recover`".to_owned()]
            }
            Self::Unknown(_) => vec![
                "name the Python agent's `state.db`, a data export of ChatGPT or Claude, JSONL with messages, or a folder \
                 with such files"
                    .to_owned(),
            ],
            Self::Ours(_) => {
                vec!["run `hermes sessions export --all --output sessions.jsonl` there, and import that file".to_owned()]
            }
            Self::Archive { .. } => vec!["unpack it, and name the folder".to_owned()],
            Self::Db(error) => error.hints(),
        }
    }
}

/// A file that is read.
struct File {
    /// How messages name it.
    shown: String,
    /// Its name without the end.
    stem: String,
    /// When it was written last.
    modified: Option<UnixMillis>,
}

impl File {
    fn at(path: &Path) -> Self {
        let modified = std::fs::metadata(path).and_then(|file| file.modified()).ok();
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Self::named(path, since.and_then(|age| u64::try_from(age.as_millis()).ok()))
    }

    /// One that is not there by itself.
    fn named(path: &Path, modified: Option<UnixMillis>) -> Self {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self { shown: path.display().to_string(), stem, modified }
    }

    fn line(&self, number: u64) -> String {
        format!("`{}`, line {number}", self.shown)
    }

    fn conversation(&self, number: u64) -> String {
        format!("`{}`, conversation {number}", self.shown)
    }
}
