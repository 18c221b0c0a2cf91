//! One provider and its copy of the home: prepared, then tried.

use std::sync::Arc;

use hermes_provider_api::records::ConfigField;
use hermes_provider_api::{Interface, Scope};
use serde_json::{Map, Value};

use super::clean::{Cleanup, delete_all};
use super::destinations::{Destination, destinations, models};
use super::measure::{Measure, Turn, told};
use super::stop::Stop;
use super::transcript::Transcript;
use crate::cli::plugins::{self, Agreement};
use crate::cli::replay::{Replay, forget_deliveries};
use crate::cli::{Context, open};
use crate::config::{Config, ConfigEdit};
use crate::error::Failure;
use crate::home::Home;
use crate::home::copy::{copy, copy_without_data};
use crate::layers::external::External;
use crate::open::{OpenMemory, Surroundings};
use crate::plugins::install::Request;
use crate::plugins::lock::Lock;
use crate::plugins::resolve::Want;

/// The provider that is none: the conversation without a memory.
pub(super) const NONE: &str = "none";

/// How the trials of a command are made.
pub(super) struct Plan<'a> {
    pub(super) context: &'a Context,
    /// What the provider knows comes along.
    pub(super) with_data: bool,
    pub(super) agreement: Agreement,
    /// The name for what services should keep apart; no trial had it before.
    pub(super) name: String,
}

/// A provider that is ready to be tried.
pub(super) struct Trial {
    pub(super) version: Option<String>,
    /// Where the conversation may go.
    pub(super) destinations: Vec<Destination>,
    /// The settings that were given the name of the trial.
    pub(super) namespaces: Vec<String>,
    /// Whether it can be looked through and deleted from.
    pub(super) deletes: bool,
    provider: Option<String>,
    surroundings: Surroundings,
}

/// What a trial came to.
pub(super) struct Measured {
    pub(super) turns: Vec<Turn>,
    pub(super) lost: Vec<String>,
    pub(super) odd: Vec<String>,
    /// Where something may have been left at a service.
    pub(super) cleanup: Option<Cleanup>,
}

impl Plan<'_> {
    /// Copies the home to `home`, and installs the provider there if need be.
    ///
    /// # Errors
    /// Why it cannot be tried; a wrong usage when somebody would have to be asked.
    pub(super) fn prepare(&self, id: &str, home: &Home) -> Result<Trial, Failure> {
        let Self { context, with_data, .. } = self;
        if *with_data {
            for link in copy(context.home.root(), home.root())? {
                context.ui.warn(format!("`{}` leads out of the home: its target is not copied", link.display()));
            }
            forget_deliveries(home)?;
        } else {
            copy_without_data(&context.home, home)?;
        }
        let config = without_own_memory(home)?;
        if id == NONE {
            let surroundings = context.surroundings_in(home, config)?;
            let (version, provider) = (None, None);
            let (destinations, namespaces) = (Vec::new(), Vec::new());
            return Ok(Trial { version, destinations, namespaces, deletes: false, provider, surroundings });
        }
        if !Lock::read(home)?.plugins.contains_key(id) {
            let request = Request { name: id.to_owned(), want: Want::Newest, force: false };
            plugins::install_in(home, &request, self.agreement, context).map_err(|failure| match failure.usage {
                true => Failure { hints: Vec::new(), ..failure }.hint("to agree, run the same command with `--yes`"),
                false => failure,
            })?;
        }
        let mut surroundings = context.surroundings_in(home, config)?;
        let verified = surroundings.verified(id, &surroundings.readable_catalogs())?;
        let fields = &verified.metadata.config;
        let settings = settings(&surroundings, id, fields)?;
        let mut destinations = destinations(&verified.granted, &settings);
        destinations.extend(models(surroundings.model_uses(&verified.metadata, &settings)));
        let namespaces = match destinations.iter().any(|to| to.is_service) {
            true => self.rename(&mut surroundings, id, fields)?,
            false => Vec::new(),
        };
        Ok(Trial {
            version: Some(verified.metadata.version.clone()),
            destinations,
            namespaces,
            deletes: verified.metadata.interfaces.iter().any(|id| id == Interface::Browse.id()),
            provider: Some(id.to_owned()),
            surroundings,
        })
    }

    /// Gives the namespaces among the fields the name of the trial, in the copy. Answers the keys of those that apply.
    fn rename(
        &self,
        surroundings: &mut Surroundings,
        id: &str,
        fields: &[ConfigField],
    ) -> Result<Vec<String>, Failure> {
        let named: Vec<_> = fields.iter().filter(|field| field.namespace).collect();
        let mut edit = ConfigEdit::default();
        for field in &named {
            edit.set_field(id, field, &self.name)?;
        }
        edit.apply(&surroundings.home)?;
        surroundings.config = Config::load(&surroundings.home)?;
        // A variable would win over the file.
        let (env, variables) = (Arc::clone(&surroundings.env), named.iter().map(|field| field.env_var.clone()));
        let variables: Vec<_> = variables.collect();
        surroundings.env = Arc::new(move |name| if variables.iter().any(|own| own == name) { None } else { env(name) });
        let settings = settings(surroundings, id, fields)?;
        Ok(named.iter().map(|field| field.key.clone()).filter(|key| settings.contains_key(key)).collect())
    }
}

/// The memory files and the archive add the same to every trial, and say nothing of a provider.
fn without_own_memory(home: &Home) -> Result<Config, Failure> {
    let mut edit = ConfigEdit::default();
    for own in ["memory.memory_enabled", "memory.user_profile_enabled", "sessions.enabled"] {
        edit.set(own, "false")?;
    }
    edit.apply(home)?;
    Ok(Config::load(home)?)
}

fn settings(surroundings: &Surroundings, id: &str, fields: &[ConfigField]) -> Result<Map<String, Value>, Failure> {
    Ok(surroundings.config.provider_settings(id, fields, |name| (surroundings.env)(name))?.values)
}

impl Trial {
    /// Whether it keeps what it is told under names of others, where a trial has one of its own.
    pub(super) fn has_service(&self) -> bool {
        self.destinations.iter().any(|to| to.is_service)
    }

    /// Plays the conversation.
    ///
    /// # Errors
    /// When the provider cannot be opened or does not work.
    pub(super) fn run(self, plan: &Plan<'_>, transcript: &Transcript, stop: &Stop) -> Result<Measured, Failure> {
        let context = plan.context;
        let id = self.provider.as_deref();
        let mut opened = self.surroundings.memory_of(id)?;
        context.ui.mask(opened.mask.clone());
        opened.notes.iter().for_each(|note| context.ui.detail(note));
        let checked = match opened.degraded.take() {
            Some(failure) => Err(context.failure_with_catalogs(failure)),
            None => opened.memory.external().map_or(Ok(()), works),
        };
        if let Err(failure) = checked {
            let _ = opened.close();
            return Err(failure);
        }
        let has_service = self.has_service();
        let audience = |scope: Scope| if has_service { own_audience(scope, &plan.name) } else { scope };
        let bar = context.ui.progress_of_steps(id.unwrap_or(NONE).to_owned(), transcript.turns);
        let mut measure = Measure::new(&transcript.marks, stop, &bar);
        let default = audience(open::scope(&self.surroundings.home));
        let replay = Replay::new(&opened.memory, default, &transcript.name, &context.clock, &mut measure);
        let _ = replay.play(&transcript.lines_for(&audience));
        bar.finish_and_clear();
        let Measure { turns, audiences, mut lost, odd, .. } = measure;
        let (cleanup, undelivered) = self.end(&opened, &audiences, context);
        lost.extend(undelivered);
        Ok(Measured { turns, lost, odd, cleanup })
    }

    /// Closes the memory, and deletes first what a service has of it. Answers also what was not delivered.
    fn end(&self, opened: &OpenMemory, audiences: &[Scope], context: &Context) -> (Option<Cleanup>, Vec<String>) {
        // No delivery may come after the deletions.
        let deliveries =
            opened.memory.shutdown().without_a_next_time("it was not in time, and the copy is thrown away");
        let mut lost: Vec<_> = deliveries.lost.iter().map(told).collect();
        let external = opened.memory.external().filter(|_| self.has_service());
        let cleanup = external.map(|external| match self.deletes {
            true => delete_all(external, audiences, context.clock.now()),
            false => Cleanup { deleted: 0, problem: Some("it offers no deletion".to_owned()) },
        });
        let closed = opened.close();
        lost.extend(closed.problem.map(|problem| format!("the provider did not end cleanly: {problem}")));
        (cleanup, lost)
    }
}

/// Opens a provider, and asks it whether it works.
fn works(external: &External) -> Result<(), Failure> {
    if let Some(reason) = external.unavailable_reason()? {
        return Err(Failure::new(reason));
    }
    let health = external.health()?;
    if health.ok { Ok(()) } else { Err(Failure::new(health.detail)) }
}

/// Nobody whom a service knows: the same people and chats, under names that begin with that of the trial.
fn own_audience(scope: Scope, name: &str) -> Scope {
    let own = |part: String| if part.is_empty() { part } else { format!("{name}-{part}") };
    let user = if scope.user.is_empty() { name.to_owned() } else { own(scope.user) };
    Scope { user, chat: own(scope.chat), ..scope }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_stay_apart_under_other_names() {
        let scope = |user: &str, chat: &str| Scope { user: user.into(), chat: chat.into(), ..Scope::default() };
        assert_eq!(own_audience(scope("", ""), "pilot"), scope("pilot", ""));
        assert_eq!(own_audience(scope("anna", "team"), "pilot"), scope("pilot-anna", "pilot-team"));
    }
}
