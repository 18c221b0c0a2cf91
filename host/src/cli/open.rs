//! Opens the memory that the settings describe, and closes it again.

use std::sync::Arc;

use hermes_provider_api::Scope;

use super::{Context, Exit, Ui};
use crate::error::Failure;
use crate::guard::Redactor;
use crate::home::Home;
use crate::open::Opening;
use crate::plugins::hooks::Hooks;
use crate::plugins::load::Loaded;
use crate::turn::{Memory, TurnSettings};

/// An open memory, and who speaks at the command line.
pub struct OpenMemory {
    /// The memory, with the provider that the settings name.
    pub memory: Memory,
    /// The audience of what is said here, where nothing else is known.
    pub scope: Scope,
    /// Why the provider that the settings name is not there.
    pub degraded: Option<Failure>,
    provider: Option<Arc<Loaded>>,
}

/// Opens the memory of the home.
///
/// # Errors
/// When it cannot be opened at all. A provider that does not work is no error: it is said once, and the memory goes on
/// without it.
pub fn memory(context: &Context) -> Result<OpenMemory, Failure> {
    memory_in(context, &context.home)
}

/// The same with the files of another home, a copy.
///
/// # Errors
/// As [`memory`].
pub fn memory_in(context: &Context, home: &Home) -> Result<OpenMemory, Failure> {
    let open = memory_quietly(context, home)?;
    if let Some(failure) = &open.degraded {
        context.ui.warn(format!("going on without a memory provider: {}", failure.message));
        failure.hints.iter().for_each(|hint| context.ui.note(format!("hint: {hint}")));
    }
    Ok(open)
}

/// The same, with a provider that is not there left to the caller to speak of.
pub(super) fn memory_quietly(context: &Context, home: &Home) -> Result<OpenMemory, Failure> {
    let surroundings = context.surroundings_in(home, context.config.clone())?;
    let (provider, degraded) = match surroundings.open() {
        Opening::None => (None, None),
        Opening::Ready { provider, notes } => {
            notes.iter().for_each(|note| context.ui.note(note));
            (Some(provider), None)
        }
        Opening::Degraded { failure, .. } => (None, Some(failure)),
    };
    let settings = TurnSettings {
        recall_limit: context.config.recall_limit(),
        recall_chars: context.config.recall_chars(),
        shutdown_timeout: context.config.shutdown_timeout(),
        ..TurnSettings::default()
    };
    let variables: Vec<_> = provider.iter().flat_map(|provider| secret_variables(provider)).collect();
    let mask = context.secrets()?.mask(variables.iter().map(String::as_str));
    context.ui.mask(mask.clone());
    let hooks = provider.clone().map(|provider| provider as Arc<dyn Hooks>);
    let memory = Memory::open(hooks, settings, context.clock.clone(), Redactor::new(mask))
        .map_err(|error| Failure::new(format!("the memory cannot be opened: {error}")))?;
    let scope = Scope { profile: "default".to_owned(), platform: "cli".to_owned(), ..Scope::default() };
    Ok(OpenMemory { memory, scope, degraded, provider })
}

/// The variables whose values must not be shown, also when they are set outside `.env`.
fn secret_variables(provider: &Loaded) -> impl Iterator<Item = String> {
    let metadata = provider.metadata();
    let fields = metadata.config.iter().filter(|field| field.secret).map(|field| field.env_var.clone());
    metadata.capabilities.secret.iter().cloned().chain(fields)
}

impl OpenMemory {
    /// Delivers what is left, ends the provider, and says what was not delivered.
    #[must_use]
    pub fn close(self, ui: &Ui) -> Exit {
        let delivered = deliver_rest(&self.memory, ui);
        let problem = self.provider.and_then(|provider| provider.close().problem);
        if let Some(problem) = &problem {
            ui.warn(format!("the provider did not end cleanly: {problem}"));
        }
        if delivered && problem.is_none() { Exit::Success } else { Exit::Failed }
    }
}

/// Delivers what is left, and says what could not be delivered; whether all was.
pub(super) fn deliver_rest(memory: &Memory, ui: &Ui) -> bool {
    let report = memory.shutdown();
    for lost in &report.lost {
        ui.warn(format!("{} did not reach the provider: {}", lost.what, lost.reason));
    }
    for what in &report.undelivered {
        ui.warn(format!("{what} did not reach the provider in time"));
    }
    if !report.is_complete() {
        ui.note("hint: `hermes memory status` shows how the provider has been doing");
    }
    report.is_complete()
}
