//! Claims of a sentence whose words stand apart.

use std::collections::HashMap;
use std::sync::LazyLock;

use hermes_text::{Script, is_stop_word, normalize, script_of, tokens};

use super::{Claim, choices, cue, cues, statement};
use crate::entities::names::{self, List, USER, is_user};

/// Words that say when or how surely, between the others.
static FILLERS: List = List::new(
    "currently now still already always usually also often really actually presently nowadays today mostly just \
                       recently has have had been lately сейчас теперь еще все уже обычно также тоже недавно ныне сегодня больше mehr \
                       derzeit jetzt noch immer auch zurzeit momentan seit meist meistens şu anda artık hala hep \
                       actualmente ahora todavía siempre actuellement maintenant encore toujours heute",
);
static NEGATIONS: List = List::new(
    "not no never don't doesn't didn't isn't aren't won't can't cannot wouldn't longer без не ни никогда нет \
                         nicht nie niemals kein keine keinen keinem keiner nunca jamás tampoco ne n pas jamais plus değil \
                         asla hiç 안 않는다 않습니다 نه هرگز",
);
/// A value ends before them, or there is none where it would begin with one.
static ENDS: List = List::new(
    "with and since for because but who which where that from by on in at near while after before until as when if \
                    с со и а но у к ко около рядом потому для по на в во за из от вместе где что когда уже до через \
                    mit und seit bei am im an weil aber in nahe als zu zur zum wo wenn um von aus \
                    ve ile için çünkü ama con y desde cerca porque pero en avec et depuis près car mais dans à chez \
                    و با از که برای",
);
/// But the seat "by the window" and the work "from home" are chosen as they are.
static WITHIN_CHOICE: List = List::new("у из from von aus");
/// Before a value, and no part of it.
static ARTICLES: List = List::new(
    "a an the his her their its my our der die das dem den des ein eine einen einem einer seine ihre el la los las \
                        un una le les l' du компания компании компанию компанией фирма фирме фирму организации город городе г company \
                        firma firm city town of called named namens about شهر",
);
/// What follows belongs to the user, and is somebody or something else.
static POSSESSIVES: List = List::new("my мой моя мое мои mein meine benim mi mon ma mes");
/// Nobody knows here who they are.
static PRONOUNS: List = List::new(
    "he she it they we you his her their он она оно они мы ты вы его ее их er sie es wir ihr o onlar él ella ellos \
                        il elle ils elles on او آنها this that these those это",
);
/// Before what was or may be, not what is.
static UNREAL: List =
    List::new("to would could might may if should хочет хотел хотела мечтает бы möchte will würde quiere veut");
/// Between a noun and its value.
static COPULAS: List = List::new("is are ist est es são é = зовут называется это heißt lautet s'appelle");
/// Before a profession, and before a day or a place.
static BEING: List = List::new("is am 'm i'm ist bin est suis es soy");
static ON: List = List::new("on in at auf am в на");
static OF: List = List::new("of de von des du d' for");
/// Who is called a keen gardener, or a former one, works as something else.
static PASTIMES: List = List::new(
    "keen avid passionate amateur hobby good great big huge fast slow early heavy retired former ex aspiring future \
                        would-be заядлый заядлая страстный страстная бывший бывшая будущий будущая хороший хорошая leidenschaftlicher \
                        begeisterter ehemaliger ehemalige guter gute gran antiguo ancien ancienne grand bon bonne",
);
/// Beginnings of words for places of work.
const FIRMS: &str = "компани фирм банк студи ооо ао театр институт университет больниц школ завод фабрик магазин агентств министерств \
                     şirket firma banka hastane okul üniversite fabrika 회사 은행 병원 학교 대학 empresa banco hospital escuela \
                     bank hospital university school studio department factory";
/// Between a job and those who give it.
static FOR: List = List::new("at for with bei für chez para");
static WITHIN: List = List::new("in в во на en im");
static AS: List = List::new("as als como comme");
/// No more words than this make a value.
const MAX_VALUE: usize = 8;
/// So many words of a name or a filler may stand inside a cue.
const MAX_GAP: usize = 3;

pub(super) struct Word {
    pub(super) low: String,
    upper: bool,
    /// Punctuation that ends a value stands before it.
    breaks: bool,
    /// A dash, a colon or an equals sign stands before it.
    dash: bool,
    /// An opening quotation mark stands before it.
    quoted: bool,
}

impl Word {
    fn is(&self, list: &List) -> bool {
        list.has(&self.low)
    }

    /// A name by its capital; a user's word is none.
    fn names(&self) -> bool {
        self.upper && !is_user(&self.low)
    }
}

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

/// What one cue has found: the places of its words, and of the value.
struct Match {
    attribute: &'static str,
    literals: Vec<usize>,
    value: std::ops::Range<usize>,
}

pub(super) fn claims(sentence: &str) -> Vec<Claim> {
    let words = words(sentence);
    let mut matches: Vec<Match> = Vec::new();
    for at in 0..words.len() {
        matches.extend(cues_at(&words, at));
        matches.extend(noun_at(&words, at));
        matches.extend(profession_at(&words, at));
    }
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

/// Whether a name is that of a firm and not of a town: in quotation marks, of several words, or by a word for it.
fn is_firm(words: &[Word]) -> bool {
    let several = words.iter().filter(|word| word.upper).count() > 1;
    several || words.iter().any(|word| word.quoted || FIRMS.split(' ').any(|firm| word.low.starts_with(firm)))
}

/// Whether words name what somebody is by profession: in English and German the last one, elsewhere mostly the first.
fn names_profession(words: &[Word]) -> bool {
    let pastime = words.iter().any(|word| word.is(&PASTIMES) || choices::is_no_profession(&word.low));
    !pastime && words.iter().any(|word| choices::is_profession(&word.low))
}

fn is_negation(word: &Word) -> bool {
    word.is(&NEGATIONS) || word.low.starts_with("n'") || word.low.ends_with("n't") || word.low.starts_with("نمی")
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

/// The words of a sentence.
pub(super) fn words(text: &str) -> Vec<Word> {
    let inside = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '\'' | '’' | '-' | '_' | '/' | '.' | '@' | '+' | '#' | ':' | '=' | '\u{200C}' | '\u{301}')
            || hermes_text::script_of(c).is_some()
    };
    let mut words: Vec<Word> = Vec::new();
    let mut rest = 0;
    while let Some(begin) = text[rest..].find(inside).map(|at| rest + at) {
        let gap = &text[rest..begin];
        let end = text[begin..].find(|c| !inside(c)).map_or(text.len(), |length| begin + length);
        let raw = &text[begin..end];
        let word = raw.trim_matches(|c: char| matches!(c, '.' | '-' | '/' | '\'' | '’' | ':' | '='));
        let before = rest == 0;
        rest = end;
        let breaks = gap.contains([',', ';', '(', ')', '—', '–', '،']) || raw.starts_with(':');
        let dash = gap.contains(['—', '–'])
            || matches!(raw, "-" | ":" | "=")
            || words.last().is_some_and(|last| last.low == ":");
        if word.is_empty() {
            words.push(Word { low: ":".to_owned(), upper: false, breaks: true, dash, quoted: false });
            continue;
        }
        let colon = raw.ends_with(':');
        words.push(Word {
            low: normalize(word),
            upper: word.starts_with(char::is_uppercase),
            breaks: breaks && !before,
            dash,
            quoted: gap.contains(['«', '"', '“', '„', '‘']),
        });
        if colon {
            words.push(Word { low: ":".to_owned(), upper: false, breaks: true, dash: true, quoted: false });
        }
    }
    words.dedup_by(|later, earlier| later.low == ":" && earlier.low == ":");
    let mut after_colon = false;
    for word in &mut words {
        word.dash |= after_colon;
        after_colon = word.low == ":";
    }
    words.retain(|word| word.low != ":");
    words
}

fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.low.as_str()).collect::<Vec<_>>().join(" ")
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
            if places.is_empty() || gap > MAX_GAP || word.breaks || !(word.names() || word.is(&FILLERS)) {
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
                let start = start + words.get(start..end)?.iter().take_while(|word| word.is(&ARTICLES)).count();
                if words.get(start).is_none_or(|word| word.is(&ENDS)) {
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
fn value_after(words: &[Word], at: usize, is_choice: bool) -> Option<std::ops::Range<usize>> {
    let articles = words.get(at..)?.iter().take_while(|word| word.is(&ARTICLES) && !word.breaks).count();
    let start = at + articles;
    let first = words.get(start)?;
    if first.breaks && !first.dash || first.is(&ENDS) || is_negation(first) {
        return None;
    }
    let ends = |word: &Word| {
        word.breaks || (word.is(&ENDS) && !(is_choice && (choices::compares(&word.low) || word.is(&WITHIN_CHOICE))))
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
        if is_user(&word.low) || topic || at - start == MAX_VALUE || (start < at && word.is(&FILLERS)) {
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
    let is_copula = |word: &Word| word.is(&COPULAS);
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
    let leading = words.get(start..)?.iter().take_while(|word| word.is(&ON)).count();
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
    let copula = word.is(&BEING);
    let start = match (copula, word.dash) {
        (true, _) => at + 1,
        (false, true) => at,
        _ => return None,
    };
    let value = value_after(words, start, false)?;
    let told = words.get(value.clone())?;
    // Of a job a name may be a part, but it does not end in one.
    let fits = names_profession(told) && (value.len() == 1 || told.last().is_some_and(|last| !last.upper));
    fits.then(|| Match { attribute: "job", literals: if copula { vec![at] } else { Vec::new() }, value })
}

/// Who a match is about.
fn subject(words: &[Word], found: &Match) -> Option<String> {
    let free = |place: usize| !found.value.contains(&place) && !found.literals.contains(&place);
    let cue = found.literals.iter().copied().chain(std::iter::once(found.value.start)).min().unwrap_or(0);
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let opens = place == 0 && (word.is(&FILLERS) || is_stop_word(&word.low) && !is_user(&word.low));
        if !free(place) || !word.names() || opens {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == place && !word.breaks && !word.low.is_empty() => {
                // A name with an ending after its apostrophe is complete.
                let complete = words.get(place - 1).is_some_and(|before| before.low.contains(['\'', '’']));
                if complete { runs.push(place..place + 1) } else { run.end = place + 1 }
            }
            _ => runs.push(place..place + 1),
        }
    }
    let statement = found.attribute.is_empty();
    let run = runs.iter().find(|run| run.start < cue || statement).or_else(|| runs.first());
    let Some(run) = run else {
        let before = words.iter().enumerate().take(found.value.start).filter(|(place, _)| free(*place));
        return noun_phrase(before.map(|(_, word)| word), 2);
    };
    let mut said = names::bare(&joined(words.get(run.clone())?));
    // "Ada's sister", «la hermana de Ada»: it is about somebody else.
    let possessive =
        words.get(run.end - 1).is_some_and(|word| word.low.contains(['\'', '’']) || word.low.ends_with('\''));
    let mut others: Vec<&str> = Vec::new();
    let is_other = |place: usize, word: &Word| {
        free(place) && !word.is(&FILLERS) && !is_stop_word(&word.low) && !is_negation(word) && !word.is(&ARTICLES)
    };
    let cue = if found.literals.is_empty() { found.value.start } else { cue };
    if possessive && !statement {
        let between = words.iter().enumerate().take(cue).skip(run.end);
        others.extend(between.filter(|(place, word)| is_other(*place, word)).map(|(_, word)| word.low.as_str()));
    }
    let of = run.start.checked_sub(1).and_then(|place| words.get(place)).is_some_and(|word| word.is(&OF));
    if of && !statement {
        let before = words.iter().enumerate().take(run.start - 1);
        others.extend(before.filter(|(place, word)| is_other(*place, word)).map(|(_, word)| word.low.as_str()));
    }
    for other in others {
        said.push(' ');
        said.push_str(other);
    }
    Some(said)
}

/// Where a name shows by its capital.
fn has_case(word: &str) -> bool {
    word.chars().any(char::is_lowercase)
}

/// A subject without a capital: the words for the user, or what stands first; nobody for a pronoun.
fn noun_phrase<'a>(words: impl Iterator<Item = &'a Word>, most: usize) -> Option<String> {
    let mut said: Vec<String> = Vec::new();
    for (at, word) in words.enumerate() {
        if word.is(&PRONOUNS) {
            return None;
        }
        if at > 0 && word.breaks {
            break;
        }
        if word.is(&ARTICLES) && !is_user(&word.low)
            || word.is(&FILLERS)
            || is_negation(word)
            || names::is_title(&word.low)
        {
            continue;
        }
        let bare = names::bare(&word.low);
        if is_user(&word.low) || bare == USER {
            said.push(USER.to_owned());
        } else if !is_stop_word(&word.low) || (at == 0 && !has_case(&word.low)) {
            said.push(bare);
        }
        let possessed = is_user(&word.low) && word.is(&POSSESSIVES);
        if said.len() == most || (said.len() == 1 && said.first().is_some_and(|word| word == USER) && !possessed) {
            break;
        }
    }
    // "my brother" is somebody else, and "the user likes" begins with the subject.
    Some(if said.is_empty() { USER.to_owned() } else { said.join(" ") })
}
