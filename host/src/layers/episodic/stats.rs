//! How much there is.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _};
use serde::Serialize;

use super::{Archive, ArchiveError};
use crate::clock::UnixMillis;

/// How much is in an archive, at a glance.
#[derive(Serialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Sessions.
    pub sessions: u64,
    /// Messages.
    pub messages: u64,
    /// When something was last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_ms: Option<UnixMillis>,
}

/// The same in detail.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// At a glance.
    #[serde(flatten)]
    pub totals: Totals,
    /// When the first session began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_ms: Option<UnixMillis>,
    /// Sessions that are never pruned.
    pub pinned: u64,
    /// Sessions that were imported.
    pub imported: u64,
    /// Messages that were folded into a summary.
    pub folded: u64,
    /// Messages of turns that were broken off.
    pub partial: u64,
    /// Sessions by their platform.
    pub platforms: BTreeMap<String, u64>,
    /// Messages by who they are from.
    pub roles: BTreeMap<String, u64>,
    /// How long all messages are, bytes.
    pub text_bytes: u64,
    /// How large the file of the database is, with all else that is in it.
    pub file_bytes: u64,
    /// How much of it is free, and given back by `hermes sessions vacuum`.
    pub free_bytes: u64,
}

impl Archive {
    /// How much there is, at a glance.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn totals(&self) -> Result<Totals, ArchiveError> {
        Ok(self.db.with(|connection| totals(connection))?)
    }

    /// How much there is. Reads everything.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn stats(&self) -> Result<Stats, ArchiveError> {
        Ok(self.db.with(|connection| {
            let number = |sql: &str| number(connection, sql);
            let count = |sql: &str| number(sql).map(Option::unwrap_or_default);
            let by = |sql: &str| {
                let mut query = connection.prepare(sql)?;
                let pair = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()));
                query.query_map([], pair)?.collect::<rusqlite::Result<BTreeMap<String, u64>>>()
            };
            let page = count("PRAGMA page_size")?;
            Ok(Stats {
                totals: totals(connection)?,
                first_ms: number("SELECT min(started_ms) FROM sessions")?,
                pinned: count("SELECT count(*) FROM sessions WHERE pinned")?,
                imported: count("SELECT count(*) FROM sessions WHERE source IS NOT NULL")?,
                folded: count("SELECT count(*) FROM messages WHERE flags & 1")?,
                partial: count("SELECT count(*) FROM messages WHERE flags & 2")?,
                platforms: by(
                    "SELECT a.platform, count(*) FROM sessions s JOIN audiences a ON a.id = s.audience GROUP BY 1",
                )?,
                roles: by("SELECT role, count(*) FROM messages GROUP BY 1")?,
                text_bytes: count("SELECT sum(octet_length(content)) FROM messages")?,
                file_bytes: page * count("PRAGMA page_count")?,
                free_bytes: page * count("PRAGMA freelist_count")?,
            })
        })?)
    }
}

fn totals(connection: &Connection) -> rusqlite::Result<Totals> {
    connection.query_row("SELECT count(*), coalesce(sum(messages), 0), max(last_ms) FROM sessions", [], |row| {
        let number = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
        let last_ms = row.get::<_, Option<i64>>(2)?.map(i64::cast_unsigned);
        Ok(Totals { sessions: number(0)?, messages: number(1)?, last_ms })
    })
}

/// The one number that a query answers, if it does.
fn number(connection: &Connection, sql: &str) -> rusqlite::Result<Option<u64>> {
    let number: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?.flatten();
    Ok(number.map(i64::cast_unsigned))
}
