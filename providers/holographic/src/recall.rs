//! What is worth knowing for a message: few facts, and none rather than noise.

use std::collections::{HashMap, HashSet};

use hermes_provider_api::Call;
use hermes_provider_api::records::{PrefetchQuery, Recall, RecallItem, UnixMillis};
use rusqlite::Connection;

use crate::audience::Audience;
use crate::config::Settings;
use crate::entities;
use crate::error::Result;
use crate::facts::{self, Fact, Filter};
use crate::search::{self, Bounds, Found, Hit, Query, Ranking, Wanted};
use crate::semantic::{self, Question};

/// How many names of a message are followed.
const MAX_NAMES: usize = 8;
/// A fact that is much worse than the best one is not what was meant.
const NEAR_BEST: f64 = 0.6;
/// What a name in the message adds to a fact that has it.
const NAME_BONUS: f64 = 0.3;
/// All facts together are not longer: some five hundred tokens. The best come first into them.
const MAX_CHARS: usize = 2000;

/// What was found for a message.
#[derive(Clone, Default)]
pub(crate) struct Recalled {
    /// The best first.
    pub ranked: Vec<Found>,
    /// The facts on each name of the message.
    of_names: Vec<Vec<i64>>,
}

/// Whether facts are looked for at all.
pub(crate) fn is_worth_it(query: &PrefetchQuery, settings: &Settings) -> bool {
    let message = search::bounded(&query.query);
    query.limit.min(settings.prefetch_limit) > 0 && !hermes_text::is_trivial(message) && search::says_something(message)
}

/// Finds facts for a message: those that fit its words or are meant by it, and those about the people and things that it
/// names.
pub(crate) fn find(
    db: &Connection,
    query: &PrefetchQuery,
    meaning: Option<&Question>,
    settings: &Settings,
    now: UnixMillis,
    call: &Call<'_>,
) -> Result<Recalled> {
    let message = search::bounded(&query.query);
    let (audience, filter) = (Audience::of(&query.caller.scope), filter(settings, now));
    let words = Query::new(db, message, call)?;
    let mut ranking = Ranking::new(db, &audience, &filter, &words)?;
    let mut fitting = ranking.found(&Bounds::USUAL, Wanted::Near(NEAR_BEST), call)?;
    fitting.truncate(search::JUDGED);
    let best = fitting.iter().map(|found| found.score).fold(0.0, f64::max);
    let fits = |found: &&Found| is_relevant(found) && found.score >= NEAR_BEST * best;
    let mut relevant: HashSet<i64> = fitting.iter().filter(fits).map(|found| found.id).collect();
    let mut by_id: HashMap<i64, Found> = fitting.into_iter().map(|found| (found.id, found)).collect();
    let mut of_names: Vec<Vec<i64>> = Vec::new();
    let mut named: HashMap<i64, Found> = HashMap::new();
    for name in entities::names(message).into_iter().take(MAX_NAMES) {
        call.check()?;
        let mut mentions = search::mentioning(db, &audience, &filter, name, call)?;
        // «Передай Марине»: the first word may owe its capital to the beginning of the sentence.
        if let (true, Some((_, rest))) = (mentions.is_empty(), name.split_once(' ')) {
            mentions = search::mentioning(db, &audience, &filter, rest, call)?;
        }
        let mut of_name = Vec::new();
        // Words that happen to be in a name are not the name.
        for mention in mentions.into_iter().filter(|found| found.coverage >= search::PART_OF_NAME) {
            relevant.insert(mention.id);
            of_name.push(mention.id);
            named.entry(mention.id).or_insert(Found { score: 0.0, ..mention }).score += NAME_BONUS;
        }
        of_names.push(of_name);
    }
    // What else they have of the message tells the facts of one name apart.
    let unread: Vec<i64> = named.keys().copied().filter(|id| !by_id.contains_key(id)).collect();
    by_id.extend(ranking.left_out(unread)?.into_iter().map(|found| (found.id, found)));
    for (id, named) in named {
        by_id.entry(id).or_insert(Found { score: 0.0, ..named }).score += named.score;
    }
    let mut ranked: Vec<Found> = by_id.into_values().filter(|found| relevant.contains(&found.id)).collect();
    search::sort(&mut ranked);
    if let Some(meaning) = meaning {
        let mut near = semantic::nearest(db, &audience, &filter, meaning, search::JUDGED, call)?;
        near.retain(|near| near.is_meant);
        ranked = semantic::fuse(ranked, &near);
    }
    Ok(Recalled { ranked, of_names })
}

/// These facts, for whoever puts them in another order.
pub(crate) fn load(
    db: &Connection,
    found: Vec<Found>,
    query: &PrefetchQuery,
    settings: &Settings,
    now: UnixMillis,
) -> Result<Vec<Hit>> {
    search::load(db, &Audience::of(&query.caller.scope), &filter(settings, now), found)
}

/// Those of the found facts that are told, in the order of [`grouped`]: the best, then more about what is named.
pub(crate) fn choose(
    db: &Connection,
    recalled: Recalled,
    query: &PrefetchQuery,
    settings: &Settings,
    now: UnixMillis,
) -> Result<Vec<Fact>> {
    let Recalled { ranked, of_names } = recalled;
    let limit = query.limit.min(settings.prefetch_limit);
    let mut ids: Vec<i64> = ranked.into_iter().map(|found| found.id).collect();
    // As many again about those who are named, in turn, so that one of them does not crowd out the others.
    let mut left: HashSet<i64> = ids.split_off(ids.len().min(limit)).into_iter().collect();
    let room = query.limit.saturating_sub(ids.len()).min(settings.prefetch_limit);
    let longest = of_names.iter().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..longest).flat_map(|turn| of_names.iter().filter_map(move |ids| ids.get(turn)));
    ids.extend(in_turn.copied().filter(|id| left.remove(id)).take(room));
    let mut facts = facts::many(db, &Audience::of(&query.caller.scope), &filter(settings, now), ids)?;
    let mut chars = 0;
    facts.retain(|fact| {
        chars += hermes_text::char_count(&fact.content);
        chars <= MAX_CHARS
    });
    grouped(db, facts)
}

/// What may be recalled by itself.
fn filter(settings: &Settings, now: UnixMillis) -> Filter {
    Filter::current(settings, settings.min_trust, now)
}

/// Facts on the same person or thing together, each in the order in which it was learnt: the same facts are always told in
/// the same words, so that a prompt with them can be cached.
fn grouped(db: &Connection, mut facts: Vec<Fact>) -> Result<Vec<Fact>> {
    let names = entities::of_facts(db, facts.iter().map(|fact| fact.id))?;
    let subject = |fact: &Fact| names.get(&fact.id).and_then(|names| names.first()).map(|name| name.id);
    facts.sort_by_key(|fact| fact.id);
    let mut first: HashMap<i64, i64> = HashMap::new();
    for fact in &facts {
        if let Some(subject) = subject(fact) {
            first.entry(subject).or_insert(fact.id);
        }
    }
    facts.sort_by_key(|fact| {
        (subject(fact).and_then(|subject| first.get(&subject).copied()).unwrap_or(fact.id), fact.id)
    });
    Ok(facts)
}

/// Whether a fact has enough of a message to be about it: nearly half of what it says, or two words and a third, or, of
/// a long message, three words.
fn is_relevant(found: &Found) -> bool {
    let (matched, coverage) = (found.matched, found.coverage);
    coverage >= 0.4 || (matched >= 2 && coverage >= 0.3) || (matched >= 3 && coverage >= 0.15)
}

/// The facts as the host wants them. The host puts the day of each behind it, which does not change as an age would.
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
        ..RecallItem::default()
    }
}
