//! Keeping on demand, browsing, deleting, and the mirrored curated memory.

use hermes_provider_api::records::{ListEntries, MemoryTarget, MemoryWrite, Remember, WriteAction};
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _};
use serde_json::json;

use crate::support::Case;

fn contents(case: &Case) -> Vec<String> {
    let list = case.store(json!({"action": "list"}));
    list["results"].as_array().unwrap().iter().map(|fact| fact["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn remember_keeps_a_text_once() {
    let case = Case::new();
    let wish = Remember { text: "Мой кот — Мо".into(), ..Remember::default() };
    let first = case.provider.remember(&wish, &Call::default()).unwrap();
    let second = case.provider.remember(&wish, &Call::default()).unwrap();
    assert_eq!((first.existed, second.existed), (false, true));
    assert_eq!(first.id, second.id);
    assert_eq!(case.recall("Как зовут моего кота?"), ["Мой кот — Мо"]);
}

#[test]
fn browsing_goes_page_by_page_newest_first() {
    let case = Case::with(&["one", "two", "three", "four", "five"]);
    let mut list = ListEntries { limit: 2, ..ListEntries::default() };
    let mut pages = Vec::new();
    loop {
        let page = case.provider.list_entries(&list, &Call::default()).unwrap();
        pages.push(page.entries.into_iter().map(|entry| entry.text).collect::<Vec<_>>());
        if page.next.is_empty() {
            break;
        }
        list.cursor = page.next;
    }
    assert_eq!(pages, [vec!["five", "four"], vec!["three", "two"], vec!["one"]]);
    list.cursor = "next".into();
    assert_eq!(case.provider.list_entries(&list, &Call::default()).unwrap_err().kind, ErrorKind::InvalidInput);
}

#[test]
fn deleting_is_for_good_and_named_when_there_is_nothing() {
    let case = Case::with(&["one"]);
    case.provider.delete_entry("1", &case.caller, &Call::default()).unwrap();
    for id in ["1", "99", "x", ""] {
        let error = case.provider.delete_entry(id, &case.caller, &Call::default()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotFound, "{id:?}");
    }
    assert!(contents(&case).is_empty());
}

#[track_caller]
fn mirrored(writes: &[(WriteAction, &str, &str)], expect: &[&str]) {
    let case = Case::new();
    for (action, previous, content) in writes {
        let write = MemoryWrite {
            action: *action,
            previous: (*previous).to_owned(),
            content: (*content).to_owned(),
            target: MemoryTarget::User,
            ..MemoryWrite::default()
        };
        for _delivery in 0..2 {
            case.provider.on_memory_write(&write, &Call::default()).unwrap();
        }
    }
    assert_eq!(contents(&case), expect, "{writes:?}");
}

#[test]
fn curated_writes_are_mirrored_however_often_they_come() {
    use WriteAction::{Add, Remove, Replace, Unknown};
    mirrored(&[(Add, "", "likes tea")], &["likes tea"]);
    mirrored(&[(Add, "", "likes tea"), (Replace, "likes tea", "likes mate")], &["likes mate"]);
    mirrored(&[(Replace, "never seen", "likes mate")], &["likes mate"]);
    mirrored(&[(Add, "", "a"), (Add, "", "b"), (Replace, "a", "b")], &["b"]);
    mirrored(&[(Add, "", "likes tea"), (Replace, "likes tea", "Likes Tea")], &["Likes Tea"]);
    mirrored(&[(Add, "", "likes tea"), (Remove, "likes tea", "")], &[]);
    mirrored(&[(Remove, "never seen", "")], &[]);
    mirrored(&[(Add, "", "likes tea"), (Add, "", "Likes  TEA")], &["likes tea"]);
    mirrored(&[(Add, "", "a"), (Add, "", "b"), (Remove, "a", ""), (Replace, "b", "c")], &["c"]);
    mirrored(&[(Add, "", "likes\u{7}tea\n"), (Replace, "likes\u{7}tea\n", "likes mate")], &["likes mate"]);
    mirrored(&[(Add, "", "likes\u{7}tea"), (Remove, "likes\u{7}tea", "")], &[]);
    mirrored(&[(Add, "", "likes tea"), (Unknown, "likes tea", "likes mate")], &["likes tea"]);
}

fn write(action: WriteAction, previous: &str, content: &str) -> MemoryWrite {
    let (previous, content) = (previous.to_owned(), content.to_owned());
    MemoryWrite { action, previous, content, ..MemoryWrite::default() }
}

#[test]
fn a_corrected_entry_comes_to_mind_in_its_new_form_alone() {
    let case = Case::new();
    let mirror = |write: &MemoryWrite| case.provider.on_memory_write(write, &Call::default()).unwrap();
    let add = write(WriteAction::Add, "", "Марина живёт в Казани");
    let replace = write(WriteAction::Replace, "Марина живёт в Казани", "Марина живёт в Риге");
    let remove = write(WriteAction::Remove, "Марина живёт в Риге", "");
    let asks = || (case.recall("Где живёт Марина?"), case.search("Марина живёт").len());
    // After a power cut all that is not known to have arrived comes again, in its order.
    for _cut in 0..2 {
        mirror(&add);
        mirror(&replace);
        assert_eq!(asks(), (vec!["Марина живёт в Риге".to_owned()], 1));
    }
    assert!(case.recall("Что нового в Казани?").is_empty(), "nothing is left of the old words");
    mirror(&remove);
    mirror(&remove);
    assert_eq!(asks(), (Vec::new(), 0));
}

#[test]
fn an_entry_that_is_mirrored_twice_is_stored_once_and_stays_as_old_as_it_is() {
    let case = Case::new();
    for at in [1_000, 2_000] {
        let mut write = write(WriteAction::Add, "", "likes tea");
        write.caller.origin.at = at;
        case.provider.on_memory_write(&write, &Call::default()).unwrap();
    }
    let list = case.store(json!({"action": "list"}));
    let (facts, first) = (&list["results"], &list["results"][0]);
    assert_eq!(facts.as_array().unwrap().len(), 1);
    let first_time = json!("1970-01-01T00:00:01Z");
    assert_eq!((&first["created"], &first["updated"]), (&first_time, &first_time));
}

#[test]
fn health_counts_and_leaves_no_trace() {
    let case = Case::new();
    let detail = |case: &Case| {
        let health = case.provider.health(&Call::default()).unwrap();
        assert!(health.ok, "{health:?}");
        health.detail
    };
    assert_eq!(detail(&case), "0 facts");
    case.add("one");
    assert_eq!(detail(&case), "1 fact");
    assert_eq!(case.add("two"), 2, "the check uses up no id");
    assert_eq!(case.provider.recall_status(&Call::default()).unwrap().entries, Some(2));
}
