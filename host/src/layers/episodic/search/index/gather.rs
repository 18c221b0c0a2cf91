//! The words of some messages, each with the messages that have it.

use std::collections::HashMap;

use hermes_text::{Evidence, Languages, Token, TokenKind};

use super::{Stored, for_each_text, of_audience, of_context};

/// A word of some messages.
#[derive(Default)]
pub(super) struct Entry {
    /// The messages that have it, ascending.
    pub(super) ids: Vec<i64>,
    /// In which languages these may be, for the forms of the word; none for what has no forms.
    pub(super) languages: Languages,
    /// It is a word of a text, and not what the index notes of a message beside.
    kind: Option<TokenKind>,
    /// As it is written, where that is not how the index has it.
    spelled: Option<Box<str>>,
}

impl Entry {
    /// The token that it is the folded form of.
    pub(super) fn token(&self, word: &str) -> Option<Token> {
        self.kind?;
        let tokens = hermes_text::tokens(self.spelled.as_deref().unwrap_or(word));
        tokens.into_iter().find(|token| token.folded() == word)
    }

    pub(super) fn kind(&self) -> Option<TokenKind> {
        self.kind
    }

    fn add(&mut self, id: i64) {
        if self.ids.last() != Some(&id) {
            self.ids.push(id);
        }
    }
}

/// All of them.
#[derive(Default)]
pub(super) struct Gathered {
    entries: Vec<Entry>,
    places: HashMap<Box<str>, usize>,
    /// Of the present message, in Latin letters.
    latin: Vec<usize>,
}

impl Gathered {
    /// Adds the words of a message, in a session of this context, whose number is above those before it. Answers how long its texts are.
    pub(super) fn add(&mut self, message: &Stored<'_>, context: &str, tool_chars: usize) -> usize {
        let (mut evidence, mut bytes) = (Evidence::default(), 0);
        self.latin.clear();
        for_each_text(message, tool_chars, |text| {
            bytes += text.len();
            hermes_text::for_each_piece(text, |piece| {
                let word = piece.folded();
                if word.is_empty() {
                    return;
                }
                let place = self.place(word);
                let Some(entry) = self.entries.get_mut(place) else { return };
                if entry.kind.is_none() {
                    entry.kind = Some(piece.kind());
                    entry.spelled = (piece.text() != word).then(|| piece.text().into());
                }
                entry.add(message.id);
                if piece.is_in_latin_letters() {
                    evidence.see(word);
                    self.latin.push(place);
                }
            });
        });
        let languages = evidence.languages();
        for place in &self.latin {
            if let Some(entry) = self.entries.get_mut(*place) {
                entry.languages = entry.languages.and(languages);
            }
        }
        self.note(&of_audience(message.audience), message.id);
        if context != "primary" {
            self.note(&of_context(context), message.id);
        }
        bytes
    }

    fn note(&mut self, entry: &str, id: i64) {
        let place = self.place(entry);
        if let Some(entry) = self.entries.get_mut(place) {
            entry.add(id);
        }
    }

    fn place(&mut self, word: &str) -> usize {
        if let Some(place) = self.places.get(word) {
            return *place;
        }
        let place = self.entries.len();
        self.entries.push(Entry::default());
        self.places.insert(word.into(), place);
        place
    }

    /// In the order of the tables, in which SQLite finds its way faster.
    pub(super) fn sorted(mut self) -> impl Iterator<Item = (Box<str>, Entry)> {
        let mut words: Vec<_> = self.places.into_iter().collect();
        words.sort_unstable();
        words.into_iter().filter_map(move |(word, place)| {
            let entry = self.entries.get_mut(place).map(std::mem::take)?;
            Some((word, entry))
        })
    }
}
