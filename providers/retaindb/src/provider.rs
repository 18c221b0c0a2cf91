//! The hooks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use hermes_provider_api::records::{
    Caller, Effect, Health, MemoryWrite, OpenRequest, PrefetchQuery, Recall, Remember, Remembered, SessionSwitch,
    ToolRequest, ToolSchema, Turn,
};
use hermes_provider_api::{Call, Host, MemoryProvider, ProviderError, Result, Scope};
use serde_json::Value;

use crate::api::{Api, New};
use crate::audience::{Audience, Settings};
use crate::deliveries;
use crate::prepared::{Ahead, Prepared};
use crate::recall::Overlay;
use crate::tools::{self, Tools};

/// An answer that takes longer than this is called slow: a recall has 8 s, and asks twice.
const SLOW: f64 = 3.0;

/// The provider.
pub struct RetainDb {
    api: Api,
    settings: Settings,
    prepared: Prepared,
    tools: tools::Seen,
    /// The service knows who the agent is, or nobody says.
    introduced: AtomicBool,
    /// Whose it is when nobody in particular asks.
    own: Scope,
}

impl MemoryProvider for RetainDb {
    fn open(host: Host, request: OpenRequest) -> Result<Self> {
        let settings: Settings = host.config()?;
        let introduced = AtomicBool::new(settings.soul.is_empty());
        let api = Api::new(host)?;
        let (prepared, tools, own) = (Prepared::default(), tools::Seen::default(), request.scope);
        Ok(Self { api, settings, prepared, tools, introduced, own })
    }

    fn unavailable_reason(&self) -> Option<String> {
        self.api.client.unavailable_reason()
    }

    fn health(&self, call: &Call<'_>) -> Result<Health> {
        let who = self.audience(&Caller { scope: self.own.clone(), ..Caller::default() });
        let begun = Instant::now();
        self.api.profile(&who, 8, call)?;
        let took = begun.elapsed().as_secs_f64();
        let pace = if took > SLOW { format!("slow: it took {took:.1} s to answer") } else { "it answers".to_owned() };
        Ok(Health::ok(format!("{} as project `{}`; {pace}", self.api.client.address(), who.project)))
    }

    fn system_prompt_block(&self, caller: &Caller) -> Result<String> {
        Ok(tools::guidance(&self.audience(caller).project))
    }

    fn prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<Recall> {
        let who = self.audience(&query.caller);
        if deliveries::is_blank(&query.query) {
            return Ok(Recall::default());
        }
        let overlay = Overlay::ask(&self.api, &who, &query.query, call)?;
        self.tools.note(&who, overlay.fits.iter().chain(&overlay.profile));
        Ok(overlay.into_recall(self.prepared.take(&who), &query.caller.scope, query.limit))
    }

    fn queue_prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<()> {
        let who = self.audience(&query.caller);
        let generation = self.prepared.generation();
        let (synthesis, model) = std::thread::scope(|scope| {
            let model = scope.spawn(|| self.api.model(&who, call));
            let synthesis = self.api.synthesis(&who, &query.query, call);
            (synthesis, model.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let failed = [synthesis.as_ref().err(), model.as_ref().err()].into_iter().flatten().next();
        let failed = failed.map(|failed| failed.error.clone());
        let (synthesis, model) = (synthesis.ok().flatten(), model.ok().flatten());
        if synthesis.is_some() || model.is_some() {
            self.prepared.put(&who, generation, Ahead { synthesis, model });
        }
        failed.map_or(Ok(()), Err)
    }

    fn sync_turn(&self, turn: &Turn, call: &Call<'_>) -> Result<()> {
        let who = self.audience(&turn.caller);
        deliveries::turn(&self.api, &who, turn, self.said_at(&turn.caller), call)?;
        if !self.introduced.load(Ordering::Relaxed) {
            match deliveries::soul(&self.api, &who, call) {
                Ok(()) => self.introduced.store(true, Ordering::Relaxed),
                Err(error) => {
                    tracing::warn!(%error, "the service was not told who the agent is; the next turn tries again")
                }
            }
        }
        Ok(())
    }

    fn on_memory_write(&self, write: &MemoryWrite, call: &Call<'_>) -> Result<()> {
        deliveries::note(&self.api, &self.audience(&write.caller), write, call)
    }

    fn on_session_switch(&self, switch: &SessionSwitch, _call: &Call<'_>) -> Result<()> {
        self.prepared.switch([&switch.from, &switch.to]);
        Ok(())
    }

    fn tool_schemas(&self) -> Result<Vec<ToolSchema>> {
        Ok(tools::schemas())
    }

    fn call_tool(&self, request: &ToolRequest, call: &Call<'_>) -> Result<Value> {
        let who = self.audience(&request.caller);
        Tools { api: &self.api, settings: &self.settings, seen: &self.tools, who, call }.run(request)
    }

    fn tool_effect(&self, tool: &str, _args: &Value) -> Effect {
        tools::effect(tool)
    }

    fn remember(&self, wish: &Remember, call: &Call<'_>) -> Result<Remembered> {
        let who = self.audience(&wish.caller);
        let text = wish.text.trim();
        if text.is_empty() {
            return Err(ProviderError::invalid("there is nothing to remember"));
        }
        if let Some(known) = deliveries::known(&self.api, &who, text, call)? {
            return Ok(Remembered { id: known.id, existed: true });
        }
        let new = New { text, kind: "factual", importance: 1.0, key: None };
        Ok(Remembered { id: self.api.add(&who, &new, call)?, existed: false })
    }
}

impl RetainDb {
    fn audience(&self, caller: &Caller) -> Audience {
        Audience::of(caller, &self.settings)
    }

    /// When it was said: a turn that is delivered late is older than now.
    fn said_at(&self, caller: &Caller) -> u64 {
        match caller.origin.at {
            0 => self.api.client.host().now(),
            at => at,
        }
    }
}
