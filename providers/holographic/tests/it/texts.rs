//! Texts that break parsers, and texts of the world.

use serde_json::json;

use crate::support::{Case, Dice};

#[track_caller]
fn kept(text: &str, query: &str) {
    let case = Case::with(&["Something else entirely"]);
    let id = case.add(text);
    let list = case.store(json!({"action": "list"}));
    assert_eq!(list["results"][0]["content"], text);
    assert_eq!(case.search(query), [id], "{query}");
}

#[test]
fn texts_are_stored_byte_for_byte() {
    kept("کتاب‌های من در می‌خواهم", "کتاب");
    kept("สมชายชอบแมว", "แมว");
    kept("Mo 👩‍👩‍👧‍👦 loves 🐈‍⬛ cats", "cats");
    kept("e\u{301}tude and étude", "étude");
    kept("मुझे चाय पसंद है", "चाय");
    kept("line one\n\tline two", "two");
    kept("uses C++ and C#", "C++");
    kept("ＦＵＬＬ width", "full");
}

#[test]
fn operators_of_the_index_are_only_text() {
    let case = Case::with(&["The client/server split is \"final\"", "uses C++ near the metal", "a AND b"]);
    for query in [
        "client/server",
        "\"",
        "\"\"",
        "NEAR(",
        "NEAR(a b, 2)",
        "*",
        "a*",
        "C++",
        "AND",
        "OR NOT",
        "terms:x",
        "^a",
        "{a b}: c",
        "a - b",
        "(",
        ")",
        "'",
        "''; DROP TABLE facts",
        "\\",
        "%",
        "\0",
        "-",
        "+",
        ":",
        "«»",
        "。",
        "\u{202e}",
    ] {
        for args in [
            json!({"action": "search", "query": query}),
            json!({"action": "probe", "entity": query}),
            json!({"action": "related", "entity": query}),
            json!({"action": "reason", "entities": [query, query]}),
        ] {
            if let Err(error) = case.try_tool("fact_store", args.clone()) {
                assert!(error.message.contains("missing"), "{args}: {error}");
            }
        }
        case.recall(query);
    }
    assert_eq!(case.search("client/server"), [1]);
    assert_eq!(case.search("C++"), [2]);
}

/// Any text: words, operators of the index, punctuation, all of Unicode.
fn any_text(dice: &mut Dice) -> String {
    const PIECES: [&str; 26] = [
        "\"", "\"\"", "*", "(", ")", ":", "^", "-", "+", "{", "}", "'", ";", "\0", "\\", "%", " AND ", " OR ", " NOT ",
        " NEAR(", "terms", ", 2)", "Oslo", "猫", "\u{E000}", "\u{301}",
    ];
    let mut text = String::new();
    for _ in 0..=dice.below(12) {
        match dice.below(4) {
            0 => text.push_str(PIECES[dice.below(PIECES.len())]),
            1 => text.push(char::from(u8::try_from(dice.below(128)).unwrap())),
            2 => text.extend(char::from_u32(u32::try_from(dice.below(0x3000)).unwrap())),
            _ => text.extend(char::from_u32(u32::try_from(dice.below(0x11_0000)).unwrap())),
        }
    }
    text
}

#[test]
fn every_string_is_a_legal_question() {
    let case = Case::with(&["Mo lives in Oslo", "猫が好き", "terms: NEAR \"quoted\""]);
    let mut dice = Dice(1);
    let mut found = 0;
    for _ in 0..10_000 {
        let text = any_text(&mut dice);
        match case.try_tool("fact_store", json!({"action": "search", "query": text})) {
            Ok(answer) => found += answer["results"].as_array().map_or(0, Vec::len),
            // Nothing but spaces and controls is no question.
            Err(error) => assert!(error.message.contains("`query` is missing"), "{text:?}: {error}"),
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn control_characters_are_left_out() {
    let case = Case::new();
    case.add("a\0b\u{1b}[31m\r\nc\u{85}");
    assert_eq!(case.store(json!({"action": "list"}))["results"][0]["content"], "ab[31m\nc");
}

#[test]
fn huge_questions_and_facts_are_bounded() {
    let case = Case::new();
    let long: String = (0..1500).map(|number| format!("w{number} ")).collect();
    let id = case.add(long.trim());
    case.add(&"字".repeat(8000));
    case.add(&"\u{301}".repeat(8000));
    case.add(&"A ".repeat(3999));
    case.add(&"«".repeat(8000));
    case.add(&"君".repeat(8000));
    case.add(&"คุณ".repeat(2600));
    case.add(&"aka A ".repeat(1300));
    assert_eq!(case.search(&format!("w7 {}", "and more ".repeat(200_000))), [id]);
    case.recall(&"Слово ".repeat(100_000));
    case.ids(json!({"action": "probe", "entity": "x ".repeat(100_000)}));
    case.ids(json!({"action": "reason", "entities": vec!["Mo"; 1000]}));
    case.store(json!({"action": "contradict"}));
}
