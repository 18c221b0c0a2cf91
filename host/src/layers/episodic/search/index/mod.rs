//! The word index of the archive, derived from it and in the same database.
//!
//! A table of our own and not SQLite's full-text index, as in `holographic`: that one counts the messages of a word by
//! reading them all, keeps removed words until its next merge, and takes half a microsecond for each message of a word
//! where a block of numbers takes a few nanoseconds. Texts are not kept here, nor stemmed: see [`vocabulary`].
//!
//! Messages are entered in the order of their numbers, several at a time, because a common word costs the same for one
//! message as for a hundred. The mark says up to which all are entered; the few behind it are looked at one by one
//! ([`super::find`]), so that nothing has to wait for the index and it heals by itself however it came to be behind. Where
//! many are added, [`Filler`] enters them beside.

mod fill;
mod gather;
mod list;
pub(super) mod postings;
mod text;
pub(super) mod vocabulary;

use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension as _, Result, Row};

pub use fill::Filler;
#[cfg(test)]
pub(super) use fill::Portions;
pub(super) use text::{Stored, beginning, for_each_text};

use super::Settings;
use gather::{Entry, Gathered};

/// How many messages wait before they are entered: a search looks at so many texts in a millisecond, and a turn waits
/// while they are.
pub(super) const WAITING: i64 = 16;
/// How many are entered before the index is written, and how many bytes of them: a word costs the same however many
/// messages have it.
const AT_ONCE: i64 = 50_000;
const BYTES_AT_ONCE: usize = 32 << 20;

/// The mark up to which all messages are entered, and with how much of tool results.
const MARK: &str = "mark";
const TOOL_CHARS: &str = "tool_chars";
/// Up to which message words may be entered before the mark says so, and how often messages behind the mark were
/// forgotten: see [`fill`].
const UNDER_WAY: &str = "under_way";
const FORGOTTEN: &str = "forgotten";
/// What begins the entry that all messages of an audience have, and all of sessions that are nobody's own.
const AUDIENCE: char = '\u{E010}';
const CONTEXT: char = '\u{E011}';

/// How far the index is.
#[derive(serde::Serialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// It is kept, by the settings.
    pub on: bool,
    /// How many messages are not entered yet.
    pub behind: i64,
    /// How many messages there are.
    pub messages: i64,
}

impl Progress {
    /// More messages wait than usually do.
    #[must_use]
    pub fn is_behind(self) -> bool {
        self.behind > WAITING
    }
}

fn damaged() -> Error {
    let what = "the index of the sessions is damaged; `hermes sessions reindex --all` makes it anew";
    Error::FromSqlConversionFailure(0, Type::Blob, what.into())
}

/// The entry of an audience.
pub(super) fn of_audience(audience: i64) -> String {
    format!("{AUDIENCE}{audience}")
}

/// The entry of sessions in a context.
pub(super) fn of_context(context: &str) -> String {
    format!("{CONTEXT}{context}")
}

/// A small number that the index keeps.
fn state(db: &Connection, name: &str) -> Result<Option<i64>> {
    db.prepare_cached("SELECT value FROM search_state WHERE name = ?1")?.query_row([name], |row| row.get(0)).optional()
}

fn set_state(db: &Connection, name: &str, value: i64) -> Result<()> {
    db.prepare_cached("REPLACE INTO search_state (name, value) VALUES (?1, ?2)")?.execute((name, value))?;
    Ok(())
}

/// Up to which message all are entered.
pub(super) fn mark(db: &Connection) -> Result<i64> {
    Ok(state(db, MARK)?.unwrap_or(0))
}

/// How far the index is.
///
/// # Errors
/// What SQLite says.
pub fn progress(db: &Connection, settings: &Settings) -> Result<Progress> {
    let mark = if is_of_other_settings(db, settings)? { 0 } else { mark(db)? };
    let behind = db.query_row("SELECT count(*) FROM messages WHERE id > ?1", [mark], |row| row.get(0))?;
    let messages = db.query_row("SELECT coalesce(sum(messages), 0) FROM sessions", [], |row| row.get(0))?;
    Ok(Progress { on: settings.index, behind, messages })
}

/// Whether what is in it was entered with another share of tool results.
fn is_of_other_settings(db: &Connection, settings: &Settings) -> Result<bool> {
    Ok(state(db, TOOL_CHARS)?.is_some_and(|chars| chars != settings.tool_chars()))
}

/// Enters messages that are not in the index yet, at most so many, in the transaction that the connection is in. To be
/// called after messages were added; nothing is done while only a few wait, nor where the index is off.
///
/// Answers how many it entered.
///
/// # Errors
/// What SQLite says.
pub fn settle(db: &Connection, settings: &Settings, most: i64) -> Result<i64> {
    if !settings.index {
        return Ok(0);
    }
    let waiting: i64 = db
        .prepare_cached("SELECT coalesce((SELECT max(id) FROM messages), 0) - ?1")?
        .query_row([mark(db)?], |row| row.get(0))?;
    if waiting < WAITING { Ok(0) } else { catch_up(db, settings, most) }
}

/// The same without waiting for more.
///
/// # Errors
/// What SQLite says.
pub fn catch_up(db: &Connection, settings: &Settings, most: i64) -> Result<i64> {
    begin(db, settings)?;
    let mut entered = 0;
    while entered < most {
        let done = enter_next(db, settings, AT_ONCE.min(most - entered))?;
        if done == 0 {
            break;
        }
        entered += done;
    }
    Ok(entered)
}

/// Makes sure that what is in it is of these settings.
fn begin(db: &Connection, settings: &Settings) -> Result<()> {
    if is_of_other_settings(db, settings)? {
        clear(db)?;
    }
    if mark(db)? == 0 { set_state(db, TOOL_CHARS, settings.tool_chars()) } else { Ok(()) }
}

fn enter_next(db: &Connection, settings: &Settings, most: i64) -> Result<i64> {
    let mark = mark(db)?;
    let (mut gathered, mut count, mut last, mut bytes) = (Gathered::default(), 0, mark, 0);
    {
        let mut select = db.prepare_cached(SELECT_AFTER)?;
        let mut rows = select.query((mark, most))?;
        while bytes < BYTES_AT_ONCE
            && let Some(row) = rows.next()?
        {
            let message = Stored::read(row)?;
            bytes += gathered.add(&message, context(row)?, settings.index_tool_chars);
            (count, last) = (count + 1, message.id);
        }
    }
    gathered.sorted().try_for_each(|(word, entry)| enter(db, &word, &entry))?;
    if count > 0 {
        set_state(db, MARK, last)?;
    }
    Ok(count)
}

fn enter(db: &Connection, word: &str, entry: &Entry) -> Result<()> {
    let known = postings::append(db, word, &entry.ids, entry.languages)?;
    vocabulary::enter(db, word, entry, known)
}

/// Those behind a mark that are not entered yet, with the context of their session.
const SELECT_AFTER: &str =
    "SELECT m.id, m.role, m.content, m.tool_calls, m.tool, m.audience, m.session, m.at_ms, s.context
    FROM messages m JOIN sessions s ON s.id = m.session WHERE m.id > ?1 ORDER BY m.id LIMIT ?2";
/// One of them.
const SELECT_ENTERED: &str =
    "SELECT m.id, m.role, m.content, m.tool_calls, m.tool, m.audience, m.session, m.at_ms, s.context
    FROM messages m JOIN sessions s ON s.id = m.session WHERE m.id = ?1";
/// One message.
pub(super) const SELECT_ONE: &str =
    "SELECT id, role, content, tool_calls, tool, audience, session, at_ms FROM messages WHERE id = ?1";
/// The newest that are not entered yet, behind a mark.
pub(super) const SELECT_NEWEST: &str = "SELECT id, role, content, tool_calls, tool, audience, session, at_ms
    FROM messages WHERE id > ?1 ORDER BY id DESC LIMIT ?2";

/// The context of the session, in the first two.
fn context<'r>(row: &'r Row<'_>) -> Result<&'r str> {
    Ok(row.get_ref(8)?.as_str()?)
}

/// Takes messages out of the index. To be called in the transaction that deletes them, before it does.
///
/// # Errors
/// What SQLite says.
pub fn forget(db: &Connection, messages: &[i64]) -> Result<()> {
    let (mark, tool_chars) = (mark(db)?, state(db, TOOL_CHARS)?.unwrap_or(0));
    let tool_chars = usize::try_from(tool_chars).unwrap_or(0);
    let mut messages: Vec<i64> = messages.to_vec();
    messages.sort_unstable();
    if messages.last().is_some_and(|last| *last > mark) {
        set_state(db, FORGOTTEN, state(db, FORGOTTEN)?.unwrap_or(0) + 1)?;
    }
    let entered = mark.max(state(db, UNDER_WAY)?.unwrap_or(0));
    messages.truncate(messages.partition_point(|id| *id <= entered));
    for some in messages.chunks(usize::try_from(AT_ONCE).unwrap_or(1)) {
        let mut gathered = Gathered::default();
        let mut select = db.prepare_cached(SELECT_ENTERED)?;
        for id in some {
            let mut rows = select.query([id])?;
            if let Some(row) = rows.next()? {
                gathered.add(&Stored::read(row)?, context(row)?, tool_chars);
            }
        }
        for (word, entry) in gathered.sorted() {
            if let Some(languages) = postings::remove(db, &word, &entry.ids)? {
                vocabulary::remove(db, &word, &entry, languages)?;
            }
        }
    }
    Ok(())
}

/// Empties the index; it is filled again by [`catch_up`].
///
/// # Errors
/// What SQLite says.
pub fn clear(db: &Connection) -> Result<()> {
    let forgotten = state(db, FORGOTTEN)?.unwrap_or(0) + 1;
    db.execute_batch(
        "DELETE FROM search_words; DELETE FROM search_blocks; DELETE FROM search_forms; DELETE FROM search_ends;
         DELETE FROM search_state;",
    )?;
    set_state(db, FORGOTTEN, forgotten)
}
