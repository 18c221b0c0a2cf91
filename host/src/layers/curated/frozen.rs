//! Snapshots that outlive their process: a session that another process takes up has the prompt that it had, byte for
//! byte, and the model's cache of it is not paid for again.

use hermes_provider_api::records::{ChatKind, Scope};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::Curated;
use crate::clock::UnixMillis;

/// How many are kept.
const KEPT: i64 = 500;
/// How long one is kept that no process asks for: 60 days, in milliseconds.
const LONGEST: UnixMillis = 60 * DAY;
const DAY: UnixMillis = 24 * 3600 * 1000;

/// Whose snapshot it is: a change of the settings is no reason to show what is off by now.
struct Key<'a> {
    session: &'a str,
    audience: &'static str,
    set_up: String,
}

impl Curated {
    /// The [snapshot](Self::snapshot) that a session has before an audience: as it was when the session started, in
    /// whichever process that was. With `keep` it is from now on.
    #[must_use]
    pub fn frozen(&self, session: &str, audience: &Scope, keep: bool) -> String {
        let render = || self.snapshot(audience).text;
        let Some(db) = self.db.as_deref().filter(|_| !session.is_empty()) else { return render() };
        let (set_up, now) = (format!("{:?} {:?}", self.settings.memory, self.settings.user), self.clock.now());
        let audience = if audience.chat_kind == ChatKind::Private { "private" } else { "group" };
        let key = Key { session, audience, set_up };
        let known = db.with_relaxed(|connection| key.find(connection, now));
        let text = match known {
            Ok(Some(text)) => text,
            Ok(None) if keep => {
                let new = render();
                let kept = db.with_relaxed(|connection| key.keep(connection, &new, now));
                kept.unwrap_or_else(|error| {
                    tracing::warn!(%error, session, "its snapshot is kept only as long as this process lives");
                    new
                })
            }
            Ok(None) => return render(),
            Err(error) => {
                tracing::warn!(%error, session, "its snapshot is made anew");
                return render();
            }
        };
        // What has become known as a secret since.
        self.checks.redactor.redact(&text).into_owned()
    }

    /// The session starts again, or is over: its next snapshot is of that time.
    pub fn thaw(&self, session: &str) {
        let Some(db) = &self.db else { return };
        let sql = "DELETE FROM snapshots WHERE session = ?1";
        if let Err(error) = db.with_relaxed(|connection| connection.prepare_cached(sql)?.execute([session])) {
            tracing::warn!(%error, session, "its old snapshot may be used again");
        }
    }
}

impl Key<'_> {
    fn find(&self, connection: &Connection, now: UnixMillis) -> rusqlite::Result<Option<String>> {
        let Self { session, audience, set_up } = self;
        let sql = "SELECT text, at_ms FROM snapshots WHERE session = ?1 AND audience = ?2 AND set_up = ?3";
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?));
        let found = connection.prepare_cached(sql)?.query_row(params![session, audience, set_up], row).optional()?;
        if let Some((_, at)) = found
            && now.saturating_sub(at.cast_unsigned()) > DAY
        {
            let used = "UPDATE snapshots SET at_ms = ?2 WHERE session = ?1";
            connection.prepare_cached(used)?.execute(params![session, now.cast_signed()])?;
        }
        Ok(found.map(|(text, _)| text))
    }

    /// Of two processes that begin a session at the same moment, both have that of the first.
    fn keep(&self, connection: &mut Connection, text: &str, now: UnixMillis) -> rusqlite::Result<String> {
        let Self { session, audience, set_up } = self;
        let transaction = connection.transaction()?;
        transaction
            .prepare_cached(
                "INSERT INTO snapshots (session, audience, set_up, text, at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO UPDATE SET set_up = excluded.set_up, text = excluded.text, at_ms = excluded.at_ms
                 WHERE set_up <> excluded.set_up",
            )?
            .execute(params![session, audience, set_up, text, now.cast_signed()])?;
        transaction
            .prepare_cached(
                "DELETE FROM snapshots WHERE at_ms < ?1
                 OR id IN (SELECT id FROM snapshots ORDER BY at_ms DESC, id DESC LIMIT -1 OFFSET ?2)",
            )?
            .execute(params![now.saturating_sub(LONGEST).cast_signed(), KEPT])?;
        let kept = transaction.query_row(
            "SELECT text FROM snapshots WHERE session = ?1 AND audience = ?2",
            params![session, audience],
            |row| row.get(0),
        )?;
        transaction.commit()?;
        Ok(kept)
    }
}
