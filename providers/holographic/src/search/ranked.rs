//! Ranked search: facts that have some of the words.
//!
//! SQLite finds candidates by the rarer words; they are then weighed here over all words: which of them a fact has,
//! in which form, how rare and how often they are, whether they stand together as in the question and at its beginning,
//! and how much else the fact says.

use std::collections::{HashMap, HashSet};

use hermes_provider_api::Call;
use hermes_text::head_of_terms;
use rusqlite::Connection;

use super::query::Query;
use super::{Hit, quoted, sort, trusted};
use crate::audience::{Audience, VISIBLE};
use crate::error::Result;
use crate::facts::{self, Fact, Filter};
use crate::topics::Topic;

/// No more facts than this are weighed.
pub(super) const MAX_CANDIDATES: usize = 300;
/// No more occurrences than this are read to find them.
const MAX_OCCURRENCES: i64 = 5000;
/// Fewer candidates than this are joined by facts that share no word with the question, only its topic.
const FEW: usize = 50;
const MAX_TOPICS: usize = 3;
const MAX_TOPIC_WORDS: usize = 64;
/// How soon more of the same word says no more: `k1` of BM25 (Robertson and Zaragoza 2009).
const SATURATION: f64 = 1.2;
/// What each word of a fact costs: of two facts that say the same the shorter one is meant.
const LENGTH_COST: f64 = 0.001;
/// What it is worth that words stand together as in the question, and how many words may lie between them.
const TOGETHER: f64 = 0.3;
const NEAR: usize = 2;
/// What it is worth that a fact begins with a word, since that is mostly what it is about, and how many words from there
/// it is worth half.
const EARLY: f64 = 0.5;
const BEGINNING: f64 = 8.0;
const SOMEWHERE: usize = 4;

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
    let scale = Scale::new(query);
    let mut hits: Vec<Hit> = facts.into_iter().filter_map(|fact| scale.weigh(fact, audience)).collect();
    sort(&mut hits);
    hits.truncate(limit);
    Ok(hits)
}

fn candidates(db: &Connection, audience: &Audience<'_>, filter: &Filter, query: &Query) -> Result<HashSet<i64>> {
    let mut occurrences = 0;
    let mut finders = Vec::new();
    let rarest_first = query.finders();
    for form in &rarest_first {
        if occurrences + form.frequency > MAX_OCCURRENCES && !finders.is_empty() {
            break;
        }
        occurrences += form.frequency;
        finders.push(quoted(&form.term));
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
    if rarest_first.first().is_some_and(|rarest| rarest.frequency > query.common) {
        found.extend(find(&finders.join(" AND "), newest)?);
        found.extend(find(&finders.join(" OR "), newest)?);
    } else if !finders.is_empty() {
        found.extend(find(&finders.join(" OR "), "bm25(facts_fts)")?);
    }
    // The words of a topic are common: they are looked for only where the question's own found little.
    let of_topic = |topic: &Topic| -> Vec<String> {
        let phrases = topic.phrases.iter().map(|phrase| quoted(phrase.trim()));
        phrases.chain(topic.stems.iter().map(|stem| quoted(stem))).take(MAX_TOPIC_WORDS).collect()
    };
    let topics: Vec<String> = query.topics.iter().take(MAX_TOPICS).flat_map(of_topic).collect();
    if !topics.is_empty() && found.len() < FEW {
        found.extend(find(&topics.join(" OR "), newest)?);
    }
    Ok(found)
}

/// Weighs facts by a question.
struct Scale<'q> {
    query: &'q Query,
    /// What a term of a fact says: which word of the question it is, and how likely.
    words: HashMap<&'q str, Vec<(usize, f64)>>,
    /// Which topics it is of.
    topics: HashMap<&'q str, Vec<usize>>,
}

/// What a fact has of a word of the question.
#[derive(Clone, Copy, Default)]
struct Found {
    likeness: f64,
    times: usize,
    /// Where it stands first and last, counted from 1; 0 when it is not there itself.
    first: usize,
    place: usize,
    /// Whether the word before it in the question stands before it.
    follows: bool,
}

impl<'q> Scale<'q> {
    fn new(query: &'q Query) -> Self {
        let mut words: HashMap<&str, Vec<(usize, f64)>> = HashMap::new();
        for (at, term) in query.terms.iter().enumerate() {
            for form in &term.forms {
                words.entry(&form.term).or_default().push((at, form.likeness));
            }
        }
        let mut topics: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, topic) in query.topics.iter().enumerate() {
            // A word that was asked for itself counts as such.
            for stem in topic.stems.iter().filter(|stem| !words.contains_key(**stem)) {
                topics.entry(stem).or_default().push(at);
            }
        }
        Self { query, words, topics }
    }

    fn weigh(&self, fact: Fact, audience: &Audience<'_>) -> Option<Hit> {
        let mut found = vec![Found::default(); self.query.terms.len()];
        let mut topics = vec![false; self.query.topics.len()];
        let (head, tail) = head_of_terms(&fact.terms);
        let mut length = 0;
        for (place, term) in head.split(' ').enumerate() {
            length = place + 1;
            self.meet(term, place + 1, &mut found, &mut topics);
        }
        for term in tail.split(' ') {
            self.meet(term, 0, &mut found, &mut topics);
        }
        if self.query.topics.iter().any(|topic| !topic.phrases.is_empty()) {
            let row = format!(" {head} ");
            for (topic, found) in self.query.topics.iter().zip(&mut topics) {
                *found |= topic.phrases.iter().any(|phrase| row.contains(phrase));
            }
        }
        let (mut weight, mut matched, mut neighbours, mut early) = (0.0, 0, 0.0, 0.0);
        let mut name_before = false;
        for (term, found) in self.query.terms.iter().zip(&found) {
            let is_name = term.sounds.contains(&fact.id);
            let likeness = if is_name { 1.0 } else { found.likeness };
            if likeness > 0.0 {
                let times = number(found.times.max(1));
                let often = times * (1.0 + SATURATION) / (times + SATURATION);
                weight += term.weight * likeness * often;
                matched += 1;
                // A name that was found by its sound has no place.
                if found.follows || found.place == 0 && is_name && name_before {
                    neighbours += term.weight;
                }
                // Where a name stands that was found by its sound is not known.
                let first = if is_name && found.first == 0 { SOMEWHERE } else { found.first };
                if first > 0 {
                    early += term.weight / (1.0 + number(first) / BEGINNING);
                }
            }
            name_before = is_name;
        }
        for (topic, _) in self.query.topics.iter().zip(topics).filter(|(_, found)| *found) {
            weight += topic.weight;
            matched += 1;
        }
        if matched == 0 {
            return None;
        }
        let total = self.query.total_weight();
        let having = weight / total;
        let brevity = 1.0 / (1.0 + LENGTH_COST * number(length));
        let same_project = !fact.scope.project.is_empty() && fact.scope.project == audience.scope.project;
        let nearness = if same_project { 1.05 } else { 1.0 };
        let score =
            trusted((having + TOGETHER * neighbours / total + EARLY * early / total) * brevity * nearness, &fact);
        Some(Hit { fact, score, coverage: having.min(1.0), matched })
    }

    fn meet(&self, term: &str, place: usize, found: &mut [Found], topics: &mut [bool]) {
        for (at, likeness) in self.words.get(term).into_iter().flatten() {
            let before = at.checked_sub(1).and_then(|before| found.get(before)).map_or(0, |before| before.place);
            let Some(word) = found.get_mut(*at) else { continue };
            word.likeness = word.likeness.max(*likeness);
            if place > 0 {
                word.times += 1;
                word.place = place;
                if word.first == 0 {
                    word.first = place;
                }
                word.follows |= before > 0 && before < place && place - before <= NEAR;
            }
        }
        for at in self.topics.get(term).into_iter().flatten() {
            if let Some(topic) = topics.get_mut(*at) {
                *topic = true;
            }
        }
    }
}

fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
