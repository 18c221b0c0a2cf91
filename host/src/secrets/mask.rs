//! Taking secrets out of a text.
//!
//! A value is also found as it looks percent-encoded, in a JSON text, and inside of base64, whatever stands before it
//! there. Not found is one that was broken by a line break, encoded twice, or changed in any other way: each would
//! be one more text to look for, and who means to carry a value out has endless ways.

use std::borrow::Cow;
use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use hermes_provider_api::Secret;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::json::change_texts;

/// Values shorter than this many characters are not masked: they would be found in ordinary words.
const SHORTEST: usize = 6;

/// Replaces the values of secrets by their names in brackets, `[NAME]`.
///
/// One pass over the text, whatever the number of secrets: two bytes say how far the next beginning of a value is at least,
/// so that most bytes are passed over, and a map from their first six bytes which values may begin there.
#[derive(Clone, Default)]
pub struct Mask {
    by_start: HashMap<[u8; SHORTEST], Vec<(String, Secret)>>,
    /// For two bytes, how far they are at least from where they stand in the first six bytes of a value, to the end of
    /// these: the search of Wu and Manber. Empty without values.
    steps: Vec<u8>,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mask")
    }
}

impl Mask {
    /// A mask for these secrets, by name.
    #[must_use]
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, Secret)>) -> Self {
        let mut mask = Self::default();
        let secrets: Vec<_> = secrets.into_iter().collect();
        // The values themselves go before what others look like.
        let looks = secrets.iter().flat_map(|(name, secret)| looks(secret).into_iter().map(|look| (*name, look)));
        for (name, secret) in secrets.iter().cloned().chain(looks) {
            if secret.expose().chars().count() < SHORTEST {
                continue;
            }
            let Some(&start) = secret.expose().as_bytes().first_chunk() else { continue };
            mask.steps.resize(PAIRS, MOST_STEPS);
            for (left, bytes) in (0..MOST_STEPS).rev().zip(start.windows(2)) {
                let step = &mut mask.steps[pair(bytes[0], bytes[1])];
                *step = left.min(*step);
            }
            mask.by_start.entry(start).or_default().push((name.to_owned(), secret));
        }
        for values in mask.by_start.values_mut() {
            values.sort_by_key(|(_, secret)| std::cmp::Reverse(secret.expose().len()));
        }
        mask
    }

    /// The text without the values; the longest that fits wins, and the first name where two have the same value.
    #[must_use]
    pub fn apply<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let bytes = text.as_bytes();
        let mut masked = String::new();
        let (mut at, mut copied) = (0, 0);
        while !self.steps.is_empty()
            && let Some(start) = bytes[at..].first_chunk::<SHORTEST>()
        {
            let step = self.steps[pair(start[SHORTEST - 2], start[SHORTEST - 1])];
            if step > 0 {
                at += usize::from(step);
                continue;
            }
            let Some((name, length)) = self.find(&bytes[at..]) else {
                at += 1;
                continue;
            };
            // A value is UTF-8 and so is the text: it can only be found at the border of a character.
            masked.push_str(&text[copied..at]);
            masked.push('[');
            masked.push_str(name);
            masked.push(']');
            at += length;
            copied = at;
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        masked.push_str(&text[copied..]);
        Cow::Owned(masked)
    }

    /// The same for every text in a JSON value, names of fields too.
    pub fn apply_json(&self, value: &mut Value) {
        change_texts(value, &|_, text| match self.apply(text) {
            Cow::Owned(masked) => Some(masked),
            Cow::Borrowed(_) => None,
        });
    }

    fn find(&self, text: &[u8]) -> Option<(&str, usize)> {
        let start: &[u8; SHORTEST] = text.first_chunk()?;
        let (name, secret) =
            self.by_start.get(start)?.iter().find(|(_, secret)| text.starts_with(secret.expose().as_bytes()))?;
        Some((name, secret.expose().len()))
    }
}

/// What a value looks like where it was encoded, if that is another text.
fn looks(secret: &Secret) -> Vec<Secret> {
    const KEPT: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    let value = secret.expose();
    if value.chars().count() < SHORTEST {
        return Vec::new();
    }
    let percent = utf8_percent_encode(value, &KEPT).to_string();
    let in_json = Value::from(value).to_string();
    let mut looks = vec![lower_digits(&percent), percent, in_json[1..in_json.len() - 1].to_owned()];
    for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
        // Three bytes become four letters, so there are three ways to stand in a longer text. The letters at the ends hold
        // bits of what is beside it.
        for before in 0..3 {
            let text = engine.encode([&[0; 2][..before], value.as_bytes()].concat());
            let end = (before + value.len()) * 8 / 6;
            let inner = &text[(before * 8).div_ceil(6)..end];
            if inner.len() >= LEAST_BASE64 {
                looks.push(inner.to_owned());
            }
        }
    }
    looks.retain(|look| look != value);
    looks.sort();
    looks.dedup();
    looks.into_iter().map(Secret::new).collect()
}

/// Shorter pieces of base64 would be found in that of other things.
const LEAST_BASE64: usize = 10;

/// `%2F` as `%2f`.
fn lower_digits(percent: &str) -> String {
    let mut parts = percent.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        text += &format!("%{}{rest}", digits.to_ascii_lowercase());
    }
    text
}

/// How many places for two bytes there are, and the step of two that no value has.
const PAIRS: usize = 1 << 12;
#[expect(clippy::cast_possible_truncation, reason = "5")]
const MOST_STEPS: u8 = SHORTEST as u8 - 1;

/// The place of two bytes in the table. Some share one.
fn pair(first: u8, second: u8) -> usize {
    (usize::from(first) << 5 ^ usize::from(second)) % PAIRS
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(secrets: &[(&str, &str)], text: &str, expect: &str) {
        let mask = Mask::new(secrets.iter().map(|(name, value)| (*name, Secret::new(*value))));
        assert_eq!(mask.apply(text), expect);
        assert!(!format!("{mask:?}").contains("sk-"));
    }

    #[test]
    fn every_occurrence_is_replaced() {
        check(&[("KEY", "sk-123456")], "sk-123456 and ?key=sk-123456&x, sk-12345", "[KEY] and ?key=[KEY]&x, sk-12345");
        check(&[("A", "sk-1234"), ("B", "sk-123456")], "sk-123456/sk-12345", "[B]/[A]5");
        check(&[("A", "sk-same"), ("B", "sk-same")], "sk-same", "[A]");
        check(&[("A", "aaaaaa")], "aaaaaaaaaaaaa", "[A][A]a");
        check(&[("A", "пароль")], "мой пароль: пароль", "мой [A]: [A]");
        check(&[("A", "пароль🔑")], "пароль🔑", "[A]");
    }

    #[test]
    fn encoded_values_are_found() {
        let key = [("KEY", "p/s+w?d=\"é\"9")];
        check(&key, "?k=p%2Fs%2Bw%3Fd%3D%22%C3%A9%229&x", "?k=[KEY]&x");
        check(&key, "?k=p%2fs%2bw%3fd%3d%22%c3%a9%229", "?k=[KEY]");
        check(&key, r#"{"k": "p/s+w?d=\"é\"9"}"#, r#"{"k": "[KEY]"}"#);
        for around in ["", "a", "ab", "user:"] {
            let text = STANDARD_NO_PAD.encode(format!("{around}p/s+w?d=\"é\"9{around}"));
            let mask = Mask::new(key.iter().map(|(name, value)| (*name, Secret::new(*value))));
            let masked = mask.apply(&text);
            assert!(masked.contains("[KEY]") && masked.len() <= text.len() - 8, "{text} {masked}");
        }
    }

    #[test]
    fn names_of_fields_are_texts_too() {
        let mask = Mask::new([("KEY", Secret::new("sk-123456"))]);
        let mut value = json!({"a sk-123456": {"b": ["sk-123456", 1, null]}, "c": true});
        mask.apply_json(&mut value);
        assert_eq!(value, json!({"a [KEY]": {"b": ["[KEY]", 1, null]}, "c": true}));
    }

    #[test]
    fn short_values_and_no_values_change_nothing() {
        check(&[("A", "short"), ("B", "да")], "a short да", "a short да");
        check(&[], "anything", "anything");
        check(&[("A", "123456")], "", "");
    }
}
