//! Where in a sentence something is said of somebody: cues, nouns of which a thing has one, professions.

use std::collections::HashMap;
use std::sync::LazyLock;

use hermes_text::{Script, script_of};

use super::words::{self, Word, has_case, is_negation, names_profession};
use super::{choices, cue, cues};
use crate::entities::names::is_user;

/// No more words than this make a value.
pub(super) const MAX_VALUE: usize = 8;
/// So many words of a name or a filler may stand inside a cue.
const MAX_GAP: usize = 3;

/// A word of a cue: alternatives, and whether any ending will do.
type Alternatives = Vec<(String, bool)>;

struct Cue {
    attribute: &'static str,
    before: Vec<Alternatives>,
    /// Endings of the value's last word.
    endings: Vec<String>,
    after: Vec<Alternatives>,
}

struct Cues {
    all: Vec<Cue>,
    /// By their first word; those of which only the beginning counts by its first sign.
    whole: HashMap<String, Vec<usize>>,
    beginning: HashMap<char, Vec<usize>>,
    nouns: HashMap<String, Vec<(Vec<Alternatives>, &'static str)>>,
}

static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let mut cues = Cues { all: Vec::new(), whole: HashMap::new(), beginning: HashMap::new(), nouns: HashMap::new() };
    for (attribute, texts) in cues::SPACED {
        for text in texts.split(';').map(str::trim).filter(|text| !text.is_empty()) {
            let read = read_cue(attribute, &cue(text));
            let anchor = read.before.first().or(read.after.first()).cloned().unwrap_or_default();
            for (word, any_ending) in anchor {
                match word.chars().next().filter(|_| any_ending) {
                    Some(first) => cues.beginning.entry(first).or_default().push(cues.all.len()),
                    None => cues.whole.entry(word).or_default().push(cues.all.len()),
                }
            }
            cues.all.push(read);
        }
    }
    for (attribute, nouns) in cues::NOUNS {
        for noun in cue(nouns).split(' ').filter(|noun| !noun.is_empty()) {
            let words: Vec<Alternatives> = noun.split('_').map(alternatives).collect();
            let first: String = noun.chars().take(2).collect();
            cues.nouns.entry(first).or_default().push((words, attribute));
        }
    }
    cues
});

fn alternatives(text: &str) -> Alternatives {
    let one = |word: &str| (word.trim_end_matches('*').to_owned(), word.ends_with('*'));
    text.split('/').map(one).collect()
}

fn read_cue(attribute: &'static str, text: &str) -> Cue {
    let mut cue = Cue { attribute, before: Vec::new(), endings: Vec::new(), after: Vec::new() };
    let mut seen = false;
    for word in text.split(' ').filter(|word| *word != "*") {
        match word.strip_prefix("{}") {
            Some(endings) => {
                seen = true;
                cue.endings = endings.split('/').filter(|ending| !ending.is_empty()).map(str::to_owned).collect();
            }
            None if seen => cue.after.push(alternatives(word)),
            None => cue.before.push(alternatives(word)),
        }
    }
    cue
}

/// What is said, one thing after another; two matches may speak of the same words.
pub(super) fn matches(words: &[Word]) -> Vec<Match> {
    let mut matches = Vec::new();
    for at in 0..words.len() {
        matches.extend(cues_at(words, at));
        matches.extend(noun_at(words, at));
        matches.extend(profession_at(words, at));
    }
    matches
}

/// What one cue has found: the places of its words, and of the value.
pub(super) struct Match {
    pub(super) attribute: &'static str,
    pub(super) literals: Vec<usize>,
    pub(super) value: std::ops::Range<usize>,
}

fn fits(word: Option<&Word>, alternatives: &Alternatives) -> bool {
    word.is_some_and(|word| {
        alternatives.iter().any(|(text, any)| word.low == *text || (*any && word.low.starts_with(text.as_str())))
    })
}

/// Where the words of a cue stand from `at` on; names and fillers may stand among them.
fn sequence(words: &[Word], at: usize, cue: &[Alternatives]) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    let mut next = at;
    for alternatives in cue {
        let mut gap = 0;
        while !fits(words.get(next), alternatives) {
            let word = words.get(next)?;
            gap += 1;
            if places.is_empty() || gap > MAX_GAP || word.breaks || !(word.names() || word.is(&words::FILLERS)) {
                return None;
            }
            next += 1;
        }
        places.push(next);
        next += 1;
    }
    Some(places)
}

fn cues_at(words: &[Word], at: usize) -> Vec<Match> {
    let Some(word) = words.get(at) else { return Vec::new() };
    let whole = CUES.whole.get(&word.low).into_iter().flatten();
    let first = word.low.chars().next().unwrap_or_default();
    let candidates = whole.chain(CUES.beginning.get(&first).into_iter().flatten());
    candidates.filter_map(|cue| CUES.all.get(*cue)).filter_map(|cue| cue.at(words, at)).collect()
}

impl Cue {
    fn at(&self, words: &[Word], at: usize) -> Option<Match> {
        let (mut literals, value);
        if self.before.is_empty() {
            literals = sequence(words, at, &self.after)?;
            value = value_before(words, at);
        } else {
            literals = sequence(words, at, &self.before)?;
            let start = literals.last()? + 1;
            if self.after.is_empty() {
                value = value_after(words, start, self.attribute == super::PREFERS)?;
            } else {
                let end =
                    (start + 1..=start + MAX_VALUE).find_map(|end| Some((end, sequence(words, end, &self.after)?)));
                let (end, after) = end?;
                literals.extend(after);
                let start = start + words.get(start..end)?.iter().take_while(|word| word.is(&words::ARTICLES)).count();
                if words.get(start).is_none_or(|word| word.is(&words::ENDS)) {
                    return None;
                }
                value = start..end;
            }
        }
        let last = words.get(value.clone())?.last()?;
        let ending =
            self.endings.is_empty() || self.endings.iter().any(|ending| last.low.replace('’', "'").ends_with(ending));
        ending.then_some(Match { attribute: self.attribute, literals, value })
    }
}

/// A value that begins at `at`.
pub(super) fn value_after(words: &[Word], at: usize, is_choice: bool) -> Option<std::ops::Range<usize>> {
    let articles = words.get(at..)?.iter().take_while(|word| word.is(&words::ARTICLES) && !word.breaks).count();
    let start = at + articles;
    let first = words.get(start)?;
    if first.breaks && !first.dash || first.is(&words::ENDS) || is_negation(first) {
        return None;
    }
    let ends = |word: &Word| {
        word.breaks
            || (word.is(&words::ENDS)
                && !(is_choice && (choices::compares(&word.low) || word.is(&words::WITHIN_CHOICE))))
    };
    let length = words.get(start + 1..)?.iter().take(MAX_VALUE - 1).take_while(|word| !ends(word)).count();
    Some(start..start + 1 + length)
}

/// A value that ends before `at`. The subject stands before it: a name, or in Korean a word with its particle.
fn value_before(words: &[Word], at: usize) -> std::ops::Range<usize> {
    let mut start = at;
    let is_name = |place: usize| words.get(place).is_some_and(Word::names);
    let last_is_name = at.checked_sub(1).is_some_and(is_name);
    while let Some(word) = start.checked_sub(1).and_then(|place| words.get(place)) {
        let topic = word.low.chars().any(|c| script_of(c) == Some(Script::Hangul))
            && ["은", "는", "이", "가", "의"].iter().any(|particle| word.low.ends_with(particle));
        if is_user(&word.low) || topic || at - start == MAX_VALUE || (start < at && word.is(&words::FILLERS)) {
            break;
        }
        if word.names() && !last_is_name {
            break;
        }
        start -= 1;
        if words.get(start).is_some_and(|word| word.breaks) {
            break;
        }
    }
    if last_is_name {
        // "Ayşe Ak İzmir'de": the last name is the value; of a longer run what is left when the subject has two.
        let run = (0..at).rev().take_while(|place| *place >= start && is_name(*place)).count();
        start = at - run.saturating_sub(2).max(1).min(run);
    }
    start..at
}

/// "The port of X is 8080", «Порт X — 8080», "X'in mesleği aşçı".
fn noun_at(words: &[Word], at: usize) -> Option<Match> {
    let word = words.get(at)?;
    let first: String = word.low.chars().take(2).collect();
    let found =
        CUES.nouns.get(&first)?.iter().find_map(|(noun, attribute)| Some((sequence(words, at, noun)?, *attribute)));
    let (mut literals, attribute) = found?;
    let after = literals.last()? + 1;
    let is_copula = |word: &Word| word.is(&words::COPULAS);
    let copula = (after..words.len()).find(|place| words.get(*place).is_some_and(|word| word.dash || is_copula(word)));
    let start = match copula.and_then(|place| Some((place, words.get(place)?))) {
        Some((place, word)) if is_copula(word) => {
            literals.push(place);
            place + 1
        }
        Some((place, _)) => place,
        // «شغل رضا نجار است»
        None if words.last().is_some_and(|last| last.low == "است") => words.len().checked_sub(2)?.max(after + 1),
        None => {
            let genitive =
                at.checked_sub(1).and_then(|place| words.get(place)).is_some_and(|word| word.low.contains(['\'', '’']));
            let zero = word.low.chars().any(|c| matches!(script_of(c), Some(Script::Cyrillic | Script::Hangul)));
            if !genitive && !zero {
                return None;
            }
            after + words.get(after..)?.iter().take_while(|word| word.names()).count()
        }
    };
    let leading = words.get(start..)?.iter().take_while(|word| word.is(&words::ON)).count();
    let value = value_after(words, start + leading, false)?;
    let value = if words.get(value.end - 1).is_some_and(|word| word.low == "است") {
        value.start..value.end - 1
    } else {
        value
    };
    // "The home of X is in Rome" tells where, "the home of X is old" does not.
    if attribute == "lives in" && words.get(value.start).is_none_or(|word| has_case(&word.low) && !word.upper) {
        return None;
    }
    // «دمای …»: what is left of a noun is no value.
    (!value.is_empty()).then_some(Match { attribute, literals, value })
}

/// "is a baker", «Анна — врач»: a profession, by its meaning or its ending.
fn profession_at(words: &[Word], at: usize) -> Option<Match> {
    let word = words.get(at)?;
    let copula = word.is(&words::BEING);
    let start = match (copula, word.dash) {
        (true, _) => at + 1,
        (false, true) => at,
        _ => return None,
    };
    let value = value_after(words, start, false)?;
    let told = words.get(value.clone())?;
    // Of a job a name may be a part, but it does not end in one.
    let fits = (value.len() == 1 || told.last().is_some_and(|last| !last.upper)) && names_profession(told);
    fits.then(|| Match { attribute: "job", literals: if copula { vec![at] } else { Vec::new() }, value })
}
