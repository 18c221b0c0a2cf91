//! Letters as a reader takes them, whatever they are written with: entities, escapes, full width, look-alikes.
//!
//! Used only to recognise forged fences and attacks. The text itself is never changed to this form.

use std::ops::Range;

/// How often an `&` is escaped once more at most, to be still taken for what it stands for.
const NESTED: usize = 8;
/// The most bytes that spell one letter: an entity with a number, escaped so often.
pub(super) const LONGEST: usize = 1 + 4 * NESTED + "#x12345678;".len();

/// One letter of a text.
pub(super) struct Letter {
    /// Its plain form in lower case, or the character itself.
    pub(super) plain: char,
    /// The bytes that spell it.
    pub(super) at: Range<usize>,
}

/// The letter that begins at byte `start`; None at the end of the text.
pub(super) fn letter(text: &str, start: usize) -> Option<Letter> {
    let (spelled, len) = spelled(text, start);
    (len > 0).then(|| Letter { plain: plain(spelled), at: start..start + len })
}

/// The character that is spelled at byte `start`, be it as an entity or an escape, and how many bytes spell it. NUL of no
/// bytes at the end of the text.
pub(super) fn spelled(text: &str, start: usize) -> (char, usize) {
    let rest = &text[start..];
    let Some(first) = rest.chars().next() else { return ('\0', 0) };
    match first {
        '&' => entity(rest),
        '\\' => escape(rest),
        '%' => percent(rest),
        _ => None,
    }
    .unwrap_or((first, first.len_utf8()))
}

/// Whether a letter is a `<` or looks like one. Cheap: it is asked of every character.
pub(super) fn is_opening(c: char) -> bool {
    matches!(
        c,
        '<' | '\u{2C2}'
            | '\u{1438}'
            | '\u{2039}'
            | '\u{2329}'
            | '\u{276E}'
            | '\u{27E8}'
            | '\u{3008}'
            | '\u{FE64}'
            | '\u{FF1C}'
    )
}

/// Whether a letter takes no room: it can hide between two others.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E0FFF}' | '\u{300}'..='\u{36F}')
        || c.is_control() && !c.is_whitespace()
}

/// `&lt;`, `&#60`, `&#x3C;`, and the same escaped once more with `&amp;`.
fn entity(rest: &str) -> Option<(char, usize)> {
    let mut name = &rest[1..];
    for _ in 0..NESTED {
        let Some(inner) = name.get(..4).filter(|four| four.eq_ignore_ascii_case("amp;")) else { break };
        name = &name[inner.len()..];
    }
    let skipped = rest.len() - name.len();
    let (spelled, len) = match name.strip_prefix('#') {
        Some(number) => {
            let (spelled, len) = match number.strip_prefix(['x', 'X']) {
                Some(hex) => code(hex, 16, 8).map(|(c, len)| (c, len + 1))?,
                None => code(number, 10, 8)?,
            };
            (spelled, len + 1)
        }
        None => {
            const NAMES: [(&str, char); 12] = [
                ("lt", '<'),
                ("gt", '>'),
                ("sol", '/'),
                ("hyphen", '-'),
                ("dash", '-'),
                ("lowbar", '_'),
                ("nbsp", ' '),
                ("shy", '\u{AD}'),
                ("zwnj", '\u{200C}'),
                ("zwj", '\u{200D}'),
                ("Tab", ' '),
                ("NewLine", ' '),
            ];
            NAMES.iter().find_map(|(known, c)| {
                let found = name.get(..known.len())?.eq_ignore_ascii_case(known);
                found.then_some((*c, known.len()))
            })?
        }
    };
    Some((spelled, skipped + len + usize::from(name[len..].starts_with(';'))))
}

/// `\u003c`, `\u{3c}`, `\x3c`.
fn escape(rest: &str) -> Option<(char, usize)> {
    if let Some(hex) = rest.strip_prefix("\\u{") {
        let (spelled, len) = code(hex, 16, 6)?;
        return hex[len..].starts_with('}').then_some((spelled, len + 4));
    }
    let (hex, digits) = match rest.as_bytes().get(1)? {
        b'u' | b'U' => (rest.get(2..)?, 4),
        b'x' | b'X' => (rest.get(2..)?, 2),
        _ => return None,
    };
    let (spelled, len) = code(hex, 16, digits)?;
    (len == digits).then_some((spelled, len + 2))
}

/// `%3C`.
fn percent(rest: &str) -> Option<(char, usize)> {
    let (spelled, len) = code(&rest[1..], 16, 2)?;
    (len == 2 && spelled.is_ascii()).then_some((spelled, 3))
}

/// The character whose number stands at the start of `digits`, and how many digits that were.
fn code(digits: &str, radix: u32, most: usize) -> Option<(char, usize)> {
    let len = digits.chars().take(most).take_while(|c| c.is_digit(radix)).count();
    let number = u32::from_str_radix(&digits[..len], radix).ok()?;
    Some((char::from_u32(number)?, len))
}

fn plain(c: char) -> char {
    match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        '\0'..='\u{7F}' => c,
        c if is_opening(c) => '<',
        '›' | '⟩' | '❯' | '˃' | 'ᐳ' | '\u{232A}' | '\u{3009}' => '>',
        '∕' | '⁄' | '⧸' | '╱' => '/',
        '\u{2010}'..='\u{2015}' | '−' | '⁃' | '﹘' => '-',
        'м' | 'М' | 'Μ' => 'm',
        'е' | 'Е' | 'Ε' | 'ё' | 'Ё' => 'e',
        'о' | 'О' | 'Ο' | 'ο' => 'o',
        'г' | 'ʀ' => 'r',
        'у' | 'У' | 'Υ' | 'γ' => 'y',
        'с' | 'С' | 'ϲ' => 'c',
        'п' | 'Ν' | 'ո' => 'n',
        'т' | 'Т' | 'Τ' | 'τ' => 't',
        'х' | 'Х' | 'Χ' | 'χ' => 'x',
        _ => {
            // Full width, bold, circled and the like.
            let folded = hermes_text::normalize(c.encode_utf8(&mut [0; 4]));
            folded.chars().next().filter(char::is_ascii).unwrap_or(c)
        }
    }
}
