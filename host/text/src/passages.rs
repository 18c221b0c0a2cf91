//! Which of many texts a question is about, and which of their passages say so.
//!
//! For memories that are kept as files: hundreds of texts rather than millions, in memory, without an index. What is
//! weighed is a passage, since a long text has every word somewhere.

use std::borrow::Borrow;
use std::collections::HashSet;

use crate::cut::{char_count, truncate_chars};
use crate::terms::{QueryWord, index_terms, query_words};

/// A question is not read further, nor has it more words.
const MAX_QUESTION: usize = 4000;
const MAX_WORDS: usize = 48;
/// Of a passage, the characters whose words are known.
const MAX_PASSAGE: usize = 20_000;
/// Among few texts no word is rare; without this, words that none has would outweigh all others.
const FEWEST: usize = 100;
/// What is much worse than the best is not what was meant.
const NEAR_BEST: f64 = 0.6;

/// A text taken apart, to be asked again and again.
#[derive(Clone, Debug, Default)]
pub struct Passages {
    title: String,
    about: HashSet<String>,
    passages: Vec<(String, HashSet<String>)>,
}

/// A text that a question is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its place among the texts that were asked.
    pub at: usize,
    /// The part of the question that it covers, 0 to 1.
    pub score: f64,
    /// Its title and those passages that say so, each thing once.
    pub text: String,
}

impl Passages {
    /// A text that is one passage, whatever stands in it.
    #[must_use]
    pub fn whole(text: &str) -> Self {
        Self { passages: vec![(text.to_owned(), terms(text))], ..Self::default() }
    }

    /// A Markdown text: each line but headings and rules is a passage, and the `title` of its front matter is what all of
    /// them are about. Labels in brackets at the end of a line are left out.
    #[must_use]
    pub fn markdown(text: &str) -> Self {
        let text = text.replace("\r\n", "\n");
        let front = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
        let (front, body) = front.unwrap_or(("", &text));
        let title = front.lines().find_map(|line| line.strip_prefix("title:")).unwrap_or_default();
        let title = title.trim().trim_matches(['"', '\'']).to_owned();
        let lines = body.lines().map(|line| line.trim().trim_start_matches(['-', '*']).trim_start());
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
            let label = line.strip_suffix(']').and_then(|line| line.rsplit_once(" ["));
            label.filter(|(_, label)| label.chars().all(char::is_alphabetic)).map_or(line, |(line, _)| line)
        });
        let passages = lines.map(|line| (line.to_owned(), terms(line))).collect();
        Self { about: terms(&title), title, passages }
    }

    /// The title, and passages as far as there is room: of those that say the same, the fuller one.
    fn excerpt(&self, passages: impl Iterator<Item = usize>, room: usize) -> String {
        let mut taken: Vec<&(String, HashSet<String>)> = Vec::new();
        for passage in passages.map(|at| &self.passages[at]) {
            if !taken.iter().any(|other| passage.1.is_subset(&other.1)) {
                taken.retain(|other| !other.1.is_subset(&passage.1));
                taken.push(passage);
            }
        }
        let mut text = self.title.clone();
        for (passage, _) in taken {
            let between = if text.is_empty() {
                ""
            } else if text == self.title {
                ": "
            } else {
                " "
            };
            if char_count(&text) + char_count(passage) > room && text != self.title {
                continue;
            }
            text.push_str(between);
            text.push_str(passage);
        }
        truncate_chars(&text, room).to_owned()
    }
}

/// The texts that a question is about, best first; of two that cover as much of it the one that stands first. Each with at
/// most `room` characters. None where the question has no words.
#[must_use]
pub fn find_passages(question: &str, texts: &[impl Borrow<Passages>], room: usize) -> Vec<Found> {
    let words: Vec<_> = query_words(truncate_chars(question, MAX_QUESTION)).into_iter().take(MAX_WORDS).collect();
    let weights: Vec<f64> = words.iter().map(|word| weight(word, texts)).collect();
    let fit = |terms: [&HashSet<String>; 2]| {
        let found = words.iter().map(|word| likeness(word, terms[0]).max(likeness(word, terms[1])));
        let found: Vec<f64> = found.collect();
        let covered: f64 = found.iter().zip(&weights).map(|(likeness, weight)| likeness * weight).sum();
        (found.iter().filter(|likeness| **likeness > 0.0).count(), covered / weights.iter().sum::<f64>())
    };
    let nothing = HashSet::new();
    let mut found: Vec<Found> = Vec::new();
    for (at, text) in texts.iter().map(Borrow::borrow).enumerate() {
        let fits = text.passages.iter().map(|(_, terms)| fit([terms, &text.about]));
        let (_, score) =
            fits.filter(|fit| is_about(*fit)).fold((0, 0.0), |best, fit| if fit.1 > best.1 { fit } else { best });
        if score > 0.0 {
            let own: Vec<f64> = text.passages.iter().map(|(_, terms)| fit([terms, &nothing]).1).collect();
            let best = own.iter().copied().fold(0.0, f64::max);
            let near = own.iter().enumerate().filter(|(_, own)| **own >= NEAR_BEST * best).map(|(at, _)| at);
            found.push(Found { at, score, text: text.excerpt(near, room) });
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let best = found.first().map_or(0.0, |found| found.score);
    found.retain(|found| found.score >= NEAR_BEST * best);
    found
}

fn terms(text: &str) -> HashSet<String> {
    index_terms(truncate_chars(text, MAX_PASSAGE)).split_whitespace().map(str::to_owned).collect()
}

/// How much a word says: the rarer the more.
fn weight(word: &QueryWord, texts: &[impl Borrow<Passages>]) -> f64 {
    let has = |text: &Passages| {
        let passages = text.passages.iter().map(|(_, terms)| terms);
        passages.chain([&text.about]).any(|terms| likeness(word, terms) > 0.0)
    };
    let with = texts.iter().filter(|text| has((*text).borrow())).count();
    ((texts.len().max(FEWEST) as f64 + 1.0) / (with as f64 + 0.5)).ln()
}

/// How likely these are the terms of a text with a word, 0 to 1.
fn likeness(word: &QueryWord, terms: &HashSet<String>) -> f64 {
    let has = |term: &String| terms.contains(term);
    if has(&word.token.stem) {
        1.0
    } else if word.forms.iter().any(has) {
        0.9
    } else if word.within.iter().any(has) || (!word.parts.is_empty() && word.parts.iter().all(has)) {
        0.5
    } else {
        0.0
    }
}

/// Whether so many words, that are this part of the question, are enough: nearly half of it, or two words and a third, or, of
/// a long question, three words.
fn is_about((words, covered): (usize, f64)) -> bool {
    covered >= 0.4 || (words >= 2 && covered >= 0.3) || (words >= 3 && covered >= 0.15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_asked_line_by_line() {
        let text = "---\ntitle: 'bees of Mirabel'\ntags: []\n---\n## Reason\nkept as it was\r\n\n- Mirabel keeps bees near Ljubljana. [other]\n\
                    * She sells honey on Saturdays.\n---\nMirabel keeps bees near Ljubljana.\n";
        let texts =
            [Passages::whole("The boat is called Wanderfalke"), Passages::markdown(text), Passages::markdown("")];
        let ask = |question: &str| -> Vec<(usize, String)> {
            find_passages(question, &texts, 200).into_iter().map(|found| (found.at, found.text)).collect()
        };
        let said = |text: &str| vec![(1, format!("bees of Mirabel: {text}"))];
        assert_eq!(ask("Where does Mirabel keep her bees?"), said("Mirabel keeps bees near Ljubljana."));
        assert_eq!(ask("What does she sell on Saturday?"), said("She sells honey on Saturdays."));
        assert_eq!(ask("Wie heißt das Boot? Wanderfalke?"), [(0, "The boat is called Wanderfalke".to_owned())]);
        for nothing in ["What is the capital of France?", "", "🦊", "\0"] {
            assert_eq!(ask(nothing), [], "{nothing}");
        }
    }

    #[test]
    fn an_excerpt_is_no_longer_than_its_room() {
        let long = Passages::whole(&"мёд и пчёлы ".repeat(100_000));
        let found = find_passages("пчёлы", &[&long], 50);
        assert_eq!(char_count(&found[0].text), 50);
        let many = Passages::markdown(&(0..100).map(|n| format!("- bees {n} of shelf{n}\n")).collect::<String>());
        assert!(char_count(&find_passages("bees", &[&many], 50)[0].text) <= 50);
    }
}
