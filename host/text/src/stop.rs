//! Words that carry no subject: "the", "и", "の".

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use crate::data::{stop_east, stop_west};
use crate::fold;
use crate::words::CLITICS;

static ALL: LazyLock<HashSet<Cow<'static, str>>> =
    LazyLock::new(|| stop_west::ALL.iter().chain(&stop_east::ALL).flat_map(|list| terms(list)).collect());

/// The words of a list, each in the form of a term: mostly as they are.
pub(crate) fn terms(list: &'static str) -> impl Iterator<Item = Cow<'static, str>> {
    list.split(' ').map(|word| match word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(fold::term(word)),
    })
}

/// Whether a normalised word (see [`crate::normalize`]) is a function word of English, Russian, Ukrainian,
/// German, French, Spanish, Italian, Portuguese, Turkish, Arabic, Persian, Hindi, Chinese, Japanese, Thai or
/// Korean.
///
/// The language of the word is not asked, so a function word that means something in another of these
/// languages is not on the lists: not the German "die" and "war", not the French "car", not the Turkish
/// "ben". An English word with a clitic ("what's", "they've") is judged by the word before it. Apostrophes,
/// ZWNJ and Arabic vowel points make no difference. Chinese, Japanese and Thai entries are of one or two
/// characters, so that they meet the pairs of [`crate::tokens`].
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    let base = match word.rsplit_once(['\'', '’']) {
        Some((base, clitic)) if CLITICS.contains(&clitic) => base,
        _ => word,
    };
    ALL.contains(fold::term(base).as_str())
}
