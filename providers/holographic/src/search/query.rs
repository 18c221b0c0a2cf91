//! What is asked for: words, and what the store knows of them.

use std::collections::HashSet;

use hermes_provider_api::Call;
use hermes_text::{QueryWord, TokenKind, is_stop_word, query_words, tokens, truncate_chars};
use rusqlite::Connection;

use crate::audience::Audience;
use crate::entities;
use crate::error::Result;
use crate::index::{Lists, Numbers, Word};
use crate::topics::{self, Read, Topic};

/// No more words than this are looked up.
pub(super) const MAX_TERMS: usize = 48;
/// A question is not longer; the rest of a pasted text is not searched for.
const MAX_CHARS: usize = 4000;

/// A name says more than a common word of the same frequency.
const NAME_IMPORTANCE: f64 = 1.2;
/// How likely it is the same word: a stem of the language or a word without accents, a part of a longer word or a
/// longer word of which it is a part, a word that begins alike, one of two Chinese characters.
const FORM_LIKENESS: f64 = 0.9;
const WITHIN_LIKENESS: f64 = 0.5;
const PART_LIKENESS: f64 = 0.5;
const FAMILY_LIKENESS: f64 = 0.65;
const SINGLE_LIKENESS: f64 = 0.4;
/// An unknown pair of characters is mostly the end of one word and the beginning of another.
const SEAM_IMPORTANCE: f64 = 0.3;
/// In a small store no word is rare; without this, words that no fact has would outweigh all others.
const FEWEST_FACTS: i64 = 100;

/// The part of a text that is searched for: to look for names in a pasted megabyte would outlast every deadline.
pub(crate) fn bounded(text: &str) -> &str {
    truncate_chars(text, MAX_CHARS)
}

/// A question, read.
pub(crate) struct Query {
    /// In the order of the text.
    words: Vec<Asked>,
    /// What it is about in general.
    topics: Vec<Topic>,
}

/// A word of the question.
struct Asked {
    word: QueryWord,
    /// Facts in which a name sounds like it.
    sounds: HashSet<i64>,
    /// Whether it is a part of a name.
    is_name: bool,
}

impl Query {
    /// Reads a question and looks its names up.
    pub(crate) fn new(db: &Connection, text: &str, call: &Call<'_>) -> Result<Self> {
        let Read { text, topics } = topics::read(bounded(text));
        Ok(Self { topics, ..Self::of_words(db, &text, call)? })
    }

    /// The words of a text alone, whatever it is about in general.
    pub(crate) fn of_words(db: &Connection, text: &str, call: &Call<'_>) -> Result<Self> {
        let mut words = Vec::new();
        for word in query_words(bounded(text)).into_iter().take(MAX_TERMS) {
            call.check()?;
            let is_name = entities::is_in_a_name(db, &word.token)?;
            let sounds = if is_name { entities::facts_that_sound_like(db, &word.token)? } else { Vec::new() };
            words.push(Asked { word, sounds: sounds.into_iter().collect(), is_name });
        }
        Ok(Self { words, topics: Vec::new() })
    }
}

/// A question, weighed against what an audience knows.
pub(super) struct Scale<'q> {
    pub(super) numbers: Numbers,
    /// In the order of the text.
    pub(super) terms: Vec<Term<'q>>,
    pub(super) topics: &'q [Topic],
    /// What having something of a topic is worth, for the weight that the topic has in the question.
    pub(super) topic_weight: f64,
    /// How many facts there are.
    pub(super) facts: i64,
}

/// A word of the question.
pub(super) struct Term<'q> {
    /// The terms that it is in the index by.
    pub(super) forms: Vec<Form>,
    /// How much it says: the inverse document frequency.
    pub(super) weight: f64,
    pub(super) sounds: &'q HashSet<i64>,
}

/// One of the terms of a word.
pub(super) struct Form {
    pub(super) word: Word,
    /// How likely it is the same word, 0 to 1.
    pub(super) likeness: f64,
    /// In how many facts it is; never 0.
    pub(super) frequency: i64,
}

impl<'q> Scale<'q> {
    /// Looks up how often the words of a question occur.
    pub(super) fn new(lists: &mut Lists<'_>, audience: &Audience<'_>, query: &'q Query) -> Result<Self> {
        let numbers = Numbers::of(&audience.key);
        let facts = lists.count(numbers.every())?;
        let mut index = Index { lists, numbers, facts };
        let terms = query.words.iter().map(|asked| index.term(asked)).collect::<Result<Vec<_>>>()?;
        // A topic is worth a part of the best word, so that the word itself is always worth more.
        let topic_weight = terms.iter().map(|term| term.weight).fold(0.0, f64::max);
        Ok(Self { numbers, terms, topics: &query.topics, topic_weight, facts })
    }

    /// What a fact that has every word would be given.
    pub(super) fn total_weight(&self) -> f64 {
        self.terms.iter().map(|term| term.weight).sum()
    }

    /// The terms that find facts, rarest first, each with the place of its word.
    pub(super) fn finders(&self) -> Vec<(usize, &Form)> {
        let mut finders: Vec<(usize, &Form)> = Vec::new();
        for (at, term) in self.terms.iter().enumerate() {
            finders.extend(term.forms.iter().map(|form| (at, form)));
        }
        finders.sort_by_key(|(_, form)| form.frequency);
        finders
    }

    /// The words of a phrase.
    pub(super) fn in_a_row(&self, phrase: &str) -> Vec<Word> {
        phrase.split_whitespace().map(|term| self.numbers.word(term)).collect()
    }
}

/// Whether a text has a word that says something.
pub(crate) fn says_something(text: &str) -> bool {
    tokens(truncate_chars(text, MAX_CHARS)).iter().any(|token| !is_stop_word(&token.text))
}

/// What the index knows of words.
struct Index<'a, 'db> {
    lists: &'a mut Lists<'db>,
    numbers: Numbers,
    facts: i64,
}

impl Index<'_, '_> {
    /// Looks a word of the question up.
    fn term<'q>(&mut self, asked: &'q Asked) -> Result<Term<'q>> {
        let word = &asked.word;
        let mut forms = Vec::new();
        self.take(&mut forms, [&word.token.stem], 1.0)?;
        self.take(&mut forms, &word.forms, FORM_LIKENESS)?;
        let mut importance = 1.0;
        if asked.is_name {
            importance = NAME_IMPORTANCE;
        } else {
            let is_gram = word.token.kind == TokenKind::Gram;
            if forms.is_empty() {
                self.take(&mut forms, &word.parts, if is_gram { SINGLE_LIKENESS } else { PART_LIKENESS })?;
                importance = if is_gram { SEAM_IMPORTANCE } else { 1.0 };
            }
            self.take(&mut forms, &word.within, WITHIN_LIKENESS)?;
            self.take(&mut forms, &word.family, FAMILY_LIKENESS)?;
        }
        // The word and its own forms come first. What is guessed is worth no more than it says itself.
        let frequency = forms.first().map_or(0, |form| form.frequency);
        let known = i64::try_from(asked.sounds.len()).unwrap_or(i64::MAX).max(frequency);
        let weight = self.weight(known);
        for form in &mut forms {
            form.likeness *= (self.weight(form.frequency) / weight).min(1.0);
        }
        Ok(Term { forms, weight: importance * weight, sounds: &asked.sounds })
    }

    /// Adds those of the terms that the index has.
    fn take<'t>(
        &mut self,
        forms: &mut Vec<Form>,
        terms: impl IntoIterator<Item = &'t String>,
        likeness: f64,
    ) -> Result<()> {
        for term in terms {
            let word = self.numbers.word(term);
            let frequency = self.lists.count(word)?;
            if frequency > 0 && !forms.iter().any(|form| form.word == word) {
                forms.push(Form { word, likeness, frequency });
            }
        }
        Ok(())
    }

    fn weight(&self, frequency: i64) -> f64 {
        let number = |count: i64| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
        let (facts, frequency) = (number(self.facts.max(FEWEST_FACTS).max(frequency)), number(frequency));
        (1.0 + (facts - frequency + 0.5) / (frequency + 0.5)).ln()
    }
}
