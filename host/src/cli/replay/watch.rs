//! Who looks on while a conversation is played.

use hermes_provider_api::records::ToolCall;

use super::input::Line;
use crate::clock::UnixMillis;
use crate::error::Failure;
use crate::outbox::Lost;
use crate::turn::{Ending, News, Session, ToolOutcome, TurnHandle};

/// Is told of all that happens in a replay, in its order.
pub(in crate::cli) trait Watch {
    /// What is kept of a turn until it is over.
    type Record: Default;

    /// Whether the replay is still wanted.
    fn goes_on(&self) -> bool;

    /// A session is met for the first time. Answers what the record of its first turn begins with.
    fn session(&mut self, session: &Session) -> Self::Record;

    /// A turn goes on after something of another session was seen.
    fn back(&mut self, session: &Session) {
        let _ = session;
    }

    /// A turn begins with the message of `line`. `head` is what its session began with, or nothing.
    fn begin(
        &mut self,
        head: Self::Record,
        session: &Session,
        handle: &TurnHandle,
        line: &Line,
        at: UnixMillis,
    ) -> Self::Record;

    /// A tool was called, here or (without an outcome) in the recording only.
    fn tool(&mut self, record: &mut Self::Record, call: &ToolCall, outcome: Option<&ToolOutcome>);

    /// Something became of the memory files.
    fn news(&mut self, record: &mut Self::Record, news: &[News]) {
        let _ = (record, news);
    }

    /// A turn is over.
    fn finish(&mut self, record: Self::Record, answer: &str, ending: Ending);

    /// Something is odd, and the replay goes on.
    fn warn(&mut self, what: &Failure);

    /// A delivery was given up.
    fn lost(&mut self, lost: &Lost);
}
