//! What a question is about when its words are not those of the fact.
//!
//! "Where does she live?" is answered by "has a flat in Lisbon", «Кем он работает?» by "is a translator". For the
//! things that people tell an assistant about (home, work, family, food, …) the words that belong together are listed,
//! in ten languages, each word as it stands in a sentence. A topic weighs less than a word: it only
//! decides between facts that are otherwise alike.

mod words;

use std::collections::HashMap;
use std::sync::LazyLock;

use hermes_text::{Token, TokenKind, dominant_script, normalize, script_of, tokens};

use words::TOPICS;

/// A topic of a question.
pub(crate) struct Topic {
    /// What facts about it say, in the script of the question first.
    pub(crate) stems: Vec<&'static str>,
    /// The same for words that are several pairs of characters: these in a row, with single spaces between and around.
    pub(crate) phrases: Vec<&'static str>,
    /// What having one of them is worth, as a part of a word.
    pub(crate) weight: f64,
}

/// A question, read.
pub(crate) struct Read {
    /// Without idioms.
    pub(crate) text: String,
    pub(crate) topics: Vec<Topic>,
}

/// What a topic is worth when a word of it is asked for, and when only a question word hints at it («где»).
const NAMED: f64 = 0.35;
const HINTED: f64 = 0.2;

/// Idioms that say nothing about the subject.
const FILLERS: &[&str] =
    &["these days", "at the moment", "right now", "at all", "в последнее время", "в данный момент"];

/// The tables of [`TOPICS`], with the terms that its words have in the index.
///
/// They are read out of a file that a test writes: to cut and stem thousands of words would take longer than all else that
/// a process does for one question.
struct Tables {
    /// What facts about each topic say.
    told: Vec<Words>,
    /// Which topics a stem of a question raises, and by how much, in the order of the stems.
    raised: Vec<(&'static str, usize, f64)>,
    /// The same for terms in a row.
    phrases: Vec<(&'static str, usize, f64)>,
}

/// Words as they are in the index.
#[derive(Default)]
struct Words {
    stems: Vec<&'static str>,
    phrases: Vec<&'static str>,
}

/// Stems with single spaces between and around them.
fn in_a_row(tokens: &[Token]) -> String {
    tokens.iter().fold(" ".to_owned(), |row, token| row + &token.stem + " ")
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| tables(include_str!("topics/terms.txt")));

/// Reads lines of a kind, a topic, and terms, with tabulators between: what is told (`told`), and what is asked by a word
/// of the topic (`named`) or only hints at it (`hinted`). Terms in a row have spaces around them.
fn tables(text: &'static str) -> Tables {
    let mut tables = Tables { told: Vec::new(), raised: Vec::new(), phrases: Vec::new() };
    for line in text.lines() {
        let mut columns = line.split('\t');
        let (Some(kind), Some(topic), Some(term)) = (columns.next(), columns.next(), columns.next()) else { continue };
        let topic: usize = topic.parse().unwrap_or_default();
        let in_a_row = term.starts_with(' ');
        match kind {
            "told" => {
                tables.told.resize_with(tables.told.len().max(topic + 1), Words::default);
                let told = &mut tables.told[topic];
                if in_a_row { told.phrases.push(term) } else { told.stems.push(term) }
            }
            kind => {
                let weight = if kind == "named" { NAMED } else { HINTED };
                if in_a_row { &mut tables.phrases } else { &mut tables.raised }.push((term, topic, weight));
            }
        }
    }
    tables
}

/// The topics that a stem of a question raises, and by how much.
fn raised(stem: &str) -> impl Iterator<Item = (usize, f64)> {
    let from = TABLES.raised.partition_point(|(other, ..)| *other < stem);
    let same = TABLES.raised[from..].iter().take_while(move |(other, ..)| *other == stem);
    same.map(|(_, topic, weight)| (*topic, *weight))
}

/// Whether a word of a text speaks of a topic, so that a capital at the beginning of a sentence makes no name of it.
pub(crate) fn is_topic_word(word: &str) -> bool {
    tokens(word).first().is_some_and(|token| !of_stem(&token.stem).is_empty())
}

/// The topics that a fact with this stem is about, as numbers.
pub(crate) fn of_stem(stem: &str) -> Vec<usize> {
    raised(stem).filter(|(_, weight)| *weight >= NAMED).map(|(topic, _)| topic).collect()
}

/// Finds the topics of a question, and takes idioms out of it.
pub(crate) fn read(text: &str) -> Read {
    let mut weights: HashMap<usize, f64> = HashMap::new();
    let mut raise = |topic: usize, weight: f64| {
        let known = weights.entry(topic).or_default();
        *known = known.max(weight);
    };
    let plain = normalize(text);
    let mut rest = text.to_owned();
    let idioms = TOPICS
        .iter()
        .enumerate()
        .flat_map(|(topic, entry)| entry.idioms.iter().map(move |idiom| (Some(topic), *idiom)));
    for (topic, idiom) in idioms.chain(FILLERS.iter().map(|filler| (None, *filler))) {
        if !contains_words(&plain, idiom) {
            continue;
        }
        if let Some(topic) = topic {
            raise(topic, NAMED);
        }
        rest = without(&rest, idiom);
    }
    // A text that was nothing but an idiom is searched for as it is.
    let text = if tokens(&rest).is_empty() { text.to_owned() } else { rest };
    let tokens = tokens(&text);
    for token in &tokens {
        for (topic, weight) in raised(&token.stem) {
            raise(topic, weight);
        }
    }
    let row = in_a_row(&tokens);
    for (_, topic, weight) in TABLES.phrases.iter().filter(|(phrase, ..)| row.contains(phrase)) {
        raise(*topic, *weight);
    }
    // Words of several pairs are looked for one after another, so only where the question is in such a script.
    let has_pairs = tokens.iter().any(|token| token.kind == TokenKind::Gram);
    let script = dominant_script(&text);
    let mut topics: Vec<Topic> = weights
        .into_iter()
        .filter_map(|(topic, weight)| {
            let told = TABLES.told.get(topic)?;
            let mut stems = told.stems.clone();
            stems.sort_by_key(|stem| stem.chars().next().and_then(script_of) != script);
            let phrases = if has_pairs { told.phrases.clone() } else { Vec::new() };
            Some(Topic { stems, phrases, weight })
        })
        .collect();
    topics.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.stems.cmp(&b.stems)));
    Read { text, topics }
}

fn contains_words(text: &str, phrase: &str) -> bool {
    // Most texts do not have it at all, and to see that is quick.
    text.contains(phrase)
        && text.match_indices(phrase).any(|(at, _)| {
            let letter = |c: char| c.is_alphanumeric();
            !text[..at].ends_with(letter) && !text[at + phrase.len()..].starts_with(letter)
        })
}

/// The text without the words of a phrase, where they stand in a row.
fn without(text: &str, phrase: &str) -> String {
    let words: Vec<&str> = phrase.split(' ').collect();
    let pieces: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        let bare = |piece: &&str| normalize(piece.trim_matches(|c: char| !c.is_alphanumeric()));
        let here = pieces.get(at..at + words.len());
        if here.is_some_and(|here| here.iter().map(bare).eq(words.iter().map(|word| (*word).to_owned()))) {
            at += words.len();
            continue;
        }
        kept.push_str(piece);
        at += 1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use hermes_text::is_stop_word;

    use super::*;

    /// The terms of words: each its stems, or its pairs in a row.
    fn terms(words: &str) -> Vec<String> {
        let (mut stems, mut phrases) = (Vec::new(), Vec::new());
        for word in words.split_whitespace() {
            let tokens = tokens(word);
            if tokens.len() > 1 && tokens.iter().all(|token| token.kind == TokenKind::Gram) {
                phrases.push(in_a_row(&tokens));
            } else {
                let said = tokens.into_iter().filter(|token| !is_stop_word(&token.text));
                stems.extend(said.map(|token| token.stem));
            }
        }
        stems.sort();
        stems.dedup();
        stems.extend(phrases);
        stems
    }

    #[test]
    fn the_file_of_terms_is_that_of_the_words() {
        let (mut told, mut asked) = (Vec::new(), Vec::new());
        for (topic, entry) in TOPICS.iter().enumerate() {
            let named = terms(entry.words);
            told.extend(named.iter().chain(&terms(entry.told)).map(|term| format!("told\t{topic}\t{term}\n")));
            asked.extend(named.into_iter().map(|term| (term, topic, "named")));
            for tokens in entry.asked.split_whitespace().map(tokens) {
                let term = match tokens.as_slice() {
                    [one] => one.stem.clone(),
                    several => in_a_row(several),
                };
                asked.push((term, topic, "hinted"));
            }
        }
        asked.sort();
        told.extend(asked.into_iter().map(|(term, topic, kind)| format!("{kind}\t{topic}\t{term}\n")));
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/topics/terms.txt");
        if std::env::var_os("HERMES_WRITE_TABLES").is_some() {
            std::fs::write(path, told.concat()).unwrap();
        }
        assert!(told.concat() == include_str!("topics/terms.txt"), "run this test with HERMES_WRITE_TABLES=1");
    }

    #[track_caller]
    fn check(question: &str, fact: &str) {
        let stems: Vec<String> = tokens(fact).into_iter().map(|token| token.stem).collect();
        let topics = read(question).topics;
        assert!(
            topics.iter().any(|topic| topic.stems.iter().any(|stem| stems.iter().any(|own| own == stem))),
            "{question} / {fact}"
        );
    }

    #[test]
    fn questions_meet_facts_in_other_words() {
        check("Where does Mo live?", "Mo has a flat in Oslo");
        check("What does Mo do for a living?", "Mo works as a baker");
        check("Кличка зверя?", "У Мо есть собака");
        check("Где живёт Мо?", "Mo lives in Oslo");
        check("他住在哪里", "Mo lives in Oslo");
        check("Wo wohnt Mo?", "Mo hat eine Wohnung in Oslo");
        check("¿Qué idioma habla Mo?", "La lengua materna de Mo es el noruego");
        check("Quel est le métier de Mo ?", "Mo travaille à Oslo");
        check("Mo hangi hayvana sahip?", "Mo'nun bir kedisi var");
        check("モーの仕事は何ですか", "モーは銀行に勤務しています");
        check("شغل مو چیست؟", "مو در بانک کار می‌کند");
    }

    #[test]
    fn words_of_several_pairs_are_looked_for_in_a_row() {
        let topics = read("โม ทำงานอะไร").topics;
        let fact = in_a_row(&tokens("โมมีอาชีพเป็นครู"));
        assert!(topics.iter().any(|topic| topic.phrases.iter().any(|phrase| fact.contains(phrase))));
    }

    #[test]
    fn idioms_are_taken_out() {
        assert_eq!(read("what does Mo do for a living?").text, "what does Mo do ");
        assert_eq!(read("These days").text, "These days");
        assert_eq!(read("сибирь").topics.len(), 0);
    }
}
