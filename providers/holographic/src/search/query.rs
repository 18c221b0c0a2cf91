//! What is asked for: terms, and how much each says.

use std::collections::HashSet;

use hermes_provider_api::Call;
use hermes_text::{QueryWord, TokenKind, is_stop_word, query_words, tokens, truncate_chars};
use rusqlite::Connection;

use super::quoted;
use crate::entities;
use crate::error::Result;
use crate::topics::{self, Read, Topic};

/// No more terms than this are looked up.
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
const FAMILY_LIKENESS: f64 = 0.5;
const SINGLE_LIKENESS: f64 = 0.4;
/// An unknown pair of characters is mostly the end of one word and the beginning of another.
const SEAM_IMPORTANCE: f64 = 0.3;
/// In a small store no word is rare; without this, words that no fact has would outweigh all others.
const FEWEST_FACTS: i64 = 100;
/// The part of a text that is searched for: to look for names in a pasted megabyte would outlast every deadline.
pub(crate) fn bounded(text: &str) -> &str {
    truncate_chars(text, MAX_CHARS)
}

/// A question, weighed against the store.
pub(crate) struct Query {
    /// In the order of the text.
    pub(super) terms: Vec<Term>,
    /// What it is about in general.
    pub(super) topics: Vec<Topic>,
    /// How many facts with a word make it common: such a word only ranks what others have found.
    pub(super) common: i64,
}

/// A word of the question.
pub(super) struct Term {
    /// The terms that it is in the index by.
    pub(super) forms: Vec<Form>,
    /// How much it says: the inverse document frequency.
    pub(super) weight: f64,
    /// Facts in which a name sounds like it.
    pub(super) sounds: HashSet<i64>,
}

/// One of the terms of a word.
pub(super) struct Form {
    pub(super) term: String,
    /// How likely it is the same word, 0 to 1.
    pub(super) likeness: f64,
    /// In how many facts it is, counted up to `common` + 1; never 0.
    pub(super) frequency: i64,
}

impl Query {
    /// Reads a question and looks up how often its words occur.
    pub(crate) fn new(db: &Connection, text: &str, call: &Call<'_>) -> Result<Self> {
        let Read { text, mut topics } = topics::read(bounded(text));
        let index = Index::new(db)?;
        let mut terms = Vec::new();
        for word in query_words(&text).into_iter().take(MAX_TERMS) {
            call.check()?;
            terms.push(index.term(&word)?);
        }
        // A topic is worth a part of the best word, so that the word itself is always worth more.
        let heaviest = terms.iter().map(|term| term.weight).fold(0.0, f64::max);
        for topic in &mut topics {
            topic.weight *= heaviest;
        }
        Ok(Self { terms, topics, common: index.common })
    }

    /// What a fact that has every word would be given.
    pub(super) fn total_weight(&self) -> f64 {
        self.terms.iter().map(|term| term.weight).sum()
    }

    /// The words that find facts, rarest first; all words when all are common.
    pub(super) fn finders(&self) -> Vec<&Form> {
        let mut finders: Vec<_> = self.terms.iter().flat_map(|term| &term.forms).collect();
        finders.sort_by_key(|form| form.frequency);
        if finders.first().is_some_and(|rarest| rarest.frequency <= self.common) {
            finders.retain(|form| form.frequency <= self.common);
        }
        finders
    }
}

/// Whether a text has a word that says something.
pub(crate) fn says_something(text: &str) -> bool {
    tokens(truncate_chars(text, MAX_CHARS)).iter().any(|token| !is_stop_word(&token.text))
}

/// What the index knows of words.
struct Index<'a> {
    db: &'a Connection,
    facts: i64,
    common: i64,
}

impl<'a> Index<'a> {
    fn new(db: &'a Connection) -> Result<Self> {
        // The highest id stands for the number of facts: counting them would read the whole table.
        let facts: i64 = db.query_row("SELECT coalesce(max(fact_id), 0) FROM facts", (), |row| row.get(0))?;
        Ok(Self { db, facts, common: (facts / 50).max(1000) })
    }

    /// Looks a word of the question up.
    fn term(&self, word: &QueryWord) -> Result<Term> {
        let mut forms = Vec::new();
        self.take(&mut forms, [&word.token.stem], 1.0)?;
        self.take(&mut forms, &word.forms, FORM_LIKENESS)?;
        let sounds: HashSet<i64> = entities::facts_that_sound_like(self.db, &word.token)?.into_iter().collect();
        let mut importance = 1.0;
        if entities::is_in_a_name(self.db, &word.token)? {
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
        let known = i64::try_from(sounds.len()).unwrap_or(i64::MAX).max(frequency);
        let weight = self.weight(known);
        for form in &mut forms {
            form.likeness *= (self.weight(form.frequency) / weight).min(1.0);
        }
        Ok(Term { forms, weight: importance * weight, sounds })
    }

    /// Adds those of the terms that the index has.
    fn take<'t>(
        &self,
        forms: &mut Vec<Form>,
        terms: impl IntoIterator<Item = &'t String>,
        likeness: f64,
    ) -> Result<()> {
        for term in terms {
            let frequency = self.frequency(term)?;
            if frequency > 0 && !forms.iter().any(|form| form.term == *term) {
                forms.push(Form { term: term.clone(), likeness, frequency });
            }
        }
        Ok(())
    }

    /// In how many facts a word is; `common` + 1 for more.
    fn frequency(&self, stem: &str) -> Result<i64> {
        let mut count = self
            .db
            .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM facts_fts WHERE facts_fts MATCH ?1 LIMIT ?2)")?;
        Ok(count.query_row((quoted(stem), self.common + 1), |row| row.get(0))?)
    }

    fn weight(&self, frequency: i64) -> f64 {
        let number = |count: i64| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
        let (facts, frequency) = (number(self.facts.max(FEWEST_FACTS).max(frequency)), number(frequency));
        (1.0 + (facts - frequency + 0.5) / (frequency + 0.5)).ln()
    }
}
