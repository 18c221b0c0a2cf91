//! The rows as a person sees them: listed, counted, tried again, dropped.

use rusqlite::{Connection, OptionalExtension as _, ToSql, params_from_iter};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::clock::UnixMillis;
use crate::db::{Db, DbError};

/// A delivery that waits or was given up.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number.
    pub id: i64,
    /// Whom it is for.
    pub provider: String,
    /// What it is, for a person.
    pub what: String,
    /// The hook.
    pub kind: String,
    /// Whether it is given up.
    pub state: RowState,
    /// When it was written down.
    pub added_ms: UnixMillis,
    /// How often it was tried.
    pub tries: u32,
    /// It is not tried before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_before_ms: Option<UnixMillis>,
    /// Why the last try failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Whether a delivery is given up.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// It will be delivered.
    Waiting,
    /// It was given up; it is kept, and tried again when somebody says so.
    Dead,
}

/// What waits for one provider.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The provider.
    pub provider: String,
    /// How many deliveries wait.
    pub waiting: u64,
    /// How many were given up.
    pub dead: u64,
    /// When the oldest that waits was written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_ms: Option<UnixMillis>,
    /// Whether the provider is left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Hold>,
}

impl Backlog {
    /// How long a delivery may be on its way, milliseconds. What waits for longer is late, wherever that is told.
    pub const LATE_MS: u64 = 10 * 60 * 1000;

    /// Since when the oldest waits, if it is late.
    #[must_use]
    pub fn late_since(&self, now: UnixMillis) -> Option<UnixMillis> {
        self.oldest_ms.filter(|at| now.saturating_sub(*at) > Self::LATE_MS)
    }
}

/// A provider that is left alone for a while.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Until then.
    pub until_ms: UnixMillis,
    /// Why.
    pub reason: String,
}

/// Which rows.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only those for this provider.
    pub provider: Option<String>,
    /// Only these; all, if there is none.
    pub ids: Vec<i64>,
    /// Only those that were given up.
    pub only_dead: bool,
}

/// All rows of a database.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a>(pub &'a Db);

impl Rows<'_> {
    /// The rows, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, selection: &Selection) -> Result<Vec<Row>, DbError> {
        let (condition, values) = selection.condition();
        let sql = format!(
            "SELECT id, provider, what, kind, dead_ms IS NOT NULL, added_ms, tries, not_before_ms, last_error
             FROM outbox WHERE {condition} ORDER BY id"
        );
        self.0.with(|connection| {
            let mut query = connection.prepare(&sql)?;
            let rows = query.query_map(params_from_iter(values), |row| {
                Ok(Row {
                    id: row.get(0)?,
                    provider: row.get(1)?,
                    what: row.get(2)?,
                    kind: row.get(3)?,
                    state: if row.get(4)? { RowState::Dead } else { RowState::Waiting },
                    added_ms: row.get::<_, i64>(5)?.cast_unsigned(),
                    tries: row.get(6)?,
                    not_before_ms: row.get::<_, Option<i64>>(7)?.map(i64::cast_unsigned),
                    last_error: row.get(8)?,
                })
            })?;
            rows.collect()
        })
    }

    /// The ids of what belongs to one of these lanes, waiting or given up.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn of_lanes(&self, lanes: &[&str]) -> Result<Vec<i64>, DbError> {
        self.0.with(|connection| {
            let mut query = connection.prepare("SELECT DISTINCT row FROM outbox_lanes WHERE lane = ?1 ORDER BY row")?;
            let mut rows = Vec::new();
            for lane in lanes {
                let found = query.query_map([lane], |row| row.get(0))?;
                rows.extend(found.collect::<rusqlite::Result<Vec<i64>>>()?);
            }
            rows.sort_unstable();
            rows.dedup();
            Ok(rows)
        })
    }

    /// What a row carries, as it was written down: without secrets. None when there is no such row.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn payload(&self, id: i64) -> Result<Option<Box<RawValue>>, DbError> {
        let sql = "SELECT payload FROM outbox WHERE id = ?1";
        let text: Option<String> =
            self.0.with(|connection| connection.query_row(sql, [id], |row| row.get(0)).optional())?;
        Ok(text.and_then(|text| RawValue::from_string(text).ok()))
    }

    /// Has rows tried at once: those that wait need not wait any more, those that were given up count as new. Answers how
    /// many.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn retry(&self, selection: &Selection) -> Result<usize, DbError> {
        let (condition, values) = selection.condition();
        self.0.with(|connection| {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let run = |sql: String| transaction.execute(&sql, params_from_iter(&values));
            run(format!("UPDATE outbox_lanes SET open = 1 WHERE row IN (SELECT id FROM outbox WHERE {condition})"))?;
            run(format!(
                "UPDATE outbox_providers SET held_until_ms = NULL, refusals = 0
                 WHERE provider IN (SELECT provider FROM outbox WHERE {condition})"
            ))?;
            let rows = run(format!(
                "UPDATE outbox SET dead_ms = NULL, tries = 0, failures = 0, not_before_ms = NULL WHERE {condition}"
            ))?;
            transaction.commit()?;
            Ok(rows)
        })
    }

    /// Forgets rows for good; the archive keeps what was said. Answers how many.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn drop_rows(&self, selection: &Selection) -> Result<usize, DbError> {
        let (condition, values) = selection.condition();
        let sql = format!("DELETE FROM outbox WHERE {condition}");
        self.0.with(|connection| connection.execute(&sql, params_from_iter(values)))
    }

    /// What waits, provider by provider.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn backlog(&self) -> Result<Vec<Backlog>, DbError> {
        self.0.with(|connection| backlog(connection))
    }

    /// When the turn that was written down last ended.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn newest_turn_ms(&self) -> Result<Option<UnixMillis>, DbError> {
        let newest = "SELECT max(at_ms) FROM last_turns";
        self.0.with(|connection| {
            connection.query_row(newest, [], |row| row.get(0)).map(|at: Option<i64>| at.map(i64::cast_unsigned))
        })
    }
}

fn backlog(connection: &Connection) -> rusqlite::Result<Vec<Backlog>> {
    let mut query = connection.prepare_cached(
        "SELECT o.provider, sum(dead_ms IS NULL), sum(dead_ms IS NOT NULL), min(iif(dead_ms IS NULL, added_ms, NULL)),
                p.held_until_ms, p.held_reason
         FROM outbox o LEFT JOIN outbox_providers p ON p.provider = o.provider GROUP BY o.provider ORDER BY o.provider",
    )?;
    let count = |row: &rusqlite::Row<'_>, at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
    let time = |row: &rusqlite::Row<'_>, at: usize| row.get::<_, Option<i64>>(at).map(|at| at.map(i64::cast_unsigned));
    let rows = query.query_map([], |row| {
        let reason = row.get::<_, Option<String>>(5)?.unwrap_or_default();
        Ok(Backlog {
            provider: row.get(0)?,
            waiting: count(row, 1)?,
            dead: count(row, 2)?,
            oldest_ms: time(row, 3)?,
            held: time(row, 4)?.map(|until_ms| Hold { until_ms, reason }),
        })
    })?;
    rows.collect()
}

impl Selection {
    /// Of one provider, all rows.
    #[must_use]
    pub fn of(provider: &str) -> Self {
        Self { provider: Some(provider.to_owned()), ..Self::default() }
    }

    /// As SQL with numbered values. Ids are numbers, and cannot be anything else.
    fn condition(&self) -> (String, Vec<Box<dyn ToSql>>) {
        let mut parts = vec!["1".to_owned()];
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        if let Some(provider) = &self.provider {
            parts.push("provider = ?1".to_owned());
            values.push(Box::new(provider.clone()));
        }
        if !self.ids.is_empty() {
            let ids: Vec<String> = self.ids.iter().map(ToString::to_string).collect();
            parts.push(format!("id IN ({})", ids.join(", ")));
        }
        if self.only_dead {
            parts.push("dead_ms IS NOT NULL".to_owned());
        }
        (parts.join(" AND "), values)
    }
}
