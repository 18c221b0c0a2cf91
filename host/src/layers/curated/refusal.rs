//! Why the curated memory did not do what it was asked.

use std::path::PathBuf;

use super::{NotAnEntry, Target};
use crate::error::Hint;
use crate::home::files::FileError;

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The arguments of the tool are not what they should be.
    #[error("{0}")]
    Arguments(String),
    /// The settings say that there is no such memory.
    #[error("{} is off: `{}` is false", target.file_name(), target.switch())]
    Off {
        /// The file.
        target: Target,
    },
    /// Others than the user read along.
    #[error("{} is not used where others read along: `{}` is false", target.file_name(), target.switch_in_groups())]
    InGroup {
        /// The file.
        target: Target,
    },
    /// A text cannot be an entry.
    #[error("`{place}` {reason}")]
    Text {
        /// Which text of the request.
        place: String,
        /// Why.
        reason: NotAnEntry,
    },
    /// No entry holds the text, or more than one does.
    #[error("`{place}`: {} \u{201c}{old_text}\u{201d}", if *ambiguous { "more than one entry has" } else { "no entry has" })]
    NoEntry {
        /// Which text of the request.
        place: String,
        /// The text.
        old_text: String,
        /// Those that have it, else all.
        entries: Vec<String>,
        /// More than one has it.
        ambiguous: bool,
    },
    /// The entries would be longer than they may be.
    #[error(
        "over the limit by {} characters: the entries have {used} of {limit} and would have {needed}",
        needed.saturating_sub(*limit)
    )]
    OverLimit {
        /// How many characters there are.
        used: usize,
        /// How many there would be.
        needed: usize,
        /// How many there may be.
        limit: usize,
        /// All entries.
        entries: Vec<String>,
        /// The same, the oldest first, as far as their age is known.
        oldest: Vec<String>,
    },
    /// The file must not be written.
    #[error("`{}` is read-only (mode {mode:04o})", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The file is no memory file. It is left as it is.
    #[error("`{}` cannot be read as a memory file, and is left as it is: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Others write the file all the time.
    #[error("`{}` is being changed by another program all the time", path.display())]
    Contended {
        /// The file.
        path: PathBuf,
    },
    /// What was proposed does not fit to the file as it is now.
    #[error("{} has changed since this was proposed: the entry \u{201c}{previous}\u{201d} is not there any more", target.file_name())]
    Moved {
        /// The file.
        target: Target,
        /// The entry that it was about.
        previous: String,
    },
    /// There is no such thing.
    #[error("{what}")]
    NoSuch {
        /// What is not there.
        what: String,
        /// The command of `hermes memory` that shows what is.
        see: &'static str,
    },
    /// A file could not be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Refusal {
    pub(super) fn no_such(what: impl Into<String>, see: &'static str) -> Self {
        Self::NoSuch { what: what.into(), see }
    }
}

impl Hint for Refusal {
    fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::Off { target } => format!("`hermes config set {} true` turns it on", target.switch()),
            Self::InGroup { .. } => "keep it for a private conversation with the user".to_owned(),
            Self::Text { reason, .. } => reason.hint().to_owned(),
            Self::NoEntry { ambiguous: true, .. } => "name a longer part, which only one of them has".to_owned(),
            Self::NoEntry { .. } => "`hermes memory list` shows the entries".to_owned(),
            Self::NoSuch { see, .. } => format!("`hermes memory {see}` shows what there is"),
            Self::OverLimit { .. } => {
                "remove or shorten entries in the same request, or raise the limit: `hermes config`".to_owned()
            }
            Self::ReadOnly { path, .. } => {
                format!("`chmod u+w {}` allows it", crate::error::quoted(&path.to_string_lossy()))
            }
            Self::Unreadable { .. } => {
                "save it as UTF-8, for example with `iconv -f latin1 -t utf-8`, or put a version back with `hermes \
                 memory undo`"
                    .to_owned()
            }
            Self::Contended { .. } => "end that program, and try again".to_owned(),
            Self::Moved { .. } => {
                "`--rebase` applies it to the file as it is now, and `hermes memory reject` drops it".to_owned()
            }
            Self::Arguments(_) => return Vec::new(),
            Self::File(error) => return error.hints(),
        };
        vec![hint]
    }
}
