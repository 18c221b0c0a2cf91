//! A text as a reader takes it: decoded, decomposed, in lower case, without what cannot be seen.
//!
//! Letters lose their marks (NFKD, so that full width, circled and bold letters are plain), and each byte knows where it
//! comes from. Only rules read this form; what is stored and shown is the original.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::lookalikes;
use crate::guard::letters::{is_invisible, spelled};

/// A folded piece of text.
#[derive(Default)]
pub(super) struct Folded {
    pub(super) text: String,
    /// For each byte the place of its character in the original; one more for the end.
    places: Vec<u32>,
}

/// What separates two words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Paragraph,
}

impl Folded {
    /// Folds a piece of at most 4 GiB; the scan's are far shorter.
    pub(super) fn of(text: &str) -> Self {
        let mut out = Self { text: String::with_capacity(text.len()), places: Vec::with_capacity(text.len() + 1) };
        let mut gap = Gap::None;
        // Where the gap begins, so that a word ends at its last letter.
        let mut gap_at = 0;
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_alphanumeric() {
                out.separate(&mut gap, gap_at);
                out.text.push(char::from(byte.to_ascii_lowercase()));
                out.places.push(place(at));
                at += 1;
                continue;
            }
            let (c, len) = match bytes[at..] {
                // As it stands in JSON.
                [b'\\', b'n' | b'r' | b't', ..] => ('\n', 2),
                _ => spelled(text, at),
            };
            if gap == Gap::None {
                gap_at = at;
            }
            match c {
                '\n' => gap = if gap >= Gap::Line { Gap::Paragraph } else { Gap::Line },
                '\u{2028}' | '\u{2029}' => gap = Gap::Paragraph,
                c if c.is_whitespace() || is_filler(c) => gap = gap.max(Gap::Space),
                c if is_invisible(c) => {}
                c => {
                    out.separate(&mut gap, gap_at);
                    fold(c, &mut out.text);
                    out.places.resize(out.text.len(), place(at));
                }
            }
            at += len;
        }
        out.places.push(place(text.len()));
        out.undisguised()
    }

    /// The same with each word that mixes Latin letters with others that look like them in Latin letters.
    fn undisguised(self) -> Self {
        // Scripts with letters that look like Latin ones.
        let is_other = |c: char| {
            matches!(c,
                '\u{180}'..='\u{2AF}' | '\u{370}'..='\u{58F}' | '\u{10A0}'..='\u{10FF}' | '\u{13A0}'..='\u{13FF}'
                | '\u{1D00}'..='\u{1D7F}' | '\u{2C60}'..='\u{2DFF}' | '\u{A640}'..='\u{ABBF}')
        };
        let is_letter = |c: char| c.is_ascii_alphanumeric() || is_other(c);
        if self.text.is_ascii() {
            return self;
        }
        let mut out =
            Self { text: String::with_capacity(self.text.len()), places: Vec::with_capacity(self.places.len()) };
        let mut at = 0;
        while at < self.text.len() {
            let rest = &self.text[at..];
            let len = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
            let word = &rest[..len];
            let is_mixed = !word.is_ascii() && word.contains(|c: char| c.is_ascii_alphabetic());
            match if is_mixed { lookalikes::plain(word) } else { None } {
                Some(plain) => {
                    out.text.push_str(&plain);
                    // All of a letter comes from its first byte.
                    for (from, c) in word.char_indices() {
                        debug_assert!(is_letter(c));
                        out.places.push(self.places[at + from]);
                    }
                }
                None => {
                    let end = len + rest[len..].chars().next().map_or(0, char::len_utf8);
                    out.text.push_str(&rest[..end]);
                    out.places.extend_from_slice(&self.places[at..at + end]);
                    at += end;
                    continue;
                }
            }
            at += len;
        }
        out.places.extend(self.places.last());
        out
    }

    /// Where a range of the folded text lies in the original.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        self.places[range.start] as usize..self.places[range.end] as usize
    }

    fn separate(&mut self, gap: &mut Gap, at: usize) {
        match std::mem::replace(gap, Gap::None) {
            Gap::None => return,
            Gap::Space => self.text.push(' '),
            Gap::Line => self.text.push('\n'),
            Gap::Paragraph => self.text.push_str("\n\n"),
        }
        self.places.resize(self.text.len(), place(at));
    }
}

fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Letters that look like a space.
fn is_filler(c: char) -> bool {
    matches!(c, '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' | '\u{2800}')
}

/// A text that stands in a word list, in this form.
pub(super) fn folded(text: &str) -> String {
    Folded::of(text).text
}

fn fold(c: char, out: &mut String) {
    match c {
        // Most letters there are, without a look at the tables.
        '\0'..='\u{7F}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{E01}'..='\u{E32}' => {
            out.push(c.to_ascii_lowercase());
        }
        '’' | '‘' | '\u{2BC}' => out.push('\''),
        'а'..='и' | 'к'..='я' => out.push(c),
        c => {
            for c in std::iter::once(c).nfkd().flat_map(char::to_lowercase) {
                match c {
                    // Marks on letters of Latin, Greek, Cyrillic and Arabic.
                    '\u{300}'..='\u{36F}'
                    | '\u{1AB0}'..='\u{1AFF}'
                    | '\u{1DC0}'..='\u{1DFF}'
                    | '\u{20D0}'..='\u{20FF}'
                    | '\u{640}'
                    | '\u{64B}'..='\u{65F}'
                    | '\u{670}' => {}
                    'ي' | 'ى' => out.push('ی'),
                    'ك' => out.push('ک'),
                    'ة' => out.push('ه'),
                    'ٱ' => out.push('ا'),
                    c => out.push(c),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(folded(text), expected);
    }

    #[test]
    fn what_looks_alike_is_alike() {
        check("ＩＧＮＯＲＥ　ａｌｌ", "ignore all");
        check("i\u{200B}gn\u{AD}o\u{301}re\u{3164}\u{1D41A}ll", "ignore all");
        check("&#105;gnore&nbsp;\\u0061ll %72ules", "ignore all rules");
        check(r"a\nignore all\trules", "a\nignore all\nrules");
        check("Don’t  say\n\nórdenes", "don't say\n\nordenes");
        check("Ещё раз", "еще раз");
        check("می\u{200C}خواهم كتابي", "میخواهم کتابی");
    }

    #[test]
    fn places_are_those_of_the_original() {
        let text = "да  i\u{200B}gn\u{301}ore 好";
        let folded = Folded::of(text);
        let at = folded.text.find("ignore").unwrap();
        assert_eq!(&text[folded.original(&(at..at + 6))], "i\u{200B}gn\u{301}ore");
        assert_eq!(folded.original(&(0..folded.text.len())), 0..text.len());
    }
}
