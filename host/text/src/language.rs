//! A cheap guess at the language of a text.
//!
//! Good enough to choose a sentence of help or a stop list; not a language detector. The script decides
//! first, then letters only one language has, then function words.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;

use crate::data::stop_west as lists;
use crate::normalize;
use crate::script::{self, Script};
use crate::stop::set;

/// How many characters at the beginning of a text are looked at.
const SAMPLE: usize = 2000;

/// The languages [`language`] can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Turkish,
    Polish,
    Vietnamese,
    Russian,
    Ukrainian,
    Bulgarian,
    Serbian,
    Greek,
    Arabic,
    Persian,
    Urdu,
    Hebrew,
    Hindi,
    Thai,
    Chinese,
    Japanese,
    Korean,
    /// No letters, or a script the library does not know.
    Unknown,
}

/// Function words and the letters that only this language has among its neighbours.
struct Latin {
    language: Language,
    words: HashSet<String>,
    letters: &'static str,
}

/// English first: it wins a tie.
static LATIN: LazyLock<Vec<Latin>> = LazyLock::new(|| {
    let latin = |language, words, letters| Latin { language, words: set(words), letters };
    vec![
        latin(Language::English, lists::ENGLISH, ""),
        latin(Language::German, lists::GERMAN, "ßä"),
        latin(Language::French, lists::FRENCH, "œêû"),
        latin(Language::Spanish, lists::SPANISH, "ñ¿¡"),
        latin(Language::Italian, lists::ITALIAN, "ìò"),
        latin(Language::Portuguese, lists::PORTUGUESE, "ãõ"),
        latin(Language::Turkish, lists::TURKISH, "ğış"),
        latin(Language::Polish, "", "ąćęłńśźż"),
        latin(Language::Vietnamese, "", "ơưđạảấầẩậắằặẹẻếềểệịọỏốồổộớờởợụủứừửựỳỹ"),
    ]
});

/// The language `text` is probably in, from its first 2000 characters.
///
/// - Latin letters: the language with most function words and letters of its own; English when there is no
///   evidence (a name, a code line) – the English stemmer is used for all of them anyway. Languages not in
///   [`Language`] come out as a neighbour or as English.
/// - Cyrillic letters: Russian, unless letters say Ukrainian (`і ї є ґ`), Serbian (`ђ ј љ њ ћ џ`) or
///   Bulgarian (`ъ` other than before `е ю я`).
/// - Arabic letters: Arabic, unless letters say Persian (`پ چ ژ گ ک ی`) or Urdu (`ٹ ڈ ڑ ے ں`); a short Persian
///   text without any of these is taken for Arabic.
/// - Han with any kana is Japanese, without it Chinese; Devanagari is Hindi.
#[must_use]
pub fn language(text: &str) -> Language {
    let end = text.char_indices().nth(SAMPLE).map_or(text.len(), |(at, _)| at);
    let sample = normalize(&text[..end]);
    let has = |letters: &str| sample.contains(|c| letters.contains(c));
    let counts = script::count(sample.chars());
    let of = |script: Script| counts[script as usize];
    let east = of(Script::Han) + of(Script::Kana);
    let most = counts.iter().copied().max().unwrap_or(0).max(east);
    let (latin, cyrillic, arabic) = (of(Script::Latin), of(Script::Cyrillic), of(Script::Arabic));
    match most {
        0 => Language::Unknown,
        n if n == latin => latin_language(&sample),
        n if n == cyrillic && has("іїєґ") => Language::Ukrainian,
        n if n == cyrillic && has("ђјљњћџ") => Language::Serbian,
        n if n == cyrillic && has_bulgarian_vowel(&sample) => Language::Bulgarian,
        n if n == cyrillic => Language::Russian,
        n if n == east && of(Script::Kana) > 0 => Language::Japanese,
        n if n == east => Language::Chinese,
        n if n == arabic && has("ٹڈڑےں") => Language::Urdu,
        n if n == arabic && has("پچژگکی") => Language::Persian,
        n if n == arabic => Language::Arabic,
        n if n == of(Script::Hangul) => Language::Korean,
        n if n == of(Script::Thai) => Language::Thai,
        n if n == of(Script::Devanagari) => Language::Hindi,
        n if n == of(Script::Greek) => Language::Greek,
        n if n == of(Script::Hebrew) => Language::Hebrew,
        _ => Language::Unknown,
    }
}

fn latin_language(sample: &str) -> Language {
    let mut best = (0, Language::English);
    for latin in LATIN.iter() {
        let words = sample.unicode_words().filter(|word| latin.words.contains(*word)).count();
        let letters = sample.chars().filter(|c| latin.letters.contains(*c)).count();
        if words + letters > best.0 {
            best = (words + letters, latin.language);
        }
    }
    best.1
}

/// In Russian `ъ` stands only before an iotated vowel (`ё` is `е` here); in Bulgarian it is a vowel.
fn has_bulgarian_vowel(sample: &str) -> bool {
    sample.chars().zip(sample.chars().skip(1)).any(|(c, next)| c == 'ъ' && !"еюя".contains(next))
}
