//! What `hermes sessions export` wrote: a line for a session, then a line for each of its messages.

use super::super::export::{FORMAT, Header, MARK};
use super::{ImportError, NewMessage, Session, Sink, Source, json};

/// Whether a line begins a session.
pub(super) fn is_header(raw: &str) -> bool {
    raw.starts_with(MARK)
}

/// The lines of sessions, one after another.
#[derive(Debug, Default)]
pub(super) struct Lines {
    open: Option<Open>,
}

/// The session that the next line belongs to.
#[derive(Debug)]
struct Open {
    /// Where it began.
    place: String,
    /// So many messages are still to come.
    missing: u64,
    /// It was made by a newer program, or is not understood.
    is_passed_over: bool,
}

impl Lines {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn header(&mut self, raw: &str, place: &str, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let header = json::parse::<Header>(raw).and_then(|header| match header.version {
            ..=FORMAT => Ok(header),
            newer => Err(format!("it was exported by a newer hermes, in version {newer} of the format")),
        });
        let open = |missing, is_passed_over| Some(Open { place: place.to_owned(), missing, is_passed_over });
        match header {
            Ok(header) => {
                self.open = open(header.messages, false);
                sink.session(Session { source: Source::Export, head: header.head, pinned: header.pinned })
            }
            Err(reason) => {
                self.open = open(0, true);
                sink.left_out(place.to_owned(), format!("{reason}; its messages are passed over"));
                Ok(())
            }
        }
    }

    pub(super) fn message(&mut self, raw: &str, place: &str, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let Some(open) = self.open.as_mut().filter(|open| !open.is_passed_over) else { return Ok(()) };
        open.missing = open.missing.saturating_sub(1);
        match json::parse::<NewMessage>(raw) {
            Ok(said) => sink.message(said),
            Err(reason) => {
                sink.left_out(place.to_owned(), reason);
                Ok(())
            }
        }
    }

    /// Nothing more belongs to the last session.
    pub(super) fn end(&mut self, sink: &mut dyn Sink) {
        if let Some(Open { place, missing: missing @ 1.., .. }) = self.open.take() {
            sink.left_out(place, format!("{missing} of the messages of this session are missing"));
        }
    }
}
