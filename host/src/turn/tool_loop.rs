//! The tool loop: what follows when a model calls tools in its answer.
//!
//! The memory's own are run here, and the model is asked again; the tools of an application are its own affair. The loop
//! has a bound, whatever the model does.

use std::collections::BTreeSet;

use hermes_provider_api::records::{Message, Role, ToolCall};
use serde_json::json;

use super::Session;
use crate::model::wire::{Answer, WireMessage};

/// How often a model is asked again in one turn at the most.
pub const MOST_ROUNDS: usize = 8;
/// How many calls of one answer are run.
const MOST_CALLS: usize = 16;

/// What follows an answer of the model.
#[derive(Debug)]
pub enum Step {
    /// It is asked again, with these messages behind the others: its own, and what its tools answered.
    Again(Vec<WireMessage>),
    /// It waits for tools that are not the memory's. These are the answers of those that are; they go behind its own
    /// message.
    Theirs(Vec<WireMessage>),
    /// Nothing: that is the answer.
    Over,
}

/// The loop of one turn.
#[derive(Debug, Default)]
pub struct ToolLoop {
    rounds: usize,
}

impl ToolLoop {
    /// Whether the model may still call tools. If not, it is asked with `tool_choice` `none`.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.rounds < MOST_ROUNDS
    }

    /// Runs the calls of an answer that are `ours`, and notes what was called and answered in the open turn. The last
    /// answer is not noted: the turn [finishes](Session::finish) with it.
    #[must_use]
    pub fn answered(&mut self, session: &Session, answer: &Answer, ours: &BTreeSet<String>) -> Step {
        let (own, theirs): (Vec<_>, Vec<_>) = answer.calls().into_iter().partition(|call| ours.contains(&call.name));
        let may_run = self.goes_on();
        if theirs.is_empty() && (own.is_empty() || !may_run) {
            return Step::Over;
        }
        session.note(answer.to_record());
        self.rounds += usize::from(!own.is_empty());
        let run = |(at, call): (usize, &ToolCall)| {
            let content = match may_run && at < MOST_CALLS {
                true => session.tool(call).content(),
                false => refused(session, call),
            };
            answer.result(&call.id, &content)
        };
        let results = own.iter().enumerate().map(run);
        if theirs.is_empty() {
            Step::Again(answer.messages().into_iter().chain(results).collect())
        } else {
            Step::Theirs(results.collect())
        }
    }
}

/// A call that is one too many.
fn refused(session: &Session, call: &ToolCall) -> String {
    let message = "too many calls of the memory's tools in one turn: go on with what is known";
    let content = json!({"error": {"kind": "too_many", "message": message}}).to_string();
    let tool_call_id = call.id.clone();
    session.note(Message { tool_call_id, ..Message::new(Role::Tool, content.as_str()) });
    content
}
