//! The walk over a text that finds words and runs, one segment after another.
//!
//! Marks compose and ranges must not split what a reader sees as one character, so the walk goes by
//! grapheme clusters, normalising each: NFKC of a text is the NFKC of its clusters put together. It keeps
//! one word and one character of a run at a time. Most of most texts needs none of this: see [`plain`].

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use crate::fold::{ZWJ, ZWNJ, is_joiner, is_term_char};
use crate::normalize::{is_ignorable, normalize};
use crate::plain::{self, Plain};
use crate::script::{Script, is_unspaced, script_of};
use crate::tokens::Piece;
use crate::words::{Class, Word, Words};

/// Marks kept on one character of a run; more are decoration.
const MAX_MARKS: usize = 8;

/// Where a character of the text lies: the bytes of its cluster.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The last character of the present run.
struct Last {
    text: String,
    span: Span,
    marks: usize,
    /// Whether it already stands in a pair.
    paired: bool,
}

pub(crate) struct Scanner<'t, F> {
    text: &'t str,
    take: F,
    words: Words,
    word: Word,
    before: Option<Last>,
    last: Option<Last>,
}

impl<'t, F: FnMut(Piece<'_>)> Scanner<'t, F> {
    pub(crate) fn new(text: &'t str, take: F) -> Self {
        Self { text, take, words: Words::new(), word: Word::default(), before: None, last: None }
    }

    pub(crate) fn run(mut self) {
        let mut plain = Plain::new(self.text);
        let mut at = 0;
        while at < self.text.len() {
            at = plain.run(at, &self.words, &mut self.take);
            let end = plain::end_of_odd(self.text, at);
            self.odd(at, end);
            at = end;
        }
    }

    /// A part of the text with marks and odd signs, between others that end words.
    fn odd(&mut self, from: usize, to: usize) {
        for (at, segment) in self.text[from..to].split_word_bound_indices().map(|(at, segment)| (from + at, segment)) {
            if segment.is_ascii() {
                for (i, c) in segment.char_indices() {
                    let span = Span { start: at + i, end: at + i + 1 };
                    self.push(c.to_ascii_lowercase(), Class::of(c), span);
                }
            } else {
                for (i, cluster) in segment.grapheme_indices(true) {
                    self.cluster(cluster, Span { start: at + i, end: at + i + cluster.len() });
                }
            }
            self.end_word();
        }
        self.end_run();
    }

    fn cluster(&mut self, cluster: &str, span: Span) {
        // Symbols that only NFKC turns into letters (™, ℹ) are no words; squared units and words (㎏) are.
        let speaks =
            |c: char| is_term_char(c) || is_joiner(c) || c == '"' || c == '＇' || matches!(c, '\u{3300}'..='\u{33FF}');
        // Marks on a gap are on nothing.
        let Some(first) = cluster.chars().find(|c| !is_ignorable(*c)).filter(|c| speaks(*c)) else {
            if !cluster.chars().all(|c| is_ignorable(c) || c == ZWNJ || c == ZWJ) {
                self.end_word();
                self.end_run();
            }
            return;
        };
        // Marks without a letter before them (at the beginning, after a line break) are on nothing.
        for c in normalize(cluster).chars().skip_while(|c| is_combining_mark(*c)) {
            self.push(c, Class::of(first), span);
        }
    }

    fn push(&mut self, c: char, class: Class, span: Span) {
        if c == ZWNJ || c == ZWJ {
            if c == ZWNJ && self.word.script() == Some(Script::Arabic) {
                self.word.join(c);
            }
        } else if is_combining_mark(c) {
            if !self.word.is_empty() {
                self.word.mark(c);
            } else if let Some(last) = self.last.as_mut().filter(|last| last.marks < MAX_MARKS) {
                last.text.push(c);
                last.marks += 1;
            }
        } else if self.joins(c) {
            self.word.join(c);
        } else if !is_term_char(c) || is_joiner(c) {
            self.end_word();
            self.end_run();
        } else if is_unspaced(c) {
            self.end_word();
            self.next_in_run(c, span);
        } else {
            self.end_run();
            let script = script_of(c);
            if script.is_some() && self.word.script().is_some_and(|now| Some(now) != script) {
                self.end_word();
            }
            self.word.letter(c, script, class, span);
        }
    }

    /// Whether `c` joins what stands before it with what will follow in the same segment.
    fn joins(&self, c: char) -> bool {
        let hebrew = c == '"' && self.word.script() == Some(Script::Hebrew);
        (is_joiner(c) || hebrew) && !self.word.is_empty()
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.words.emit(&self.word, self.text, &mut self.take);
            self.word.clear();
        }
    }

    /// A new character of the run. The pair before it is complete only now: marks may have followed.
    fn next_in_run(&mut self, c: char, span: Span) {
        self.end_pair();
        self.before = self.last.take();
        let paired = self.before.is_some();
        self.last = Some(Last { text: c.to_string(), span, marks: 0, paired });
    }

    fn end_pair(&mut self) {
        if let (Some(before), Some(last)) = (&self.before, &self.last) {
            let text = format!("{}{}", before.text, last.text);
            let span = Span { start: before.span.start, end: last.span.end };
            Piece::gram(&text, span, &mut self.take);
        }
    }

    fn end_run(&mut self) {
        self.end_pair();
        self.before = None;
        if let Some(last) = self.last.take().filter(|last| !last.paired) {
            Piece::gram(&last.text, last.span, &mut self.take);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Token, tokens};

    /// As if nothing were plain.
    fn looked_at_closely(text: &str) -> Vec<Token> {
        let mut found = Vec::new();
        Scanner::new(text, |piece: Piece<'_>| found.push(piece.token())).odd(0, text.len());
        found
    }

    #[track_caller]
    fn same(text: &str) {
        assert_eq!(tokens(text), looked_at_closely(text), "{text:?}");
    }

    const PIECES: [&str; 81] = [
        "a",
        "c",
        "Word",
        "WORD",
        "getName",
        "HTTPs",
        "dogs",
        "n",
        "t",
        "l",
        "12",
        "7",
        "'",
        "''",
        "\"",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\0",
        ".",
        ",",
        ":",
        "_",
        "-",
        "+",
        "++",
        "#",
        "’",
        "“",
        "”",
        "é",
        "É",
        "e\u{301}",
        "\u{301}",
        "ß",
        "ı",
        "İ",
        "ŉ",
        "ő",
        "ệ",
        "Ệ",
        "ц",
        "Ц",
        "Ё",
        "й",
        "и\u{306}",
        "ς",
        "ά",
        "Ά",
        "σα",
        "א",
        "ש",
        "\u{5b8}",
        "ک",
        "ي",
        "أ",
        "\u{64e}",
        "می",
        "\u{200c}",
        "\u{200d}",
        "服",
        "務",
        "カ",
        "ー",
        "\u{3099}",
        "。",
        "，",
        "ไท",
        "น้ำ",
        "ก",
        "ู",
        "่",
        "ำ",
        "ๆ",
        "฿",
        "नम",
        "한국어",
        "\u{fe0f}",
        "①",
    ];

    #[test]
    fn what_is_plain_gives_the_same_tokens() {
        for one in PIECES {
            for two in PIECES {
                same(&format!("{one}{two}"));
            }
        }
        // Longer ones, by SplitMix64.
        let mut state = 0x5eed_u64;
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            usize::try_from((z ^ (z >> 27)) % 1_000_003).unwrap()
        };
        for _ in 0..20_000 {
            let count = 3 + next() % 12;
            same(&(0..count).map(|_| PIECES[next() % PIECES.len()]).collect::<String>());
        }
    }

    #[test]
    fn every_character_that_is_plain_is_so_alone_and_between_others() {
        for c in (0..0x1_1000).filter_map(char::from_u32) {
            same(&format!("{c}"));
            same(&format!("a{c}b {c}{c} 服{c}"));
        }
    }

    #[test]
    fn words_as_long_as_a_token_may_be() {
        for length in 127..131 {
            for letter in ["a", "1", "ц", "服", "Ab"] {
                same(&format!("{} x", letter.repeat(length)));
            }
        }
    }
}
