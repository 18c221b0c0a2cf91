//! One form of a text to compare by.
//!
//! The result is never shown to anybody and never stored in place of the original. The rules are those of
//! `NFKC_Casefold` (Unicode Standard Annex #15 and section 3.13 of the standard), with lower case in place
//! of case folding, so that `ß` stays a letter people can read in a log, and with three folds for search.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// The form of `text` to compare by: equal results mean "the same text" for every search in the house.
///
/// - NFKC: full-width letters, ligatures, half-width kana and the like become their plain forms;
/// - lower case by the full Unicode mapping; then `ё` → `е`, final `ς` → `σ`, and `i` loses a dot above, so
///   that the Turkish `İ` is `i` (the dotless `ı` stays: it is another letter);
/// - characters without width or meaning are dropped: soft hyphen, ZWSP, word joiner, BOM, bidirectional
///   marks, the combining grapheme joiner, variation selectors. ZWNJ and ZWJ stay: Persian, the Indic scripts
///   and emoji are spelled with them;
/// - every run of white space and control characters (NUL too) becomes one space; none at either end.
///
/// Idempotent, and linear in the length of `text`.
#[must_use]
pub fn normalize(text: &str) -> String {
    let mut out = Collapsed { text: String::with_capacity(text.len()), gap: false };
    let mut rest = text;
    'parts: while !rest.is_empty() {
        let ascii = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        if ascii > 1 {
            // What follows may join the last.
            let (plain, others) = rest.split_at(if ascii < rest.len() { ascii - 1 } else { ascii });
            out.push_ascii(plain);
            rest = others;
            if rest.is_empty() {
                break;
            }
        }
        // Most of most texts needs no tables: characters that change only their case, each before another of these.
        let mut chars = rest.char_indices();
        let (mut last, mut was_ascii) = (chars.next(), true);
        let end = loop {
            let Some((at, c)) = last else { break rest.len() };
            if c.is_ascii() && !was_ascii && begins_with_ascii(&rest[at..]) {
                rest = &rest[at..];
                continue 'parts;
            }
            was_ascii = c.is_ascii();
            let Some(plain) = plain(c) else { break at };
            last = chars.next();
            if last.is_some_and(|(_, next)| self::plain(next).is_none()) {
                break at;
            }
            if c > '\u{a0}' && plain != ' ' { out.push_visible(plain) } else { out.push(plain) }
        };
        rest = &rest[end..];
        // From there to the next plain character, which cannot join what is before it.
        let others = rest.char_indices().skip(1).find(|(_, c)| plain(*c).is_some());
        let (others, plain) = rest.split_at(others.map_or(rest.len(), |(at, _)| at));
        folded(others).for_each(|c| out.push(c));
        rest = plain;
    }
    out.text
}

/// Whether a text that is in normal form stands in the normal form of another, which is made only where this cannot be
/// told without: `normalize(text).contains(part)`, several times as fast.
#[must_use]
pub fn contains_normalized(text: &str, part: &str) -> bool {
    let Some(first) = part.chars().next() else { return true };
    let (mut is_there, mut at) = (false, 0);
    while let Some(rest) = text.get(at..)
        && let Some(byte) = rest.bytes().next()
    {
        let (plain, length) = if byte.is_ascii() {
            (byte.to_ascii_lowercase().into(), 1)
        } else {
            let Some(c) = rest.chars().next() else { break };
            let Some(plain) = plain(c) else { return normalize(text).contains(part) };
            (plain, c.len_utf8())
        };
        is_there |= plain == first && begins_with_plain(rest, part);
        at += length;
    }
    is_there
}

/// Whether a text begins with another in normal form, as far as its characters are plain.
fn begins_with_plain(text: &str, part: &str) -> bool {
    let is_gap = |c: &char| c.is_whitespace() || c.is_control();
    let mut chars = text.chars().peekable();
    part.chars().all(|wanted| {
        if wanted != ' ' {
            return chars.next().and_then(plain) == Some(wanted);
        }
        let is_there = chars.next_if(is_gap).is_some();
        while chars.next_if(is_gap).is_some() {}
        is_there
    })
}

/// Whether so much of a text is of ASCII that it is worth while to look at many characters at once.
fn begins_with_ascii(text: &str) -> bool {
    const MANY: usize = 16;
    text.as_bytes().get(..MANY).is_some_and(<[u8]>::is_ascii)
}

/// What a character becomes between others of these; None for those that the tables must be asked for.
///
/// They are starters, and no second half of a composition (`DerivedNormalizationProps.txt`): their neighbours of the
/// same sort do not change them, nor they those.
fn plain(c: char) -> Option<char> {
    /// Of the scripts that have the most ranges: looked up, since every character of a text is asked for.
    static KNOWN: LazyLock<[Option<char>; 0x2100]> = LazyLock::new(|| {
        let mut known = [None; 0x2100];
        known.iter_mut().zip('\0'..).for_each(|(known, c)| *known = plain_by_range(c));
        known
    });
    // Kana, Chinese characters, Hangul syllables.
    if matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
    {
        return Some(c);
    }
    usize::try_from(u32::from(c)).ok().and_then(|at| KNOWN.get(at)).map_or_else(|| plain_by_range(c), |known| *known)
}

fn plain_by_range(c: char) -> Option<char> {
    match c {
        '\0'..='\x7f' => Some(c.to_ascii_lowercase()),
        'ё' | 'Ё' => Some('е'),
        'ς' => Some('σ'),
        // Letters of Latin, Greek and Cyrillic script that are one character with their mark.
        'À'..='Ö'
        | 'Ø'..='Þ'
        | '\u{100}'..='\u{12f}'
        | '\u{134}'..='\u{13e}'
        | '\u{141}'..='\u{148}'
        | '\u{14a}'..='\u{17e}'
        | 'Ơ'
        | 'Ư'
        | 'Ș'
        | 'Ț'
        | '\u{1ea0}'..='\u{1ef9}'
        | 'Ά'
        | 'Έ'..='Ί'
        | 'Ό'
        | 'Ύ'..='Ώ'
        | 'Α'..='Ρ'
        | 'Σ'..='Ϋ'
        | 'Є'
        | 'І'
        | 'Ї'
        | 'Ў'
        | 'А'..='Я'
        | 'Ґ' => c.to_lowercase().next(),
        'ß'..='ö' | 'ø'..='ÿ' | 'ı' | 'ơ' | 'ư' | 'ș' | 'ț' | 'ά'..='ώ' | 'а'..='я' | 'є' | 'і' | 'ї' | 'ў' | 'ґ' => {
            Some(c)
        }
        // Hebrew, Arabic and Persian letters without marks, Devanagari, Thai.
        '\u{5d0}'..='\u{5ea}'
        | '\u{621}'..='\u{64a}'
        | 'پ'
        | 'چ'
        | 'ژ'
        | 'ک'
        | 'گ'
        | 'ی'
        | '\u{900}'..='\u{939}'
        | '\u{93d}'..='\u{94c}'
        | '\u{964}'..='\u{96f}'
        | '\u{e01}'..='\u{e32}'
        | '\u{e34}'..='\u{e37}'
        | '\u{e40}'..='\u{e47}'
        | '\u{e4c}'..='\u{e4e}' => Some(c),
        // Signs: spaces, dashes, quotes, stops, and the wide ones of ASCII.
        '\u{a0}' | '\u{3000}' => Some(' '),
        '«' | '»' | '–' | '—' | '‘'..='„' | '、'..='。' => Some(c),
        '！'..='～' => {
            let narrow = u32::from(c) - u32::from('！') + u32::from('!');
            char::from_u32(narrow).map(|c| c.to_ascii_lowercase())
        }
        _ => None,
    }
}

/// The characters of a text in normal form. Folds are made on the decomposed text: there one mark is one character
/// however it was typed, so a second pass has nothing left to fold.
fn folded(text: &str) -> impl Iterator<Item = char> {
    let mut base = '\0';
    let folded = text
        .chars()
        .filter(|c| !is_ignorable(*c))
        .nfkd()
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'ς' { 'σ' } else { c })
        .filter(move |c| {
            if canonical_combining_class(*c) == 0 {
                base = *c;
            }
            !matches!((base, *c), ('е', '\u{308}') | ('i', '\u{307}'))
        });
    folded.nfc()
}

/// A text with one space for each inner run of white space and controls.
struct Collapsed {
    text: String,
    gap: bool,
}

impl Collapsed {
    fn push(&mut self, c: char) {
        if c.is_whitespace() || c.is_control() {
            self.gap = true;
            return;
        }
        self.push_visible(c);
    }

    fn push_visible(&mut self, c: char) {
        if self.gap && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.gap = false;
        self.text.push(c);
    }

    /// The same for each character of a text of ASCII, in lower case, and many at once.
    fn push_ascii(&mut self, text: &str) {
        let mut rest = text;
        while let Some(first) = rest.bytes().next() {
            if !first.is_ascii_graphic() {
                self.gap = true;
                rest = &rest[1..];
                continue;
            }
            let (plain, others) = rest.split_at(unbroken(rest.as_bytes()));
            if self.gap && !self.text.is_empty() {
                self.text.push(' ');
            }
            self.gap = false;
            let start = self.text.len();
            self.text.push_str(plain);
            self.text[start..].make_ascii_lowercase();
            rest = others;
        }
    }
}

/// How many bytes at the beginning are visible signs of ASCII, and single spaces between them.
fn unbroken(bytes: &[u8]) -> usize {
    /// So many are looked at together.
    const MANY: usize = 32;
    let goes_on = |byte: u8, next: u8| byte.is_ascii_graphic() | (byte == b' ') & (next != b' ');
    let mut len = 0;
    while let Some(many) = bytes.get(len..=len + MANY)
        && many[..MANY].iter().zip(&many[1..]).fold(true, |all, (byte, next)| all & goes_on(*byte, *next))
    {
        len += MANY;
    }
    while let Some(&byte) = bytes.get(len)
        && goes_on(byte, bytes.get(len + 1).copied().unwrap_or_default())
    {
        len += 1;
    }
    // A space before something else is no single one.
    len - usize::from(len > 0 && bytes[len - 1] == b' ')
}

/// Characters that change neither the look nor the sense of a text being compared: a hand-picked part of
/// `Default_Ignorable_Code_Point` (`DerivedCoreProperties.txt`). Tag characters are not among them: they tell
/// one flag emoji from another.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{E0100}'..='\u{E01EF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a look at what is plain.
    fn by_the_tables(text: &str) -> String {
        let mut out = Collapsed { text: String::new(), gap: false };
        folded(text).for_each(|c| out.push(c));
        out.text
    }

    #[track_caller]
    fn same(text: &str) {
        assert_eq!(normalize(text), by_the_tables(text), "{text:?}");
    }

    #[test]
    fn what_is_plain_is_what_the_tables_say() {
        let plain_ones = (0..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|c| plain(*c).is_some());
        plain_ones.for_each(|c| same(c.encode_utf8(&mut [0; 4])));
        // Before and behind what each of these may join or be joined by: marks, vowels, jamo, odd widths.
        let others = [0..0x3400, 0xa000..0xac00, 0xd7b0..0x1_0000, 0x1_1000..0x1_1200, 0x1_e000..0x1_f200];
        for c in others.into_iter().flatten().filter_map(char::from_u32).filter(|c| plain(*c).is_none()) {
            let around =
                ['a', 'E', 'i', 'и', 'Ё', 'ا', 'ה', 'か', '한', ' ', '\0', 'ü', 'Ế', 'ά', 'ะ', 'ि', 'न', 'Ａ', '—'];
            same(&around.iter().flat_map(|other| [*other, c, *other, *other, c]).collect::<String>());
        }
    }

    #[test]
    fn a_part_is_found_as_in_the_normal_form() {
        let pieces = ["A", "b", " ", "\t\n", "ü", "u\u{308}", "Ａ", "\u{ad}", "\0", "\u{3000}", "ж", "İ"];
        let mut found = [0, 0];
        for number in 0..pieces.len().pow(4) {
            let text: String = (0..4).map(|at| pieces[number / pieces.len().pow(at) % pieces.len()]).collect();
            for part in ["a", "ab", "a b", "ü", "bü", "i", "ж a", "b ж", "aa", ""] {
                let is_there = normalize(&text).contains(part);
                assert_eq!(contains_normalized(&text, part), is_there, "{part:?} in {text:?}");
                found[usize::from(is_there)] += 1;
            }
        }
        assert!(found.into_iter().all(|times| times > 1000), "{found:?}");
    }

    #[test]
    fn pieces_meet_as_if_there_were_none() {
        let pieces = [
            "a",
            "E\u{301}",
            "\u{ad}",
            "е\u{308}",
            "I\u{307}",
            "ﬁ",
            "①",
            "가",
            "\u{11a8}",
            "か\u{3099}",
            "ς",
            "ÅB",
            " \u{a0}",
            "👩\u{200d}🚀",
            "\u{301}",
            " a  B\u{7f}c \t",
            "für Straßen, über die sehr viele Autos fahren, ö\u{30c}",
            "Some words, longer than what is looked at together, two  spaces ",
        ];
        for one in pieces {
            for two in pieces {
                for three in pieces {
                    same(&format!("{one}{two}{three}"));
                }
            }
        }
    }
}
