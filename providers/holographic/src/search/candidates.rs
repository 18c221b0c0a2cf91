//! Which facts are worth weighing: those that have most of what the words of a question say, told from the lists of the
//! words alone.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::query::Scale;
use crate::error::Result;
use crate::index::{Lists, Word};

/// How much is looked at for one question. What grows with the store, where more facts are nearly alike, grows by one for
/// so many facts.
pub(crate) struct Bounds {
    /// No more facts than this are weighed, and at the most so many.
    candidates: usize,
    facts_a_candidate: i64,
    most_candidates: usize,
    /// No more than this are read to find those that may be weighed, where the filter admits few.
    pub(super) read: usize,
    /// No more occurrences than this are looked at to find them: those of the rarest words, and of the last one the newest.
    occurrences: usize,
    facts_an_occurrence: i64,
}

impl Bounds {
    /// Of every search.
    pub(crate) const USUAL: Self = Self {
        candidates: 300,
        facts_a_candidate: 500,
        most_candidates: 600,
        read: 4000,
        occurrences: 30_000,
        facts_an_occurrence: 10,
    };
    /// Of a search for facts that have most words of a text: by its rarest ones.
    pub(crate) const ALIKE: Self = Self {
        candidates: 60,
        facts_a_candidate: i64::MAX,
        most_candidates: 60,
        read: 600,
        occurrences: 3000,
        facts_an_occurrence: i64::MAX,
    };
    /// None, to measure what the others cost.
    pub(crate) const NONE: Self = Self {
        candidates: usize::MAX,
        facts_a_candidate: i64::MAX,
        most_candidates: usize::MAX,
        read: usize::MAX,
        occurrences: usize::MAX,
        facts_an_occurrence: i64::MAX,
    };

    /// How many facts are weighed in a store of so many.
    pub(super) fn candidates(&self, facts: i64) -> usize {
        self.candidates.saturating_add(part(facts, self.facts_a_candidate)).min(self.most_candidates)
    }

    fn occurrences(&self, facts: i64) -> usize {
        self.occurrences.saturating_add(part(facts, self.facts_an_occurrence))
    }
}

fn part(facts: i64, of: i64) -> usize {
    usize::try_from(facts / of).unwrap_or(0)
}

const MAX_TOPICS: usize = 3;
const MAX_TOPIC_WORDS: usize = 64;
/// Of the words of a topic, which are common, so many times fewer occurrences are looked at.
const OF_TOPICS: usize = 10;
/// Facts are gone through in stretches of so many ids, so that what they are worth is added up close together.
const STRETCH: usize = 1 << 14;

/// The facts that have a term.
struct Having {
    /// The place of its word among those of the question.
    term: usize,
    worth: f64,
    /// Newest first; those before `at` have been met.
    ids: Vec<i64>,
    at: usize,
}

/// Facts that have some of the words.
pub(super) struct Candidates {
    /// Those first that have most of what the words say, then the newest.
    pub(super) ids: Vec<i64>,
    /// What the words of each say, as far as their lists were looked at.
    pub(super) worths: Vec<f64>,
    /// What the words say at most that were not looked for in all facts.
    pub(super) unseen: f64,
}

/// Looks for facts that have some of the words.
pub(super) fn by_words(lists: &mut Lists<'_>, scale: &Scale<'_>, bounds: &Bounds) -> Result<Candidates> {
    let mut having: Vec<Having> = Vec::new();
    let mut unseen = vec![0.0_f64; scale.terms.len()];
    let mut left = bounds.occurrences(scale.facts);
    for (at, form) in scale.finders() {
        let worth = scale.terms.get(at).map_or(0.0, |term| term.weight) * form.likeness;
        let ids = if left == 0 { Vec::new() } else { lists.newest(form.word, left)? };
        left = left.saturating_sub(ids.len());
        if let Some(unseen) =
            unseen.get_mut(at).filter(|_| i64::try_from(ids.len()).is_ok_and(|ids| ids < form.frequency))
        {
            *unseen = unseen.max(worth);
        }
        having.push(Having { term: at, worth, ids, at: 0 });
    }
    for (at, term) in scale.terms.iter().enumerate().filter(|(_, term)| !term.sounds.is_empty()) {
        let mut ids: Vec<i64> = term.sounds.iter().copied().collect();
        ids.sort_unstable_by_key(|id| Reverse(*id));
        having.push(Having { term: at, worth: term.weight, ids, at: 0 });
    }
    // Of the forms of one word the best counts, and is met first.
    having.sort_by(|one, other| one.term.cmp(&other.term).then(other.worth.total_cmp(&one.worth)));
    let mut best = worthiest(having, bounds.read);
    spread(&mut best, bounds.candidates(scale.facts));
    best.truncate(bounds.read);
    let (worths, ids) = best.into_iter().unzip();
    Ok(Candidates { ids, worths, unseen: unseen.into_iter().sum() })
}

/// A fact, behind what it is worth.
type Worth = (f64, i64);

/// Adds up what the facts are worth; the best come first, and of equals the newest. At least `most` are kept.
fn worthiest(mut having: Vec<Having>, most: usize) -> Vec<Worth> {
    let mut best: Vec<Worth> = Vec::new();
    let order = |one: &Worth, other: &Worth| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1));
    let kept = most.saturating_mul(4);
    // What is worth no more than this comes too late: all that follow are older.
    let mut least = 0.0;
    // What each fact of a stretch is worth, and for which word that was counted last. A small store has no whole one.
    let ids = || having.iter().flat_map(|list| [list.ids.first(), list.ids.last()]).flatten();
    let all = ids().max().zip(ids().min()).map_or(0, |(newest, oldest)| newest - oldest + 1);
    let mut sums = vec![(0.0, usize::MAX); usize::try_from(all).map_or(STRETCH, |all| all.min(STRETCH))];
    let mut met: Vec<usize> = Vec::new();
    while let Some(newest) = having.iter().filter_map(|list| list.ids.get(list.at)).max().copied() {
        for list in &mut having {
            while let Some(id) = list.ids.get(list.at)
                && let Some(sum) = usize::try_from(newest - id).ok().and_then(|place| sums.get_mut(place))
            {
                list.at += 1;
                if sum.1 != list.term {
                    if sum.1 == usize::MAX {
                        met.push(usize::try_from(newest - id).unwrap_or_default());
                    }
                    *sum = (sum.0 + list.worth, list.term);
                }
            }
        }
        for place in met.drain(..) {
            let (worth, _) = std::mem::replace(&mut sums[place], (0.0, usize::MAX));
            if worth > least {
                best.push((worth, newest - i64::try_from(place).unwrap_or_default()));
            }
        }
        if best.len() / 2 > kept {
            let (_, (worth, _), _) = best.select_nth_unstable_by(kept, order);
            least = *worth;
            best.truncate(kept);
        }
    }
    best.sort_unstable_by(order);
    best
}

/// Where more facts are worth the same than there is room for among the first `most`: half of the room is for the newest,
/// and half for others of all ages, since what else tells them apart is seen only when they are weighed.
fn spread(best: &mut Vec<Worth>, most: usize) {
    let Some((last, _)) = most.checked_sub(1).and_then(|at| best.get(at)).copied() else { return };
    let (from, to) =
        (best.partition_point(|(worth, _)| *worth > last), best.partition_point(|(worth, _)| *worth >= last));
    let newest = from + (most - from).div_ceil(2);
    let (count, room) = (to - newest, most - newest);
    let older: Vec<Worth> = best.drain(newest..to).collect();
    let is_chosen = |at: usize| at * room / count != (at + 1) * room / count;
    let (chosen, others): (Vec<_>, Vec<_>) = older.into_iter().enumerate().partition(|(at, _)| is_chosen(*at));
    let all = chosen.into_iter().chain(others).map(|(_, fact)| fact);
    best.splice(newest..newest, all);
}

/// The newest facts that have a word of the question's topics, but those that are known.
pub(super) fn by_topics(
    lists: &mut Lists<'_>,
    scale: &Scale<'_>,
    bounds: &Bounds,
    known: &[i64],
    most: usize,
) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    for topic in scale.topics.iter().take(MAX_TOPICS) {
        let phrases = topic.phrases.iter().take(MAX_TOPIC_WORDS);
        let left = MAX_TOPIC_WORDS.saturating_sub(phrases.len());
        for phrase in phrases {
            // Whether they stand in a row is seen when the fact is weighed.
            let words: Vec<Word> = scale.in_a_row(phrase);
            found.extend(lists.with_all(&words, bounds.occurrences / OF_TOPICS)?);
        }
        for stem in topic.stems.iter().take(left) {
            let mut ids = lists.newest(scale.numbers.word(stem), most)?;
            ids.truncate(most);
            found.extend(ids);
        }
    }
    let known: HashSet<i64> = known.iter().copied().collect();
    found.retain(|id| !known.contains(id));
    found.sort_unstable_by_key(|id| Reverse(*id));
    found.dedup();
    found.truncate(most);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn having(term: usize, worth: f64, ids: &[i64]) -> Having {
        Having { term, worth, ids: ids.to_vec(), at: 0 }
    }

    #[test]
    fn facts_with_most_of_the_words_come_first_and_of_equals_the_newest() {
        let far = i64::try_from(STRETCH).unwrap() * 3;
        // Two forms of one word, of which the better one counts, and another word.
        let lists =
            vec![having(0, 2.0, &[far + 7, 9, 4]), having(0, 1.0, &[far + 7, 8, 4]), having(1, 1.5, &[far + 9, 9, 8])];
        let best = worthiest(lists, 10);
        assert_eq!(best, [(3.5, 9), (2.5, 8), (2.0, far + 7), (2.0, 4), (1.5, far + 9)]);
    }

    #[test]
    fn of_many_equals_some_of_all_ages_are_weighed() {
        let mut best: Vec<Worth> = [(2.0, 1000)].into_iter().chain((0..100).rev().map(|id| (1.0, id))).collect();
        spread(&mut best, 11);
        let first: Vec<i64> = best.iter().take(11).map(|(_, id)| *id).collect();
        assert_eq!(first[..6], [1000, 99, 98, 97, 96, 95]);
        assert!(first[6..].windows(2).all(|pair| (15..25).contains(&(pair[0] - pair[1]))), "{first:?}");
        assert_eq!(best.iter().map(|(_, id)| id).collect::<HashSet<_>>().len(), 101);
        spread(&mut best, 200);
        assert_eq!(best.len(), 101);
    }
}
