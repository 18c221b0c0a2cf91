//! The search over the archive in a session: its tool.

use std::sync::Arc;

use hermes_provider_api::records::ToolCall;
use serde_json::Value;

use super::{Session, Surface, masked};
use crate::guard::threats;
use crate::layers::episodic::search::{Asking, Refused, Searcher, TOOL, schema};
use crate::turn::tools::{ToolFailure, read_arguments};

impl Session {
    /// The host's tools come before those of a provider.
    pub(super) fn add_search(&self, surface: &mut Surface) {
        if self.core.searcher.is_some() {
            Arc::make_mut(&mut surface.tools).put_first(schema(), &self.core.settings.toolset);
        }
    }

    /// What searches the archive, if a call is one of its tool.
    pub(super) fn searcher_for(&self, call: &ToolCall) -> Option<&Searcher> {
        self.core.searcher.as_ref().filter(|_| call.name == TOOL && self.tools().offers(TOOL))
    }

    /// What was said once may be an attack, or hold a secret that was none then.
    pub(super) fn run_search(&self, searcher: &Searcher, call: &ToolCall) -> Result<Value, ToolFailure> {
        let mask = self.core.redactor.known();
        let caller = self.tool_caller();
        let asking = Asking { scope: caller.scope, session: self.id.clone(), now: self.core.clock.now() };
        let arguments = read_arguments(&call.arguments);
        let arguments = arguments.as_ref().map_err(|failure| failure.message.clone());
        let answer = searcher.call(arguments, &asking).map_err(|Refused { kind, message, hint }| {
            ToolFailure { kind: kind.to_owned(), message, hint, answer: None }.masked(mask)
        });
        let mut answer = answer?;
        if threats::block_json(&mut answer, threats::Scope::Context) {
            tracing::warn!(tool = TOOL, "texts that attack their reader are kept from the model");
        }
        Ok(masked(answer, mask))
    }
}
