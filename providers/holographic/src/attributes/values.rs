//! Whether two claims about the same thing can both be so.

use std::collections::HashSet;

use hermes_text::{Script, dominant_script, is_stop_word, tokens};

use super::{Claim, PREFERS, STATEMENT, choices, places};
use crate::entities::names::List;
use crate::entities::{is_unspaced, same_name, sound_of};

/// Two claims that cannot both be so, and how sure that is, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Verdict(pub f64);

const SURE: Verdict = Verdict(1.0);
/// A thing and its negation.
const NEGATION: Verdict = Verdict(0.9);
/// Values with a word in common, or a choice that is only told by its words.
const LIKELY: Verdict = Verdict(0.7);
/// Values in two scripts that may be translations of each other.
const PERHAPS: Verdict = Verdict(0.4);

/// Attributes whose values are names of places and firms: with one word in common they are the same, told more or less
/// exactly.
pub(super) const NAMED: [&str; 6] = ["lives in", "born in", "grew up in", "comes from", "employer", "spouse"];
/// What many towns and firms have in their names: stems.
static GENERIC: List = List::new(
    "new old san santa santo saint st los las la le el port mount north south east west upper lower great fort lake bad sankt neu alt \
     нижн верхн велик нов стар больш мал йошкар усть северн южн \
     lab labs group system inc ltd llc gmbh ag co corp corpor company compani studio media data soft softwar tech technolog work servic \
     solut partner digit consult industri bank hospit school univers club food restaur театр завод банк школ больниц институт \
     университет групп компан фирм студ агентств магазин фабрик центр ооо ао şirket banka okul hastane",
);
/// Attributes whose values are numbers.
const COUNTED: [&str; 4] = ["age", "version", "port", "phone"];

/// Compares two claims with the same subject's key and the same attribute.
pub(crate) fn against(one: &Claim, other: &Claim) -> Option<Verdict> {
    if !same_name(&one.said, &other.said) {
        return None;
    }
    if one.attribute.starts_with(STATEMENT) {
        return (one.negated != other.negated).then_some(NEGATION);
    }
    let (a, b) = (Value::new(&one.value), Value::new(&other.value));
    if one.attribute == PREFERS {
        return a.excludes(&b, one.negated != other.negated);
    }
    match (one.negated, other.negated) {
        (true, true) => None,
        (false, false) => a.differs(&b, &one.attribute),
        // Who does not live in Rome may well live in Paris.
        _ => (a.stems.is_subset(&b.stems) || b.stems.is_subset(&a.stems)).then_some(NEGATION),
    }
}

/// No less than how sure [`against`] can be, without a look at the values; none where they say the same.
pub(crate) fn at_most(one: &Claim, other: &Claim) -> Option<Verdict> {
    match one.negated == other.negated {
        true => (one.value != other.value).then_some(SURE),
        false => Some(NEGATION),
    }
}

/// A value, taken apart.
struct Value<'a> {
    text: &'a str,
    stems: HashSet<String>,
    /// In the order of the text.
    order: Vec<String>,
    script: Option<Script>,
}

impl<'a> Value<'a> {
    fn new(text: &'a str) -> Self {
        let mut order: Vec<String> = Vec::new();
        for token in tokens(text) {
            let word = text.get(token.start..token.end).unwrap_or_default();
            if !is_stop_word(word) || word.chars().any(char::is_numeric) {
                order.push(token.stem);
            }
        }
        if order.is_empty() {
            order = tokens(text).into_iter().map(|token| token.stem).collect();
        }
        Self { text, stems: order.iter().cloned().collect(), order, script: dominant_script(text) }
    }

    fn is_within(&self, other: &Self) -> bool {
        self.stems.is_subset(&other.stems) || (is_unspaced(self.text) && other.text.contains(self.text))
    }

    fn differs(&self, other: &Self, attribute: &str) -> Option<Verdict> {
        if self.stems.is_empty() || other.stems.is_empty() || self.is_within(other) || other.is_within(self) {
            return None;
        }
        if attribute == "born on" {
            return self.is_another_day(other).then_some(SURE);
        }
        if attribute != "employer" && places::is_country(self.text) != places::is_country(other.text) {
            return None;
        }
        if COUNTED.contains(&attribute) {
            let digits = |value: &Self| value.text.chars().any(char::is_numeric);
            return (digits(self) && digits(other)).then_some(SURE);
        }
        if attribute == "job" {
            let senses = |value: &Self| -> HashSet<usize> {
                let words = value.text.split(' ').chain([value.text]);
                words.filter_map(choices::profession).collect()
            };
            let (one, two) = (senses(self), senses(other));
            if one.intersection(&two).next().is_some() && self.script != other.script {
                return None;
            }
        }
        if self.sounds().intersection(&other.sounds()).next().is_some() && self.script != other.script {
            return None;
        }
        let mut shared = self.stems.intersection(&other.stems).filter(|stem| !GENERIC.has(stem));
        let shared = shared.next().is_some();
        if NAMED.contains(&attribute) && shared && !is_unspaced(self.text) {
            return None;
        }
        Some(match (self.script == other.script, shared) {
            (true, false) => SURE,
            (true, true) => LIKELY,
            (false, _) => PERHAPS,
        })
    }

    /// Whether two dates differ in what both tell: the year, or the day. Days in words and in numbers are not compared.
    fn is_another_day(&self, other: &Self) -> bool {
        let (years, days): (HashSet<&String>, HashSet<&String>) = self.stems.iter().partition(|stem| is_year(stem));
        let (other_years, other_days): (HashSet<&String>, HashSet<&String>) =
            other.stems.iter().partition(|stem| is_year(stem));
        let differ = |one: &HashSet<&String>, two: &HashSet<&String>| {
            !one.is_empty() && !two.is_empty() && !one.is_subset(two) && !two.is_subset(one)
        };
        let in_words = |days: &HashSet<&String>| days.iter().any(|day| day.chars().all(char::is_alphabetic));
        differ(&years, &other_years) || (in_words(&days) == in_words(&other_days) && differ(&days, &other_days))
    }

    fn sounds(&self) -> HashSet<String> {
        tokens(self.text).iter().filter_map(sound_of).collect()
    }

    /// Whether one choice excludes the other.
    fn excludes(&self, other: &Self, opposed: bool) -> Option<Verdict> {
        let (mine, mine_not) = self.sides();
        let (theirs, theirs_not) = other.sides();
        if opposed {
            return (mine == theirs && !mine.is_empty()).then_some(NEGATION);
        }
        // "trains over planes" and "planes over trains"; where no word stands between, the order alone tells.
        let meets = |one: &[String], two: &[String]| one.iter().any(|word| two.contains(word));
        let reversed = self.stems == other.stems && self.order.first() != other.order.first() && self.order.len() > 1;
        if reversed || (!meets(&mine, &theirs) && (meets(&mine, &theirs_not) || meets(&theirs, &mine_not))) {
            return Some(SURE);
        }
        let (options, others) = (options(self.text, &mine), options(other.text, &theirs));
        let agrees = options.iter().any(|option| others.contains(option));
        let opposes = options.iter().any(|(choice, option)| {
            others.iter().any(|(other_choice, other_option)| choice == other_choice && option != other_option)
        });
        let within = mine.iter().all(|word| theirs.contains(word)) || theirs.iter().all(|word| mine.contains(word));
        if opposes && !agrees {
            return Some(if self.script == other.script { SURE } else { LIKELY });
        }
        // "aisle seats" and "window seats": the same thing of another kind.
        let head = |words: &[String]| (words.len() > 1).then(|| [words.first().cloned(), words.last().cloned()]);
        let same_head = match (head(&mine), head(&theirs)) {
            (Some([first, last]), Some([other_first, other_last])) => last == other_last || first == other_first,
            _ => false,
        };
        (same_head && !within && !is_unspaced(self.text)).then_some(LIKELY)
    }

    /// What is chosen, and what is not.
    fn sides(&self) -> (Vec<String>, Vec<String>) {
        let words: Vec<&str> = self.text.split(' ').collect();
        let cut = words.iter().skip(1).position(|word| choices::compares(word)).map_or(words.len(), |at| at + 1);
        let stems = |words: &[&str]| -> Vec<String> {
            let kept = words.iter().filter(|word| !choices::compares(word) && !is_stop_word(word));
            kept.flat_map(|word| tokens(word)).map(|token| token.stem).collect()
        };
        (stems(words.get(..cut).unwrap_or_default()), stems(words.get(cut..).unwrap_or_default()))
    }
}

fn is_year(stem: &str) -> bool {
    stem.len() == 4 && stem.chars().all(char::is_numeric)
}

fn options(text: &str, chosen: &[String]) -> Vec<(usize, usize)> {
    if is_unspaced(text) {
        // What comes after a comparison is not chosen: 比, より.
        let text = text.split_once("より").map_or(text, |(_, chosen)| chosen);
        let text = ["胜过", "而不是", "มากกว่า"]
            .iter()
            .find_map(|word| text.split_once(word))
            .map_or(text, |(chosen, _)| chosen);
        return choices::options_within(text);
    }
    let cut = text.split(' ').skip(1).position(choices::compares).map_or(usize::MAX, |at| at + 1);
    let words = text.split(' ').take(cut);
    let found: Vec<(usize, usize)> = words.flat_map(choices::options).collect();
    // A comparison without a word for it: the first is chosen.
    if chosen.len() == 2 && found.len() == 2 { found.into_iter().take(1).collect() } else { found }
}
