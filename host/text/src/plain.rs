//! The walk over what most texts are made of: words of plain letters, numbers, runs of Chinese characters and kana, and
//! what stands between them. It finds what [`crate::scan`] would find, without segmentation and normal forms, and stops
//! before everything that it is not sure of.

use crate::fold;
use crate::scan::Span;
use crate::script::Script;
use crate::tokens::{MAX_TOKEN_CHARS, Piece, TokenKind};
use crate::words::Words;

/// The Thai vowel that is a mark and a letter, of which the letter counts.
const SARA_AM: char = '\u{e33}';
const SARA_AA: char = '\u{e32}';
/// More marks on a letter are decoration.
const MARKS: usize = 4;

/// A character that is the same whatever stands beside it, as long as that is no mark or joiner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// A letter of a script, and the same in lower case.
    Letter(Script, char),
    Digit,
    /// A character of a script without spaces.
    Unspaced,
    /// The same of Thai, which may have marks, and these.
    Thai,
    ThaiMark,
    /// It ends words and runs.
    Gap,
    Odd,
}

fn sign(c: char) -> Sign {
    match c {
        'a'..='z' => Sign::Letter(Script::Latin, c),
        'A'..='Z' => Sign::Letter(Script::Latin, c.to_ascii_lowercase()),
        '0'..='9' => Sign::Digit,
        // An apostrophe may join, and is looked at by those who stand before it; so is the sign of Hebrew.
        '\0'..='\x7f' => Sign::Gap,
        // Letters with accents that are one character, but those that are taken apart or have odd cases.
        'à'..='ö' | 'ø'..='ÿ' | 'ß' => Sign::Letter(Script::Latin, c),
        'À'..='Ö' | 'Ø'..='Þ' => lower(Script::Latin, c),
        '\u{100}'..='\u{17e}' => match c {
            'İ' | 'ı' | 'Ĳ' | 'ĳ' | 'Ŀ' | 'ŀ' | 'ŉ' => Sign::Odd,
            _ => lower(Script::Latin, c),
        },
        'ơ' | 'ư' | 'ș' | 'ț' => Sign::Letter(Script::Latin, c),
        '\u{1ea0}'..='\u{1ef9}' => lower(Script::Latin, c),
        'ё' | 'Ё' => Sign::Letter(Script::Cyrillic, 'е'),
        'а'..='я' => Sign::Letter(Script::Cyrillic, c),
        'А'..='Я' => lower(Script::Cyrillic, c),
        'ς' => Sign::Letter(Script::Greek, 'σ'),
        'α'..='ω' | 'ά'..='ή' | 'ό' | 'ύ' | 'ώ' | 'ί' => Sign::Letter(Script::Greek, c),
        '\u{5d0}'..='\u{5ea}' => Sign::Letter(Script::Hebrew, c),
        '\u{621}'..='\u{63a}' | '\u{641}'..='\u{64a}' | 'پ' | 'چ' | 'ژ' | 'ک' | 'گ' | 'ی' => {
            Sign::Letter(Script::Arabic, c)
        }
        '\u{e01}'..='\u{e30}' | SARA_AA | SARA_AM | '\u{e40}'..='\u{e46}' => Sign::Thai,
        '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' => Sign::ThaiMark,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}' | '\u{4e00}'..='\u{9fff}' => Sign::Unspaced,
        '，' | '。' | '、' | '：' | '；' | '？' | '！' | '（' | '）' | '「' | '」' | '“' | '”' | '„' | '«' | '»'
        | '—' | '–' | '…' | '•' | '،' | '؟' | '؛' => Sign::Gap,
        _ => Sign::Odd,
    }
}

fn lower(script: Script, c: char) -> Sign {
    c.to_lowercase().next().map_or(Sign::Odd, |c| Sign::Letter(script, c))
}

/// Where a part of a text ends that has to be looked at closely: before a gap that nothing can change any more.
pub(crate) fn end_of_odd(text: &str, from: usize) -> usize {
    // The first is what was not sure.
    let mut chars = text[from..].char_indices().skip(1).map(|(at, c)| (from + at, sign(c))).peekable();
    while let Some((at, sign)) = chars.next() {
        let joins = matches!(text.as_bytes().get(at), Some(b'\'' | b'"'));
        let is_sure = !matches!(chars.peek(), Some((_, Sign::Odd | Sign::ThaiMark)));
        if sign == Sign::Gap && !joins && is_sure {
            return at;
        }
    }
    text.len()
}

pub(crate) struct Plain<'t> {
    text: &'t str,
    /// The present word in lower case and as a term, where it is written in another way.
    lower: String,
    folded: String,
    /// Where in `lower` the letters of the present run begin, and where they stand in the text.
    letters: Vec<(usize, Span)>,
}

/// What a word or run came to.
enum Came {
    /// To its end, here.
    End(usize),
    /// To something that may change it.
    Doubt,
}

impl<'t> Plain<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, lower: String::new(), folded: String::new(), letters: Vec::new() }
    }

    fn sign_at(&self, at: usize) -> Option<(Sign, usize)> {
        match self.text.as_bytes().get(at)? {
            byte if byte.is_ascii() => Some((sign(char::from(*byte)), 1)),
            _ => self.text[at..].chars().next().map(|c| (sign(c), c.len_utf8())),
        }
    }

    /// Goes as far as all is plain. Answers where it is not: at a gap or at the beginning of a word or run.
    pub(crate) fn run(&mut self, from: usize, words: &Words, take: &mut impl FnMut(Piece<'_>)) -> usize {
        let (mut at, mut gap) = (from, None);
        while let Some((sign, len)) = self.sign_at(at) {
            let came = match sign {
                Sign::Gap => {
                    gap = Some(at);
                    at += len;
                    continue;
                }
                // What is odd may belong to the gap before it.
                Sign::Odd | Sign::ThaiMark => return gap.unwrap_or(at),
                Sign::Letter(script, _) => self.word(at, script, words, take),
                Sign::Digit => self.number(at, take),
                Sign::Unspaced => self.unspaced(at, take),
                Sign::Thai => self.thai(at, take),
            };
            match came {
                Came::End(end) => (at, gap) = (end, None),
                Came::Doubt => return at,
            }
        }
        at
    }

    /// Whether a word or number that ends here has come to its end.
    fn ends(&self, at: usize, script: Option<Script>) -> bool {
        match self.sign_at(at) {
            None | Some((Sign::Unspaced | Sign::Thai, _)) => true,
            Some((Sign::Gap, _)) => match self.text.as_bytes().get(at) {
                Some(b'\'') => matches!(self.sign_at(at + 1), None | Some((Sign::Gap, _))),
                Some(b'"') => script != Some(Script::Hebrew),
                _ => true,
            },
            _ => false,
        }
    }

    fn word(&mut self, start: usize, script: Script, words: &Words, take: &mut impl FnMut(Piece<'_>)) -> Came {
        self.lower.clear();
        let (mut count, mut capitals, mut first) = (0, 0, false);
        let mut end = start;
        let mut chars = self.text[start..].chars();
        for c in chars.by_ref() {
            let Sign::Letter(of, small) = sign(c) else { break };
            if of != script || count == MAX_TOKEN_CHARS {
                return Came::Doubt;
            }
            if small != c && c.is_uppercase() {
                capitals += 1;
                first |= count == 0;
            }
            count += 1;
            end += c.len_utf8();
            self.lower.push(small);
        }
        // Humps are seams, and so may be a letter before signs.
        let is_plain = capitals == 0 || capitals == count || (capitals == 1 && first);
        let is_signed = count == 1 && matches!(self.text.as_bytes().get(end), Some(b'+' | b'#'));
        if !is_plain || is_signed || !self.ends(end, Some(script)) {
            return Came::Doubt;
        }
        let folded = if matches!(script, Script::Greek | Script::Arabic) {
            self.folded.clear();
            self.folded.extend(self.lower.chars().filter(|c| !fold::is_dropped(*c)).map(fold::fold));
            &self.folded
        } else {
            &self.lower
        };
        let span = Span { start, end };
        take(Piece::new(&self.lower, folded, folded, TokenKind::Word, span).stemmed(words, Some(script)));
        Came::End(end)
    }

    fn number(&self, start: usize, take: &mut impl FnMut(Piece<'_>)) -> Came {
        let digits = self.text.as_bytes()[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = start + digits;
        if digits > MAX_TOKEN_CHARS || !self.ends(end, None) {
            return Came::Doubt;
        }
        let number = &self.text[start..end];
        take(Piece::new(number, number, number, TokenKind::Number, Span { start, end }));
        Came::End(end)
    }

    fn unspaced(&self, start: usize, take: &mut impl FnMut(Piece<'_>)) -> Came {
        let mut end = start;
        while let Some((sign, len)) = self.sign_at(end) {
            match sign {
                Sign::Unspaced => end += len,
                Sign::Odd | Sign::Thai | Sign::ThaiMark => return Came::Doubt,
                _ => break,
            }
        }
        let run = &self.text[start..end];
        let mut gram = |from: usize, to: usize| {
            let text = &run[from..to];
            let span = Span { start: start + from, end: start + to };
            take(Piece::new(text, text, text, TokenKind::Gram, span));
        };
        let starts = || run.char_indices().map(|(at, _)| at);
        if run.chars().nth(1).is_none() {
            gram(0, run.len());
        } else {
            let ends = starts().skip(2).chain([run.len()]);
            starts().zip(ends).for_each(|(from, to)| gram(from, to));
        }
        Came::End(end)
    }

    /// A run of Thai: the letters with their marks are what pairs are made of.
    fn thai(&mut self, start: usize, take: &mut impl FnMut(Piece<'_>)) -> Came {
        self.lower.clear();
        self.letters.clear();
        let (mut end, mut last) = (start, None);
        for c in self.text[start..].chars() {
            let at = end;
            match sign(c) {
                Sign::Thai => self.letters.push((self.lower.len(), Span { start: at, end: at + c.len_utf8() })),
                Sign::ThaiMark => {
                    // In another order than that of the normal form.
                    if last.is_some_and(|last| order(c) > 0 && order(last) > order(c)) {
                        return Came::Doubt;
                    }
                    let Some((from, letter)) = self.letters.last_mut() else { return Came::Doubt };
                    letter.end = at + c.len_utf8();
                    if self.lower.len() - *from > MARKS * c.len_utf8() {
                        return Came::Doubt;
                    }
                }
                Sign::Odd | Sign::Unspaced => return Came::Doubt,
                _ => break,
            }
            self.lower.push(if c == SARA_AM { SARA_AA } else { c });
            last = Some(c);
            end += c.len_utf8();
        }
        let text_to = |at: usize| self.letters.get(at).map_or(self.lower.len(), |(from, _)| *from);
        let last = self.letters.len().saturating_sub(2);
        for (at, (from, span)) in self.letters.iter().enumerate().take(last + 1) {
            let text = &self.lower[*from..text_to(at + 2)];
            let to = self.letters.get(at + 1).unwrap_or(&(0, *span)).1;
            take(Piece::new(text, text, text, TokenKind::Gram, Span { start: span.start, end: to.end }));
        }
        Came::End(end)
    }
}

/// The canonical combining class of a Thai mark (Unicode Standard, section 4.3).
fn order(mark: char) -> u8 {
    match mark {
        '\u{e38}' | '\u{e39}' => 103,
        '\u{e3a}' => 9,
        '\u{e48}'..='\u{e4b}' => 107,
        _ => 0,
    }
}
