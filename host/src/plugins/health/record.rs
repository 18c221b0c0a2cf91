//! The tables of `hermes.db` that hold how calls went: what is added to them, read of them, and how they are bounded.

use std::collections::BTreeMap;

use hermes_provider_api::Hook;
use rusqlite::{Connection, Row};

use super::HookHealth;
use super::counts::{Noted, Tally};
use super::latency::Histogram;
use crate::clock::UnixMillis;
use crate::db::{Db, DbError};

/// How many incidents of a provider are kept: one that cannot be opened may fail every few seconds, for days.
pub(super) const INCIDENTS_KEPT: i64 = 1000;
/// Of how many providers the record is kept, those that were called last.
pub(super) const PROVIDERS_KEPT: i64 = 64;
/// Once a hook has so many calls in its histogram, all of its steps are halved: percentiles tell of the last thousands
/// of calls, not of last year.
const CALLS_KEPT: i64 = 4096;

/// Adds the calls of a hook to those of all processes.
pub(super) fn add(connection: &Connection, provider: &str, hook: Hook, tally: &Tally) -> rusqlite::Result<()> {
    let signed = |count: u64| count.cast_signed();
    let (error_at, error) = tally.last_error.clone().unzip();
    connection.execute(
        "INSERT INTO hook_health (provider, hook, calls, ok, errors, timeouts, refused, hits, total_ms, last_ok_ms,
                                  last_error_ms, last_error)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (provider, hook) DO UPDATE SET
           calls = calls + excluded.calls, ok = ok + excluded.ok, errors = errors + excluded.errors,
           timeouts = timeouts + excluded.timeouts, refused = refused + excluded.refused, hits = hits + excluded.hits,
           total_ms = total_ms + excluded.total_ms,
           last_ok_ms = coalesce(max(last_ok_ms, excluded.last_ok_ms), last_ok_ms, excluded.last_ok_ms),
           last_error = CASE WHEN excluded.last_error_ms IS NULL OR excluded.last_error_ms < last_error_ms
                             THEN last_error ELSE excluded.last_error END,
           last_error_ms = coalesce(max(last_error_ms, excluded.last_error_ms), last_error_ms, excluded.last_error_ms)",
        rusqlite::params![
            provider,
            hook.name(),
            signed(tally.calls),
            signed(tally.ok),
            signed(tally.errors),
            signed(tally.timeouts),
            signed(tally.refused),
            signed(tally.hits),
            tally.total_ms,
            tally.last_ok.map(signed),
            error_at.map(signed),
            error,
        ],
    )?;
    for (step, calls) in tally.took.steps() {
        connection.execute(
            "INSERT INTO hook_latency (provider, hook, step, calls) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (provider, hook, step) DO UPDATE SET calls = calls + excluded.calls",
            (provider, hook.name(), signed(step as u64), signed(calls)),
        )?;
    }
    connection.execute(
        "UPDATE hook_latency SET calls = (calls + 1) / 2 WHERE provider = ?1 AND hook = ?2 AND
           (SELECT sum(calls) FROM hook_latency WHERE provider = ?1 AND hook = ?2) > ?3",
        (provider, hook.name(), CALLS_KEPT),
    )?;
    Ok(())
}

/// Writes down an incident.
pub(super) fn note(connection: &Connection, provider: &str, noted: &Noted) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO incidents (provider, at_ms, kind, reason) VALUES (?1, ?2, ?3, ?4)",
        (provider, noted.at.cast_signed(), noted.kind.name(), &noted.reason),
    )?;
    connection.execute(
        "DELETE FROM incidents WHERE provider = ?1 AND id <=
           (SELECT id FROM incidents WHERE provider = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        (provider, INCIDENTS_KEPT),
    )?;
    Ok(())
}

/// Forgets the providers that were not called for longest: ids come and go with what is tried out.
pub(super) fn prune(connection: &Connection) -> rusqlite::Result<()> {
    let forgotten = "SELECT provider FROM hook_health GROUP BY provider
        ORDER BY max(max(coalesce(last_ok_ms, 0), coalesce(last_error_ms, 0))) DESC LIMIT -1 OFFSET ?1";
    for table in ["incidents", "pauses", "hook_latency", "hook_health"] {
        connection.execute(&format!("DELETE FROM {table} WHERE provider IN ({forgotten})"), [PROVIDERS_KEPT])?;
    }
    Ok(())
}

/// The last crashes, the oldest first; None when they cannot be read.
pub(super) fn read_crashes(db: &Db, provider: &str) -> Option<Vec<(UnixMillis, String)>> {
    let read = db.with(|connection| {
        let mut query = connection.prepare(
            "SELECT at_ms, reason FROM incidents WHERE provider = ?1 AND kind = 'crash' ORDER BY id DESC LIMIT 10",
        )?;
        let rows = query.query_map([provider], |row| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?)))?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    });
    match read {
        Ok(mut crashes) => {
            crashes.reverse();
            Some(crashes)
        }
        Err(error) => {
            tracing::warn!(%error, "earlier crashes cannot be read");
            None
        }
    }
}

/// What is known of each hook of a provider.
///
/// # Errors
/// When the database cannot be read.
pub fn read(db: &Db, provider: &str) -> Result<Vec<HookHealth>, DbError> {
    db.with(|connection| {
        let took = read_latency(connection, provider)?;
        let mut query = connection.prepare(
            "SELECT hook, calls, ok, errors, timeouts, refused, hits, total_ms, last_ok_ms, last_error_ms, last_error
             FROM hook_health WHERE provider = ?1 ORDER BY hook",
        )?;
        let rows = query.query_map([provider], |row| {
            let mut hook = of_row(row)?;
            let took = took.get(&hook.hook);
            hook.p50_ms = took.and_then(|took| took.percentile(50));
            hook.p95_ms = took.and_then(|took| took.percentile(95));
            Ok(hook)
        })?;
        rows.collect()
    })
}

fn of_row(row: &Row<'_>) -> rusqlite::Result<HookHealth> {
    let count = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
    let time = |at: usize| row.get::<_, Option<i64>>(at).map(|at| at.map(i64::cast_unsigned));
    let calls = count(1)?;
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    let mean_ms = if calls == 0 { 0.0 } else { row.get::<_, f64>(7)? / calls as f64 };
    Ok(HookHealth {
        hook: row.get(0)?,
        calls,
        ok: count(2)?,
        errors: count(3)?,
        timeouts: count(4)?,
        refused: count(5)?,
        hits: count(6)?,
        mean_ms,
        p50_ms: None,
        p95_ms: None,
        last_ok_ms: time(8)?,
        last_error_ms: time(9)?,
        last_error: row.get(10)?,
    })
}

fn read_latency(connection: &Connection, provider: &str) -> rusqlite::Result<BTreeMap<String, Histogram>> {
    let mut query = connection.prepare("SELECT hook, step, calls FROM hook_latency WHERE provider = ?1")?;
    let mut took: BTreeMap<String, Histogram> = BTreeMap::new();
    let mut rows = query.query([provider])?;
    while let Some(row) = rows.next()? {
        let (step, calls) = (row.get::<_, u32>(1)?, row.get::<_, i64>(2)?);
        took.entry(row.get(0)?).or_default().put(step as usize, calls.cast_unsigned());
    }
    Ok(took)
}
