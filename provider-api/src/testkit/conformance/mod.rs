//! Scenarios that every provider should pass, whoever wrote it and however it is loaded.
//!
//! A user meets a provider in ways that its author did not try: a turn is delivered a second time after a crash, two
//! terminals are open at once, a message is a pasted log of a megabyte, a group chat asks for what was said in private.
//! The kit does all that to a provider, and reports what the user would notice.
//!
//! # In the tests of a provider
//!
//! ```no_run
//! # use hermes_provider_api::records::{Health, OpenRequest};
//! # use hermes_provider_api::{Call, Host, Manifest, MemoryProvider, ProviderError, export_provider};
//! # struct Notes;
//! # impl MemoryProvider for Notes {
//! #     fn open(_: Host, _: OpenRequest) -> Result<Self, ProviderError> { Ok(Self) }
//! #     fn health(&self, _: &Call<'_>) -> Result<Health, ProviderError> { Ok(Health::ok("fine")) }
//! # }
//! # export_provider!(Notes, Manifest::new("notes"));
//! use hermes_provider_api::serde_json::json;
//! use hermes_provider_api::testkit::conformance;
//!
//! # /*
//! #[test]
//! # */
//! fn it_keeps_what_users_rely_on() {
//!     conformance::check::<Notes>(json!({})).assert();
//! }
//! # it_keeps_what_users_rely_on();
//! ```
//!
//! [`check`] opens the type itself and calls it through the code that a plugin runs. `hermes plugins validate` runs the
//! same scenarios through the real loader, in a worker process and in its own, where crashes and the boundary count too.
//!
//! # What is opened, and with what
//!
//! Every scenario has an empty data folder of its own. The configuration is the one that is given, with the manifest's
//! defaults filled in; a required setting without a value gets one that fits its type. Secrets have made-up values that
//! must not turn up anywhere. Web requests, programs and files are answered by a [`FakeHost`](super::FakeHost), which
//! refuses them all unless [`Kit::with_http`] or [`Kit::with_command`] says otherwise; nothing leaves the machine.
//!
//! A provider that says it cannot work like that, by [`unavailable_reason`](crate::MemoryProvider::unavailable_reason) or
//! its health, is spared the scenarios that need a working store. All others still have to hold.
//!
//! # What is asked
//!
//! The [`guide`] goes through the scenarios one by one. Only what the manifest's interfaces promise is asked. What was stored through [`Interface::Remember`](crate::Interface),
//! `MemoryWrite`, `Sync` and `Import` is looked for through `Prefetch`, `Browse` and the tools that read; a provider that
//! distils turns later is not blamed for what it does not know yet.
//!
//! # Time
//!
//! No call is waited for longer than its deadline and [`Kit::late`] after it. One that ends after its deadline is a
//! warning, since a test may run on a busy machine; one that does not end is an error.

mod bench;
mod direct;
pub mod guide;
mod memories;
mod report;
mod requests;
mod scenarios;
mod settings;
mod subject;
mod watch;

pub use direct::Direct;
pub use report::{Finding, Report, Scenario, Severity};
pub use subject::{Failure, Opened, Patience, Subject};

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::host::{CommandOutput, CommandRequest, HttpRequest, HttpResponse};
use crate::{Exported, MemoryProvider, ProviderError};

/// Answers web requests of the provider.
type Web = Arc<dyn Fn(&HttpRequest) -> Result<HttpResponse, ProviderError> + Send + Sync>;
/// Stands for the programs that the provider runs.
type Programs = Arc<dyn Fn(&CommandRequest, &Path) -> Result<CommandOutput, ProviderError> + Send + Sync>;

/// Runs an exported provider through all scenarios, with this configuration: an object, or null for none.
///
/// Takes from one second to a minute, most of it for texts of a megabyte. May be called from several threads.
#[must_use]
pub fn check<P: MemoryProvider + Exported>(config: Value) -> Report {
    Kit::new(config).run(&Direct::<P>::new())
}

/// How the scenarios are run.
///
/// ```
/// use hermes_provider_api::host::HttpResponse;
/// use hermes_provider_api::serde_json::json;
/// use hermes_provider_api::testkit::conformance::Kit;
///
/// let kit = Kit::new(json!({"base_url": "https://notes.example"}))
///     .with_http(|request| Ok(HttpResponse { status: 200, body: "[]".into(), ..HttpResponse::default() }));
/// # let _ = kit;
/// ```
#[derive(Clone)]
pub struct Kit {
    config: Value,
    late: Duration,
    web: Option<Web>,
    programs: Option<Programs>,
    only: Vec<String>,
}

impl Kit {
    /// With this configuration: an object with the manifest's fields by key, or null for none. A text is converted to the
    /// field's type, as it is for a user who sets it.
    #[must_use]
    pub fn new(config: Value) -> Self {
        Self { config, late: Duration::from_secs(30), web: None, programs: None, only: Vec::new() }
    }

    /// Answers the provider's web requests to hosts that its manifest declares. The function may be called from several
    /// threads at once.
    #[must_use]
    pub fn with_http(
        mut self,
        answer: impl Fn(&HttpRequest) -> Result<HttpResponse, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        self.web = Some(Arc::new(answer));
        self
    }

    /// Stands for the programs that the manifest declares: called with each request and the data folder, in which a program
    /// would work. It may be called from several threads at once, and with no arguments where the provider only asks whether a
    /// program is there: [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) says that it is not.
    #[must_use]
    pub fn with_command(
        mut self,
        answer: impl Fn(&CommandRequest, &Path) -> Result<CommandOutput, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        self.programs = Some(Arc::new(answer));
        self
    }

    /// How long a call may run on after its deadline, or after it was asked to stop, before it counts as one that never
    /// ends. 30 s by default, as in the host.
    #[must_use]
    pub fn late(mut self, late: Duration) -> Self {
        self.late = late;
        self
    }

    /// Runs only this scenario, or with further calls these, and the two that find out what the provider can do: for work
    /// on one of them. The names are those of the report.
    ///
    /// # Panics
    /// When no scenario has this name.
    #[must_use]
    pub fn only(mut self, scenario: &str) -> Self {
        assert!(scenarios::ALL.iter().any(|(name, ..)| *name == scenario), "there is no scenario `{scenario}`");
        self.only.push(scenario.to_owned());
        self
    }

    /// Runs the scenarios. Each is tried, whatever the ones before it found.
    #[must_use]
    pub fn run(&self, subject: &dyn Subject) -> Report {
        bench::Bench::new(self, subject).run()
    }
}

#[cfg(test)]
mod tests;
