//! The words of the archive that a word of a query may be: itself, its other forms, what it begins or is a part of, what
//! it may be misspelt from.

use std::collections::HashMap;

use hermes_text::{QueryWord, TokenKind};
use rusqlite::{Connection, Result};
use strsim::osa_distance;

use super::super::index::{postings, vocabulary};
use super::How;

/// How likely it is the same word: another form by its stem, one in some language, one that begins with it, a part of a
/// compound or one of the same family, a misspelling by one or by two letters.
const STEM: f64 = 0.95;
pub(super) const FORM: f64 = 0.85;
const BEGINS: f64 = 0.86;
const PART: f64 = 0.5;
const SINGLE: f64 = 0.4;
const TYPO: [f64; 3] = [0.7, 0.6, 0.4];
/// A word in no more messages than this may be a misspelling itself.
const RARE: i64 = 2;
/// How many words of the vocabulary are taken by each way, and how many are looked at to find misspellings.
const MOST: usize = 48;
const LOOKED_AT: usize = 4000;
/// The shortest word with parts, and the shortest with misspellings, by one and by two letters.
const PARTED: usize = 4;
const MISSPELT: usize = 4;
const MISSPELT_TWICE: usize = 8;

/// A word of the archive.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Variant {
    pub(in super::super) word: String,
    pub(in super::super) messages: i64,
    /// 0 to 1.
    pub(in super::super) likeness: f64,
}

struct Found<'db> {
    db: &'db Connection,
    variants: HashMap<String, (i64, f64)>,
}

impl Found<'_> {
    /// A word with its frequency.
    fn known(&mut self, word: String, messages: i64, likeness: f64) {
        let found = self.variants.entry(word).or_insert((messages, likeness));
        found.1 = found.1.max(likeness);
    }

    /// A word whose frequency is not known yet, which may be none.
    fn look_up(&mut self, word: &str, likeness: f64) -> Result<bool> {
        if let Some(found) = self.variants.get_mut(word) {
            found.1 = found.1.max(likeness);
            return Ok(true);
        }
        let messages = postings::frequency(self.db, word)?;
        if messages > 0 {
            self.variants.insert(word.to_owned(), (messages, likeness));
        }
        Ok(messages > 0)
    }

    fn with_form(&mut self, form: &str, likeness: f64) -> Result<()> {
        for word in vocabulary::of_form(self.db, form)?.iter().take(MOST) {
            self.look_up(word, likeness)?;
        }
        self.look_up(form, likeness)?;
        Ok(())
    }

    fn beginning_with(&mut self, start: &str, likeness: f64, is_like: impl Fn(&str) -> bool) -> Result<()> {
        let mut words = vocabulary::beginning_with(self.db, start, LOOKED_AT, is_like)?;
        words.sort_by(|one, other| other.messages.cmp(&one.messages).then_with(|| one.word.cmp(&other.word)));
        for known in words.into_iter().take(MOST) {
            self.known(known.word, known.messages, likeness);
        }
        Ok(())
    }

    fn ending_with(&mut self, end: &str, likeness: f64) -> Result<()> {
        for word in vocabulary::ending_with(self.db, end, MOST, |_| true)? {
            self.look_up(&word, likeness)?;
        }
        Ok(())
    }

    fn messages(&self) -> i64 {
        self.variants.values().map(|(messages, _)| messages).sum()
    }
}

/// All variants of a word, in the order of likeness.
pub(super) fn of(db: &Connection, asked: &QueryWord, how: How) -> Result<Vec<Variant>> {
    let mut found = Found { db, variants: HashMap::new() };
    let word = asked.token.folded();
    let length = word.chars().count();
    found.look_up(&word, 1.0)?;
    if asked.token.kind == TokenKind::Gram {
        characters(&mut found, asked, &word, length)?;
    } else {
        found.with_form(&asked.token.stem, STEM)?;
        for form in &asked.forms {
            found.with_form(form, FORM)?;
        }
    }
    if how.begins || (how.unfinished && length > 1 && found.variants.is_empty()) {
        found.beginning_with(&word, BEGINS, |_| true)?;
    }
    if vocabulary::is_word(&asked.token) {
        // Before parts are guessed, which are no reason to think that the word is known.
        let is_rare = found.messages() <= RARE;
        if length >= PARTED {
            parts(&mut found, &word, length)?;
        }
        if how.typos && is_rare && length >= MISSPELT {
            misspelt(&mut found, &word, length)?;
        }
    }
    let variants = found.variants.into_iter();
    let mut variants: Vec<_> =
        variants.map(|(word, (messages, likeness))| Variant { word, messages, likeness }).collect();
    variants.sort_by(|one, other| other.likeness.total_cmp(&one.likeness).then_with(|| one.word.cmp(&other.word)));
    Ok(variants)
}

/// One character is the half of pairs; a pair that nobody wrote may have its characters apart.
fn characters(found: &mut Found<'_>, asked: &QueryWord, word: &str, length: usize) -> Result<()> {
    if length == 1 {
        found.beginning_with(word, 1.0, |other| other.chars().count() == 2)?;
        return found.ending_with(word, 1.0);
    }
    if found.variants.is_empty() {
        for single in &asked.parts {
            found.look_up(single, SINGLE)?;
        }
    }
    Ok(())
}

/// Words of the same family, longer words that this one is a part of, and parts of this one.
fn parts(found: &mut Found<'_>, word: &str, length: usize) -> Result<()> {
    let family: String = word.chars().take(PARTED.max(length * 2 / 3)).collect();
    found.beginning_with(&family, PART, |other| {
        let others = other.chars().count();
        other.starts_with(word) || others <= length + 3
    })?;
    found.ending_with(word, PART)?;
    if length >= 2 * PARTED {
        let borders: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
        for border in &borders[PARTED..=length - PARTED] {
            let (head, tail) = word.split_at(*border);
            if found.db_has(head)? && found.db_has(tail)? {
                found.look_up(head, PART)?;
                found.look_up(tail, PART)?;
            }
        }
    }
    Ok(())
}

impl Found<'_> {
    fn db_has(&self, word: &str) -> Result<bool> {
        Ok(postings::frequency(self.db, word)? > 0)
    }
}

/// Words that differ by a letter or two. One error leaves the beginning or the end of a word as it was, where these
/// take less than half of it each; two errors leave a third of it.
fn misspelt(found: &mut Found<'_>, word: &str, length: usize) -> Result<()> {
    let twice = length >= MISSPELT_TWICE;
    let part = if twice { (length / 3).max(2) } else { ((length - 1) / 2).max(1) };
    let start: String = word.chars().take(part).collect();
    let end: String = word.chars().skip(length - part).collect();
    let most = if twice { 2 } else { 1 };
    let mut like: Vec<(usize, String)> = Vec::new();
    let (letters, range) = (letters(word), length - most..=length + most);
    // Each letter that is another one changes two of the bits at most. Most words are told apart so, and without a copy.
    let may_be_like = |other: &str| {
        (self::letters(other) ^ letters).count_ones() as usize <= 2 * most && range.contains(&other.chars().count())
    };
    let beginning = vocabulary::beginning_with(found.db, &start, LOOKED_AT, may_be_like)?.into_iter();
    let ending = vocabulary::ending_with(found.db, &end, LOOKED_AT, may_be_like)?;
    for other in beginning.map(|known| known.word).chain(ending) {
        let distance = osa_distance(word, &other);
        if (1..=most).contains(&distance) {
            like.push((distance, other));
        }
    }
    like.sort();
    like.dedup();
    for (distance, other) in like.into_iter().take(MOST) {
        let likeness = TYPO.get(distance).copied().unwrap_or(0.0);
        found.look_up(&other, likeness)?;
    }
    Ok(())
}

/// Which letters a word has, as bits that several letters share.
fn letters(word: &str) -> u64 {
    word.chars().fold(0, |letters, c| letters | 1 << (u32::from(c) % 64))
}
