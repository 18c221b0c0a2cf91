//! The recorded conversation that providers are tried on.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use hermes_provider_api::Scope;
use hermes_provider_api::records::Role;
use serde_json::{Value, json};

use super::marks::Mark;
use super::tokens::estimate;
use crate::cli::replay::{self, input};
use crate::cli::{Ui, counted};
use crate::error::Failure;

/// A recording with its marks.
pub(super) struct Transcript {
    /// Its name for messages.
    pub(super) name: String,
    /// Its messages; what names no scope has the default.
    pub(super) lines: Vec<input::Line>,
    /// What is expected, by the number of the line.
    pub(super) marks: HashMap<usize, Mark>,
    /// How many of the lines begin a turn.
    pub(super) turns: usize,
    sessions: usize,
    /// What the messages alone come to.
    pub(super) tokens: u64,
}

impl Transcript {
    /// Reads a recording; `default` is the scope of lines that name none.
    ///
    /// # Errors
    /// When it cannot be read, has a bad line or a bad mark, or holds nothing to try a memory on.
    pub(super) fn read(path: &Path, default: &Scope, ui: &Ui) -> Result<Self, Failure> {
        let (name, bytes) = replay::read(path)?;
        let (lines, bad) = input::read(&bytes, default);
        replay::check(&name, bad, ui)?;
        let marks = marks(&name, &lines, ui)?;
        let turns = lines.iter().filter(|line| line.message.role == Role::User).count();
        if turns == 0 {
            return Err(Failure::new(format!("`{name}` holds no message of a user")));
        }
        let sessions = lines.iter().map(|line| &line.session).collect::<BTreeSet<_>>().len();
        let tokens = lines.iter().map(|line| estimate(&line.message.content)).sum();
        Ok(Self { name, lines, marks, turns, sessions, tokens })
    }

    /// The same messages, said to an audience that is called otherwise.
    pub(super) fn lines_for(&self, audience: &dyn Fn(Scope) -> Scope) -> Vec<input::Line> {
        let scoped = |line: &input::Line| input::Line { scope: line.scope.clone().map(audience), ..line.clone() };
        self.lines.iter().map(scoped).collect()
    }

    /// `8 turns of 3 sessions`
    pub(super) fn extent(&self) -> String {
        format!("{} of {}", counted(self.turns, "turn"), counted(self.sessions, "session"))
    }

    pub(super) fn to_json(&self) -> Value {
        let Self { name, turns, sessions, tokens, marks, .. } = self;
        json!({ "file": name, "turns": turns, "sessions": sessions, "tokens": tokens, "marked": marks.len() })
    }
}

/// The marks of the lines; those that say nothing are named.
fn marks(name: &str, lines: &[input::Line], ui: &Ui) -> Result<HashMap<usize, Mark>, Failure> {
    let (mut marks, mut bad) = (HashMap::new(), 0);
    for line in lines {
        let mark = match Mark::read(&line.expects) {
            Ok(Some(_)) if line.message.role != Role::User => {
                Err("`expects` belongs to a message of the user".to_owned())
            }
            mark => mark,
        };
        match mark {
            Ok(mark) => marks.extend(mark.map(|mark| (line.number, mark))),
            Err(reason) => {
                bad += 1;
                ui.warn(format!("{name}:{}: {reason}", line.number));
            }
        }
    }
    if bad == 0 {
        return Ok(marks);
    }
    Err(Failure::new(format!(
        "`{name}` cannot be used: {} wrong",
        if bad == 1 { "a mark is".to_owned() } else { format!("{bad} marks are") }
    ))
    .hint("`hermes memory pilot --help` shows how questions are marked"))
}
