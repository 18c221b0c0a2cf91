//! Who asks, and what is admitted.

use std::collections::{HashMap, HashSet};

use hermes_provider_api::records::{ChatKind, Scope};
use rusqlite::{Connection, OptionalExtension as _, Result};

use super::index::{self, postings};

/// Messages of an audience that is no larger are listed before anything is looked for.
const FEW: i64 = 50_000;

/// Who asks.
#[derive(Clone, Debug)]
pub enum Reader {
    /// The person at the terminal, whose archive it is.
    Owner,
    /// This audience, which sees what is [visible](Scope::visible_to) to it.
    Audience(Scope),
}

/// Which sessions are wanted beside the user's own conversations: those of jobs, of helpers and of reviews.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Others {
    /// After the user's own.
    #[default]
    Last,
    /// Like any.
    Mixed,
    /// None of them.
    None,
}

/// What is wanted. An empty one wants all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// No older messages, in Unix milliseconds.
    pub since: Option<i64>,
    /// Only older ones.
    pub until: Option<i64>,
    /// Only of this platform.
    pub platform: Option<String>,
    /// Only of this chat.
    pub chat: Option<String>,
    /// Only with this user.
    pub user: Option<String>,
    /// Only of this project.
    pub project: Option<String>,
    /// Only of these roles: `user`, `assistant`, `tool`, `system`. Empty for all.
    pub roles: Vec<String>,
    /// Only of these sessions. Empty for all.
    pub sessions: Vec<String>,
    /// Of none of these.
    pub not_sessions: Vec<String>,
    /// Sessions that are nobody's own conversation.
    pub others: Others,
}

/// A session of the archive, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its number in the database.
    pub id: i64,
    /// Its id.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Where it took place.
    pub platform: String,
    /// `primary`, or the role that it ran in.
    pub context: String,
    /// The session that it goes on from.
    pub parent: Option<String>,
    /// Its first message.
    pub started_ms: i64,
    /// Its last one.
    pub last_ms: i64,
    /// How many there are.
    pub messages: i64,
}

impl SessionInfo {
    /// It is a conversation with the user.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.context == "primary"
    }
}

/// A message without its text.
#[derive(Clone)]
pub(super) struct Head {
    pub(super) id: i64,
    pub(super) session: i64,
    pub(super) audience: i64,
    pub(super) role: String,
    pub(super) at_ms: i64,
}

/// What is admitted, worked out for one question.
pub(super) struct Admitted<'f> {
    filter: &'f Filter,
    /// None: all.
    audiences: Option<HashSet<i64>>,
    within: Option<HashSet<i64>>,
    without: HashSet<i64>,
    /// All that may be found, where these are few; ascending.
    pub(super) few: Option<Vec<i64>>,
    sessions: HashMap<i64, SessionInfo>,
}

impl<'f> Admitted<'f> {
    pub(super) fn new(db: &Connection, reader: &Reader, filter: &'f Filter) -> Result<Self> {
        let audiences = audiences(db, reader, filter)?;
        let number = |name: &String| {
            let mut select = db.prepare_cached("SELECT id FROM sessions WHERE name = ?1")?;
            select.query_row([name], |row| row.get::<_, i64>(0)).optional()
        };
        let numbers = |names: &[String]| -> Result<HashSet<i64>> {
            names.iter().filter_map(|name| number(name).transpose()).collect()
        };
        let within = if filter.sessions.is_empty() { None } else { Some(numbers(&filter.sessions)?) };
        let without = numbers(&filter.not_sessions)?;
        let mut admitted = Self { filter, audiences, within, without, few: None, sessions: HashMap::new() };
        admitted.few = admitted.list(db)?;
        Ok(admitted)
    }

    /// All messages of the sessions, or of the audiences, if these are few.
    fn list(&self, db: &Connection) -> Result<Option<Vec<i64>>> {
        let mut few = Vec::new();
        if let Some(within) = &self.within {
            let mut select = db.prepare_cached("SELECT id FROM messages WHERE session = ?1")?;
            for session in within {
                for id in select.query_map([session], |row| row.get(0))? {
                    few.push(id?);
                }
            }
        } else if let Some(audiences) = &self.audiences {
            let mut total = 0;
            for audience in audiences {
                total += postings::frequency(db, &index::of_audience(*audience))?;
            }
            if total > FEW {
                return Ok(None);
            }
            for audience in audiences {
                few.extend(postings::newest(db, &index::of_audience(*audience), usize::MAX)?.0);
            }
        } else {
            return Ok(None);
        }
        few.sort_unstable();
        Ok(Some(few))
    }

    /// Whether a message is admitted as far as it tells itself.
    pub(super) fn admits(&self, head: &Head) -> bool {
        let filter = self.filter;
        self.audiences.as_ref().is_none_or(|audiences| audiences.contains(&head.audience))
            && self.within.as_ref().is_none_or(|within| within.contains(&head.session))
            && !self.without.contains(&head.session)
            && filter.since.is_none_or(|since| head.at_ms >= since)
            && filter.until.is_none_or(|until| head.at_ms < until)
            && (filter.roles.is_empty() || filter.roles.contains(&head.role))
    }

    /// Whether whoever asks may see the messages of an audience, and wants to.
    pub(super) fn admits_audience(&self, audience: i64) -> bool {
        self.audiences.as_ref().is_none_or(|audiences| audiences.contains(&audience))
    }

    /// Whether a session is admitted by its name and role.
    pub(super) fn admits_session(&self, session: &SessionInfo) -> bool {
        self.within.as_ref().is_none_or(|within| within.contains(&session.id))
            && !self.without.contains(&session.id)
            && (self.filter.others != Others::None || session.is_own())
    }

    /// The session of a message, if it is admitted by its role.
    pub(super) fn session(&mut self, db: &Connection, id: i64) -> Result<Option<&SessionInfo>> {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.sessions.entry(id) {
            let Some(session) = session(db, id)? else { return Ok(None) };
            entry.insert(session);
        }
        let only_own = self.filter.others == Others::None;
        Ok(self.sessions.get(&id).filter(|session| !only_own || session.is_own()))
    }

    pub(super) fn others(&self) -> Others {
        self.filter.others
    }
}

/// The audiences whose messages may be shown and are wanted; None for all.
fn audiences(db: &Connection, reader: &Reader, filter: &Filter) -> Result<Option<HashSet<i64>>> {
    let wants = [&filter.platform, &filter.chat, &filter.user, &filter.project];
    if matches!(reader, Reader::Owner) && wants.iter().all(|want| want.is_none()) {
        return Ok(None);
    }
    let mut select =
        db.prepare_cached("SELECT id, profile, platform, chat, chat_kind, user, project FROM audiences")?;
    let mut rows = select.query([])?;
    let (mut found, mut all) = (HashSet::new(), true);
    while let Some(row) = rows.next()? {
        let kind: String = row.get(4)?;
        let chat_kind = if kind == "private" { ChatKind::Private } else { ChatKind::Group };
        let (profile, platform, chat) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let scope = Scope { profile, platform, chat, chat_kind, user: row.get(5)?, project: row.get(6)? };
        let is_visible = match reader {
            Reader::Owner => true,
            Reader::Audience(audience) => scope.visible_to(audience),
        };
        let has = [&scope.platform, &scope.chat, &scope.user, &scope.project];
        let is_wanted = has.iter().zip(wants).all(|(has, want)| want.as_ref().is_none_or(|want| want == *has));
        if is_visible && is_wanted {
            found.insert(row.get(0)?);
        } else {
            all = false;
        }
    }
    // With no audience at all there is nothing to be found either way.
    Ok((!all).then_some(found))
}

const SESSION: &str =
    "SELECT s.id, s.name, s.title, a.platform, s.context, s.parent, s.started_ms, s.last_ms, s.messages
    FROM sessions s JOIN audiences a ON a.id = s.audience";

fn session(db: &Connection, id: i64) -> Result<Option<SessionInfo>> {
    let mut select = db.prepare_cached(&format!("{SESSION} WHERE s.id = ?1"))?;
    select.query_row([id], read_session).optional()
}

/// Sessions by a condition on `s` and `a`, and what follows it.
pub(super) fn sessions_where(db: &Connection, rest: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<SessionInfo>> {
    let mut select = db.prepare_cached(&format!("{SESSION} WHERE {rest}"))?;
    select.query_map(values, read_session)?.collect()
}

fn read_session(row: &rusqlite::Row<'_>) -> Result<SessionInfo> {
    Ok(SessionInfo {
        id: row.get(0)?,
        name: row.get(1)?,
        title: row.get(2)?,
        platform: row.get(3)?,
        context: row.get(4)?,
        parent: row.get(5)?,
        started_ms: row.get(6)?,
        last_ms: row.get(7)?,
        messages: row.get(8)?,
    })
}

/// A message without its text.
pub(super) fn head(db: &Connection, id: i64) -> Result<Option<Head>> {
    let mut select = db.prepare_cached("SELECT id, session, audience, role, at_ms FROM messages WHERE id = ?1")?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Head { id: row.get(0)?, session: row.get(1)?, audience: row.get(2)?, role: row.get(3)?, at_ms: row.get(4)? })
    };
    select.query_row([id], read).optional()
}

/// Whether a session, with its title, was heard by none but audiences that whoever asks may see.
pub(super) fn is_audible(db: &Connection, admitted: &Admitted<'_>, session: i64) -> Result<bool> {
    let mut select = db.prepare_cached(
        "SELECT audience FROM sessions WHERE id = ?1 UNION SELECT audience FROM messages WHERE session = ?1",
    )?;
    let mut rows = select.query([session])?;
    while let Some(row) = rows.next()? {
        if !admitted.admits_audience(row.get(0)?) {
            return Ok(false);
        }
    }
    Ok(true)
}
