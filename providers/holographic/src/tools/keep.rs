//! Actions that change the store.

use hermes_provider_api::ProviderError;
use hermes_provider_api::records::Caller;
use hermes_text::truncate_chars;
use serde_json::{Value, json};

use super::Tools;
use super::args::{Args, wrong};
use crate::audience::Audience;
use crate::error::Result;
use crate::facts::{self, Added, Change, Fact, Feedback, Filter, NewFact, Source};
use crate::{contradict, merge, similar};

/// One call stores no more facts.
const MAX_AT_ONCE: usize = 1000;
/// A suggestion shows no more of a fact.
const SHOWN_CHARS: usize = 200;
const MERGE_EXAMPLE: &str = r#"{"action": "merge", "fact_id": 3, "other": 7}"#;

/// Where the text of a forgotten fact may live on. This provider can reach none of these.
const ELSEWHERE: [&str; 4] = [
    "the conversations that hermes keeps in `hermes.db`",
    "deliveries that still wait: `hermes memory outbox list` shows them",
    "the agent's own notes (curated memory)",
    "backups and exports",
];

impl Tools<'_> {
    pub(super) fn add(&self, args: &Args, caller: &Caller) -> Result<Value> {
        if let Some(several) = args.objects("facts", "content")? {
            return self.add_all(args, &several, caller);
        }
        let new = self.new_fact(args, None)?;
        self.keep(&new, caller)
    }

    /// Two names for one are a fact like any other: who may see it, and when it is forgotten, is settled with that.
    pub(super) fn alias(&self, args: &Args, caller: &Caller) -> Result<Value> {
        let example = r#"{"action": "alias", "entity": "Ada Lovelace", "alias": "Countess"}"#;
        let (entity, alias) = (args.required("entity", example)?, args.required("alias", example)?);
        let content = facts::clean(&format!("“{entity}” is also known as “{alias}”"))?;
        self.keep(&NewFact::new(content, Source::Tool, self.settings.default_trust), caller)
    }

    /// Stores a fact, and says which are like it and which contradict it.
    fn keep(&self, new: &NewFact, caller: &Caller) -> Result<Value> {
        let audience = Audience::of(&caller.scope);
        let (added, pairs) = self.store.write(|db| {
            let added = facts::add(db, new, caller, self.now)?;
            let filter = Filter { now: self.now, ..Filter::default() };
            let pairs = if added.existed { Vec::new() } else { contradict::of_fact(db, &audience, &filter, added.id)? };
            Ok((added, pairs))
        })?;
        let mut answer = told(added);
        if !pairs.is_empty() {
            let told = |pair: &contradict::Pair| {
                let other = if pair.newer.id == added.id { &pair.older } else { &pair.newer };
                let mut told = suggestion(other);
                told["why"] = json!(pair.why);
                told
            };
            answer["contradicts"] = pairs.iter().map(told).collect();
        }
        if !added.existed {
            let alike = self.store.read(|db| {
                let fact = facts::get(db, &audience, added.id)?;
                similar::to_fact(db, &audience, &fact, similar::MAX_SIMILAR, self.call)
            });
            // The fact is stored, whatever becomes of the suggestion.
            let alike = alike.unwrap_or_else(|error| {
                tracing::warn!(%error, "similar facts cannot be looked for");
                Vec::new()
            });
            if !alike.is_empty() {
                answer["similar"] = alike.iter().map(|(fact, _)| suggestion(fact)).collect();
            }
        }
        Ok(answer)
    }

    fn add_all(&self, args: &Args, several: &[Args], caller: &Caller) -> Result<Value> {
        if several.is_empty() || several.len() > MAX_AT_ONCE {
            let message = format!("`facts` has {} facts, 1 to {MAX_AT_ONCE} are taken", several.len());
            return Err(ProviderError::invalid(message).hint("send them in several calls").into());
        }
        let new: Vec<NewFact> = several.iter().map(|one| self.new_fact(one, Some(args))).collect::<Result<_>>()?;
        let added: Vec<Added> = self.store.write(|db| {
            let add = |new: &NewFact| {
                self.call.check()?;
                facts::add(db, new, caller, self.now)
            };
            new.iter().map(add).collect()
        })?;
        let existed = added.iter().filter(|added| added.existed).count();
        let results: Vec<Value> = added.iter().copied().map(told).collect();
        Ok(json!({"count": results.len(), "added": results.len() - existed, "existed": existed, "results": results}))
    }

    /// What the arguments say of a fact; what they leave open is as in `otherwise`.
    fn new_fact(&self, args: &Args, otherwise: Option<&Args>) -> Result<NewFact> {
        let content = args.required("content", r#"{"action": "add", "content": "Ada prefers tea"}"#)?;
        let mut new = NewFact::new(facts::clean(&content)?, Source::Tool, self.settings.default_trust);
        for args in otherwise.into_iter().chain([args]) {
            new.category = args.category()?.unwrap_or(new.category);
            new.tags = args.tags()?.unwrap_or(new.tags);
            new.valid_from = args.date("valid_from")?.map(|span| span.start).or(new.valid_from);
            new.valid_to = args.date("valid_to")?.map(|span| span.end).or(new.valid_to);
        }
        // A fact that has ended and does not say when it began had begun by then.
        if let Some(end) = new.valid_to {
            let from = new.valid_from.unwrap_or_else(|| self.now.min(end.saturating_sub(1)));
            if end <= from {
                return Err(wrong(
                    "a fact cannot end before it begins",
                    r#"{"valid_from": "2024-05", "valid_to": "2025-01-31"}"#,
                ));
            }
            new.valid_from = Some(from);
        }
        Ok(new)
    }

    pub(super) fn update(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let id = args.fact_id()?;
        let change = Change {
            content: args.text("content")?.map(|content| facts::clean(&content)).transpose()?,
            category: args.category()?,
            tags: args.tags()?,
            trust_delta: args.trust_delta()?.unwrap_or_default(),
            valid_from: args.date("valid_from")?.map(|span| span.start),
            valid_to: args.date("valid_to")?.map(|span| span.end),
            source: Some(Source::Tool),
            feedback: None,
        };
        let texts = change.content.is_none() && change.category.is_none() && change.tags.is_none();
        if texts && args.trust_delta()?.is_none() && change.valid_from.is_none() && change.valid_to.is_none() {
            return Err(wrong(
                "nothing to change: give `content`, `category`, `tags`, `valid_from`, `valid_to` or `trust_delta`",
                &format!(r#"{{"action": "update", "fact_id": {id}, "content": "…"}}"#),
            ));
        }
        let fact = self.store.write(|db| facts::update(db, audience, id, &change, self.now))?;
        let mut answer = fact.to_json();
        answer["status"] = json!("updated");
        Ok(answer)
    }

    pub(super) fn forget(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let id = args.fact_id()?;
        let alike = self.store.read(|db| {
            let fact = facts::get_any(db, audience, id)?;
            similar::to_fact(db, audience, &fact, similar::MAX_SIMILAR, self.call)
        })?;
        let emptied = self.store.erase(|db| facts::forget(db, audience, id))?;
        let mut elsewhere: Vec<String> = ELSEWHERE.map(str::to_owned).to_vec();
        elsewhere.extend(self.store.kept_file().map(|file| format!("the damaged file `{}`", file.display())));
        let models = self.semantic.places().into_iter();
        elsewhere.extend(models.map(|place| format!("the model at {place}, if it keeps what it is sent")));
        if !emptied {
            elsewhere.push("the log of `facts.db`, until the other process that reads it now ends".to_owned());
        }
        let mut answer = json!({"fact_id": id, "status": "forgotten", "may_live_on_in": elsewhere});
        if !alike.is_empty() {
            answer["similar"] = alike.iter().map(|(fact, _)| suggestion(fact)).collect();
        }
        Ok(answer)
    }

    pub(super) fn merge(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let (kept, other) = (args.fact_id()?, args.integer("other")?);
        let other = other.ok_or_else(|| wrong("`other` is missing: the fact that is merged away", MERGE_EXAMPLE))?;
        let trust = self.settings.default_trust;
        let fact = self.store.write(|db| merge::merge(db, audience, kept, other, trust))?;
        let mut answer = fact.to_json();
        answer["status"] = json!("merged");
        answer["undo"] = json!({"action": "unmerge", "fact_id": other});
        Ok(answer)
    }

    pub(super) fn unmerge(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
        let id = args.fact_id()?;
        let (fact, from) = self.store.write(|db| merge::unmerge(db, audience, id))?;
        Ok(json!({"status": "unmerged", "results": [fact.to_json(), from.to_json()]}))
    }

    pub(super) fn feedback(&self, args: &Args, audience: &Audience<'_>) -> Result<Value> {
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
        let trust_delta = match feedback {
            Feedback::Helpful => self.settings.helpful,
            Feedback::Unhelpful => -self.settings.unhelpful,
        };
        let change = Change { trust_delta, feedback: Some(feedback), ..Change::default() };
        let fact = self.store.write(|db| facts::update(db, audience, id, &change, self.now))?;
        Ok(json!({
            "fact_id": id, "trust": fact.trust,
            "helpful_count": fact.helpful_count, "unhelpful_count": fact.unhelpful_count,
        }))
    }
}

fn told(added: Added) -> Value {
    json!({"fact_id": added.id, "status": if added.existed { "exists" } else { "added" }})
}

fn suggestion(fact: &Fact) -> Value {
    json!({"fact_id": fact.id, "content": truncate_chars(&fact.content, SHOWN_CHARS)})
}
