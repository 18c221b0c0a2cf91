//! Search among what facts said before.

use std::collections::HashSet;

use hermes_text::query_terms;
use rusqlite::Connection;

use super::{Hit, bounded, quoted, ratio, trusted};
use crate::audience::Audience;
use crate::error::Result;
use crate::facts::Filter;
use crate::history::{self, State};

/// No more words than this are looked for.
const MAX_TERMS: usize = 48;
/// What a question's words are worth in a version, beside what they are in a fact that is current.
const WORTH: f64 = 0.9;

/// Versions that have some of the words of a question, in no particular order. The coverage is the share of its words:
/// how rare they are is known of current facts only.
pub(crate) fn past(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    question: &str,
) -> Result<Vec<(State, Hit)>> {
    let terms: Vec<String> = query_terms(bounded(question)).into_iter().take(MAX_TERMS).collect();
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let words: Vec<String> = terms.iter().map(|term| quoted(term)).collect();
    let states = history::matching(db, audience, &words.join(" OR "))?;
    let hit = |state: &State| {
        let having: HashSet<&str> = state.terms.split(' ').collect();
        let matched = terms.iter().filter(|term| having.contains(term.as_str())).count();
        let coverage = ratio(matched, terms.len());
        Hit { fact: state.fact.clone(), score: trusted(WORTH * coverage, state.fact.standing), coverage, matched }
    };
    let admitted = states.into_iter().filter(|state| filter.admits(&state.fact));
    Ok(admitted
        .map(|state| {
            let hit = hit(&state);
            (state, hit)
        })
        .collect())
}
