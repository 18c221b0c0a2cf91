//! A text as a reader takes it: without what cannot be seen, and full-width letters as plain ones.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use crate::guard::letters::is_invisible;

/// A plain form of a text, and where each of its bytes comes from.
pub(super) struct Plain {
    pub(super) text: String,
    /// For each byte the place of its character in the original; one more for the end.
    places: Vec<usize>,
}

impl Plain {
    /// None when it would be the same.
    pub(super) fn of(text: &str) -> Option<Self> {
        if !may_be_odd(text.as_bytes()) {
            return None;
        }
        let odd = |c: char| match c {
            // Full-width punctuation is usual in some scripts, and read as it is.
            '\u{FF01}'..='\u{FF5E}' => plain(c).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')),
            _ => plain(c) != Some(c),
        };
        if !text.chars().any(odd) {
            return None;
        }
        let (mut out, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
        for (at, c) in text.char_indices() {
            if let Some(c) = plain(c) {
                out.push(c);
                places.resize(out.len(), at);
            }
        }
        places.push(text.len());
        Some(Self { text: out, places })
    }

    /// Where a range of the plain text lies in the original.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        self.places[range.start]..self.places[range.end]
    }
}

/// Whether one of the characters may be in it, by their first bytes: most texts have none, and each turn is asked.
fn may_be_odd(text: &[u8]) -> bool {
    /// So many are looked at together.
    const MANY: usize = 32;
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') | (byte == b'\n');
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if let Some(many) = text.get(at..at + MANY)
            && byte.is_ascii()
            && many[1].is_ascii()
            && many.iter().fold(true, |all, byte| all & is_plain(*byte))
        {
            at += MANY;
            continue;
        }
        let next = |by: usize| text.get(at + by).copied().unwrap_or_default();
        let odd = match byte {
            0..0x20 => !byte.is_ascii_whitespace(),
            0x20..0x7F => false,
            0xC2 => matches!(next(1), 0x80..=0x9F | 0xAD),
            0xE2 => match next(1) {
                0x80 => matches!(next(2), 0x8B..=0x8F | 0xAA..=0xAE),
                second => matches!(second, 0x81 | 0x92 | 0x93),
            },
            0xE3 => next(1) == 0x85,
            0x7F | 0xCD | 0xD8 | 0xE1 | 0xEF | 0xF0.. => true,
            _ => false,
        };
        if odd {
            return true;
        }
        at += 1;
    }
    false
}

/// The plain form of a character; None for one that takes no room.
fn plain(c: char) -> Option<char> {
    match c {
        '\0'..='\u{7E}' if !c.is_control() || c.is_whitespace() => Some(c),
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0),
        '\u{1D400}'..='\u{1D7FF}' | '\u{24B6}'..='\u{24E9}' => {
            Some(c.nfkc().next().filter(char::is_ascii).unwrap_or(c))
        }
        // Marks belong to the letters of many scripts.
        '\u{300}'..='\u{36F}' => Some(c),
        c if is_invisible(c) => None,
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts_are_left_and_others_are_mapped() {
        for text in ["", "a b\nc\t", "зелёный чай, 绿茶", "ชาเขียว", "é e\u{301}"] {
            assert!(Plain::of(text).is_none(), "{text:?}");
        }
        let text = "да g\u{200B}hｐ\u{2060}_１ 茶";
        let plain = Plain::of(text).unwrap();
        assert_eq!(plain.text, "да ghp_1 茶");
        let at = plain.text.find("ghp_1").unwrap();
        assert_eq!(&text[plain.original(&(at..at + 5))], "g\u{200B}hｐ\u{2060}_１");
        assert_eq!(plain.original(&(0..plain.text.len())), 0..text.len());
    }
}
