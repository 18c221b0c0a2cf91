//! Takes memory blocks out of a text that comes in pieces, such as the answer of a model that repeats one.

use super::fence;
use super::finder::Finder;

/// The longest block that is waited for: more than the settings allow one to have.
const LONGEST_BLOCK: usize = 512 << 10;

/// Lets a text through, and no memory block of it. What is let through does not depend on how the text is cut.
///
/// A block is what stands from an opening to a closing fence. Without a closing one it goes to the end if it begins as
/// every block does; else it is talk about blocks, and stays.
///
/// ```
/// use hermes_host::guard::Scrubber;
///
/// let mut scrubber = Scrubber::default();
/// let shown: String = ["Sure: <mem", "ory-context>tea</memory-", "context> done"].map(|piece| scrubber.push(piece)).concat();
/// assert_eq!(shown + &scrubber.finish(), "Sure:  done");
/// ```
#[derive(Debug)]
pub struct Scrubber {
    /// What is not let through yet; inside of a block it begins with the opening fence.
    held: String,
    finder: Finder,
    place: Place,
    longest: usize,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Outside,
    /// Behind an opening fence, which ends at this byte.
    Inside(usize),
    /// In a block that is too long to be held, and surely one.
    Dropping,
}

impl Default for Scrubber {
    fn default() -> Self {
        Self { held: String::new(), finder: Finder::default(), place: Place::Outside, longest: LONGEST_BLOCK }
    }
}

impl Scrubber {
    /// A whole text without its blocks.
    #[must_use]
    pub fn scrubbed(text: &str) -> String {
        let mut scrubber = Self::default();
        let mut seen = scrubber.push(text);
        seen.push_str(&scrubber.finish());
        seen
    }

    /// The next piece of the text. Answers what can be let through by now.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        self.go_on(false)
    }

    /// The text is over. Answers what was still held.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let rest = self.go_on(true);
        *self = Self { longest: self.longest, ..Self::default() };
        rest
    }

    /// Whether nothing is held: the next piece begins afresh.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && matches!(self.place, Place::Outside)
    }

    fn go_on(&mut self, is_whole: bool) -> String {
        let mut out = String::new();
        loop {
            let fence = self.finder.next(&self.held, is_whole);
            match (self.place, fence) {
                (Place::Outside, Some(fence)) if !fence.closes => {
                    self.let_through(fence.at.start, &mut out);
                    let end = fence.at.len();
                    (self.place, self.finder) = (Place::Inside(end), Finder::from(end));
                }
                (Place::Outside, Some(_)) => {}
                (Place::Outside, None) => {
                    let settled = if is_whole { self.held.len() } else { self.finder.settled() };
                    if settled > 0 {
                        // Only the fence that has begun is looked at again from its start.
                        self.let_through(settled, &mut out);
                    }
                    return out;
                }
                (Place::Inside(_), Some(fence)) if fence.closes && fence.at.start <= self.longest => {
                    self.drop_to(fence.at.end);
                }
                (Place::Dropping, Some(fence)) if fence.closes => self.drop_to(fence.at.end),
                (Place::Inside(end), None) if is_whole || self.finder.settled() > self.longest => {
                    self.decide(end, &mut out);
                }
                (Place::Inside(end), Some(fence)) if fence.at.start > self.longest => self.decide(end, &mut out),
                (Place::Inside(_) | Place::Dropping, Some(_)) => {}
                (Place::Inside(_), None) => return out,
                (Place::Dropping, None) => {
                    let settled = if is_whole { self.held.len() } else { self.finder.settled() };
                    self.held.drain(..settled);
                    self.finder.shift(settled);
                    return out;
                }
            }
        }
    }

    /// No fence closes what this one opened.
    fn decide(&mut self, end: usize, out: &mut String) {
        if fence::begins_a_block(&self.held[end..]) {
            (self.place, self.finder) = (Place::Dropping, Finder::from(end));
        } else {
            self.let_through(end, out);
            (self.place, self.finder) = (Place::Outside, Finder::default());
        }
    }

    fn let_through(&mut self, end: usize, out: &mut String) {
        out.push_str(&self.held[..end]);
        self.held.drain(..end);
        self.finder.shift(end);
    }

    fn drop_to(&mut self, end: usize) {
        self.held.drain(..end);
        (self.place, self.finder) = (Place::Outside, Finder::default());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block() -> String {
        let line = fence::Line { text: "Ann likes tea".to_owned(), at: None };
        fence::block(None, &[line], 100).unwrap().text
    }

    fn whole(text: &str, longest: usize) -> String {
        let mut scrubber = Scrubber { longest, ..Scrubber::default() };
        scrubber.push(text) + &scrubber.finish()
    }

    /// Cut after each of these numbers of characters, over and over.
    fn cut(text: &str, sizes: &[usize], longest: usize) -> String {
        let mut scrubber = Scrubber { longest, ..Scrubber::default() };
        let (mut out, mut chars, mut sizes) = (String::new(), text.chars(), sizes.iter().cycle());
        loop {
            let piece: String = chars.by_ref().take(*sizes.next().unwrap()).collect();
            if piece.is_empty() {
                return out + &scrubber.finish();
            }
            out.push_str(&scrubber.push(&piece));
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        for size in [1, 2, 3, 7, 1000] {
            assert_eq!(cut(text, &[size], LONGEST_BLOCK), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn a_block_is_taken_out_wherever_it_stands() {
        let block = block();
        check(&block, "");
        check(&format!("Sure: {block} done"), "Sure:  done");
        check(&format!("до\n{block}\n{block}после"), "до\n\nпосле");
        check(&format!("a {}", &block[..block.len() - 1]), "a ");
        check(&format!("a {}", &block[..block.len() - 17]), "a ");
        check("a &lt;Memory-Context&gt;x&amp;lt;/memory-context&gt; b", "a  b");
        check("a <memory-context>open and not closed", "a <memory-context>open and not closed");
        check("a <memory-context> x </memory-context b", "a  b");
        check("a </memory-context> b", "a </memory-context> b");
        check("<<memory-context>x</memory-context>>", "<>");
    }

    #[test]
    fn other_text_is_not_held_back() {
        let mut scrubber = Scrubber::default();
        for piece in ["a < b", " and <b>", "bold</b> &amp; ", "Анна <тоже", "> 100 %, ", "mem", "ory-context> <m"]
        {
            let shown = scrubber.push(piece);
            assert_eq!(shown, piece.trim_end_matches("<m"), "{piece:?}");
        }
        assert_eq!(scrubber.finish(), "<m");
        assert!(scrubber.is_empty());
    }

    #[test]
    fn a_block_without_an_end_fills_no_memory() {
        let mut scrubber = Scrubber::default();
        let opened = block().replace("</memory-context>", "");
        assert_eq!(scrubber.push(&opened), "");
        for _ in 0..100 {
            assert_eq!(scrubber.push(&"x".repeat(20_000)), "");
            assert!(scrubber.held.len() <= LONGEST_BLOCK + 20_000);
        }
        assert_eq!(scrubber.push("</memory-context>after"), "after");
        let talk = format!("<memory-context>{}", "y".repeat(2 * LONGEST_BLOCK));
        assert_eq!(whole(&talk, LONGEST_BLOCK), talk);
    }

    /// Pieces of which fences, blocks and what looks like them are made.
    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("<memory-context>".to_owned()),
            Just("</memory-context>".to_owned()),
            Just(block()),
            Just(block().replace("</memory-context>", "")),
            Just("&lt;/mem\u{200B}ory-con".to_owned()),
            Just("text&gt;".to_owned()),
            Just("\\u003cmemory_".to_owned()),
            "[<>&/;a-z#\\\\%u0-9 \n]{0,8}",
            "\\PC{0,12}",
        ];
        proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn how_a_text_is_cut_changes_nothing(
            text in texts(),
            sizes in proptest::collection::vec(1_usize..20, 1..6),
            longest in prop_oneof![Just(LONGEST_BLOCK), 150_usize..400],
        ) {
            prop_assert_eq!(cut(&text, &sizes, longest), whole(&text, longest));
        }

        /// Whatever stands around blocks is shown, and nothing of the blocks.
        #[test]
        fn no_block_is_seen_and_all_else_is(
            around in proptest::collection::vec("[a-zA-Z0-9 .,!?>;:/\\p{Cyrillic}\\p{Han}\n]{0,30}", 1..5),
            secret in "[a-z]{12}",
            sizes in proptest::collection::vec(1_usize..40, 1..6),
        ) {
            let line = fence::Line { text: format!("{secret} & <b>"), at: None };
            let block = fence::block(None, &[line], 100).unwrap().text;
            let shown = cut(&around.join(&block), &sizes, LONGEST_BLOCK);
            prop_assert_eq!(shown, around.concat());
        }
    }
}
