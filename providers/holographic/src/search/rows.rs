//! What a ranking needs of facts, read without the rest of them.

use std::collections::HashMap;

use hermes_provider_api::Scope;
use hermes_provider_api::records::UnixMillis;
use rusqlite::{Connection, Row};

use crate::audience::Audience;
use crate::error::{Error, Result};
use crate::facts::Filter;
use crate::index::Packed;

/// A fact to be weighed.
pub(crate) struct Weighed<'r> {
    pub(crate) id: i64,
    pub(super) words: Packed<'r>,
    /// See [`Fact::standing`](crate::facts::Fact::standing).
    pub(crate) standing: f64,
    /// Learnt in the project that is asked from.
    pub(super) same_project: bool,
}

/// Reads facts that an audience may see and a filter admits.
pub(crate) struct Rows<'a> {
    db: &'a Connection,
    audience: &'a Audience<'a>,
    filter: &'a Filter,
    /// Scopes as the file has them, of which there are few: who may see them, and whether they are of the project.
    scopes: HashMap<String, (bool, bool)>,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(db: &'a Connection, audience: &'a Audience<'a>, filter: &'a Filter) -> Self {
        Self { db, audience, filter, scopes: HashMap::new() }
    }

    /// Hands those of the facts over that are admitted.
    pub(crate) fn each(&mut self, ids: &mut [i64], mut take: impl FnMut(Weighed<'_>)) -> Result<()> {
        // Neighbours in the file one after another.
        ids.sort_unstable();
        // Who may see a fact is asked of the rule itself, once for each scope.
        let mut select = self.db.prepare_cached(
            "SELECT words, trust, category, valid_from_ms, valid_to_ms, updated_ms, used_ms, scope
             FROM facts WHERE fact_id = ?1 AND merged_into IS NULL",
        )?;
        for id in ids {
            let mut rows = select.query([*id])?;
            let Some(row) = rows.next()? else { continue };
            let (visible, same_project) = self.scope(row.get_ref(7)?.as_str()?);
            let trust: f64 = row.get(1)?;
            if !visible
                || !self.filter.fits(trust, row.get_ref(2)?.as_str()?, time(row, 3)?.unwrap_or(0), time(row, 4)?)
            {
                continue;
            }
            let touched = time(row, 5)?.max(time(row, 6)?).unwrap_or(0);
            let words = Packed::read(row.get_ref(0)?.as_blob()?);
            take(Weighed {
                id: *id,
                words: words.ok_or_else(|| Error::DamagedIndex("the words of a fact".to_owned()))?,
                standing: self.filter.standing(trust, touched),
                same_project,
            });
        }
        Ok(())
    }

    fn scope(&mut self, json: &str) -> (bool, bool) {
        if let Some(known) = self.scopes.get(json) {
            return *known;
        }
        let own = self.audience.scope;
        let read = serde_json::from_str::<Scope>(json).map_or((false, false), |scope| {
            (scope.visible_to(own), !scope.project.is_empty() && scope.project == own.project)
        });
        self.scopes.insert(json.to_owned(), read);
        read
    }
}

fn time(row: &Row<'_>, at: usize) -> Result<Option<UnixMillis>> {
    let millis: Option<i64> = row.get(at)?;
    Ok(millis.map(|millis| UnixMillis::try_from(millis).unwrap_or_default()))
}
