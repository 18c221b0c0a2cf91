//! Ranked search: facts that have some of the words.
//!
//! The lists of the words give [`candidates`]. These are then weighed over all words: which of them a fact has, in which form, how rare and how often they are, whether they stand together as in
//! the question and at its beginning, and how much else the fact says.

use std::cell::RefCell;

use hermes_provider_api::Call;
use rusqlite::Connection;

use super::candidates::{self, Bounds, Candidates};
use super::query::{Query, Scale};
use super::rows::{Rows, Weighed};
use super::{Found, Hit, load, sort, trusted};
use crate::audience::Audience;
use crate::error::Result;
use crate::facts::Filter;
use crate::index::{Lists, Map, Word};
use crate::topics::Topic;

/// Fewer candidates than this are joined by facts that share no word with the question, only its topic.
const FEW: usize = 50;
/// How soon more of the same word says no more: `k1` of BM25 (Robertson and Zaragoza 2009).
const SATURATION: f64 = 1.2;
/// What each word of a fact costs: of two facts that say the same the shorter one is meant.
const LENGTH_COST: f64 = 0.001;
/// What it is worth that words stand together as in the question, and how many words may lie between them.
const TOGETHER: f64 = 0.3;
const NEAR: usize = 2;
/// What it is worth that a fact begins with a word, since that is mostly what it is about, and how many words from there
/// it is worth half.
const EARLY: f64 = 0.5;
const BEGINNING: f64 = 8.0;
const SOMEWHERE: usize = 4;

/// What it is worth that a fact was learnt in the project that is asked from.
const SAME_PROJECT: f64 = 1.05;

/// The words of the sieve that keeps most words of a fact from being looked up.
const SIEVE: usize = 64;

/// How many are weighed before it is asked which of the rest can be wanted. All of these are read at once then, in the
/// order in which they lie in the file.
const FIRST: usize = 20;

/// Which facts are wanted. One that cannot be among them any more is not read.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    /// So many of the best.
    Best(usize),
    /// Those that are worth so much of what the best one is.
    Near(f64),
}

impl Wanted {
    /// What a fact must be worth to be wanted, by those that were found so far.
    fn least(self, found: &[Found]) -> f64 {
        let scores = found.iter().map(|found| found.score);
        match self {
            Self::Near(part) => part * scores.fold(0.0, f64::max),
            Self::Best(count) if count > found.len() => 0.0,
            Self::Best(count) => {
                let mut scores: Vec<f64> = scores.collect();
                *scores.select_nth_unstable_by(count.max(1) - 1, |a, b| b.total_cmp(a)).1
            }
        }
    }
}

/// The best facts for a question.
pub(crate) fn search(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    query: &Query,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<Hit>> {
    load(db, audience, filter, best(db, audience, filter, query, &Bounds::USUAL, limit, call)?)
}

/// The same without the facts themselves.
pub(crate) fn best(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    query: &Query,
    bounds: &Bounds,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<Found>> {
    let mut found = Ranking::new(db, audience, filter, query)?.found(bounds, Wanted::Best(limit), call)?;
    found.truncate(limit);
    Ok(found)
}

/// A question, and what it is asked of.
pub(crate) struct Ranking<'a> {
    db: &'a Connection,
    audience: &'a Audience<'a>,
    filter: &'a Filter,
    lists: Lists<'a>,
    scale: Scale<'a>,
    /// Candidates were left out that could not be wanted.
    left_out: bool,
}

impl<'a> Ranking<'a> {
    /// Looks the words of the question up.
    pub(crate) fn new(
        db: &'a Connection,
        audience: &'a Audience<'a>,
        filter: &'a Filter,
        query: &'a Query,
    ) -> Result<Self> {
        let mut lists = Lists::new(db)?;
        let scale = Scale::new(&mut lists, audience, query)?;
        Ok(Self { db, audience, filter, lists, scale, left_out: false })
    }

    /// The facts that are wanted, best first, and some that are worse.
    pub(crate) fn found(&mut self, bounds: &Bounds, wanted: Wanted, call: &Call<'_>) -> Result<Vec<Found>> {
        let (scale, lists) = (&self.scale, &mut self.lists);
        call.check()?;
        let most = bounds.candidates(scale.facts);
        let Candidates { mut ids, worths, unseen } = candidates::by_words(lists, scale, bounds)?;
        let mut rows = Rows::new(self.db, self.audience, self.filter);
        let scores = Scores::new(scale);
        let mut found: Vec<Found> = Vec::new();
        let (mut read, mut weighed) = (0, 0);
        let mut end = ids.len().min(FIRST).min(most);
        while read < end {
            call.check()?;
            weighed += scores.weigh_all(&mut rows, &mut ids[read..end], &mut found)?;
            read = end;
            let least = wanted.least(&found);
            let can_be = worths.partition_point(|worth| scores.most(worth + unseen) >= least);
            end = can_be.min(read + most.saturating_sub(weighed));
        }
        self.left_out = weighed < most && read < ids.len();
        if self.left_out {
            weighed += ids.len() - read;
        }
        // The words of a topic are common: they are looked for only where the question's own found little.
        if weighed < FEW {
            let mut others = candidates::by_topics(lists, scale, bounds, &ids, most)?;
            scores.weigh_all(&mut rows, &mut others, &mut found)?;
        }
        sort(&mut found);
        Ok(found)
    }

    /// What those of these facts are worth for the question that were left out as not wanted.
    pub(crate) fn left_out(&self, mut ids: Vec<i64>) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        if !self.left_out {
            return Ok(found);
        }
        let mut rows = Rows::new(self.db, self.audience, self.filter);
        Scores::new(&self.scale).weigh_all(&mut rows, &mut ids, &mut found)?;
        Ok(found)
    }
}

/// Weighs facts by a question.
struct Scores<'s> {
    scale: &'s Scale<'s>,
    total: f64,
    /// How likely the least likely form is the word.
    least_likeness: f64,
    /// Which words may be among these, by their lowest bits: most words of a fact are not.
    sieve: Box<[u64; SIEVE]>,
    /// What a word of a fact says: which word of the question it is, and how likely.
    words: Map<Word, Vec<(usize, f64)>>,
    /// Which topics it is of.
    topics: Map<Word, Vec<usize>>,
    phrases: Vec<(usize, Vec<Word>)>,
    /// Used again for each fact.
    having: RefCell<(Vec<Having>, Vec<bool>)>,
}

/// What a fact has of a word of the question.
#[derive(Clone, Copy, Default)]
struct Having {
    likeness: f64,
    times: usize,
    /// Where it stands first and last, counted from 1; 0 when it is not there itself.
    first: usize,
    place: usize,
    /// Whether the word before it in the question stands before it.
    follows: bool,
}

impl<'s> Scores<'s> {
    fn new(scale: &'s Scale<'s>) -> Self {
        let mut words: Map<Word, Vec<(usize, f64)>> = Map::default();
        for (at, term) in scale.terms.iter().enumerate() {
            for form in &term.forms {
                words.entry(form.word).or_default().push((at, form.likeness));
            }
        }
        let mut topics: Map<Word, Vec<usize>> = Map::default();
        let mut phrases = Vec::new();
        for (at, Topic { stems, phrases: own, .. }) in scale.topics.iter().enumerate() {
            // A word that was asked for itself counts as such.
            for word in stems.iter().map(|stem| scale.numbers.word(stem)).filter(|word| !words.contains_key(word)) {
                topics.entry(word).or_default().push(at);
            }
            phrases.extend(own.iter().map(|phrase| (at, scale.in_a_row(phrase))));
        }
        let mut sieve = Box::new([0; SIEVE]);
        for word in words.keys().chain(topics.keys()) {
            let (at, bit) = in_sieve(*word);
            sieve[at] |= bit;
        }
        let forms = scale.terms.iter().flat_map(|term| &term.forms);
        let least_likeness = forms.map(|form| form.likeness).fold(1.0, f64::min);
        let (total, having) = (scale.total_weight(), RefCell::default());
        Self { scale, total, least_likeness, sieve, words, topics, phrases, having }
    }

    /// Weighs those of the facts that are admitted, and answers how many these are.
    fn weigh_all(&self, rows: &mut Rows<'_>, ids: &mut [i64], found: &mut Vec<Found>) -> Result<usize> {
        let mut admitted = 0;
        rows.each(ids, |fact| {
            admitted += 1;
            found.extend(self.weigh(&fact));
        })?;
        Ok(admitted)
    }

    /// The most that a fact can be worth whose words are worth so much: with each of them in it without end, at its
    /// beginning and in the order of the question, of every topic, in the project, and trusted wholly.
    fn most(&self, worth: f64) -> f64 {
        // Where words stand counts by the words of the question, in whatever form they are there.
        let placed = (worth / self.least_likeness).min(self.total) * (TOGETHER + EARLY);
        let topics: f64 = self.scale.topics.iter().map(|topic| topic.weight * self.scale.topic_weight).sum();
        let share = (worth * (1.0 + SATURATION) + placed + topics) / self.total;
        trusted(share * SAME_PROJECT, 1.0)
    }

    fn weigh(&self, fact: &Weighed<'_>) -> Option<Found> {
        let (having, topics) = &mut *self.having.borrow_mut();
        having.clear();
        having.resize(self.scale.terms.len(), Having::default());
        topics.clear();
        topics.resize(self.scale.topics.len(), false);
        let length = fact.words.head().len();
        for (place, word) in fact.words.head().enumerate() {
            self.meet(word, place + 1, having, topics);
        }
        for word in fact.words.tail() {
            self.meet(word, 0, having, topics);
        }
        if !self.phrases.is_empty() {
            let row: Vec<Word> = fact.words.head().collect();
            for (topic, phrase) in &self.phrases {
                if let (Some(found), true) = (topics.get_mut(*topic), !phrase.is_empty()) {
                    *found = *found || row.windows(phrase.len()).any(|words| words == phrase);
                }
            }
        }
        let (mut weight, mut matched, mut neighbours, mut early) = (0.0, 0, 0.0, 0.0);
        let mut name_before = false;
        for (term, found) in self.scale.terms.iter().zip(&*having) {
            let is_name = term.sounds.contains(&fact.id);
            let likeness = if is_name { 1.0 } else { found.likeness };
            if likeness > 0.0 {
                let times = number(found.times.max(1));
                let often = times * (1.0 + SATURATION) / (times + SATURATION);
                weight += term.weight * likeness * often;
                matched += 1;
                // A name that was found by its sound has no place.
                if found.follows || found.place == 0 && is_name && name_before {
                    neighbours += term.weight;
                }
                // Where a name stands that was found by its sound is not known.
                let first = if is_name && found.first == 0 { SOMEWHERE } else { found.first };
                if first > 0 {
                    early += term.weight / (1.0 + number(first) / BEGINNING);
                }
            }
            name_before = is_name;
        }
        for (topic, _) in self.scale.topics.iter().zip(topics).filter(|(_, found)| **found) {
            weight += topic.weight * self.scale.topic_weight;
            matched += 1;
        }
        if matched == 0 {
            return None;
        }
        let share = weight / self.total;
        let brevity = 1.0 / (1.0 + LENGTH_COST * number(length.max(1)));
        let nearness = if fact.same_project { SAME_PROJECT } else { 1.0 };
        let fits = (share + TOGETHER * neighbours / self.total + EARLY * early / self.total) * brevity * nearness;
        Some(Found { id: fact.id, score: fact.trusted(fits), coverage: share.min(1.0), matched })
    }

    fn meet(&self, word: Word, place: usize, having: &mut [Having], topics: &mut [bool]) {
        let (at, bit) = in_sieve(word);
        if self.sieve[at] & bit == 0 {
            return;
        }
        for (at, likeness) in self.words.get(&word).into_iter().flatten() {
            let before = at.checked_sub(1).and_then(|before| having.get(before)).map_or(0, |before| before.place);
            let Some(found) = having.get_mut(*at) else { continue };
            found.likeness = found.likeness.max(*likeness);
            if place > 0 {
                found.times += 1;
                found.place = place;
                if found.first == 0 {
                    found.first = place;
                }
                found.follows |= before > 0 && before < place && place - before <= NEAR;
            }
        }
        for at in self.topics.get(&word).into_iter().flatten() {
            if let Some(topic) = topics.get_mut(*at) {
                *topic = true;
            }
        }
    }
}

/// Where a word is in the sieve.
fn in_sieve(word: Word) -> (usize, u64) {
    let place = word.bits() % (64 * SIEVE);
    (place / 64, 1 << (place % 64))
}

fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
