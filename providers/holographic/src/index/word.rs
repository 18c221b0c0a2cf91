//! Terms as numbers, and the words of a fact as they lie in its row.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::list;

/// The bytes of a number. With a million different words in a store an unknown one is taken for one of them once in a
/// million.
const BYTES: usize = 5;

/// A term of one audience, as a number: what one audience knows neither finds nor weighs anything for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Word(u64);

impl Word {
    /// As the file has it.
    pub(super) fn number(self) -> i64 {
        self.0.cast_signed()
    }

    /// Its lowest bits, which are spread.
    pub(crate) fn bits(self) -> usize {
        usize::from(self.0.to_le_bytes()[0]) | usize::from(self.0.to_le_bytes()[1]) << 8
    }
}

/// Numbers the terms of one audience.
#[derive(Clone, Copy)]
pub(crate) struct Numbers(u64);

impl Numbers {
    /// For the audience of this key.
    pub(crate) fn of(audience: &str) -> Self {
        Self(step(step(0xcbf2_9ce4_8422_2325, audience.as_bytes()), &[0x1f]))
    }

    /// The number of a term: FNV-1a, the same in every release, and the finish of SplitMix64, which spreads it.
    pub(crate) fn word(self, term: &str) -> Word {
        let mut hash = step(self.0, term.as_bytes());
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Word((hash ^ (hash >> 31)) >> (64 - 8 * BYTES))
    }

    /// The word that every fact has: its list tells how many facts there are.
    pub(crate) fn every(self) -> Word {
        self.word("")
    }

    /// The terms of a fact, as its row keeps them: how many different ones say something, how many stand in the text, those
    /// in their order, then the others.
    pub(crate) fn pack(self, terms: &str) -> Vec<u8> {
        let (head, tail) = hermes_text::head_of_terms(terms);
        let telling: HashSet<&str> =
            head.split(' ').filter(|term| !term.is_empty() && !hermes_text::is_stop_word(term)).collect();
        let words = |terms: &str| -> Vec<Word> {
            terms.split(' ').filter(|term| !term.is_empty()).map(|term| self.word(term)).collect()
        };
        let (head, tail) = (words(head), words(tail));
        let mut packed = Vec::with_capacity(4 + BYTES * (head.len() + tail.len()));
        list::push(&mut packed, telling.len() as u64);
        list::push(&mut packed, head.len() as u64);
        for word in head.iter().chain(&tail) {
            packed.extend_from_slice(&word.0.to_be_bytes()[8 - BYTES..]);
        }
        packed
    }
}

fn step(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The words of a fact, read from its row.
#[derive(Clone, Copy, Default)]
pub(crate) struct Packed<'r> {
    telling: usize,
    head: &'r [u8],
    tail: &'r [u8],
}

impl<'r> Packed<'r> {
    /// None where the bytes are not what [`Numbers::pack`] made; no words for a row that has none.
    pub(crate) fn read(row: &'r [u8]) -> Option<Self> {
        if row.is_empty() {
            return Some(Self::default());
        }
        let (telling, rest) = list::pull(row)?;
        let (count, rest) = list::pull(rest)?;
        let bytes = usize::try_from(count).ok()?.checked_mul(BYTES)?;
        let (head, tail) = rest.split_at_checked(bytes)?;
        tail.len().is_multiple_of(BYTES).then_some(Self { telling: usize::try_from(telling).ok()?, head, tail })
    }

    /// How many different words of the text are no stop words.
    pub(crate) fn telling(self) -> usize {
        self.telling
    }

    /// The words of the text in their order.
    pub(crate) fn head(self) -> impl ExactSizeIterator<Item = Word> + 'r {
        words(self.head)
    }

    /// What else the fact is found by.
    pub(crate) fn tail(self) -> impl ExactSizeIterator<Item = Word> + 'r {
        words(self.tail)
    }

    /// All of them, each once.
    pub(crate) fn distinct(self) -> Vec<Word> {
        let mut all: Vec<Word> = self.head().chain(self.tail()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn words(bytes: &[u8]) -> impl ExactSizeIterator<Item = Word> {
    let (words, _) = bytes.as_chunks::<BYTES>();
    words.iter().map(|[a, b, c, d, e]| Word(u64::from(u32::from_be_bytes([*a, *b, *c, *d])) << 8 | u64::from(*e)))
}

/// A hasher for words and for the numbers of facts, which are spread already or follow one another.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = step(self.0, bytes);
    }

    fn write_u64(&mut self, number: u64) {
        // The multiplier of Fibonacci hashing (Knuth, volume 3, section 6.4).
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map from words or facts.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Spread>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_out_as_they_were_put_in() {
        let numbers = Numbers::of("a");
        let row = numbers.pack("mo like the tea mo  liked");
        let packed = Packed::read(&row).unwrap();
        let words = |terms: &[&str]| terms.iter().map(|term| numbers.word(term)).collect::<Vec<_>>();
        assert_eq!(packed.head().collect::<Vec<_>>(), words(&["mo", "like", "the", "tea", "mo"]));
        assert_eq!(packed.tail().collect::<Vec<_>>(), words(&["liked"]));
        assert_eq!((packed.distinct().len(), packed.telling()), (5, 3));
        assert!(Packed::read(&[]).unwrap().distinct().is_empty());
        assert!(Packed::read(&numbers.pack("")).unwrap().distinct().is_empty());
        for damaged in [&row[..8], &row[..4], &[0xff; 12], &[1, 9, 1]] {
            assert!(Packed::read(damaged).is_none());
        }
    }

    #[test]
    fn audiences_share_no_words() {
        assert_ne!(Numbers::of("a").word("tea"), Numbers::of("b").word("tea"));
        assert_ne!(Numbers::of("a").word("tea"), Numbers::of("a").word("teas"));
    }
}
