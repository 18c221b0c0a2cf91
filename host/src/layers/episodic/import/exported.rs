//! What `hermes sessions export` wrote: a line for a session, then a line for each of its messages.

use hermes_provider_api::records::Role;
use serde_json::Value;

use super::{ImportError, Recorded, RecordedMessage, Said, Session, Sink, Source, json};
use crate::layers::episodic::export::jsonl::{Audience, FORMAT, Header, Line, MARK};

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
        self.end(sink);
        let header = json::parse::<Header>(raw).and_then(|header| match header.version {
            ..=FORMAT => Ok(header),
            newer => Err(format!("it was exported by a newer hermes, in version {newer} of the format")),
        });
        let open = |missing, is_passed_over| Some(Open { place: place.to_owned(), missing, is_passed_over });
        match header {
            Ok(header) => {
                self.open = open(header.messages, false);
                sink.session(session(header))
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
        match json::parse::<Line>(raw).and_then(said) {
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

fn session(header: Header) -> Session {
    Session {
        source: Source::Export,
        id: header.id,
        title: header.title,
        model: header.model,
        parent: header.parent,
        started: Some(header.started_ms),
        ended: header.ended_ms,
        reason: header.reason,
        context: header.context,
        scope: header.audience.scope(),
        recorded: Some(Recorded { source: header.source, pinned: header.pinned }),
    }
}

fn said(line: Line) -> Result<Said, String> {
    let role = Value::String(line.role.clone());
    let role: Role = serde_json::from_value(role).map_err(|error| error.to_string())?;
    let calls = line.tool_calls.map(|calls| match serde_json::from_str::<String>(calls.get()) {
        Ok(text) => text,
        Err(_) => calls.get().to_owned(),
    });
    Ok(Said {
        role,
        content: line.content,
        calls: Vec::new(),
        call: line.tool_call_id,
        tool: line.name,
        at: Some(line.at_ms),
        tokens: line.tokens,
        folded: false,
        recorded: Some(RecordedMessage {
            turn: line.turn,
            flags: line.flags,
            calls,
            scope: line.audience.as_ref().map(Audience::scope),
        }),
    })
}
