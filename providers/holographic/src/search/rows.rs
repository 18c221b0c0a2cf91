//! What a ranking needs of facts, read without the rest of them.

use std::collections::HashMap;
use std::sync::LazyLock;

use hermes_provider_api::Scope;
use hermes_provider_api::records::UnixMillis;
use rusqlite::{Connection, Row};

use crate::audience::Audience;
use crate::error::{Error, Result};
use crate::facts::Filter;
use crate::index::Packed;
use crate::store::Batched;

static SELECT: LazyLock<Batched> = LazyLock::new(|| {
    Batched::new(
        "SELECT f.fact_id, f.words, f.trust, f.valid_to_ms, f.scope, f.digest, f.category, f.valid_from_ms, f.updated_ms,
                f.used_ms
         FROM {ids} wanted CROSS JOIN facts f ON f.fact_id = wanted.id WHERE f.merged_into IS NULL",
    )
});

/// A fact to be weighed.
pub(crate) struct Weighed<'r> {
    pub(crate) id: i64,
    pub(super) words: Packed<'r>,
    /// Of its content.
    pub(crate) digest: i64,
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
    /// The one met last: most facts have the same.
    last: (String, (bool, bool)),
}

impl<'a> Rows<'a> {
    pub(crate) fn new(db: &'a Connection, audience: &'a Audience<'a>, filter: &'a Filter) -> Self {
        Self { db, audience, filter, scopes: HashMap::new(), last: Default::default() }
    }

    /// Hands those of the facts over that are admitted.
    pub(crate) fn each(&mut self, ids: &mut [i64], mut take: impl FnMut(Weighed<'_>)) -> Result<()> {
        // Neighbours in the file one after another.
        ids.sort_unstable();
        let db = self.db;
        SELECT.each(db, ids, |row| {
            // Who may see a fact is asked of the rule itself, once for each scope.
            let (visible, same_project) = self.scope(row.get_ref(4)?.as_str()?);
            let (trust, ended): (f64, Option<UnixMillis>) = (row.get(2)?, time(row, 3)?);
            if !visible {
                return Ok(());
            }
            // Most questions ask for nothing that needs the rest of the row.
            let fits = match self.filter.is_plain() {
                true => self.filter.fits(trust, "", 0, ended),
                false => self.filter.fits(trust, row.get_ref(6)?.as_str()?, time(row, 7)?.unwrap_or(0), ended),
            };
            if !fits {
                return Ok(());
            }
            let standing = match self.filter.ages() {
                true => self.filter.standing(trust, time(row, 8)?.max(time(row, 9)?).unwrap_or(0)),
                false => trust,
            };
            let words = Packed::read(row.get_ref(1)?.as_blob()?);
            let words = words.ok_or_else(|| Error::DamagedIndex("the words of a fact".to_owned()))?;
            take(Weighed { id: row.get(0)?, words, digest: row.get(5)?, standing, same_project });
            Ok(())
        })
    }

    fn scope(&mut self, json: &str) -> (bool, bool) {
        if self.last.0 == json {
            return self.last.1;
        }
        let own = self.audience.scope;
        let read = *self.scopes.entry(json.to_owned()).or_insert_with(|| {
            serde_json::from_str::<Scope>(json).map_or((false, false), |scope| {
                (scope.visible_to(own), !scope.project.is_empty() && scope.project == own.project)
            })
        });
        self.last = (json.to_owned(), read);
        read
    }
}

fn time(row: &Row<'_>, at: usize) -> Result<Option<UnixMillis>> {
    let millis: Option<i64> = row.get(at)?;
    Ok(millis.map(|millis| UnixMillis::try_from(millis).unwrap_or_default()))
}
