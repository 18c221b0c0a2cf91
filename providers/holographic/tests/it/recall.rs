//! What a message brings to mind, and what it does not.

use hermes_provider_api::records::{OpenRequest, PrefetchQuery};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _};
use hermes_provider_holographic::Holographic;
use serde_json::json;

use crate::support::{Case, open};

const FACTS: [&str; 6] = [
    "The user's cat is called Mo",
    "The deploy script of Orion lives in ops/deploy.sh",
    "Alice Brown prefers short answers",
    "Кота Марины зовут Пушок",
    "Сервер Орион стоит в Казани",
    "王小明喜欢喝绿茶。",
];

#[track_caller]
fn check(message: &str, expect: &[usize]) {
    let recalled = Case::with(&FACTS).recall(message);
    let expect: Vec<&str> = expect.iter().map(|at| FACTS[*at]).collect();
    assert_eq!(recalled, expect, "{message}");
}

#[test]
fn fitting_facts_come_to_mind() {
    check("What is my cat called?", &[0]);
    check("do you remember my cat's name", &[0]);
    check("Write a mail to Alice Brown about the meeting", &[2]);
    check("Как зовут кота Марины?", &[3]);
    check("Передай Марине привет", &[3]);
    check("王小明喜欢喝什么？", &[5]);
}

#[test]
fn other_messages_bring_nothing() {
    for message in [
        "",
        " ",
        "hi",
        "Thanks!",
        "ok",
        "привет",
        "спасибо",
        "谢谢",
        "What can you do?",
        "…",
        "Write a haiku about autumn",
        "What is the capital of Mongolia?",
        "Напиши хокку про осень",
        "写一首关于秋天的诗",
    ] {
        check(message, &[]);
    }
}

#[test]
fn distrusted_facts_are_left_out() {
    let case = Case::with(&FACTS);
    case.store(json!({"action": "update", "fact_id": 3, "trust_delta": -0.2}));
    assert_eq!(case.recall("Write a mail to Alice Brown").len(), 1, "0.3 is enough");
    case.store(json!({"action": "update", "fact_id": 3, "trust_delta": -0.05}));
    assert!(case.recall("Write a mail to Alice Brown").is_empty());
}

#[test]
fn at_most_five_and_as_many_again_on_those_who_are_named() {
    let facts: Vec<String> = (0..12).map(|number| format!("Mo the cat has toy number {number}")).collect();
    let case = Case::with(&facts.iter().map(String::as_str).collect::<Vec<_>>());
    let counts = |provider: &Holographic, limit| {
        ["Which toys does the cat have?", "Which toys does the cat Mo have?"].map(|message| {
            let query = PrefetchQuery { query: message.into(), limit, ..PrefetchQuery::default() };
            provider.prefetch(&query, &Call::default()).unwrap().items.len()
        })
    };
    assert_eq!(counts(&case.provider, 5), [5, 5]);
    assert_eq!(counts(&case.provider, 50), [5, 10]);
    let host = FakeHost::new(case.folder.path()).with_config(json!({"prefetch_limit": "2", "min_trust": 0.1})).host();
    let fewer = Holographic::open(host, OpenRequest::default()).unwrap();
    assert_eq!(counts(&fewer, 50), [2, 4]);
}

#[test]
fn facts_on_one_person_stand_together_in_the_same_order() {
    let case = Case::with(&["Ann Lee likes plums", "Bo Chen likes tea", "Ann Lee plays chess", "Bo Chen plays go"]);
    let expect = ["Ann Lee likes plums", "Ann Lee plays chess", "Bo Chen likes tea", "Bo Chen plays go"];
    assert_eq!(case.recall("Does Ann Lee know Bo Chen?"), expect);
    assert_eq!(case.recall("Bo Chen will meet Ann Lee"), expect);
}

#[test]
fn long_facts_do_not_fill_the_prompt() {
    let long = format!("Zoe Park said {}", "word ".repeat(300));
    let case = Case::with(&[&long, &format!("{long} again"), "Zoe Park likes plums"]);
    let recalled = case.recall("What about Zoe Park?");
    assert_eq!(recalled.iter().filter(|text| text.chars().count() > 1000).count(), 1, "{recalled:#?}");
}

#[test]
fn settings_out_of_bounds_are_named() {
    for config in [json!({"min_trust": 2}), json!({"min_trust": "much"}), json!({"prefetch_limit": 6})] {
        let folder = tempfile::tempdir().unwrap();
        let host = FakeHost::new(folder.path()).with_config(config.clone()).host();
        let error = Holographic::open(host, OpenRequest::default()).err().unwrap();
        assert_eq!(error.kind, ErrorKind::InvalidInput);
        let key = config.as_object().unwrap().keys().next().unwrap();
        assert!(error.message.contains(key.as_str()), "{error}");
    }
}

#[test]
fn recalls_are_counted_with_the_next_write() {
    let case = Case::with(&FACTS);
    let counted = |provider: &Holographic| {
        let request = hermes_provider_api::records::ToolRequest {
            tool: "fact_store".into(),
            args: json!({"action": "list"}),
            ..Default::default()
        };
        let list = provider.call_tool(&request, &Call::default()).unwrap();
        list["results"].as_array().unwrap().last().unwrap()["retrieval_count"].clone()
    };
    case.recall("What is my cat called?");
    case.recall("What is my cat called?");
    assert_eq!(counted(&case.provider), 0);
    case.provider.shutdown(&Call::default()).unwrap();
    assert_eq!(counted(&case.provider), 2);
    assert_eq!(counted(&open(case.folder.path())), 2);
}

#[test]
fn a_cancelled_call_stops() {
    let case = Case::with(&FACTS);
    let call = Call::new(None, 0, || true);
    let query = PrefetchQuery { query: "What is my cat called?".into(), ..PrefetchQuery::default() };
    assert_eq!(case.provider.prefetch(&query, &call).unwrap_err().kind, ErrorKind::Cancelled);
}
