//! The tools `fact_store` and `fact_feedback`: from a model's arguments to an answer.

mod args;
mod schema;

use hermes_provider_api::records::{Caller, Effect, ToolRequest};
use hermes_provider_api::{Call, ProviderError};
use serde_json::{Value, json};

use crate::audience::Audience;
use crate::config::Settings;
use crate::contradict;
use crate::error::Result;
use crate::facts::{self, Change, Fact, Feedback, Filter, NewFact};
use crate::search::{self, Hit, Query};
use crate::store::Store;
use args::{Args, MAX_LIMIT, wrong};

pub(crate) use schema::{GUIDANCE, schemas};

/// The tools' names.
pub(crate) const FACT_STORE: &str = "fact_store";
pub(crate) const FACT_FEEDBACK: &str = "fact_feedback";

const HELPFUL: f64 = 0.05;
const UNHELPFUL: f64 = -0.10;
/// More names than this have nothing in common.
const MAX_ENTITIES: usize = 32;

/// What `fact_store` can do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Add,
    Search,
    Probe,
    Related,
    Reason,
    Contradict,
    Alias,
    Update,
    Remove,
    List,
}

impl Action {
    /// All of them, in the order in which the model is told.
    pub(crate) const ALL: [Self; 10] = [
        Self::Add,
        Self::Search,
        Self::Probe,
        Self::Related,
        Self::Reason,
        Self::Contradict,
        Self::Alias,
        Self::Update,
        Self::Remove,
        Self::List,
    ];

    /// Its name in the arguments.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Search => "search",
            Self::Probe => "probe",
            Self::Related => "related",
            Self::Reason => "reason",
            Self::Contradict => "contradict",
            Self::Alias => "alias",
            Self::Update => "update",
            Self::Remove => "remove",
            Self::List => "list",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL.into_iter().find(|action| action.name().eq_ignore_ascii_case(name))
    }

    fn of(args: &Args) -> Result<Self> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let Some(given) = args.text("action")? else {
            return Err(wrong(&format!("`action` is missing; it is one of {}", names()), SEARCH_EXAMPLE));
        };
        Self::named(&given)
            .ok_or_else(|| wrong(&format!("there is no action `{given}`; the actions are {}", names()), SEARCH_EXAMPLE))
    }
}

const SEARCH_EXAMPLE: &str = r#"{"action": "search", "query": "the user's cat"}"#;

/// What a call would do to the store.
pub(crate) fn effect(tool: &str, args: &Value) -> Effect {
    if tool != FACT_STORE {
        return Effect::Write;
    }
    match Args::new(args).and_then(|args| Action::of(&args)) {
        Ok(Action::Add | Action::Alias | Action::Update) => Effect::Write,
        Ok(Action::Remove) => Effect::Delete,
        Ok(_) => Effect::Read,
        // It will be refused, so it changes nothing; and a reader should be told what was wrong with it.
        Err(_) => Effect::Read,
    }
}

/// What a tool needs to run.
pub(crate) struct Tools<'a> {
    pub store: &'a Store,
    pub settings: &'a Settings,
    pub now: u64,
    pub call: &'a Call<'a>,
}

impl Tools<'_> {
    /// Runs a tool.
    pub(crate) fn run(&self, request: &ToolRequest) -> Result<Value> {
        let args = Args::new(&request.args)?;
        let mut answer = match request.tool.as_str() {
            FACT_STORE => self.fact_store(&args, &request.caller)?,
            FACT_FEEDBACK => self.fact_feedback(&args, &request.caller)?,
            other => return Err(ProviderError::unsupported(&format!("tool `{other}`")).into()),
        };
        if let (Some(notice), Value::Object(answer)) = (self.store.kept(), &mut answer) {
            answer.insert("notice".to_owned(), Value::String(format!("tell the user: {notice}")));
        }
        Ok(answer)
    }

    fn fact_store(&self, args: &Args, caller: &Caller) -> Result<Value> {
        let audience = Audience::of(&caller.scope);
        match Action::of(args)? {
            Action::Add => self.add(args, caller),
            Action::Alias => self.alias(args, caller),
            Action::Update => self.update(args, &audience),
            Action::Remove => {
                let id = args.fact_id()?;
                self.store.write(|db| facts::remove(db, &audience, id))?;
                Ok(json!({"fact_id": id, "status": "removed"}))
            }
            Action::List => {
                let (filter, limit) = (self.filter(args, 0.0)?, args.limit()?);
                let facts = self.store.read(|db| facts::list(db, &audience, &filter, None, limit))?;
                // Nothing was asked for that a fact could fit more or less: what is left is how far it is trusted.
                let results: Vec<Value> = facts.iter().map(|fact| scored(fact, fact.trust)).collect();
                Ok(json!({"count": results.len(), "results": results}))
            }
            Action::Search => {
                let text = args.required("query", SEARCH_EXAMPLE)?;
                let (filter, limit) = (self.filter(args, self.settings.min_trust)?, args.limit()?);
                let hits = self.store.read(|db| {
                    let query = Query::new(db, &text, self.call)?;
                    search::search(db, &audience, &filter, &query, limit, self.call)
                })?;
                Ok(self.hits(hits, limit))
            }
            Action::Probe => {
                let entity = args.required("entity", r#"{"action": "probe", "entity": "Ada Lovelace"}"#)?;
                let (filter, limit) = (self.filter(args, self.settings.min_trust)?, args.limit()?);
                let hits = self.store.read(|db| search::probe(db, &audience, &filter, &entity, self.call))?;
                Ok(self.hits(hits, limit))
            }
            Action::Related => {
                let entity = args.required("entity", r#"{"action": "related", "entity": "Ada Lovelace"}"#)?;
                let (filter, limit) = (self.filter(args, self.settings.min_trust)?, args.limit()?);
                let hits = self.store.read(|db| search::related(db, &audience, &filter, &entity, self.call))?;
                Ok(self.hits(hits, limit))
            }
            Action::Reason => {
                let entities = args.list("entities")?.filter(|entities| !entities.is_empty()).ok_or_else(|| {
                    wrong("`entities` is missing", r#"{"action": "reason", "entities": ["Ada", "Charles"]}"#)
                })?;
                if entities.len() > MAX_ENTITIES {
                    let message = format!("`entities` has {} names, at most {MAX_ENTITIES} are taken", entities.len());
                    return Err(ProviderError::invalid(message).hint("name the most important ones").into());
                }
                let (filter, limit) = (self.filter(args, self.settings.min_trust)?, args.limit()?);
                let hits = self.store.read(|db| search::reason(db, &audience, &filter, &entities, self.call))?;
                Ok(self.hits(hits, limit))
            }
            Action::Contradict => {
                let (filter, limit) = (self.filter(args, 0.0)?, args.limit_or(MAX_LIMIT)?);
                let pairs =
                    self.store.read(|db| contradict::contradictions(db, &audience, &filter, limit, self.call))?;
                let pairs: Vec<Value> = pairs
                    .iter()
                    .map(|pair| {
                        json!({"fact_a": pair.newer.to_json(), "fact_b": pair.older.to_json(), "why": pair.why,
                               "newer": pair.newer.id, "certainty": pair.certainty})
                    })
                    .collect();
                Ok(json!({"count": pairs.len(), "contradictions": pairs}))
            }
        }
    }

    fn add(&self, args: &Args, caller: &Caller) -> Result<Value> {
        let content = args.required("content", r#"{"action": "add", "content": "Ada prefers tea"}"#)?;
        let new = NewFact {
            content: facts::clean(&content)?,
            category: args.category()?.unwrap_or_else(|| "general".to_owned()),
            tags: args.tags()?.unwrap_or_default(),
        };
        self.keep(&new, caller)
    }

    /// Two names for one are a fact like any other: who may see it, and when it is forgotten, is settled with that.
    fn alias(&self, args: &Args, caller: &Caller) -> Result<Value> {
        let example = r#"{"action": "alias", "entity": "Ada Lovelace", "alias": "Countess"}"#;
        let (entity, alias) = (args.required("entity", example)?, args.required("alias", example)?);
        let content = facts::clean(&format!("“{entity}” is also known as “{alias}”"))?;
        self.keep(&NewFact { content, category: "general".to_owned(), tags: Vec::new() }, caller)
    }

    /// Stores a fact, and says which facts it contradicts.
    fn keep(&self, new: &NewFact, caller: &Caller) -> Result<Value> {
        let audience = Audience::of(&caller.scope);
        let (added, pairs) = self.store.write(|db| {
            let added = facts::add(db, new, caller, self.now)?;
            let pairs = if added.existed { Vec::new() } else { contradict::of_fact(db, &audience, added.id)? };
            Ok((added, pairs))
        })?;
        let mut answer = json!({"fact_id": added.id, "status": if added.existed { "exists" } else { "added" }});
        if !pairs.is_empty() {
            let told = |pair: &contradict::Pair| {
                let other = if pair.newer.id == added.id { &pair.older } else { &pair.newer };
                json!({"fact_id": other.id, "content": other.content, "why": pair.why})
            };
            answer["contradicts"] = pairs.iter().map(told).collect();
        }
        Ok(answer)
    }

    fn update(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let id = args.fact_id()?;
        let content = args.text("content")?.map(|content| facts::clean(&content)).transpose()?;
        let (category, tags, trust_delta) = (args.category()?, args.tags()?, args.trust_delta()?);
        if content.is_none() && category.is_none() && tags.is_none() && trust_delta.is_none() {
            return Err(wrong(
                "nothing to change: give `content`, `category`, `tags` or `trust_delta`",
                &format!(r#"{{"action": "update", "fact_id": {id}, "content": "…"}}"#),
            ));
        }
        let change = Change { content, category, tags, trust_delta: trust_delta.unwrap_or(0.0), feedback: None };
        let fact = self.store.write(|db| facts::update(db, audience, id, &change, self.now))?;
        let mut answer = fact.to_json();
        answer["status"] = json!("updated");
        Ok(answer)
    }

    fn fact_feedback(&self, args: &Args, caller: &Caller) -> Result<Value> {
        let id = args.fact_id()?;
        let said = match args.text("action")?.as_deref().map(str::to_lowercase).as_deref() {
            Some("helpful") => Some(Feedback::Helpful),
            Some("unhelpful") => Some(Feedback::Unhelpful),
            Some(_) => None,
            None => match (args.flag("helpful"), args.flag("unhelpful")) {
                (Some(true), None | Some(false)) | (None, Some(false)) => Some(Feedback::Helpful),
                (Some(false), None | Some(true)) | (None, Some(true)) => Some(Feedback::Unhelpful),
                _ => None,
            },
        };
        let Some(feedback) = said else {
            let example = format!(r#"{{"fact_id": {id}, "action": "helpful"}}"#);
            return Err(wrong("`action` must be `helpful` or `unhelpful`", &example));
        };
        let trust_delta = if feedback == Feedback::Helpful { HELPFUL } else { UNHELPFUL };
        let change = Change { trust_delta, feedback: Some(feedback), ..Change::default() };
        let audience = Audience::of(&caller.scope);
        let fact = self.store.write(|db| facts::update(db, &audience, id, &change, self.now))?;
        Ok(json!({
            "fact_id": id, "trust": fact.trust,
            "helpful_count": fact.helpful_count, "unhelpful_count": fact.unhelpful_count,
        }))
    }

    fn filter(&self, args: &Args, min_trust: f64) -> Result<Filter> {
        Ok(Filter { category: args.category()?, min_trust: args.min_trust(min_trust)? })
    }

    fn hits(&self, mut hits: Vec<Hit>, limit: usize) -> Value {
        hits.truncate(limit);
        self.store.count_recalls(hits.iter().map(|hit| hit.fact.id));
        let results: Vec<Value> = hits.iter().map(|hit| scored(&hit.fact, hit.score)).collect();
        json!({"count": results.len(), "results": results})
    }
}

fn scored(fact: &Fact, score: f64) -> Value {
    let mut fact = fact.to_json();
    fact["score"] = json!((score * 1000.0).round() / 1000.0);
    fact
}
