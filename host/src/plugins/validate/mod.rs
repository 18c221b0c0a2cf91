//! What an author wants to know of a plugin before others do: its file, what it says about itself, and what it does to its
//! users.
//!
//! ```text
//! locate      from what was typed to one library
//! statement   what the section says, by the rules of hosts and catalogs      (no code of the plugin runs)
//! binary      what the file needs of the machine that it will run on         (no code of the plugin runs)
//! loader      the scenarios of the conformance kit, through the real loaders
//! ```

mod binary;
mod loader;
mod locate;
mod statement;

pub use loader::{Loader, Run};
pub use locate::{LocateError, Located, locate};

use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::testkit::conformance::Severity;
use serde::Serialize;

use super::inspect::inspect;
use crate::error::Failure;

/// One thing that was looked at.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// How it is; None when there is nothing to say against it.
    pub severity: Option<Severity>,
    /// What was looked at, in a word or two.
    pub name: &'static str,
    /// What was found.
    pub text: String,
    /// What the author may do about it; empty when there is nothing to do.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

/// The checks of one plugin, as they are made.
#[derive(Default)]
struct Checks(Vec<Check>);

impl Checks {
    fn add(&mut self, severity: Option<Severity>, name: &'static str, text: impl Into<String>, hint: &str) {
        self.0.push(Check { severity, name, text: text.into(), hint: hint.to_owned() });
    }

    fn ok(&mut self, name: &'static str, text: impl Into<String>) {
        self.add(None, name, text, "");
    }

    fn note(&mut self, name: &'static str, text: impl Into<String>, hint: &str) {
        self.add(Some(Severity::Note), name, text, hint);
    }

    fn warn(&mut self, name: &'static str, text: impl Into<String>, hint: &str) {
        self.add(Some(Severity::Warning), name, text, hint);
    }

    fn error(&mut self, name: &'static str, text: impl Into<String>, hint: &str) {
        self.add(Some(Severity::Error), name, text, hint);
    }
}

/// All checks that run none of the plugin's code, and what its section says, where it can be read.
#[must_use]
pub fn static_checks(located: &Located) -> (Vec<Check>, Option<Metadata>) {
    let mut checks = Checks::default();
    let metadata = match inspect(&located.library) {
        Ok(metadata) => {
            statement::check(&metadata, &mut checks);
            Some(metadata)
        }
        Err(mut error) => {
            located.shown.clone_into(error.path_mut());
            let Failure { message, hints, .. } = error.into();
            checks.error("metadata", message, &hints.join("; "));
            None
        }
    };
    binary::check(located, &mut checks);
    (checks.0, metadata)
}
