//! One client's session of the memory. Whatever is called here may wait for the provider, for as long as its deadlines.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_provider_api::records::{Context, Message, Role, Scope, ToolCall};
use hermes_provider_api::{Effect, Hook, Interface};
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

use super::reply::Reply;
use super::who::Who;
use super::{Hints, tools};
use crate::error::Failure;
use crate::layers::curated::TOOL;
use crate::layers::episodic::search::TOOL as SEARCH;
use crate::layers::external::turn_of_session;
use crate::open::{Closed, OpenMemory, Surroundings};
use crate::outbox::Lost;
use crate::secrets::Mask;
use crate::turn::{Problem, RecallOutcome, Session, Skip};

/// How long the answer to a recorded turn waits for the provider to take it.
const DELIVERY: Duration = Duration::from_secs(1);
/// What a client has to do before a change of the settings counts.
const AGAIN: &str = "then connect again";

/// An open memory and the session of the client.
pub(super) struct Connection {
    pub(super) open: OpenMemory,
    pub(super) surroundings: Surroundings,
    pub(super) hints: Hints,
    /// Its turns.
    pub(super) session: Session,
    /// What the client is shown of the provider, once it was asked.
    surface: Mutex<Option<Arc<Surface>>>,
    /// A session has one turn at a time, and a client may record two at once.
    recording: Mutex<u64>,
    /// Each is told once by the memory, and every time by a status.
    lost: Mutex<Vec<Lost>>,
}

/// What the client is shown of the provider: chosen by a session, which keeps it.
pub(super) struct Surface {
    pub(super) session: Session,
    tools: Vec<Tool>,
}

impl Connection {
    /// Opens the memory of the home.
    pub(super) fn open(surroundings: Surroundings, hints: Hints) -> Result<Self, Failure> {
        let open = surroundings.memory()?;
        open.notes.iter().for_each(|note| tracing::info!(note, "opened"));
        open.remarks.iter().for_each(|remark| tracing::warn!(remark, "the memory files"));
        // Two clients of one home may connect at the same moment.
        let id = format!("mcp-{}-{}", surroundings.clock.now(), std::process::id());
        let session = open.memory.session(id, scope(Who::default()), Context::Primary);
        let (surface, recording, lost) = Default::default();
        Ok(Self { open, surroundings, hints, session, surface, recording, lost })
    }

    /// From now on, this is who speaks.
    pub(super) fn spoken_by(&self, who: Who) {
        self.session.set_scope(scope(who));
    }

    pub(super) fn mask(&self) -> &Mask {
        &self.open.mask
    }

    pub(super) fn recall(&self, message: &str) -> Reply {
        self.user_spoke();
        if let Some(unavailable) = self.unavailable() {
            // Without a provider the files are all the memory there is, and a client may not read resources.
            let known = if self.open.degraded.is_none() { self.system_prompt() } else { String::new() };
            return if known.is_empty() { unavailable.into() } else { Reply::said(known) };
        }
        let (block, outcome) = self.session.peek(message);
        let recalled = match outcome {
            RecallOutcome::Asked(recalled) => recalled,
            RecallOutcome::Skipped(Skip::NoRecall) => return Reply::failed("this memory provider has no recall"),
            RecallOutcome::Skipped(_) => {
                let text = "nothing was looked up: a greeting, an acknowledgement or a command needs no memory";
                return Reply::said(text).with(json!({"memories": []}));
            }
        };
        let structured = json!({
            "memories": recalled.memories, "withheld": recalled.withheld, "blocked": recalled.blocked,
        });
        match (recalled.problem, block) {
            (Some(problem), _) => {
                let why = match problem {
                    Problem::TimedOut { limit } => format!("no answer within {} ms", limit.as_millis()),
                    Problem::Failed { reason } => reason,
                };
                Reply::failed(format!("no recall: {why}\nhint: go on without it; `{}` says more", tools::STATUS))
            }
            (None, Some(block)) => Reply::said(block).with(structured),
            (None, None) => Reply::said("nothing is remembered that fits this message").with(structured),
        }
    }

    pub(super) fn record(&self, user: &str, assistant: &str) -> Reply {
        self.user_spoke();
        if let Some(unavailable) = self.unavailable() {
            return unavailable.into();
        }
        let (number, kept) = {
            let mut turns = lock(&self.recording);
            let (number, kept) = self.session.record_turn(user, &[Message::new(Role::Assistant, assistant)]);
            *turns = number;
            (number, kept)
        };
        if let Some(external) = self.open.memory.external().filter(|external| !external.has(Interface::Sync)) {
            // What it makes of a whole session, which some read for statements, is its own affair and known only to it.
            let learns = match external.has(Interface::Session) {
                true => "is handed no single turns, at most the session when it ends",
                false => "learns nothing from turns",
            };
            let text = format!(
                "turn {number} is over; `{}` {learns}: keep what will matter later with its tools",
                external.id()
            );
            return Reply::said(text).with(json!({"turn": number, "state": "not kept"}));
        }
        let report = self.open.memory.settle(DELIVERY);
        lock(&self.lost).extend(report.lost);
        // Another turn that was given up just now is for the status: this one must not be recorded again because of it.
        let turn = turn_of_session(number, self.session.id());
        if let Some(lost) = self.lost().iter().find(|lost| lost.what == turn) {
            return Reply::failed(not_delivered(lost)).with(json!({"turn": number, "state": "lost"}));
        }
        if !report.waiting.contains(&turn) {
            return Reply::said(format!("turn {number} is recorded"))
                .with(json!({"turn": number, "state": "recorded"}));
        }
        if let Err(error) = kept {
            let text = format!("{error}; it is in memory, and tried again until this server ends");
            return Reply::failed(text).with(json!({"turn": number, "state": "in memory"}));
        }
        let text = format!("turn {number} is kept, waits until the provider takes it, and is tried again by itself");
        Reply::said(text).with(json!({"turn": number, "state": "waiting"}))
    }

    /// A client names no turns to the tool of the files: calls that failed before the next message no longer count.
    fn user_spoke(&self) {
        if let Some(surface) = self.known_surface() {
            surface.session.forget_attempts();
        }
    }

    /// How many turns were recorded.
    pub(super) fn turns(&self) -> u64 {
        *lock(&self.recording)
    }

    /// What did not reach the provider and was given up.
    pub(super) fn lost(&self) -> Vec<Lost> {
        let mut lost = lock(&self.lost);
        lost.extend(self.open.memory.take_lost());
        lost.clone()
    }

    /// All tools that the client sees.
    pub(super) fn tools(&self) -> Vec<Tool> {
        let mut all = self.surface().tools.clone();
        all.extend(tools::own());
        all
    }

    /// Calls one of the host's own tools, or one of the provider; None when there is none of this name. A client may
    /// know the name from a better day.
    pub(super) fn call(&self, tool: &str, args: Option<JsonObject>) -> Option<Reply> {
        let is_own = [TOOL, SEARCH].contains(&tool);
        if self.open.degraded.is_some() && !is_own {
            return self.unavailable().map(Reply::from);
        }
        let surface = self.surface();
        let tools = surface.session.tools();
        match &tools.problem {
            Some(problem) if !is_own => return Some(Reply::failed(unknown_tools(problem))),
            _ => {}
        }
        if !tools.offers(tool) {
            return None;
        }
        surface.session.set_scope(self.session.scope());
        let arguments = args.map(|args| Value::Object(args).to_string()).unwrap_or_default();
        let outcome = surface.session.tool(&ToolCall { id: String::new(), name: tool.to_owned(), arguments });
        for line in surface.session.take_news().into_iter().filter_map(|news| news.line) {
            tracing::info!(line, "the memory files");
        }
        Some(outcome.into())
    }

    /// The provider's text for the system prompt.
    pub(super) fn system_prompt(&self) -> String {
        self.mask().apply(self.surface().session.system_prompt()).into_owned()
    }

    /// What the provider was found to offer so far.
    pub(super) fn known_surface(&self) -> Option<Arc<Surface>> {
        // Whoever asks the provider just now holds the lock.
        self.surface.try_lock().ok().and_then(|surface| surface.clone())
    }

    /// Asks the provider at first. A session keeps what it was told, also that nothing was: then a new one asks again.
    fn surface(&self) -> Arc<Surface> {
        let mut known = lock(&self.surface);
        if let Some(surface) = known.as_ref().filter(|surface| surface.session.tools().problem.is_none()) {
            return Arc::clone(surface);
        }
        let session = self.session.with_new_surface();
        let external = self.open.memory.external();
        let provided = session.tools().offered.iter().map(|schema| {
            tools::provided(schema, |args| {
                if schema.name == TOOL {
                    return Some(tools::effect_on_files(args));
                }
                if schema.name == SEARCH {
                    return Some(Effect::Read);
                }
                let effect = external?.tool_effect(&schema.name, args);
                effect.inspect_err(|error| tracing::debug!(%error, hook = Hook::ToolEffect.name(), "no hint")).ok()
            })
        });
        let tools = provided.collect();
        let surface = Arc::new(Surface { session, tools });
        *known = Some(Arc::clone(&surface));
        surface
    }

    /// Why there is no provider, and what to type.
    pub(super) fn unavailable(&self) -> Option<Failure> {
        if self.open.memory.external().is_some() {
            return None;
        }
        let mut failure = self.open.degraded.clone().unwrap_or_else(|| {
            Failure::new("no external provider is set up").hint("choose one with `hermes memory setup`")
        });
        for hint in &mut failure.hints {
            *hint = format!("{}, {AGAIN}", (self.hints)(hint));
        }
        Some(failure)
    }

    /// Ends the session, delivers what is left, and closes the provider; all within the limits of the settings.
    pub(super) fn end(&self) -> Closed {
        if let Err(error) = self.session.end() {
            tracing::warn!(%error, "the end of the session");
        }
        self.open.close()
    }
}

fn scope(Who { platform, project }: Who) -> Scope {
    Scope { platform, project, ..Scope::default() }
}

/// What is said when the provider does not say what it offers.
pub(super) fn unknown_tools(problem: &str) -> String {
    format!("the provider's tools are not known: {problem}")
}

/// What was given up, and why.
pub(super) fn not_delivered(lost: &Lost) -> String {
    format!("{} did not reach the provider: {}", lost.what, lost.reason)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
