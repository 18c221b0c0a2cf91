//! The curated memory in a session: its snapshot, its tool, and the gate in front of the provider's tools.

use std::sync::Arc;

use hermes_provider_api::Effect;
use hermes_provider_api::records::{Author, Caller, Context, Scope, ToolCall, ToolRequest};
use serde_json::{Value, json};

use super::{Session, State, Surface};
use crate::error::Failure;
use crate::layers::curated::{Curated, Proposed, TOOL, Why, not_stored};
use crate::layers::external::External;
use crate::turn::tools::{ToolFailure, read_arguments};

/// What became of the curated memory, for the user and not for the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// One line; None where the settings want none.
    pub line: Option<String>,
    /// What waits for the user now: see [`Curated::proposal`].
    pub proposal: Option<String>,
}

impl Session {
    /// What became of the curated memory since this was last asked, for the user.
    #[must_use]
    pub fn take_news(&self) -> Vec<News> {
        std::mem::take(&mut self.state().news)
    }

    /// The user has said something although no turn was begun: calls that failed before it no longer count.
    pub fn forget_attempts(&self) {
        self.end_attempts(&mut self.state());
    }

    /// The memory files as this audience may see them, as they were when the session started: the same bytes ever after.
    /// Empty when there is nothing.
    #[must_use]
    pub fn snapshot(&self) -> &str {
        self.core.curated.as_ref().map_or("", |curated| self.snapshot_for(curated, &self.scope()))
    }

    fn snapshot_for(&self, curated: &Curated, audience: &Scope) -> &str {
        // What runs beside a conversation has the prompt of that one, and begins none.
        let frozen = || curated.frozen(&self.id, audience, self.context.may_write());
        self.frozen.of(audience).get_or_init(frozen)
    }

    pub(super) fn add_curated(&self, surface: &mut Surface, audience: &Scope) {
        let Some(curated) = &self.core.curated else { return };
        if let Some(schema) = curated.schema(audience) {
            Arc::make_mut(&mut surface.tools).put_first(schema, &self.core.settings.toolset);
        }
        let parts = [self.snapshot_for(curated, audience), &surface.prompt].into_iter().filter(|part| !part.is_empty());
        surface.prompt = parts.collect::<Vec<_>>().join("\n\n");
    }

    /// The next prompt of this session is of the time when it is made.
    pub(super) fn thaw(&self) {
        if let Some(curated) = self.core.curated.as_ref().filter(|_| self.context.may_write()) {
            curated.thaw(&self.id);
        }
    }

    /// The curated memory, if a call is one of its tool.
    pub(super) fn curated_for(&self, call: &ToolCall) -> Option<&Curated> {
        self.core.curated.as_ref().filter(|_| call.name == TOOL && self.tools().offers(TOOL))
    }

    pub(super) fn run_memory(&self, curated: &Curated, call: &ToolCall) -> Result<Value, ToolFailure> {
        let caller = by_agent(self.tool_caller());
        let arguments = read_arguments(&call.arguments);
        let arguments = arguments.as_ref().map_err(|failure| failure.message.clone());
        let mut attempts = std::mem::take(&mut self.state().attempts);
        let answer = curated.call(arguments, &caller, &mut attempts);
        let proposal = answer.outcome.as_ref().and_then(|outcome| outcome.proposal.as_ref());
        let news = News { line: curated.notice(&answer), proposal: proposal.map(|proposal| proposal.id.clone()) };
        let mut state = self.state();
        state.attempts.join(attempts);
        if news != News::default() {
            state.news.push(news);
        }
        match answer.failure {
            None => Ok(answer.value),
            Some((message, hint)) => {
                Err(ToolFailure { kind: "refused".to_owned(), message, hint, answer: Some(answer.value) })
            }
        }
    }

    /// With `memory.write_approval`, a call of a provider's tool that would write waits for the user too.
    pub(super) fn gated(&self, external: &External, request: &ToolRequest) -> Option<Result<Value, ToolFailure>> {
        let caller = by_agent(request.caller.clone());
        let curated = self.core.curated.as_ref().filter(|curated| curated.gates_tools(&caller))?;
        // What is not known to only read may write.
        if external.tool_effect(&request.tool, &request.args).is_ok_and(|effect| effect == Effect::Read) {
            return None;
        }
        let mut args = request.args.clone();
        self.core.redactor.redact_json(&mut args);
        let what = Proposed::Tool { provider: external.id().to_owned(), tool: request.tool.clone(), args };
        let staged = curated.stage(what, Why::Approval, &caller).map_err(|refusal| {
            let Failure { message, hints, .. } = refusal.into();
            ToolFailure { hint: hints.into_iter().next(), ..ToolFailure::invalid(message) }
        });
        Some(staged.map(|proposal| {
            let message =
                format!("Not done yet: it waits for the user's approval as {}. Do not repeat it.", proposal.id);
            let line = format!("💾 A change of the memory waits for you: `hermes memory diff {}`", proposal.id);
            self.state().news.push(News { line: Some(line), proposal: Some(proposal.id.clone()) });
            json!({"pending": proposal.id, "message": message})
        }))
    }

    /// A turn is over, and with it what its calls wanted and did not get.
    pub(super) fn end_attempts(&self, state: &mut State) {
        let mut attempts = std::mem::take(&mut state.attempts);
        let Some(curated) = &self.core.curated else { return };
        let caller = by_agent(super::caller(&self.id, state.scope.clone(), self.context, self.core.clock.now()));
        for kept in curated.keep_what_is_left(&caller, &mut attempts) {
            state.news.push(News { line: Some(not_stored(&kept)), proposal: Some(kept.id) });
        }
    }
}

/// The same caller as the author of what a tool writes: the model, and not the person that it talks with.
fn by_agent(mut caller: Caller) -> Caller {
    caller.origin.author = if caller.context == Context::Review { Author::Review } else { Author::Assistant };
    caller
}
