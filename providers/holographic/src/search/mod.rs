//! From words and names to facts.
//!
//! All work here is bounded: a query has at most [`query::MAX_TERMS`] terms, counting how often a word occurs stops
//! where it is known to be common, and no more than [`ranked::MAX_CANDIDATES`] facts are weighed.

mod mentions;
mod past;
mod query;
mod ranked;

use crate::facts::Fact;

pub(crate) use mentions::{PART_OF_NAME, probe, reason, related};
pub(crate) use past::past;
pub(crate) use query::{Query, bounded, says_something};
pub(crate) use ranked::search;

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

/// Best first; the newer of equals.
fn sort(hits: &mut [Hit]) {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.fact.id.cmp(&a.fact.id)));
}

/// What trust does to a score: nothing for a fact that was never rated, down to half for one that never helped.
fn trusted(score: f64, fact: &Fact) -> f64 {
    score * (0.5 + fact.standing)
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
