//! What of a session goes into the archive: its turns, how it ended, what was folded. Each is a change that is written
//! with what the provider is told of it, or alone.
//!
//! A turn is written when it ends, with its user's message: to write that one when the turn begins would take a second
//! sync, and a message without an answer is still with whoever sent it.

use std::collections::HashMap;
use std::mem::Discriminant;
use std::sync::Arc;

use hermes_provider_api::records::{Context, Message, Role, Turn};
use rusqlite::Connection;

use crate::clock::UnixMillis;
use crate::db::{Db, DbError};
use crate::guard::{Redactor, fence};
use crate::layers::episodic::{self, NewMessage, SessionHead, search};
use crate::layers::external::{CleanTurn, Cleaner, turn_of_session};
use crate::outbox::{Beside, TurnMark, Write};

/// The longest title that is made of a message, in characters.
const TITLE: usize = 60;

/// How sessions are archived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Archiving {
    /// Secrets are masked before they are stored.
    pub redact: bool,
}

/// Makes the entries of the archive.
#[derive(Debug)]
pub(super) struct Recorder {
    db: Arc<Db>,
    /// Cleans texts as for a provider; None leaves secrets where they are.
    cleaner: Option<Cleaner>,
    search: search::Settings,
}

/// How many messages are entered into the index with a turn at most: what an import or a time without an index left is
/// entered bit by bit, so that no turn waits for it.
const ENTERED: i64 = 256;

/// A turn that is over.
pub(super) struct Finished<'a> {
    pub(super) session: &'a str,
    pub(super) context: Context,
    pub(super) turn: &'a Turn,
    /// When each of its messages was said.
    pub(super) times: &'a [UnixMillis],
    /// The session that this one goes on from.
    pub(super) parent: Option<&'a str>,
    /// What answers.
    pub(super) model: Option<&'a str>,
    /// Its first message says what it is about.
    pub(super) speaks: bool,
}

impl Recorder {
    pub(super) fn new(db: Arc<Db>, archiving: Archiving, search: search::Settings, redactor: &Arc<Redactor>) -> Self {
        let cleaner = archiving.redact.then(|| Cleaner::new(Arc::clone(redactor)));
        Self { db, cleaner, search }
    }

    /// The number of the last turn that is in the archive; 0 without any.
    pub(super) fn last_turn(&self, session: &str) -> Result<u64, DbError> {
        self.db.with(|connection| episodic::last_turn(connection, session))
    }

    /// Writes a turn. Its number is that of its session in the archive, which may be a later one than here, where another
    /// process writes the same session. `clean` is a copy of it for a provider.
    pub(super) fn turn(&self, finished: &Finished<'_>, clean: CleanTurn) -> Beside {
        let Finished { session, context, turn, times, parent, model, speaks } = *finished;
        let said = match self.cleaner {
            Some(_) => clean.into_messages(),
            None => turn.messages.iter().map(without_blocks).collect(),
        };
        let mut messages: Vec<NewMessage> = said.into_iter().zip(times).map(kept).collect();
        name_tools(&mut messages);
        for message in &mut messages {
            (message.turn, message.partial) = (turn.number, turn.interrupted);
        }
        let said_first = messages.first().filter(|message| speaks && message.role == Role::User);
        let head = SessionHead {
            name: session.to_owned(),
            scope: turn.caller.scope.clone(),
            context,
            parent: parent.map(str::to_owned),
            model: model.map(str::to_owned),
            title: said_first.and_then(|message| title(&message.content)),
            started_ms: times.first().copied().unwrap_or_default(),
            ..SessionHead::default()
        };
        let search = self.search;
        let mark = TurnMark { session: head.name.clone(), number: turn.number, at: head.started_ms };
        Beside {
            what: format!("the record of {}", turn_of_session(turn.number, session)),
            bytes: messages.iter().map(size).sum(),
            turn: Some(mark),
            write: Box::new(move |transaction| {
                let next = episodic::last_turn(transaction, &head.name)? + 1;
                if messages.iter().all(|message| message.turn >= next) {
                    episodic::append(transaction, &head, &messages)?;
                } else {
                    let renumbered = messages.iter().map(|message| NewMessage { turn: next, ..message.clone() });
                    episodic::append(transaction, &head, &renumbered.collect::<Vec<_>>())?;
                }
                search::settle(transaction, &search, ENTERED).map(drop)
            }),
        }
    }

    /// Notes that a session has ended.
    pub(super) fn end(session: &str, at: UnixMillis, reason: &'static str) -> Beside {
        let what = format!("that session {session} has ended");
        let session = session.to_owned();
        let write: Write = Box::new(move |transaction| episodic::end(transaction, &session, at, reason));
        Beside { what, bytes: 0, turn: None, write }
    }

    /// Marks what was folded into a summary. It may be undone by a power cut: nothing but a mark is lost.
    pub(super) fn fold(&self, session: &str, folded: &[Message]) -> Result<(), DbError> {
        let mut left = Folded::new();
        for message in folded {
            let message = self.cleaner.as_ref().map_or_else(|| without_blocks(message), |clean| clean.message(message));
            *left.entry(key(message.role, &message.content)).or_default() += 1;
        }
        self.db.with_relaxed(|connection| mark(connection, session, left))
    }
}

/// A message as it was, without echoes of memory blocks.
fn without_blocks(message: &Message) -> Message {
    Message { content: fence::strip(&message.content).into_owned(), ..message.clone() }
}

fn kept((message, at): (Message, &UnixMillis)) -> NewMessage {
    let Message { role, content, tool_calls, tool_call_id: tool_call, .. } = message;
    NewMessage { role, content, tool_calls, tool_call, at_ms: *at, ..NewMessage::default() }
}

/// The results of tools have the names of the calls that they answer.
fn name_tools(messages: &mut [NewMessage]) {
    let calls = messages.iter().flat_map(|message| &message.tool_calls);
    let names: HashMap<String, String> = calls.map(|call| (call.id.clone(), call.name.clone())).collect();
    for message in messages.iter_mut().filter(|message| message.role == Role::Tool) {
        message.tool = names.get(&message.tool_call).cloned().unwrap_or_default();
    }
}

/// How many messages there are of each role and text.
type Folded = HashMap<(Discriminant<Role>, String), usize>;

/// What was recalled stood below the message in the window.
fn key(role: Role, content: &str) -> (Discriminant<Role>, String) {
    (std::mem::discriminant(&role), content.trim_end().to_owned())
}

/// Marks of each text as many messages as were folded, the oldest first.
fn mark(connection: &mut Connection, session: &str, mut left: Folded) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    episodic::fold(&transaction, session, |role, content| {
        let count = left.get_mut(&key(role, content)).filter(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    })?;
    transaction.commit()
}

/// What a session is about, by its first message: its first line, as many whole words as have room.
fn title(message: &str) -> Option<String> {
    let mut words = message.lines().find(|line| !line.trim().is_empty())?.split_whitespace();
    let mut line = words.next()?.to_owned();
    // A line may be a whole document: no more of it is read than a title has room for.
    while hermes_text::char_count(&line) <= TITLE {
        let Some(word) = words.next() else { return Some(line) };
        line.push(' ');
        line.push_str(word);
    }
    let cut = hermes_text::truncate_chars(&line, TITLE - 1);
    // Where words are not set apart, and in a word that is longer, any place will do.
    let whole =
        if line[cut.len()..].starts_with(' ') { cut } else { cut.rsplit_once(' ').map_or(cut, |(words, _)| words) };
    Some(format!("{whole}…"))
}

fn size(message: &NewMessage) -> usize {
    let calls = message.tool_calls.iter().map(|call| call.id.len() + call.name.len() + call.arguments.len());
    message.content.len() + calls.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_whole_words() {
        let check = |message: &str, expected: &str| assert_eq!(title(message).as_deref(), Some(expected));
        check("\n  What to\tserve?  \nAnd when?", "What to serve?");
        check(&"чай ".repeat(30), &format!("{}…", ["чай"; 15].join(" ")));
        check(&"x".repeat(80), &format!("{}…", "x".repeat(59)));
        check(&"茶".repeat(60), &"茶".repeat(60));
        check(
            &format!("{}。{}", "茶".repeat(50), "水".repeat(50)),
            &format!("{}。{}…", "茶".repeat(50), "水".repeat(8)),
        );
        assert_eq!(title(" \n "), None);
    }
}
