//! The facts nearest to a question: all vectors of the audience are compared, one after the other, and only the best
//! are kept in memory. Of a fact itself nothing is read unless its vector is among the best.
//!
//! That costs in proportion to the facts of the store, some 50 ms for 100,000. A scan stops at half of what is left of
//! the call's deadline. It begins with the newest facts, so it is the oldest that a very large store would miss.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Instant;

use hermes_provider_api::Call;
use rusqlite::Connection;

use super::table;
use super::vector::Question;
use crate::audience::Audience;
use crate::error::Result;
use crate::facts::Filter;
use crate::search::{Rows, trusted};

/// How many are kept on the way for each that is wanted: trust puts them in another order afterwards.
const SPARE: usize = 2;
/// How often the time is looked at.
const STEP: usize = 512;
/// By how many deviations a fact must stand out to be near at all. Among texts in a language that a model does not know
/// none does, and the words are left as they are.
const ABOVE_CHANCE: f64 = 2.2;
/// And by how many to be meant by a message that asks for nothing in particular.
const STANDS_OUT: f64 = 3.0;
/// And how near it must come to the one that stands out most.
const NEAR_BEST: f64 = 0.75;

/// All vectors, in the order of their rows.
const VECTORS: &str = "SELECT fact_id, digest, vector FROM semantic_vectors
    WHERE model_id = ?3 AND ?1 IS NOT NULL AND ?2 IS NOT NULL ORDER BY fact_id DESC";
/// Those of an audience's facts; both tables in the order of their rows.
const OWN_VECTORS: &str = "SELECT v.fact_id, v.digest, v.vector FROM semantic_vectors v
    CROSS JOIN facts f ON f.fact_id = v.fact_id
    WHERE v.model_id = ?3 AND f.audience = ?1 AND (?2 = '' OR f.platform = '' OR f.platform = ?2)
    ORDER BY v.fact_id DESC";

/// A fact that is near.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub id: i64,
    /// By how many standard deviations it is more alike to the question than facts and neutral sentences are.
    outstanding: f64,
    /// The same, less for a fact that did not help.
    worth: f64,
    /// Whether that is enough to be meant, and not only the nearest of what there is.
    pub is_meant: bool,
}

/// The nearest facts that the audience may see and the filter admits, the nearest first; a fact that did not help comes
/// later.
pub(crate) fn nearest(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    question: &Question,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<Near>> {
    let Some(model) = table::model(db, &question.model, question.vector.len())? else { return Ok(Vec::new()) };
    let until = call.remaining().and_then(|left| Instant::now().checked_add(left / 2));
    let mut chance = Sample::default();
    model.probes.iter().filter_map(|probe| question.vector.likeness(probe)).for_each(|likeness| chance.take(likeness));
    let mut scan = db.prepare_cached(if is_alone(db, audience)? { VECTORS } else { OWN_VECTORS })?;
    let mut rows = scan.query((&audience.key, audience.platform, model.id))?;
    let mut facts = Rows::new(db, audience, filter);
    let mut best: BTreeMap<(Ordered, Reverse<i64>), f64> = BTreeMap::new();
    let mut seen = 0_usize;
    while let Some(row) = rows.next()? {
        let Some(likeness) = question.vector.likeness(row.get_ref(2)?.as_blob().unwrap_or_default()) else { continue };
        chance.take(likeness);
        let full = best.len() >= limit * SPARE;
        if !full || best.first_key_value().is_some_and(|((worst, _), _)| Ordered(likeness) > *worst) {
            let (id, digest): (i64, i64) = (row.get(0)?, row.get(1)?);
            facts.each(&mut [id], |fact| {
                if fact.digest == digest {
                    best.insert((Ordered(likeness), Reverse(id)), fact.standing);
                }
            })?;
            if best.len() > limit * SPARE {
                best.pop_first();
            }
        }
        seen += 1;
        if seen.is_multiple_of(STEP) {
            call.check()?;
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
        }
    }
    let mut found: Vec<Near> = Vec::new();
    for ((Ordered(likeness), Reverse(id)), standing) in best {
        let outstanding = chance.deviations(likeness);
        if outstanding >= ABOVE_CHANCE {
            found.push(Near { id, outstanding, worth: trusted(outstanding, standing), is_meant: false });
        }
    }
    let most = found.iter().map(|near| near.outstanding).fold(0.0, f64::max);
    for near in &mut found {
        near.is_meant = near.outstanding >= STANDS_OUT && near.outstanding >= NEAR_BEST * most;
    }
    found.sort_by(|a, b| b.worth.total_cmp(&a.worth).then(b.id.cmp(&a.id)));
    found.truncate(limit);
    Ok(found)
}

/// Whether all facts are of this audience, as in most stores: then none needs to be looked at to know it.
fn is_alone(db: &Connection, audience: &Audience<'_>) -> Result<bool> {
    let mut others =
        db.prepare_cached("SELECT (SELECT min(audience) FROM facts) = ?1 AND (SELECT max(audience) FROM facts) = ?1")?;
    let alone: Option<bool> = others.query_row([&audience.key], |row| row.get(0))?;
    Ok(alone.unwrap_or(false))
}

/// What is usual, as mean and deviation.
#[derive(Default)]
struct Sample {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sample {
    fn take(&mut self, number: f32) {
        let number = f64::from(number);
        self.count += 1.0;
        self.sum += number;
        self.squares += number * number;
    }

    fn deviations(&self, number: f32) -> f64 {
        let mean = self.sum / self.count.max(1.0);
        let variance = (self.squares / self.count.max(1.0) - mean * mean).max(0.0);
        // Where all are alike none stands out.
        if variance < 1e-9 { 0.0 } else { (f64::from(number) - mean) / variance.sqrt() }
    }
}

/// A number with the order that sets need.
#[derive(Clone, Copy, PartialEq)]
struct Ordered(f32);

impl Eq for Ordered {}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
