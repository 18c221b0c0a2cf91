//! The other forms that a word may be found by: its stems in the languages that it may be of, without its accents,
//! without endings and prefixes of scripts for which there is no stemmer.
//!
//! The stem of a [`Token`] depends on the word alone, so that a name is the same in every text. What depends on the
//! language of the text, which may be guessed wrong, comes beside it: text and question meet in the stem or in one form.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::fold;
use crate::language::{Guess, Language, Languages};
use crate::light;
use crate::script::{Script, script_of};
use crate::tokens::{Token, TokenKind};
use crate::words::CLITICS;

/// The Snowball algorithms for Latin letters, but English, whose stem a token has already.
const SNOWBALL: [(Language, Algorithm); 13] = [
    (Language::German, Algorithm::German),
    (Language::French, Algorithm::French),
    (Language::Spanish, Algorithm::Spanish),
    (Language::Italian, Algorithm::Italian),
    (Language::Portuguese, Algorithm::Portuguese),
    (Language::Romanian, Algorithm::Romanian),
    (Language::Dutch, Algorithm::Dutch),
    (Language::Danish, Algorithm::Danish),
    (Language::Norwegian, Algorithm::Norwegian),
    (Language::Swedish, Algorithm::Swedish),
    (Language::Finnish, Algorithm::Finnish),
    (Language::Hungarian, Algorithm::Hungarian),
    (Language::Turkish, Algorithm::Turkish),
];

/// The stemmer of a language in Latin letters; English has none here.
pub(crate) fn stemmer(language: Language) -> Option<Stemmer> {
    SNOWBALL.iter().find(|(of, _)| *of == language).map(|(_, algorithm)| Stemmer::create(*algorithm))
}

/// Those with participles that begin with `ge`.
const GERMANIC: [Language; 2] = [Language::German, Language::Dutch];

/// Before a term whose accents were taken away. A character for private use, which FTS5 takes for a letter.
const BARE: char = '\u{E001}';

/// Before the first letters of a word, and how many these are.
const BEGINNING: char = '\u{E002}';
const FAMILY: usize = 4;

/// Makes the forms of the words of one text.
pub(crate) struct Stems {
    latin: Vec<(Language, Stemmer)>,
    english: bool,
    /// Which of these the text is likely in.
    germanic: Vec<Language>,
    arabic: Stemmer,
}

impl Stems {
    /// For a text whose Latin words are in one of these languages; all are tried when nothing speaks for any.
    pub(crate) fn for_text(guess: &Guess) -> Self {
        Self::new(
            |language| guess.languages.contains(&language),
            |language| guess.languages.is_empty() || guess.languages.contains(&language),
        )
    }

    /// For a text whose Latin words are in these languages.
    pub(crate) fn in_languages(languages: Languages) -> Self {
        Self::new(|language| languages.has(language) && !languages.are_all(), |language| languages.has(language))
    }

    /// For a question, which is shorter: all are tried when it is not sure.
    pub(crate) fn for_question(guess: &Guess) -> Self {
        Self::new(
            |language| guess.languages.contains(&language),
            |language| !guess.is_sure || guess.languages.contains(&language),
        )
    }

    fn new(likely: impl Fn(Language) -> bool, possible: impl Fn(Language) -> bool) -> Self {
        let latin = SNOWBALL.iter().filter(|(language, _)| possible(*language));
        Self {
            latin: latin.map(|(language, algorithm)| (*language, Stemmer::create(*algorithm))).collect(),
            english: possible(Language::English),
            germanic: GERMANIC.into_iter().filter(|language| likely(*language)).collect(),
            arabic: Stemmer::create(Algorithm::Arabic),
        }
    }

    /// What a word of a text is indexed by beside its stem.
    pub(crate) fn of_text(&self, token: &Token) -> Vec<String> {
        let mut forms = self.forms(token);
        let bare = bare_ones(token, &forms).map(|bare| format!("{BARE}{bare}")).collect::<Vec<_>>();
        forms.extend(bare);
        forms.extend(beginning(token));
        forms
    }

    /// What a word of a question is looked up by beside its stem.
    ///
    /// Accents that one of the two has not are no difference; different ones are, as for Vietnamese tones.
    pub(crate) fn of_question(&self, token: &Token) -> Vec<String> {
        let mut forms = self.forms(token);
        if !token.text.is_ascii() {
            let bare = bare_ones(token, &forms).collect::<Vec<_>>();
            forms.extend(bare);
        } else if is_latin(token) {
            let known = forms.clone();
            forms.extend([&token.stem].into_iter().chain(&known).map(|form| format!("{BARE}{form}")));
        }
        forms
    }

    /// The stems of a word in the languages that it may be of, none twice.
    fn forms(&self, token: &Token) -> Vec<String> {
        let mut forms = Vec::new();
        if token.kind != TokenKind::Word {
            return forms;
        }
        let mut add = |form: String| {
            if form.chars().nth(1).is_some() && form != token.stem && !forms.contains(&form) {
                forms.push(form);
            }
        };
        match token.text.chars().find_map(script_of) {
            Some(Script::Latin) => self.latin(token, &mut add),
            Some(Script::Arabic) => {
                add(fold::term(&self.arabic.stem(&token.text)));
                light::persian(&token.stem).into_iter().for_each(&mut add);
            }
            Some(Script::Hebrew) => light::hebrew(&token.stem).into_iter().for_each(&mut add),
            Some(Script::Devanagari) => light::hindi(&token.stem).into_iter().for_each(&mut add),
            _ => {}
        }
        forms
    }

    fn latin(&self, token: &Token, add: &mut impl FnMut(String)) {
        let word = match token.text.rsplit_once(['\'', '’']) {
            Some((base, clitic)) if CLITICS.contains(&clitic) => base,
            _ => &token.text,
        };
        // Digits and signs make a name of it, which has no endings.
        if !word.chars().all(char::is_alphabetic) {
            return;
        }
        for (language, stemmer) in &self.latin {
            let stem = stemmer.stem(word);
            if self.germanic.contains(language) {
                let participles = if *language == Language::Dutch { &['t', 'd'][..] } else { &['t'] };
                light::germanic(word, &stem, participles).iter().for_each(|form| add(fold::term(&stemmer.stem(form))));
            }
            add(fold::term(&stem));
            // As it is written where there are no such letters: "Mueller".
            if *language == Language::German && word.contains(['ä', 'ö', 'ü']) {
                let spelled = word.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue");
                add(fold::term(&stemmer.stem(&spelled)));
            }
        }
        if self.english {
            light::english(&token.stem).into_iter().for_each(&mut *add);
        }
    }
}

fn is_latin(token: &Token) -> bool {
    token.kind == TokenKind::Word && token.text.chars().any(|c| script_of(c) == Some(Script::Latin))
}

/// The first letters of a word: most words that have them in common are of one family ("nature", "natural").
///
/// None for words that are shorter, and for those that are found by their pairs.
pub(crate) fn beginning(token: &Token) -> Option<String> {
    let is_spaced =
        token.kind == TokenKind::Word && token.text.chars().next().and_then(script_of) != Some(Script::Hangul);
    let letters = if is_latin(token) { plain(&token.stem) } else { token.stem.clone() };
    let end = letters.char_indices().map(|(at, _)| at).chain([letters.len()]).nth(FAMILY).filter(|_| is_spaced)?;
    Some(format!("{BEGINNING}{}", letters.get(..end)?))
}

/// Whether a term is one of [`beginning`].
pub(crate) fn is_beginning(term: &str) -> bool {
    term.starts_with(BEGINNING)
}

/// The forms and the stem that have marks, without them.
fn bare_ones<'a>(token: &'a Token, forms: &'a [String]) -> impl Iterator<Item = String> {
    let is_latin = is_latin(token);
    let with_marks = [&token.stem].into_iter().chain(forms).filter(move |_| is_latin).map(|form| (form, plain(form)));
    with_marks.filter(|(form, bare)| form != &bare).map(|(_, bare)| bare)
}

/// A term without the marks on its letters: what people type who have no such keys.
pub(crate) fn plain(term: &str) -> String {
    let term = fold::term(term);
    if term.is_ascii() {
        return term;
    }
    let mut plain = String::with_capacity(term.len());
    for c in term.nfd().filter(|c| !is_combining_mark(*c)) {
        match c {
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'ø' => plain.push('o'),
            'đ' | 'ð' => plain.push('d'),
            'ł' => plain.push('l'),
            _ => plain.push(c),
        }
    }
    plain
}
