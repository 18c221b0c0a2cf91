//! Endings and prefixes that no Snowball stemmer takes away: no more than is common and safe.

/// English endings that make a noun, adjective or verb of another word, as the English stemmer leaves them, the longest
/// first.
const ENGLISH: [&str; 24] = [
    "ization", "ation", "ator", "ition", "ship", "hood", "less", "ment", "ness", "ist", "ism", "ion", "ian", "ity",
    "ant", "ent", "ful", "ive", "al", "er", "or", "ic", "i", "e",
];

/// An English stem without what makes another sort of word of it: "swimmer" and "swim", "baker" and "bake".
pub(crate) fn english(stem: &str) -> Option<String> {
    let base = without_ending(stem, ENGLISH.iter(), 3)?;
    let mut last = base.chars().rev();
    let doubled =
        matches!((last.next(), last.next()), (Some(one), Some(other)) if one == other && !"lsz".contains(one));
    let end = if doubled { base.len() - 1 } else { base.len() };
    base.get(..end).map(str::to_owned)
}

/// What German and Dutch verbs carry before them and put behind in a sentence.
const SEPARABLE: [&str; 28] = [
    "zurück", "zuruck", "zusammen", "nieder", "nach", "fort", "fest", "heraus", "hinaus", "voor", "auf", "aus", "ein",
    "her", "hin", "los", "mit", "vor", "weg", "bei", "uit", "aan", "in", "af", "op", "ab", "an", "zu",
];
/// German and Dutch endings that make verbs and nouns of foreign words.
const FOREIGN: [&str; 17] = [
    "ierungen", "ierten", "ierter", "iertes", "iertem", "ierung", "ationen", "atoren", "ierte", "ieren", "atie",
    "ation", "eren", "eerd", "iert", "ator", "eert",
];

/// Of a German or Dutch word and its stem what makes another form of the verb of it, which its stemmer leaves: "baut" and
/// "gebaut" are of "bauen", "aufzugeben" is of "aufgeben", "protestiert" of "protestieren" and "Protest". `participles` are
/// the letters that these end in.
pub(crate) fn germanic(word: &str, stem: &str, participles: &[char]) -> Vec<String> {
    let mut found = Vec::new();
    let mut take = |verb: String| {
        let person = verb.strip_suffix(participles).map(|rest| rest.strip_suffix('e').unwrap_or(rest));
        let person = person.filter(|rest| is_long(rest, 3)).map(str::to_owned);
        found.extend(person);
        found.push(verb);
    };
    take(stem.to_owned());
    for prefix in SEPARABLE.iter().chain(&[""]) {
        let Some(rest) = stem.strip_prefix(prefix) else { continue };
        let infix = if prefix.is_empty() { &["ge"][..] } else { &["ge", "zu"] };
        if let Some(verb) = infix.iter().find_map(|infix| rest.strip_prefix(infix)).filter(|verb| is_long(verb, 3)) {
            take(format!("{prefix}{verb}"));
        }
    }
    found.extend(without_ending(word, FOREIGN.iter(), 4));
    found.retain(|form| form != stem);
    found
}

/// Hindi case, gender and number endings, the longest first (Ramanathan and Rao 2003, "A Lightweight Stemmer for
/// Hindi"), decomposed as in the text.
const HINDI: [&str; 48] = [
    "ाएंगी",
    "ाएंगे",
    "ाऊंगी",
    "ाऊंगा",
    "ाइयाँ",
    "ाइयों",
    "ाइयां",
    "ाएगी",
    "ाएगा",
    "ाओगी",
    "ाओगे",
    "एंगी",
    "ेंगी",
    "एंगे",
    "ेंगे",
    "ूंगी",
    "ूंगा",
    "ातीं",
    "नाओं",
    "नाएं",
    "ताओं",
    "ताएं",
    "ियाँ",
    "ियों",
    "ियां",
    "ाकर",
    "ाइए",
    "ाईं",
    "ाया",
    "ेगी",
    "ेगा",
    "ोगी",
    "ोगे",
    "ाने",
    "ाना",
    "ाते",
    "ाती",
    "ाता",
    "तीं",
    "ाओं",
    "ाएं",
    "ुओं",
    "ुएं",
    "ुआं",
    "कर",
    "ों",
    "ें",
    "ीं",
];
const HINDI_VOWELS: [&str; 10] = ["ना", "ने", "नी", "ता", "ते", "ती", "ा", "ी", "े", "ो"];

/// A Hindi word without its ending.
pub(crate) fn hindi(word: &str) -> Option<String> {
    without_ending(word, HINDI.iter().chain(&HINDI_VOWELS), 2)
}

/// Persian plurals, possessives, comparatives and verb endings (folded letters), the longest first.
const PERSIAN: [&str; 27] = [
    "هایشان",
    "هایمان",
    "هایتان",
    "هایی",
    "هایم",
    "هایت",
    "هایش",
    "ترین",
    "شان",
    "مان",
    "تان",
    "های",
    "ها",
    "تر",
    "ات",
    "ان",
    "اند",
    "یم",
    "ید",
    "ند",
    "ام",
    "ای",
    "م",
    "ت",
    "ش",
    "ی",
    "د",
];
const PERSIAN_PREFIXES: [&str; 3] = ["نمی", "می", "ب"];

/// A Persian word without its ending, its prefix and both.
pub(crate) fn persian(word: &str) -> Vec<String> {
    let ending = without_ending(word, PERSIAN.iter(), 3);
    let stem = |word: &str| {
        PERSIAN_PREFIXES
            .iter()
            .find_map(|prefix| word.strip_prefix(prefix))
            .filter(|rest| is_long(rest, 3))
            .map(str::to_owned)
    };
    let both = ending.as_deref().and_then(stem);
    ending.into_iter().chain(stem(word)).chain(both).collect()
}

/// A Hebrew word without an article, preposition or conjunction at its beginning.
pub(crate) fn hebrew(word: &str) -> Option<String> {
    word.strip_prefix(['ה', 'ו', 'ב', 'ל', 'כ', 'מ', 'ש']).filter(|rest| is_long(rest, 3)).map(str::to_owned)
}

fn without_ending<'a>(word: &str, mut endings: impl Iterator<Item = &'a &'static str>, least: usize) -> Option<String> {
    endings.find_map(|ending| word.strip_suffix(ending).filter(|rest| is_long(rest, least))).map(str::to_owned)
}

fn is_long(word: &str, least: usize) -> bool {
    word.chars().nth(least - 1).is_some()
}
