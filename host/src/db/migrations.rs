//! The schema, as the steps that led to it. A step that was released is never changed; a change is a new step.

use rusqlite::{Connection, TransactionBehavior};

/// Step *n*, from 1, brings schema *n* − 1 to *n*; `user_version` holds the number.
const STEPS: &[&str] = &[
    // Times are Unix milliseconds; `total_ms` may have fractions.
    "CREATE TABLE hook_health (
        provider TEXT NOT NULL,
        hook TEXT NOT NULL,
        calls INTEGER NOT NULL DEFAULT 0,
        ok INTEGER NOT NULL DEFAULT 0,
        errors INTEGER NOT NULL DEFAULT 0,
        timeouts INTEGER NOT NULL DEFAULT 0,
        hits INTEGER NOT NULL DEFAULT 0,
        total_ms NUMERIC NOT NULL DEFAULT 0,
        last_ok_ms INTEGER,
        last_error_ms INTEGER,
        last_error TEXT,
        PRIMARY KEY (provider, hook)
    ) WITHOUT ROWID;
    CREATE TABLE incidents (
        id INTEGER PRIMARY KEY,
        provider TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        reason TEXT NOT NULL
    );
    CREATE INDEX incidents_by_time ON incidents (provider, at_ms);",
    // Failures of a hook in a row; `until_ms` is NULL while they are too few for a pause.
    "CREATE TABLE pauses (
        provider TEXT NOT NULL,
        hook TEXT NOT NULL,
        failures INTEGER NOT NULL,
        timeouts INTEGER NOT NULL,
        since_ms INTEGER NOT NULL,
        until_ms INTEGER,
        reason TEXT NOT NULL,
        PRIMARY KEY (provider, hook)
    ) WITHOUT ROWID;",
];

/// The newest schema.
pub(super) fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// What the oldest schema was made by.
#[cfg(test)]
pub(super) fn first() -> &'static str {
    STEPS[0]
}

/// Takes all steps that are missing, in one transaction; the inner error is a schema that is newer than the newest.
pub(super) fn run(connection: &mut Connection) -> rusqlite::Result<Result<(), i64>> {
    let version = |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get(0));
    if version(connection)? == known() {
        return Ok(Ok(()));
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = version(&transaction)?;
    let Ok(done) = usize::try_from(found) else { return Ok(Err(found)) };
    let Some(missing) = STEPS.get(done..) else { return Ok(Err(found)) };
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known())?;
    transaction.commit()?;
    Ok(Ok(()))
}
