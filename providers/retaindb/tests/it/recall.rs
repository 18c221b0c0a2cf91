//! What is recalled, each thing once and only where it belongs.

use std::thread;

use hermes_provider_api::records::SessionSwitch;
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _};
use hermes_tests_retaindb::{Fault, Kind};
use serde_json::json;

use crate::support::{Case, group};

fn switch(case: &Case, from: &str, to: &str) {
    let (from, to) = (from.to_owned(), to.to_owned());
    let switch = SessionSwitch { caller: case.in_session(&to), from, to, ..SessionSwitch::default() };
    case.provider.on_session_switch(&switch, &Call::default()).unwrap();
}

/// A comparison that keeps only Latin letters takes all facts of another script for one.
#[test]
fn facts_are_told_apart_in_every_script() {
    let case = Case::new();
    let facts = [
        "Анна живёт в Риге",
        "Борис живёт в Риге",
        "แอนนาอาศัยอยู่ในริกา",
        "บอริสอาศัยอยู่ในริกา",
        "安娜住在里加",
        "鲍里斯住在里加",
        "アンナはリガに住んでいる",
        "Άννα ζει στη Ρίγα",
    ];
    for fact in facts {
        case.add(fact);
    }
    for query in ["Где Риге живёт", "อาศัยอยู่ในริกา", "谁住在里加"] {
        let recalled = case.recalled(query);
        let fitting: Vec<_> =
            facts.iter().filter(|fact| query.chars().take(3).any(|c| c.is_alphabetic() && fact.contains(c))).collect();
        assert!(fitting.iter().all(|fact| recalled.iter().any(|text| text == **fact)), "{query}: {recalled:?}");
    }
}

#[test]
fn what_fits_and_is_in_the_profile_comes_once() {
    let case = Case::new();
    for same in ["Ann Drinks Tea", "ann drinks tea", "Ａｎｎ　ｄｒｉｎｋｓ　ｔｅａ", "ÉTÉ à Riga", "été à riga"]
    {
        case.add(same);
    }
    let recalled = case.recalled("What tea does Ann drink?");
    assert_eq!(recalled.iter().filter(|text| hermes_text_of(text) == "ann drinks tea").count(), 1, "{recalled:?}");
    assert_eq!(recalled.len(), 2, "{recalled:?}");
    let context = case.tool("context", json!({"query": "What tea does Ann drink?"}));
    assert_eq!(context["raw"]["count"], 1, "what fits is not taken out for the profile's sake: {context}");
    assert!(context["context"].as_str().unwrap().contains("Relevant memories:\n- "), "{context}");
}

fn hermes_text_of(text: &str) -> String {
    let plain = |c: char| match c {
        'Ａ'..='Ｚ' | 'ａ'..='ｚ' => char::from_u32(c as u32 - 0xFEE0).unwrap(),
        '\u{3000}' => ' ',
        c => c,
    };
    text.chars().map(plain).collect::<String>().to_lowercase()
}

#[test]
fn one_half_of_a_recall_is_better_than_none() {
    let case = Case::new();
    case.add("Ann drinks tea");
    case.cloud.fail("/v1/context/query", 1, Fault::Says(503, "{}"));
    assert_eq!(case.recalled("What does Ann drink?"), ["Ann drinks tea"]);
    case.cloud.fail("/v1/memory/profile", 1, Fault::Page);
    assert_eq!(case.recalled("What does Ann drink?"), ["Ann drinks tea"]);
    case.cloud.fail("/v1/context/query", 1, Fault::Says(408, "{}"));
    let late = case.provider.prefetch(&case.query("What does Ann drink?"), &Call::default()).unwrap_err();
    assert_eq!(late.kind, ErrorKind::Timeout, "what is always late has to be left alone by hermes");
    case.cloud.fail("/v1/", 2, Fault::Says(503, "{}"));
    let error = case.provider.prefetch(&case.query("What does Ann drink?"), &Call::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
}

/// The first message of a session is answered for itself, and none with what was asked about the one before.
#[test]
fn every_message_is_asked_about_itself() {
    let case = Case::new();
    case.add("Ann drinks tea");
    case.add("Boris plays chess");
    case.recall("Who plays chess?");
    let queries: Vec<_> =
        case.cloud.asked_for("POST /v1/context/query").iter().map(|request| request.json()["query"].clone()).collect();
    assert_eq!(queries, ["Who plays chess?"]);
    let long = "слово ".repeat(2000);
    case.recall(&long);
    let asked = case.cloud.asked_for("POST /v1/context/query").pop().unwrap().json();
    assert_eq!(asked["query"].as_str().unwrap().chars().count(), 5000);
    let before = case.cloud.asked().len();
    assert!(case.recalled(" \n\0").is_empty());
    assert_eq!(case.cloud.asked().len(), before, "nothing is asked about nothing");
}

#[test]
fn no_more_than_was_asked_for() {
    let case = Case::new();
    for number in 0..9 {
        case.add(&format!("Ann drinks tea number {number}"));
    }
    for limit in [0, 1, 3, 5] {
        let query = hermes_provider_api::records::PrefetchQuery { limit, ..case.query("tea") };
        assert_eq!(case.provider.prefetch(&query, &Call::default()).unwrap().items.len(), limit);
    }
}

fn with_soul() -> Case {
    let case = Case::with(Kind::Hosted, json!({"soul": "/home/ann"}), |fake| {
        fake.with_file("soul", "SOUL.md", "You are calm, and you care for the garden.")
    });
    case.sync(&case.turn("k1", "What grows in May?", "Radishes.")).unwrap();
    case
}

#[test]
fn what_was_asked_ahead_serves_one_message_of_its_session() {
    let case = with_soul();
    case.provider.queue_prefetch(&case.query("What grows in May?"), &Call::default()).unwrap();
    let elsewhere =
        hermes_provider_api::records::PrefetchQuery { caller: case.in_session("s2"), ..case.query("garden") };
    let other = case.provider.prefetch(&elsewhere, &Call::default()).unwrap();
    assert!(other.items.iter().all(|item| item.id.starts_with("memory-")), "{other:?}");
    let recall = case.recall("And in June?");
    let ahead = |id: &str| recall.items.iter().find(|item| item.id == id).cloned();
    assert_eq!(ahead("synthesis").unwrap().text, "About the user: default asked: What grows in May?");
    let model = ahead("self-model").unwrap();
    let expected =
        "About you, the agent: You are calm, and you care for the garden.. Instructions: be brief. Working style: calm";
    assert_eq!((model.text.as_str(), model.scope), (expected, None));
    assert!(case.recall("And in July?").items.iter().all(|item| item.id.starts_with("memory-")));
}

#[test]
fn nothing_of_an_old_session_appears_in_a_new_one() {
    let case = with_soul();
    case.provider.queue_prefetch(&case.query("What grows in May?"), &Call::default()).unwrap();
    switch(&case, "s1", "s2");
    switch(&case, "s2", "s1");
    assert!(case.recall("And in June?").items.iter().all(|item| item.id.starts_with("memory-")));
}

/// The answer comes when the session that asked is not the one that goes on.
#[test]
fn a_switch_in_the_middle_drops_what_is_being_asked() {
    let case = with_soul();
    case.cloud.fail("/ask", 1, Fault::Waits);
    thread::scope(|scope| {
        let ahead = scope.spawn(|| case.provider.queue_prefetch(&case.query("What grows in May?"), &Call::default()));
        while case.cloud.asked_for("POST /v1/memory/profile/default/ask").is_empty() {
            thread::yield_now();
        }
        switch(&case, "s1", "s2");
        case.cloud.let_go();
        ahead.join().unwrap().unwrap();
    });
    for session in ["s1", "s2"] {
        let query =
            hermes_provider_api::records::PrefetchQuery { caller: case.in_session(session), ..case.query("June") };
        let recall = case.provider.prefetch(&query, &Call::default()).unwrap();
        assert!(recall.items.iter().all(|item| item.id.starts_with("memory-")), "{session}: {recall:?}");
    }
}

#[test]
fn what_a_server_does_not_have_is_asked_for_once() {
    let own = Case::of(Kind::Own);
    for _ in 0..2 {
        own.provider.queue_prefetch(&own.query("What now?"), &Call::default()).unwrap();
    }
    assert!(own.recalled("And then?").contains(&"About the user: of old: What now?".to_owned()));

    let older = Case::of(Kind::Older);
    for _ in 0..3 {
        older.provider.queue_prefetch(&older.query("What now?"), &Call::default()).unwrap();
    }
    for route in
        ["POST /v1/memory/profile/default/ask", "POST /v1/memory/dialectic", "GET /v1/memory/agent/hermes/model"]
    {
        assert_eq!(older.cloud.asked_for(route).len(), 1, "{route}");
    }
    older.add("Ann drinks tea");
    assert_eq!(older.recalled("What does Ann drink?"), ["Ann drinks tea"], "a profile of the older route");
}

#[test]
fn a_question_is_weighed_by_its_length() {
    let case = Case::new();
    for (length, level) in [(10, "low"), (200, "medium"), (500, "high")] {
        case.provider.queue_prefetch(&case.query(&"я".repeat(length)), &Call::default()).unwrap();
        let asked = case.cloud.asked_for("POST /v1/memory/profile/default/ask").pop().unwrap().json();
        assert_eq!(asked["reasoning_level"], level);
    }
}

#[test]
fn items_carry_the_scope_of_who_asks() {
    let case = Case::new().speaking_as(group("team", "ann"));
    case.add("The release is on Thursday");
    let item = case.recall("When is the release?").items.remove(0);
    assert_eq!(item.scope, Some(group("team", "ann")));
}
