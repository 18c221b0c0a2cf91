//! Stores with no fact, one, and two answer every action, also after a new start.

use serde_json::json;

use crate::support::{Case, open};

#[test]
fn every_action_works_with_none_one_and_two_facts() {
    for facts in [&[][..], &["Mo lives in Oslo"], &["Mo lives in Oslo", "Mo lives in Rome"]] {
        let case = Case::with(facts);
        for args in [
            json!({"action": "search", "query": "Mo"}),
            json!({"action": "probe", "entity": "Mo"}),
            json!({"action": "related", "entity": "Mo"}),
            json!({"action": "reason", "entities": ["Mo"]}),
            json!({"action": "list"}),
            json!({"action": "timeline", "entity": "Mo"}),
            json!({"action": "as_of", "date": "2030", "query": "Mo"}),
            json!({"action": "as_of", "date": "2030"}),
        ] {
            assert_eq!(case.store(args.clone())["count"], facts.len(), "{args} with {facts:?}");
        }
        for action in ["contradict", "duplicates"] {
            assert_eq!(case.store(json!({"action": action}))["count"], facts.len() / 2, "{action} with {facts:?}");
        }
        assert_eq!(case.recall("Where does Mo live?").len(), facts.len());
    }
}

#[test]
fn a_fact_comes_to_mind_in_the_next_session() {
    let Case { provider, folder, caller } = Case::with(&["The user's cat is called Mo"]);
    drop(provider);
    let case = Case { provider: open(folder.path()), folder, caller };
    assert_eq!(case.recall("What is my cat called?"), ["The user's cat is called Mo"]);
    let used = &case.store(json!({"action": "list"}))["results"][0];
    assert_eq!(used["retrieval_count"], 0, "counts go with the next write");
    case.add("Mo likes fish");
    let used = &case.store(json!({"action": "list"}))["results"][1];
    assert_eq!((&used["retrieval_count"], &used["last_used"]), (&json!(1), &json!("2026-01-01T00:00:00Z")));
}
