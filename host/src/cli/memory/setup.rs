//! `hermes memory setup`: from a choice to a provider that works.
//!
//! All questions come before the first write, so that Esc or Ctrl-C at any of them leaves everything as it was.

use std::collections::BTreeMap;

use hermes_provider_api::records::{Choice, ConfigField, Health};
use hermes_provider_api::{Hook, Interface};
use serde_json::{Map, Value, json};

use super::answers::{Answers, Questions};
use crate::cli::{Context, Exit, plugins};
use crate::config::{Config, ConfigEdit};
use crate::error::Failure;
use crate::open::{Strictness, Surroundings};
use crate::plugins::catalog::Catalogs;
use crate::plugins::hooks::Hooks;
use crate::plugins::install::{self, Request};
use crate::plugins::lock::Lock;
use crate::plugins::resolve::Want;
use crate::plugins::verify::{Verified, setting_problem};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The provider; without it, you choose from a list
    #[arg(value_parser = plugins::plugin_name)]
    provider: Option<String>,
    /// Answer one of its questions; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Ask nothing: agree to what it may do, and take defaults for what `--set` does not say
    #[arg(short, long)]
    yes: bool,
    /// Ask for everything, also what only experts need
    #[arg(long)]
    advanced: bool,
}

pub(super) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let surroundings = context.surroundings()?;
    let catalogs = surroundings.catalogs()?;
    let id = match args.provider {
        Some(id) => id,
        None => match pick(context, &catalogs)? {
            Some(id) => id,
            None => return Ok(cancelled(context)),
        },
    };
    if matches!(id.as_str(), "none" | "builtin") {
        return super::off(context);
    }
    let before = Lock::read(&context.home)?;
    let was_installed = before.plugins.contains_key(&id);
    if !was_installed {
        let agreement = if args.yes { plugins::Agreement::Given } else { plugins::Agreement::Asked };
        let request = Request { name: id.clone(), want: Want::Newest, force: false };
        plugins::install_now(&request, agreement, context).map_err(|failure| match failure.usage {
            true => {
                let hint = context.with_catalogs(&format!("to agree, run `hermes memory setup {id} --yes`"));
                Failure { hints: Vec::new(), ..failure }.hint(hint)
            }
            false => failure,
        })?;
    }
    let asked = surroundings.verified(&id, &catalogs).map_err(Failure::from).and_then(|verified| {
        let fields = fields(context, &surroundings, &verified)?;
        let current = current(context, &id, &fields)?;
        let questions =
            Questions { id: &id, fields: &fields, current, given: &args.set, quiet: args.yes, advanced: args.advanced };
        let answers = questions.ask(context)?;
        Ok(answers.map(|answers| (verified, fields, answers)))
    });
    match asked {
        Ok(Some((verified, fields, answers))) => {
            if let Some(old) = context.config.provider().filter(|old| *old != id) {
                super::outbox::offer_to_deliver(old, context)?;
            }
            write(context, &id, &verified.metadata.config, &answers)?;
            check(context, &verified, &fields, &answers)
        }
        broken_off => {
            if !was_installed {
                install::undo(&context.home, &id, &before)?;
            }
            broken_off.map(|_| cancelled(context))
        }
    }
}

fn cancelled(context: &Context) -> Exit {
    context.ui.note("nothing was changed");
    Exit::Failed
}

/// The provider that is in use stands first under the cursor.
fn pick(context: &Context, catalogs: &Catalogs) -> Result<Option<String>, Failure> {
    let mut choices: Vec<_> = catalogs
        .listings()
        .map(|listing| Choice { value: listing.entry.name.clone(), description: listing.entry.description.clone() })
        .collect();
    for id in Lock::read(&context.home)?.plugins.into_keys() {
        if !choices.iter().any(|choice| choice.value == id) {
            choices.push(Choice { value: id, description: "installed, in no catalog".to_owned() });
        }
    }
    choices.push(Choice { value: "none".to_owned(), description: "no external provider".to_owned() });
    // Who has never chosen is offered the first; `none` only stands under the cursor of who chose it.
    let at = context.config.chosen_provider().map(|chosen| chosen.unwrap_or("none"));
    let at = at.and_then(|current| choices.iter().position(|choice| choice.value == current)).unwrap_or(0);
    let chosen = context.ui.select("Which memory provider?", &choices, at, "the name of a provider")?;
    Ok(chosen.map(|at| choices[at].value.clone()))
}

/// The fields of the manifest, and those that the provider itself adds. One of these that would not be let through in a
/// manifest is left out.
fn fields(context: &Context, surroundings: &Surroundings, verified: &Verified) -> Result<Vec<ConfigField>, Failure> {
    let mut fields = verified.metadata.config.clone();
    let loaded = surroundings.load(verified, Strictness::WhatIsMissingWaits)?.provider;
    let provider: &dyn Hooks = &loaded;
    if !provider.has(Interface::Setup) {
        return Ok(fields);
    }
    let more: Vec<ConfigField> = match provider.ask(Hook::ConfigSchema, &()) {
        Ok(more) => more,
        Err(error) => {
            context.ui.warn(format!("going on without the questions that are known only now: {error}"));
            Vec::new()
        }
    };
    for field in more {
        if let Some(problem) = setting_problem(&field, &verified.granted) {
            context.ui.warn(format!("{problem}; it is left out"));
        } else if fields.iter().all(|known| known.key != field.key) {
            fields.push(field);
        }
    }
    Ok(fields)
}

fn current(context: &Context, id: &str, fields: &[ConfigField]) -> Result<BTreeMap<String, String>, Failure> {
    let settings = context.config.provider_settings(id, fields, |name| context.env.get(name))?;
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(settings.values.into_iter().map(|(key, value)| (key, text(value))).collect())
}

/// The answers to the manifest's fields; those that were known only at run time are the provider's to keep.
///
/// Secrets first: settings that name a provider whose key could not be stored would be the worse half.
fn write(context: &Context, id: &str, fields: &[ConfigField], answers: &Answers) -> Result<(), Failure> {
    if !answers.secrets.is_empty() {
        let pairs: Vec<_> = answers.secrets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        context.load_secrets()?.set(&pairs)?;
    }
    if let Some(old) = context.config.provider().filter(|old| *old != id) {
        context.stop_programs(old);
    }
    let mut edit = ConfigEdit::default();
    edit.set("memory.provider", id)?;
    for field in fields.iter().filter(|field| !field.secret) {
        // A default that stands in the file would hide a better one of a later version.
        match answers.values.get(&field.key) {
            Some(answer) if field.default.as_ref() != Some(answer) => edit.set_field(id, field, answer)?,
            _ => edit.unset(&format!("providers.{id}.{}", field.key))?,
        };
    }
    edit.apply(&context.home)?;
    Ok(())
}

/// Opens the provider with what was just written, and tries it.
fn check(context: &Context, verified: &Verified, fields: &[ConfigField], answers: &Answers) -> Result<Exit, Failure> {
    let id = &verified.metadata.id;
    let surroundings = context.surroundings_in(&context.home, Config::load(&context.home)?)?;
    let loaded = surroundings.load(verified, Strictness::WhatIsMissingStops)?.provider;
    let provider: &dyn Hooks = &loaded;
    let variables = fields.iter().filter(|field| field.secret).map(|field| field.env_var.as_str());
    context.ui.mask(context.load_secrets()?.mask(variables));
    let kept = |mut failure: Failure| {
        failure.hints.retain(|hint| !hint.contains("hermes memory setup"));
        failure.hint(format!("the answers are kept; try again with `hermes memory setup {id}`"))
    };
    let progress = context.ui.progress(format!("trying {id}"), None);
    if provider.has(Interface::Setup) {
        let plain: Map<String, Value> = fields
            .iter()
            .filter(|field| !field.secret)
            .filter_map(|field| Some((field.key.clone(), Value::from(answers.values.get(&field.key)?.as_str()))))
            .collect();
        provider.ask::<()>(Hook::SaveConfig, &plain).map_err(|error| kept(error.into()))?;
    }
    let unavailable: Option<String> = provider.ask(Hook::UnavailableReason, &()).map_err(|error| kept(error.into()))?;
    let health = match unavailable {
        Some(reason) => Health::degraded(reason),
        None => provider.ask(Hook::Health, &()).map_err(|error| kept(error.into()))?,
    };
    progress.finish_and_clear();
    if context.json {
        context.ui.json(
            &json!({ "provider": id, "version": verified.metadata.version, "ok": health.ok, "detail": health.detail }),
        );
        return Ok(if health.ok { Exit::Success } else { Exit::Failed });
    }
    if !health.ok {
        return Err(kept(Failure::new(format!("`{id}` is set up, and does not work: {}", health.detail))));
    }
    context.ui.note(format!(
        "{} {} is your memory now: {}",
        verified.metadata.title, verified.metadata.version, health.detail
    ));
    context.ui.note("try `hermes memory remember \"…\"` and `hermes memory recall \"…\"`");
    Ok(Exit::Success)
}
