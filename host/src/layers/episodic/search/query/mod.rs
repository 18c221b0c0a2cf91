//! What is asked for: words, beginnings of words and phrases, each with all that the archive has it by.
//!
//! Every text is a query. Signs mean nothing, but for `"a phrase"` and `begin*`.

mod variants;

use hermes_text::{QueryWord, Token, TokenKind, normalize, query_words, truncate_chars};
use rusqlite::{Connection, Result};

pub(super) use variants::Variant;

use super::Settings;

/// A longer text is searched for by its beginning, and by no more words than this.
const MAX_CHARS: usize = 4000;
const MAX_WORDS: usize = 64;
const MAX_PHRASES: usize = 8;
/// An unknown pair of characters is mostly the end of one word and the beginning of another.
const SEAM: f64 = 0.3;
/// In a small archive no word is rare; without this, words that no message has would outweigh all others.
const FEWEST: i64 = 100;

/// A query, weighed against what the archive has.
pub(super) struct Query {
    /// In the order of the text.
    pub(super) words: Vec<Word>,
    /// What must stand in a message, normalised.
    pub(super) phrases: Vec<String>,
    /// Nothing is asked for but phrases.
    pub(super) is_phrase: bool,
    /// What is looked for letter by letter, where there are no words.
    pub(super) literal: Option<String>,
}

/// A word of a query.
#[derive(Debug)]
pub(super) struct Word {
    /// As it is asked for.
    pub(super) text: String,
    /// Its stem, for messages that are not in the index yet.
    pub(super) stem: String,
    /// The words of the archive that it may be; no word twice.
    pub(super) variants: Vec<Variant>,
    /// How much it says: the inverse document frequency.
    pub(super) weight: f64,
}

impl Query {
    /// Reads a query; None for one with nothing to look for.
    pub(super) fn read(db: &Connection, text: &str, messages: i64, settings: &Settings) -> Result<Option<Self>> {
        let text = truncate_chars(text, MAX_CHARS);
        let mut words = Vec::new();
        let asked = query_words(text);
        let last = asked.iter().map(|word| word.token.end).max();
        for word in asked.iter().take(MAX_WORDS) {
            let rest = &text[word.token.end..];
            let begins = rest.starts_with('*');
            // What is typed last may be unfinished.
            let unfinished = Some(word.token.end) == last && rest.is_empty();
            words.push(weighed(db, word, messages, How { begins, unfinished, typos: settings.typos })?);
        }
        let phrases = phrases(text);
        let quoted = query_words(&phrases.join(" ")).len();
        let is_phrase = quoted > 0 && quoted >= words.len();
        let literal = words.is_empty().then(|| normalize(text)).filter(|literal| !literal.is_empty());
        let says_nothing = words.is_empty() && literal.is_none();
        Ok((!says_nothing).then_some(Self { words, phrases, is_phrase, literal }))
    }

    /// What a message that has every word would be given.
    pub(super) fn total(&self) -> f64 {
        self.words.iter().map(|word| word.weight).sum::<f64>().max(f64::MIN_POSITIVE)
    }
}

/// How a word is looked up.
#[derive(Clone, Copy)]
struct How {
    /// All words that begin with it are meant.
    begins: bool,
    /// It may be the beginning of one that is not typed to its end.
    unfinished: bool,
    typos: bool,
}

fn weighed(db: &Connection, asked: &QueryWord, messages: i64, how: How) -> Result<Word> {
    let mut variants = variants::of(db, asked, how)?;
    let own = |variant: &&Variant| variant.likeness >= variants::FORM;
    let known: i64 = variants.iter().filter(own).map(|variant| variant.messages).sum();
    let known = if known > 0 { known } else { variants.iter().map(|variant| variant.messages).sum() };
    let is_seam = is_pair(&asked.token) && !variants.iter().any(|variant| variant.likeness >= 1.0);
    let own_weight = weight(messages, known);
    // What is guessed is worth no more than it says itself.
    for variant in &mut variants {
        variant.likeness *= (weight(messages, variant.messages) / own_weight).min(1.0);
    }
    let importance = if is_seam { SEAM } else { 1.0 };
    Ok(Word { text: asked.token.folded(), stem: asked.token.stem.clone(), variants, weight: importance * own_weight })
}

fn is_pair(token: &Token) -> bool {
    token.kind == TokenKind::Gram && token.stem.chars().nth(1).is_some()
}

fn weight(messages: i64, having: i64) -> f64 {
    let number = |count: i64| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    let (all, having) = (number(messages.max(FEWEST).max(having)), number(having));
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

/// What stands between double quotes of any sort and has words; a quote that is not closed is a sign like others.
fn phrases(text: &str) -> Vec<String> {
    const QUOTES: [(char, &str); 5] = [('"', "\""), ('“', "”"), ('„', "“”"), ('«', "»"), ('「', "」")];
    let mut phrases = Vec::new();
    let mut rest = text;
    while let Some((at, open)) = rest.char_indices().find(|(_, c)| QUOTES.iter().any(|(open, _)| open == c)) {
        rest = &rest[at + open.len_utf8()..];
        let closing = QUOTES.iter().find(|(of, _)| *of == open).map_or("", |(_, closing)| closing);
        let Some(end) = rest.find(|c| closing.contains(c)) else { continue };
        let phrase = normalize(&rest[..end]);
        if phrase.chars().any(char::is_alphanumeric) && phrases.len() < MAX_PHRASES {
            phrases.push(phrase);
        }
        rest = &rest[end..];
        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_stand_between_quotes() {
        assert_eq!(
            phrases("say \"Good  Morning\" and «добрый день» “x” \"--\" \"half"),
            ["good morning", "добрый день", "x"]
        );
        for none in ["", "\"", "\"\"", "it's", "“half", "5\" disk"] {
            assert!(phrases(none).is_empty(), "{none}");
        }
    }
}
