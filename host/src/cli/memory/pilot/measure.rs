//! What is measured while the conversation is played.

use std::collections::HashMap;
use std::time::Duration;

use hermes_provider_api::Scope;
use hermes_provider_api::records::ToolCall;
use indicatif::ProgressBar;

use super::marks::Mark;
use super::stop::Stop;
use super::tokens::estimate;
use crate::cli::replay::{Watch, input::Line};
use crate::clock::UnixMillis;
use crate::error::Failure;
use crate::guard::fence;
use crate::outbox::Lost;
use crate::turn::{Ending, Problem, RecallOutcome, Session, ToolOutcome, TurnHandle};

/// The most characters of a question that are kept for the report.
const QUESTION_CHARS: usize = 200;

/// One turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    /// The place of its message in the file.
    pub(super) line: usize,
    pub(super) session: String,
    /// How long the recall took, or was waited for in vain.
    pub(super) delay: Option<Duration>,
    /// Why there was no recall.
    pub(super) problem: Option<String>,
    /// Tokens of the memory's part of the system prompt and of its tools, in the first turn of a session.
    pub(super) fixed: u64,
    /// Tokens of what was attached to the message.
    pub(super) recalled: u64,
    /// Tokens of what the memory's tools answered.
    pub(super) answered: u64,
    /// What was looked for.
    pub(super) question: Option<Question>,
}

/// A turn with a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// The beginning of the message.
    pub(super) text: String,
    /// What was expected, for people.
    pub(super) expects: String,
    /// Whether it was there.
    pub(super) found: bool,
}

/// Measures, turn by turn.
pub(super) struct Measure<'a> {
    marks: &'a HashMap<usize, Mark>,
    stop: &'a Stop,
    bar: &'a ProgressBar,
    /// What each session was given so far, as it is compared: the window still holds it.
    given: HashMap<String, String>,
    /// The turns that are over.
    pub(super) turns: Vec<Turn>,
    /// Everybody to whom something was said.
    pub(super) audiences: Vec<Scope>,
    /// What did not reach the provider.
    pub(super) lost: Vec<String>,
    /// What was odd about the recording.
    pub(super) odd: Vec<String>,
}

impl<'a> Measure<'a> {
    pub(super) fn new(marks: &'a HashMap<usize, Mark>, stop: &'a Stop, bar: &'a ProgressBar) -> Self {
        let (turns, audiences, lost, odd) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { marks, stop, bar, given: HashMap::new(), turns, audiences, lost, odd }
    }
}

impl Watch for Measure<'_> {
    type Record = Turn;

    fn goes_on(&self) -> bool {
        !self.stop.is_asked()
    }

    fn session(&mut self, session: &Session) -> Turn {
        let tools = session.tools().offered.iter().map(|tool| {
            let schema = serde_json::to_string(tool).unwrap_or_default();
            estimate(&schema)
        });
        Turn { fixed: estimate(session.system_prompt()) + tools.sum::<u64>(), ..Turn::default() }
    }

    fn begin(&mut self, head: Turn, session: &Session, handle: &TurnHandle, line: &Line, _at: UnixMillis) -> Turn {
        let scope = session.scope();
        if !self.audiences.contains(&scope) {
            self.audiences.push(scope);
        }
        let block = handle.block.as_deref().unwrap_or_default();
        let given = self.given.entry(session.id().to_owned()).or_default();
        given.push_str(&hermes_text::normalize(fence::body(block)));
        given.push('\n');
        let question = self.marks.get(&line.number).map(|mark| Question {
            text: hermes_text::truncate_chars(&line.message.content, QUESTION_CHARS).to_owned(),
            expects: mark.to_string(),
            found: mark.is_in(given),
        });
        let (delay, problem) = match &handle.recall {
            RecallOutcome::Skipped(_) => (None, None),
            RecallOutcome::Asked(recalled) => match &recalled.problem {
                None => (Some(recalled.elapsed), None),
                Some(Problem::TimedOut { limit }) => {
                    (Some(recalled.elapsed), Some(format!("no answer within {} ms", limit.as_millis())))
                }
                // How fast it failed, or was not even asked, says nothing of its answers.
                Some(Problem::Failed { reason }) => (None, Some(reason.clone())),
            },
        };
        let (number, id) = (line.number, session.id().to_owned());
        Turn { line: number, session: id, delay, problem, recalled: estimate(block), question, ..head }
    }

    fn tool(&mut self, turn: &mut Turn, _call: &ToolCall, outcome: Option<&ToolOutcome>) {
        turn.answered += outcome.map_or(0, |outcome| estimate(&outcome.content()));
    }

    fn finish(&mut self, turn: Turn, _answer: &str, _ending: Ending) {
        self.turns.push(turn);
        self.bar.inc(1);
    }

    fn warn(&mut self, what: &Failure) {
        self.odd.push(what.message.clone());
    }

    fn lost(&mut self, lost: &Lost) {
        self.lost.push(told(lost));
    }
}

/// A delivery that was given up, in one line.
pub(super) fn told(lost: &Lost) -> String {
    format!("{} did not reach the provider: {}", lost.what, lost.reason)
}
