//! A database of another program under our name: neither broken nor ours, and left as it is.

use rusqlite::Connection;

/// Whose database it is, if it is not ours. Nothing is written.
pub(super) fn owner(connection: &Connection) -> rusqlite::Result<Option<&'static str>> {
    let has = |table: &str| {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        connection.query_row(sql, [table], |row| row.get::<_, i64>(0)).map(|count| count > 0)
    };
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let schema: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(match tables {
        0 if schema == 0 => None,
        // From the first schema on.
        _ if has("hook_health")? => None,
        _ if has("schema_version")? && has("sessions")? && has("messages")? => Some("the Python agent's `state.db`"),
        _ => Some("another program's"),
    })
}
