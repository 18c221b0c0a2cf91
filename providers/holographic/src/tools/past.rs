//! Actions that look into the history of facts.

use serde_json::{Value, json};

use super::Tools;
use super::args::{Args, wrong};
use crate::audience::Audience;
use crate::error::Result;
use crate::facts::{self, Filter};
use crate::history::{self, State};
use crate::search::{self, Query};

/// A version that has so much of a name has the name.
const WHOLE: f64 = 0.99;
/// So many facts are ranked.
const RANKED: usize = 200;

/// No more facts than this are told of that mention a name.
const MENTIONS: usize = 100;

impl Tools<'_> {
    /// The states of one fact, or of all facts that mention a name, as the world went.
    pub(super) fn timeline(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let limit = args.limit_or(100)?;
        let everything = Filter::default();
        let mut states = match (args.integer("fact_id")?, args.text("entity")?) {
            (Some(id), _) => self.store.read(|db| history::of_fact(db, audience, id))?,
            (None, Some(entity)) => self.store.read(|db| {
                let hits = search::probe(db, audience, &everything, &entity, MENTIONS, self.call)?;
                let past = search::past(db, audience, &everything, &entity)?;
                let now = hits.into_iter().map(|hit| State::current(hit.fact));
                let before = past.into_iter().filter(|(_, hit)| hit.coverage >= WHOLE).map(|(state, _)| state);
                Ok(now.chain(before).collect())
            })?,
            (None, None) => {
                let example = r#"{"action": "timeline", "entity": "Ada Lovelace"}"#;
                return Err(wrong("`fact_id` or `entity` is missing", example));
            }
        };
        history::in_order(&mut states);
        // The newest are worth more than the oldest.
        let states = states.split_off(states.len().saturating_sub(limit));
        let results: Vec<Value> = states.iter().map(|state| state.to_json(self.now)).collect();
        Ok(json!({"count": results.len(), "results": results}))
    }

    /// What was so on a date: facts and former versions of facts, best first for a query or a name, else the latest
    /// first.
    pub(super) fn as_of(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let example = r#"{"action": "as_of", "date": "2025-06-30", "query": "where Ada lives"}"#;
        let Some(date) = args.date("date")? else { return Err(wrong("`date` is missing", example)) };
        // A day, a month or a year is asked for as it was at its end.
        let at = date.end.saturating_sub(1);
        let filter = Filter { at: Some(at), now: at, ..self.filter(args, 0.0)? };
        let (text, limit) = (args.text("query")?.or(args.text("entity")?), args.limit()?);
        let mut found: Vec<(State, f64)> = self.store.read(|db| {
            let Some(text) = &text else {
                let facts = facts::list(db, audience, &filter, None, RANKED)?;
                let now = facts.into_iter().map(State::current);
                let past = history::at(db, audience, at)?.into_iter().filter(|state| filter.admits(&state.fact));
                return Ok(now.chain(past).map(|state| (state, 0.0)).collect());
            };
            let query = Query::new(db, text, self.call)?;
            let hits = search::search(db, audience, &filter, &query, RANKED, self.call)?;
            let past = search::past(db, audience, &filter, text)?;
            let now = hits.into_iter().map(|hit| (State::current(hit.fact), hit.score));
            Ok(now.chain(past.into_iter().map(|(state, hit)| (state, hit.score))).collect())
        })?;
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.fact.valid_from.cmp(&a.0.fact.valid_from)));
        found.truncate(limit);
        let results: Vec<Value> = found.iter().map(|(state, _)| state.to_json(self.now)).collect();
        Ok(json!({"as_of": crate::dates::rfc3339(at), "count": results.len(), "results": results}))
    }
}
