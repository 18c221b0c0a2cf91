//! A statement that is run for many ids.

use rusqlite::{Connection, Row, params_from_iter};

use crate::error::Result;

/// So many ids are looked up by one run: to begin and end a run takes longer than to find a row.
const AT_ONCE: usize = 20;

/// A statement for one id, and the same for many.
pub(crate) struct Batched {
    one: String,
    many: String,
}

impl Batched {
    /// `sql` has `{ids}` where the table of ids is wanted; its column is `id`.
    pub(crate) fn new(sql: &str) -> Self {
        let of = |count: usize| {
            let values = vec!["(?)"; count].join(",");
            sql.replace("{ids}", &format!("(SELECT column1 AS id FROM (VALUES {values}))"))
        };
        Self { one: of(1), many: of(AT_ONCE) }
    }

    /// Hands over all rows of these ids, in their order.
    pub(crate) fn each(
        &self,
        db: &Connection,
        ids: &[i64],
        mut take: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let (chunks, rest) = ids.as_chunks::<AT_ONCE>();
        let runs = chunks.iter().map(|chunk| (&self.many, &chunk[..])).chain(rest.chunks(1).map(|id| (&self.one, id)));
        for (sql, ids) in runs {
            let mut select = db.prepare_cached(sql)?;
            let mut rows = select.query(params_from_iter(ids))?;
            while let Some(row) = rows.next()? {
                take(row)?;
            }
        }
        Ok(())
    }
}
