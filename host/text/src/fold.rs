//! From a normalised word to a search term: what may stand in a term, and what is folded away.
//!
//! [`crate::normalize`] keeps everything that people would call a difference. A search term goes further:
//! `شكراً` and `شكرا`, `كتاب` typed on an Arabic and on a Persian keyboard, `۱۴۰۳` and `1403` must meet.

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::is_nfc;

use crate::normalize;

/// Zero width non-joiner: in Persian the boundary of an affix (`می‌خواهم`).
pub(crate) const ZWNJ: char = '\u{200C}';
/// Zero width joiner.
pub(crate) const ZWJ: char = '\u{200D}';

/// Whether a character can stand in a term: a letter, a digit or a combining mark.
///
/// `Alphabetic` also holds circled and squared letters, which are of category So, emoji among them (🅰):
/// FTS5 would split a term there, so they are out. `ℹ` is a letter by category and an emoji by use.
pub(crate) fn is_term_char(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    let symbol = matches!(c, 'ℹ' | '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F169}' | '\u{1F170}'..='\u{1F189}');
    (c.is_alphanumeric() && !symbol) || is_combining_mark(c)
}

/// Whether a character joins the parts of one word when it stands between letters: apostrophes of every
/// sort, Hebrew geresh and gershayim, the Catalan middle dot (MidLetter of Unicode Standard Annex #29).
pub(crate) fn is_joiner(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '\u{2BC}' | '\u{B7}' | '\u{5F3}' | '\u{5F4}')
}

/// A normalised word as a term: Western digits, one form for each Arabic letter, without the dot or not on the Turkish i, without vowel points of
/// Arabic and Hebrew, tatweel, Greek stress, enclosing marks and joiners.
///
/// Empty when nothing but such marks was there.
pub(crate) fn term(word: &str) -> String {
    if word.is_ascii() {
        return word.chars().filter(|c| !is_joiner(*c)).collect();
    }
    let folded: String = word.chars().filter(|c| !is_dropped(*c)).map(fold).collect();
    if folded.chars().any(char::is_alphanumeric) { settle(folded) } else { String::new() }
}

/// A text put together of normalised pieces, normalised: a mark may have lost the joiner or soft hyphen that
/// kept it from its letter.
pub(crate) fn settle(text: String) -> String {
    if text.is_ascii() || (is_nfc(&text) && !text.chars().any(is_combining_mark)) { text } else { normalize(&text) }
}

pub(crate) fn is_dropped(c: char) -> bool {
    matches!(c,
        ZWNJ | ZWJ | '"' | '\u{640}' | '\u{64B}'..='\u{65F}' | '\u{670}'
        | '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}'
        | '\u{20DD}'..='\u{20E0}' | '\u{20E2}'..='\u{20E4}')
        || is_joiner(c)
}

pub(crate) fn fold(c: char) -> char {
    match c {
        'ي' | 'ى' | 'ئ' => 'ی',
        'ك' => 'ک',
        'ة' => 'ه',
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ؤ' => 'و',
        'ı' => 'i',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        _ => western_digit(c).unwrap_or(c),
    }
}

/// The zeros of the decimal digits of living scripts (category Nd); nine more follow each of them.
const ZEROS: [u32; 18] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0E50, 0x0ED0,
    0x0F20, 0x1040, 0x17E0, 0x1810,
];

fn western_digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS.into_iter().rfind(|zero| *zero <= code)?;
    char::from_digit(code - zero, 10)
}
