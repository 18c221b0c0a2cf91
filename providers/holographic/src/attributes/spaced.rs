//! Claims of a sentence whose words stand apart.

use hermes_text::{is_stop_word, tokens};

use super::patterns::{Match, matches, value_after};
use super::subject::{noun_phrase, subject};
use super::words::{
    AS, FILLERS, FOR, NEGATIONS, UNREAL, WITHIN, Word, has_case, is_firm, is_negation, joined, names_profession, words,
};
use super::{Claim, choices, statement};
use crate::entities::names::{self, is_user};

pub(super) fn claims(sentence: &str) -> Vec<Claim> {
    let words = words(sentence);
    let mut matches = matches(&words);
    let told: Vec<Match> = matches.iter().filter_map(|found| the_other(&words, found)).collect();
    matches.extend(told);
    // Where two cues read the same value, the one with more words is right: "works in a bank" is not "works".
    matches.sort_by_key(|found| (std::cmp::Reverse(found.literals.len()), found.value.start));
    let mut claims: Vec<Claim> = Vec::new();
    let mut taken: Vec<std::ops::Range<usize>> = Vec::new();
    for found in matches {
        let attribute = found.attribute.trim_end_matches('?');
        let known = claims.iter().any(|claim| claim.attribute == attribute);
        let overlaps = taken.iter().any(|other| other.start < found.value.end && found.value.start < other.end);
        if known || overlaps {
            continue;
        }
        let first = found.literals.first().copied().unwrap_or_default();
        let before = first.checked_sub(1).and_then(|at| words.get(at));
        if before.is_some_and(|word| word.is(&UNREAL)) {
            continue;
        }
        let Some(said) = subject(&words, &found) else { continue };
        let negated = words
            .get(first.saturating_sub(2)..=found.value.start.min(words.len() - 1))
            .is_some_and(|near| near.iter().any(is_negation));
        let value = words.get(found.value.clone()).map(joined).unwrap_or_default();
        let clear = if attribute == "job" { names_profession } else { is_firm };
        if attribute != found.attribute && !words.get(found.value.clone()).is_some_and(clear) {
            continue;
        }
        taken.push(found.value);
        claims.push(Claim { subject: names::key(&said), said, attribute: attribute.to_owned(), value, negated });
    }
    claims.extend(whole(&words));
    claims
}

/// Of "a nurse at St. Mary's" and of "at St. Mary's as a nurse" the second half.
fn the_other(words: &[Word], found: &Match) -> Option<Match> {
    let at = found.value.end;
    let word = words.get(at)?;
    let attribute = match found.attribute.trim_end_matches('?') {
        "job" if word.is(&FOR) => "employer",
        "job" if word.is(&WITHIN) => "employer?",
        "employer" if word.is(&AS) => "job",
        _ => return None,
    };
    let value = value_after(words, at + 1, false)?;
    let named = attribute == "job" || words.get(value.start).is_some_and(|word| word.upper || word.quoted);
    named.then(|| Match { attribute, literals: vec![at], value })
}

/// The sentence itself as a claim, so that it meets its own negation.
fn whole(words: &[Word]) -> Option<Claim> {
    let nothing = Match { attribute: "", literals: Vec::new(), value: 0..0 };
    let said =
        if words.iter().any(|word| word.names()) { subject(words, &nothing)? } else { noun_phrase(words.iter(), 1)? };
    let parts: Vec<&str> = said.split(' ').collect();
    // Only where no capital shows a name do particles stick to it.
    let of_subject = |word: &Word| {
        parts.contains(&word.low.as_str())
            || is_user(&word.low)
            || names::is_title(&word.low)
            || (!has_case(&word.low) && parts.contains(&names::bare(&word.low).as_str()))
    };
    let mut negated = words.iter().any(is_negation);
    let mut stems = Vec::new();
    for word in words.iter().filter(|word| !of_subject(word) && !word.is(&NEGATIONS) && !word.is(&FILLERS)) {
        // Persian and French negate before the verb.
        let plain = word.low.strip_prefix("ن").filter(|rest| rest.starts_with("می"));
        let plain = plain.or(word.low.strip_prefix("n'")).or(word.low.strip_prefix("n’"));
        let mut low = plain.unwrap_or(&word.low).to_owned();
        if low.ends_with("n't") {
            continue;
        }
        // Turkish negates inside the verb: seviyor, sevmiyor.
        if let Some(stem) = ["mıyor", "miyor", "muyor", "müyor"].iter().find_map(|ending| low.strip_suffix(ending)) {
            negated = !negated;
            low = stem.to_owned();
        } else if let Some(stem) = ["ıyor", "iyor", "uyor", "üyor"].iter().find_map(|ending| low.strip_suffix(ending))
        {
            low = stem.to_owned();
        }
        if let Some(feeling) = choices::feeling(&low) {
            negated ^= feeling < 0;
            stems.push("+".to_owned());
        } else if !is_stop_word(&low) || low.chars().any(char::is_numeric) {
            stems.extend(tokens(&low).into_iter().next().map(|token| token.stem));
        }
    }
    let attribute = statement(&stems)?;
    Some(Claim { subject: names::key(&said), said, attribute, value: String::new(), negated })
}
