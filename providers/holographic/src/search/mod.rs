//! From words and names to facts.
//!
//! All work here is bounded: a query has at most [`query::MAX_TERMS`] words, of common ones the newest facts are looked
//! at, few facts are weighed ([`Bounds`]), and only those that are answered are read whole.

mod candidates;
mod mentions;
mod past;
mod query;
mod ranked;
mod rows;

use rusqlite::Connection;

use crate::audience::Audience;
use crate::error::Result;
use crate::facts::{self, Fact, Filter};
use crate::index::Map;
use rows::Weighed;

pub(crate) use candidates::Bounds;
pub(crate) use mentions::{PART_OF_NAME, mentioning, probe, reason, related};
pub(crate) use past::past;
pub(crate) use query::{Query, bounded, says_something};
pub(crate) use ranked::{Ranking, Wanted, best, search};
pub(crate) use rows::Rows;

/// How many of the best facts are put in another order than that of their words.
pub(crate) const JUDGED: usize = 50;

/// A fact that was found.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub fact: Fact,
    /// Higher is better; comparable within one answer only.
    pub score: f64,
    /// How much of what was asked for the fact has, 0 to 1.
    pub coverage: f64,
    /// How many of the asked words the fact has.
    pub matched: usize,
}

/// The same without the fact itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub id: i64,
    pub score: f64,
    pub coverage: f64,
    pub matched: usize,
}

impl Hit {
    /// Without the fact itself.
    pub(crate) fn found(&self) -> Found {
        Found { id: self.fact.id, score: self.score, coverage: self.coverage, matched: self.matched }
    }
}

/// Best first; the newer of equals.
pub(crate) fn sort(found: &mut [Found]) {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
}

/// Reads the facts, in the order in which they were found.
pub(crate) fn load(db: &Connection, audience: &Audience<'_>, filter: &Filter, found: Vec<Found>) -> Result<Vec<Hit>> {
    let facts = facts::many(db, audience, filter, found.iter().map(|found| found.id))?;
    let mut facts: Map<i64, Fact> = facts.into_iter().map(|fact| (fact.id, fact)).collect();
    let hit = |Found { id, score, coverage, matched }| Some(Hit { fact: facts.remove(&id)?, score, coverage, matched });
    Ok(found.into_iter().filter_map(hit).collect())
}

/// What trust does to a score: nothing for a fact that was never rated, down to half for one that never helped.
pub(crate) fn trusted(score: f64, standing: f64) -> f64 {
    score * (0.5 + standing)
}

impl Weighed<'_> {
    fn trusted(&self, score: f64) -> f64 {
        trusted(score, self.standing)
    }
}

/// Terms as an FTS5 string. They hold letters, digits and marks alone, so nothing in them can be an operator.
fn quoted(term: &str) -> String {
    format!("\"{term}\"")
}

/// A share as a number.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    number(part) / number(whole.max(1))
}
