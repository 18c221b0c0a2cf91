//! Reading: the sessions of a home, one of them, its messages.

use std::sync::Arc;

use hermes_provider_api::records::Context;
use rusqlite::{OptionalExtension as _, params};

use super::rows::{self, MESSAGE, SESSION, signed};
use super::{Message, Session};
use crate::clock::UnixMillis;
use crate::db::{Db, DbError};
use crate::error::Hint;

/// The archive of a home. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Archive {
    pub(super) db: Arc<Db>,
}

/// Something about the archive could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// There is no such session.
    #[error("no session is called `{0}`")]
    Unknown(String),
    /// Several are meant.
    #[error("`{which}` may be {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "))]
    Ambiguous {
        /// What was asked for.
        which: String,
        /// The first of those that it may be.
        names: Vec<String>,
    },
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DbError),
}

impl Hint for ArchiveError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Unknown(_) => vec!["`hermes sessions list` shows them".to_owned()],
            Self::Ambiguous { .. } => vec!["type more of it".to_owned()],
            Self::Database(error) => error.hints(),
        }
    }
}

/// Which sessions. The default is all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only of this platform.
    pub platform: Option<String>,
    /// Only of this chat.
    pub chat: Option<String>,
    /// Only with this user.
    pub user: Option<String>,
    /// Only about this project.
    pub project: Option<String>,
    /// Only in this role.
    pub context: Option<Context>,
    /// Only those in which something was said then or later.
    pub since: Option<UnixMillis>,
    /// Only those that began before.
    pub until: Option<UnixMillis>,
    /// Only those whose title has this, in any case.
    pub title: Option<String>,
    /// No more than these; None for all.
    pub limit: Option<usize>,
}

impl Archive {
    /// That in this database.
    #[must_use]
    pub fn new(db: Arc<Db>) -> Self {
        Self { db }
    }

    /// The database that it is in.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Sessions, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Session>, ArchiveError> {
        let sql = format!(
            "SELECT {SESSION} FROM sessions s JOIN audiences a ON a.id = s.audience
             WHERE (?1 IS NULL OR a.platform = ?1) AND (?2 IS NULL OR a.chat = ?2) AND (?3 IS NULL OR a.user = ?3)
               AND (?4 IS NULL OR a.project = ?4) AND (?5 IS NULL OR s.context = ?5)
               AND (?6 IS NULL OR s.last_ms >= ?6) AND (?7 IS NULL OR s.started_ms < ?7)
             ORDER BY s.last_ms DESC, s.id DESC"
        );
        let Filter { platform, chat, user, project, context, since, until, title, limit } = filter;
        let (context, since, until) = (context.map(rows::context), since.map(signed), until.map(signed));
        let title = title.as_deref().map(hermes_text::normalize);
        let fits = |session: &Session| {
            let has = |wanted: &String| {
                session.head.title.as_deref().map(hermes_text::normalize).is_some_and(|title| title.contains(&**wanted))
            };
            title.as_ref().is_none_or(has)
        };
        Ok(self.db.with(|connection| {
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query_map(params![platform, chat, user, project, context, since, until], rows::session)?;
            let fitting = rows.filter(|row| row.as_ref().map_or(true, fits));
            fitting.take(limit.unwrap_or(usize::MAX)).collect()
        })?)
    }

    /// The session of this id, or the only one whose id begins so.
    ///
    /// # Errors
    /// When there is none, or several; when the database cannot be read.
    pub fn find(&self, which: &str) -> Result<Session, ArchiveError> {
        let one = format!("SELECT {SESSION} FROM sessions s JOIN audiences a ON a.id = s.audience WHERE s.name = ?1");
        let alike = "SELECT name FROM sessions WHERE substr(name, 1, length(?1)) = ?1 ORDER BY last_ms DESC LIMIT 4";
        let get = |name: &str| {
            self.db.with(|connection| connection.prepare_cached(&one)?.query_row([name], rows::session).optional())
        };
        if let Some(session) = get(which)? {
            return Ok(session);
        }
        let mut names: Vec<String> = match which {
            "" => Vec::new(),
            _ => {
                self.db.with(|connection| connection.prepare(alike)?.query_map([which], |row| row.get(0))?.collect())?
            }
        };
        let unknown = || ArchiveError::Unknown(which.to_owned());
        match (names.pop(), names.is_empty()) {
            (None, _) => Err(unknown()),
            (Some(only), true) => get(&only)?.ok_or_else(unknown),
            (Some(last), false) => {
                names.push(last);
                Err(ArchiveError::Ambiguous { which: which.to_owned(), names })
            }
        }
    }

    /// Messages of a session in order: those after an id (0 for the first), at most so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn messages(&self, session: &Session, after: i64, limit: usize) -> Result<Vec<Message>, ArchiveError> {
        let sql = format!(
            "SELECT {MESSAGE} FROM messages m JOIN sessions s ON s.id = m.session JOIN audiences a ON a.id = m.audience
             WHERE m.session = ?1 AND m.id > ?2 ORDER BY m.id LIMIT ?3"
        );
        Ok(self.db.with(|connection| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            connection.prepare_cached(&sql)?.query_map(params![session.row, after, limit], rows::message)?.collect()
        })?)
    }

    /// Gives a session another title.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn rename(&self, session: &Session, title: &str) -> Result<(), ArchiveError> {
        self.set("UPDATE sessions SET title = ?2 WHERE id = ?1", session, title)
    }

    /// Has a session never pruned, or again.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn pin(&self, session: &Session, pinned: bool) -> Result<(), ArchiveError> {
        self.set("UPDATE sessions SET pinned = ?2 WHERE id = ?1", session, pinned)
    }

    /// One that was deleted meanwhile is unknown.
    fn set(&self, sql: &str, session: &Session, value: impl rusqlite::ToSql) -> Result<(), ArchiveError> {
        match self.db.with(|connection| connection.execute(sql, params![session.row, value]))? {
            0 => Err(ArchiveError::Unknown(session.head.name.clone())),
            _ => Ok(()),
        }
    }
}
