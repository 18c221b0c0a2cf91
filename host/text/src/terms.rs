//! What a full-text index is given and what is asked of it.
//!
//! The house keeps its index in SQLite's FTS5, whose own tokenizer knows neither stems nor Thai. So the
//! table is fed terms made here, and its tokenizer has one task left: to cut at the spaces and nowhere else.

use std::collections::HashSet;

use crate::script::{Script, script_of};
use crate::stop::is_stop_word;
use crate::tokens::{Token, TokenKind, for_each_token, tokens};

/// The value of `tokenize =` for an FTS5 table that holds [`index_terms`] (in the `CREATE VIRTUAL TABLE`
/// statement, between double quotes).
///
/// Stock `unicode61` takes for token characters the categories `L*`, `N*` and `Co` (FTS5 documentation,
/// section 4.3.1); combining marks would end a token, which breaks Hindi and Thai in the middle of a
/// syllable. Terms hold letters, digits and marks alone, so with `M*` added each stays one token. Letters
/// newer than the Unicode tables inside SQLite (scripts encoded since) are still taken for separators there.
pub const FTS5_TOKENIZE: &str = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'";

/// All stems of [`tokens`], in order, with one space between them: the text to put into an FTS5 table
/// declared with [`FTS5_TOKENIZE`].
///
/// At the end come, once each, single characters for questions of one character: those of all pairs in Han,
/// and the first syllables of Hangul words, since `猫` is in the index only as a half of pairs otherwise.
/// No line breaks, NULs or quotes; empty when `text` has no tokens.
#[must_use]
pub fn index_terms(text: &str) -> String {
    let mut terms = String::with_capacity(text.len());
    let mut seen = HashSet::new();
    let mut singles = Vec::new();
    for_each_token(text, |token| {
        let pair = token.kind == TokenKind::Gram && token.stem.chars().nth(1).is_some();
        for (i, c) in token.stem.chars().enumerate().take(2) {
            let single = match script_of(c) {
                Some(Script::Han) => pair,
                Some(Script::Hangul) => i == 0 && token.kind == TokenKind::Word,
                _ => false,
            };
            if single && seen.insert(c) {
                singles.push(c);
            }
        }
        push(&mut terms, &token.stem);
    });
    for single in singles {
        push(&mut terms, single.encode_utf8(&mut [0; 4]));
    }
    terms
}

fn push(terms: &mut String, term: &str) {
    if !terms.is_empty() {
        terms.push(' ');
    }
    terms.push_str(term);
}

/// The distinct stems of a question, in order, without stop words: terms to look up in the index, each to be
/// put between double quotes for FTS5 (none of them holds a quote).
///
/// When every word is a stop word all of them are kept, so that the question still finds something; it is
/// empty only when `text` has no tokens. The pairs of a Hangul stop word go with the word. Parts and pairs
/// are alternatives to their whole, so the terms should be joined with `OR`.
#[must_use]
pub fn query_terms(text: &str) -> Vec<String> {
    let all = tokens(text);
    let mut stopped = 0;
    let mut seen = HashSet::new();
    let mut terms = Vec::new();
    for token in &all {
        let inside = token.kind == TokenKind::Gram && token.end <= stopped;
        if is_stop_word(&token.text) {
            if token.kind == TokenKind::Word {
                stopped = token.end;
            }
        } else if !inside && seen.insert(token.stem.as_str()) {
            terms.push(token.stem.clone());
        }
    }
    if terms.is_empty() { distinct(&all) } else { terms }
}

fn distinct(tokens: &[Token]) -> Vec<String> {
    let mut seen = HashSet::new();
    tokens.iter().map(|token| token.stem.clone()).filter(|stem| seen.insert(stem.clone())).collect()
}
