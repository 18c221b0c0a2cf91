//! What was so, when, and since when it is known.

use std::sync::atomic::Ordering;

use hermes_provider_api::records::OpenRequest;
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{ErrorKind, MemoryProvider as _, Scope};
use hermes_provider_holographic::Holographic;
use serde_json::{Value, json};

use crate::support::{Case, private};

/// 2026-01-01, when the clock of a case begins.
const BEGIN: u64 = 1_767_225_600_000;
const DAY: u64 = 86_400_000;

/// A case whose clock can be set, in days from [`BEGIN`].
fn with_clock() -> (Case, impl Fn(u64)) {
    let folder = tempfile::tempdir().unwrap();
    let host = FakeHost::new(folder.path());
    let clock = host.clock();
    let provider = Holographic::open(host.host(), OpenRequest::default()).unwrap();
    (Case { provider, folder, caller: Default::default() }, move |day| {
        clock.store(BEGIN + day * DAY, Ordering::Relaxed)
    })
}

fn contents(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|state| state["content"].as_str().unwrap()).collect()
}

#[track_caller]
fn as_of(case: &Case, date: &str, query: &str, expect: &[&str]) {
    let answer = case.store(json!({"action": "as_of", "date": date, "query": query}));
    assert_eq!(contents(&answer), expect, "{date}: {answer}");
}

#[test]
fn an_update_keeps_what_was_so_before() {
    let (case, set) = with_clock();
    case.add("Mo lives in Oslo");
    set(10);
    let answer = case.store(json!({"action": "update", "fact_id": 1, "content": "Mo lives in Rome"}));
    assert_eq!(
        (&answer["content"], &answer["valid_from"]),
        (&json!("Mo lives in Rome"), &json!("2026-01-11T00:00:00Z"))
    );
    set(20);
    assert_eq!(case.search("Oslo"), [0_i64; 0], "the old wording is history");
    assert_eq!(case.recall("Does Mo live in Oslo?"), ["Mo lives in Rome"]);
    as_of(&case, "2026-01-05", "Mo", &["Mo lives in Oslo"]);
    as_of(&case, "2026-01-11", "Mo", &["Mo lives in Rome"]);
    as_of(&case, "2026-01-10", "Oslo", &["Mo lives in Oslo"]);
    as_of(&case, "2025-12-31", "Mo", &[]);
    as_of(&case, "2026", "where does Mo live", &["Mo lives in Rome"]);
    let answer = case.store(json!({"action": "as_of", "date": "2026-01-05"}));
    assert_eq!(contents(&answer), ["Mo lives in Oslo"]);
    assert_eq!(answer["as_of"], "2026-01-05T23:59:59Z");

    let line = case.store(json!({"action": "timeline", "fact_id": 1}));
    assert_eq!(contents(&line), ["Mo lives in Oslo", "Mo lives in Rome"]);
    let states: Vec<&Value> = line["results"].as_array().unwrap().iter().map(|state| &state["state"]).collect();
    assert_eq!(states, ["replaced", "current"]);
    assert_eq!(line["results"][0]["valid_to"], "2026-01-11T00:00:00Z");
    assert_eq!(line["results"][0]["replaced"], "2026-01-11T00:00:00Z");
    for name in ["Oslo", "Rome", "Mo"] {
        let line = case.store(json!({"action": "timeline", "entity": name}));
        let expect = if name == "Mo" { 2 } else { 1 };
        assert_eq!(line["count"], expect, "{name}: {line}");
    }
}

#[test]
fn a_change_may_be_told_later_and_a_mistake_corrected() {
    let (case, set) = with_clock();
    case.store(json!({"action": "add", "content": "Mo works at Acme", "valid_from": "2020-03"}));
    set(30);
    let change =
        json!({"action": "update", "fact_id": 1, "content": "Mo works at Initech", "valid_from": "2024-06-15"});
    case.store(change);
    as_of(&case, "2022", "Mo work", &["Mo works at Acme"]);
    as_of(&case, "2024-06-14", "Mo work", &["Mo works at Acme"]);
    as_of(&case, "2024-06-15", "Mo work", &["Mo works at Initech"]);
    // It was never Initech, but Initrode from the same day on.
    let fix = json!({"action": "update", "fact_id": 1, "content": "Mo works at Initrode", "valid_from": "2024-06-15"});
    case.store(fix);
    as_of(&case, "2025", "Mo work", &["Mo works at Initrode"]);
    let line = case.store(json!({"action": "timeline", "fact_id": 1}));
    assert_eq!(contents(&line), ["Mo works at Acme", "Mo works at Initech", "Mo works at Initrode"]);
    assert_eq!(line["results"][1]["state"], "corrected");
}

#[test]
fn what_has_ended_is_history_too() {
    let (case, set) = with_clock();
    case.store(json!({"action": "add", "content": "Mo rents a boat", "valid_to": "2026-01-10"}));
    case.store(json!({"action": "add", "content": "Mo has a lighthouse", "valid_from": "2030"}));
    assert_eq!(case.search("boat"), [1]);
    set(10);
    assert_eq!(case.search("boat"), [0_i64; 0]);
    assert_eq!(case.ids(json!({"action": "list"})), [2], "what is yet to come is worth knowing");
    as_of(&case, "2026-01-10", "boat", &["Mo rents a boat"]);
    as_of(&case, "2026-01-11", "boat", &[]);
    as_of(&case, "2030", "Mo", &["Mo has a lighthouse"]);
    let line = case.store(json!({"action": "timeline", "entity": "Mo"}));
    assert_eq!(line["results"][0]["state"], "ended");
    case.store(json!({"action": "update", "fact_id": 1, "valid_to": "2027"}));
    assert_eq!(case.search("boat"), [1], "it was prolonged");
    let error = case.try_tool("fact_store", json!({"action": "update", "fact_id": 1, "valid_to": "2020"})).unwrap_err();
    assert!(error.message.contains("before it begins"), "{error:?}");
}

#[test]
fn spelling_and_ratings_are_no_history() {
    let case = Case::with(&["mo likes tea"]);
    case.store(json!({"action": "update", "fact_id": 1, "content": "Mo likes tea.", "category": "user_pref"}));
    case.try_tool("fact_feedback", json!({"fact_id": 1, "action": "helpful"})).unwrap();
    let line = case.store(json!({"action": "timeline", "fact_id": 1}));
    assert_eq!(contents(&line), ["Mo likes tea."]);
}

#[test]
fn history_has_the_borders_of_its_fact() {
    let case = Case::new().speaking_as(private("ann"));
    case.add("Mo lives in Oslo");
    case.store(json!({"action": "update", "fact_id": 1, "content": "Mo lives in Rome"}));
    let case = case.speaking_as(private("bob"));
    as_of(&case, "2027", "Mo", &[]);
    assert_eq!(case.store(json!({"action": "as_of", "date": "2027"}))["count"], 0);
    for entity in ["Mo", "Oslo", "Rome"] {
        assert_eq!(case.store(json!({"action": "timeline", "entity": entity}))["count"], 0, "{entity}");
    }
    let error = case.try_tool("fact_store", json!({"action": "timeline", "fact_id": 1})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
    let case = case.speaking_as(Scope::default());
    assert_eq!(case.store(json!({"action": "timeline", "entity": "Oslo"}))["count"], 0);
}

#[test]
fn history_works_in_every_script() {
    let (case, set) = with_clock();
    case.add("Анна Смирнова живёт в Казани");
    case.add("王小明住在北京。");
    set(10);
    case.store(json!({"action": "update", "fact_id": 1, "content": "Анна Смирнова живёт в Перми"}));
    case.store(json!({"action": "update", "fact_id": 2, "content": "王小明住在上海。"}));
    as_of(&case, "2026-01-02", "Где жила Анна?", &["Анна Смирнова живёт в Казани"]);
    as_of(&case, "2026-01-02", "王小明", &["王小明住在北京。"]);
    let line = case.store(json!({"action": "timeline", "entity": "北京"}));
    assert_eq!(contents(&line), ["王小明住在北京。"]);
}

#[test]
fn old_facts_may_count_less() {
    let folder = tempfile::tempdir().unwrap();
    let host = FakeHost::new(folder.path()).with_config(json!({"half_life_days": "30"}));
    let clock = host.clock();
    let provider = Holographic::open(host.host(), OpenRequest::default()).unwrap();
    let case = Case { provider, folder, caller: Default::default() };
    case.add("Mo likes green tea");
    clock.store(BEGIN + 300 * DAY, Ordering::Relaxed);
    case.add("Mo likes black coffee with some milk");
    assert_eq!(case.search("What does Mo like?"), [2, 1], "the shorter one would be first");
    let still = Case::with(&["Mo likes green tea", "Mo likes black coffee with some milk"]);
    assert_eq!(still.search("What does Mo like?"), [1, 2]);
}
