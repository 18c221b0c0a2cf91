//! The words themselves: by their stems, by their beginnings and by their ends.
//!
//! Not the texts are stemmed but the vocabulary, which grows far more slowly: a message has one entry for each of its
//! words, and whatever else a word may be asked by is kept once for all messages.

use hermes_text::{Languages, Token, TokenKind, word_forms};
use rusqlite::{Connection, Result};

use super::gather::Entry;

/// Longer words are data: they are found as a whole, and by no form or part.
const LONGEST: usize = 40;
/// The shortest that is found by its end.
const SHORTEST: usize = 4;

/// A word and in how many messages it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Known {
    pub(in super::super) word: String,
    pub(in super::super) messages: i64,
}

/// What else a word is found by.
fn forms(entry: &Entry, word: &str, languages: Languages) -> Vec<String> {
    // Numbers and pairs of characters have none.
    if entry.kind() != Some(TokenKind::Word) || is_long(word) {
        return Vec::new();
    }
    let mut forms = entry.token(word).map(|token| word_forms(&token, languages)).unwrap_or_default();
    forms.retain(|form| form != word);
    forms
}

/// Whether words are looked for by how this one ends: parts of compounds and misspellings are of letters, and a single
/// character is the second of a pair.
fn has_end(entry: &Entry, word: &str) -> bool {
    let is_made_of_letters = || word.chars().all(|c| !c.is_numeric());
    match entry.kind() {
        Some(TokenKind::Word) => !is_long(word) && word.chars().nth(SHORTEST - 1).is_some() && is_made_of_letters(),
        Some(TokenKind::Gram) => word.chars().nth(1).is_some(),
        _ => false,
    }
}

fn is_long(word: &str) -> bool {
    word.chars().nth(LONGEST).is_some()
}

/// Enters a word that was not known, or had forms only by the rules of some languages.
pub(super) fn enter(db: &Connection, word: &str, entry: &Entry, known: Option<Languages>) -> Result<()> {
    let new = entry.languages.without(known.unwrap_or_default());
    if known.is_none() || !new.is_empty() {
        for form in forms(entry, word, new) {
            let mut words = of_form(db, &form)?;
            if !words.iter().any(|other| other == word) {
                words.push(word.to_owned());
                put_form(db, &form, &words)?;
            }
        }
    }
    if known.is_none() && has_end(entry, word) {
        db.prepare_cached("INSERT OR IGNORE INTO search_ends (ending) VALUES (?1)")?.execute([reversed(word)])?;
    }
    Ok(())
}

pub(super) fn remove(db: &Connection, word: &str, entry: &Entry, languages: Languages) -> Result<()> {
    for form in forms(entry, word, languages) {
        let mut words = of_form(db, &form)?;
        words.retain(|other| other != word);
        if words.is_empty() {
            db.prepare_cached("DELETE FROM search_forms WHERE form = ?1")?.execute([form])?;
        } else {
            put_form(db, &form, &words)?;
        }
    }
    if has_end(entry, word) {
        db.prepare_cached("DELETE FROM search_ends WHERE ending = ?1")?.execute([reversed(word)])?;
    }
    Ok(())
}

/// The words that have a form, in the order in which they came.
pub(in super::super) fn of_form(db: &Connection, form: &str) -> Result<Vec<String>> {
    let mut select = db.prepare_cached("SELECT words FROM search_forms WHERE form = ?1")?;
    let mut rows = select.query([form])?;
    let Some(row) = rows.next()? else { return Ok(Vec::new()) };
    let mut rest = row.get_ref(0)?.as_blob()?;
    let mut words = Vec::new();
    while let [alike, length, more @ ..] = rest {
        let beginning = form.as_bytes().get(..usize::from(*alike)).ok_or_else(super::damaged)?;
        let (end, others) = more.split_at_checked(usize::from(*length)).ok_or_else(super::damaged)?;
        words.push(String::from_utf8([beginning, end].concat()).map_err(|_| super::damaged())?);
        rest = others;
    }
    if rest.is_empty() { Ok(words) } else { Err(super::damaged()) }
}

/// Each word is kept as how much of it begins as the form does, how long the rest is, and the rest: most words begin as
/// their stems. None is longer than a byte can tell, see [`LONGEST`].
fn put_form(db: &Connection, form: &str, words: &[String]) -> Result<()> {
    let mut bytes = Vec::new();
    for word in words {
        let alike = form.bytes().zip(word.bytes()).take_while(|(one, other)| one == other).count();
        let length = |length: usize| u8::try_from(length).unwrap_or(u8::MAX);
        bytes.extend([length(alike), length(word.len() - alike)]);
        bytes.extend_from_slice(&word.as_bytes()[alike..]);
    }
    db.prepare_cached("REPLACE INTO search_forms (form, words) VALUES (?1, ?2)")?.execute((form, bytes))?;
    Ok(())
}

pub(in super::super) fn reversed(word: &str) -> String {
    word.chars().rev().collect()
}

/// Of the words that begin with a text those that are wanted, in the order of the alphabet; at most so many are looked at.
pub(in super::super) fn beginning_with(
    db: &Connection,
    start: &str,
    most: usize,
    mut wanted: impl FnMut(&str) -> bool,
) -> Result<Vec<Known>> {
    let mut select =
        db.prepare_cached("SELECT word, messages FROM search_words WHERE word >= ?1 AND word < ?2 LIMIT ?3")?;
    let mut rows = select.query((start, after(start), limit(most)))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let word = row.get_ref(0)?.as_str()?;
        if wanted(word) {
            found.push(Known { word: word.to_owned(), messages: row.get(1)? });
        }
    }
    Ok(found)
}

/// The same of those that end with a text; `wanted` is asked for the word backwards.
pub(in super::super) fn ending_with(
    db: &Connection,
    end: &str,
    most: usize,
    mut wanted: impl FnMut(&str) -> bool,
) -> Result<Vec<String>> {
    let mut select = db.prepare_cached("SELECT ending FROM search_ends WHERE ending >= ?1 AND ending < ?2 LIMIT ?3")?;
    let end = reversed(end);
    let mut rows = select.query((&end, after(&end), limit(most)))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let backwards = row.get_ref(0)?.as_str()?;
        if wanted(backwards) {
            found.push(reversed(backwards));
        }
    }
    Ok(found)
}

/// The first text behind all that begin with this one.
fn after(start: &str) -> String {
    format!("{start}\u{10FFFF}")
}

fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

/// Whether a token is a word of letters, with forms and misspellings.
pub(in super::super) fn is_word(token: &Token) -> bool {
    token.kind == TokenKind::Word
}
