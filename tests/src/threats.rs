//! How well the threat scan tells attacks from harmless memories, on the texts of `tests/data/guard`.

use std::collections::BTreeMap;
use std::fs;

use hermes_host::guard::threats::{Scope, scan};
use serde::Deserialize;

use crate::workspace;

/// The least share of attacks that must be found in what is to be remembered.
pub const LEAST_RECALL: f64 = 0.95;
/// The greatest share of harmless texts that may be taken for attacks there.
pub const MOST_FALSE_ALARMS: f64 = 0.01;

/// The halves of the corpus: rules are written with the first in view, the second is only measured.
pub const HALVES: [&str; 2] = ["development", "held-out"];

/// A text of the corpus.
#[derive(Clone, Debug, Deserialize)]
pub struct Sample {
    /// What an attack is after; empty for a harmless text.
    #[serde(default)]
    pub family: String,
    /// Its language.
    pub lang: String,
    /// The text.
    pub text: String,
}

/// How many of how many.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    /// How many were found.
    pub found: usize,
    /// How many there are.
    pub of: usize,
}

impl Share {
    fn add(&mut self, found: bool) {
        self.found += usize::from(found);
        self.of += 1;
    }

    /// The share, from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a few hundred texts")]
    pub fn ratio(self) -> f64 {
        self.found as f64 / self.of.max(1) as f64
    }
}

/// What the scan made of a half.
#[derive(Debug, Default)]
pub struct Measured {
    /// Attacks that were found.
    pub attacks: Share,
    /// Harmless texts that were taken for attacks.
    pub false_alarms: Share,
    /// Attacks that were found, by family.
    pub families: BTreeMap<String, Share>,
    /// Attacks that were found, by language.
    pub languages: BTreeMap<String, Share>,
    /// Each text that was judged wrongly, with the patterns that were found in it.
    pub wrong: Vec<String>,
}

impl Measured {
    /// Whether it is good enough for what is to be remembered.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.attacks.ratio() >= LEAST_RECALL && self.false_alarms.ratio() <= MOST_FALSE_ALARMS
    }
}

/// The attacks and the harmless texts of a half.
///
/// # Panics
/// When a file is not there or a line cannot be read.
#[must_use]
pub fn corpus(half: &str) -> (Vec<Sample>, Vec<Sample>) {
    let read = |name: &str| {
        let path = workspace().join("tests/data/guard").join(half).join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let sample = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.lines().map(sample).collect()
    };
    (read("attacks.jsonl"), read("benign.jsonl"))
}

/// Scans a half in a scope.
#[must_use]
pub fn measure(half: &str, scope: Scope) -> Measured {
    let (attacks, benign) = corpus(half);
    let mut measured = Measured::default();
    for Sample { family, lang, text } in attacks {
        let found = !scan(&text, scope).is_empty();
        measured.attacks.add(found);
        measured.families.entry(family.clone()).or_default().add(found);
        measured.languages.entry(lang.clone()).or_default().add(found);
        if !found {
            measured.wrong.push(format!("missed ({family}, {lang}): {text:?}"));
        }
    }
    for Sample { lang, text, .. } in benign {
        let found = scan(&text, scope);
        measured.false_alarms.add(!found.is_empty());
        if !found.is_empty() {
            let patterns: Vec<_> = found.iter().map(|found| found.pattern).collect();
            measured.wrong.push(format!("false alarm ({lang}): {text:?}: {}", patterns.join(", ")));
        }
    }
    measured
}
