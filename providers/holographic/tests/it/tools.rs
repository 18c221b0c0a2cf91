//! Every action of the tools, in several languages, with the arguments that models really send.

use hermes_provider_api::records::Effect;
use hermes_provider_api::{ErrorKind, MemoryProvider as _};
use serde_json::{Value, json};

use crate::support::Case;

const FACTS: [&str; 9] = [
    "Alice Brown lives in Paris",
    "Bob Carter mentors Alice Brown on Fridays",
    "Bob's favourite editor is Helix",
    "Питомец Анны Смирновой — попугай Барсик",
    "Анна Смирнова обучает Павла Громова",
    "Павел Громов живёт в Томске",
    "王小明住在北京。",
    "王小明和李娜是同事。",
    "李娜养了一只猫。",
];

#[track_caller]
fn check(args: Value, first: &[i64]) {
    let ids = Case::with(&FACTS).ids(args.clone());
    assert_eq!(ids.get(..first.len().min(ids.len())), Some(first), "{args} answered {ids:?}");
}

#[track_caller]
fn check_set(args: Value, expect: &[i64]) {
    let mut ids = Case::with(&FACTS).ids(args.clone());
    ids.sort_unstable();
    assert_eq!(ids, expect, "{args}");
}

#[test]
fn search_finds_facts_in_other_words_and_forms() {
    check(json!({"action": "search", "query": "Where does Alice live?"}), &[1]);
    check(json!({"action": "search", "query": "which editors does Bob like"}), &[3]);
    check(json!({"action": "search", "query": "кличка попугая Анны"}), &[4]);
    check(json!({"action": "search", "query": "город Павла"}), &[6]);
    check(json!({"action": "search", "query": "王小明住在哪里？"}), &[7]);
    check(json!({"action": "search", "query": "猫"}), &[9]);
    check(json!({"action": "search", "query": "zebra"}), &[]);
}

#[test]
fn probe_finds_every_mention() {
    check_set(json!({"action": "probe", "entity": "Alice Brown"}), &[1, 2]);
    check_set(json!({"action": "probe", "entity": "alice"}), &[1, 2]);
    check_set(json!({"action": "probe", "entity": "Bob"}), &[2, 3]);
    check_set(json!({"action": "probe", "entity": "Анна Смирнова"}), &[4, 5]);
    check_set(json!({"action": "probe", "entity": "Павлу Громову"}), &[5, 6]);
    check_set(json!({"action": "probe", "entity": "Anna Smirnova"}), &[4, 5]);
    check_set(json!({"action": "probe", "entity": "王小明"}), &[7, 8]);
    check_set(json!({"action": "probe", "entity": "Alice Cooper"}), &[]);
    check_set(json!({"action": "probe", "entity": "…"}), &[]);
}

#[test]
fn related_and_reason_follow_names() {
    check_set(json!({"action": "related", "entity": "Paris"}), &[1, 2]);
    check(json!({"action": "related", "entity": "Paris"}), &[1, 2]);
    check(json!({"action": "reason", "entities": ["Bob", "Alice Brown"]}), &[2]);
    check(json!({"action": "reason", "entities": ["Анна Смирнова", "Павел Громов"]}), &[5]);
    check(json!({"action": "reason", "entities": ["王小明", "李娜"]}), &[8]);
    check(json!({"action": "reason", "entities": "Bob, Alice Brown"}), &[2]);
}

#[test]
fn contradict_names_both_facts_and_the_newer() {
    for (old, new) in [
        ("Alice Brown lives in Paris", "Alice Brown has a flat in Oslo"),
        ("Анна Смирнова живёт в Казани", "Анна Смирнова снимает квартиру в Перми"),
        ("王小明住在北京。", "王小明住在上海。"),
    ] {
        let case = Case::with(&[old, new, "Bob likes tea"]);
        let answer = case.store(json!({"action": "contradict"}));
        assert_eq!(answer["count"], 1, "{answer}");
        let pair = &answer["contradictions"][0];
        assert_eq!((&pair["fact_a"]["content"], &pair["fact_b"]["content"]), (&json!(new), &json!(old)));
        assert_eq!(pair["newer"], 2);
        assert!(!pair["why"].as_str().unwrap().is_empty());
    }
}

#[test]
fn add_says_which_facts_the_new_one_contradicts() {
    let case = Case::with(&["Alice Brown lives in Paris", "Bob Carter lives in Rome", "Alice Brown likes tea"]);
    let answer = case.store(json!({"action": "add", "content": "Alice lives in Oslo"}));
    let told: Vec<_> = answer["contradicts"].as_array().unwrap().iter().map(|fact| &fact["fact_id"]).collect();
    assert_eq!(told, [1], "{answer}");
    let answer = case.store(json!({"action": "add", "content": "Alice plays go"}));
    assert_eq!(answer, json!({"fact_id": 5, "status": "added"}));
    case.store(json!({"action": "remove", "fact_id": 1}));
    assert_eq!(case.store(json!({"action": "contradict"}))["count"], 0);
}

#[test]
fn add_keeps_one_of_equals() {
    let case = Case::new();
    let first =
        case.store(json!({"action": "add", "content": " Mo likes  tea ", "category": "user_pref", "tags": "a, b,a"}));
    assert_eq!(first, json!({"fact_id": 1, "status": "added"}));
    let again = case.store(json!({"action": "add", "content": "mo LIKES tea"}));
    assert_eq!(again, json!({"fact_id": 1, "status": "exists"}));
    let list = case.store(json!({"action": "list"}));
    let fact = &list["results"][0];
    assert_eq!(
        (&fact["content"], &fact["category"], &fact["tags"]),
        (&json!("Mo likes  tea"), &json!("user_pref"), &json!(["a", "b"]))
    );
    assert_eq!(fact["trust"], 0.5);
}

#[test]
fn tags_are_searched() {
    let case = Case::new();
    case.store(json!({"action": "add", "content": "Mo sleeps late", "tags": ["зоопарк"]}));
    assert_eq!(case.search("зоопарки"), [1]);
    case.store(json!({"action": "update", "fact_id": 1, "tags": []}));
    assert_eq!(case.search("зоопарк"), [0_i64; 0]);
}

#[test]
fn update_changes_what_is_found() {
    let case = Case::with(&["Mo lives in Oslo", "Mo has a cat"]);
    let answer =
        case.store(json!({"action": "update", "fact_id": "1", "content": "Mo lives in Rome", "trust_delta": "0.2"}));
    assert_eq!((&answer["status"], &answer["trust"]), (&json!("updated"), &json!(0.7)));
    assert_eq!(case.search("Oslo"), [0_i64; 0]);
    assert_eq!(case.search("Rome"), [1]);
    assert_eq!(case.ids(json!({"action": "probe", "entity": "Oslo"})), [0_i64; 0]);
    let error = case.try_tool("fact_store", json!({"action": "update", "fact_id": 1, "content": "MO has a cat"}));
    assert!(error.unwrap_err().message.contains("fact 2"));
}

#[test]
fn feedback_moves_trust_within_bounds() {
    let case = Case::with(&["Mo likes tea"]);
    let rate = |args: Value| case.try_tool("fact_feedback", args).unwrap()["trust"].as_f64().unwrap();
    assert_eq!(rate(json!({"fact_id": 1, "action": "helpful"})), 0.55);
    assert_eq!(rate(json!({"fact_id": "1", "helpful": true})), 0.6);
    assert_eq!(rate(json!({"fact_id": 1, "helpful": false})), 0.5);
    for _ in 0..6 {
        rate(json!({"fact_id": 1, "action": "unhelpful"}));
    }
    assert_eq!(rate(json!({"fact_id": 1, "unhelpful": true})), 0.0);
    for _ in 0..25 {
        rate(json!({"fact_id": 1, "action": "Helpful"}));
    }
    assert_eq!(rate(json!({"fact_id": 1, "action": "helpful"})), 1.0);
    let fact = &case.store(json!({"action": "list"}))["results"][0];
    assert_eq!((&fact["helpful_count"], &fact["unhelpful_count"]), (&json!(28), &json!(8)));
}

#[test]
fn the_user_sets_how_trust_moves() {
    let case = Case::configured(json!({"default_trust": "0.6", "helpful": 0.2, "unhelpful": "0.3", "min_trust": 0.4}));
    case.add("Mo likes tea");
    let rate = |action: &str| case.try_tool("fact_feedback", json!({"fact_id": 1, "action": action})).unwrap();
    assert_eq!(rate("helpful")["trust"], 0.8);
    assert_eq!(rate("unhelpful")["trust"], 0.5);
    assert_eq!(case.recall("What does Mo like?"), ["Mo likes tea"]);
    assert_eq!(rate("unhelpful")["trust"], 0.2);
    assert!(case.recall("What does Mo like?").is_empty(), "less than the threshold of a recall");
}

#[test]
fn many_facts_are_added_at_once_or_not_at_all() {
    let case = Case::with(&["Mo likes tea"]);
    let answer = case.store(json!({
        "action": "add", "category": "project", "tags": ["x"],
        "facts": ["Ann builds Atlas", {"content": "Bob tests Atlas", "category": "tool", "valid_from": "2024"}, "mo likes TEA"],
    }));
    assert_eq!((&answer["added"], &answer["existed"]), (&json!(2), &json!(1)));
    assert_eq!(answer["results"][2], json!({"fact_id": 1, "status": "exists"}));
    let list = case.store(json!({"action": "list"}));
    let fact = |at: usize| (list["results"][at]["category"].clone(), list["results"][at]["tags"].clone());
    assert_eq!((fact(0), fact(1)), ((json!("tool"), json!(["x"])), (json!("project"), json!(["x"]))));
    assert_eq!(list["results"][0]["valid_from"], "2024-01-01T00:00:00Z");
    let text = json!({"action": "add", "facts": "[\"sent as text\"]"});
    assert_eq!(case.store(text)["added"], 1);
    let error = case.try_tool("fact_store", json!({"action": "add", "facts": ["good", {"content": " "}]}));
    assert_eq!(error.unwrap_err().kind, ErrorKind::InvalidInput);
    assert_eq!(case.search("good"), [0_i64; 0]);
    refused("fact_store", json!({"action": "add", "facts": []}), "1 to 1000");
    refused("fact_store", json!({"action": "add", "facts": vec!["x"; 1001]}), "1 to 1000");
    refused("fact_store", json!({"action": "add", "facts": "x"}), "list of texts or objects");
    refused("fact_store", json!({"action": "add", "facts": [1]}), "list of texts or objects");
    refused("fact_store", json!({"action": "add", "content": "x", "valid_from": "soon"}), "must be a date");
    refused(
        "fact_store",
        json!({"action": "add", "content": "x", "valid_from": "2025", "valid_to": "2024"}),
        "before it begins",
    );
    refused("fact_store", json!({"action": "as_of"}), "`date` is missing");
    refused("fact_store", json!({"action": "timeline"}), "`fact_id` or `entity` is missing");
}

#[test]
fn list_filters_by_category_trust_and_limit() {
    let case = Case::new();
    for (content, category) in [("one", "tool"), ("two", "project"), ("three", "tool"), ("four", "tool")] {
        case.store(json!({"action": "add", "content": content, "category": category}));
    }
    case.store(json!({"action": "update", "fact_id": 4, "trust_delta": -0.4}));
    assert_eq!(case.ids(json!({"action": "list"})), [4, 3, 2, 1]);
    assert_eq!(case.ids(json!({"action": "list", "category": "tool", "min_trust": 0.3})), [3, 1]);
    assert_eq!(case.ids(json!({"action": "list", "limit": "1"})), [4]);
    assert_eq!(case.search("four"), [0_i64; 0], "below the default trust");
    assert_eq!(case.ids(json!({"action": "search", "query": "four", "min_trust": 0})), [4]);
}

#[track_caller]
fn refused(tool: &str, args: Value, says: &str) {
    let error = Case::with(&["Mo likes tea"]).try_tool(tool, args.clone()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidInput, "{args}: {error:?}");
    let all = format!("{} {}", error.message, error.hint.unwrap_or_default());
    assert!(all.contains(says), "{args}: {all}");
}

#[test]
fn wrong_arguments_are_told_how_to_call() {
    let names = "add, search, probe, related, reason, contradict, alias, update, forget, remove, list";
    refused("fact_store", json!({}), names);
    refused("fact_store", json!({"action": "learn"}), "the actions are add, search");
    refused("fact_store", json!([1]), "JSON object");
    refused("fact_store", json!("not json"), "JSON object");
    refused("fact_store", json!({"action": "add"}), "`content` is missing");
    refused("fact_store", json!({"action": "add", "content": " \0 "}), "`content` is");
    refused("fact_store", json!({"action": "add", "content": {"a": 1}}), "must be a text");
    refused(
        "fact_store",
        json!({"action": "add", "content": "x", "category": "misc"}),
        "user_pref, project, tool, general",
    );
    refused("fact_store", json!({"action": "add", "content": "x", "tags": {"a": 1}}), "list of texts");
    refused("fact_store", json!({"action": "add", "content": "x", "tags": vec!["y".repeat(65)]}), "64 characters");
    refused("fact_store", json!({"action": "add", "content": "я".repeat(8001)}), "8001 characters");
    refused("fact_store", json!({"action": "search"}), "`query` is missing");
    refused("fact_store", json!({"action": "search", "query": "x", "limit": "many"}), "whole number");
    refused("fact_store", json!({"action": "search", "query": "x", "limit": 1.5}), "whole number");
    refused("fact_store", json!({"action": "reason", "entities": []}), "`entities` is missing");
    let names: Vec<String> = (0..33).map(|number| format!("n{number}")).collect();
    refused("fact_store", json!({"action": "reason", "entities": names}), "at most 32");
    refused("fact_store", json!({"action": "update", "fact_id": 1}), "nothing to change");
    refused("fact_store", json!({"action": "update", "content": "x"}), "`fact_id` is missing");
    refused("fact_store", json!({"action": "update", "fact_id": 1, "trust_delta": "lots"}), "must be a number");
    refused("fact_store", json!({"action": "remove", "fact_id": true}), "whole number");
    refused("fact_feedback", json!({"fact_id": 1}), "`helpful` or `unhelpful`");
    refused("fact_feedback", json!({"fact_id": 1, "helpful": true, "unhelpful": true}), "`helpful` or `unhelpful`");
}

#[test]
fn clear_enough_arguments_are_accepted() {
    let case = Case::with(&["Mo likes tea", "Mo likes cake"]);
    assert_eq!(case.ids(json!({"action": "search", "query": "Mo", "limit": "1"})).len(), 1);
    assert_eq!(
        case.ids(json!({"action": "Search", "query": "tea", "limit": 5.0, "category": null, "min_trust": "0.1"})),
        [1]
    );
    assert_eq!(case.ids(json!(r#"{"action": "search", "query": "tea"}"#)), [1]);
    assert_eq!(case.ids(json!({"action": "list", "limit": -3})), [2]);
    assert_eq!(case.ids(json!({"action": "list", "limit": 1_000_000_000_000_u64})), [2, 1]);
}

#[test]
fn effects_tell_reading_from_writing() {
    let case = Case::new();
    let effect = |tool, action: &str| case.provider.tool_effect(tool, &json!({"action": action}));
    for action in
        ["search", "probe", "related", "reason", "contradict", "list", "timeline", "as_of", "duplicates", "unknown"]
    {
        assert_eq!(effect("fact_store", action), Effect::Read, "{action}");
    }
    assert_eq!(effect("fact_store", "add"), Effect::Write);
    assert_eq!(effect("fact_store", "UPDATE"), Effect::Write);
    assert_eq!(effect("fact_store", "merge"), Effect::Write);
    assert_eq!(effect("fact_store", "unmerge"), Effect::Write);
    assert_eq!(effect("fact_store", "forget"), Effect::Delete);
    assert_eq!(effect("fact_store", "remove"), Effect::Delete);
    assert_eq!(effect("fact_feedback", "helpful"), Effect::Write);
}

#[test]
fn schemas_and_guidance_are_there_with_an_empty_store() {
    let case = Case::new();
    let schemas = case.provider.tool_schemas().unwrap();
    assert_eq!(schemas.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["fact_store", "fact_feedback"]);
    let before = case.provider.system_prompt_block(&case.caller).unwrap();
    assert!(before.contains("`fact_store`") && before.contains("`fact_feedback`"));
    case.add("Mo likes tea");
    assert_eq!(case.provider.system_prompt_block(&case.caller).unwrap(), before);
}
