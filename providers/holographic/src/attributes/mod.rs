//! What a fact says of its subject, as far as it can be told without a model: that Ada lives in Paris, that the port of the
//! gateway is 8080, that Bob does not eat fish.
//!
//! Such claims are read when a fact is stored and kept in a table by subject and attribute, so that facts that contradict
//! each other are found without comparing all with all. The words for it are in `cues`, the comparison in `values`.

mod choices;
mod cues;
mod patterns;
mod places;
mod spaced;
mod subject;
mod unspaced;
mod values;
mod words;

use hermes_text::normalize;

use crate::entities::{USER, is_unspaced};

pub(crate) use values::{against, at_most};

/// The attribute of what one may like better than something else: it contradicts another one only where both speak of the
/// same choice.
pub(crate) const PREFERS: &str = "prefers";
/// The beginning of the attribute of a whole statement, which contradicts its own negation alone.
pub(crate) const STATEMENT: char = '~';

/// A sentence that is longer says more than one thing.
const MAX_SENTENCE_CHARS: usize = 300;
/// A text that has more of them is a document.
const MAX_SENTENCES: usize = 8;
/// A statement with more words is not repeated word for word.
const MAX_STATEMENT_WORDS: usize = 8;

/// Something that a fact says of its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// The subject, alike in all cases and in Latin and Cyrillic letters.
    pub subject: String,
    /// The subject as it is written, in its normal form.
    pub said: String,
    /// What is said of it: a name from `cues`, or a statement.
    pub attribute: String,
    /// In its normal form.
    pub value: String,
    pub negated: bool,
}

/// What a text claims.
pub(crate) fn claims(text: &str) -> Vec<Claim> {
    let mut found: Vec<Claim> = Vec::new();
    for sentence in sentences(text).into_iter().take(MAX_SENTENCES) {
        if sentence.chars().nth(MAX_SENTENCE_CHARS).is_some() {
            continue;
        }
        let claims = if is_unspaced(sentence) { unspaced::claims(sentence) } else { spaced::claims(sentence) };
        for mut claim in claims {
            if claim.attribute == "born in" && claim.value.chars().any(char::is_numeric) {
                claim.attribute = "born on".to_owned();
            }
            if !claim.subject.is_empty() && !found.contains(&claim) {
                found.push(claim);
            }
        }
    }
    found
}

/// The names of people, places and firms in claims of texts without capitals: there nothing else tells a name.
pub(crate) fn named(claims: &[Claim]) -> Vec<&str> {
    let mut found = Vec::new();
    for claim in claims.iter().filter(|claim| !claim.attribute.starts_with(STATEMENT)) {
        let value = values::NAMED.contains(&claim.attribute.as_str()).then_some(claim.value.as_str());
        for name in [Some(claim.said.as_str()), value].into_iter().flatten() {
            if name != USER
                && !name.chars().any(char::is_lowercase)
                && name.chars().nth(1).is_some()
                && !found.contains(&name)
            {
                found.push(name);
            }
        }
    }
    found
}

fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut word = 0;
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let spaced = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        // A point after a short word is mostly that of an abbreviation ("Dr.", «г.»), or of an ordinal ("3. Mai").
        let ends = match c {
            '。' | '！' | '？' | '\n' | ';' | '；' => true,
            '!' | '?' | '…' => spaced,
            '.' => spaced && word > 2,
            _ => false,
        };
        word = if c.is_alphabetic() { word + 1 } else { 0 };
        if ends {
            found.push(text[start..at].trim());
            start = end;
        }
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// The whole of a sentence, without its subject and its negations.
fn statement(words: &[String]) -> Option<String> {
    let mut words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    (!words.is_empty() && words.len() <= MAX_STATEMENT_WORDS).then(|| format!("{STATEMENT}{}", words.join(" ")))
}

/// The normal form of a cue, so that it can be compared with that of a text.
fn cue(text: &str) -> String {
    normalize(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, subject: &str, attribute: &str, value: &str) {
        let claims = claims(text);
        let fits = |claim: &Claim| {
            claim.said == subject && claim.attribute == attribute && claim.value == value && !claim.negated
        };
        assert!(claims.iter().any(fits), "{text}: {claims:#?}");
    }

    #[test]
    fn claims_are_read_in_many_languages() {
        check("Ada Byron lives in Paris with her cat.", "ada byron", "lives in", "paris");
        check("The home of Ada is in Paris", "ada", "lives in", "paris");
        check("I work as a baker", "@user", "job", "baker");
        check("The port of the gateway is 8080", "gateway", "port", "8080");
        check("В Риге живёт Анна Белова", "анна белова", "lives in", "риге");
        check("Анна Белова — юрист по профессии", "анна белова", "job", "юрист");
        check("Ayşe Ak İzmir'de yaşıyor", "ayşe ak", "lives in", "izmir'de");
        check("Jan Roth ist Bäcker von Beruf", "jan roth", "job", "bäcker");
        check("李雷住在北京。", "李雷", "lives in", "北京");
        check("佐藤さんは大阪に住んでいます。", "佐藤", "lives in", "大阪");
        check("คุณมานีอาศัยอยู่ที่แพร่", "มานี", "lives in", "แพร่");
        check("김민수 씨는 서울에 살고 있다", "김민수", "lives in", "서울에");
        check("علی در تهران زندگی می‌کند", "علی", "lives in", "تهران");
    }

    #[test]
    fn no_text_does_harm() {
        let pieces = [
            "Ada",
            "ада",
            " ",
            "lives in",
            "живёт в",
            "住在",
            "は",
            "に住ん",
            "อาศัย",
            "'",
            "’s",
            "—",
            ":",
            "(",
            "«",
            "İ",
            "ß",
            "\u{301}",
            "\u{200C}",
            "n't",
            "is a",
            "ist",
            "的",
            "是",
            "🐈",
            "\0",
            "port",
            "-",
            "在",
            "工作",
            "می",
            "ن",
            "씨는",
            "에 살고",
            ".",
            ",",
            "prefers",
            "over",
            "8",
        ];
        // A linear congruential generator (Knuth, MMIX): the same texts in every run.
        let mut state = 7_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        let mut read = 0;
        for _ in 0..20_000 {
            let text: String = (0..next(14)).map(|_| pieces[next(pieces.len())]).collect();
            let claims = claims(&text);
            for (one, other) in claims.iter().zip(claims.iter().skip(1)) {
                let _ = against(one, other);
            }
            read += claims.len();
        }
        assert!(read > 10_000, "{read}");
    }

    #[test]
    fn nothing_is_read_where_nothing_is_said() {
        for text in ["", "…", "lives in", "住在", "に住んで", "the", "Ada", "-", "'", "در"] {
            assert!(
                claims(text).iter().all(|claim| claim.attribute.starts_with(STATEMENT)),
                "{text}: {:?}",
                claims(text)
            );
        }
    }
}
