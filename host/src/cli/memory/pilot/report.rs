//! The figures of the trials, and the forms in which they are handed over.

use std::time::Duration;

use serde_json::{Value, json};

use super::clean::Cleanup;
use super::measure::{Question, Turn};
use super::tokens::FORMULA;
use super::transcript::Transcript;
use super::trial::Measured;
use crate::cli::Ui;
use crate::error::Failure;

/// All trials of a command.
pub(super) struct Report {
    pub(super) transcript: Transcript,
    pub(super) rows: Vec<Row>,
}

/// One provider. All texts in it are without secrets.
pub(super) struct Row {
    pub(super) provider: String,
    pub(super) version: Option<String>,
    /// Where the conversation went, for people.
    pub(super) sent: Vec<String>,
    pub(super) result: Result<Tried, Failure>,
}

/// A provider that was tried.
pub(super) struct Tried {
    pub(super) turns: Vec<Turn>,
    pub(super) figures: Figures,
    pub(super) lost: Vec<String>,
    pub(super) cleanup: Option<Cleanup>,
}

/// What a trial came to, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    /// How many turns asked for a recall, and in how many there was none for a reason.
    pub(super) asked: usize,
    pub(super) failed: usize,
    /// Milliseconds within which half, and 95 of a hundred, of the answers were there; an answer that was not in time
    /// counts with the time that was waited for it, an error not at all. None where there was no answer.
    pub(super) p50_ms: Option<f64>,
    pub(super) p95_ms: Option<f64>,
    /// Tokens that the memory adds to a turn, on average: what is attached to the message, and what its tools answer.
    pub(super) per_turn: f64,
    /// Tokens that it adds once in a session, on average: its part of the system prompt, and its tools.
    pub(super) per_session: f64,
    /// Both in all turns and sessions.
    pub(super) added: u64,
    /// The same as a share of what was said.
    pub(super) growth: Option<f64>,
    /// How many marks there are, and how many were met.
    pub(super) marked: usize,
    pub(super) found: usize,
}

impl Row {
    /// Takes the secrets that are masked now out of all texts.
    pub(super) fn new(
        provider: &str,
        version: Option<String>,
        sent: Vec<String>,
        result: Result<Measured, Failure>,
        said: u64,
        ui: &Ui,
    ) -> Self {
        let masked = |texts: Vec<String>| texts.into_iter().map(|text| ui.masked(text)).collect::<Vec<_>>();
        let result = match result {
            Ok(Measured { turns, lost, cleanup, .. }) => {
                let turns: Vec<_> = turns.into_iter().map(|turn| without_secrets(turn, ui)).collect();
                let cleanup = cleanup.map(|Cleanup { deleted, problem }| Cleanup {
                    deleted,
                    problem: problem.map(|text| ui.masked(text)),
                });
                Ok(Tried { figures: Figures::of(&turns, said), turns, lost: masked(lost), cleanup })
            }
            Err(Failure { message, hints, usage }) => {
                Err(Failure { message: ui.masked(message), hints: masked(hints), usage })
            }
        };
        Self { provider: provider.to_owned(), version, sent: masked(sent), result }
    }

    /// Whether it was tried to the end, with nothing lost and nothing left that could be deleted.
    pub(super) fn is_whole(&self, deletes: bool) -> bool {
        self.result.as_ref().is_ok_and(|tried| {
            let left = tried.cleanup.as_ref().is_some_and(|cleanup| cleanup.problem.is_some());
            tried.lost.is_empty() && !(deletes && left)
        })
    }

    fn to_json(&self) -> Value {
        let Self { provider, version, sent, .. } = self;
        let tried = match &self.result {
            Ok(tried) => tried,
            Err(failure) => {
                return json!({ "provider": provider, "version": version, "ok": false, "reason": failure.message,
                    "hints": failure.hints, "sent_to": sent });
            }
        };
        let Figures { asked, failed, p50_ms, p95_ms, per_turn, per_session, added, growth, marked, found } =
            &tried.figures;
        let share = share(*found, *marked);
        let cleanup = tried
            .cleanup
            .as_ref()
            .map(|Cleanup { deleted, problem }| json!({ "deleted": deleted, "problem": problem }));
        json!({
            "provider": provider, "version": version, "ok": true, "sent_to": sent, "cleanup": cleanup, "lost": tried.lost,
            "delay": { "asked": asked, "failed": failed, "p50_ms": p50_ms, "p95_ms": p95_ms },
            "tokens": { "per_turn": per_turn, "per_session": per_session, "added": added, "growth": growth },
            "recall": { "marked": marked, "found": found, "share": share },
            "turns": tried.turns.iter().map(turn_to_json).collect::<Vec<_>>(),
        })
    }
}

impl Report {
    /// The whole report as JSON.
    pub(super) fn to_json(&self) -> Value {
        let rows: Vec<_> = self.rows.iter().map(Row::to_json).collect();
        json!({ "transcript": self.transcript.to_json(), "token_estimate": FORMULA, "providers": rows })
    }
}

impl Figures {
    fn of(turns: &[Turn], said: u64) -> Self {
        let mut delays: Vec<Duration> = turns.iter().filter_map(|turn| turn.delay).collect();
        delays.sort_unstable();
        let sum = |of: fn(&Turn) -> u64| turns.iter().map(of).sum::<u64>();
        let (fixed, moving) = (sum(|turn| turn.fixed), sum(|turn| turn.recalled + turn.answered));
        let sessions = turns.iter().map(|turn| turn.session.as_str()).collect::<std::collections::BTreeSet<_>>().len();
        let questions: Vec<&Question> = turns.iter().filter_map(|turn| turn.question.as_ref()).collect();
        Self {
            asked: turns.iter().filter(|turn| turn.delay.is_some() || turn.problem.is_some()).count(),
            failed: turns.iter().filter(|turn| turn.problem.is_some()).count(),
            p50_ms: percentile(&delays, 50),
            p95_ms: percentile(&delays, 95),
            per_turn: mean(moving, turns.len()),
            per_session: mean(fixed, sessions),
            added: fixed + moving,
            growth: (said > 0).then(|| float(fixed + moving) / float(said)),
            marked: questions.len(),
            found: questions.iter().filter(|question| question.found).count(),
        }
    }
}

/// Of so many how many, from 0 to 1; None of none.
pub(super) fn share(found: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| float(found as u64) / float(of as u64))
}

/// In milliseconds.
pub(super) fn millis(delay: Duration) -> f64 {
    delay.as_secs_f64() * 1000.0
}

/// The smallest of the delays, sorted, within which so many of a hundred lie.
fn percentile(sorted: &[Duration], percent: usize) -> Option<f64> {
    let place = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(place).copied().map(millis)
}

fn mean(sum: u64, of: usize) -> f64 {
    if of == 0 { 0.0 } else { float(sum) / float(of as u64) }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn float(number: u64) -> f64 {
    number as f64
}

fn without_secrets(turn: Turn, ui: &Ui) -> Turn {
    let question = turn.question.map(|Question { text, expects, found }| Question {
        text: ui.masked(text),
        expects: ui.masked(expects),
        found,
    });
    Turn { question, session: ui.masked(turn.session), problem: turn.problem.map(|text| ui.masked(text)), ..turn }
}

fn turn_to_json(turn: &Turn) -> Value {
    let Turn { line, session, delay, problem, fixed, recalled, answered, question } = turn;
    let question = question
        .as_ref()
        .map(|Question { text, expects, found }| json!({ "text": text, "expects": expects, "found": found }));
    json!({
        "line": line, "session_id": session, "ms": delay.map(millis), "problem": problem, "question": question,
        "tokens": { "recalled": recalled, "tools": answered, "session": fixed },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(session: &str, ms: Option<u64>, tokens: [u64; 3], found: Option<bool>) -> Turn {
        let [fixed, recalled, answered] = tokens;
        let question = found.map(|found| Question { text: String::new(), expects: String::new(), found });
        let delay = ms.map(Duration::from_millis);
        Turn { session: session.to_owned(), delay, fixed, recalled, answered, question, ..Turn::default() }
    }

    #[test]
    fn figures_are_over_all_turns() {
        let turns = [
            turn("a", None, [100, 0, 0], None),
            turn("a", Some(1), [0, 30, 10], Some(true)),
            turn("b", Some(9), [50, 20, 0], Some(false)),
            turn("b", Some(4), [0, 0, 0], Some(true)),
        ];
        let expected = Figures {
            asked: 3,
            failed: 0,
            p50_ms: Some(4.0),
            p95_ms: Some(9.0),
            per_turn: 15.0,
            per_session: 75.0,
            added: 210,
            growth: Some(0.5),
            marked: 3,
            found: 2,
        };
        assert_eq!(Figures::of(&turns, 420), expected);
        let nothing = Figures::of(&[], 0);
        assert_eq!((nothing.p95_ms, nothing.growth, nothing.per_turn, share(0, 0)), (None, None, 0.0, None));
    }

    #[test]
    fn percentiles_are_delays_that_were_measured() {
        let delays: Vec<_> = (1..=100).map(Duration::from_millis).collect();
        assert_eq!((percentile(&delays, 50), percentile(&delays, 95)), (Some(50.0), Some(95.0)));
        assert_eq!(percentile(&delays[..1], 95), Some(1.0));
        assert_eq!(percentile(&[], 50), None);
    }
}
