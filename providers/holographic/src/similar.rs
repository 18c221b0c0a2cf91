//! Facts that may say the same in other words. They are only suggested: "lives in Paris" and "lives in London" are as
//! near to each other as two spellings of one thing.

use std::collections::{BTreeMap, HashSet};

use hermes_provider_api::Call;
use rusqlite::{Connection, params};

use crate::audience::{Audience, VISIBLE};
use crate::error::Result;
use crate::facts::{self, Fact, Filter, telling};
use crate::index::{Numbers, Packed, Word};
use crate::search::{self, Bounds, Query, ratio};

/// So many are suggested for a new fact.
pub(crate) const MAX_SIMILAR: usize = 3;
/// So many of those that share words are looked at.
const LOOKED_AT: usize = 20;
/// How many words two facts must share, and which part of the words of both (the Sørensen-Dice coefficient).
const SHARED_WORDS: usize = 2;
const SHARED_PART: f64 = 0.6;
/// So many facts are compared with the others when pairs are looked for, newest first.
const MAX_COMPARED: usize = 200;

/// Facts that may say the same as `fact`, most alike first.
pub(crate) fn to_fact(
    db: &Connection,
    audience: &Audience<'_>,
    fact: &Fact,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<(Fact, f64)>> {
    let sql = format!(
        "SELECT f.fact_id FROM facts f WHERE {VISIBLE} AND f.bag = ?3 ORDER BY f.fact_id DESC LIMIT {LOOKED_AT}"
    );
    let mut same_stems = db.prepare_cached(&sql)?;
    let terms = facts::terms_of(&fact.content, &fact.tags);
    let bag = if fact.tags.is_empty() { facts::bag_of(&terms) } else { facts::bag(&fact.content) };
    let ids = same_stems.query_map(params![audience.key, audience.platform, bag], |row| row.get(0))?;
    let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
    let everything = Filter::default();
    let mut found = facts::many(db, audience, &everything, ids)?;
    let query = Query::of_words(db, &fact.content, call)?;
    let sharing = search::best(db, audience, &everything, &query, &Bounds::ALIKE, LOOKED_AT, call)?;
    let hits = search::load(db, audience, &everything, sharing)?;
    found.extend(hits.into_iter().map(|hit| hit.fact));
    let numbers = Numbers::of(&audience.key);
    let own: HashSet<Word> = telling(&terms).map(|word| numbers.word(word)).collect();
    let mut known = HashSet::from([fact.id]);
    let mut alike: Vec<(Fact, f64)> = Vec::new();
    for other in found.into_iter().filter(|other| known.insert(other.id)) {
        // What both have and is no stop word in one is none in the other.
        let others = Packed::read(&other.words).unwrap_or_default();
        let shared = others.head().collect::<HashSet<Word>>().intersection(&own).count();
        let part = ratio(2 * shared, own.len() + others.telling());
        if (shared >= SHARED_WORDS && part >= SHARED_PART) || (shared == own.len() && shared == others.telling()) {
            alike.push((other, part));
        }
    }
    alike.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.id.cmp(&a.0.id)));
    alike.truncate(limit);
    Ok(alike)
}

/// Pairs among the newest facts, most alike first; the older of a pair first.
pub(crate) fn pairs(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<(Fact, Fact, f64)>> {
    let mut pairs: BTreeMap<(i64, i64), (Fact, Fact, f64)> = BTreeMap::new();
    for fact in facts::list(db, audience, filter, None, MAX_COMPARED)? {
        call.check()?;
        for (other, part) in to_fact(db, audience, &fact, MAX_SIMILAR, call)? {
            let (older, newer) = if other.id < fact.id { (other, fact.clone()) } else { (fact.clone(), other) };
            pairs.insert((older.id, newer.id), (older, newer, part));
        }
    }
    let mut pairs: Vec<_> = pairs.into_values().collect();
    pairs.sort_by(|a, b| b.2.total_cmp(&a.2).then(b.1.id.cmp(&a.1.id)));
    pairs.truncate(limit);
    Ok(pairs)
}
