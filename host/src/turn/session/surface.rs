//! What a model is told once and for the whole session: the memory's part of the system prompt, and the tools.

use std::sync::Arc;

use hermes_provider_api::records::ToolSchema;

use super::Session;
use crate::guard::fence;
use crate::layers::external::External;
use crate::secrets::Mask;
use crate::turn::recall::unless_blocked;
use crate::turn::tools::Tools;

/// What is the same for the whole session.
pub(super) struct Surface {
    pub(super) prompt: String,
    /// The same for all sessions that have equal ones.
    pub(super) tools: Arc<Tools>,
}

impl Session {
    pub(super) fn surface(&self) -> &Surface {
        let audience = self.scope();
        self.surfaces.of(&audience).get_or_init(|| {
            let mut surface = match &self.core.external {
                Some(external) => self.build_surface(external),
                None => Surface { prompt: String::new(), tools: Arc::default() },
            };
            self.add_search(&mut surface);
            self.add_curated(&mut surface, &audience);
            surface.tools = self.core.shared(surface.tools);
            surface
        })
    }

    /// The prompt speaks of the tools that are offered, and of no others.
    fn build_surface(&self, external: &External) -> Surface {
        let tools = match external.tool_schemas() {
            Ok(mut schemas) => {
                schemas.iter_mut().for_each(|schema| mask_schema(schema, self.core.redactor.known()));
                Tools::join(external.id(), schemas, &self.core.settings.toolset)
            }
            Err(error) => Tools::unknown(self.core.redactor.redact(&error.to_string()).into_owned()),
        };
        let gone = tools.problem.is_some() || tools.offered.is_empty() && !tools.hidden.is_empty();
        if gone {
            return Surface { prompt: String::new(), tools: Arc::new(tools) };
        }
        let block = external.system_prompt_block(&self.caller(self.core.clock.now())).unwrap_or_else(|error| {
            tracing::warn!(%error, "the system prompt is built without the provider");
            String::new()
        });
        let block = unless_blocked(self.core.redactor.redact(&block), "the provider's part of the system prompt");
        let mut prompt = fence::clean(&block);
        let missing: Vec<String> = tools
            .hidden
            .iter()
            .filter(|hidden| !tools.offers(&hidden.tool) && prompt.contains(hidden.tool.as_str()))
            .map(|hidden| format!("`{}`", hidden.tool))
            .collect();
        if !missing.is_empty() && !prompt.is_empty() {
            prompt.push_str(&format!("\nNot available here: {}.", missing.join(", ")));
        }
        Surface { prompt, tools: Arc::new(tools) }
    }
}

/// Takes known secrets out of what a model is told of a tool. A name that has one is none any more.
fn mask_schema(schema: &mut ToolSchema, mask: &Mask) {
    for text in [&mut schema.name, &mut schema.description] {
        *text = mask.apply(text).into_owned();
    }
    mask.apply_json(&mut schema.parameters);
}
