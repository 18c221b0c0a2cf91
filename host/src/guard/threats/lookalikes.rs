//! Words that are written with letters of another script, or with digits, to look like others.
//!
//! What looks like what is the data of Unicode Technical Standard #39 (`confusables.txt`, by way of `unicode-security`).

use std::sync::atomic::{AtomicU8, Ordering};

/// The Latin word that a folded word looks like. None when it is one, or looks like none.
pub(super) fn plain(word: &str) -> Option<String> {
    if word.is_ascii() {
        // `1gn0re`, but not `2026`.
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let disguises = digits > 0 && digits * 2 <= word.len() && word.len() >= 4;
        return disguises.then(|| word.chars().map(letter_of_digit).collect());
    }
    word.chars().map(latin).collect()
}

/// Digits that stand for letters.
fn letter_of_digit(c: char) -> char {
    match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        c => c,
    }
}

fn latin(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(letter_of_digit(c));
    }
    // What the tables say of letters of Latin, Greek and Cyrillic, once they were asked: every word of a text asks.
    const UNKNOWN: u8 = 0;
    const NONE: u8 = 1;
    static KNOWN: [AtomicU8; 0x600] = [const { AtomicU8::new(UNKNOWN) }; 0x600];
    // Some look like a Latin letter in upper case only.
    let looked_up = || prototype(c).or_else(|| c.to_uppercase().next().and_then(prototype));
    let Some(known) = KNOWN.get(c as usize) else { return looked_up() };
    match known.load(Ordering::Relaxed) {
        UNKNOWN => {
            let found = looked_up();
            let letter = found.and_then(|letter| u8::try_from(letter).ok());
            known.store(letter.unwrap_or(NONE), Ordering::Relaxed);
            found
        }
        NONE => None,
        letter => Some(char::from(letter)),
    }
}

fn prototype(c: char) -> Option<char> {
    let mut skeleton = unicode_security::confusable_detection::skeleton(c.encode_utf8(&mut [0; 4])).collect::<String>();
    skeleton.make_ascii_lowercase();
    match skeleton.as_str() {
        "rn" => Some('m'),
        one => one.chars().next().filter(|c| one.len() == 1 && c.is_ascii_alphanumeric()).map(letter_of_digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_scripts_and_digits_are_read_as_they_look() {
        assert_eq!(plain("ignоre").as_deref(), Some("ignore"));
        assert_eq!(plain("iɡnοrе").as_deref(), Some("ignore"));
        assert_eq!(plain("1gn0re").as_deref(), Some("ignore"));
        assert_eq!(plain("рrеvіоus").as_deref(), Some("previous"));
        assert_eq!(plain("2026"), None);
        assert_eq!(plain("забудь"), None, "a word of its own script");
    }
}
