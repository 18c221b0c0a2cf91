//! Answers that cannot be used, from a plugin that breaks the rules of the boundary.

use hermes_host::plugins::hooks::CallError;
use hermes_host::plugins::load::Isolation;
use hermes_provider_api::ErrorKind;
use hermes_tests::{BOTH, Setup, fixtures, patch};

fn raw(isolation: Isolation) -> Setup {
    Setup::new(fixtures().raw(), isolation)
}

#[track_caller]
fn check(query: &str, expect: &str) {
    for isolation in BOTH {
        let provider = raw(isolation).open();
        let error = provider.recall(query).unwrap_err();
        assert_eq!(error.to_string(), expect, "{isolation:?}");
        assert!(!matches!(error, CallError::Crashed { .. }), "{error}");
        assert_eq!(provider.recall("").unwrap(), "in many pieces");
        assert!(provider.health.quarantine().is_none());
    }
}

#[test]
fn invalid_utf8() {
    check(
        "invalid-utf8",
        "`raw` answered prefetch with invalid UTF-8: invalid utf-8 sequence of 1 bytes from index 26",
    );
}

#[test]
fn invalid_json() {
    check("invalid-json", "`raw` answered prefetch with invalid JSON: EOF while parsing a list at line 1 column 11");
}

#[test]
fn nothing_at_all() {
    check("nothing", "`raw` answered prefetch with invalid JSON: EOF while parsing a value at line 1 column 0");
}

#[test]
fn another_record() {
    check(
        "other-record",
        "`raw` answered prefetch with invalid JSON: invalid type: integer `1`, expected a string at line 1 column 2",
    );
}

#[test]
fn more_than_is_allowed() {
    check("huge", "`raw` answered prefetch with 100 MiB, more than the 32 MiB that are allowed");
}

#[test]
fn a_status_of_tomorrow_is_an_error() {
    for isolation in BOTH {
        let provider = raw(isolation).open();
        let error = provider.recall("unknown-status").unwrap_err();
        assert_eq!(error.to_string(), "`raw`: a status of tomorrow");
        assert_eq!(error.provider_error().unwrap().kind, ErrorKind::Internal);
    }
}

#[test]
fn an_error_without_a_record() {
    check("error-without-record", "`raw`: it failed with status 1 and no reason");
}

#[test]
fn an_error_of_garbage() {
    check("error-of-garbage", "`raw`: it failed with status 1 and no reason");
}

#[test]
fn a_panic_without_a_record() {
    for isolation in BOTH {
        let provider = raw(isolation).open();
        let error = provider.recall("panic-without-record").unwrap_err();
        assert_eq!(error.to_string(), "`raw` crashed in prefetch: it failed with status 2 and no reason");
        assert_eq!(provider.recall("").unwrap(), "in many pieces");
    }
}

#[test]
fn too_much_of_a_well_meaning_provider() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).open();
        let error = provider.recall("huge 33").unwrap_err();
        let expect = "`faulty` answered prefetch with 33 MiB, more than the 32 MiB that are allowed";
        assert_eq!(error.to_string(), expect);
        assert_eq!(provider.recall("huge 2").unwrap().len(), 2 << 20);
        assert_eq!(provider.recall("leak").unwrap(), "leaked");
        provider.still_answers();
    }
}

fn in_mode(mode: &str, isolation: Isolation) -> Setup {
    let old = format!("\"mode\":\"{:<20}\"", "good");
    let new = format!("\"mode\":\"{mode:<20}\"");
    raw(isolation).patched(|bytes| patch::in_section(bytes, &old, &new))
}

/// The plugin says in its file how it behaves when it is loaded.
#[track_caller]
fn check_loading(mode: &str, expect: &str) {
    for isolation in BOTH {
        let setup = in_mode(mode, isolation);
        let path = setup.plugin().library.display().to_string();
        let error = setup.loaded().recall("").unwrap_err().to_string().replace(&path, "FILE");
        assert_eq!(error, format!("`raw` cannot be loaded: {expect}"), "{isolation:?}");
    }
    drop(raw(Isolation::Process).open());
}

#[test]
fn a_description_other_than_the_section() {
    check_loading("describe-other", "it describes itself otherwise than its metadata section does");
}

#[test]
fn a_description_that_is_no_record() {
    check_loading("describe-broken", "its description cannot be read: EOF while parsing an object at line 1 column 1");
}

#[test]
fn a_description_that_fails() {
    check_loading("describe-fails", "it failed with status 1 and no reason");
}

#[test]
fn no_core() {
    check_loading("no-core", "`FILE` lacks `hermes.core/1`, which every provider has");
}

#[test]
fn another_layout_of_one_interface() {
    for isolation in BOTH {
        let provider = in_mode("other-layout", isolation).loaded();
        let error = provider.recall("").unwrap_err().to_string();
        let (sentence, report) = error.split_once("; the whole report is in `").unwrap();
        assert!(sentence.ends_with("has another layout of `hermes.prefetch/1` than this host"), "{sentence}");
        assert!(sentence.lines().count() == 1, "{sentence}");
        let report = std::fs::read_to_string(report.trim_end_matches('`')).unwrap();
        assert!(report.lines().count() > 20, "{report}");
    }
}

#[test]
fn an_instance_that_is_not_there() {
    check_loading("open-null", "no instance");
}

#[test]
fn an_opening_that_fails_without_a_record() {
    check_loading("open-silent", "it failed with status 1 and no reason");
}
