//! Sessions written out: as lines of JSON that lose nothing and can be imported again, or as Markdown for people.

mod markdown;

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::{Archive, ArchiveError, Message, Session, SessionHead};
use crate::secrets::Mask;

/// The version of the lines. Fields may be added without another one.
pub(super) const FORMAT: u32 = 1;
/// How the line of a session begins.
pub(super) const MARK: &str = "{\"hermes\":\"session\",";

/// So many messages are in memory at a time.
const BATCH: usize = 500;

/// How sessions are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A line for the session, then a line for each of its messages. Nothing is lost.
    #[default]
    JsonLines,
    /// For people.
    Markdown,
}

/// Why nothing more was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// What is written to is full, or gone.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// The line of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// `session`.
    pub(super) hermes: String,
    pub(super) version: u32,
    #[serde(flatten)]
    pub(super) head: SessionHead,
    #[serde(default)]
    pub(super) pinned: bool,
    /// So many lines of messages come next.
    #[serde(default)]
    pub(super) messages: u64,
}

/// Writes a session with all its messages, and answers how many they are. What is masked is a secret of the home now.
///
/// # Errors
/// When it cannot be read or written.
pub fn write(
    archive: &Archive,
    session: &Session,
    format: Format,
    mask: &Mask,
    out: &mut dyn Write,
) -> Result<u64, ExportError> {
    match format {
        Format::JsonLines => {
            let Session { head, pinned, messages, .. } = session.clone();
            line(&Header { hermes: "session".to_owned(), version: FORMAT, head, pinned, messages }, mask, out)?;
        }
        Format::Markdown => out.write_all(mask.apply(&markdown::head(session)).as_bytes())?,
    }
    let (mut after, mut written) = (0, 0);
    loop {
        let batch = archive.messages(session, after, BATCH)?;
        let Some(last) = batch.last() else { return Ok(written) };
        after = last.id;
        for Message { said, .. } in &batch {
            // What was said after the line of the session was written is for the next export.
            if written == session.messages {
                return Ok(written);
            }
            match format {
                Format::JsonLines => line(said, mask, out)?,
                Format::Markdown => out.write_all(mask.apply(&markdown::message(said)).as_bytes())?,
            }
            written += 1;
        }
    }
}

fn line(value: &impl Serialize, mask: &Mask, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", mask.apply(&serde_json::to_string(value)?))
}
