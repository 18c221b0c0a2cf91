//! Taking secrets out of a text.

use std::borrow::Cow;
use std::collections::HashMap;

use hermes_provider_api::Secret;

/// Values shorter than this many characters are not masked: they would be found in ordinary words.
const SHORTEST: usize = 6;

/// Replaces the values of secrets by their names in brackets, `[NAME]`.
///
/// One pass over the text, whatever the number of secrets: a table of their first two bytes says where to look at
/// all, and a map from their first six bytes which values may begin there.
#[derive(Clone, Default)]
pub struct Mask {
    by_start: HashMap<[u8; SHORTEST], Vec<(String, Secret)>>,
    pairs: Vec<u64>,
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
        for (name, secret) in secrets {
            if secret.expose().chars().count() < SHORTEST {
                continue;
            }
            let Some(&start) = secret.expose().as_bytes().first_chunk() else { continue };
            mask.pairs.resize(1 << 10, 0);
            let (word, bit) = pair(start[0], start[1]);
            mask.pairs[word] |= bit;
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
        while !self.pairs.is_empty() && at + SHORTEST <= bytes.len() {
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

    fn find(&self, text: &[u8]) -> Option<(&str, usize)> {
        let start: &[u8; SHORTEST] = text.first_chunk()?;
        let (word, bit) = pair(start[0], start[1]);
        if self.pairs[word] & bit == 0 {
            return None;
        }
        let (name, secret) =
            self.by_start.get(start)?.iter().find(|(_, secret)| text.starts_with(secret.expose().as_bytes()))?;
        Some((name, secret.expose().len()))
    }
}

/// The place of two bytes in the table.
fn pair(first: u8, second: u8) -> (usize, u64) {
    let index = usize::from(first) << 8 | usize::from(second);
    (index >> 6, 1 << (index & 63))
}

#[cfg(test)]
mod tests {
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
    fn short_values_and_no_values_change_nothing() {
        check(&[("A", "short"), ("B", "да")], "a short да", "a short да");
        check(&[], "anything", "anything");
        check(&[("A", "123456")], "", "");
    }
}
