//! Nobody finds, counts, changes or removes what was learnt in front of another audience.

use hermes_provider_api::records::{ListEntries, MemoryWrite, PrefetchQuery};
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _, Scope};
use serde_json::json;

use crate::support::{Case, group, private};

#[track_caller]
fn check(learnt: Scope, reader: Scope, visible: bool) {
    let case = Case::new().speaking_as(learnt);
    case.add("Mo's door code is Zanzibar");
    let case = case.speaking_as(reader);
    let found = usize::from(visible);
    assert_eq!(case.search("Zanzibar").len(), found);
    for args in [
        json!({"action": "probe", "entity": "Zanzibar"}),
        json!({"action": "related", "entity": "Mo"}),
        json!({"action": "reason", "entities": ["Mo", "Zanzibar"]}),
        json!({"action": "list"}),
    ] {
        assert_eq!(case.ids(args.clone()).len(), found, "{args}");
    }
    assert_eq!(case.recall("What is Mo's door code?").len(), found);
    let list = ListEntries { caller: case.caller.clone(), ..ListEntries::default() };
    assert_eq!(case.provider.list_entries(&list, &Call::default()).unwrap().entries.len(), found);
    if !visible {
        for args in
            [json!({"action": "update", "fact_id": 1, "content": "x"}), json!({"action": "remove", "fact_id": 1})]
        {
            assert_eq!(case.try_tool("fact_store", args).unwrap_err().kind, ErrorKind::NotFound);
        }
        let rating = case.try_tool("fact_feedback", json!({"fact_id": 1, "action": "unhelpful"}));
        assert_eq!(rating.unwrap_err().kind, ErrorKind::NotFound);
        let deleted = case.provider.delete_entry("1", &case.caller, &Call::default());
        assert_eq!(deleted.unwrap_err().kind, ErrorKind::NotFound);
        if case.caller.scope.visible_to(&case.caller.scope) {
            let same = case.store(json!({"action": "add", "content": "Mo's door code is Zanzibar"}));
            assert_eq!(same, json!({"fact_id": 2, "status": "added"}), "what others know is not told");
        }
    }
}

#[test]
fn borders_hold_for_every_road() {
    check(private("ann"), private("ann"), true);
    check(private("ann"), private("bob"), false);
    check(private("ann"), Scope::default(), false);
    check(private("ann"), group("team", "ann"), false);
    check(group("team", "ann"), private("ann"), false);
    check(group("team", "ann"), group("team", "bob"), true);
    check(group("team", "ann"), group("other", "ann"), false);
    check(private("ann"), Scope { platform: "discord".into(), ..private("ann") }, false);
    check(private("ann"), Scope { platform: String::new(), ..private("ann") }, true);
    check(private("ann"), Scope { profile: "work".into(), ..private("ann") }, false);
    check(Scope::default(), Scope::default(), true);
}

#[test]
fn a_group_without_an_id_stores_nothing() {
    let case = Case::new().speaking_as(group("", "ann"));
    let error = case.try_tool("fact_store", json!({"action": "add", "content": "x"})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidInput);
    let write = MemoryWrite { caller: case.caller.clone(), content: "x".into(), ..MemoryWrite::default() };
    assert!(case.provider.on_memory_write(&write, &Call::default()).is_err());
}

#[test]
fn a_recall_says_where_it_was_learnt() {
    let mut case = Case::new().speaking_as(private("ann"));
    case.caller.origin.session = "s1".into();
    case.add("Mo's door code is Zanzibar");
    let query = PrefetchQuery { caller: case.caller.clone(), query: "Mo's door code?".into(), limit: 5 };
    let recall = case.provider.prefetch(&query, &Call::default()).unwrap();
    let item = recall.items.first().unwrap();
    assert_eq!((item.id.as_str(), item.scope.as_ref()), ("1", Some(&case.caller.scope)));
    assert_eq!(item.origin.as_ref().unwrap().session, "s1");
    assert_eq!(item.updated, Some(1_767_225_600_000));
}

#[test]
fn other_audiences_neither_contradict_nor_name() {
    let case = Case::new().speaking_as(private("ann"));
    case.add("Mo Berg lives in Oslo");
    case.add("Mo Berg, aka Zed, likes tea");
    let case = case.speaking_as(private("bob"));
    case.add("Mo Berg plays go");
    let answer = case.store(json!({"action": "add", "content": "Mo Berg lives in Rome"}));
    assert_eq!(answer, json!({"fact_id": 4, "status": "added"}));
    assert_eq!(case.store(json!({"action": "contradict"}))["count"], 0);
    assert_eq!(case.ids(json!({"action": "probe", "entity": "Zed"})), [0_i64; 0]);
    let case = case.speaking_as(private("ann"));
    assert_eq!(case.ids(json!({"action": "probe", "entity": "Zed"})).len(), 2);
    assert_eq!(case.store(json!({"action": "contradict"}))["count"], 0);
    let answer = case.store(json!({"action": "add", "content": "Mo Berg moved to Bergen"}));
    assert_eq!(answer["contradicts"][0]["fact_id"], 1, "{answer}");
}
