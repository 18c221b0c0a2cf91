//! The conformance kit through the real loaders: a good provider passes, and each mistake is named as its users would
//! notice it.

use std::path::Path;
use std::time::Duration;

use hermes_host::plugins::inspect::inspect;
use hermes_host::plugins::load::Isolation;
use hermes_host::plugins::validate::{Loader, Run};
use hermes_host::plugins::verify::sha256_of;
use hermes_provider_api::testkit::conformance::{Kit, Severity};
use hermes_tests::{BOTH, fixtures};
use serde_json::json;

fn run(library: &Path, isolation: Isolation, kit: &Kit) -> Run {
    let loader = Loader {
        library: library.to_owned(),
        sha256: sha256_of(library).unwrap().to_string(),
        metadata: inspect(library).unwrap(),
        isolation,
        executable: fixtures().hermes().to_owned(),
    };
    loader.run(kit)
}

#[test]
fn holographic_passes_in_a_worker_and_in_process() {
    for isolation in BOTH {
        let Run { report, died } = run(fixtures().holographic(), isolation, &Kit::new(json!({})));
        report.assert();
        assert_eq!(died, None);
        let skipped: Vec<_> = report.scenarios.iter().filter(|one| !one.skipped.is_empty()).collect();
        assert!(skipped.iter().all(|one| matches!(one.name.as_str(), "sessions" | "capabilities")), "{report}");
    }
}

/// Asserts that the kit says this, as an error, about a provider that makes this mistake, in both ways of loading.
#[track_caller]
fn found(mistake: &str, scenario: &str, text: &str) {
    BOTH.into_iter().for_each(|isolation| found_in(isolation, mistake, scenario, text));
}

#[track_caller]
fn found_in(isolation: Isolation, mistake: &str, scenario: &str, text: &str) {
    let kit = Kit::new(json!({"mistake": mistake})).late(Duration::from_secs(3)).only(scenario);
    let Run { report, died } = run(fixtures().careless(), isolation, &kit);
    let said = |severity| {
        let fits = |one: &&hermes_provider_api::testkit::conformance::Finding| {
            one.scenario == scenario && one.severity == severity && one.text.contains(text)
        };
        report.findings.iter().any(|one| fits(&one))
    };
    assert!(said(Severity::Error), "{isolation:?} says nothing about {text:?}:\n{report}");
    assert_eq!(died, None, "{report}");
}

#[test]
fn each_mistake_is_found_through_both_loaders() {
    found("stores deliveries twice", "deliveries", "a user sees the same memory two times");
    found("forgets scopes", "scopes", "a turn learnt in private is listed for another user");
    found("writes without a lock", "together", "memories that were confirmed are lost");
    found("allows one process", "together", "while one hermes runs, a second has no memory");
    found("does not stop", "deadlines", "a call that was told to stop: `prefetch` fails");
    found("knows today's names only", "future", "after an update of hermes `prefetch` fails");
    found_in(Isolation::InProcess, "writes beside its folder", "hooks", "files appear outside the data folder");
    // In a worker they do not.
    found_in(Isolation::Process, "writes beside its folder", "opening", "does not open: Permission denied");
    found("panics at wrong settings", "settings", "a wrong setting breaks the memory instead of being named");
    found("trusts the model", "tools", "`notes` with arguments that make no sense: `call_tool` fails");
    found("writes when it reads", "lookups", "changes what is recalled or listed later");
    found("counts in the prompt", "prompt", "the text for the system prompt changes within a session");
    found("logs its key", "opening", "the user's key shows up in the log");
    found("runs what it did not declare", "capabilities", "asks for `command git`, which hermes refuses");
    found("falls at the exit", "closing", "hermes does not end cleanly");
}

/// What is kept in a static outlives a removal in process, and a worker starts with empty ones.
#[test]
fn a_worker_and_a_process_differ_where_they_should() {
    let kit = |mistake: &str, scenario| Kit::new(json!({"mistake": mistake})).only(scenario);
    let said = |isolation, mistake: &str, scenario, text: &str| {
        let Run { report, .. } = run(fixtures().careless(), isolation, &kit(mistake, scenario));
        report.findings.iter().any(|one| one.severity == Severity::Error && one.text.contains(text))
    };
    let text = "still comes up after the memory's folder was deleted";
    assert!(said(Isolation::InProcess, "keeps a static", "uninstalled", text));
    assert!(!said(Isolation::Process, "keeps a static", "uninstalled", text));
    // In process the drop still runs when a host goes away; a worker is killed, as a crash does it.
    let text = "is gone after a crash right behind its confirmation";
    assert!(said(Isolation::Process, "writes at exit", "reopening", text));
}

#[test]
fn a_provider_that_ends_its_process_says_so() {
    let kit = Kit::new(json!({"mistake": "ends its process in a worker"})).only("opening");
    let Run { report, died } = run(fixtures().careless(), Isolation::Process, &kit);
    assert!(!report.is_ok());
    assert_eq!(died.as_deref(), Some("its worker was ended by signal 6 (SIGABRT)"));
    assert!(report.to_string().contains("the memory does not open: its process ends"), "{report}");
}
