//! What is found in the tree for a message, and what is not.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::support::Case;

const SECOND: Duration = Duration::from_secs(1);

/// As `brv` writes it.
const DOCUMENT: &str = "---
title: bees of Mirabel
summary: Mirabel keeps bees near Ljubljana.
tags: []
---
## Reason
stored verbatim

## Narrative
### Highlights
Mirabel keeps bees near Ljubljana.

## Facts
- Mirabel keeps bees near Ljubljana. [other]
- She sells acacia honey at the market on Saturdays.

---

Mirabel keeps bees near Ljubljana.
";

fn with_document() -> Case {
    let case = Case::new();
    case.remember("The boat is called Wanderfalke");
    let folder = case.folder.path().join("private/.brv/context-tree/people/mirabel");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("bees.md"), DOCUMENT).unwrap();
    for derived in ["bees.abstract.md", "bees.overview.md", "context.md", "_index.md", ".hidden.md", "bees.txt"] {
        fs::write(folder.join(derived), "Mirabel keeps bees near Ljubljana.").unwrap();
    }
    case
}

#[test]
fn each_thing_is_said_once() {
    let case = with_document();
    let found = case.recall("Where does Mirabel keep her bees?");
    assert_eq!(found, ["bees of Mirabel: Mirabel keeps bees near Ljubljana."]);
    let found = case.recall("What is sold at the market on Saturday?");
    assert_eq!(found, ["bees of Mirabel: She sells acacia honey at the market on Saturdays."]);
}

#[test]
fn what_does_not_fit_is_not_recalled() {
    let case = with_document();
    for message in ["What is the capital of France?", "thanks!", "", "zebra crossing velocity", "🦊"] {
        assert!(case.recall(message).is_empty(), "{message}");
    }
    assert_eq!(case.recall("How is our boat called?"), ["The boat is called Wanderfalke"]);
}

#[test]
fn a_file_that_changed_is_read_again() {
    let case = with_document();
    assert_eq!(case.recall("Where does Mirabel keep her bees?").len(), 1);
    let file = case.folder.path().join("private/.brv/context-tree/people/mirabel/bees.md");
    fs::write(&file, "Mirabel has given up her bees and paints.\r\n").unwrap();
    let later = SystemTime::now() + SECOND;
    fs::File::options().append(true).open(&file).unwrap().set_modified(later).unwrap();
    assert_eq!(case.recall("What about the bees of Mirabel?"), ["Mirabel has given up her bees and paints."]);
    fs::write(&file, b"\xff\xfe The bees of Mirabel \xd0").unwrap();
    fs::File::options().append(true).open(&file).unwrap().set_modified(later + SECOND).unwrap();
    assert_eq!(case.recall("What about the bees of Mirabel?"), ["\u{fffd}\u{fffd} The bees of Mirabel \u{fffd}"]);
    fs::remove_file(&file).unwrap();
    assert!(case.recall("What about the bees of Mirabel?").is_empty());
}

#[test]
fn other_languages_are_found_by_their_word_forms() {
    let case = Case::new();
    case.remember("Моя сестра живёт в Люблянe и разводит пчёл");
    case.remember("猫の名前はたまです");
    assert_eq!(case.recall("Где живет сестра?").len(), 1);
    assert_eq!(case.recall("猫の名前は？"), ["猫の名前はたまです"]);
}
