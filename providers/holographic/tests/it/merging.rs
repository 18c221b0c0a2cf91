//! Facts that say the same: kept once, suggested, merged by hand, and taken apart again.

use hermes_provider_api::ErrorKind;
use serde_json::{Value, json};

use crate::support::Case;

#[track_caller]
fn same(first: &str, second: &str) {
    let case = Case::with(&[first]);
    let again = case.store(json!({"action": "add", "content": second}));
    assert_eq!(again, json!({"fact_id": 1, "status": "exists"}), "{first} | {second}");
}

#[track_caller]
fn suggested(first: &str, second: &str, expect: bool) {
    let case = Case::with(&[first]);
    let added = case.store(json!({"action": "add", "content": second}));
    assert_eq!((&added["fact_id"], &added["status"]), (&json!(2), &json!("added")), "nothing is merged by itself");
    let similar = added["similar"].as_array().map_or(0, Vec::len);
    assert_eq!(similar, usize::from(expect), "{first} | {second}: {added}");
    if expect {
        assert_eq!(added["similar"][0], json!({"fact_id": 1, "content": first}));
    }
}

#[test]
fn equal_texts_are_one_fact() {
    same("Mo likes tea", " mo  LIKES tea. ");
    same("Mo likes “tea”", "Mo likes \"tea\"");
    same("Mo likes tea, and cake", "Mo likes tea – and cake!");
    same("Ｍｏ ｌｉｋｅｓ ｔｅａ", "mo likes tea");
    same("王小明住在北京。", "王小明住在北京");
    same("Ёжик пьёт чай", "ежик пьет чай");
}

#[test]
fn what_differs_in_a_word_is_only_suggested() {
    suggested("Mo lives in Paris", "Mo lives in London", true);
    suggested("Mo likes green tea", "green teas Mo liked", true);
    suggested("Анна живёт в Казани", "Анна живёт в Перми", true);
    suggested("Mo writes C", "Mo writes C++", true);
    suggested("Mo likes tea", "The gateway listens on port 8080", false);
    suggested("Mo likes tea", "Ann plays the violin in an orchestra", false);
}

#[test]
fn duplicates_lists_pairs_and_those_of_one_fact() {
    let case = Case::with(&["Mo likes green tea", "The port is 8080", "Mo liked green teas", "Ann has a dog"]);
    let answer = case.store(json!({"action": "duplicates"}));
    let ids = |pair: &Value| (pair["fact_a"]["fact_id"].as_i64().unwrap(), pair["fact_b"]["fact_id"].as_i64().unwrap());
    let pairs: Vec<_> = answer["duplicates"].as_array().unwrap().iter().map(ids).collect();
    assert_eq!(pairs, [(1, 3)], "{answer}");
    assert_eq!(case.store(json!({"action": "duplicates", "fact_id": 3}))["duplicates"][0]["fact_b"]["fact_id"], 1);
    assert_eq!(case.store(json!({"action": "duplicates", "fact_id": 2}))["count"], 0);
}

fn rate(case: &Case, id: i64, action: &str, times: usize) {
    for _ in 0..times {
        case.try_tool("fact_feedback", json!({"fact_id": id, "action": action})).unwrap();
    }
}

fn listed(case: &Case) -> Vec<Value> {
    let mut facts = case.store(json!({"action": "list"}))["results"].as_array().unwrap().clone();
    for fact in &mut facts {
        for volatile in ["score", "last_used", "retrieval_count"] {
            fact.as_object_mut().unwrap().remove(volatile);
        }
    }
    facts
}

#[test]
fn a_merge_keeps_trust_counts_and_history_and_can_be_undone() {
    let case = Case::with(&["Mo likes green tea", "Mo drinks green tea", "Mo has a cat"]);
    case.store(json!({"action": "update", "fact_id": 2, "content": "Mo loves green tea", "tags": ["drinks"]}));
    rate(&case, 1, "helpful", 2);
    rate(&case, 2, "helpful", 3);
    rate(&case, 2, "unhelpful", 1);
    let before = listed(&case);
    let merged = case.store(json!({"action": "merge", "fact_id": 1, "other": 2}));
    assert_eq!(merged["trust"], 0.65, "0.5, five times helpful, once not");
    assert_eq!((&merged["helpful_count"], &merged["unhelpful_count"]), (&json!(5), &json!(1)));
    assert_eq!(case.ids(json!({"action": "list"})), [3, 1]);
    assert_eq!(case.search("loves"), [0_i64; 0]);
    assert_eq!(case.ids(json!({"action": "probe", "entity": "Mo"})).len(), 2);
    let line = case.store(json!({"action": "timeline", "fact_id": 1}));
    let states: Vec<String> =
        line["results"].as_array().unwrap().iter().map(|state| state["content"].to_string()).collect();
    for content in ["Mo likes green tea", "Mo drinks green tea", "Mo loves green tea"] {
        assert!(states.contains(&json!(content).to_string()), "{line}");
    }
    rate(&case, 1, "helpful", 1);
    let undone = case.store(merged["undo"].clone());
    assert_eq!(undone["status"], "unmerged");
    let mut after = listed(&case);
    let kept = after.iter_mut().find(|fact| fact["fact_id"] == 1).unwrap();
    assert_eq!((&kept["trust"], &kept["helpful_count"]), (&json!(0.65), &json!(3)), "what was rated since then stays");
    kept["trust"] = json!(0.6);
    kept["helpful_count"] = json!(2);
    assert_eq!(after, before);
    assert_eq!(case.search("loves"), [2]);
    assert_eq!(case.search("drinks"), [2], "tags are back as well");
}

#[track_caller]
fn refused(case: &Case, args: Value, kind: ErrorKind, says: &str) {
    let error = case.try_tool("fact_store", args.clone()).unwrap_err();
    let text = format!("{} {}", error.message, error.hint.unwrap_or_default());
    assert!(error.kind == kind && text.contains(says), "{args}: {text}");
}

#[test]
fn merges_that_make_no_sense_are_explained() {
    use ErrorKind::{InvalidInput, NotFound};
    let case = Case::with(&["one tea", "two teas", "three teas", "four teas"]);
    refused(&case, json!({"action": "merge", "fact_id": 1}), InvalidInput, "`other` is missing");
    refused(&case, json!({"action": "merge", "fact_id": 1, "other": 1}), InvalidInput, "into itself");
    refused(&case, json!({"action": "merge", "fact_id": 1, "other": 99}), NotFound, "no fact 99");
    refused(&case, json!({"action": "unmerge", "fact_id": 1}), InvalidInput, "was not merged");
    case.store(json!({"action": "merge", "fact_id": 2, "other": 1}));
    refused(&case, json!({"action": "merge", "fact_id": 3, "other": 1}), NotFound, "no fact 1");
    refused(&case, json!({"action": "unmerge", "fact_id": 2}), InvalidInput, "merged into it were: 1");
    case.store(json!({"action": "merge", "fact_id": 3, "other": 2}));
    refused(&case, json!({"action": "unmerge", "fact_id": 1}), InvalidInput, "unmerge fact 2 first");
    case.store(json!({"action": "unmerge", "fact_id": 2}));
    case.add("one tea");
    refused(&case, json!({"action": "unmerge", "fact_id": 1}), InvalidInput, "fact 5 says the same");
}
