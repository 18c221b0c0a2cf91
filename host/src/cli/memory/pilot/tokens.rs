//! How many tokens a text is, as far as that can be said without the tokenizer of a model.

use hermes_text::{Script, script_of};

/// The formula, for those who read the numbers.
pub(super) const FORMULA: &str = "tokens are an estimate by characters: a quarter of a token for each of ASCII, 0.4 for \
    other Latin, Cyrillic and Greek letters, 1 for Han, kana and Hangul, 0.5 for letters of other scripts, 1 for \
    everything else; rounded up for each text. A model's own tokenizer differs, by a third or so";

/// The estimate by [`FORMULA`].
pub(super) fn estimate(text: &str) -> u64 {
    text.chars().map(hundredths).sum::<u64>().div_ceil(100)
}

fn hundredths(c: char) -> u64 {
    match script_of(c) {
        _ if c.is_ascii() => 25,
        Some(Script::Latin | Script::Cyrillic | Script::Greek) => 40,
        Some(Script::Han | Script::Kana | Script::Hangul) | None => 100,
        Some(_) => 50,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_has_its_weight() {
        for (text, tokens) in [
            ("", 0),
            ("a", 1),
            ("Anna drinks green tea at 4 pm.", 8),
            ("Анна пьёт чай", 5),
            ("お茶を飲む", 5),
            ("मी चहा", 3),
            ("…", 1),
            ("👍👍", 2),
        ] {
            assert_eq!(estimate(text), tokens, "{text}");
        }
    }
}
