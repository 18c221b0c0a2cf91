//! How well a message fits a query, by its text: BM25 over what it says, with what stands beside it.

use hermes_text::{TokenKind, contains_normalized, for_each_piece};

use super::find::Matcher;
use super::index::beginning;
use super::passage::Hit;
use super::query::Query;

/// `k1` and `b` of BM25 (Robertson and Zaragoza 2009), and the length of a usual message in words.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.35;
const USUAL: f64 = 60.0;
/// In scripts without spaces each pair of characters is a word to the index; a word of them has about two characters.
const PAIR: f64 = 0.5;
/// What it is worth that words stand together as in the query, and how many may lie between them.
const TOGETHER: f64 = 0.25;
const NEAR: usize = 2;
/// What having many of the words is worth beside what each says: of two messages that say the same, the one that says
/// more of the query.
const COVERAGE: f64 = 0.3;
/// Results of tools say what nobody said.
const TOOL: f64 = 0.6;
const SYSTEM: f64 = 0.5;
/// So much of a text is weighed, and so much of it is looked at for the best part.
const WEIGHED: usize = 16 * 1024;
const SHOWN: usize = 256 * 1024;

/// What a message has of a query.
#[derive(Default)]
pub(super) struct Fit {
    /// 0 without any of the words; a message that has each of them has about 1.
    pub(super) score: f64,
    /// What each word of the query adds to it.
    pub(super) words: Vec<f64>,
    /// Where the words stand.
    pub(super) hits: Vec<Hit>,
}

/// Weighs texts by a query.
pub(super) struct Scale<'q> {
    query: &'q Query,
    matcher: Matcher<'q>,
}

#[derive(Clone, Copy, Default)]
struct Word {
    likeness: f64,
    times: f64,
    place: usize,
    follows: bool,
}

impl<'q> Scale<'q> {
    pub(super) fn new(query: &'q Query) -> Self {
        Self { query, matcher: Matcher::new(query) }
    }

    /// Weighs the beginning of a text.
    pub(super) fn weigh(&self, text: &str) -> Fit {
        self.weigh_to(text, WEIGHED)
    }

    /// The same for far more of it, to find the best part.
    pub(super) fn weigh_long(&self, text: &str) -> Fit {
        self.weigh_to(text, SHOWN)
    }

    fn weigh_to(&self, text: &str, most: usize) -> Fit {
        let text = beginning(text, most);
        let words = &self.query.words;
        let mut having = vec![Word::default(); words.len()];
        let (mut hits, mut place, mut start, mut end, mut pairs) = (Vec::new(), 0, 0, 0, 0);
        for_each_piece(text, |piece| {
            let (from, to) = piece.place();
            let is_pair = piece.kind() == TokenKind::Gram && from > start && from < end;
            // Parts of a word stand where the word stands, pairs of characters one behind the other.
            if from >= end || is_pair {
                place += 1;
                start = from;
                pairs += usize::from(is_pair);
            }
            end = end.max(to);
            for (at, likeness) in self.matcher.of(&piece) {
                let before = at.checked_sub(1).and_then(|before| having.get(before)).map_or(0, |before| before.place);
                let Some(found) = having.get_mut(at) else { continue };
                found.likeness = found.likeness.max(likeness);
                found.times += 1.0;
                found.follows |= before > 0 && before < place && place - before <= NEAR;
                found.place = place;
                let worth = words.get(at).map_or(0.0, |word| word.weight) * likeness;
                hits.push(Hit { start: from, end: to, word: at, worth });
            }
        });
        if hits.is_empty() {
            return Fit::default();
        }
        let total = self.query.total();
        let length = SATURATION * (1.0 - LENGTH + LENGTH * (number(place) - PAIR * number(pairs)) / USUAL);
        let (mut each, mut together, mut covered) = (vec![0.0; words.len()], 0.0, 0.0);
        let with_words = words.iter().zip(&having).zip(&mut each);
        for ((word, found), adds) in with_words.filter(|((_, found), _)| found.likeness > 0.0) {
            let often = found.times * (SATURATION + 1.0) / (found.times + length);
            *adds = word.weight * found.likeness * often / total;
            covered += word.weight * found.likeness;
            if found.follows {
                together += word.weight * found.likeness;
            }
        }
        let covered = covered / total;
        let score = each.iter().sum::<f64>() + TOGETHER * together / total + COVERAGE * covered * covered;
        Fit { score, words: each, hits }
    }

    /// Whether every phrase stands in a text.
    pub(super) fn has_phrases(&self, text: &str) -> bool {
        self.query.phrases.iter().all(|phrase| contains_normalized(text, phrase))
    }
}

/// How much a message counts by who said it.
pub(super) fn of_role(role: &str) -> f64 {
    match role {
        "tool" => TOOL,
        "system" => SYSTEM,
        _ => 1.0,
    }
}

pub(super) fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
