//! The hooks.

use std::sync::Arc;

use hermes_provider_api::records::{
    Caller, Effect, EntryPage, Health, ImportBatch, ImportReport, ListEntries, MemoryWrite, OpenRequest, PrefetchQuery,
    Recall, RecallState, RecallStatus, Remember, Remembered, SessionEnd, ToolRequest, ToolSchema, TurnStart,
    UnixMillis,
};
use hermes_provider_api::{Call, Host, MemoryProvider, ProviderError, Result};
use rusqlite::Connection;
use serde_json::Value;

use crate::audience::Audience;
use crate::config::{Extract, Settings};
use crate::error;
use crate::extract::{self, Idle};
use crate::facts::{self, Filter, NewFact, Source};
use crate::index;
use crate::search::{self, Bounds, Hit, Query};
use crate::semantic::{self, Semantic};
use crate::store::Store;
use crate::tools::{self, Tools};
use crate::{import, mirror, recall};

/// Pages of entries are not longer.
const MAX_PAGE: usize = 500;

/// The provider.
pub struct Holographic {
    host: Host,
    settings: Settings,
    store: Arc<Store>,
    semantic: Semantic,
    idle: Idle,
}

impl MemoryProvider for Holographic {
    fn open(host: Host, _request: OpenRequest) -> Result<Self> {
        let settings = Settings::read(&host)?;
        let store = Arc::new(Store::open(&host)?);
        let semantic = Semantic::begin(&host, &store, &settings);
        Ok(Self { host, settings, store, semantic, idle: Idle::default() })
    }

    fn health(&self, call: &Call<'_>) -> Result<Health> {
        let kept = self.store.look_for_kept();
        let facts = self.store.rehearse(|db| {
            let facts = facts::count(db)?;
            call.check()?;
            try_out(db, call)?;
            Ok(facts)
        })?;
        let checked = self.store.check(call)?;
        self.store.flush()?;
        self.semantic.try_out(call);
        let facts = if facts == 1 { "1 fact".to_owned() } else { format!("{facts} facts") };
        let facts = facts + &self.semantic.progress()?;
        // Damage may have been met just now.
        Ok(match kept.or_else(|| self.store.kept()).or_else(|| self.semantic.trouble()) {
            Some(trouble) => Health::degraded(format!("{facts}; {trouble}")),
            None => Health::ok(format!("{facts}{checked}")),
        })
    }

    fn system_prompt_block(&self, _caller: &Caller) -> Result<String> {
        Ok(tools::GUIDANCE.to_owned())
    }

    fn shutdown(&self, call: &Call<'_>) -> Result<()> {
        self.semantic.end(call);
        Ok(self.store.flush()?)
    }

    fn prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<Recall> {
        let now = self.said_at(&query.caller);
        if !recall::is_worth_it(query, &self.settings) {
            return Ok(Recall::default());
        }
        let message = search::bounded(&query.query);
        let meaning = self.semantic.question(message, call);
        let find = |db: &Connection| recall::find(db, query, meaning.as_ref(), &self.settings, now, call);
        let choose = |db: &Connection, found| recall::choose(db, found, query, &self.settings, now);
        let facts = if self.semantic.reranks() {
            let mut found = self.store.read(find)?;
            let rest = found.ranked.split_off(found.ranked.len().min(semantic::RERANKED));
            let best = std::mem::take(&mut found.ranked);
            let hits = self.store.read(|db| recall::load(db, best.clone(), query, &self.settings, now))?;
            let hits = self.semantic.reranked(message, hits, call);
            found.ranked = hits.iter().map(Hit::found).chain(rest).collect();
            self.store.read(|db| choose(db, found.clone()))?
        } else {
            self.store.read(|db| choose(db, find(db)?))?
        };
        self.store.count_recalls(facts.iter().map(|fact| fact.id), now);
        Ok(recall::to_recall(facts))
    }

    fn recall_status(&self, _call: &Call<'_>) -> Result<RecallStatus> {
        let entries = self.store.read(facts::count)?;
        let (state, detail) = match self.store.kept().or_else(|| self.semantic.trouble()) {
            Some(trouble) => (RecallState::Degraded, trouble),
            None => (RecallState::Ready, format!("{entries} facts{}", self.semantic.progress()?)),
        };
        Ok(RecallStatus { state, detail, entries: u64::try_from(entries).ok() })
    }

    fn on_memory_write(&self, write: &MemoryWrite, call: &Call<'_>) -> Result<()> {
        let said = self.said_at(&write.caller);
        self.store.write(|db| mirror::apply(db, write, &self.settings, said, call))?;
        self.semantic.wake();
        Ok(())
    }

    fn on_turn_start(&self, start: &TurnStart, _call: &Call<'_>) -> Result<()> {
        if self.settings.extract == Extract::Idle {
            self.idle.note(&self.store, &self.settings, start, self.said_at(&start.caller))?;
            self.semantic.wake();
        }
        Ok(())
    }

    fn on_session_end(&self, end: &SessionEnd, call: &Call<'_>) -> Result<()> {
        if self.settings.extract != Extract::Off {
            extract::at_end(&self.store, &self.settings, end, self.said_at(&end.caller), call)?;
            self.idle.end(&end.caller);
            self.semantic.wake();
        }
        Ok(())
    }

    fn tool_schemas(&self) -> Result<Vec<ToolSchema>> {
        Ok(tools::schemas())
    }

    fn call_tool(&self, request: &ToolRequest, call: &Call<'_>) -> Result<Value> {
        let (store, semantic, settings) = (&*self.store, &self.semantic, &self.settings);
        let tools = Tools { store, semantic, settings, now: self.said_at(&request.caller), call };
        let answer = tools.run(request)?;
        if tools::effect(&request.tool, &request.args) == Effect::Write {
            self.semantic.wake();
        }
        self.idle.settle(request);
        Ok(answer)
    }

    fn tool_effect(&self, tool: &str, args: &Value) -> Effect {
        tools::effect(tool, args)
    }

    fn remember(&self, wish: &Remember, _call: &Call<'_>) -> Result<Remembered> {
        let content = facts::clean(&wish.text)?;
        let new = NewFact::new(content, Source::User, self.settings.default_trust);
        let said = self.said_at(&wish.caller);
        let added = self.store.write(|db| facts::add(db, &new, &wish.caller, said))?;
        self.semantic.wake();
        Ok(Remembered { id: added.id.to_string(), existed: added.existed })
    }

    fn import(&self, batch: &ImportBatch, call: &Call<'_>) -> Result<ImportReport> {
        let (folder, now) = (self.host.data_dir()?, self.said_at(&batch.caller));
        let report = import::import(&self.store, &folder, batch, self.settings.default_trust, now, call)?;
        self.semantic.wake();
        Ok(report)
    }

    fn list_entries(&self, list: &ListEntries, _call: &Call<'_>) -> Result<EntryPage> {
        let before = match list.cursor.as_str() {
            "" => None,
            cursor => Some(id_of(cursor).ok_or_else(|| {
                ProviderError::invalid(format!("`{cursor}` is not a cursor of this list"))
                    .hint("begin with an empty cursor")
            })?),
        };
        let limit = list.limit.clamp(1, MAX_PAGE);
        let audience = Audience::of(&list.caller.scope);
        let mut facts = self.store.read(|db| facts::list(db, &audience, &Filter::default(), before, limit + 1))?;
        let more = facts.len() > limit;
        facts.truncate(limit);
        let next = facts.last().filter(|_| more).map(|fact| fact.id.to_string()).unwrap_or_default();
        Ok(EntryPage { entries: facts.into_iter().map(recall::to_item).collect(), next })
    }

    fn delete_entry(&self, id: &str, caller: &Caller, _call: &Call<'_>) -> Result<()> {
        let number = id_of(id).ok_or_else(|| ProviderError::not_found(format!("there is no fact `{id}`")))?;
        let audience = Audience::of(&caller.scope);
        Ok(self.store.erase(|db| facts::forget(db, &audience, number)).map(drop)?)
    }
}

impl Holographic {
    /// What it costs that a search looks at a bounded number of facts, beside one without bounds: which part of its ten
    /// best facts for these questions is found, and which part of the ten is as good to within a hundredth, since of
    /// facts that are nearly alike one answers as well as another. For measurements.
    ///
    /// # Errors
    /// Those of a search.
    #[doc(hidden)]
    pub fn recall_within_bounds(&self, questions: &[String]) -> Result<[f64; 2]> {
        const BEST: usize = 10;
        const AS_GOOD: f64 = 0.99;
        let (call, caller) = (Call::default(), Caller::default());
        let (audience, filter) = (Audience::of(&caller.scope), Filter::default());
        let (mut same, mut as_good, mut all) = (0, 0, 0);
        for question in questions {
            let [bounded, unbounded] = self.store.read(|db| {
                let query = Query::new(db, question, &call)?;
                let best = |bounds: &Bounds| search::best(db, &audience, &filter, &query, bounds, BEST, &call);
                Ok([best(&Bounds::USUAL)?, best(&Bounds::NONE)?])
            })?;
            same += unbounded.iter().filter(|best| bounded.iter().any(|found| found.id == best.id)).count();
            let in_place = unbounded.iter().zip(&bounded);
            as_good += in_place.filter(|(best, found)| found.score >= AS_GOOD * best.score).count();
            all += unbounded.len();
        }
        Ok([same, as_good].map(|kept| search::ratio(kept, all)))
    }

    /// When it was said: a conversation that is replayed or delivered late is older than now.
    fn said_at(&self, caller: &Caller) -> UnixMillis {
        match caller.origin.at {
            0 => self.host.now(),
            at => at,
        }
    }
}

fn id_of(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}

/// Stores a fact and finds it again; the caller takes the transaction back.
fn try_out(db: &Connection, call: &Call<'_>) -> error::Result<()> {
    let content = "A fact that the health check stores, finds and takes back".to_owned();
    let new = NewFact::new(content.clone(), Source::Tool, facts::FIRST_TRUST);
    let caller = Caller::default();
    let added = facts::add(db, &new, &caller, 0)?;
    index::settle(db)?;
    let query = Query::new(db, &content, call)?;
    let found = search::search(db, &Audience::of(&caller.scope), &Filter::default(), &query, 5, call)?;
    if found.iter().any(|hit| hit.fact.id == added.id) {
        return Ok(());
    }
    Err(ProviderError::storage("a fact that was just stored is not found again")
        .hint("move `facts.db` out of the data folder and restore a backup")
        .into())
}
