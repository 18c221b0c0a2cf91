//! What is worth knowing for a message: few facts, and none rather than noise.

use std::collections::{HashMap, HashSet};

use hermes_provider_api::Call;
use hermes_provider_api::records::{PrefetchQuery, Recall, RecallItem, UnixMillis};
use rusqlite::Connection;

use crate::audience::Audience;
use crate::config::Settings;
use crate::entities;
use crate::error::Result;
use crate::facts::{Fact, Filter};
use crate::search::{self, Hit, Query};

/// How many names of a message are followed.
const MAX_NAMES: usize = 8;
/// How many candidates are judged.
const JUDGED: usize = 50;
/// A fact that is much worse than the best one is not what was meant.
const NEAR_BEST: f64 = 0.6;
/// What a name in the message adds to a fact that has it.
const NAME_BONUS: f64 = 0.3;

/// Finds facts for a message.
pub(crate) fn recall(
    db: &Connection,
    query: &PrefetchQuery,
    settings: &Settings,
    now: UnixMillis,
    call: &Call<'_>,
) -> Result<Vec<Fact>> {
    let limit = query.limit.min(settings.prefetch_limit);
    let message = search::bounded(&query.query);
    if limit == 0 || hermes_text::is_trivial(message) || !search::says_something(message) {
        return Ok(Vec::new());
    }
    let audience = Audience::of(&query.caller.scope);
    let filter = Filter::current(settings, settings.min_trust, now);
    let words = Query::new(db, message, call)?;
    let mut found: HashMap<i64, Hit> = search::search(db, &audience, &filter, &words, JUDGED, call)?
        .into_iter()
        .map(|hit| (hit.fact.id, hit))
        .collect();
    let best = found.values().map(|hit| hit.score).fold(0.0, f64::max);
    let fits = |hit: &&Hit| is_relevant(hit) && hit.score >= NEAR_BEST * best;
    let mut relevant: HashSet<i64> = found.values().filter(fits).map(|hit| hit.fact.id).collect();
    for name in entities::names(message).into_iter().take(MAX_NAMES) {
        call.check()?;
        let mut mentions = search::probe(db, &audience, &filter, name, call)?;
        // «Передай Марине»: the first word may owe its capital to the beginning of the sentence.
        if let (true, Some((_, rest))) = (mentions.is_empty(), name.split_once(' ')) {
            mentions = search::probe(db, &audience, &filter, rest, call)?;
        }
        // Words that happen to be in a name are not the name.
        for hit in mentions.into_iter().filter(|hit| hit.coverage >= search::PART_OF_NAME) {
            relevant.insert(hit.fact.id);
            found.entry(hit.fact.id).or_insert(Hit { score: 0.0, ..hit }).score += NAME_BONUS;
        }
    }
    let mut hits: Vec<Hit> = found.into_values().filter(|hit| relevant.contains(&hit.fact.id)).collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.fact.id.cmp(&a.fact.id)));
    Ok(hits.into_iter().take(limit).map(|hit| hit.fact).collect())
}

/// Whether a fact has enough of a message to be about it: nearly half of what it says, or two words and a third, or, of
/// a long message, three words.
fn is_relevant(hit: &Hit) -> bool {
    hit.coverage >= 0.4 || (hit.matched >= 2 && hit.coverage >= 0.3) || (hit.matched >= 3 && hit.coverage >= 0.15)
}

/// The facts as the host wants them, best first.
pub(crate) fn to_recall(facts: Vec<Fact>) -> Recall {
    let count = u32::try_from(facts.len()).unwrap_or(u32::MAX);
    let items = (0..count)
        .rev()
        .zip(facts)
        .map(|(left, fact)| RecallItem { score: f64::from(left + 1) / f64::from(count), ..to_item(fact) });
    Recall { preface: None, items: items.collect() }
}

/// One fact as an entry.
pub(crate) fn to_item(fact: Fact) -> RecallItem {
    RecallItem {
        id: fact.id.to_string(),
        text: fact.content,
        score: fact.trust,
        scope: Some(fact.scope),
        origin: Some(fact.origin),
        updated: Some(fact.updated),
    }
}
