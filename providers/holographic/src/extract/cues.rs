//! Ways to say something of oneself.
//!
//! A cue is a row of pieces: `i live/reside in {}`. `/` stands between alternatives, `_` for a space within one, `*` for any
//! word, `@kin` for one of the people and animals of [`Words`]; with `?` before it a piece may be missing. `{}` is the
//! value: `{?}` may be missing, `{name}` and `{thing}` are short, `{who}` is a profession or a trait.

use std::sync::LazyLock;

use hermes_text::normalize;

use super::{LANGUAGES, Words};

/// A word or several, in normal form.
pub(super) type Literal = Vec<char>;

pub(super) enum Piece {
    Literals { any_of: Vec<Literal>, optional: bool },
    AnyWord,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Value {
    Any,
    Optional,
    Name,
    Thing,
    Who,
}

pub(super) struct Cue {
    pub category: &'static str,
    pub before: Vec<Piece>,
    pub value: Value,
    pub after: Vec<Piece>,
}

impl Cue {
    /// Whether what it tells may hold in some context alone.
    pub(super) fn is_habit(&self) -> bool {
        matches!(self.category, "user_pref" | "tool")
    }
}

/// All that the languages know.
pub(super) struct Cues {
    pub all: Vec<Cue>,
    pub leads: Vec<Literal>,
    pub fillers: Vec<Literal>,
    pub joins: Vec<Literal>,
    pub ends: Vec<Literal>,
    pub openers: Vec<Literal>,
    pub who: Vec<Literal>,
    pub contexts: Vec<Literal>,
    pub vague: Vec<(Literal, bool)>,
    pub pointing: Vec<Literal>,
    pub unreal: Vec<Literal>,
    pub tasks: Vec<Literal>,
    pub about: Vec<Literal>,
    pub tails: Vec<Literal>,
}

pub(super) static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let kin: Vec<Literal> = literals(|words| words.kin);
    let read = |(category, text): &(&'static str, &'static str)| {
        let cues = text.split(';').map(str::trim).filter(|cue| !cue.is_empty());
        cues.map(|cue| read_cue(category, cue, &kin)).collect::<Vec<_>>()
    };
    let vague = literals(|words| words.vague).into_iter().map(|mut literal| {
        let whole = literal.last() == Some(&'$');
        literal.truncate(literal.len() - usize::from(whole));
        (literal, whole)
    });
    Cues {
        all: LANGUAGES.iter().flat_map(|words| words.cues.iter().flat_map(read)).collect(),
        leads: literals(|words| words.leads),
        fillers: literals(|words| words.fillers),
        joins: literals(|words| words.joins),
        ends: literals(|words| words.ends),
        openers: literals(|words| words.openers),
        who: literals(|words| words.who),
        contexts: literals(|words| words.contexts),
        vague: vague.collect(),
        pointing: literals(|words| words.pointing),
        unreal: literals(|words| words.unreal),
        tasks: literals(|words| words.tasks),
        about: literals(|words| words.about),
        tails: literals(|words| words.tails),
    }
});

/// A list of all languages, the longest first.
fn literals(list: impl Fn(&Words) -> &'static str) -> Vec<Literal> {
    let mut all: Vec<Literal> = LANGUAGES
        .iter()
        .flat_map(|words| list(words).split(';'))
        .map(literal)
        .filter(|literal| !literal.is_empty())
        .collect();
    all.sort_by_key(|literal| std::cmp::Reverse(literal.len()));
    all
}

fn literal(text: &str) -> Literal {
    normalize(text).chars().filter(|c| *c != '\u{200C}').collect()
}

fn read_cue(category: &'static str, text: &str, kin: &[Literal]) -> Cue {
    let mut cue = Cue { category, before: Vec::new(), value: Value::Optional, after: Vec::new() };
    let mut seen = false;
    for piece in text.split_whitespace() {
        let value = match piece {
            "{}" => Some(Value::Any),
            "{?}" => Some(Value::Optional),
            "{name}" => Some(Value::Name),
            "{thing}" => Some(Value::Thing),
            "{who}" => Some(Value::Who),
            _ => None,
        };
        match value {
            Some(value) => (cue.value, seen) = (value, true),
            None if seen => cue.after.push(read_piece(piece, kin)),
            None => cue.before.push(read_piece(piece, kin)),
        }
    }
    cue
}

fn read_piece(text: &str, kin: &[Literal]) -> Piece {
    if text == "*" {
        return Piece::AnyWord;
    }
    let optional = text.starts_with('?');
    let mut any_of = Vec::new();
    for alternative in text.trim_start_matches('?').split('/') {
        match alternative.strip_prefix("@kin") {
            Some(ending) => any_of.extend(kin.iter().map(|kin| [kin.clone(), literal(ending)].concat())),
            None => any_of.push(literal(&alternative.replace('_', " "))),
        }
    }
    any_of.sort_by_key(|literal| std::cmp::Reverse(literal.len()));
    Piece::Literals { any_of, optional }
}
