//! Every file of the fuzzer's corpus, through the function that the fuzzer calls. A file `ok-…` must be accepted, a file
//! `bad-…` refused; whatever the fuzzer found once is among them.

use std::collections::BTreeSet;
use std::fs;

use hermes_tests::hostile::TARGETS;
use hermes_tests::workspace;

#[test]
fn the_corpus_breaks_no_promise() {
    let corpus = workspace().join("tests/fuzz/corpus");
    let folders = fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let known: BTreeSet<_> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(folders.collect::<BTreeSet<_>>(), known, "each folder of the corpus has a target");

    let mut wrong = Vec::new();
    for (target, check) in TARGETS {
        let mut seen = BTreeSet::new();
        for entry in fs::read_dir(corpus.join(target)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let accepted = check(&fs::read(&path).unwrap());
            // `cargo fuzz` adds files named by their hash.
            let expected = name.split_once('-').map_or("", |(expected, _)| expected);
            if matches!(expected, "ok" | "bad") {
                seen.insert(expected.to_owned());
                if accepted != (expected == "ok") {
                    wrong.push(path.clone());
                }
            }
        }
        assert_eq!(seen.len(), 2, "`{target}` has files of both sorts");
    }
    assert!(wrong.is_empty(), "named otherwise than they are taken: {wrong:#?}");
}

/// The fuzzer has one file for each function, by its name.
#[test]
fn every_target_is_fuzzed() {
    for (target, _) in TARGETS {
        let file = workspace().join(format!("tests/fuzz/fuzz_targets/{target}.rs"));
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(text.contains(&format!("hostile::{target}(bytes)")), "{}", file.display());
    }
}
