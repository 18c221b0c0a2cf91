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
    /// Where characters of the text come from: from the first byte of each of these on, both run alike. The last is that of
    /// the end.
    places: Vec<(u32, u32)>,
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
        let mut out = Self { text: String::with_capacity(text.len()), places: Vec::new() };
        let mut gap = Gap::None;
        // Where the gap begins, so that a word ends at its last letter.
        let mut gap_at = 0;
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let plain = plain_len(&bytes[at..]);
            // A space of a wider gap is part of it.
            if plain > 0 && (gap == Gap::None || byte != b' ') {
                out.separate(&mut gap, gap_at);
                out.comes_from(at);
                let folded = out.text.len();
                out.text.push_str(&text[at..at + plain]);
                out.text[folded..].make_ascii_lowercase();
                at += plain;
                continue;
            }
            let (c, len) = match bytes[at..] {
                // As it stands in JSON.
                [b'\\', b'n' | b'r' | b't', ..] => ('\n', 2),
                _ => spelled(text, at),
            };
            if let Some(c) = of_one_letter(c) {
                out.separate(&mut gap, gap_at);
                out.comes_from(at);
                out.text.push(c);
                at += len;
                continue;
            }
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
                    fold(c, |c| {
                        out.comes_from(at);
                        out.text.push(c);
                    });
                }
            }
            at += len;
        }
        out.comes_from(text.len());
        out.undisguised()
    }

    /// The same with each word that mixes Latin letters with others that look like them in Latin letters.
    fn undisguised(self) -> Self {
        let bytes = self.text.as_bytes();
        // Only beside a Latin letter or a digit can another one be in the same word.
        let mixes = |at: &usize| match bytes[at - 1..=*at] {
            [one, two] => {
                one.is_ascii_alphanumeric() && !two.is_ascii() || !one.is_ascii() && two.is_ascii_alphanumeric()
            }
            _ => false,
        };
        let mut out = Self::default();
        let (mut seen, mut done) = (0, 0);
        for border in (1..bytes.len()).filter(mixes) {
            if border < seen {
                continue;
            }
            let start = self.text[seen..border].rfind(|c| !is_letter(c));
            let start = start.map_or(seen, |at| seen + at + width(&self.text[seen + at..]));
            let end = self.text[border..].find(|c| !is_letter(c)).map_or(bytes.len(), |len| border + len);
            seen = end;
            let word = &self.text[start..end];
            let is_mixed = !word.is_ascii() && word.contains(|c: char| c.is_ascii_alphabetic());
            let Some(plain) = (if is_mixed { lookalikes::plain(word) } else { None }) else { continue };
            out.take(&self, done..start);
            for ((from, _), c) in word.char_indices().zip(plain.chars()) {
                out.comes_from(self.place(start + from));
                out.text.push(c);
            }
            done = end;
        }
        if done == 0 {
            return self;
        }
        out.take(&self, done..bytes.len());
        out.comes_from(self.place(bytes.len()));
        out
    }

    /// Where a range of the folded text lies in the original. Both ends are borders of characters.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        self.place(range.start)..self.place(range.end)
    }

    fn place(&self, at: usize) -> usize {
        let at = small(at);
        let (folded, original) = self.places[self.places.partition_point(|(folded, _)| *folded <= at) - 1];
        (original + (at - folded)) as usize
    }

    /// What is put at the end of the text next comes from a place in the original.
    fn comes_from(&mut self, original: usize) {
        let (at, original) = (small(self.text.len()), small(original));
        if self.places.last().is_none_or(|(folded, place)| place + (at - folded) != original) {
            self.places.push((at, original));
        }
    }

    /// Takes over a piece of another one.
    fn take(&mut self, other: &Self, piece: Range<usize>) {
        for (from, c) in other.text[piece.clone()].char_indices() {
            self.comes_from(other.place(piece.start + from));
            self.text.push(c);
        }
    }

    fn separate(&mut self, gap: &mut Gap, at: usize) {
        let between = match std::mem::replace(gap, Gap::None) {
            Gap::None => return,
            Gap::Space => " ",
            Gap::Line => "\n",
            Gap::Paragraph => "\n\n",
        };
        for c in between.chars() {
            self.comes_from(at);
            self.text.push(c);
        }
    }
}

/// How many bytes at the beginning stand for themselves but for their case, single spaces between them too.
fn plain_len(bytes: &[u8]) -> usize {
    /// So many are looked at together.
    const MANY: usize = 32;
    let is_plain = |byte: u8| matches!(byte, b'!'..=b'~') & (byte != b'&') & (byte != b'\\') & (byte != b'%');
    let goes_on = |byte: u8, next: u8| is_plain(byte) | (byte == b' ') & (next != b' ');
    let mut len = 0;
    while let Some(many) = bytes.get(len..=len + MANY) {
        if !many[..MANY].iter().zip(&many[1..]).fold(true, |all, (byte, next)| all & goes_on(*byte, *next)) {
            break;
        }
        len += MANY;
    }
    while let Some(&byte) = bytes.get(len)
        && goes_on(byte, bytes.get(len + 1).copied().unwrap_or_default())
    {
        len += 1;
    }
    // A space before something else is for the gap.
    len - usize::from(len > 0 && bytes[len - 1] == b' ')
}

/// What a letter becomes where that is one letter, without a look at the tables: that is most letters there are.
fn of_one_letter(c: char) -> Option<char> {
    match c {
        'а'..='и' | 'к'..='я' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{E01}'..='\u{E32}' => {
            Some(c)
        }
        'А'..='И' | 'К'..='Я' => char::from_u32(u32::from(c) + 0x20),
        'Й' | 'й' => Some('и'),
        _ => None,
    }
}

/// Whether it may be in a word that mixes scripts: Latin letters, digits, and scripts with letters that look like Latin
/// ones.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c,
            '\u{180}'..='\u{2AF}' | '\u{370}'..='\u{58F}' | '\u{10A0}'..='\u{10FF}' | '\u{13A0}'..='\u{13FF}'
            | '\u{1D00}'..='\u{1D7F}' | '\u{2C60}'..='\u{2DFF}' | '\u{A640}'..='\u{ABBF}')
}

fn width(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn small(at: usize) -> u32 {
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

/// What a character becomes, whatever it is.
fn fold(c: char, mut put: impl FnMut(char)) {
    match c {
        '\0'..='\u{7F}' => put(c.to_ascii_lowercase()),
        '’' | '‘' | '\u{2BC}' => put('\''),
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
                    'ي' | 'ى' => put('ی'),
                    'ك' => put('ک'),
                    'ة' => put('ه'),
                    'ٱ' => put('ا'),
                    c => put(c),
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

    #[test]
    fn letters_without_the_tables_are_as_with_them() {
        for c in (0x80..=u32::from(char::MAX)).filter_map(char::from_u32) {
            // The syllables of Hangul are letters here, and not taken apart.
            let Some(letter) = of_one_letter(c).filter(|_| !('\u{AC00}'..='\u{D7A3}').contains(&c)) else { continue };
            let mut by_tables = String::new();
            fold(c, |c| by_tables.push(c));
            assert_eq!(by_tables, letter.to_string(), "{c:?}");
            assert!(!c.is_whitespace() && !is_invisible(c) && !is_filler(c), "{c:?}");
        }
    }
}
