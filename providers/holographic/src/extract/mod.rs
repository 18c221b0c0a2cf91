//! What users say of themselves in a conversation: "I live in …", «меня зовут …», 我对…过敏.
//!
//! Off unless the user wants it. It is better to miss a fact than to make one up, so a sentence is taken only when one of its
//! clauses begins with a known way to say such a thing, and nothing in it asks, supposes, reports or is to be worked on. The
//! clause is kept as it was said: the reader of claims knows who "I" is, and a search finds the user's own words.
//!
//! | module | what it holds |
//! |---|---|
//! | `clauses` | a message as sentences that are the user's own |
//! | `cues`, `find` | ways to say something, and finding them |
//! | `western`, `romance`, `eastern`, `unspaced` | the words of each language |
//! | `session` | when it is done, and what is stored |

mod clauses;
mod cues;
mod eastern;
mod find;
mod romance;
mod session;
mod unspaced;
mod western;

#[cfg(test)]
mod tests;

use hermes_text::char_count;

use cues::CUES;

pub(crate) use session::{Idle, at_end};

/// A longer message is a document that was pasted in.
const MAX_MESSAGE_CHARS: usize = 2000;
/// A longer statement says more than one thing.
const MAX_FACT_CHARS: usize = 200;
/// No message has more facts.
const MAX_FACTS: usize = 12;

/// Something that the user said of themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// In the user's words.
    pub text: String,
    /// One of [`CATEGORIES`](crate::facts::CATEGORIES).
    pub category: &'static str,
}

/// The words of a language. Lists are separated by `; `, and compared in their normal form.
struct Words {
    /// Ways to say something, by category; see [`cues`].
    cues: &'static [(&'static str, &'static str)],
    /// People and animals that belong to somebody: `@kin` of a cue.
    kin: &'static str,
    /// What somebody may be besides a profession.
    who: &'static str,
    /// May stand before a statement, and between the words of a cue.
    leads: &'static str,
    fillers: &'static str,
    /// Join two statements, where one of the openers follows; end one, whatever follows; begin another one.
    joins: &'static str,
    ends: &'static str,
    openers: &'static str,
    /// Begin what a liking or a habit holds for: "In Go, I prefer tabs".
    contexts: &'static str,
    /// What says nothing by itself, at the beginning of a value; before `$` only as all of it.
    vague: &'static str,
    /// Points at something in the conversation, or at some occasions only: anywhere in a value.
    pointing: &'static str,
    /// Anywhere in a sentence: what it says is asked, supposed, wished, reported or of the moment.
    unreal: &'static str,
    /// Anywhere in a message: what it says is material.
    tasks: &'static str,
    /// Before a colon: what follows is said of the user.
    about: &'static str,
    /// Courtesies at the end of a statement.
    tails: &'static str,
}

/// All that the tables know.
const LANGUAGES: [&Words; 8] = [
    &western::ENGLISH,
    &western::GERMAN,
    &romance::SPANISH,
    &romance::FRENCH,
    &eastern::RUSSIAN,
    &eastern::PERSIAN,
    &unspaced::CHINESE,
    &unspaced::THAI,
];

/// What the user says of themselves in a message, in its order.
pub(crate) fn said(message: &str) -> Vec<Said> {
    if char_count(message) > MAX_MESSAGE_CHARS {
        return Vec::new();
    }
    let mut found: Vec<Said> = Vec::new();
    for sentence in clauses::own_sentences(message) {
        for said in CUES.statements(sentence) {
            if char_count(&said.text) <= MAX_FACT_CHARS && !found.contains(&said) && found.len() < MAX_FACTS {
                found.push(said);
            }
        }
    }
    found
}
