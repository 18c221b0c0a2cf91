//! Actions that find facts as they are now.

use hermes_provider_api::ProviderError;
use serde_json::{Value, json};

use super::args::{Args, MAX_LIMIT, wrong};
use super::{SEARCH_EXAMPLE, Tools};
use crate::audience::Audience;
use crate::contradict;
use crate::error::Result;
use crate::facts::{self, Fact, Filter};
use crate::search::{self, Bounds, Hit, Query};
use crate::semantic;
use crate::similar;

/// More names than this have nothing in common.
const MAX_ENTITIES: usize = 32;

impl Tools<'_> {
    pub(super) fn list(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let (filter, limit) = (self.filter(args, 0.0)?, args.limit()?);
        let facts = self.store.read(|db| facts::list(db, audience, &filter, None, limit))?;
        // Nothing was asked for that they could fit: what is left is how far each is trusted.
        let results: Vec<Value> = facts.iter().map(|fact| scored(fact, fact.trust)).collect();
        Ok(json!({"count": results.len(), "results": results}))
    }

    pub(super) fn search(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let text = args.required("query", SEARCH_EXAMPLE)?;
        let (filter, limit) = (self.filter(args, self.settings.min_trust)?, args.limit()?);
        let meaning = self.semantic.question(search::bounded(&text), self.call);
        let depth = if meaning.is_some() || self.semantic.reranks() { limit.max(search::JUDGED) } else { limit };
        let hits = self.store.read(|db| {
            let query = Query::new(db, &text, self.call)?;
            let Some(meaning) = &meaning else {
                return search::search(db, audience, &filter, &query, depth, self.call);
            };
            let found = search::best(db, audience, &filter, &query, &Bounds::USUAL, depth, self.call)?;
            let near = semantic::nearest(db, audience, &filter, meaning, depth, self.call)?;
            search::load(db, audience, &filter, semantic::fuse(found, &near))
        })?;
        Ok(self.hits(self.semantic.reranked(&text, hits, self.call), limit))
    }

    pub(super) fn probe(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let entity = args.required("entity", r#"{"action": "probe", "entity": "Ada Lovelace"}"#)?;
        let (filter, limit) = (self.filter(args, self.settings.min_trust)?, args.limit()?);
        let hits = self.store.read(|db| search::probe(db, audience, &filter, &entity, limit, self.call))?;
        Ok(self.hits(hits, limit))
    }

    pub(super) fn related(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let entity = args.required("entity", r#"{"action": "related", "entity": "Ada Lovelace"}"#)?;
        let (filter, limit) = (self.filter(args, self.settings.min_trust)?, args.limit()?);
        let hits = self.store.read(|db| search::related(db, audience, &filter, &entity, limit, self.call))?;
        Ok(self.hits(hits, limit))
    }

    pub(super) fn reason(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let entities = args
            .list("entities")?
            .filter(|entities| !entities.is_empty())
            .ok_or_else(|| wrong("`entities` is missing", r#"{"action": "reason", "entities": ["Ada", "Charles"]}"#))?;
        if entities.len() > MAX_ENTITIES {
            let message = format!("`entities` has {} names, at most {MAX_ENTITIES} are taken", entities.len());
            return Err(ProviderError::invalid(message).hint("name the most important ones").into());
        }
        let (filter, limit) = (self.filter(args, self.settings.min_trust)?, args.limit()?);
        let hits = self.store.read(|db| search::reason(db, audience, &filter, &entities, limit, self.call))?;
        Ok(self.hits(hits, limit))
    }

    pub(super) fn contradict(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let (filter, limit) = (self.filter(args, 0.0)?, args.limit_or(MAX_LIMIT)?);
        let pairs = self.store.read(|db| contradict::contradictions(db, audience, &filter, limit, self.call))?;
        let pairs: Vec<Value> = pairs
            .iter()
            .map(|pair| {
                json!({"fact_a": pair.newer.to_json(), "fact_b": pair.older.to_json(), "why": pair.why,
                       "newer": pair.newer.id, "certainty": rounded(pair.certainty)})
            })
            .collect();
        Ok(json!({"count": pairs.len(), "contradictions": pairs}))
    }

    pub(super) fn duplicates(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let (filter, limit) = (self.filter(args, 0.0)?, args.limit()?);
        let id = args.integer("fact_id")?;
        let pairs = self.store.read(|db| match id {
            None => similar::pairs(db, audience, &filter, limit, self.call),
            Some(id) => {
                let fact = facts::get(db, audience, id)?;
                let alike = similar::to_fact(db, audience, &fact, limit, self.call)?;
                Ok(alike.into_iter().map(|(other, part)| (fact.clone(), other, part)).collect())
            }
        })?;
        let pairs: Vec<Value> = pairs
            .iter()
            .map(|(one, other, part)| {
                json!({"fact_a": one.to_json(), "fact_b": other.to_json(), "shared_words": rounded(*part)})
            })
            .collect();
        Ok(json!({"count": pairs.len(), "duplicates": pairs}))
    }

    pub(super) fn filter(&self, args: &Args, min_trust: f64) -> Result<Filter> {
        let current = Filter::current(self.settings, args.min_trust(min_trust)?, self.now);
        Ok(Filter { category: args.category()?, ..current })
    }

    fn hits(&self, mut hits: Vec<Hit>, limit: usize) -> Value {
        hits.truncate(limit);
        self.store.count_recalls(hits.iter().map(|hit| hit.fact.id), self.now);
        let results: Vec<Value> = hits.iter().map(|hit| scored(&hit.fact, hit.score)).collect();
        json!({"count": results.len(), "results": results})
    }
}

fn scored(fact: &Fact, score: f64) -> Value {
    let mut fact = fact.to_json();
    fact["score"] = json!(rounded(score));
    fact
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
