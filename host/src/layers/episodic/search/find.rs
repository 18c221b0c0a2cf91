//! Which messages may be what is looked for: those that have most of what the rarer words say.

use std::collections::HashMap;

use hermes_text::Piece;
use rusqlite::{Connection, Result};

use super::Settings;
use super::filter::Admitted;
use super::index::{self, Stored, for_each_text, postings};
use super::query::{Query, Variant};

/// So many of the newest messages that are not in the index are looked at.
const UNINDEXED: i64 = 256;
/// How likely a word of the same stem is the same where the vocabulary does not know it yet.
const SAME_STEM: f64 = 0.9;
/// A word in so many messages is common, and in an archive that is small no word is.
const COMMON_SHARE: i64 = 50;
const COMMON: i64 = 1000;

/// The words of the query that messages have.
pub(super) struct Having {
    /// Message, word of the query, what it is worth there: ordered, each pair once.
    entries: Vec<(i64, u32, f64)>,
    /// Not all messages with the words that were looked for are among them.
    pub(super) cut: bool,
    /// Common words were not looked for: they only rank what others have found.
    pub(super) spared: bool,
}

/// How much is looked at.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// No more occurrences of words than this, the newest of each.
    pub(super) occurrences: usize,
    /// Whether common words find messages beside rare ones.
    pub(super) by_common: bool,
    /// How many messages are looked at to find those that are admitted.
    pub(super) looked_at: usize,
}

impl Having {
    /// Looks for the words, the rarest first.
    pub(super) fn find(
        db: &Connection,
        query: &Query,
        admitted: &Admitted<'_>,
        settings: &Settings,
        messages: i64,
        bounds: Bounds,
    ) -> Result<Self> {
        let mut having = Self { entries: Vec::new(), cut: false, spared: false };
        if query.is_phrase && having.take_phrase(db, query, admitted, bounds)? {
            return having.with_unindexed(db, query, settings);
        }
        let mut finders: Vec<(usize, &Variant)> = Vec::new();
        for (at, word) in query.words.iter().enumerate() {
            finders.extend(word.variants.iter().map(|variant| (at, variant)));
        }
        finders
            .sort_by(|(_, one), (_, other)| one.messages.cmp(&other.messages).then_with(|| one.word.cmp(&other.word)));
        let common = (messages / COMMON_SHARE).max(COMMON);
        let all_common = finders.first().is_some_and(|(_, rarest)| rarest.messages > common);
        let by_common = all_common || bounds.by_common || admitted.few.is_some();
        for (at, variant) in finders {
            let left = bounds.occurrences.saturating_sub(having.entries.len());
            if left == 0 {
                having.cut = true;
                break;
            }
            let is_common = variant.messages > common;
            if is_common && !by_common {
                having.spared = true;
                break;
            }
            let weight = query.words.get(at).map_or(0.0, |word| word.weight);
            // Of common words some of each, so that those messages come first that have several.
            let most = if is_common { left.min(bounds.occurrences / 4) } else { left };
            having.take(db, admitted, at, variant, weight, most)?;
        }
        having.with_unindexed(db, query, settings)
    }

    fn with_unindexed(mut self, db: &Connection, query: &Query, settings: &Settings) -> Result<Self> {
        self.take_unindexed(db, query, settings)?;
        self.entries.sort_unstable_by(|one, other| {
            (one.0, one.1).cmp(&(other.0, other.1)).then_with(|| other.2.total_cmp(&one.2))
        });
        // Of the forms of one word the best counts.
        self.entries.dedup_by_key(|(id, at, _)| (*id, *at));
        Ok(self)
    }

    /// Looks for the messages that have all words of a phrase as they are asked for; one that nobody wrote so may be the
    /// beginning of another. Answers whether there is such a word at all.
    fn take_phrase(&mut self, db: &Connection, query: &Query, admitted: &Admitted<'_>, bounds: Bounds) -> Result<bool> {
        let exact = query.words.iter().zip(0_u32..).filter_map(|(word, at)| {
            let variant = word.variants.iter().find(|variant| variant.word == word.text)?;
            Some((at, variant, word.weight * variant.likeness))
        });
        let mut exact: Vec<_> = exact.collect();
        exact.sort_by_key(|(_, variant, _)| variant.messages);
        let Some(((_, rarest, _), others)) = exact.split_first() else { return Ok(false) };
        let most = if admitted.few.is_some() { usize::MAX } else { bounds.occurrences };
        let (mut ids, all) = postings::newest(db, &rarest.word, most)?;
        self.cut = !all;
        ids.reverse();
        if let Some(few) = &admitted.few {
            ids = both(&ids, few);
        }
        for (_, variant, _) in others {
            let Some(oldest) = ids.first() else { break };
            ids = both(&ids, &postings::since(db, &variant.word, *oldest)?);
        }
        for (word, _, worth) in &exact {
            self.entries.extend(ids.iter().map(|id| (*id, *word, *worth)));
        }
        Ok(true)
    }

    fn take(
        &mut self,
        db: &Connection,
        admitted: &Admitted<'_>,
        at: usize,
        variant: &Variant,
        weight: f64,
        most: usize,
    ) -> Result<()> {
        let Ok(word) = u32::try_from(at) else { return Ok(()) };
        let worth = weight * variant.likeness;
        match &admitted.few {
            Some(few) => {
                let (ids, _) = postings::newest(db, &variant.word, usize::MAX)?;
                let ids = ids.into_iter().filter(|id| few.binary_search(id).is_ok());
                self.entries.extend(ids.take(most).map(|id| (id, word, worth)));
            }
            None => {
                let (ids, all) = postings::newest(db, &variant.word, most)?;
                self.cut |= !all;
                self.entries.extend(ids.into_iter().map(|id| (id, word, worth)));
            }
        }
        Ok(())
    }

    /// Looks at the messages that are not in the index yet.
    fn take_unindexed(&mut self, db: &Connection, query: &Query, settings: &Settings) -> Result<()> {
        let words = Matcher::new(query);
        let mut select = db.prepare_cached(index::SELECT_NEWEST)?;
        let mut rows = select.query((index::mark(db)?, UNINDEXED))?;
        while let Some(row) = rows.next()? {
            let message = Stored::read(row)?;
            for_each_text(&message, settings.index_tool_chars, |text| {
                hermes_text::for_each_piece(text, |piece| {
                    for (at, likeness) in words.of(&piece) {
                        let weight = query.words.get(at).map_or(0.0, |word| word.weight);
                        if let Ok(word) = u32::try_from(at) {
                            self.entries.push((message.id, word, weight * likeness));
                        }
                    }
                });
            });
        }
        Ok(())
    }

    /// What a message is worth, word by word.
    pub(super) fn of(&self, id: i64) -> &[(i64, u32, f64)] {
        let start = self.entries.partition_point(|entry| entry.0 < id);
        let length = self.entries[start..].partition_point(|entry| entry.0 == id);
        &self.entries[start..start + length]
    }

    /// The messages with most of what is looked for, then the newest; no more than `most`.
    pub(super) fn best(&self, most: usize) -> Vec<(f64, i64)> {
        let messages = self.entries.chunk_by(|one, other| one.0 == other.0);
        let worth = |entries: &[(i64, u32, f64)]| entries.iter().map(|(.., worth)| worth).sum::<f64>();
        let mut best: Vec<(f64, i64)> =
            messages.filter_map(|entries| Some((worth(entries), entries.first()?.0))).collect();
        let order = |one: &(f64, i64), other: &(f64, i64)| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1));
        if best.len() > most {
            best.select_nth_unstable_by(most, order);
            best.truncate(most);
        }
        best.sort_unstable_by(order);
        best
    }
}

/// What is in two lists that ascend.
fn both(one: &[i64], other: &[i64]) -> Vec<i64> {
    let (mut both, mut rest) = (Vec::new(), other.iter().peekable());
    for id in one {
        while rest.next_if(|other| *other < id).is_some() {}
        if rest.peek() == Some(&id) {
            both.push(*id);
        }
    }
    both
}

/// Finds the words of a query in a text.
pub(super) struct Matcher<'q> {
    words: HashMap<&'q str, Vec<(usize, f64)>>,
    stems: HashMap<&'q str, usize>,
    /// What the stems begin with: of other words the stem need not be known.
    first: Vec<[u8; 2]>,
}

impl<'q> Matcher<'q> {
    pub(super) fn new(query: &'q Query) -> Self {
        let (mut words, mut stems): (HashMap<_, Vec<_>>, _) = (HashMap::new(), HashMap::new());
        for (at, word) in query.words.iter().enumerate() {
            for variant in &word.variants {
                words.entry(variant.word.as_str()).or_default().push((at, variant.likeness));
            }
            stems.entry(word.stem.as_str()).or_insert(at);
        }
        let first = stems.keys().filter_map(|stem| stem.as_bytes().first_chunk().copied()).collect();
        Self { words, stems, first }
    }

    /// Which words of the query a word of a text is, and how likely.
    pub(super) fn of(&self, piece: &Piece<'_>) -> impl Iterator<Item = (usize, f64)> + '_ {
        let word = piece.folded();
        let known = self.words.get(word);
        let may_be = known.is_none() && word.as_bytes().first_chunk().is_some_and(|first| self.first.contains(first));
        let by_stem = may_be.then(|| self.stems.get(piece.stem().as_ref())).flatten().map(|at| (*at, SAME_STEM));
        known.into_iter().flatten().copied().chain(by_stem)
    }
}
