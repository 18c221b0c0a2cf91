//! Pairs of facts that cannot both be so: about the same thing, in much the same words, with another value.
//!
//! A first, simple version. Two facts are compared when they have the same subject (the first name in the text, or the
//! first term where there are no names) and share words; words that only one of them has are what they differ in.

use std::collections::{HashMap, HashSet};

use hermes_provider_api::Call;
use hermes_text::{head_of_terms, is_stop_word};
use rusqlite::Connection;

use crate::audience::Audience;
use crate::entities::{self, Entity};
use crate::error::Result;
use crate::facts::{self, Fact, Filter};
use crate::search::ratio;
use crate::topics;

/// Only the newest facts are compared.
const MAX_FACTS: usize = 2000;
/// A subject with more facts than this is compared among its newest ones.
const MAX_GROUP: usize = 200;
/// The smallest share of words in common, subject left out.
const MIN_OVERLAP: f64 = 0.25;

/// Two facts.
pub(crate) struct Pair {
    pub newer: Fact,
    pub older: Fact,
    /// Share of common words beside the subject, 0 to 1.
    pub overlap: f64,
    /// In one sentence.
    pub why: String,
}

/// Pairs that seem to contradict each other, most alike first.
pub(crate) fn contradictions(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<Pair>> {
    let facts = facts::list(db, audience, filter, None, MAX_FACTS)?;
    let names = entities::of_facts(db, facts.iter().map(|fact| fact.id))?;
    let described: Vec<Described<'_>> =
        facts.iter().map(|fact| Described::new(fact, names.get(&fact.id).map_or(&[], Vec::as_slice))).collect();
    let mut groups: HashMap<&str, Vec<&Described<'_>>> = HashMap::new();
    for fact in &described {
        for key in fact.subject.split(' ') {
            groups.entry(key).or_default().push(fact);
        }
    }
    let mut seen = HashSet::new();
    let mut pairs = Vec::new();
    for group in groups.values_mut() {
        call.check()?;
        group.truncate(MAX_GROUP);
        for (at, one) in group.iter().enumerate() {
            for other in group.iter().skip(at + 1) {
                if seen.insert((one.fact.id, other.fact.id)) {
                    pairs.extend(one.against(other));
                }
            }
        }
    }
    pairs.sort_by(|a, b| b.overlap.total_cmp(&a.overlap).then(b.newer.id.cmp(&a.newer.id)));
    pairs.truncate(limit);
    Ok(pairs)
}

/// A fact taken apart.
struct Described<'a> {
    fact: &'a Fact,
    subject: &'a str,
    names: &'a [Entity],
    /// Words that belong to no topic.
    words: HashSet<&'a str>,
    topics: HashSet<usize>,
}

impl<'a> Described<'a> {
    fn new(fact: &'a Fact, names: &'a [Entity]) -> Self {
        let subject = match names.first() {
            Some(name) => name.stems.as_str(),
            None => head_of_terms(&fact.terms).0.split(' ').next().unwrap_or_default(),
        };
        let mut words: HashSet<&str> =
            head_of_terms(&fact.terms).0.split(' ').filter(|term| !is_stop_word(term)).collect();
        let topics = words.iter().flat_map(|word| topics::of_stem(word)).collect();
        // A fact that has nothing else keeps its topic words: they are what it says.
        let special = |word: &&str| topics::of_stem(word).is_empty();
        if words.iter().any(|word| special(word) && !subject.split(' ').any(|stem| stem == *word)) {
            words.retain(|word| special(word));
        }
        Self { fact, subject, names, words, topics }
    }

    fn against(&self, other: &Self) -> Option<Pair> {
        let same_subject = match (self.names.first(), other.names.first()) {
            (Some(one), Some(two)) => one.meets(two),
            (None, None) => self.subject == other.subject,
            _ => false,
        };
        if !same_subject {
            return None;
        }
        let subject: HashSet<&str> = self.subject.split(' ').chain(other.subject.split(' ')).collect();
        let only = |of: &Self, not: &Self| -> Vec<&str> {
            let mut words: Vec<_> = head_of_terms(&of.fact.terms).0.split(' ').collect();
            words.retain(|word| of.words.contains(word) && !not.words.contains(word) && !subject.contains(word));
            words.dedup();
            words
        };
        let (mine, theirs) = (only(self, other), only(other, self));
        let names_a_value = |of: &Self, words: &[&str]| {
            of.names.iter().any(|name| name.stems.split(' ').any(|stem| words.contains(&stem)))
        };
        // A place does not contradict a profession.
        if mine.is_empty() || theirs.is_empty() || names_a_value(self, &mine) != names_a_value(other, &theirs) {
            return None;
        }
        let shared_words = self.words.intersection(&other.words).filter(|word| !subject.contains(*word)).count();
        let shared = shared_words + self.topics.intersection(&other.topics).count();
        let apart = mine.len().max(theirs.len()) + self.topics.symmetric_difference(&other.topics).count();
        let overlap = ratio(shared, shared + apart);
        let why = format!(
            "both are about the same subject in similar words, but only one says `{}` and only the other `{}`",
            as_said(&self.fact.content, &mine),
            as_said(&other.fact.content, &theirs)
        );
        // A correction makes a fact newer than one that was stored after it.
        let (newer, older) = if self.fact.updated >= other.fact.updated { (self, other) } else { (other, self) };
        let pair = Pair { newer: newer.fact.clone(), older: older.fact.clone(), overlap, why };
        (overlap >= MIN_OVERLAP).then_some(pair)
    }
}

/// The pieces of a fact that have these stems, as they stand in it: a reader knows words, not stems or pairs of signs.
fn as_said(content: &str, stems: &[&str]) -> String {
    let mut pieces: Vec<std::ops::Range<usize>> = Vec::new();
    for token in hermes_text::tokens(content) {
        if !stems.contains(&token.stem.as_str()) {
            continue;
        }
        match pieces.last_mut() {
            // Pairs of signs overlap.
            Some(last) if token.start < last.end => last.end = last.end.max(token.end),
            _ => pieces.push(token.start..token.end),
        }
    }
    let words: Vec<&str> = pieces.into_iter().filter_map(|piece| content.get(piece)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::as_said;

    #[test]
    fn differences_are_told_in_the_words_of_the_fact() {
        assert_eq!(as_said("Anna lives in Paris.", &["pari"]), "Paris");
        assert_eq!(as_said("王芳住在广州", &["在广", "广州"]), "在广州");
        assert_eq!(as_said("Anna lives in Paris.", &[]), "");
    }
}
