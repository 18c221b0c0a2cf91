//! `hermes sessions export`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Which, archive};
use crate::cli::{Context, Exit, Ui, counted};
use crate::error::Failure;
use crate::home::files::{At as _, replace_with};
use crate::layers::episodic::export::{ExportError, Format, write};
use crate::layers::episodic::{Archive, Session};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes sessions export --all --output sessions.jsonl
  hermes sessions export 20260105_0930 --format markdown
  hermes sessions export --all --since 30d --platform cli --format markdown --output month.md")]
pub(super) struct Export {
    /// Which sessions: their ids, or how those begin
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    ids: Vec<String>,
    /// All sessions, or all that the filters let through, in the order in which they were made
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    which: Which,
    /// `jsonl` loses nothing and can be imported again; `markdown` is for people
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    format: Kind,
    /// The file, which is replaced once all is written; `-` is stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    /// A line for each session, then one for each of its messages
    Jsonl,
    /// For people
    Markdown,
}

pub(super) fn run(export: &Export, context: &Context) -> Result<Exit, Failure> {
    if !export.ids.is_empty() && !export.which.is_all() {
        let failure = Failure::usage("sessions are named, or chosen by filters");
        return Err(failure.hint("leave the ids out and give `--all`, or leave the filters out"));
    }
    let archive = archive(context)?;
    let sessions = match &archive {
        Some(archive) => sessions(export, archive, context)?,
        None if export.all => Vec::new(),
        None => return Err(Failure::new("nothing was recorded here yet")),
    };
    let mask = crate::cli::context::mask_of(&context.home, context.secrets()?);
    let format = match export.format {
        Kind::Jsonl => Format::JsonLines,
        Kind::Markdown => Format::Markdown,
    };
    let mut messages = 0;
    let mut write_all = |out: &mut dyn Write| {
        for session in &sessions {
            let Some(archive) = &archive else { break };
            messages += write(archive, session, format, &mask, out)?;
        }
        Ok::<_, ExportError>(out.flush()?)
    };
    if export.output == Path::new("-") {
        let mut lines = Lines(&context.ui, Vec::new());
        return match write_all(&mut lines) {
            // What cannot be printed is told at the end, as for every command.
            Ok(()) | Err(ExportError::Output(_)) => Ok(Exit::Success),
            Err(ExportError::Archive(error)) => Err(error.into()),
        };
    }
    let mut unread = None;
    let mut through = |file: &mut File| {
        write_all(&mut BufWriter::new(file)).map_err(|error| match error {
            ExportError::Output(error) => error,
            other @ ExportError::Archive(_) => {
                let told = io::Error::other(other.to_string());
                unread = Some(other);
                told
            }
        })
    };
    // A device or a pipe is written to; it cannot be replaced.
    let written = match fs::metadata(&export.output) {
        Ok(there) if !there.is_file() && !there.is_dir() => OpenOptions::new()
            .write(true)
            .open(&export.output)
            .and_then(|mut file| through(&mut file))
            .at("write", &export.output),
        _ => replace_with(&export.output, through),
    };
    match (written, unread) {
        (Err(_), Some(ExportError::Archive(error))) => return Err(error.into()),
        (written, _) => written?,
    }
    let path = export.output.display();
    if context.json {
        context.ui.json(&json!({"output": path.to_string(), "sessions": sessions.len(), "messages": messages}));
    } else {
        let messages = counted(usize::try_from(messages).unwrap_or(usize::MAX), "message");
        context.ui.note(format!("wrote {} with {messages} to `{path}`", counted(sessions.len(), "session")));
    }
    Ok(Exit::Success)
}

fn sessions(export: &Export, archive: &Archive, context: &Context) -> Result<Vec<Session>, Failure> {
    let mut chosen: Vec<Session> = if export.all {
        archive.list(&export.which.filter(None, context.clock.now()))?
    } else {
        export.ids.iter().map(|id| archive.find(id)).collect::<Result<_, _>>()?
    };
    if export.all {
        chosen.sort_by_key(|session| session.row);
    }
    Ok(chosen)
}

/// Stdout, line by line.
struct Lines<'a>(&'a Ui, Vec<u8>);

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.extend_from_slice(bytes);
        if let Some(end) = memchr::memrchr(b'\n', &self.1) {
            let rest = self.1.split_off(end + 1);
            self.1.pop();
            self.0.out(String::from_utf8_lossy(&self.1));
            self.1 = rest;
        }
        if self.0.is_closed() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.1.is_empty() {
            self.0.out(String::from_utf8_lossy(&std::mem::take(&mut self.1)));
        }
        Ok(())
    }
}
