//! Messages that there is nothing to recall for: greetings, thanks, acknowledgements.
//!
//! Before each answer the host asks its memory what it knows about the message. For "ok, thanks!" the answer
//! is noise, and the search costs time. A message is trivial only when every word of it is on the lists:
//! one word of content is enough to ask.

use std::sync::LazyLock;

use crate::data::{trivial_east, trivial_west};
use crate::fold::{self, ZWJ, ZWNJ, is_joiner, is_term_char};
use crate::normalize::{is_ignorable, normalize};
use crate::script::is_unspaced;

/// A longer message (in characters, stretched letters and signs not counted) always has content.
const MAX_CHARS: usize = 160;

/// One language: its code, what makes a message trivial, and what may stand beside it.
#[cfg_attr(not(test), expect(dead_code, reason = "what the file of phrases is made of"))]
pub(crate) struct Table {
    pub(crate) language: &'static str,
    /// Separated by `, `.
    pub(crate) phrases: &'static str,
    pub(crate) fillers: &'static str,
}

/// The languages [`is_trivial`] knows, as BCP 47 codes: one for each table, no more and no less.
pub const TRIVIAL_LANGUAGES: &[&str] = &LANGUAGES;

const WEST: usize = trivial_west::TABLES.len();
const LANGUAGES: [&str; WEST + trivial_east::TABLES.len()] = {
    let mut codes = [""; WEST + trivial_east::TABLES.len()];
    let mut i = 0;
    while i < codes.len() {
        codes[i] = if i < WEST { trivial_west::TABLES[i].language } else { trivial_east::TABLES[i - WEST].language };
        i += 1;
    }
    codes
};

#[cfg(test)]
fn tables() -> impl Iterator<Item = &'static Table> {
    trivial_west::TABLES.iter().chain(&trivial_east::TABLES)
}

/// Phrases by their cleaned form, in order; the value tells a phrase from a filler.
///
/// They are read out of a file that a test writes: to clean thousands of phrases takes longer than all else that a process
/// does for one message.
struct Phrases {
    plain: List,
    /// The same with every doubled letter made single.
    squeezed: List,
    longest: usize,
}

type List = Vec<(&'static str, bool)>;

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let (plain, squeezed) = include_str!("data/trivial.txt").split_once("\n\n").unwrap_or_default();
    let list = |lines: &'static str| -> List {
        lines.lines().filter_map(|line| Some((line.get(1..)?, line.starts_with('+')))).collect()
    };
    let plain = list(plain);
    let longest = plain.iter().map(|(phrase, _)| phrase.len()).max().unwrap_or(0);
    Phrases { plain, squeezed: list(squeezed), longest }
});

/// Whether `message` carries nothing to recall for.
///
/// True for the empty message, for signs and emoji alone, for a laugh (`haha`, `хаха`, `ㅋㅋㅋ`), and for
/// greetings, thanks, acknowledgements, a plain yes or no and "go on" in the [`TRIVIAL_LANGUAGES`], in any
/// combination and mix of languages, with words like "very much" or "there" beside them. Case, punctuation,
/// accents on Arabic letters and stretched letters ("okkkk", "thaaanks") make no difference.
///
/// False as soon as one word or number is something else, and for anything longer than 160 characters.
#[must_use]
pub fn is_trivial(message: &str) -> bool {
    let text = clean(message, MAX_CHARS);
    if text.chars().count() > MAX_CHARS {
        return false;
    }
    text.is_empty()
        || consists_of(&text, &PHRASES.plain)
        || is_stretched(&text) && consists_of(&squeeze(&text), &PHRASES.squeezed)
}

/// Whether `message` is a slash command, which is said to a program: it begins with `/` and one word of letters, digits, `-`
/// and `_`, as `/new` does and `/etc/hosts` does not.
#[must_use]
pub fn is_command(message: &str) -> bool {
    let Some(rest) = message.trim_start().strip_prefix('/') else { return false };
    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
    word.starts_with(char::is_alphabetic) && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

/// Words with single spaces between them, in the form of terms; no more than about `limit` characters.
///
/// Letters are judged before NFKC, which makes letters of some emoji (`ℹ️`). A letter repeated more than
/// three times is as good as three times.
fn clean(message: &str, limit: usize) -> String {
    let mut text = String::new();
    let (mut last, mut times, mut count, mut gap) = ('\0', 0, 0, false);
    for c in message.chars() {
        if is_ignorable(c) || is_joiner(c) || c == ZWJ || c == ZWNJ {
            continue;
        }
        if !is_term_char(c) || (text.is_empty() && !c.is_alphanumeric()) {
            gap = true;
            continue;
        }
        times = if c == last && !gap { times + 1 } else { 1 };
        last = c;
        if times > 3 {
            continue;
        }
        if gap && !text.is_empty() {
            text.push(' ');
        }
        gap = false;
        text.push(c);
        count += 1;
        if count > limit {
            break;
        }
    }
    let text = normalize(&text);
    if text.is_ascii() {
        // Its words are terms already.
        return text;
    }
    text.split(' ').map(fold::term).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether a word ends in a doubled letter or holds a letter three times in a row.
fn is_stretched(text: &str) -> bool {
    text.split(' ').any(|word| {
        let letters: Vec<char> = word.chars().collect();
        letters.windows(3).any(|three| three[0] == three[1] && three[1] == three[2])
            || letters.last_chunk::<2>().is_some_and(|[one, two]| one == two)
    })
}

/// One of each run of the same letter; digits stay.
fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_numeric() || !out.ends_with(c) {
            out.push(c);
        }
    }
    out
}

/// Whether `text` can be cut into phrases and fillers, at least one a phrase. Cuts lie at spaces, and
/// anywhere between two characters of scripts without spaces.
fn consists_of(text: &str, phrases: &[(&str, bool)]) -> bool {
    // For each byte: `None` when no cut can lie there, else whether a phrase was among what is before it.
    let mut reached: Vec<Option<bool>> = vec![None; text.len() + 2];
    reached[0] = Some(false);
    for (start, _) in text.char_indices() {
        let Some(before) = reached[start] else {
            continue;
        };
        let rest = &text[start..];
        // A laugh may be longer than any phrase, but it is one word.
        let longest = rest.find(' ').unwrap_or(rest.len()).max(PHRASES.longest);
        let mut begins_one = true;
        for len in ends(rest).take_while(|len| *len <= longest) {
            let part = &rest[..len];
            // Where no phrase begins with a part, none does with a longer one.
            let next = if begins_one { phrases.partition_point(|(phrase, _)| *phrase < part) } else { phrases.len() };
            let next = phrases.get(next).filter(|(phrase, _)| phrase.starts_with(part));
            begins_one = next.is_some();
            let known = next.filter(|(phrase, _)| *phrase == part).map(|(_, counts)| *counts);
            let Some(counts) = known.or_else(|| is_laugh(part).then_some(true)) else {
                // Nor does a longer one laugh, but for that of a single letter.
                if !begins_one && part.chars().nth(1).is_some() {
                    break;
                }
                continue;
            };
            // The next part begins after the space.
            let next = start + len + usize::from(rest[len..].starts_with(' '));
            let now = before || counts || reached[next] == Some(true);
            reached[next] = Some(now);
        }
    }
    reached[text.len()] == Some(true)
}

/// Where a part that begins at the start of `rest` may end.
fn ends(rest: &str) -> impl Iterator<Item = usize> {
    rest.char_indices().zip(rest.chars().skip(1).map(Some).chain([None])).filter_map(|((at, c), next)| {
        let cut = match next {
            None | Some(' ') => c != ' ',
            Some(next) => is_unspaced(c) != is_unspaced(next) || is_unspaced(c) && next.is_alphanumeric(),
        };
        (cut && c != ' ').then_some(at + c.len_utf8())
    })
}

/// `haha`, `hehe`, `хаха`, `jaja`, `ㅋㅋ`, `ㅎㅎ`, `www`: two letters of laughter or more, nothing else.
fn is_laugh(word: &str) -> bool {
    // The last three are `ㅋ`, `ㅎ`, `ㅠ` after NFKC.
    const LAUGHS: [&str; 13] =
        ["ha", "ah", "he", "eh", "hi", "ja", "ха", "ах", "хе", "хи", "\u{110F}", "\u{1112}", "\u{1172}"];
    let of = |laugh: &str| word.trim_start_matches(laugh).chars().all(|c| laugh.starts_with(c));
    word.chars().nth(1).is_some() && LAUGHS.iter().any(|laugh| word.starts_with(laugh) && of(laugh))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_file_of_phrases_is_that_of_the_tables() {
        let (mut plain, mut squeezed) = (BTreeMap::new(), BTreeMap::new());
        for (list, counts) in tables().flat_map(|table| [(table.fillers, false), (table.phrases, true)]) {
            for phrase in list.split(", ").filter(|phrase| !phrase.is_empty()) {
                *plain.entry(clean(phrase, usize::MAX)).or_insert(false) |= counts;
            }
        }
        for (phrase, counts) in &plain {
            *squeezed.entry(squeeze(phrase)).or_insert(false) |= *counts;
        }
        let lines = |list: &BTreeMap<String, bool>| -> String {
            list.iter().map(|(phrase, counts)| format!("{}{phrase}\n", if *counts { '+' } else { '-' })).collect()
        };
        let text = format!("{}\n{}", lines(&plain), lines(&squeezed));
        if std::env::var_os("HERMES_WRITE_TABLES").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/data/trivial.txt"), &text).unwrap();
        }
        assert!(text == include_str!("data/trivial.txt"), "run this test with HERMES_WRITE_TABLES=1");
    }
}
