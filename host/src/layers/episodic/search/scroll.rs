//! What was said around a message, and which sessions there are.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension as _, Result};

use super::filter::{self, Admitted, Filter, Reader, SessionInfo};
use super::passage::{Excerpt, excerpt};

/// A conversation goes on in another session no more often than this.
const HOPS: usize = 50;

/// A message in its place.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number.
    pub message: i64,
    /// The session that it is in.
    pub session: String,
    /// Who said it.
    pub role: String,
    /// When, in Unix milliseconds.
    pub at_ms: i64,
    /// What was said, to a budget; its hits are empty.
    pub excerpt: Excerpt,
    /// The tools that were called with it.
    pub calls: Vec<String>,
}

/// What was said around a message.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// In the order in which it was said.
    pub lines: Vec<Line>,
    /// Something was said before them.
    pub more_before: bool,
    /// Something was said after them.
    pub more_after: bool,
}

/// Which way to go from a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Back,
    Forth,
}

/// What was said around a message, across the sessions that the conversation went through; None where there is no such
/// message that may be seen.
pub(super) fn scroll(
    db: &Connection,
    reader: &Reader,
    around: i64,
    [before, after]: [usize; 2],
    chars: usize,
) -> Result<Option<Around>> {
    let filter = Filter::default();
    let admitted = Admitted::new(db, reader, &filter)?;
    let Some(head) = filter::head(db, around)?.filter(|head| admitted.admits(head)) else { return Ok(None) };
    // One more tells whether there are more.
    let mut back = walk(db, &admitted, head.session, around, Way::Back, before + 1)?;
    let mut forth = walk(db, &admitted, head.session, around, Way::Forth, after + 1)?;
    let (more_before, more_after) = (back.len() > before, forth.len() > after);
    back.truncate(before);
    forth.truncate(after);
    back.reverse();
    let ids = back.into_iter().chain([around]).chain(forth);
    let lines = ids.filter_map(|id| line(db, id, chars).transpose()).collect::<Result<_>>()?;
    Ok(Some(Around { lines, more_before, more_after }))
}

/// The numbers of messages from one on, the nearest first; those of other audiences are passed over.
fn walk(db: &Connection, admitted: &Admitted<'_>, session: i64, from: i64, way: Way, most: usize) -> Result<Vec<i64>> {
    let sql = match way {
        Way::Back => "SELECT id, audience FROM messages WHERE session = ?1 AND id < ?2 ORDER BY id DESC",
        Way::Forth => "SELECT id, audience FROM messages WHERE session = ?1 AND id > ?2 ORDER BY id",
    };
    let mut select = db.prepare_cached(sql)?;
    let (mut found, mut seen, mut next) = (Vec::new(), HashSet::new(), Some((session, from)));
    while let Some((session, from)) = next.filter(|(session, _)| seen.len() < HOPS && seen.insert(*session)) {
        let mut rows = select.query((session, from))?;
        while found.len() < most
            && let Some(row) = rows.next()?
        {
            if admitted.admits_audience(row.get(1)?) {
                found.push(row.get(0)?);
            }
        }
        if found.len() >= most {
            break;
        }
        next = match way {
            Way::Back => relative(db, "s.name = (SELECT parent FROM sessions WHERE id = ?1)", session)?
                .map(|session| (session, i64::MAX)),
            Way::Forth => relative(
                db,
                "s.parent = (SELECT name FROM sessions WHERE id = ?1) ORDER BY s.context <> 'primary', s.started_ms, s.id",
                session,
            )?
            .map(|session| (session, 0)),
        };
    }
    Ok(found)
}

fn relative(db: &Connection, which: &str, session: i64) -> Result<Option<i64>> {
    let mut select = db.prepare_cached(&format!("SELECT s.id FROM sessions s WHERE {which} LIMIT 1"))?;
    select.query_row([session], |row| row.get(0)).optional()
}

fn line(db: &Connection, id: i64, chars: usize) -> Result<Option<Line>> {
    let mut select = db.prepare_cached(
        "SELECT m.id, s.name, m.role, m.at_ms, m.content, m.tool_calls
         FROM messages m JOIN sessions s ON s.id = m.session WHERE m.id = ?1",
    )?;
    let read = |row: &rusqlite::Row<'_>| {
        let calls = row.get_ref(5)?.as_str_or_null()?.unwrap_or_default();
        let calls: Vec<hermes_provider_api::records::ToolCall> = serde_json::from_str(calls).unwrap_or_default();
        Ok(Line {
            message: row.get(0)?,
            session: row.get(1)?,
            role: row.get(2)?,
            at_ms: row.get(3)?,
            excerpt: excerpt(row.get_ref(4)?.as_str()?, &[], chars),
            calls: calls.into_iter().map(|call| call.name).collect(),
        })
    };
    select.query_row([id], read).optional()
}

/// A session, and how it began.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The session.
    pub session: SessionInfo,
    /// The first message of the user in it that may be seen.
    pub opening: Option<Line>,
}

/// The sessions that were last spoken in, the newest first; `title` stands in their title, in any case.
pub(super) fn browse(
    db: &Connection,
    reader: &Reader,
    filter: &Filter,
    title: Option<&str>,
    limit: usize,
    chars: usize,
) -> Result<Vec<Listed>> {
    let admitted = Admitted::new(db, reader, filter)?;
    let title = title.map(hermes_text::normalize);
    let newest = "s.last_ms < ?1 OR (s.last_ms = ?1 AND s.id < ?2) ORDER BY s.last_ms DESC, s.id DESC LIMIT 200";
    let (mut found, mut from) = (Vec::new(), (i64::MAX, i64::MAX));
    while found.len() < limit {
        let sessions = filter::sessions_where(db, newest, &[&from.0, &from.1])?;
        let Some(last) = sessions.last() else { break };
        from = (last.last_ms, last.id);
        if filter.since.is_some_and(|since| last.last_ms < since)
            && sessions.iter().all(|s| s.last_ms < filter.since.unwrap_or(0))
        {
            break;
        }
        for mut session in sessions {
            if found.len() == limit {
                break;
            }
            let in_time = filter.since.is_none_or(|since| session.last_ms >= since)
                && filter.until.is_none_or(|until| session.started_ms < until);
            let has_title = |wanted: &String| {
                session.title.as_deref().is_some_and(|title| hermes_text::normalize(title).contains(wanted.as_str()))
            };
            if !in_time || !admitted.admits_session(&session) || !title.as_ref().is_none_or(has_title) {
                continue;
            }
            // A title may speak of what others heard.
            if !filter::is_audible(db, &admitted, session.id)? {
                if title.is_some() {
                    continue;
                }
                session.title = None;
            }
            if let Some(opening) = opening(db, &admitted, session.id, chars)? {
                found.push(Listed { session, opening });
            }
        }
    }
    Ok(found)
}

/// The first message of the user that may be seen; the outer None: nothing may be seen.
fn opening(db: &Connection, admitted: &Admitted<'_>, session: i64, chars: usize) -> Result<Option<Option<Line>>> {
    let mut select = db.prepare_cached("SELECT id, audience, role FROM messages WHERE session = ?1 ORDER BY id")?;
    let mut rows = select.query([session])?;
    let mut is_visible = false;
    while let Some(row) = rows.next()? {
        if !admitted.admits_audience(row.get(1)?) {
            continue;
        }
        is_visible = true;
        if row.get_ref(2)?.as_str()? == "user" {
            return Ok(Some(line(db, row.get(0)?, chars)?));
        }
    }
    Ok(is_visible.then_some(None))
}
