//! Lengths and pieces of text counted in characters.
//!
//! Limits shown to people and models are in characters, not bytes; and a cut in the middle of an accent, a
//! Hindi syllable or a family emoji leaves rubbish behind.

use unicode_segmentation::GraphemeCursor;

use crate::normalize;

/// The longest gram [`grams`] makes. Longer ones would find only exact copies, and cost length × `n` memory.
pub const MAX_GRAM: usize = 32;

/// The number of Unicode scalar values in `text` (what `truncate_chars` counts).
///
/// An emoji with a skin tone counts two, `e` with a separate accent counts two.
#[must_use]
pub fn char_count(text: &str) -> usize {
    text.chars().count()
}

/// The longest beginning of `text` that has at most `max` Unicode scalar values and ends between two
/// extended grapheme clusters (Unicode Standard Annex #29, section 3).
///
/// It may be shorter than `max`: a cluster that does not fit is left out whole, so a text that begins with a
/// cluster longer than `max` gives the empty string. `\r\n` is one cluster.
#[must_use]
pub fn truncate_chars(text: &str, max: usize) -> &str {
    // Every scalar value takes at least one byte.
    if text.len() <= max {
        return text;
    }
    let end = match text.as_bytes()[..max].is_ascii() {
        true => max,
        false => match text.char_indices().nth(max) {
            Some((end, _)) => end,
            None => return text,
        },
    };
    // Back from there to the border of a cluster: only what is cut is looked at, not all that stays.
    let mut cursor = GraphemeCursor::new(end, text.len(), true);
    let at = match cursor.is_boundary(text, 0) {
        Ok(true) => Some(end),
        _ => cursor.prev_boundary(text, 0).expect("the cursor was given the whole text"),
    };
    &text[..at.unwrap_or_default()]
}

/// All runs of `n` neighbouring characters (scalar values, spaces included) of the normalised text, in
/// order, repeats kept.
///
/// A text shorter than `n` gives itself as its only gram; an empty text and `n = 0` give nothing. `n` above
/// [`MAX_GRAM`] counts as [`MAX_GRAM`].
#[must_use]
pub fn grams(text: &str, n: usize) -> Vec<String> {
    let text = normalize(text);
    let n = n.min(MAX_GRAM);
    if n == 0 || text.is_empty() {
        return Vec::new();
    }
    let ends = text.char_indices().map(|(at, _)| at).skip(n).chain([text.len()]);
    text.char_indices().zip(ends).map(|((start, _), end)| text[start..end].to_owned()).collect()
}
