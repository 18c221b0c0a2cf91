//! Rows of the tables `outbox`, `outbox_lanes` and `last_turns`.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Care, Claimed, Delivery, TurnMark, UnixMillis};

/// Writes a delivery and, where it is a turn, its number. One whose key was written before stays as it is.
pub(super) fn put(to: &Connection, provider: &str, delivery: &Delivery, now: UnixMillis) -> rusqlite::Result<i64> {
    let known = to
        .prepare_cached("SELECT id FROM outbox WHERE provider = ?1 AND key = ?2")?
        .query_row([provider, &delivery.key], |row| row.get(0));
    if let Some(id) = known.optional()? {
        return Ok(id);
    }
    if let Some(TurnMark { session, number, at }) = &delivery.turn {
        to.prepare_cached(
            "INSERT INTO last_turns (session, number, at_ms) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET number = max(number, excluded.number), at_ms = max(at_ms, excluded.at_ms)",
        )?
        .execute(params![session, signed(*number), signed(*at)])?;
    }
    let Delivery { key, kind, what, payload, .. } = delivery;
    to.prepare_cached(
        "INSERT INTO outbox (provider, key, kind, what, payload, added_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![provider, key, kind, what, payload, signed(now)])?;
    let id = to.last_insert_rowid();
    let mut lane = to.prepare_cached("INSERT OR IGNORE INTO outbox_lanes (provider, lane, row) VALUES (?1, ?2, ?3)")?;
    for name in &delivery.lanes {
        lane.execute(params![provider, name, id])?;
    }
    Ok(id)
}

/// The oldest row whose time has come and that is first in its lanes. A time after `bound` was written under another
/// clock, and has come.
pub(super) fn first_ready(
    from: &Connection,
    provider: &str,
    now: UnixMillis,
    bound: UnixMillis,
) -> rusqlite::Result<Option<Claimed>> {
    let row = from
        .prepare_cached(
            "SELECT o.id, o.key, o.kind, o.what, o.payload, o.tries, o.failures
             FROM outbox o
             WHERE o.provider = ?1 AND o.dead_ms IS NULL
               AND (o.not_before_ms IS NULL OR o.not_before_ms <= ?2 OR o.not_before_ms > ?3)
               AND NOT EXISTS (
                 SELECT 1 FROM outbox_lanes mine JOIN outbox_lanes earlier
                   ON earlier.provider = mine.provider AND earlier.lane = mine.lane
                  AND earlier.open = 1 AND earlier.row < mine.row
                 WHERE mine.row = o.id)
             ORDER BY o.id LIMIT 1",
        )?
        .query_row(params![provider, signed(now), signed(bound)], |row| {
            Ok(Claimed {
                id: row.get(0)?,
                tries: row.get(5)?,
                failures: row.get(6)?,
                delivery: Delivery {
                    key: row.get(1)?,
                    lanes: Vec::new(),
                    kind: row.get(2)?,
                    payload: row.get(4)?,
                    what: row.get(3)?,
                    care: Care::MustArrive,
                    turn: None,
                },
            })
        });
    row.optional()
}

/// When the next row may go that has to wait. One whose time has come and that did not go waits for another.
pub(super) fn soonest(from: &Connection, provider: &str, now: UnixMillis) -> rusqlite::Result<Option<UnixMillis>> {
    let soonest: Option<i64> = from
        .prepare_cached(
            "SELECT min(not_before_ms) FROM outbox
             WHERE provider = ?1 AND dead_ms IS NULL AND not_before_ms > ?2",
        )?
        .query_row(params![provider, signed(now)], |row| row.get(0))?;
    Ok(soonest.map(i64::cast_unsigned))
}

/// SQLite's integers have a sign.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
