//! Text that is hidden in base64 or in hexadecimal digits.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

/// The fewest digits that are looked at: less hides no sentence.
const FEWEST: usize = 16;
/// The most bytes of one piece that are read.
const MOST: usize = 64 * 1024;

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);
const OF_URLS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG);

/// A piece that is text once decoded.
pub(super) struct Decoded {
    pub(super) text: String,
    /// Where the piece stands.
    pub(super) at: Range<usize>,
}

/// The pieces of a text that are text once decoded, in order.
pub(super) fn find(text: &str) -> impl Iterator<Item = Decoded> {
    pieces(text).filter_map(move |at| {
        let mut end = at.end.min(at.start + MOST);
        // A whole number of bytes.
        end -= if end < at.end { (end - at.start) % 4 } else { 0 };
        let digits = &text[at.start..end];
        decoded(digits).map(|text| Decoded { text, at })
    })
}

/// Runs of digits of base64.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        // A run that begins at `at` or later and is long enough has a digit this far on. Most words end before.
        while let Some(probe) = bytes.get(at..at + FEWEST) {
            if let Some(other) = probe.iter().rposition(|byte| !is_digit(*byte)) {
                at += other + 1;
                continue;
            }
            let start = at;
            at += FEWEST;
            at += bytes[at..].iter().take_while(|byte| is_digit(**byte)).count();
            return Some(start..at);
        }
        None
    })
}

fn is_digit(byte: u8) -> bool {
    static DIGITS: [bool; 256] = {
        let mut digits = [false; 256];
        let mut byte = 0_u8;
        while byte < 0x80 {
            digits[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
            byte += 1;
        }
        digits
    };
    DIGITS[usize::from(byte)]
}

fn decoded(digits: &str) -> Option<String> {
    let bytes = if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && digits.len().is_multiple_of(2) {
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        digits.as_bytes().chunks_exact(2).map(pair).collect::<Option<Vec<u8>>>()
    } else {
        PLAIN.decode(digits).or_else(|_| OF_URLS.decode(digits)).ok()
    };
    let text = String::from_utf8(bytes?).ok()?;
    // Bytes that happen to be UTF-8 have controls among them.
    let is_text = text.chars().all(|c| !c.is_control() || c.is_whitespace());
    is_text.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        find(text).map(|found| found.text).collect()
    }

    #[test]
    fn text_is_decoded_and_bytes_are_not() {
        assert_eq!(texts("see aGVsbG8gZ29vZCB3b3JsZA== now"), ["hello good world"]);
        assert_eq!(texts("k=0L_RgNC40LLQtdGCLCDQvNC40YA"), ["привет, мир"]);
        assert_eq!(texts("68656c6c6f20676f6f6420776f726c64"), ["hello good world"]);
        let none: [String; 0] = [];
        assert_eq!(texts("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"), none);
        assert_eq!(texts("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"), none);
        assert_eq!(texts("aVeryLongIdentifierOfAProgram"), none);
    }
}
