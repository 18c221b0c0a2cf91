//! Each mistake is found, as a user would notice it; without one nothing is.

use std::time::Duration;

use hermes_provider_api::testkit::conformance::{Direct, Kit, Report, Severity, check};
use hermes_tests_careless::Careless;
use serde_json::json;

fn with(mistake: &str, scenarios: &[&str]) -> Report {
    // Short, for the mistake that never ends: nothing else here takes longer than its deadline.
    let kit = Kit::new(json!({"mistake": mistake})).late(Duration::from_secs(3));
    scenarios.iter().fold(kit, |kit, name| kit.only(name)).run(&Direct::<Careless>::new())
}

/// Asserts what the kit says about a mistake: the scenario, how much it matters, and a part of what a user would notice.
#[track_caller]
fn check_all(mistake: &str, expected: &[(&str, Severity, &str)]) {
    let scenarios: Vec<_> = expected.iter().map(|(scenario, ..)| *scenario).collect();
    let report = with(mistake, &scenarios);
    for (scenario, severity, text) in expected {
        let said = report
            .findings
            .iter()
            .any(|one| one.scenario == *scenario && one.severity == *severity && one.text.contains(text));
        assert!(said, "nothing about {text:?}:\n{report}");
    }
    assert_eq!(report.is_ok(), expected.iter().all(|(_, severity, _)| *severity < Severity::Error), "{report}");
}

#[track_caller]
fn found(mistake: &str, scenario: &str, text: &str) {
    check_all(mistake, &[(scenario, Severity::Error, text)]);
}

#[test]
fn without_a_mistake_there_is_nothing_to_say() {
    let report = check::<Careless>(json!({}));
    report.assert();
    let loud: Vec<_> = report.findings.iter().filter(|one| one.severity > Severity::Note).collect();
    assert!(loud.is_empty(), "{report}");
    assert!(report.scenarios.iter().all(|one| one.skipped.is_empty() || one.name == "unlisted hooks"), "{report}");
}

#[test]
fn what_is_stored() {
    use Severity::Error;
    check_all(
        "stores deliveries twice",
        &[
            ("deliveries", Error, "a second delivery of a turn is stored twice: a user sees the same memory two times"),
            ("deliveries", Error, "a second delivery of a note of the agent is stored twice"),
            ("deliveries", Severity::Warning, "what the user asks to be kept twice is there twice"),
        ],
    );
    found("stores sessions again", "sessions", "when a session ends its turns are stored once more");
    found("writes at exit", "reopening", "is gone after a crash right behind its confirmation");
    found("writes without a lock", "together", "memories that were confirmed are lost");
    found("allows one process", "together", "while one hermes runs, a second has no memory");
    found("keeps a static", "folders", "of one profile comes up in another");
    found("keeps a static", "uninstalled", "still comes up after the memory's folder was deleted");
    found("writes beside its folder", "hooks", "files appear outside the data folder (`notes.bak` beside it)");
    found("retries what is empty", "texts", "an empty text: `sync_turn` asks to be tried again and again");
}

#[test]
fn what_is_shown() {
    use Severity::Error;
    check_all(
        "forgets scopes",
        &[
            ("scopes", Error, "a turn learnt in private is listed for another user"),
            ("scopes", Error, "learnt in private is shown to a group by the tool `notes`"),
            ("scopes", Severity::Warning, "a turn learnt in private is recalled for a group: hermes drops it"),
        ],
    );
    found("searches for everybody", "scopes", "learnt in private is shown to another profile by the tool `notes`");
    found("lets anybody delete", "scopes", "one user can delete what another stored");
    found("hides what is deleted", "storing", "what the user deleted still comes up");
    found("turns pages in a circle", "storing", "the listing never ends");
    found("counts in the prompt", "prompt", "the text for the system prompt changes within a session");
    found("shows its key", "opening", "the user's key shows up in the answer of `health`");
    found("logs its key", "opening", "the user's key shows up in the log");
    found("runs what it did not declare", "capabilities", "the provider asks for `command git`, which hermes refuses");
}

#[test]
fn what_breaks() {
    found("cuts at bytes", "texts", "`prefetch` fails, and the user's turn goes on without memory: it panics");
    found("does not stop", "deadlines", "a call that was told to stop: `prefetch` fails");
    found("keeps its lock", "deadlines", "once a `prefetch` was stopped, the next one fails: the notes are locked");
    found("knows today's names only", "future", "after an update of hermes `prefetch` fails");
    found("panics at wrong settings", "settings", "a wrong setting breaks the memory instead of being named");
    found("falls at the exit", "closing", "hermes does not end cleanly: it panics (a note fell out)");
}

/// On a slow machine a good provider may run out of time: that is slow, and nothing is lost.
#[test]
fn what_is_slow_is_not_forgetful() {
    let slow = ("hooks", Severity::Warning, "`prefetch` takes longer than its deadline");
    check_all("is slow and heeds its deadline", &[slow]);
    found("gives up too early", "hooks", "`prefetch` answers that it was told to stop, which nobody did");
}

#[test]
fn what_a_model_sees() {
    found("names tools for people", "tools", "the tool name `my notes` is refused");
    found("names tools for people", "tools", "two tools are called `my notes`");
    found("has no schema", "tools", "the parameters of `notes` are no JSON Schema of an object");
    found("trusts the model", "tools", "`notes` with arguments that make no sense: `call_tool` fails");
    found(
        "writes when it reads",
        "lookups",
        "looking something up with `notes` changes what is recalled or listed later",
    );
}
