//! A provider whose manifest forgets what its type can do, and one without anything to store.

use std::time::Duration;

use serde_json::json;

use super::{Direct, Kit, Severity, check};
use crate::metadata::Metadata;
use crate::records::{Health, OpenRequest, PrefetchQuery, Recall, RecallItem};
use crate::{Call, Exported, Host, Interface, MemoryProvider, Result};

/// Recalls the same thing for everybody.
struct Parrot;

impl MemoryProvider for Parrot {
    fn open(_: Host, _: OpenRequest) -> Result<Self> {
        Ok(Self)
    }

    fn health(&self, _: &Call<'_>) -> Result<Health> {
        Ok(Health::ok("fine"))
    }

    fn prefetch(&self, _: &PrefetchQuery, _: &Call<'_>) -> Result<Recall> {
        let item = RecallItem { id: "1".to_owned(), text: "Polly wants a cracker".to_owned(), ..RecallItem::default() };
        Ok(Recall { items: vec![item], ..Recall::default() })
    }
}

impl Exported for Parrot {
    fn metadata() -> Metadata {
        Metadata { id: "parrot".to_owned(), interfaces: vec![Interface::Core.id().to_owned()], ..Metadata::default() }
    }
}

#[test]
fn what_is_implemented_and_not_listed_is_named() {
    let report = check::<Parrot>(json!(null));
    report.assert();
    let texts: Vec<_> =
        report.findings.iter().map(|one| (one.severity, one.text.as_str(), one.hint.as_str())).collect();
    let text = "`prefetch` is implemented and never called: `hermes.prefetch/1` is not listed, so the user's turn goes on \
                without memory";
    assert_eq!(texts, [(Severity::Warning, text, "add `Interface::Prefetch` to the manifest")]);
    let skipped = report.scenarios.iter().find(|one| one.name == "reopening").unwrap();
    assert_eq!(skipped.skipped, "nothing can be stored through the interfaces that it lists");
}

#[test]
fn a_scenario_that_is_not_there_is_named() {
    let run = || drop(Kit::new(json!({})).only("no such scenario"));
    let payload = std::panic::catch_unwind(run).unwrap_err();
    assert_eq!(payload.downcast_ref::<String>().unwrap(), "there is no scenario `no such scenario`");
}

/// Never answers.
struct Sleeper;

impl MemoryProvider for Sleeper {
    fn open(_: Host, _: OpenRequest) -> Result<Self> {
        Ok(Self)
    }

    fn health(&self, _: &Call<'_>) -> Result<Health> {
        Ok(Health::ok("fine"))
    }

    fn prefetch(&self, _: &PrefetchQuery, _: &Call<'_>) -> Result<Recall> {
        loop {
            std::thread::park();
        }
    }
}

impl Exported for Sleeper {
    fn metadata() -> Metadata {
        let interfaces = [Interface::Core, Interface::Prefetch].map(|one| one.id().to_owned()).to_vec();
        Metadata { id: "sleeper".to_owned(), interfaces, ..Metadata::default() }
    }
}

#[test]
fn a_hook_that_never_ends_is_given_up_and_told() {
    let kit = Kit::new(json!({})).late(Duration::ZERO).only("texts");
    let report = kit.run(&Direct::<Sleeper>::new());
    let hangs = report.findings.iter().filter(|one| one.text.ends_with("it does not end")).count();
    assert_eq!(hangs, 2, "{report}");
    let shown = report.to_string();
    assert!(shown.contains("note: `prefetch` did not end 2 times: from here on it is not called"), "{shown}");
    assert_eq!(shown.matches("hint: look at `Call::check` between steps").count(), 1, "{shown}");
}
