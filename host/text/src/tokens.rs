//! A text as search tokens.
//!
//! Words come from the word boundaries of Unicode Standard Annex #29, and are then cut further, at `.`, `_`
//! and `:`, where a change of script or of digits shows a seam, so that identifiers, addresses and versions
//! are found by their parts. Scripts without spaces between words become overlapping pairs of characters:
//! without a dictionary these find every word of two characters or more, whatever stands next to it.

use std::borrow::Cow;

use crate::fold;
use crate::scan::{Scanner, Span};
use crate::script::Script;
use crate::words::Words;

/// The most characters (scalar values) of a word that make a token; the rest of the word is not indexed.
///
/// 128 keeps a SHA-512 in hexadecimal whole. A longer "word" is data, not speech, and FTS5 cuts terms of
/// its own accord only at 32 KiB.
pub const MAX_TOKEN_CHARS: usize = 128;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A word, a part of a word, or letters with digits.
    Word,
    /// Digits alone.
    Number,
    /// Two neighbouring characters (with their marks) of a script without spaces or of a Hangul word, or the
    /// only character of a run.
    Gram,
}

/// One piece of a text to be searched by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The normalised text of the token, at most [`MAX_TOKEN_CHARS`] characters and the joiners among them.
    pub text: String,
    /// The form to be matched: stemmed, folded, only of letters, digits and combining marks, never empty.
    pub stem: String,
    /// What the token is.
    pub kind: TokenKind,
    /// The first byte of the token in the original text.
    pub start: usize,
    /// The byte after the token in the original text; a word that was cut short still ends where it ends.
    pub end: usize,
}

impl Token {
    /// The word as it stands, folded as a term and not stemmed: what an index keeps that stems its vocabulary and not
    /// its texts. Empty when nothing but marks was there.
    #[must_use]
    pub fn folded(&self) -> String {
        fold::term(&self.text)
    }
}

/// The tokens of `text`, in order of their place; a whole comes before its parts. See [`for_each_token`],
/// which does the same without holding them all at once.
///
/// - Latin words are stemmed with the English Snowball stemmer, Cyrillic words with the Russian one, each by
///   its own script; other words are only folded (Arabic and Persian letter forms, vowel points, digits).
/// - Word parts: `foo_bar-baz.rs` gives `foo`, `bar`, `baz`, `rs`; `getUserName` (a lower-case beginning of
///   two letters, or three capitals) and `gpt4` (one seam between letters and digits) give the whole and the
///   parts; `JavaScript` and `McDonald` stay whole; `API를` is cut where the script changes.
/// - Apostrophes: `dog's` is stemmed as `dog`, `don't` as `dont`, `l'eau` gives `eau`, others (`O'Brien`,
///   `Ankara'ya`) the whole and the parts of three letters or more. Persian words with ZWNJ give the whole
///   without it and the parts of two letters or more.
/// - Han, Kana, Thai, Lao, Khmer and Myanmar runs give overlapping pairs, a run of one character that one.
/// - Hangul words give the word and, from three syllables on, the pairs as well: particles stick to Korean
///   nouns, and `서울` must find `서울에서`.
/// - `C++`, `C#` and `F#` give the letter and also `cpp`, `csharp`, `fsharp`.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    for_each_token(text, |token| found.push(token));
    found
}

/// Calls `take` with each token of `text`, in the order of [`tokens`]; needs memory for one word at a time.
pub fn for_each_token(text: &str, mut take: impl FnMut(Token)) {
    for_each_piece(text, |piece| take(piece.token()));
}

/// The same without making tokens: for an index or a search that asks of most words only which they are. Of a text
/// without marks and odd signs nothing is copied but words with capitals.
pub fn for_each_piece(text: &str, take: impl FnMut(Piece<'_>)) {
    Scanner::new(text, take).run();
}

/// What a [`Token`] can be made of, for as long as it is looked at.
pub struct Piece<'p> {
    text: &'p str,
    folded: &'p str,
    base: &'p str,
    kind: TokenKind,
    span: Span,
    stemmed: Option<(&'p Words, Option<Script>)>,
}

impl<'p> Piece<'p> {
    /// Of a normalised text, the same folded, and what is its stem.
    pub(crate) fn new(text: &'p str, folded: &'p str, base: &'p str, kind: TokenKind, span: Span) -> Self {
        Self { text, folded, base, kind, span, stemmed: None }
    }

    /// Its stem is to be made by these stemmers.
    pub(crate) fn stemmed(mut self, words: &'p Words, script: Option<Script>) -> Self {
        self.stemmed = (self.kind == TokenKind::Word).then_some((words, script));
        self
    }

    /// Hands on neighbouring characters.
    pub(crate) fn gram(text: &str, span: Span, take: &mut impl FnMut(Piece<'_>)) {
        let base = fold::term(text);
        if !base.is_empty() {
            let text = fold::settle(text.to_owned());
            take(Piece::new(&text, &fold::term(&text), &base, TokenKind::Gram, span));
        }
    }

    /// [`Token::text`].
    #[must_use]
    pub fn text(&self) -> &'p str {
        self.text
    }

    /// [`Token::folded`].
    #[must_use]
    pub fn folded(&self) -> &'p str {
        self.folded
    }

    /// [`Token::stem`].
    #[must_use]
    pub fn stem(&self) -> Cow<'p, str> {
        self.stemmed.map_or(Cow::Borrowed(self.base), |(words, script)| words.stem(self.base, script))
    }

    /// [`Token::kind`].
    #[must_use]
    pub fn kind(&self) -> TokenKind {
        self.kind
    }

    /// [`Token::start`] and [`Token::end`].
    #[must_use]
    pub fn place(&self) -> (usize, usize) {
        (self.span.start, self.span.end)
    }

    /// Whether it is a word in Latin letters, so that its forms depend on the language of its text.
    #[must_use]
    pub fn is_in_latin_letters(&self) -> bool {
        self.stemmed.is_some_and(|(_, script)| script == Some(Script::Latin))
    }

    /// The token.
    #[must_use]
    pub fn token(&self) -> Token {
        let (start, end) = self.place();
        Token { text: self.text.to_owned(), stem: self.stem().into_owned(), kind: self.kind, start, end }
    }
}
