//! Parts of compounds: "Haus" in "Hausverwaltung" and in "Krankenhaus".
//!
//! Without a dictionary nobody knows where a compound falls apart. So a text is indexed with the stem of every beginning
//! and end that could be a word, under a mark of their own: they are met only by who looks for parts.

use rust_stemmers::{Algorithm, Stemmer};

use crate::language::{Guess, Language};
use crate::script::{Script, script_of};
use crate::stems::{plain, stemmer};
use crate::tokens::{Token, TokenKind};

/// Before a term that is a part of a longer word. A character for private use, which FTS5 takes for a letter.
const MARK: char = '\u{E000}';
/// The shortest part, the shortest word with parts, and the longest: longer ones are no words.
const PART: usize = 3;
const COMPOUND: usize = 7;
const LONGEST: usize = 32;
/// The languages that write compounds in one word.
const LANGUAGES: [Language; 7] = [
    Language::German,
    Language::Dutch,
    Language::Swedish,
    Language::Danish,
    Language::Norwegian,
    Language::Finnish,
    Language::Hungarian,
];

/// Finds parts in the words of one text.
pub(crate) struct Compounds(Vec<Stemmer>);

impl Compounds {
    /// None when the text is in no language of compounds.
    pub(crate) fn new(guess: &Guess) -> Option<Self> {
        let likely = guess.languages.iter().find(|language| LANGUAGES.contains(language));
        let mut stemmers: Vec<_> = likely.into_iter().filter_map(|language| stemmer(*language)).collect();
        // A short text tells nothing: German has most speakers.
        if guess.languages.is_empty() {
            stemmers.push(Stemmer::create(Algorithm::German));
        }
        (!stemmers.is_empty()).then_some(Self(stemmers))
    }

    /// What is indexed beside a word: every part that may be one, marked.
    pub(crate) fn parts(&self, token: &Token) -> Vec<String> {
        let mut parts = Vec::new();
        self.each_part(token, |part| parts.push(format!("{MARK}{part}")));
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// What finds the longer words that a word is a part of.
    pub(crate) fn as_part(&self, token: &Token) -> Vec<String> {
        if !is_word(token, PART) {
            return Vec::new();
        }
        self.0.iter().map(|stemmer| format!("{MARK}{}", plain(&stemmer.stem(&token.text)))).collect()
    }

    /// The words that a word may be made of, at least four letters each.
    pub(crate) fn made_of(&self, token: &Token) -> Vec<String> {
        let mut parts = Vec::new();
        self.each_part(token, |part| parts.push(part));
        parts.retain(|part| part.chars().nth(3).is_some());
        parts
    }

    fn each_part(&self, token: &Token, mut take: impl FnMut(String)) {
        if !is_word(token, COMPOUND) {
            return;
        }
        let borders: Vec<usize> = token.text.char_indices().map(|(at, _)| at).skip(PART).collect();
        for border in borders.iter().take(borders.len().saturating_sub(PART - 1)) {
            let (head, tail) = token.text.split_at(*border);
            for part in [head, tail] {
                self.0.iter().for_each(|stemmer| take(plain(&stemmer.stem(part))));
            }
        }
    }
}

fn is_word(token: &Token, least: usize) -> bool {
    let count = token.text.chars().count();
    token.kind == TokenKind::Word
        && (least..=LONGEST).contains(&count)
        && token.text.chars().all(|c| script_of(c) == Some(Script::Latin))
}
