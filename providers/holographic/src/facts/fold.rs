//! When two texts say the same: exactly, or in other words of the same stems.

use std::collections::BTreeSet;

use hermes_text::{head_of_terms, index_terms, is_stop_word, normalize};

/// The form to compare contents by: [`normalize`] (NFKC, lower case, white space), and without the marks that only
/// structure a sentence. What changes a word stays: `C++`, `C#`, `.config`, `-5`, `3.5`, `can't`.
pub(crate) fn fold(content: &str) -> String {
    let text = normalize(content);
    let chars: Vec<char> = text.chars().collect();
    let at = |at: Option<usize>| at.and_then(|at| chars.get(at)).copied().unwrap_or(' ');
    let mut folded = String::with_capacity(text.len());
    for (place, c) in chars.iter().enumerate() {
        let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
        let within = |is: fn(char) -> bool| is(before) && is(after);
        let kept = match c {
            '.' => after.is_alphanumeric(),
            '\'' | '’' | '‘' | '\u{2BC}' => within(char::is_alphanumeric),
            '-' | '‐'..='―' | '−' => after.is_alphanumeric(),
            '!' | '?' => !after.is_whitespace() && !is_mark(after),
            c if is_mark(*c) => within(char::is_numeric),
            _ => true,
        };
        match (kept, c) {
            (false, _) => folded.push(' '),
            (true, '’' | '‘' | '\u{2BC}') => folded.push('\''),
            (true, '‐'..='―' | '−') => folded.push('-'),
            (true, c) => folded.push(*c),
        }
    }
    // Emoticons and the like are nothing but marks.
    let folded = normalize(&folded);
    if folded.is_empty() { text } else { folded }
}

/// Marks that end, divide or quote in any script.
fn is_mark(c: char) -> bool {
    matches!(c,
        ',' | ';' | ':' | '!' | '?' | '.' | '"' | '(' | ')' | '[' | ']' | '{' | '}' | '«' | '»' | '“' | '”' | '„' | '‟' | '‹' | '›'
        | '¡' | '¿' | '…' | '·' | '،' | '؛' | '؟' | '।' | '॥' | '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}'
        | '・')
}

/// All that is computed from the words of a fact.
pub(super) struct Derived {
    pub(super) folded: String,
    pub(super) digest: i64,
    pub(super) bag: i64,
    /// What is indexed: the stems of content and tags.
    pub(super) terms: String,
}

impl Derived {
    pub(super) fn of(content: &str, tags: &[String]) -> Self {
        let (folded, own) = (fold(content), index_terms(content));
        let (digest, bag) = (hash(&folded), bag_of(&own));
        let terms = if tags.is_empty() { own } else { terms_of(content, tags) };
        Self { folded, digest, bag, terms }
    }
}

/// What is indexed of a fact.
pub(crate) fn terms_of(content: &str, tags: &[String]) -> String {
    if tags.is_empty() { index_terms(content) } else { index_terms(&format!("{content}\n{}", tags.join("\n"))) }
}

/// FNV-1a of the folded content: the same in every release, which the standard library's hash is not. Equal digests
/// are compared in full.
pub(crate) fn digest(content: &str) -> i64 {
    hash(&fold(content))
}

/// The same of the content's stems without order, repeats and stop words: equal for texts that differ in word forms
/// and order alone.
pub(crate) fn bag(content: &str) -> i64 {
    bag_of(&index_terms(content))
}

/// The same of the terms of a content.
pub(crate) fn bag_of(terms: &str) -> i64 {
    let said: BTreeSet<&str> = telling(terms).collect();
    let words: Vec<&str> = if said.is_empty() { terms.split(' ').collect() } else { said.into_iter().collect() };
    hash(&words.join(" "))
}

/// Those of the terms that say something.
pub(crate) fn telling(terms: &str) -> impl Iterator<Item = &str> {
    head_of_terms(terms).0.split(' ').filter(|term| !term.is_empty() && !is_stop_word(term))
}

pub(super) fn hash(text: &str) -> i64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(one: &str, other: &str) {
        assert_eq!(fold(one), fold(other));
        assert_eq!(digest(one), digest(other));
    }

    #[track_caller]
    fn different(one: &str, other: &str) {
        assert_ne!(fold(one), fold(other), "{one} and {other}");
    }

    #[test]
    fn case_white_space_width_and_sentence_marks_make_no_difference() {
        same("Mo likes tea", " mo  LIKES\ttea. ");
        same("Mo likes “green tea”", "Mo likes \"green tea\"!");
        same("Mo likes tea — and cake", "Mo likes tea, and cake");
        same("Ｍｏ ｌｉｋｅｓ ｔｅａ", "Mo likes tea");
        same("Mo can’t swim", "Mo can't swim");
        same("王小明住在北京。", "王小明住在北京");
        same("«Ёлка» стоит дома", "елка стоит дома");
        same("Mo’s e‑mail", "Mo's e-mail");
        same("هل تحب القهوة؟", "هل تحب القهوة");
    }

    #[test]
    fn what_differs_in_a_word_differs() {
        different("Mo lives in Paris", "Mo lives in London");
        different("Mo writes C", "Mo writes C++");
        different("Mo writes C", "Mo writes C#");
        different("the port is 3.5", "the port is 35");
        different("it has 1,000 rows", "it has 1 000 rows");
        different("it is -5 outside", "it is 5 outside");
        different("edit .config", "edit config");
        different("a != b", "a = b");
        different("we can't", "we cant");
        different("!!!", "???");
    }

    #[test]
    fn order_and_forms_share_a_bag() {
        assert_eq!(bag("Mo likes green tea"), bag("green teas Mo liked"));
        assert_ne!(bag("Mo likes green tea"), bag("Mo likes black tea"));
        assert_ne!(bag("the"), bag("a"));
    }
}
