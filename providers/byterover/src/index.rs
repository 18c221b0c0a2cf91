//! Words to files: what in the trees fits a message.
//!
//! A tree has hundreds of files rather than millions, so they are kept in memory, and read again when they change. What
//! is weighed is a passage, a line of what `brv` wrote or a whole note: a long file has every word somewhere.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_provider_api::records::RecallItem;
use hermes_provider_api::{Call, Result, Scope};
use hermes_text::{QueryWord, char_count, index_terms, is_trivial, query_words, truncate_chars};

use crate::documents::{Document, documents};
use crate::tree::Tree;

/// A message is not read further, nor has it more words.
const MAX_QUERY: usize = 4000;
const MAX_WORDS: usize = 48;
/// A recalled item is not longer.
const MAX_ITEM: usize = 1200;
/// In a small tree no word is rare; without this, words that no file has would outweigh all others.
const FEWEST: usize = 100;
/// What is much worse than the best is not what was meant.
const NEAR_BEST: f64 = 0.6;

/// The files that were read.
#[derive(Default)]
pub(crate) struct Index(Mutex<HashMap<PathBuf, Arc<Read>>>);

struct Read {
    changed: u128,
    /// What the file is about; empty for a note.
    title: String,
    passages: Vec<Passage>,
}

struct Passage {
    text: String,
    terms: HashSet<String>,
}

impl Index {
    /// The best items for a message, of what `audience` may see.
    pub(crate) fn search(
        &self,
        data: &std::path::Path,
        audience: &Scope,
        message: &str,
        limit: usize,
        call: &Call<'_>,
    ) -> Result<Vec<RecallItem>> {
        let message = truncate_chars(message, MAX_QUERY);
        let words: Vec<_> = query_words(message).into_iter().take(MAX_WORDS).collect();
        if limit == 0 || words.is_empty() || is_trivial(message) {
            return Ok(Vec::new());
        }
        let mut files = Vec::new();
        for tree in Tree::visible(data, audience) {
            for document in documents(&tree) {
                call.check()?;
                files.push((document.item(&tree), self.read(&document)));
            }
        }
        let weights: Vec<f64> = words.iter().map(|word| weight(word, &files)).collect();
        let mut hits: Vec<RecallItem> = Vec::new();
        for (item, file) in files {
            call.check()?;
            let fits: Vec<_> = file.passages.iter().map(|passage| fit(&words, &weights, passage)).collect();
            let score = fits.iter().copied().flatten().fold(0.0, f64::max);
            if score > 0.0 {
                let near = fits.iter().zip(&file.passages).filter(|(fit, _)| fit.unwrap_or(0.0) >= NEAR_BEST * score);
                let text = excerpt(&file.title, near.map(|(_, passage)| passage));
                hits.push(RecallItem { text, score, ..item });
            }
        }
        // Of two that fit alike the newer.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.updated.cmp(&a.updated)));
        let best = hits.first().map_or(0.0, |hit| hit.score);
        hits.retain(|hit| hit.score >= NEAR_BEST * best);
        hits.truncate(limit);
        Ok(hits)
    }

    fn read(&self, document: &Document) -> Arc<Read> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(&document.path) {
            Some(read) if read.changed == document.changed => Arc::clone(read),
            _ => {
                let read = Arc::new(Read::new(document));
                known.insert(document.path.clone(), Arc::clone(&read));
                read
            }
        }
    }
}

impl Read {
    fn new(document: &Document) -> Self {
        let text = document.text();
        let passage = |text: &str, about: &str| Passage {
            terms: index_terms(&format!("{text}\n{about}")).split_whitespace().map(str::to_owned).collect(),
            text: text.to_owned(),
        };
        if document.is_note() {
            return Self { changed: document.changed, title: String::new(), passages: vec![passage(&text, "")] };
        }
        let (front, body) = front_matter(&text);
        let title = front.lines().find_map(|line| line.strip_prefix("title:")).unwrap_or_default();
        let title = title.trim().trim_matches(['"', '\'']).to_owned();
        let lines = body.lines().map(|line| line.trim().trim_start_matches("- "));
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#') && *line != "---");
        Self { changed: document.changed, passages: lines.map(|line| passage(line, &title)).collect(), title }
    }
}

/// The lines between `---` at the beginning, and the rest.
fn front_matter(text: &str) -> (&str, &str) {
    let front = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    front.map_or(("", text), |(front, body)| (front, body.trim_start_matches('-')))
}

/// How much a word says: the rarer the more.
fn weight(word: &QueryWord, files: &[(RecallItem, Arc<Read>)]) -> f64 {
    let has = |file: &Read| file.passages.iter().any(|passage| likeness(word, passage) > 0.0);
    let (with, all) = (files.iter().filter(|(_, file)| has(file)).count(), files.len().max(FEWEST));
    ((all as f64 + 1.0) / (with as f64 + 0.5)).ln()
}

/// How likely a passage has a word, 0 to 1.
fn likeness(word: &QueryWord, passage: &Passage) -> f64 {
    let has = |term: &String| passage.terms.contains(term);
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

/// The part of what a message says that a passage has; none where that is too little to be about it.
fn fit(words: &[QueryWord], weights: &[f64], passage: &Passage) -> Option<f64> {
    let found: Vec<f64> = words.iter().map(|word| likeness(word, passage)).collect();
    let matched = found.iter().filter(|likeness| **likeness > 0.0).count();
    let covered: f64 = found.iter().zip(weights).map(|(likeness, weight)| likeness * weight).sum();
    let covered = covered / weights.iter().sum::<f64>();
    let is_about = covered >= 0.4 || (matched >= 2 && covered >= 0.3) || (matched >= 3 && covered >= 0.15);
    is_about.then_some(covered)
}

/// The passages, each thing said once: `brv` writes the same in its summary, its facts and its source.
fn excerpt<'a>(title: &str, passages: impl Iterator<Item = &'a Passage>) -> String {
    let (mut taken, mut length): (Vec<&Passage>, usize) = (Vec::new(), 0);
    for passage in passages {
        length += char_count(&passage.text);
        if length <= MAX_ITEM && !taken.iter().any(|other| passage.terms.is_subset(&other.terms)) {
            taken.retain(|other| !other.terms.is_subset(&passage.terms));
            taken.push(passage);
        } else if taken.is_empty() {
            return truncate_chars(&passage.text, MAX_ITEM).to_owned();
        }
    }
    let texts: Vec<_> = taken.iter().map(|passage| passage.text.as_str()).collect();
    if title.is_empty() { texts.join("\n") } else { format!("{title}: {}", texts.join(" ")) }
}
