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
mod exported;
mod json;
mod keep;
mod kind;
mod lossy;
mod openai;
mod parts;
mod python;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use hermes_provider_api::records::{Context, Role, Scope, ToolCall};

use crate::clock::UnixMillis;
use crate::db::DbError;
use crate::error::Hint;
use crate::home::files::FileError;
use crate::home::snapshot::SnapshotError;

pub use keep::{Defaults, Importer, Report};
pub use kind::read;

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

/// A session as its source tells it. Texts that are empty are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Who recorded it.
    pub source: Source,
    /// Its id there, which stays the same when the source is read again.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// The id of the session that it goes on from.
    pub parent: Option<String>,
    /// When it began.
    pub started: Option<UnixMillis>,
    /// When it ended.
    pub ended: Option<UnixMillis>,
    /// Why it ended.
    pub reason: Option<String>,
    /// The role in which the agent ran.
    pub context: Context,
    /// Where and with whom it was held.
    pub scope: Scope,
    /// What only an export of this program knows.
    pub recorded: Option<Recorded>,
}

/// What the archive that a session was exported from knew of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Where it was imported from, if it was.
    pub source: Option<String>,
    /// It is never pruned.
    pub pinned: bool,
}

/// One message as its source tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Who said it.
    pub role: Role,
    /// The text.
    pub content: String,
    /// The tools that the model called with it.
    pub calls: Vec<ToolCall>,
    /// The call that it is the result of.
    pub call: Option<String>,
    /// The tool that it is the result of.
    pub tool: Option<String>,
    /// When; None is the time of the message before it.
    pub at: Option<UnixMillis>,
    /// How many tokens it has.
    pub tokens: Option<u64>,
    /// It was folded into a summary later.
    pub folded: bool,
    /// What only an export of this program knows.
    pub recorded: Option<RecordedMessage>,
}

impl Said {
    /// Whether there is nothing in it.
    fn is_empty(&self) -> bool {
        self.content.trim().is_empty() && self.calls.is_empty()
    }
}

/// What the archive that a message was exported from knew of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedMessage {
    /// The turn that it belongs to.
    pub turn: u64,
    /// All of its marks.
    pub flags: u32,
    /// The calls as they were stored.
    pub calls: Option<String>,
    /// Its audience, where that is not the session's.
    pub scope: Option<Scope>,
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

    /// A message of the session that was begun last.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn message(&mut self, said: Said) -> Result<(), ImportError>;

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
