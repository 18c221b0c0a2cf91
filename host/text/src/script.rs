//! Which writing system a character or a text is in.
//!
//! The script decides how a text is cut into words and which stemmer fits, and it can be told for certain,
//! which the language cannot.

use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script as Exact, UnicodeScript};

/// The writing systems the library treats differently; all the rest are [`Script::Other`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Script {
    /// Latin letters, with or without diacritics.
    Latin,
    /// Cyrillic letters.
    Cyrillic,
    /// Greek letters (Coptic is [`Script::Other`]).
    Greek,
    /// Arabic letters, Persian and Urdu ones among them.
    Arabic,
    /// Hebrew letters and points.
    Hebrew,
    /// Devanagari: Hindi, Marathi, Nepali, Sanskrit.
    Devanagari,
    /// Tamil.
    Tamil,
    /// Thai (Lao, Khmer and Myanmar are [`Script::Other`]).
    Thai,
    /// Han ideographs of Chinese, Japanese and Korean.
    Han,
    /// Hiragana and Katakana, half-width forms and the long-vowel mark `ー` too.
    Kana,
    /// Hangul syllables and jamo.
    Hangul,
    /// Any other script.
    Other,
}

/// Every script, in the order of the enum: the place in this list is the place in a table of counts.
const ALL: [Script; 12] = [
    Script::Latin,
    Script::Cyrillic,
    Script::Greek,
    Script::Arabic,
    Script::Hebrew,
    Script::Devanagari,
    Script::Tamil,
    Script::Thai,
    Script::Han,
    Script::Kana,
    Script::Hangul,
    Script::Other,
];

/// The script of a letter or of a mark that belongs to one script.
///
/// `None` for digits of any script, punctuation, symbols, emoji, white space, and for letters and marks that
/// several scripts share (the `Common` and `Inherited` of Unicode Standard Annex #24), but for `ー`, which
/// only kana use.
#[must_use]
pub fn script_of(c: char) -> Option<Script> {
    if c.is_ascii() {
        return c.is_ascii_alphabetic().then_some(Script::Latin);
    }
    if matches!(c, '\u{30FC}' | '\u{FF70}') {
        return Some(Script::Kana);
    }
    if !c.is_alphabetic() && !is_combining_mark(c) {
        return None;
    }
    match c.script() {
        Exact::Common | Exact::Inherited | Exact::Unknown => None,
        Exact::Latin => Some(Script::Latin),
        Exact::Cyrillic => Some(Script::Cyrillic),
        Exact::Greek => Some(Script::Greek),
        Exact::Arabic => Some(Script::Arabic),
        Exact::Hebrew => Some(Script::Hebrew),
        Exact::Devanagari => Some(Script::Devanagari),
        Exact::Tamil => Some(Script::Tamil),
        Exact::Thai => Some(Script::Thai),
        Exact::Han => Some(Script::Han),
        Exact::Hiragana | Exact::Katakana => Some(Script::Kana),
        Exact::Hangul => Some(Script::Hangul),
        _ => Some(Script::Other),
    }
}

/// The script most letters of `text` are in; of equals, the one that comes first in [`Script`].
///
/// `None` when no character has a script. Marks count like letters.
#[must_use]
pub fn dominant_script(text: &str) -> Option<Script> {
    let counts = count(text.chars());
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    ALL.into_iter().zip(counts).find(|(_, n)| *n == most).map(|(script, _)| script)
}

/// How many characters are in each script, by the script's place in the enum.
pub(crate) fn count(chars: impl Iterator<Item = char>) -> [usize; 12] {
    let mut counts = [0; 12];
    for script in chars.filter_map(script_of) {
        counts[script as usize] += 1;
    }
    counts
}

/// Whether a letter is of a script written without spaces between words, where words cannot be told without
/// a dictionary (line-break class SA of Unicode Standard Annex #14, and East Asian ideographs and kana).
pub(crate) fn is_unspaced(c: char) -> bool {
    // The first of them is Thai, U+0E01.
    if c < '\u{E00}' {
        return false;
    }
    match script_of(c) {
        Some(Script::Han | Script::Kana | Script::Thai) => true,
        Some(Script::Other) => {
            matches!(c.script(), Exact::Bopomofo | Exact::Khmer | Exact::Lao | Exact::Myanmar | Exact::Tai_Tham)
        }
        _ => false,
    }
}
