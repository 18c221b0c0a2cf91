//! One pass over a text that finds what has the shape of a secret.
//!
//! It goes from word to word. A known token may begin a word or stand behind any other sign in it, so that neither
//! `密钥ghp_…` nor `key_ghp_…` hides one; what a word announces, such as a password, is looked for at its end.

use std::ops::Range;

use super::{SecretKind, announced, quiet, tokens};

/// What a byte is to the scan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A letter or digit.
    Letter,
    /// `_` or `-`.
    Joint,
    /// Part of a character that is not ASCII.
    Wide,
    /// `\` or `%`.
    Escape,
    Other,
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut byte = 0_u8;
    loop {
        kinds[byte as usize] = match byte {
            byte if byte.is_ascii_alphanumeric() => Kind::Letter,
            b'_' | b'-' => Kind::Joint,
            b'\\' | b'%' => Kind::Escape,
            0x80.. => Kind::Wide,
            _ => Kind::Other,
        };
        if byte == u8::MAX {
            break kinds;
        }
        byte += 1;
    }
};

/// A secret in a text.
pub(super) type Found = (SecretKind, Range<usize>);

/// The secrets in a text, in order. `prefixes` are beginnings of tokens besides those that are always known.
pub(super) fn scan(text: &str, prefixes: &[String]) -> Vec<Found> {
    // A beginning such as `key ` could make a token of what is passed over.
    let passes = prefixes.iter().all(|prefix| tokens::is_long_or_odd(prefix));
    read(text, prefixes, if passes { 0 } else { usize::MAX })
}

/// The same, which passes over quiet words from a place on.
fn read(text: &str, prefixes: &[String], mut passes_from: usize) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        while at >= passes_from && (at == 0 || bytes[at - 1] == b' ') {
            match quiet::pass(bytes, at) {
                Some(next) => at = next,
                None => passes_from = at + quiet::AGAIN,
            }
        }
        at = match KINDS[usize::from(bytes[at])] {
            Kind::Other => at + 1,
            Kind::Escape => at + escape_len(&bytes[at..]),
            Kind::Joint if bytes[at] == b'-' && bytes[at..].starts_with(b"-----BEGIN ") => {
                match announced::private_key(&text[at..]) {
                    Some(len) => {
                        found.push((SecretKind::PrivateKey, at..at + len));
                        at + len
                    }
                    None => at + 5,
                }
            }
            Kind::Joint => at + 1,
            Kind::Wide if !is_letter(text, at) => at + width(text, at),
            Kind::Letter => match quiet_word(bytes, at, prefixes) {
                Some(end) => end,
                None => word(text, at, prefixes, &mut found),
            },
            Kind::Wide => word(text, at, prefixes, &mut found),
        };
    }
    found
}

/// Where a word of ASCII letters and digits ends that holds nothing and announces nothing, as most words do: it is short, no
/// token begins with it, and the next word or the end of a sentence follows. None for any other, which must be looked at.
fn quiet_word(bytes: &[u8], start: usize, prefixes: &[String]) -> Option<usize> {
    /// Longer ones may be a token by their form.
    const LONGEST: usize = 16;
    let len =
        bytes[start..].iter().take(LONGEST + 1).take_while(|byte| KINDS[usize::from(**byte)] == Kind::Letter).count();
    let (end, after_dash) = (start + len, start > 0 && bytes[start - 1] == b'-');
    let is_quiet = match bytes.get(end..)? {
        [] => true,
        // `Bearer x`, `--password x`.
        [b' ', next, ..] => {
            let announces = after_dash || matches!(len, 5 | 6) && bytes[start] | 0x20 == b'b';
            !announces && KINDS[usize::from(*next)] == Kind::Letter
        }
        // `data:image/png;base64,`.
        [b',', ..] => len != 6,
        [b'.' | b';' | b'!' | b'?' | b'\n' | b'(' | b')' | b'/', ..] => true,
        _ => false,
    };
    (is_quiet && len <= LONGEST && token(&bytes[start..], prefixes).is_none()).then_some(end)
}

/// Reads the word that begins here, and answers where to go on.
fn word(text: &str, start: usize, prefixes: &[String], found: &mut Vec<Found>) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut after_letter = false;
    // Where letters that a token may have begin, after others.
    let mut run = start;
    while let Some(&byte) = bytes.get(at) {
        match KINDS[usize::from(byte)] {
            Kind::Letter => {
                if !after_letter && let Some(len) = token(&bytes[at..], prefixes) {
                    found.push((SecretKind::Token, at..at + len));
                    return at + len;
                }
                after_letter = true;
                at += 1;
            }
            Kind::Joint => {
                after_letter = false;
                at += 1;
            }
            Kind::Wide if is_letter(text, at) => {
                if let Some(len) = tokens::by_form(bytes, &(run..at)) {
                    found.push((SecretKind::Token, run..run + len));
                    return run + len;
                }
                after_letter = false;
                at += width(text, at);
                run = at;
            }
            _ => break,
        }
    }
    let word = start..at;
    if let Some(len) = tokens::by_form(bytes, &(run..at)) {
        found.push((SecretKind::Token, run..run + len));
        return run + len;
    }
    // The bytes of a picture are no text, whatever they look like.
    if bytes[word.clone()].eq_ignore_ascii_case(b"base64") && bytes.get(at) == Some(&b',') {
        let is_data = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
        return at + 1 + bytes[at + 1..].iter().take_while(is_data).count();
    }
    match announced::by(text, word) {
        Some((kind, secrets)) => {
            let end = secrets.last().map_or(at, |last| last.end);
            found.extend(secrets.into_iter().map(|secret| (kind, secret)));
            end
        }
        None => at,
    }
}

fn token(rest: &[u8], prefixes: &[String]) -> Option<usize> {
    let known = if tokens::may_begin(rest) { tokens::token(rest) } else { None };
    if prefixes.is_empty() { known } else { known.or_else(|| tokens::declared(rest, prefixes)) }
}

/// `\n`, `\u0022` and `%22` stand for a sign and are no beginning of a word: `\nghp_…` holds a token.
fn escape_len(rest: &[u8]) -> usize {
    let hex = |from: usize, count: usize| {
        rest.get(from..from + count).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match rest {
        [b'%', ..] if hex(1, 2) => 3,
        [b'\\', b'u' | b'U', ..] if hex(2, 4) => 6,
        [b'\\', b'x', ..] if hex(2, 2) => 4,
        [b'\\', b'\\', b'n' | b'r' | b't', ..] => 3,
        [b'\\', b'n' | b'r' | b't' | b'b' | b'f', ..] => 2,
        _ => 1,
    }
}

/// The character at `at`, which is not ASCII.
fn wide(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn width(text: &str, at: usize) -> usize {
    match text.as_bytes()[at] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    }
}

/// Whether it belongs to a word: also the marks of scripts from Hebrew to Thai.
fn is_letter(text: &str, at: usize) -> bool {
    // Cyrillic and most Chinese, without a look at all of the character.
    if matches!(text.as_bytes()[at], 0xD0 | 0xD1 | 0xE5..=0xE8) {
        return true;
    }
    let c = wide(text, at);
    // Most letters there are, without a look at the tables.
    matches!(c, '\u{400}'..='\u{52F}' | '\u{4E00}'..='\u{9FFF}' | '\u{3041}'..='\u{30FA}' | '\u{AC00}'..='\u{D7A3}')
        || matches!(c, '\u{300}'..='\u{36F}' | '\u{591}'..='\u{E7F}')
        || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What it is made of: words, what announces, signs, tokens, escapes, letters of other scripts.
    const PIECES: &[&str] = &[
        "a",
        "the ",
        "tea ",
        "Anna ",
        "likes ",
        "green",
        "well-known ",
        "it's ",
        "Bearer ",
        "basic ",
        "Basic",
        "bearer",
        " ",
        "  ",
        "\n",
        ". ",
        ", ",
        "; ",
        "! ",
        "(",
        ")",
        "\"",
        "'",
        "`",
        "]",
        "[",
        "/",
        "\\",
        "%",
        "_",
        "-",
        "--",
        " -",
        ":",
        ": ",
        " : ",
        "=",
        " = ",
        "=>",
        ">",
        "<",
        "</",
        "&",
        "@",
        "://",
        "https://",
        "：",
        "＝",
        "\u{A0}",
        "«",
        "»",
        "’",
        "password",
        "--password ",
        "greens(tealeaf1",
        "-u ",
        "ann:",
        "api_key",
        "token",
        "secret",
        "x-api-key",
        "Authorization",
        "Cookie",
        "seed",
        "phrase",
        "sig",
        "base64,",
        "пароль",
        "токен",
        "密码",
        "Анна ",
        "любит ",
        "чай",
        "茶",
        "ชา",
        "é",
        "1",
        "12",
        "2026-01-05 ",
        "abc12345",
        "hunter2",
        "0123456789",
        "A1b2C3d4E5f6G7h8",
        "abcdefghijklmnop",
        "sk-",
        "ghp_",
        "AKIA",
        "K4Z9Q1W7X3V8B2N6",
        "FlyV1 ",
        "eyJhbGci",
        ".",
        "SG.",
        "bot",
        "123456789",
        "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4",
        "-----BEGIN ",
        "RSA PRIVATE KEY-----",
        "-----END ",
        "\\n",
        "\\u0022",
        "%22",
        "legal winner thank year wave ",
        "nt_",
    ];

    #[test]
    fn what_is_passed_over_holds_nothing() {
        let mut chance = 1_u64;
        let mut next = |below: usize| {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(chance >> 33).unwrap() % below
        };
        let prefixes = [
            vec![],
            vec!["nt_".to_owned(), "acme.v1-".to_owned()],
            vec!["tea".to_owned()],
            vec!["a ".to_owned()],
            vec!["greens(".to_owned()],
        ];
        let mut with_secrets = 0;
        for round in 0..60_000 {
            // Mostly quiet words, with something else now and then, near to far.
            let (count, quiet) = (4 + next(60), 1 + next(12));
            let mut piece = || {
                let of = if next(quiet) == 0 { PIECES.len() } else { 9 };
                PIECES[next(of)]
            };
            let text: String = (0..count).map(|_| piece()).collect();
            let prefixes = &prefixes[round % prefixes.len()];
            let found = read(&text, prefixes, usize::MAX);
            with_secrets += usize::from(!found.is_empty());
            assert_eq!(scan(&text, prefixes), found, "{text:?}");
        }
        assert!(with_secrets > 3_000, "only {with_secrets}");
    }

    /// A secret in every place of a long text, where words are passed over before and behind it.
    #[test]
    fn no_place_hides_a_secret() {
        let secrets = [
            "Bearer abc12345",
            "Basic  dXNlcjpwYXNzd29yZA==",
            "--password hunter2",
            "-u ann:hunter2",
            "password=hunter2x",
            "sk-abcdefgh12345678",
            "the token : hunter2x",
            "AKIAK4Z9Q1W7X3V8B2N6",
            "пароль：qwerty123",
            "FlyV1 fm2_lJPECAAAAAAAAAAAAAAAAAAAAAAA1",
            "nt_abcdefgh",
            "x=1&token=abcdef12",
            "postgres://ann:hunter2@db/x",
        ];
        let prefixes = ["nt_".to_owned()];
        for secret in secrets {
            for before in 0..200 {
                let words = "a green tea is (what) Anna's well-known cat, in 2026, would like. ".repeat(5);
                let text = format!("{} {secret} {words}", &words[..before]);
                let found = scan(&text, &prefixes);
                assert_eq!(found, read(&text, &prefixes, usize::MAX), "{text:?}");
                assert!(!found.is_empty(), "{text:?}");
            }
        }
    }
}
