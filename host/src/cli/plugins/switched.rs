//! What has to be said once another version of a plugin is in place.

use serde_json::{Value, json};

use crate::cli::Context;
use crate::error::Failure;
use crate::open::Strictness;
use crate::plugins::lock::Record;

/// One version of a plugin in the place of another.
pub(super) struct Switch<'a> {
    pub(super) id: &'a str,
    pub(super) from: &'a Record,
    pub(super) to: &'a Record,
    /// Why the settings do not fit the new version, if it is in use.
    settings: Option<Failure>,
}

impl<'a> Switch<'a> {
    /// Looks at what a switch that was made means.
    pub(super) fn new(id: &'a str, from: &'a Record, to: &'a Record, context: &Context) -> Self {
        let settings = match context.config.provider() == Some(id) {
            true => check_settings(id, context).err(),
            false => None,
        };
        Self { id, from, to, settings }
    }

    /// Says it on stderr.
    pub(super) fn tell(&self, context: &Context) {
        let Self { id, from, .. } = self;
        if context.config.provider() != Some(id) {
            return;
        }
        context.ui.note(format!("programs that are running keep {id} {} until they are restarted", from.version));
        if let Some(failure) = &self.settings {
            context.ui.warn(format!("its settings do not fit this version: {}", failure.message));
            let hints = failure.hints.iter().map(|hint| context.with_catalogs(hint));
            hints.for_each(|hint| context.ui.note(format!("hint: {hint}")));
        }
    }

    /// What programs are told.
    pub(super) fn json(&self) -> Value {
        let (gained, dropped) = self.to.changes_from(self.from);
        json!({
            "id": self.id,
            "from": self.from.version,
            "to": self.to.version,
            "gained": gained,
            "dropped": dropped,
            "settings_problem": self.settings.as_ref().map(|failure| &failure.message),
        })
    }
}

/// What a version may do more and less than another, a line each.
pub(super) fn changes(gained: &[String], dropped: &[String]) -> impl Iterator<Item = String> {
    let gained = gained.iter().map(|line| format!("  + {line}"));
    gained.chain(dropped.iter().map(|line| format!("  - {line}"))).collect::<Vec<_>>().into_iter()
}

/// Reads the settings as the new version would.
fn check_settings(id: &str, context: &Context) -> Result<(), Failure> {
    let surroundings = context.surroundings()?;
    let verified = surroundings.verified(id, &surroundings.readable_catalogs())?;
    let prepared = surroundings.load(&verified, Strictness::WhatIsMissingStops)?;
    prepared.notes.iter().for_each(|note| context.ui.warn(note));
    Ok(())
}
