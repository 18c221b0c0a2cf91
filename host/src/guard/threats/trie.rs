//! The entries of the word lists as a tree of bytes: the longest that a text begins with is found in one walk.

use std::ops::Range;

/// A tree whose leaves are numbers of entries.
pub(super) struct Trie {
    nodes: Vec<Node>,
    /// The bytes that lead on and where to; those of a node are together, in order.
    edges: Vec<(u8, u32)>,
    /// The same for nodes with many, by the byte: hardly a word goes further than these. 0 leads nowhere.
    tables: Vec<[u32; 256]>,
    /// Which beginnings of a text an entry may have, as bits: nearly all words are told by one look.
    starts: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Node {
    /// From where to where its edges are.
    edges: (u32, u32),
    /// Its table, if it has one.
    table: Option<u32>,
    /// The entry that ends here.
    entry: Option<u32>,
}

/// The most edges that are looked through.
const FEW: u32 = 4;

impl Trie {
    /// The tree of entries, which are in order and each there once.
    pub(super) fn new(entries: &[&str]) -> Self {
        let mut trie = Self { nodes: Vec::new(), edges: Vec::new(), tables: Vec::new(), starts: starts(entries) };
        // The entries below each node, and how long what leads there is.
        let mut below: Vec<(Range<usize>, usize)> = vec![(0..entries.len(), 0)];
        let mut next = 0;
        while let Some((range, depth)) = below.get(next).cloned() {
            next += 1;
            let first = small(trie.edges.len());
            let mut at = range.start;
            let entry = entries.get(at).filter(|entry| at < range.end && entry.len() == depth).map(|_| at);
            at += usize::from(entry.is_some());
            while at < range.end {
                let byte = entries[at].as_bytes()[depth];
                let len = entries[at..range.end].partition_point(|entry| entry.as_bytes()[depth] == byte);
                trie.edges.push((byte, small(below.len())));
                below.push((at..at + len, depth + 1));
                at += len;
            }
            let end = small(trie.edges.len());
            let table = (end - first > FEW || trie.nodes.is_empty()).then(|| {
                let mut table = [0; 256];
                trie.edges[first as usize..].iter().for_each(|(byte, to)| table[usize::from(*byte)] = *to);
                trie.tables.push(table);
                small(trie.tables.len() - 1)
            });
            trie.nodes.push(Node { edges: (first, end), table, entry: entry.map(small) });
        }
        trie
    }

    /// The longest entry that a text begins with and that fits, and its length.
    pub(super) fn longest(&self, text: &[u8], fits: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
        if !may_begin(&self.starts, text) {
            return None;
        }
        let mut node = self.nodes[0];
        let mut found = None;
        for (at, byte) in text.iter().enumerate() {
            let to = match node.table {
                Some(table) => self.tables[table as usize][usize::from(*byte)],
                None => {
                    let (first, end) = node.edges;
                    let edges = &self.edges[first as usize..end as usize];
                    edges.iter().find(|(edge, _)| edge == byte).map_or(0, |(_, to)| *to)
                }
            };
            if to == 0 {
                break;
            }
            node = self.nodes[to as usize];
            if let Some(entry) = node.entry.filter(|entry| fits(*entry as usize, at + 1)) {
                found = Some((entry as usize, at + 1));
            }
        }
        found
    }
}

/// The bits of [`Trie::starts`] for entries.
fn starts(entries: &[&str]) -> Vec<u64> {
    let mut starts = vec![0; 1 << 10];
    let mut set = |start: [u8; START]| {
        let (word, bit) = place(start);
        starts[word] |= bit;
    };
    for entry in entries.iter().map(|entry| entry.as_bytes()) {
        match *entry {
            [] => {}
            // What goes on after a short entry may be anything.
            [first] => (0..=u16::MAX).map(u16::to_le_bytes).for_each(|[second, third]| set([first, second, third])),
            [first, second] => (0..=u8::MAX).for_each(|third| set([first, second, third])),
            [first, second, third, ..] => set([first, second, third]),
        }
    }
    starts
}

/// How many bytes are looked at.
const START: usize = 3;

fn may_begin(starts: &[u64], text: &[u8]) -> bool {
    let Some(start) = text.first_chunk() else { return true };
    let (word, bit) = place(*start);
    starts[word] & bit != 0
}

/// Where the bit of a beginning is.
fn place([first, second, third]: [u8; START]) -> (usize, u64) {
    // A word, and a letter of two bytes, is told by the second byte and the low bits of the others.
    let index = usize::from(first) << 11 ^ usize::from(second) << 5 ^ usize::from(third);
    (index >> 6 & 1023, 1 << (index & 63))
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("the lists are far smaller")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_is_found() {
        let trie = Trie::new(&["all", "all of", "any", "я"]);
        let check = |text: &str, expected| assert_eq!(trie.longest(text.as_bytes(), |_, _| true), expected, "{text}");
        check("all of it", Some((1, 6)));
        check("all on it", Some((0, 3)));
        check("an", None);
        check("яма", Some((3, 2)));
        check("", None);
        assert_eq!(trie.longest(b"all of", |_, len| len < 4), Some((0, 3)), "another is too long");
    }
}
