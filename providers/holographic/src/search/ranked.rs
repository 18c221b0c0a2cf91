//! Ranked search: facts that have some of the words.
//!
//! SQLite finds candidates by the rarer words; they are then weighed here over all words. Facts are short, so how
//! often a word stands in one says nothing: what counts is which words it has, how rare they are, whether they stand
//! together as in the question, and how much else the fact says.

use std::collections::{HashMap, HashSet};

use hermes_provider_api::Call;
use rusqlite::Connection;

use super::query::Query;
use super::{Hit, quoted, sort, trusted};
use crate::audience::{Audience, VISIBLE};
use crate::error::Result;
use crate::facts::{self, Fact, Filter};

/// No more facts than this are weighed.
pub(super) const MAX_CANDIDATES: usize = 300;
/// No more occurrences than this are read to find them.
const MAX_OCCURRENCES: i64 = 5000;
/// Fewer candidates than this are joined by facts that share no word with the question, only its topic.
const FEW: usize = 50;
const MAX_TOPIC_WORDS: usize = 96;
/// The usual number of words in a fact.
const USUAL_LENGTH: f64 = 10.0;

/// The best facts for a question.
pub(crate) fn search(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    query: &Query,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<Hit>> {
    let candidates = candidates(db, audience, filter, query)?;
    call.check()?;
    let facts = facts::many(db, audience, filter, candidates)?;
    call.check()?;
    let mut hits: Vec<Hit> = facts.into_iter().filter_map(|fact| weigh(query, fact, audience)).collect();
    sort(&mut hits);
    hits.truncate(limit);
    Ok(hits)
}

fn candidates(db: &Connection, audience: &Audience<'_>, filter: &Filter, query: &Query) -> Result<HashSet<i64>> {
    let mut occurrences = 0;
    let mut finders = Vec::new();
    for term in query.finders() {
        if occurrences + term.frequency > MAX_OCCURRENCES && !finders.is_empty() {
            break;
        }
        occurrences += term.frequency;
        finders.push(quoted(&term.stem));
    }
    let mut found: HashSet<i64> =
        query.terms.iter().flat_map(|term| &term.sounds).copied().take(MAX_CANDIDATES).collect();
    let find = |words: &str, order: &str| -> Result<Vec<i64>> {
        let sql = format!(
            "SELECT f.fact_id FROM facts_fts JOIN facts f ON f.fact_id = facts_fts.rowid
             WHERE facts_fts MATCH ?3 AND {VISIBLE} AND f.trust >= ?4 AND (?5 IS NULL OR f.category = ?5)
             ORDER BY {order} LIMIT {MAX_CANDIDATES}"
        );
        let parameters = (&audience.key, audience.platform, words, filter.min_trust, filter.category.as_deref());
        let mut select = db.prepare_cached(&sql)?;
        Ok(select.query_map(parameters, |row| row.get(0))?.collect::<Result<_, _>>()?)
    };
    // Ranking reads every match. Where all words are common the newest facts that have them all will do.
    let newest = "facts_fts.rowid DESC";
    if query.finders().first().is_some_and(|rarest| rarest.frequency > query.common) {
        found.extend(find(&finders.join(" AND "), newest)?);
        found.extend(find(&finders.join(" OR "), newest)?);
    } else if !finders.is_empty() {
        found.extend(find(&finders.join(" OR "), "bm25(facts_fts)")?);
    }
    // The words of a topic are common: they are looked for only where the question's own found little.
    let topics: Vec<String> =
        query.topics.iter().flat_map(|topic| topic.stems).take(MAX_TOPIC_WORDS).map(|stem| quoted(stem)).collect();
    if !topics.is_empty() && found.len() < FEW {
        found.extend(find(&topics.join(" OR "), newest)?);
    }
    Ok(found)
}

fn weigh(query: &Query, fact: Fact, audience: &Audience<'_>) -> Option<Hit> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut length = 0_u32;
    for (place, term) in fact.terms.split(' ').enumerate() {
        places.entry(term).or_default().push(place);
        length += 1;
    }
    let mut weight = 0.0;
    let mut matched = 0;
    let mut neighbours = 0.0;
    let mut before: Option<&Vec<usize>> = None;
    for term in &query.terms {
        let here = places.get(term.stem.as_str());
        if here.is_some() || term.sounds.contains(&fact.id) {
            weight += term.weight;
            matched += 1;
        }
        if let (Some(before), Some(here)) = (before, here)
            && before.iter().any(|place| here.contains(&(place + 1)))
        {
            neighbours += term.weight;
        }
        before = here;
    }
    for topic in &query.topics {
        // A word that was asked for itself has been counted.
        let asked = |stem: &str| query.terms.iter().any(|term| term.stem == stem);
        if topic.stems.iter().any(|stem| places.contains_key(stem.as_str()) && !asked(stem)) {
            weight += topic.weight;
            matched += 1;
        }
    }
    if matched == 0 {
        return None;
    }
    let total = query.total_weight();
    let having = weight / total;
    let together = neighbours / total;
    let brevity = 1.0 / (0.8 + 0.2 * f64::from(length) / USUAL_LENGTH);
    let same_project = !fact.scope.project.is_empty() && fact.scope.project == audience.scope.project;
    let nearness = if same_project { 1.05 } else { 1.0 };
    let score = trusted((0.9 * having + 0.1 * together) * brevity * nearness, &fact);
    Some(Hit { fact, score, coverage: having.min(1.0), matched })
}
