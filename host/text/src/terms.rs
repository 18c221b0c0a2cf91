//! What a full-text index is given and what is asked of it.
//!
//! The house keeps its index in SQLite's FTS5, whose own tokenizer knows neither stems nor Thai. So the
//! table is fed terms made here, and its tokenizer has one task left: to cut at the spaces and nowhere else.

use std::collections::HashSet;

use crate::compound::Compounds;
use crate::language::{Languages, guess_latin};
use crate::script::{Script, script_of};
use crate::stems::{Stems, beginning, is_beginning};
use crate::stop::is_stop_word;
use crate::tokens::{Token, TokenKind, for_each_token, tokens};

/// The value of `tokenize =` for an FTS5 table that holds [`index_terms`] (in the `CREATE VIRTUAL TABLE`
/// statement, between double quotes).
///
/// Stock `unicode61` takes for token characters the categories `L*`, `N*` and `Co` (FTS5 documentation,
/// section 4.3.1); combining marks would end a token, which breaks Hindi and Thai in the middle of a
/// syllable. Terms hold letters, digits, marks and private characters alone, so with `M*` added each stays one
/// token. Letters newer than the Unicode tables inside SQLite (scripts encoded since) are still taken for
/// separators there.
pub const FTS5_TOKENIZE: &str = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'";

/// All stems of [`tokens`], in order, with one space between them: the text to put into an FTS5 table
/// declared with [`FTS5_TOKENIZE`].
///
/// After them, behind a second space (see [`head_of_terms`]), come, once each, what else the words may be asked by: stems in the languages that the text may be
/// in, words without accents, parts of compounds, and single characters: those of all pairs in Han, and the
/// first syllables of Hangul words, since `猫` is in the index only as a half of pairs otherwise. No line breaks,
/// NULs or quotes; empty when `text` has no tokens.
#[must_use]
pub fn index_terms(text: &str) -> String {
    let guess = guess_latin(text);
    let (stems, compounds) = (Stems::for_text(&guess), Compounds::new(&guess));
    let mut terms = String::with_capacity(2 * text.len());
    let mut known = HashSet::new();
    let mut others = Vec::new();
    for_each_token(text, |token| {
        push(&mut terms, &token.stem);
        if !known.insert(token.stem.clone()) {
            return;
        }
        others.extend(stems.of_text(&token));
        if let Some(compounds) = &compounds {
            others.extend(compounds.parts(&token));
        }
        let pair = token.kind == TokenKind::Gram && token.stem.chars().nth(1).is_some();
        for (i, c) in token.stem.chars().enumerate().take(2) {
            let single = match script_of(c) {
                Some(Script::Han) => pair,
                Some(Script::Hangul) => i == 0 && token.kind == TokenKind::Word,
                _ => false,
            };
            if single {
                others.push(c.to_string());
            }
        }
    });
    others.retain(|other| known.insert(other.clone()));
    if !others.is_empty() {
        terms.push(' ');
    }
    others.iter().for_each(|other| push(&mut terms, other));
    terms
}

/// The stems in the order of the text and what comes after them, of what [`index_terms`] makes.
#[must_use]
pub fn head_of_terms(terms: &str) -> (&str, &str) {
    terms.split_once("  ").unwrap_or((terms, ""))
}

/// What a word of a text may be asked by beside itself, each once: its stem, those in the languages of the text if it is
/// in Latin letters, and these without accents. For an index that keeps words as they stand, and stems each of them once.
///
/// They are what a [`QueryWord`] of the same word has as its stem and forms.
#[must_use]
pub fn word_forms(token: &Token, languages: Languages) -> Vec<String> {
    if token.kind != TokenKind::Word {
        return Vec::new();
    }
    let stems = Stems::in_languages(languages);
    let mut forms = vec![token.stem.clone()];
    forms.extend(stems.of_text(token).into_iter().filter(|form| !is_beginning(form)));
    let mut known = HashSet::new();
    forms.retain(|form| known.insert(form.clone()));
    forms
}

fn push(terms: &mut String, term: &str) {
    if !terms.is_empty() {
        terms.push(' ');
    }
    terms.push_str(term);
}

/// A word of a question, with every term that a text may have it by. Each is to be put between double quotes
/// for FTS5: none of them holds a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryWord {
    /// The word; its stem is the best of the terms.
    pub token: Token,
    /// Stems in the languages that the question may be in, and the word without accents.
    pub forms: Vec<String>,
    /// What finds longer words that this one is a part of.
    pub within: Vec<String>,
    /// What finds words that begin alike, most of them of one family.
    pub family: Option<String>,
    /// What may stand for it where the text has none of these: the parts of a compound, single characters of a
    /// pair of Chinese ones.
    pub parts: Vec<String>,
}

/// The words of a question that say something, in order, each stem once, without the stop words of the languages
/// that it may be in.
///
/// When every word is a stop word all of them are kept, so that the question still finds something; it is
/// empty only when `text` has no tokens. The pairs of a Hangul stop word go with the word. Parts and pairs
/// are alternatives to their whole, so the words should be joined with `OR`.
#[must_use]
pub fn query_words(text: &str) -> Vec<QueryWord> {
    let guess = guess_latin(text);
    let (stems, compounds) = (Stems::for_question(&guess), Compounds::new(&guess));
    let all = tokens(text);
    let mut kept = without_stop_words(&all, |token| is_stop_word(&token.text) || guess.is_stop_word(&token.text));
    if kept.is_empty() {
        kept = distinct(&all);
    }
    let of = |token: &Token| {
        let compounds = compounds.as_ref();
        let single = |c: &char| script_of(*c) == Some(Script::Han);
        let singles = token.stem.chars().filter(single).map(String::from);
        let is_pair = token.kind == TokenKind::Gram && token.stem.chars().nth(1).is_some();
        QueryWord {
            forms: stems.of_question(token),
            within: compounds.map(|compounds| compounds.as_part(token)).unwrap_or_default(),
            family: beginning(token),
            parts: if is_pair { singles.collect() } else { compounds.map(|of| of.made_of(token)).unwrap_or_default() },
            token: token.clone(),
        }
    };
    kept.into_iter().map(of).collect()
}

/// The stems of [`query_words`].
#[must_use]
pub fn query_terms(text: &str) -> Vec<String> {
    query_words(text).into_iter().map(|word| word.token.stem).collect()
}

fn without_stop_words(all: &[Token], is_stop: impl Fn(&Token) -> bool) -> Vec<&Token> {
    let mut stopped = 0;
    let mut kept = Vec::new();
    for token in all {
        let inside = token.kind == TokenKind::Gram && token.end <= stopped;
        if is_stop(token) {
            if token.kind == TokenKind::Word {
                stopped = token.end;
            }
        } else if !inside {
            kept.push(token);
        }
    }
    once(kept)
}

fn distinct(tokens: &[Token]) -> Vec<&Token> {
    once(tokens.iter().collect())
}

/// Those with a stem that none before them has.
fn once(mut tokens: Vec<&Token>) -> Vec<&Token> {
    let mut seen = HashSet::new();
    tokens.retain(|token| seen.insert(token.stem.as_str()));
    tokens
}
