//! The curated memory, mirrored in each of the ways that the settings know.

use hermes_provider_api::records::{MemoryTarget, MemoryWrite, OpenRequest, WriteAction};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _};
use hermes_provider_holographic::Holographic;
use serde_json::{Value, json};

use crate::support::Case;

fn write(case: &Case, action: WriteAction, previous: &str, content: &str) {
    let (previous, content) = (previous.to_owned(), content.to_owned());
    let write = MemoryWrite { action, previous, content, target: MemoryTarget::User, ..MemoryWrite::default() };
    // Every write may come more than once.
    for _delivery in 0..2 {
        case.provider.on_memory_write(&write, &Call::default()).unwrap();
    }
}

fn facts(case: &Case) -> Vec<Value> {
    case.store(json!({"action": "list"}))["results"].as_array().unwrap().clone()
}

#[test]
fn a_mirrored_fact_says_so_and_its_former_words_are_history() {
    let case = Case::new();
    write(&case, WriteAction::Add, "", "Mo likes tea");
    assert_eq!(facts(&case)[0]["source"], "mirror");
    write(&case, WriteAction::Replace, "Mo likes tea", "Mo likes mate");
    assert_eq!(case.recall("What does Mo like?"), ["Mo likes mate"], "the old form is recalled no more");
    let line = case.store(json!({"action": "timeline", "fact_id": 1}));
    assert_eq!(line["count"], 2, "however often it came: {line}");
    write(&case, WriteAction::Remove, "Mo likes mate", "");
    assert!(facts(&case).is_empty());
    assert_eq!(case.store(json!({"action": "timeline", "entity": "Mo"}))["count"], 0, "a removed entry leaves nothing");
}

#[test]
fn an_entry_that_comes_twice_is_one_fact() {
    let case = Case::new();
    write(&case, WriteAction::Add, "", "likes tea");
    write(&case, WriteAction::Add, "", "Likes tea.");
    assert_eq!(facts(&case).len(), 1);
}

#[test]
fn off_takes_nothing() {
    let case = Case::configured(json!({"mirror": "off"}));
    case.add("Mo likes tea");
    write(&case, WriteAction::Add, "", "Mo likes cake");
    write(&case, WriteAction::Replace, "Mo likes tea", "Mo likes mate");
    write(&case, WriteAction::Remove, "Mo likes tea", "");
    let facts = facts(&case);
    assert_eq!((facts.len(), &facts[0]["content"]), (1, &json!("Mo likes tea")));
}

#[test]
fn tags_bring_words_to_the_facts_that_an_entry_is_about() {
    let case = Case::configured(json!({"mirror": "tags"}));
    case.store(json!({"action": "add", "content": "Biscuit is a spaniel", "tags": ["dog"]}));
    case.add("The gateway listens on port 8080");
    write(&case, WriteAction::Add, "", "spaniel Biscuit: allergic");
    let tags = |case: &Case| facts(case).iter().map(|fact| fact["tags"].clone()).collect::<Vec<_>>();
    assert_eq!(tags(&case), [json!([]), json!(["dog", "allergic"])], "no fact is made of the entry");
    assert_eq!(case.search("allergic"), [1]);
    write(&case, WriteAction::Replace, "spaniel Biscuit: allergic", "spaniel Biscuit: hungry");
    assert_eq!(tags(&case)[1], json!(["dog", "hungry"]));
    assert_eq!(case.search("allergic"), [0_i64; 0]);
    write(&case, WriteAction::Remove, "spaniel Biscuit: hungry", "");
    assert_eq!(tags(&case)[1], json!(["dog"]));
    write(&case, WriteAction::Add, "", "something about nobody at all");
    assert_eq!(facts(&case).len(), 2);
}

#[test]
fn an_unknown_way_is_refused_with_those_that_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let host = FakeHost::new(folder.path()).with_config(json!({"mirror": "sometimes"})).host();
    let error = Holographic::open(host, OpenRequest::default()).err().unwrap();
    assert_eq!(error.kind, ErrorKind::InvalidInput);
    assert!(error.message.contains("`off`, `facts` or `tags`") && error.hint.is_some(), "{error:?}");
}
