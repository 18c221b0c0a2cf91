//! A folded text as a row of signs, one for each word: what the rules over concepts match on.
//!
//! A sign is a byte that stands for a set of concepts. Words that are in no list are all alike, so a gap of a few words is
//! a few bytes. In scripts without spaces an entry may begin at any letter, and three other letters count as a word.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::ops::Range;
use std::sync::LazyLock;

use super::concepts::{Concepts, DESTINATION, NUMERIC};
use super::fold::{Folded, folded};
use super::trie::Trie;
use super::{lexicon, lookalikes};

/// The sign of the end of a sentence.
pub(super) const STOP: u8 = 0;
/// The sign of a word of no concept.
const OTHER: u8 = 1;
/// How many letters without spaces are as a word.
const LETTERS_OF_A_WORD: usize = 3;
/// No word in a list is longer, in bytes.
const LONGEST: usize = 96;
/// The most of an address that is read, in bytes.
const LONGEST_ADDRESS: usize = 320;
/// So many letters with something between each two are one hidden word or more.
const SPELLED_OUT: usize = 5;

/// The words of a text.
#[derive(Default)]
pub(super) struct Words {
    pub(super) signs: Vec<u8>,
    /// Where each lies in the folded text.
    places: Vec<Range<u32>>,
}

/// What stands in the lists, ready to be looked up.
pub(super) struct Lexicon {
    entries: Trie,
    /// For each entry its sign, and whether it stands for all words that begin so.
    of_entry: Vec<(u8, bool)>,
    /// The concepts of each sign.
    signs: Vec<Concepts>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

/// The lists, made ready at the first call.
pub(super) fn lexicon() -> &'static Lexicon {
    &LEXICON
}

/// An entry that was found.
struct Found {
    sign: u8,
    end: usize,
}

impl Lexicon {
    fn new() -> Self {
        let mut concepts: BTreeMap<String, (Concepts, bool)> = BTreeMap::new();
        for (of, list) in lexicon::ALL.iter().copied().flatten() {
            for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                let (entry, begins) = entry.strip_suffix('*').map_or((entry, false), |entry| (entry, true));
                let known = concepts.entry(folded(entry)).or_default();
                *known = (known.0 | *of, known.1 | begins);
            }
        }
        let mut signs = vec![0, 0];
        let mut sign_of = |concepts: Concepts| {
            let known = signs.iter().skip(1).position(|known| *known == concepts).map(|place| place + 1);
            let sign = known.unwrap_or_else(|| {
                signs.push(concepts);
                signs.len() - 1
            });
            u8::try_from(sign).expect("the lists have at most 255 sets of concepts")
        };
        // Addresses are told by their form.
        sign_of(DESTINATION);
        sign_of(DESTINATION | NUMERIC);
        let of_entry = concepts.values().map(|(concepts, begins)| (sign_of(*concepts), *begins)).collect();
        let entries = Trie::new(&concepts.keys().map(String::as_str).collect::<Vec<_>>());
        Self { entries, of_entry, signs }
    }

    /// The concepts of each sign.
    pub(super) fn concepts(&self) -> &[Concepts] {
        &self.signs
    }

    fn sign_of(&self, concepts: Concepts) -> u8 {
        (0..=u8::MAX).zip(&self.signs).skip(1).find(|(_, of)| **of == concepts).map_or(OTHER, |(sign, _)| sign)
    }

    /// The longest entry that begins here and ends where a word ends.
    fn at(&self, text: &str, start: usize) -> Option<Found> {
        let rest = &text[start..];
        // A word ends where no letter follows, unless the entry is a beginning or there are no spaces between words.
        let ends = |entry: usize, len: usize| {
            let (entry_text, after) = rest.split_at(len);
            self.of_entry[entry].1 || !after.starts_with(is_letter) || entry_text.ends_with(is_unspaced)
        };
        let (entry, len) = self.entries.longest(rest.as_bytes(), ends)?;
        let (sign, begins) = self.of_entry[entry];
        let (entry, after) = rest.split_at(len);
        let more = match after.strip_prefix('\'') {
            _ if entry.ends_with(is_unspaced) => 0,
            // Of `user's` the whole.
            Some(after) => 1 + word_len(after),
            None if begins => word_len(after),
            None => 0,
        };
        Some(Found { sign, end: start + len + more })
    }

    /// The entry that a single word is.
    fn word(&self, word: &str) -> Option<u8> {
        self.at(word, 0).filter(|found| found.end == word.len()).map(|found| found.sign)
    }
}

impl Words {
    /// The words of a folded text.
    pub(super) fn of(folded: &Folded) -> Self {
        let text = folded.text.as_str();
        let bytes = text.as_bytes();
        let likely = bytes.len() / 4;
        let mut words = Self { signs: Vec::with_capacity(likely), places: Vec::with_capacity(likely) };
        let mut at = 0;
        let mut loose = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii() {
                loose = 0;
                at = match byte {
                    b'\n' | b'.' | b'!' | b'?' | b'~' | b'/' => words.between(text, at, char::from(byte), at + 1),
                    byte if byte.is_ascii_alphanumeric() => words.word(text, at),
                    _ => at + 1,
                };
                continue;
            }
            let Some(c) = text[at..].chars().next() else { break };
            let next = at + c.len_utf8();
            if !is_letter(c) {
                loose = 0;
                at = words.between(text, at, c, next);
            } else if is_unspaced(c) {
                match lexicon().at(text, at) {
                    Some(found) => {
                        words.push(found.sign, at..found.end);
                        (at, loose) = (found.end, 0);
                    }
                    None => {
                        loose += 1;
                        if loose % LETTERS_OF_A_WORD == 1 {
                            words.push(OTHER, at..next);
                        }
                        at = next;
                    }
                }
            } else {
                loose = 0;
                at = words.word(text, at);
            }
        }
        words
    }

    /// Where signs lie in the folded text.
    pub(super) fn place(&self, signs: &Range<usize>) -> Range<usize> {
        let first = self.places[signs.start].start;
        let last = self.places[signs.end - 1].end;
        first as usize..last as usize
    }

    fn push(&mut self, sign: u8, at: Range<usize>) {
        let place = |at| u32::try_from(at).unwrap_or(u32::MAX);
        self.signs.push(sign);
        self.places.push(place(at.start)..place(at.end));
    }

    /// Reads what is between words at `at`, and answers where to go on.
    fn between(&mut self, text: &str, at: usize, c: char, next: usize) -> usize {
        let rest = &text[next..];
        let stops = match c {
            '\n' => rest.starts_with(['\n', '-', '*', '•', '#']),
            '.' | '!' | '?' => rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || is_unspaced(c)),
            '。' | '।' | '؟' | '۔' => true,
            _ => false,
        };
        if stops {
            self.push(STOP, at..next);
            return next;
        }
        if c == '\n' {
            self.push(OTHER, at..next);
        } else if matches!(c, '.' | '~' | '/')
            && !text[..at].ends_with(is_letter)
            && rest.starts_with(|c: char| c == '/' || is_letter(c))
            && let Some(found) = lexicon().at(text, at)
        {
            self.push(found.sign, at..found.end);
            return found.end;
        }
        next
    }

    /// Reads the word that begins at `at`, and answers where to go on.
    fn word(&mut self, text: &str, at: usize) -> usize {
        let lexicon = lexicon();
        let (end, is_plain) = word_end(text, at);
        if matches!(text.as_bytes().get(end), Some(b':' | b'@' | b'.'))
            && let Some((concepts, end)) = address(text, at, end)
        {
            self.push(lexicon.sign_of(concepts), at..end);
            return end;
        }
        if let Some(found) = lexicon.at(text, at) {
            self.push(found.sign, at..found.end);
            return found.end;
        }
        // Plain words of two letters or more are what they are.
        if is_plain && end - at > 1 {
            self.push(OTHER, at..end);
            return end;
        }
        if let Some(end) = self.spelled_out(text, at, end) {
            return end;
        }
        let word = &text[at..end];
        let disguised = || lookalikes::plain(word).and_then(|plain| lexicon.word(&plain));
        let sign = if word.len() <= LONGEST { disguised() } else { None };
        self.push(sign.unwrap_or(OTHER), at..end);
        end
    }

    /// `i g n o r e`, `i.g.n.o.r.e`: the words in letters that stand alone. None when they are too few.
    fn spelled_out(&mut self, text: &str, start: usize, first_end: usize) -> Option<usize> {
        let alone = |at: usize| {
            let c = text[at..].chars().next().filter(|c| is_letter(*c) && !is_unspaced(*c))?;
            let next = at + c.len_utf8();
            (!text[next..].starts_with(is_letter)).then_some((c, next))
        };
        alone(start).filter(|(_, next)| *next == first_end)?;
        let (mut joined, mut places) = (String::new(), Vec::new());
        let mut at = start;
        let mut end = start;
        while let Some((c, next)) = alone(at) {
            joined.push(c);
            places.resize(joined.len(), at);
            end = next;
            // One sign between two of them.
            at = text[next..].chars().next().map_or(next, |between| next + between.len_utf8());
            if at == next {
                break;
            }
        }
        places.push(end);
        if hermes_text::char_count(&joined) < SPELLED_OUT {
            return None;
        }
        let mut at = 0;
        while let Some(c) = joined[at..].chars().next() {
            // Letters that stand alone have no ends of words, so short ones are chance.
            let found = lexicon().entries.longest(&joined.as_bytes()[at..], |_, len| len > 2);
            at = match found {
                Some((entry, len)) => {
                    self.push(lexicon().of_entry[entry].0, places[at]..places[at + len]);
                    at + len
                }
                None => at + c.len_utf8(),
            };
        }
        Some(end)
    }
}

/// A link, an address of mail, an address in numbers: what it is to the rules, and where it ends.
fn address(text: &str, start: usize, end: usize) -> Option<(Concepts, usize)> {
    let rest = &text[end..];
    let near = &text[start..whole(text, start + LONGEST_ADDRESS)];
    let to = |extra: &str| start + near.find(|c: char| c.is_whitespace() || extra.contains(c)).unwrap_or(near.len());
    if let Some(host) = rest.strip_prefix("://") {
        let numeric = host.split(|c: char| !c.is_ascii_digit() && c != '.').next().is_some_and(is_ip);
        return Some((DESTINATION | if numeric { NUMERIC } else { 0 }, to("\"'<>)]，。")));
    }
    if rest.starts_with('@') && rest[1..].starts_with(is_letter) {
        let end = to("\"'<>)],;:，。");
        return text[start..end].contains('.').then_some((DESTINATION, end));
    }
    if text.as_bytes()[start].is_ascii_digit() && rest.starts_with('.') {
        let end = to("\"'<>)],;:/，。");
        return is_ip(text[start..end].trim_end_matches('.')).then_some((DESTINATION | NUMERIC, end));
    }
    None
}

/// A place in a text, moved to the beginning of a character, or its end.
fn whole(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

fn is_ip(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

fn word_len(text: &str) -> usize {
    word_end(text, 0).0
}

/// Where the word ends that `start` is in, and whether all of it is letters of ASCII.
fn word_end(text: &str, start: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let (mut end, mut is_plain) = (start, true);
    while let Some(byte) = bytes.get(end).filter(|byte| byte.is_ascii_alphanumeric()) {
        is_plain &= byte.is_ascii_alphabetic();
        end += 1;
    }
    if bytes.get(end).is_none_or(u8::is_ascii) {
        return (end, is_plain);
    }
    let more = text[end..].find(|c: char| !is_letter(c) || is_unspaced(c)).unwrap_or(text.len() - end);
    (end + more, is_plain && more == 0)
}

/// Whether it belongs to a word. Marks of scripts that the lists have none of do not matter.
fn is_letter(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => c.is_ascii_alphanumeric(),
        // Most letters there are, without a look at the tables.
        '\u{430}'..='\u{44F}' | '\u{4E00}'..='\u{9FFF}' | '\u{E01}'..='\u{E3A}' | '\u{E40}'..='\u{E4E}' => true,
        '\u{3099}' | '\u{309A}' => true,
        c => c.is_alphanumeric(),
    }
}

/// Whether its script has no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}
