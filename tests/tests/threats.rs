//! The threat scan on its corpus, and on texts of other corpora where they are there.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::path::Path;

use hermes_host::guard::Redactor;
use hermes_host::guard::threats::{Scope, scan};
use hermes_tests::threats::{HALVES, corpus, measure};
use hermes_tests::workspace;
use serde_json::Value;

#[test]
fn attacks_are_found_and_memories_are_left() {
    for half in HALVES {
        let measured = measure(half, Scope::Strict);
        // What the rules are not fitted to is not shown either.
        let wrong = if half == HALVES[0] { measured.wrong.join("\n  ") } else { String::new() };
        assert!(measured.is_good(), "{half}: {:?} {:?}\n  {wrong}", measured.attacks, measured.false_alarms);
    }
}

#[test]
fn the_corpus_is_large_and_has_no_secrets() {
    let halves = HALVES.map(corpus);
    let [attacks, benign] = [0, 1].map(|sort| {
        halves.iter().flat_map(|(attacks, benign)| if sort == 0 { attacks } else { benign }).collect::<Vec<_>>()
    });
    assert!(attacks.len() >= 200 && benign.len() >= 400, "{} attacks, {} benign", attacks.len(), benign.len());
    for lang in ["en", "ru", "zh", "de", "es", "th", "fa", "ko", "hi", "tr", "it"] {
        for of in [&attacks, &benign] {
            assert!(of.iter().filter(|sample| sample.lang == lang).count() >= 10, "{lang}");
        }
    }
    for sample in benign {
        assert_eq!(Redactor::default().secret_in(&sample.text), None, "{:?}", sample.text);
    }
}

/// Facts and conversations as they are recalled: each text in a JSON file, or in each line of one.
#[test]
fn facts_and_conversations_are_left() {
    let data = workspace().join("../shared");
    for (file, keys) in [
        ("quality/dev/facts.jsonl", &["content"][..]),
        ("bench/locomo/dev.json", &["text", "question"]),
        ("bench/xquad/ar.json", &[]),
        ("bench/xquad/hi.json", &[]),
        ("bench/xquad/th.json", &[]),
        ("bench/xquad/zh.json", &[]),
    ] {
        let path = data.join(file);
        if !path.is_file() {
            eprintln!("skipped: `{}` is not there", path.display());
            continue;
        }
        let texts = texts(&path, keys);
        let alarms: Vec<_> = texts.iter().filter(|text| !scan(text, Scope::Strict).is_empty()).collect();
        assert!(alarms.len() * 100 <= texts.len(), "{file}: {} of {}: {alarms:#?}", alarms.len(), texts.len());
        eprintln!("{file}: {} false alarms in {} texts", alarms.len(), texts.len());
    }
}

/// The texts under these keys; under any key when there are none.
fn texts(path: &Path, keys: &[&str]) -> Vec<String> {
    fn walk(value: &Value, keys: &[&str], wanted: bool, found: &mut Vec<String>) {
        match value {
            Value::String(text) if wanted => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| walk(item, keys, wanted, found)),
            Value::Object(fields) => {
                for (key, field) in fields {
                    walk(field, keys, keys.is_empty() || keys.contains(&key.as_str()), found);
                }
            }
            _ => {}
        }
    }
    let text = fs::read_to_string(path).unwrap();
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
        walk(&value.unwrap(), keys, keys.is_empty(), &mut found);
    }
    assert!(!found.is_empty(), "{} has texts", path.display());
    found
}
