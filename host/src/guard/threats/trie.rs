//! The entries of the word lists as a tree of bytes: the longest that a text begins with is found in one walk.

use std::ops::Range;

/// A tree whose leaves are numbers of entries.
pub(super) struct Trie {
    nodes: Vec<Node>,
    /// The bytes that lead on and where to; those of a node are together, in order.
    edges: Vec<(u8, u32)>,
}

#[derive(Clone, Copy)]
struct Node {
    /// From where to where its edges are.
    edges: (u32, u32),
    /// The entry that ends here.
    entry: Option<u32>,
}

impl Trie {
    /// The tree of entries, which are in order and each there once.
    pub(super) fn new(entries: &[&str]) -> Self {
        let mut trie = Self { nodes: Vec::new(), edges: Vec::new() };
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
            trie.nodes.push(Node { edges: (first, end), entry: entry.map(small) });
        }
        trie
    }

    /// The longest entry that a text begins with and that fits, and its length.
    pub(super) fn longest(&self, text: &[u8], fits: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
        let mut node = self.nodes[0];
        let mut found = None;
        for (at, byte) in text.iter().enumerate() {
            let (first, end) = node.edges;
            let edges = &self.edges[first as usize..end as usize];
            let Some((_, to)) = edges.iter().find(|(edge, _)| edge == byte) else { break };
            node = self.nodes[*to as usize];
            if let Some(entry) = node.entry.filter(|entry| fits(*entry as usize, at + 1)) {
                found = Some((entry as usize, at + 1));
            }
        }
        found
    }
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
