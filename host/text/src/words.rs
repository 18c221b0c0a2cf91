//! From a word as it stands in the text to the tokens it is found by.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use crate::fold::{self, ZWNJ};
use crate::scan::Span;
use crate::script::Script;
use crate::tokens::{MAX_TOKEN_CHARS, Piece, TokenKind};

/// What comes before an apostrophe and is no word of its own: French, Italian and Catalan elisions.
const ELISIONS: [&str; 28] = [
    "all", "c", "coll", "d", "dall", "degl", "dell", "gl", "j", "jusqu", "l", "lorsqu", "m", "n", "nell", "puisqu",
    "qu", "quell", "quelqu", "quest", "quoiqu", "s", "sant", "sull", "t", "tutt", "un", "v",
];
/// What follows an apostrophe in English and leaves the word before it as it was.
pub(crate) const CLITICS: [&str; 6] = ["d", "ll", "m", "re", "s", "ve"];
/// Names of languages that are spelled with signs: the letter, what must follow, the term.
const SIGNED: [(&str, &str, &str); 3] = [("c", "++", "cpp"), ("c", "#", "csharp"), ("f", "#", "fsharp")];

/// The sort of a letter, for the seams inside identifiers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Digit,
    Upper,
    Lower,
    Other,
}

impl Class {
    pub(crate) fn of(c: char) -> Self {
        if c.is_numeric() {
            Self::Digit
        } else if c.is_uppercase() {
            Self::Upper
        } else if c.is_lowercase() {
            Self::Lower
        } else {
            Self::Other
        }
    }
}

/// One letter (with its marks) of a piece.
struct Unit {
    at: usize,
    class: Class,
    span: Span,
}

/// The letters between two joiners.
#[derive(Default)]
struct Segment {
    /// The joiner before it.
    joiner: Option<char>,
    text: String,
    chars: usize,
    units: Vec<Unit>,
    end: usize,
}

/// The word being read.
#[derive(Default)]
pub(crate) struct Word {
    pieces: Vec<Segment>,
    script: Option<Script>,
}

impl Word {
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(crate) fn script(&self) -> Option<Script> {
        self.script
    }

    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
        self.script = None;
    }

    pub(crate) fn letter(&mut self, c: char, script: Option<Script>, class: Class, span: Span) {
        self.script = self.script.or(script);
        if self.pieces.is_empty() {
            self.pieces.push(Segment::default());
        }
        let Some(piece) = self.pieces.last_mut() else {
            return;
        };
        piece.end = span.end;
        if piece.chars < MAX_TOKEN_CHARS {
            piece.units.push(Unit { at: piece.text.len(), class, span });
            piece.text.push(c);
            piece.chars += 1;
        }
    }

    pub(crate) fn mark(&mut self, c: char) {
        if let Some(piece) = self.pieces.last_mut().filter(|piece| !piece.units.is_empty())
            && piece.chars < MAX_TOKEN_CHARS
        {
            piece.text.push(c);
            piece.chars += 1;
        }
    }

    pub(crate) fn join(&mut self, joiner: char) {
        match self.pieces.last_mut() {
            Some(piece) if piece.units.is_empty() => piece.joiner = Some(joiner),
            _ => self.pieces.push(Segment { joiner: Some(joiner), ..Segment::default() }),
        }
    }
}

impl Segment {
    /// The letters from one unit to before another, as text and place.
    fn part(&self, from: usize, to: usize) -> Option<(&str, Span)> {
        let first = self.units.get(from)?;
        let last = self.units.get(to.checked_sub(1)?)?;
        let next = self.units.get(to);
        let end = next.map_or(self.end, |_| last.span.end);
        let text = &self.text[first.at..next.map_or(self.text.len(), |unit| unit.at)];
        Some((text, Span { start: first.span.start, end }))
    }

    /// Where the piece falls into parts, as unit numbers without the beginning; empty when it is a plain
    /// word. One change between letters and digits (`gpt4`; more of them are a hash), or humps that begin
    /// with two small letters (`getName`) or are three or more (`HttpClientPool`): two humps are a name.
    fn seams(&self) -> Vec<usize> {
        let class = |i: usize| self.units.get(i).map_or(Class::Other, |unit| unit.class);
        let digit = |i: usize| class(i) == Class::Digit;
        let count = self.units.len();
        let changes: Vec<usize> = (1..count).filter(|i| digit(*i) != digit(i - 1)).collect();
        if changes.len() == 1 {
            return changes;
        }
        let humps: Vec<usize> = (1..count)
            .filter(|&i| {
                class(i) == Class::Upper
                    && (class(i - 1) == Class::Lower
                        || class(i - 1) == Class::Upper && i + 1 < count && class(i + 1) == Class::Lower)
            })
            .collect();
        let small = class(0) == Class::Lower && humps.first().is_some_and(|first| *first >= 2);
        if changes.is_empty() && (small || humps.len() >= 2) { humps } else { Vec::new() }
    }
}

/// Makes tokens of words.
pub(crate) struct Words {
    english: Stemmer,
    russian: Stemmer,
    greek: Stemmer,
    tamil: Stemmer,
}

impl Words {
    pub(crate) fn new() -> Self {
        Self {
            english: Stemmer::create(Algorithm::English),
            russian: Stemmer::create(Algorithm::Russian),
            greek: Stemmer::create(Algorithm::Greek),
            tamil: Stemmer::create(Algorithm::Tamil),
        }
    }

    /// The tokens of `word`: the whole first, then its parts.
    pub(crate) fn emit(&self, word: &Word, source: &str, take: &mut impl FnMut(Piece<'_>)) {
        let last = word.pieces.iter().rposition(|piece| !piece.units.is_empty());
        let pieces = &word.pieces[..last.map_or(0, |last| last + 1)];
        let latin = word.script == Some(Script::Latin);
        match pieces {
            [] => {}
            [one] => self.piece(one, word.script, source, take),
            [base, clitic] if latin && CLITICS.contains(&clitic.text.as_str()) => {
                let text = joined(pieces);
                self.token(text, &base.text, word.script, whole(pieces), take);
            }
            [elided, rest] if latin && ELISIONS.contains(&elided.text.as_str()) && rest.units.len() > 1 => {
                self.piece(rest, word.script, source, take);
            }
            [base, t] if latin && t.text == "t" && base.text.ends_with('n') => {
                let text = joined(pieces);
                self.token(text.clone(), &text, word.script, whole(pieces), take);
            }
            _ => {
                let text = joined(pieces);
                self.token(text.clone(), &fold::term(&text), word.script, whole(pieces), take);
                let shortest = if pieces[1].joiner == Some(ZWNJ) { 2 } else { 3 };
                for piece in pieces.iter().filter(|piece| piece.units.len() >= shortest) {
                    self.piece(piece, word.script, source, take);
                }
            }
        }
    }

    fn piece(&self, piece: &Segment, script: Option<Script>, source: &str, take: &mut impl FnMut(Piece<'_>)) {
        let Some((text, span)) = piece.part(0, piece.units.len()) else {
            return;
        };
        self.token(text.to_owned(), text, script, span, take);
        for (letter, signs, term) in SIGNED {
            if text == letter && source[span.end..].starts_with(signs) {
                let text = format!("{letter}{signs}");
                let span = Span { start: span.start, end: span.end + signs.len() };
                take(Piece::new(&text, &text, term, TokenKind::Word, span));
            }
        }
        let count = piece.units.len();
        if script == Some(Script::Hangul) && count >= 3 {
            for (text, span) in (0..count - 1).filter_map(|i| piece.part(i, i + 2)) {
                Piece::gram(text, span, take);
            }
        }
        let seams = piece.seams();
        let mut from = 0;
        for to in seams.iter().copied().chain((!seams.is_empty()).then_some(count)) {
            if let Some((text, span)) = piece.part(from, to)
                && (to - from > 1 || text.chars().all(char::is_numeric) || script == Some(Script::Hangul))
            {
                self.token(text.to_owned(), text, script, span, take);
            }
            from = to;
        }
    }

    /// A word or number; `base` is what its stem is made of.
    fn token(&self, text: String, base: &str, script: Option<Script>, span: Span, take: &mut impl FnMut(Piece<'_>)) {
        let base = fold::term(base);
        if !base.is_empty() {
            let kind = if base.chars().all(char::is_numeric) { TokenKind::Number } else { TokenKind::Word };
            let text = fold::settle(text);
            let folded = fold::term(&text);
            take(Piece::new(&text, &folded, &base, kind, span).stemmed(self, script));
        }
    }

    /// The stem of a term that is a word.
    pub(crate) fn stem<'t>(&self, base: &'t str, script: Option<Script>) -> Cow<'t, str> {
        let stem = match script {
            Some(Script::Latin) => self.english.stem(base),
            Some(Script::Cyrillic) => self.russian.stem(base),
            Some(Script::Greek) => self.greek.stem(base),
            Some(Script::Tamil) => self.tamil.stem(base),
            _ => Cow::Borrowed(base),
        };
        if stem.is_empty() { Cow::Borrowed(base) } else { stem }
    }
}

/// The text of all pieces with their joiners, no longer than a token may be.
fn joined(pieces: &[Segment]) -> String {
    let chars = pieces.iter().flat_map(|piece| piece.joiner.into_iter().chain(piece.text.chars()));
    chars.take(MAX_TOKEN_CHARS).collect()
}

/// From the first letter of the first piece to the end of the last.
fn whole(pieces: &[Segment]) -> Span {
    let start = pieces.iter().flat_map(|piece| &piece.units).next().map_or(0, |unit| unit.span.start);
    Span { start, end: pieces.last().map_or(start, |piece| piece.end) }
}
