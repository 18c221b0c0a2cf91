//! Finding what users say of themselves at the beginnings of clauses.

use hermes_text::{Script, is_stop_word, normalize, script_of};

use super::Said;
use super::clauses::Folded;
use super::cues::{Cue, Cues, Literal, Piece, Value};
use crate::attributes;
use crate::entities::is_unspaced;
use crate::entities::names::List;

/// A name has no more words, and neither has a tool.
const MAX_NAME_WORDS: usize = 4;
/// So many words may follow a comma and still belong to what stands before it.
const MAX_TAIL_WORDS: usize = 5;
/// So many fillers may stand between two pieces.
const MAX_FILLERS: usize = 2;

/// What may follow one's people and animals; "I have one child process" is about something else.
static CONTINUES: List =
    List::new("named called aged living studying namens genannt llamado llamada llamados nommé nommée кличке имени به");

/// What a cue has found: where the statement and its value end.
struct Match<'a> {
    cue: &'a Cue,
    value: std::ops::Range<usize>,
    end: usize,
}

impl Cues {
    /// Whether a message hands over material to be worked on.
    pub(super) fn is_task(&self, message: &str) -> bool {
        contains(message, &self.tasks)
    }

    /// Whether a line announces what the user says of themselves.
    pub(super) fn is_about_user(&self, line: &str) -> bool {
        contains(line, &self.about)
    }

    /// Whether a sentence asks, supposes, wishes or reports.
    pub(super) fn is_unreal(&self, sentence: &str) -> bool {
        contains(sentence, &self.unreal)
    }

    /// The statements of a sentence.
    pub(super) fn statements(&self, sentence: &str) -> Vec<Said> {
        let text = Folded::new(sentence);
        let mut found = Vec::new();
        let mut done = 0;
        for begin in self.beginnings(&text) {
            if begin < done {
                continue;
            }
            let Some((start, hit)) = self.statement_at(&text, begin) else { continue };
            done = hit.end;
            let context = if hit.cue.is_habit() { self.context_before(&text, start) } else { start };
            let said = text.slice(context, hit.end).trim();
            let fits = self.is_telling(&text, &hit)
                && !self.points(&text, &hit, context..start)
                && self.is_of_kind(&text, &hit, said);
            found.extend(fits.then(|| Said { text: said.to_owned(), category: hit.cue.category }));
        }
        found
    }

    /// Where a clause may begin: first, after a mark, after a word that joins.
    fn beginnings(&self, text: &Folded<'_>) -> Vec<usize> {
        let mut found = vec![skip_space(text, 0)];
        for place in 1..text.chars.len() {
            let (before, c) = (text.get(place - 1), text.get(place));
            let thai = c.and_then(script_of) == Some(Script::Thai);
            let after_mark = before.is_some_and(is_break) || (thai && before == Some(' '));
            let joined = self.joins.iter().filter(|join| ends_with(text, place, join)).max_by_key(|join| join.len());
            if after_mark || joined.is_some() {
                found.push(skip_space(text, place));
            }
        }
        found.dedup();
        found
    }

    /// Where the sentence of a habit begins, when it says first what that holds for.
    fn context_before(&self, text: &Folded<'_>, start: usize) -> usize {
        let first = skip_space(text, 0);
        let begins = |list: &[Literal]| list.iter().any(|word| after(text, first, word).is_some());
        let has_context = begins(&self.contexts) && !begins(&self.leads);
        if has_context { first } else { start }
    }

    /// The cue at a beginning, or behind the words that may lead it in, and where it begins.
    fn statement_at<'a>(&'a self, text: &Folded<'_>, begin: usize) -> Option<(usize, Match<'a>)> {
        let mut start = begin;
        loop {
            if let Some(hit) = self
                .all
                .iter()
                .filter_map(|cue| self.find(text, cue, start))
                .max_by_key(|hit| (hit.value.start, !hit.value.is_empty() && hit.cue.value != Value::Optional))
            {
                return Some((start, hit));
            }
            let lead = self.leads.iter().find_map(|lead| after(text, start, lead))?;
            start = skip_space(text, lead + usize::from(text.get(lead) == Some(':')));
        }
    }

    fn find<'a>(&self, text: &Folded<'_>, cue: &'a Cue, start: usize) -> Option<Match<'a>> {
        let from = self.pieces(text, start, &cue.before)?;
        let end = self.end_of(text, from);
        if cue.after.is_empty() {
            return Some(Match { cue, value: from..end, end });
        }
        let mut ends = (from + 1..end).filter(|place| is_boundary(text, *place));
        let (value, end) = ends.find_map(|place| Some((place, self.pieces(text, place, &cue.after)?)))?;
        Some(Match { cue, value: from..value, end: trimmed(text, end) })
    }

    /// Behind all pieces, and the space after them; fillers may stand between.
    fn pieces(&self, text: &Folded<'_>, start: usize, pieces: &[Piece]) -> Option<usize> {
        let mut at = start;
        for piece in pieces {
            let mut next = behind(text, at, piece);
            let mut skipped = at;
            for _ in 0..MAX_FILLERS {
                if next.is_some() || at == start {
                    break;
                }
                let Some(filler) = self.fillers.iter().find_map(|filler| after(text, skipped, filler)) else { break };
                skipped = skip_space(text, filler);
                next = behind(text, skipped, piece);
            }
            match (next, piece) {
                (Some(next), _) => at = skip_space(text, next),
                (None, Piece::Literals { optional: true, .. }) => {}
                (None, _) => return None,
            }
        }
        Some(at)
    }

    /// Where a statement ends: before another one, a word that opens a side clause, or a remark after a comma.
    fn end_of(&self, text: &Folded<'_>, from: usize) -> usize {
        let mut end = text.chars.len();
        for place in from..text.chars.len() {
            let Some(c) = text.get(place) else { break };
            let stops = is_break(c) && !self.goes_on(text, place)
                || is_boundary(text, place)
                    && (self.ends.iter().any(|word| after(text, place, word).is_some()) || self.is_joined(text, place));
            if stops {
                end = place;
                break;
            }
        }
        let mut end = trimmed(text, end);
        while let Some(tail) = self.tails.iter().find(|tail| end > from && ends_with(text, end, tail)) {
            end = trimmed(text, end - tail.len());
        }
        end.max(from)
    }

    /// Whether a word joins another statement on here.
    fn is_joined(&self, text: &Folded<'_>, place: usize) -> bool {
        let next = self.joins.iter().find_map(|join| after(text, place, join));
        let thai_space = text.get(place) == Some(' ') && text.get(place + 1).and_then(script_of) == Some(Script::Thai);
        let next = next.or(thai_space.then_some(place));
        next.is_some_and(|next| self.opens(text, skip_space(text, next)))
    }

    fn opens(&self, text: &Folded<'_>, place: usize) -> bool {
        self.openers.iter().any(|opener| after(text, place, opener).is_some())
    }

    /// Whether what follows a mark still belongs to the statement: "Lisbon, Portugal", "nuts, milk and eggs".
    fn goes_on(&self, text: &Folded<'_>, mark: usize) -> bool {
        if !matches!(text.get(mark), Some(',' | '،' | '，')) {
            return false;
        }
        let start = skip_space(text, mark + 1);
        let rest = text.chars.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(|(c, _)| !is_break(*c)).count();
        let words = text.slice(start, start + length).split_whitespace().count();
        let mut boundaries = (start..start + length).filter(|place| is_boundary(text, *place));
        let opened = boundaries.any(|place| self.opens(text, place));
        let lead = self.leads.iter().find(|lead| after(text, start, lead).is_some());
        let opened = opened || lead.is_some_and(|lead| !self.joins.contains(lead));
        let unspaced = rest.first().and_then(|(c, _)| script_of(*c)).is_some_and(|script| script == Script::Han);
        words > 0 && words <= MAX_TAIL_WORDS && !opened && !unspaced
    }

    /// Whether a value says something.
    fn is_telling(&self, text: &Folded<'_>, hit: &Match<'_>) -> bool {
        let value = hit.value.clone();
        let some = text.chars.get(value.clone()).is_some_and(|value| value.iter().any(|(c, _)| c.is_alphanumeric()));
        let vague = self.vague.iter().any(|(word, whole)| {
            after(text, value.start, word).is_some_and(|end| !*whole || trimmed(text, value.end) <= end)
        });
        let continues = |first: &str| {
            is_stop_word(first)
                || CONTINUES.has(first)
                || self.joins.iter().any(|join| join.iter().copied().eq(first.chars()))
        };
        let first = normalize(text.slice(value.start, value.end).split_whitespace().next().unwrap_or_default());
        let goes_on = hit.cue.value != Value::Optional || first.is_empty() || is_unspaced(&first) || continues(&first);
        (some || hit.cue.value == Value::Optional) && !vague && goes_on
    }

    /// Whether a value, or the context before it, points at something that is said elsewhere.
    fn points(&self, text: &Folded<'_>, hit: &Match<'_>, context: std::ops::Range<usize>) -> bool {
        let within =
            |range: &std::ops::Range<usize>| self.pointing.iter().any(|word| found_in(text, range.clone(), word));
        hit.cue.category != "project" && (within(&context) || within(&hit.value))
    }

    fn is_of_kind(&self, text: &Folded<'_>, hit: &Match<'_>, said: &str) -> bool {
        let value = text.slice(hit.value.start, hit.value.end);
        match hit.cue.value {
            Value::Any | Value::Optional => true,
            Value::Name => is_name(value),
            Value::Thing => value.split_whitespace().count() <= MAX_NAME_WORDS,
            Value::Who => {
                let value = Folded::new(value);
                let places = (0..value.chars.len()).filter(|place| is_boundary(&value, *place));
                let known = |place: usize| self.who.iter().any(|who| after(&value, place, who).is_some());
                places.into_iter().any(known) || attributes::claims(said).iter().any(|claim| claim.attribute == "job")
            }
        }
    }
}

/// A name begins with no word that every text has, and is longer than that of a variable.
fn is_name(value: &str) -> bool {
    let words = value.split_whitespace();
    let first = value.split_whitespace().next().map(normalize).unwrap_or_default();
    words.count() <= MAX_NAME_WORDS && first.chars().nth(1).is_some() && !is_stop_word(&first)
}

/// Whether a word stands between two places.
fn found_in(text: &Folded<'_>, within: std::ops::Range<usize>, word: &[char]) -> bool {
    within
        .clone()
        .any(|place| is_boundary(text, place) && after(text, place, word).is_some_and(|end| end <= within.end))
}

fn contains(text: &str, list: &[Literal]) -> bool {
    let text = Folded::new(text);
    let mut places = (0..text.chars.len()).filter(|place| is_boundary(&text, *place));
    places.any(|place| list.iter().any(|literal| after(&text, place, literal).is_some()))
}

/// Behind a literal that stands here as a whole word, or as part of a text without spaces.
fn after(text: &Folded<'_>, place: usize, literal: &[char]) -> Option<usize> {
    let here = text.chars.get(place..place + literal.len())?;
    let end = place + literal.len();
    (here.iter().map(|(c, _)| c).eq(literal) && is_boundary(text, end)).then_some(end)
}

fn behind(text: &Folded<'_>, place: usize, piece: &Piece) -> Option<usize> {
    match piece {
        Piece::Literals { any_of, .. } => any_of.iter().find_map(|literal| after(text, place, literal)),
        Piece::AnyWord => {
            let rest = text.chars.get(place..)?;
            let length = rest.iter().take_while(|(c, _)| c.is_alphanumeric() || *c == '-').count();
            (length > 0).then_some(place + length)
        }
    }
}

/// Whether a literal ends here, with a word before its own.
fn ends_with(text: &Folded<'_>, end: usize, literal: &[char]) -> bool {
    end.checked_sub(literal.len()).is_some_and(|start| {
        is_boundary(text, start) && after(text, start, literal).is_some_and(|behind| behind == end)
    })
}

/// Whether a word may begin or end between this place and the one before.
fn is_boundary(text: &Folded<'_>, place: usize) -> bool {
    let inner = |c: char| c.is_alphanumeric() || c == '\'' || c == '-';
    let unspaced = |c: char| matches!(script_of(c), Some(Script::Han | Script::Kana | Script::Thai));
    match (place.checked_sub(1).and_then(|before| text.get(before)), text.get(place)) {
        (Some(before), Some(c)) => !inner(before) || !inner(c) || unspaced(before) || unspaced(c),
        _ => true,
    }
}

fn is_break(c: char) -> bool {
    matches!(c, ',' | '，' | '،' | ';' | '—' | '–' | '(' | ')' | '（' | '）')
}

fn skip_space(text: &Folded<'_>, place: usize) -> usize {
    let rest = text.chars.get(place..).unwrap_or_default();
    place + rest.iter().take_while(|(c, _)| *c == ' ').count()
}

/// An end without the marks and spaces before it.
fn trimmed(text: &Folded<'_>, end: usize) -> usize {
    let before = text.chars.get(..end).unwrap_or_default();
    let marks = |c: char| c == ' ' || matches!(c, '.' | '!' | '…' | '。' | '！' | '~' | ':') || is_break(c) && c != ')';
    end - before.iter().rev().take_while(|(c, _)| marks(*c)).count()
}
