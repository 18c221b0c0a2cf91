//! A cheap guess at the language of a text.
//!
//! Good enough to choose a sentence of help or a stop list; not a language detector. The script decides
//! first, then letters only one language has, then function words.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;

use crate::data::{stop_known as known, stop_west as west};
use crate::normalize;
use crate::script::{self, Script};
use crate::stop::terms;

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
    Romanian,
    Dutch,
    Danish,
    Norwegian,
    Swedish,
    Finnish,
    Hungarian,
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

/// A language in Latin letters: its function words, and the letters that the English alphabet does not have.
struct Latin {
    language: Language,
    words: &'static [&'static str],
    letters: &'static str,
}

/// English first: it wins a tie. Bits of [`Languages`] are places here, so that a new one goes behind the others.
const LATIN: [Latin; 16] = {
    const fn latin(language: Language, words: &'static [&'static str], letters: &'static str) -> Latin {
        Latin { language, words, letters }
    }
    [
        latin(Language::English, &[west::ENGLISH, known::ENGLISH_ONLY], ""),
        latin(Language::German, &[west::GERMAN, known::GERMAN_ONLY], "äöüß"),
        latin(Language::French, &[west::FRENCH, known::FRENCH_ONLY], "àâçèéêëîïôùûœ"),
        latin(Language::Spanish, &[west::SPANISH, known::SPANISH_ONLY], "áéíóúñ¿¡"),
        latin(Language::Italian, &[west::ITALIAN, known::ITALIAN_ONLY], "àèìòù"),
        latin(Language::Portuguese, &[west::PORTUGUESE, known::PORTUGUESE_ONLY], "áâãàçéêíóôõú"),
        latin(Language::Romanian, &[known::ROMANIAN], "ăâîșțşţ"),
        latin(Language::Dutch, &[known::DUTCH], "ëï"),
        latin(Language::Danish, &[known::DANISH], "æøå"),
        latin(Language::Norwegian, &[known::NORWEGIAN], "æøå"),
        latin(Language::Swedish, &[known::SWEDISH], "åäö"),
        latin(Language::Finnish, &[known::FINNISH], "äö"),
        latin(Language::Hungarian, &[known::HUNGARIAN], "áéíóöőúüű"),
        latin(Language::Turkish, &[west::TURKISH, known::TURKISH_ONLY], "çğıöşü"),
        latin(Language::Polish, &[known::POLISH], "ąćęłńóśźż"),
        latin(Language::Vietnamese, &[known::VIETNAMESE], "ơưđăâêôãẽĩõũỹạảấầẩẫậắằẳẵặẹẻếềểễệịỉọỏốồổỗộớờởỡợụủứừửữựỳỵỷ"),
    ]
};

/// For each function word the languages that have it, as places in [`LATIN`].
static WORDS: LazyLock<HashMap<Cow<'static, str>, Vec<usize>>> = LazyLock::new(|| {
    let mut words: HashMap<Cow<'static, str>, Vec<usize>> = HashMap::new();
    for (at, latin) in LATIN.iter().enumerate() {
        // Two words of a list may be one term.
        for word in latin.words.iter().flat_map(|list| terms(list).collect::<HashSet<_>>()) {
            words.entry(word).or_default().push(at);
        }
    }
    words
});

/// What the words of a text in Latin letters may be: the likely languages, the likeliest first.
pub(crate) struct Guess {
    pub(crate) languages: Vec<Language>,
    /// Whether there is evidence enough that it is one of them and no other.
    pub(crate) is_sure: bool,
}

impl Guess {
    /// Whether a word is a function word of the likely languages (only there: see `data::stop_known`).
    pub(crate) fn is_stop_word(&self, term: &str) -> bool {
        let of = WORDS.get(term).into_iter().flatten();
        of.filter_map(|at| LATIN.get(*at)).any(|latin| self.languages.contains(&latin.language))
    }
}

/// Of how much evidence (function words, letters) a language is sure, and how far behind the best one it may be to
/// remain possible.
const ENOUGH: f64 = 1.5;
const POSSIBLE: f64 = 0.5;

/// Guesses the language of the Latin words of a text, from its first 2000 characters.
pub(crate) fn guess_latin(text: &str) -> Guess {
    let mut scores: Vec<_> = evidence(&sample(text)).scores().collect();
    scores.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let best = scores.first().map_or(0.0, |(score, _)| *score);
    let likely = scores.iter().filter(|(score, _)| *score > 0.0 && *score >= POSSIBLE * best);
    Guess { languages: likely.map(|(_, language)| *language).collect(), is_sure: best >= ENOUGH }
}

/// How much speaks for each language. What several languages share is divided among them.
fn evidence(sample: &str) -> Evidence {
    let mut evidence = Evidence::default();
    sample.unicode_words().for_each(|word| evidence.word(word));
    sample.chars().for_each(|c| evidence.letter(c));
    evidence
}

/// What speaks for the languages in Latin letters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence([f64; LATIN.len()]);

impl Evidence {
    /// Takes a word of a text into account, as it is in lower case.
    pub fn see(&mut self, word: &str) {
        self.word(word);
        if !word.is_ascii() {
            word.chars().for_each(|c| self.letter(c));
        }
    }

    /// The likely languages; all of them where nothing speaks for any.
    #[must_use]
    pub fn languages(&self) -> Languages {
        let best = self.0.iter().copied().fold(0.0, f64::max);
        let is_likely = |score: f64| if best > 0.0 { score > 0.0 && score >= POSSIBLE * best } else { true };
        Languages(self.0.iter().rev().fold(0, |all, score| all << 1 | u16::from(is_likely(*score))))
    }

    fn word(&mut self, word: &str) {
        if let Some(places) = WORDS.get(word) {
            self.add(places);
        }
    }

    fn letter(&mut self, c: char) {
        if c.is_ascii() {
            return;
        }
        let having: Vec<_> =
            (0..LATIN.len()).filter(|at| LATIN.get(*at).is_some_and(|l| l.letters.contains(c))).collect();
        if !having.is_empty() {
            self.add(&having);
        }
    }

    fn add(&mut self, places: &[usize]) {
        let share = 1.0 / f64::from(u32::try_from(places.len()).unwrap_or(u32::MAX));
        for at in places {
            if let Some(score) = self.0.get_mut(*at) {
                *score += share;
            }
        }
    }

    fn scores(self) -> impl Iterator<Item = (f64, Language)> {
        self.0.into_iter().zip(&LATIN).map(|(score, latin)| (score, latin.language))
    }
}

/// Some of the languages in Latin letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Languages(u16);

impl Languages {
    /// As bits to be kept: those of a release mean the same in all later ones.
    #[must_use]
    pub fn bits(self) -> u16 {
        self.0
    }

    /// Of such bits.
    #[must_use]
    pub fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// These and those.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Those of these that are not among others.
    #[must_use]
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// None.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Nothing speaks for any.
    pub(crate) fn are_all(self) -> bool {
        self.0 == u16::MAX
    }

    pub(crate) fn has(self, language: Language) -> bool {
        LATIN.iter().position(|latin| latin.language == language).is_some_and(|at| self.0 >> at & 1 == 1)
    }
}

fn sample(text: &str) -> String {
    let end = text.char_indices().nth(SAMPLE).map_or(text.len(), |(at, _)| at);
    normalize(text.get(..end).unwrap_or(text))
}

/// The language `text` is probably in, from its first 2000 characters.
///
/// - Latin letters: the language with most function words and letters of its own; English when there is no
///   evidence (a name, a code line). Languages not in [`Language`] come out as a neighbour or as English.
/// - Cyrillic letters: Russian, unless letters say Ukrainian (`і ї є ґ`), Serbian (`ђ ј љ њ ћ џ`) or
///   Bulgarian (`ъ` other than before `е ю я`).
/// - Arabic letters: Arabic, unless letters say Persian (`پ چ ژ گ ک ی`) or Urdu (`ٹ ڈ ڑ ے ں`); a short Persian
///   text without any of these is taken for Arabic.
/// - Han with any kana is Japanese, without it Chinese; Devanagari is Hindi.
#[must_use]
pub fn language(text: &str) -> Language {
    let sample = sample(text);
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
    let mut best = (0.0, Language::English);
    for (score, language) in evidence(sample).scores() {
        if score > best.0 {
            best = (score, language);
        }
    }
    best.1
}

/// In Russian `ъ` stands only before an iotated vowel (`ё` is `е` here); in Bulgarian it is a vowel.
fn has_bulgarian_vowel(sample: &str) -> bool {
    sample.chars().zip(sample.chars().skip(1)).any(|(c, next)| c == 'ъ' && !"еюя".contains(next))
}
