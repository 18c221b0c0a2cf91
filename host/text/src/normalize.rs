//! One form of a text to compare by.
//!
//! The result is never shown to anybody and never stored in place of the original. The rules are those of
//! `NFKC_Casefold` (Unicode Standard Annex #15 and section 3.13 of the standard), with lower case in place
//! of case folding, so that `ß` stays a letter people can read in a log, and with three folds for search.

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
    let mut out = String::with_capacity(text.len());
    if text.is_ascii() {
        collapse(text.chars().map(|c| c.to_ascii_lowercase()), &mut out);
        return out;
    }
    // Folds are made on the decomposed text: there one mark is one character however it was typed, so a
    // second pass has nothing left to fold.
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
    collapse(folded.nfc(), &mut out);
    out
}

/// Copies characters, with one space for each inner run of white space and controls.
fn collapse(chars: impl Iterator<Item = char>, out: &mut String) {
    let mut gap = false;
    for c in chars {
        if c.is_whitespace() || c.is_control() {
            gap = true;
            continue;
        }
        if gap && !out.is_empty() {
            out.push(' ');
        }
        gap = false;
        out.push(c);
    }
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
