//! Sentences that were written before the rules that read them: what must be taken of each, and what must not.
//!
//! `+` stands before one of which something is taken: all of it without its last mark, or what follows `=>`.

use super::said;

/// Sentences of a language; `missed` of the statements may be missing, nothing else may be taken.
#[track_caller]
fn check(list: &str, missed: usize) {
    let (mut wrong, mut missing, mut right) = (Vec::new(), Vec::new(), 0);
    for line in list.lines() {
        let (sign, rest) = line.split_at(2);
        let (message, expected) = rest.split_once(" => ").unwrap_or((rest, rest.trim_end_matches(['.', '!', '。'])));
        let expected: Vec<&str> = if sign == "+ " { expected.split(" | ").collect() } else { Vec::new() };
        let found: Vec<String> = said(&message.replace("\\n", "\n")).into_iter().map(|said| said.text).collect();
        right += found.iter().filter(|found| expected.contains(&found.as_str())).count();
        missing.extend(expected.iter().filter(|text| !found.iter().any(|found| found == *text)).map(|_| message));
        wrong.extend(
            found.into_iter().filter(|found| !expected.contains(&found.as_str())).map(|found| (message, found)),
        );
    }
    println!("{right} right, {} missing, {} wrong", missing.len(), wrong.len());
    assert!(wrong.is_empty() && missing.len() <= missed, "missing {missing:#?}\nwrong {wrong:#?}");
}

#[test]
fn english() {
    check(include_str!("../../tests/data/extraction/en.txt"), 0);
}

#[test]
fn russian() {
    check(include_str!("../../tests/data/extraction/ru.txt"), 0);
}

#[test]
fn chinese() {
    check(include_str!("../../tests/data/extraction/zh.txt"), 0);
}

#[test]
fn german() {
    check(include_str!("../../tests/data/extraction/de.txt"), 0);
}

#[test]
fn spanish() {
    check(include_str!("../../tests/data/extraction/es.txt"), 0);
}

#[test]
fn french() {
    check(include_str!("../../tests/data/extraction/fr.txt"), 0);
}

#[test]
fn thai() {
    check(include_str!("../../tests/data/extraction/th.txt"), 0);
}

#[test]
fn persian() {
    check(include_str!("../../tests/data/extraction/fa.txt"), 0);
}

#[test]
fn no_text_is_too_odd() {
    for text in
        ["", "I", "I live in", "我", "我叫", "ผมชื่อ", "\u{301}I live in \u{301}", "```", "i'm", "«", "-", "\"", "من در"]
    {
        assert_eq!(said(text), [], "{text:?}");
    }
    assert_eq!(said(&format!("I live in {}", "Lisbon ".repeat(60))), [], "too long");
    assert_eq!(said(&format!("{} I live in Lisbon.", "One two. ".repeat(400))), [], "a document");
}
