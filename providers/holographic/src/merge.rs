//! Merging facts that say the same, by hand, and taking that back.
//!
//! The fact that is merged away stays in the file as it is, without words in any index, with `merged_into` naming the one that
//! took it in. That one gets its counts and what ratings had done to its trust: the deviations of the two from the
//! trust of a new fact add up, as if all ratings had been given to one fact. Two facts that were never rated stay where
//! they began, and a rating is neither lost nor halved. Taking it back subtracts the same, so that what was rated in
//! between stays with the fact that it was said of.

use hermes_provider_api::ProviderError;
use rusqlite::Connection;

use crate::audience::Audience;
use crate::error::Result;
use crate::facts::{self, Fact, index, shifted, unindex};
use crate::index::Numbers;

/// Merges the fact `other` into the fact `kept`; answers the latter.
pub(crate) fn merge(db: &Connection, audience: &Audience<'_>, kept: i64, other: i64, first_trust: f64) -> Result<Fact> {
    if kept == other {
        return Err(ProviderError::invalid("a fact cannot be merged into itself").hint("name two facts").into());
    }
    let (one, two) = (facts::get(db, audience, kept)?, facts::get(db, audience, other)?);
    let trust = shifted(one.trust, two.trust - first_trust);
    unindex(db, audience, &two)?;
    // Without words it is not found, also by an index that is built again.
    db.prepare_cached("UPDATE facts SET merged_into = ?2, merge_gain = ?3, words = x'' WHERE fact_id = ?1")?
        .execute((other, kept, trust - one.trust))?;
    shift_counts(db, &two, kept, trust, 1)?;
    facts::get(db, audience, kept)
}

/// Takes the merge of the fact `other` back; answers it and the fact that it had been merged into.
pub(crate) fn unmerge(db: &Connection, audience: &Audience<'_>, other: i64) -> Result<(Fact, Fact)> {
    let two = facts::get_any(db, audience, other)?;
    let Some(kept) = two.merged_into else {
        let within: Vec<i64> = db
            .prepare_cached("SELECT fact_id FROM facts WHERE merged_into = ?1 ORDER BY fact_id")?
            .query_map([other], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let error = ProviderError::invalid(format!("fact {other} was not merged into another"));
        let ids: Vec<String> = within.iter().map(i64::to_string).collect();
        return Err(match ids.is_empty() {
            true => error.hint("call `timeline` to see what became of a fact").into(),
            false => error.hint(format!("merged into it were: {}; name one of these", ids.join(", "))).into(),
        });
    };
    let one = facts::get_any(db, audience, kept)?;
    if let Some(further) = one.merged_into {
        return Err(ProviderError::invalid(format!("fact {kept}, which took it in, was merged into fact {further}"))
            .hint(format!("unmerge fact {kept} first"))
            .into());
    }
    if let Some(same) = facts::find_same(db, audience, &two.content)? {
        return Err(ProviderError::invalid(format!("fact {same} says the same by now"))
            .hint(format!("leave it merged, or change fact {same} first"))
            .into());
    }
    let gain: f64 = db
        .prepare_cached("SELECT coalesce(merge_gain, 0.0) FROM facts WHERE fact_id = ?1")?
        .query_row([other], |row| row.get(0))?;
    let words = Numbers::of(&audience.key).pack(&facts::terms_of(&two.content, &two.tags));
    db.prepare_cached("UPDATE facts SET merged_into = NULL, merge_gain = NULL, words = ?2 WHERE fact_id = ?1")?
        .execute((other, &words))?;
    index(db, audience, other, &two.content, &words)?;
    shift_counts(db, &two, kept, shifted(one.trust, -gain), -1)?;
    Ok((facts::get(db, audience, other)?, facts::get(db, audience, kept)?))
}

/// Adds the counts of `of` to the fact `to`, or takes them away, and sets its trust.
fn shift_counts(db: &Connection, of: &Fact, to: i64, trust: f64, sign: i64) -> Result<()> {
    db.prepare_cached(
        "UPDATE facts SET trust = ?2, retrieval_count = max(retrieval_count + ?3, 0),
                helpful_count = max(helpful_count + ?4, 0), unhelpful_count = max(unhelpful_count + ?5, 0)
         WHERE fact_id = ?1",
    )?
    .execute((to, trust, sign * of.retrieval_count, sign * of.helpful_count, sign * of.unhelpful_count))?;
    Ok(())
}
