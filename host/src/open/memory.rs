//! The memory that a home's settings describe: opened, and closed within limits.

use std::sync::Arc;

use hermes_provider_api::records::ConfigField;

use super::sessions::Pruning;
use super::{Opening, Surroundings};
use crate::clock::Clock;
use crate::error::Failure;
use crate::guard::Redactor;
use crate::guard::threats::{self, Finding};
use crate::layers::curated::{Checks, Curated, Settings, Threat};
use crate::layers::episodic::search::{self, Searcher};
use crate::model;
use crate::outbox::DrainReport;
use crate::plugins::hooks::Hooks;
use crate::plugins::load::Loaded;
use crate::plugins::services::Stops;
use crate::secrets::Mask;
use crate::turn::{Archiving, Memory, Provider, TurnSettings};

/// An open memory.
pub struct OpenMemory {
    /// The memory, with the provider that the settings name.
    pub memory: Memory,
    /// Why the provider that the settings name is not there. The memory works without it, and the user should know.
    pub degraded: Option<Failure>,
    /// What happened on the way, a line each.
    pub notes: Vec<String>,
    /// Masks every secret of the home and of the provider.
    pub mask: Mask,
    pub(super) provider: Option<Arc<Loaded>>,
    clock: Clock,
    stops: Option<Stops>,
    pruning: Option<Pruning>,
}

/// How a memory was closed.
#[derive(Debug, Default)]
pub struct Closed {
    /// What was delivered, what was not in time, and what was given up.
    pub deliveries: DrainReport,
    /// What was wrong with the provider's own end, or with that of the programs that it left.
    pub problem: Option<String>,
}

impl Surroundings {
    /// Opens the memory of the home. A provider that cannot be used is no error: see [`OpenMemory::degraded`].
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn memory(&self) -> Result<OpenMemory, Failure> {
        self.memory_of(self.config.provider())
    }

    /// The same with another provider than the settings name.
    ///
    /// # Errors
    /// As [`memory`](Self::memory).
    pub fn memory_of(&self, provider: Option<&str>) -> Result<OpenMemory, Failure> {
        let (to, provider, notes, degraded) = match provider.map_or(Opening::None, |id| self.open(id)) {
            Opening::None => (Provider::None, None, Vec::new(), None),
            Opening::Ready { provider, notes } => {
                (Provider::Ready(Arc::clone(&provider) as Arc<dyn Hooks>), Some(provider), notes, None)
            }
            Opening::Degraded { id, failure, notes } => (Provider::Away(id), None, notes, Some(failure)),
        };
        let settings = TurnSettings {
            recall_limit: self.config.recall_limit(),
            recall_chars: self.config.recall_chars(),
            shutdown_timeout: self.config.shutdown_timeout(),
            profile: self.home.profile().to_owned(),
            archive: self.config.sessions_enabled().then(|| Archiving { redact: self.config.sessions_redacted() }),
            search: search::Settings::from(&self.config),
            ..TurnSettings::default()
        };
        // Those of the provider may be set outside of `.env`.
        let variables: Vec<_> = provider.iter().flat_map(|provider| secret_variables(provider)).collect();
        let mask = self.secrets.mask(variables.iter().map(String::as_str).chain(model::KEYS));
        let redactor = redactor(mask.clone(), provider.iter().flat_map(|provider| &provider.metadata().config));
        let curated = self.curated(redactor.clone());
        let memory = Memory::open(to, self.db.clone(), settings, self.clock.clone(), redactor)
            .map_err(|error| Failure::new(format!("the memory cannot be opened: {error}")))?
            .with_curated(curated.kept_in(self.db.clone()));
        let memory = match &self.db {
            Some(db) if self.config.sessions_enabled() => {
                memory.with_search(Searcher::new(Arc::clone(db), search::Settings::from(&self.config)))
            }
            _ => memory,
        };
        // All that a verified plugin asks for was granted.
        let asked = provider.as_ref().map(|provider| provider.metadata());
        let stops = asked.and_then(|asked| Stops::of(&self.home, &asked.id, &asked.capabilities));
        let pruning = self.pruning();
        Ok(OpenMemory { memory, degraded, notes, mask, provider, clock: self.clock.clone(), stops, pruning })
    }
}

impl Surroundings {
    /// The curated memory of the home, which needs no provider. `redactor` finds the secrets that may not be kept.
    #[must_use]
    pub fn curated(&self, redactor: Redactor) -> Curated {
        // Entries are kept, and obeyed at every start.
        let scan = |text: &str| {
            let threat = |found: Finding| Threat { pattern: found.pattern.to_owned(), excerpt: found.excerpt };
            threats::scan(text, threats::Scope::Strict).into_iter().map(threat).collect()
        };
        let checks = Checks { redactor: Arc::new(redactor), scan: Arc::new(scan) };
        Curated::of(&self.home, Settings::from(&self.config), checks, self.clock.clone())
    }
}

fn secret_variables(provider: &Loaded) -> impl Iterator<Item = String> {
    let metadata = provider.metadata();
    let fields = metadata.config.iter().filter(|field| field.secret).map(|field| field.env_var.clone());
    metadata.capabilities.secret.iter().cloned().chain(fields)
}

/// Besides the values that the mask knows, it finds keys by how those of the provider's fields begin.
pub(super) fn redactor<'a>(mask: Mask, fields: impl IntoIterator<Item = &'a ConfigField>) -> Redactor {
    Redactor::new(mask).with_prefixes(fields.into_iter().flat_map(|field| field.token_prefixes.iter().cloned()))
}

impl OpenMemory {
    /// What the user should know of the memory files at the start of a session, a line each: what waits for approval,
    /// what is not shown to the model, what is odd about a file. The files are read for it.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        self.memory.curated().map(|curated| super::files::remarks(curated, self.clock.now())).unwrap_or_default()
    }

    /// Writes down how the calls of the provider went so far, for a [status](Surroundings::status) that knows of them.
    pub fn flush_health(&self) {
        if let Some(provider) = &self.provider {
            provider.flush();
        }
    }

    /// Delivers what is left, for as long as the settings allow, and ends the provider. Calls after that fail.
    #[must_use]
    pub fn close(&self) -> Closed {
        let deliveries = self.memory.shutdown();
        self.pruning.iter().for_each(Pruning::run);
        let problem = self.provider.as_ref().and_then(|provider| provider.close().problem);
        let left = self.stops.iter().flat_map(Stops::run);
        let problems: Vec<_> = problem.into_iter().chain(left).collect();
        let problem = (!problems.is_empty()).then(|| self.mask.apply(&problems.join("; ")).into_owned());
        Closed { deliveries, problem }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_field_are_found() {
        let field = |prefix: &str| ConfigField { token_prefixes: vec![prefix.to_owned()], ..ConfigField::default() };
        let redactor = redactor(Mask::default(), &[field("nt_"), ConfigField::default(), field("acme-")]);
        assert_eq!(redactor.redact("nt_abcdefgh or acme-abcdefgh"), "[redacted] or [redacted]");
    }
}
