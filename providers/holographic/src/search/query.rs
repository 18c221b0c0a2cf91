//! What is asked for: terms, and how much each says.

use std::collections::{HashMap, HashSet};

use hermes_provider_api::Call;
use hermes_text::{Token, TokenKind, is_stop_word, query_terms, tokens, truncate_chars};
use rusqlite::Connection;

use super::{quoted, ratio};
use crate::entities;
use crate::error::Result;
use crate::topics::{self, Read, Topic};

/// No more terms than this are looked up.
pub(super) const MAX_TERMS: usize = 48;
/// A question is not longer; the rest of a pasted text is not searched for.
const MAX_CHARS: usize = 4000;

/// A name says more than a common word of the same frequency; a word that was only guessed says less.
const NAME_IMPORTANCE: f64 = 1.5;
const NEAR_IMPORTANCE: f64 = 0.6;
/// An unknown pair of characters is mostly the end of one word and the beginning of another.
const SEAM_IMPORTANCE: f64 = 0.3;
/// "live", "name", "like": a fact may say the same in other words.
const EVERYDAY_IMPORTANCE: f64 = 0.7;
/// In a small store no word is rare; without this, words that no fact has would outweigh all others.
const FEWEST_FACTS: i64 = 100;
/// How many letters another form of a word must have in common, and which share of the shorter one.
const NEAR_CHARS: usize = 4;
const NEAR_LIKENESS: f64 = 0.75;

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
    pub(super) stem: String,
    /// How much it says: the inverse document frequency.
    pub(super) weight: f64,
    /// In how many facts it is, counted up to `common` + 1.
    pub(super) frequency: i64,
    /// Facts in which a name sounds like it.
    pub(super) sounds: HashSet<i64>,
}

impl Query {
    /// Reads a question and looks up how often its words occur.
    pub(crate) fn new(db: &Connection, text: &str, call: &Call<'_>) -> Result<Self> {
        let Read { text, mut topics } = topics::read(bounded(text));
        let of_stem: HashMap<String, Token> =
            tokens(&text).into_iter().map(|token| (token.stem.clone(), token)).collect();
        let index = Index::new(db)?;
        let mut terms = Vec::new();
        for stem in query_terms(&text).into_iter().take(MAX_TERMS) {
            call.check()?;
            let token = of_stem.get(&stem);
            let mut term = Term { stem, weight: 0.0, frequency: 0, sounds: HashSet::new() };
            term.frequency = index.frequency(&term.stem)?;
            let mut importance = 1.0;
            if let Some(token) = token {
                term.sounds = entities::facts_that_sound_like(db, token)?.into_iter().collect();
                if entities::is_in_a_name(db, token)? {
                    importance = NAME_IMPORTANCE;
                } else if term.frequency == 0
                    && token.kind == TokenKind::Word
                    && let Some(base) = index.nearest(&term.stem)?
                {
                    term.frequency = index.frequency(&base)?;
                    term.stem = base;
                    importance = NEAR_IMPORTANCE;
                } else if term.frequency == 0 && token.kind == TokenKind::Gram {
                    importance = SEAM_IMPORTANCE;
                } else if !topics::of_stem(&term.stem).is_empty() {
                    importance = EVERYDAY_IMPORTANCE;
                }
            }
            let known = i64::try_from(term.sounds.len()).unwrap_or(i64::MAX).max(term.frequency);
            term.weight = importance * index.weight(known);
            terms.push(term);
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
    pub(super) fn finders(&self) -> Vec<&Term> {
        let mut finders: Vec<_> = self.terms.iter().filter(|term| term.frequency > 0).collect();
        finders.sort_by_key(|term| term.frequency);
        if finders.first().is_some_and(|rarest| rarest.frequency <= self.common) {
            finders.retain(|term| term.frequency <= self.common);
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

    /// In how many facts a word is; `common` + 1 for more.
    fn frequency(&self, stem: &str) -> Result<i64> {
        let mut count = self
            .db
            .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM facts_fts WHERE facts_fts MATCH ?1 LIMIT ?2)")?;
        Ok(count.query_row((quoted(stem), self.common + 1), |row| row.get(0))?)
    }

    /// For a word that no fact has: the word that begins most like it, if it is likely to be another form of it
    /// ("swimmers" and "swim", "öğretmenler" and "öğretmen").
    fn nearest(&self, stem: &str) -> Result<Option<String>> {
        let letters: Vec<char> = stem.chars().collect();
        let beginning: String = letters.iter().take(NEAR_CHARS).collect();
        let mut select = self.db.prepare_cached(
            "SELECT term FROM temp.vocabulary WHERE term >= ?1 AND term < ?1 || char(1114111) LIMIT 500",
        )?;
        let mut best = (0.0, None);
        for term in select.query_map([&beginning], |row| row.get::<_, String>(0))? {
            let term = term?;
            let other: Vec<char> = term.chars().collect();
            let shared = letters.iter().zip(&other).take_while(|(one, other)| one == other).count();
            let likeness = ratio(shared, letters.len().min(other.len()));
            if shared >= NEAR_CHARS.min(other.len()) && other.len() >= NEAR_CHARS && likeness > best.0 {
                best = (likeness, Some(term));
            }
        }
        Ok(best.1.filter(|_| best.0 >= NEAR_LIKENESS))
    }

    fn weight(&self, frequency: i64) -> f64 {
        let number = |count: i64| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
        let (facts, frequency) = (number(self.facts.max(FEWEST_FACTS).max(frequency)), number(frequency));
        (1.0 + (facts - frequency + 0.5) / (frequency + 0.5)).ln()
    }
}
