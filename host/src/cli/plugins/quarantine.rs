//! `hermes plugins quarantine`: providers that crashed too often, and hooks that are paused.

use serde_json::{Value, json};

use super::plugin_name;
use crate::cli::Context;
use crate::clock::utc;
use crate::config::suggest;
use crate::error::Failure;
use crate::plugins::health::{Health, clear as clear_record, troubled};
use crate::plugins::lock::Lock;

/// What to do about them.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Action {
    /// List the providers that crashed too often, and the hooks that are paused
    List,
    /// Use a provider again at once
    Clear {
        /// Its name
        #[arg(value_parser = plugin_name)]
        name: String,
    },
}

pub(super) fn run(action: Action, context: &Context) -> Result<(), Failure> {
    match action {
        Action::List => list(context),
        Action::Clear { name } => clear(&name, context),
    }
}

fn list(context: &Context) -> Result<(), Failure> {
    let db = context.surroundings()?.db;
    let providers = db.as_deref().map(troubled).transpose()?.unwrap_or_default();
    let (mut quarantined, mut paused) = (Vec::new(), Vec::new());
    for id in &providers {
        let health = Health::new(id, context.clock.clone(), db.clone());
        quarantined.extend(health.quarantine().map(|quarantine| (id, quarantine)));
        paused.extend(health.all_paused().into_iter().map(|streak| (id, streak)));
    }
    if context.json {
        let with_id = |id: &str, mut value: Value| {
            value["provider"] = id.into();
            value
        };
        context.ui.json(&json!({
            "quarantined": quarantined.iter().map(|(id, found)| with_id(id, json!(found))).collect::<Vec<_>>(),
            "paused": paused.iter().map(|(id, found)| with_id(id, json!(found))).collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    for (id, found) in &quarantined {
        context.ui.out(format!(
            "{id}  in quarantine after {} crashes, since {} until {}, the last: {}",
            found.crashes,
            utc(found.since),
            utc(found.until),
            found.reason
        ));
    }
    for (id, streak) in &paused {
        context.ui.out(format!("{id}  {}", streak.sentence()));
    }
    let mut ids: Vec<_> = quarantined.iter().map(|(id, _)| id).chain(paused.iter().map(|(id, _)| id)).collect();
    ids.dedup();
    if ids.is_empty() {
        context.ui.note("no provider is in quarantine, and no hook is paused");
    }
    for id in ids {
        context.ui.note(format!("hint: `hermes plugins quarantine clear {id}` uses it again at once"));
    }
    Ok(())
}

fn clear(name: &str, context: &Context) -> Result<(), Failure> {
    let db = context.surroundings()?.db;
    let known = db.as_deref().map(troubled).transpose()?.unwrap_or_default();
    let lock = Lock::read(&context.home)?;
    if !known.iter().any(|id| id == name) && !lock.plugins.contains_key(name) {
        let failure =
            Failure::new(format!("`{}` is not installed, and nothing is on record of it", name.escape_debug()));
        let closest = suggest(name, known.iter().chain(lock.plugins.keys()).map(String::as_str));
        return Err(failure.hint(match closest {
            Some(closest) => format!("did you mean `{closest}`?"),
            None => "`hermes plugins quarantine list` shows what is".to_owned(),
        }));
    }
    let cleared = match db.as_deref() {
        Some(db) => clear_record(db, name)?,
        None => false,
    };
    if context.json {
        context.ui.json(&json!({ "provider": name, "cleared": cleared }));
        return Ok(());
    }
    context.ui.note(match cleared {
        true => format!("`{name}` is used again at once; what happened stays in `hermes memory status`"),
        false => format!("`{name}` was neither in quarantine nor paused"),
    });
    Ok(())
}
