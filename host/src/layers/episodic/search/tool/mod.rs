//! The tool `session_search`: one tool with three shapes, told apart by what it is given.

mod answer;
mod args;
mod schema;

use std::collections::HashSet;

use hermes_provider_api::records::Scope;
use serde_json::Value;

pub use schema::schema;

use args::{Request, Shape};

use super::{Discover, Reader, Searcher};
use crate::clock::UnixMillis;
use crate::error::Hint as _;

/// Its name.
pub const TOOL: &str = "session_search";
/// How many characters a passage has in an answer, a message that is scrolled through, and the first one of a session.
const PASSAGE_CHARS: usize = 500;
const MESSAGE_CHARS: usize = 2000;
const OPENING_CHARS: usize = 200;
/// How many messages that are not in the index yet are entered before a search, which takes some tenths of a second.
const CAUGHT_UP: i64 = 4000;
/// How many passages of a session are shown.
const PASSAGES: usize = 3;

/// Why a call has no answer: a word for programs, a sentence, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// `invalid_input`, `not_found` or `unavailable`.
    pub kind: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Who calls.
#[derive(Clone, Debug)]
pub struct Asking {
    /// The audience of the answer.
    pub scope: Scope,
    /// The session of the conversation, which is left out where nothing else is said.
    pub session: String,
    /// Now.
    pub now: UnixMillis,
}

impl Searcher {
    /// Answers a call of the tool.
    ///
    /// # Errors
    /// What is wrong with the arguments, or with the archive.
    pub fn call(&self, arguments: Result<&Value, String>, asking: &Asking) -> Result<Value, Refused> {
        let invalid = |message| Refused { kind: "invalid_input", message, hint: None };
        let mut request = arguments.and_then(|arguments| Request::read(arguments, asking.now)).map_err(invalid)?;
        let reader = Reader::Audience(asking.scope.clone());
        let filter = &mut request.filter;
        let wanted: HashSet<&String> = filter.sessions.iter().collect();
        // What is in the window need not be found.
        if !wanted.contains(&asking.session) && !asking.session.is_empty() {
            filter.not_sessions.push(asking.session.clone());
        }
        let failed = |error: crate::db::DbError| {
            let hint = error.hints().into_iter().next();
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            Refused { kind: "unavailable", message: format!("the archive cannot be searched: {error}{cause}"), hint }
        };
        match request.shape {
            Shape::Discover { query } => {
                self.catch_up(CAUGHT_UP);
                let ask = Discover {
                    query: &query,
                    filter: &request.filter,
                    sessions: request.limit,
                    passages: PASSAGES,
                    chars: PASSAGE_CHARS,
                    thorough: false,
                };
                let found = self.discover(&reader, &ask).map_err(failed)?;
                Ok(answer::discovered(&found, self.progress().map_err(failed)?))
            }
            Shape::Scroll { around, before, after } => {
                let found = self.scroll(&reader, around, [before, after], MESSAGE_CHARS).map_err(failed)?;
                let found = found.ok_or_else(|| Refused {
                    kind: "not_found",
                    message: format!("there is no message {around} here"),
                    hint: Some("take the number of a `message` from an answer to a `query`".to_owned()),
                })?;
                Ok(answer::scrolled(&found, around))
            }
            Shape::Browse { title } => {
                let listed = self
                    .browse(&reader, &request.filter, title.as_deref(), request.limit, OPENING_CHARS)
                    .map_err(failed)?;
                Ok(answer::browsed(&listed))
            }
        }
    }
}
