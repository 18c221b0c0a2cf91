//! How a word of a name sounds, roughly and alike in Latin and Cyrillic, whatever its case ending.
//!
//! Used only across alphabets and for Cyrillic, where a stemmer of common words is wrong for names: it makes «Петров»
//! (an ending of the plural, it thinks) and «Петрова» two. So it may be coarse: "Anna" and «Анну», "Yuliya" and «Юлии»,
//! «Павел» and «Павла». Within the Latin alphabet it would make Paul and Paula one.

use hermes_text::{Script, Token, TokenKind, script_of};

/// The shortest word that has a sound: below that nearly everything sounds alike.
const MIN_CHARS: usize = 3;
/// What Russian surnames, and many given names, end in before their case ending.
const SURNAMES: [&str; 3] = ["ov", "ev", "in"];
/// The case endings after it.
const CASES: [&str; 8] = ["a", "u", "e", "i", "oi", "om", "im", "ih"];

/// The sound of a word and the name of its script; none for numbers, short words and other scripts.
pub(super) fn of(token: &Token) -> Option<(String, &'static str)> {
    let word = token.text.split(['\'', '’']).next().unwrap_or_default();
    if token.kind != TokenKind::Word || word.chars().count() < MIN_CHARS {
        return None;
    }
    match word.chars().find_map(script_of)? {
        Script::Latin => Some((base(&alike(word)), "latin")),
        Script::Cyrillic => Some((base(&alike(&romanised(word))), "cyrillic")),
        _ => None,
    }
}

/// Without its case ending.
fn base(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup();
    let word: String = letters.iter().collect();
    for case in [""].iter().chain(&CASES) {
        if let Some(name) = word.strip_suffix(case)
            && SURNAMES.iter().any(|ending| name.ends_with(ending))
            && name.len() > 3
        {
            return name.to_owned();
        }
    }
    let adjective = ["ogo", "ego", "omu", "emu"].iter().find_map(|ending| word.strip_suffix(ending));
    let mut letters: Vec<char> = adjective.filter(|rest| rest.len() > 3).unwrap_or(&word).chars().collect();
    // `-om`, `-em`, `-im` may be an ending or the end of the name: they go until the name looks the same either way.
    loop {
        match letters.as_slice() {
            [.., vowel, 'm'] if letters.len() > 4 && is_vowel(*vowel) => letters.pop(),
            [.., vowel] if letters.len() > 2 && is_vowel(*vowel) => letters.pop(),
            _ => break,
        };
    }
    // Russian drops a vowel between the last two consonants when an ending follows.
    if let [.., before, 'e' | 'o', last] = letters.as_slice()
        && letters.len() > 3
        && !is_vowel(*before)
        && !is_vowel(*last)
    {
        letters.remove(letters.len() - 2);
    }
    letters.into_iter().collect()
}

fn romanised(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        out.push_str(match c {
            'а' => "a",
            'б' => "b",
            'в' => "v",
            'г' | 'ґ' => "g",
            'д' => "d",
            'е' | 'ё' | 'э' | 'є' => "e",
            'ж' => "zh",
            'з' => "z",
            'и' | 'й' | 'ы' | 'і' => "i",
            'ї' => "ii",
            'к' => "k",
            'л' => "l",
            'м' => "m",
            'н' => "n",
            'о' => "o",
            'п' => "p",
            'р' => "r",
            'с' => "s",
            'т' => "t",
            'у' | 'ў' => "u",
            'ф' => "f",
            'х' => "h",
            'ц' => "ts",
            'ч' => "ch",
            'ш' | 'щ' => "sh",
            'ю' => "iu",
            'я' => "ia",
            _ => "",
        });
    }
    out
}

/// One spelling for what is romanised in several ways.
fn alike(word: &str) -> String {
    let pairs = [
        ("shch", "sh"),
        ("sch", "sh"),
        ("tch", "ch"),
        ("kh", "h"),
        ("tz", "ts"),
        ("ph", "f"),
        ("ck", "k"),
        ("x", "ks"),
        ("yo", "e"),
        ("ye", "e"),
        ("je", "e"),
        ("w", "v"),
        ("y", "i"),
        ("j", "i"),
    ];
    pairs.iter().fold(word.to_owned(), |word, (from, to)| word.replace(from, to))
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, alike: bool) {
        let sound = |word| hermes_text::tokens(word).first().and_then(of).map(|(sound, _)| sound);
        assert_eq!(sound(one) == sound(other), alike, "{one} {:?}, {other} {:?}", sound(one), sound(other));
    }

    #[test]
    fn names_sound_alike_in_both_alphabets() {
        check("Anna", "Анны", true);
        check("Smirnova", "Смирновой", true);
        check("Yuliya", "Юлии", true);
        check("Sergey", "Сергею", true);
        check("Alexey", "Алексей", true);
        check("Dmitriy", "Дмитрия", true);
        check("Fyodorova", "Фёдоровой", true);
        check("Павел", "Павла", true);
        check("Петров", "Петровым", true);
        check("Ivan", "Ивану", true);
        check("Nikolay", "Николаем", true);
        check("Максим", "Максима", true);
        check("Достоевский", "Достоевского", true);
        check("Zaytsev", "Зайцеву", true);
        check("Anna", "Иван", false);
        check("Petrov", "Павлов", false);
    }
}
