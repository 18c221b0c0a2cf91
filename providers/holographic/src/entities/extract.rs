//! Which pieces of a text are names.

use hermes_text::{Script, is_stop_word, normalize, script_of};

use crate::topics::is_topic_word;

/// Words that may stand inside a name in small letters.
const PARTICLES: [&str; 30] = [
    "van", "von", "vom", "zu", "zur", "de", "der", "den", "da", "das", "dos", "di", "du", "des", "del", "della", "la",
    "le", "el", "ten", "ter", "bin", "ibn", "ben", "al", "af", "of", "фон", "де", "ван",
];
/// Quotation marks that open, with those that close them.
const QUOTES: [(char, &str); 15] = [
    ('«', "»"),
    ('“', "”"),
    ('„', "“”"),
    ('"', "\""),
    ('「', "」"),
    ('『', "』"),
    ('《', "》"),
    ('`', "`"),
    ('»', "«"),
    ('‹', "›"),
    ('›', "‹"),
    ('‚', "‘’"),
    ('〈', "〉"),
    ('〝', "〟"),
    ('＂', "＂"),
];
/// More words than this between quotation marks are speech.
const MAX_QUOTED_WORDS: usize = 6;
const MAX_QUOTED_CHARS: usize = 100;
/// More capitalised words than this in a row are a headline or a list.
const MAX_RUN: usize = 6;

/// The names in a text, as they stand there, in order: what is in quotation marks, runs of capitalised words, handles
/// and identifiers.
///
/// A capital at the beginning of a sentence says nothing. A stop word or the word of a topic there is left out (`У Ивана`,
/// `Питомец Анны`), and of a long run with another word both the whole and the rest are taken.
pub(crate) fn names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut run: Vec<Word<'_>> = Vec::new();
    for word in words(text) {
        match word.kind(&run) {
            Kind::Capitalised => {
                if word.breaks_run {
                    end_run(text, &mut run, &mut found);
                }
                run.push(word);
            }
            Kind::Particle => run.push(word),
            Kind::Identifier => {
                end_run(text, &mut run, &mut found);
                found.push(word.text);
            }
            Kind::Plain => end_run(text, &mut run, &mut found),
        }
    }
    end_run(text, &mut run, &mut found);
    found.extend(quoted(text));
    found
}

/// A piece of text between white space and punctuation.
struct Word<'a> {
    text: &'a str,
    start: usize,
    begins_sentence: bool,
    /// Something other than one space stands before it.
    breaks_run: bool,
}

enum Kind {
    Capitalised,
    Particle,
    Identifier,
    Plain,
}

impl Word<'_> {
    fn kind(&self, run: &[Self]) -> Kind {
        if self.is_identifier() {
            return Kind::Identifier;
        }
        if self.text.starts_with(char::is_uppercase) {
            let common = self.begins_sentence && (is_stop_word(&normalize(self.text)) || is_topic_word(self.text));
            return if common { Kind::Plain } else { Kind::Capitalised };
        }
        let inside = !run.is_empty() && !self.breaks_run && PARTICLES.contains(&self.text);
        if inside { Kind::Particle } else { Kind::Plain }
    }

    /// `@handle`, `snake_case`, `path/to`, `a.b`, `camelCase`, `gpt4`, `C++`; not a number, a date or a plain word.
    fn is_identifier(&self) -> bool {
        let text = self.text;
        let body = text.trim_start_matches(['@', '#']);
        let letters = body.chars().any(|c| script_of(c).is_some_and(has_case));
        if !letters {
            return false;
        }
        let digits = body.chars().any(char::is_numeric);
        let joined = body.contains(['_', '/', '.', '@', '+', '#']);
        let hump = body.chars().zip(body.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
        body.len() < text.len() || digits || joined || hump
    }
}

fn has_case(script: Script) -> bool {
    matches!(script, Script::Latin | Script::Cyrillic | Script::Greek)
}

fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = 0;
    let mut begins_sentence = true;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(|c: char| c.is_alphanumeric() || matches!(c, '@' | '#'))?;
        let gap = &text[rest..start];
        let inside = |c: char| {
            c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '/' | '.' | '@' | '+' | '#' | '\u{301}')
        };
        let end = text[start..].find(|c| !inside(c)).map_or(text.len(), |length| start + length);
        let word = text[start..end].trim_end_matches(['.', '-', '/', '\'', '’']);
        let end = if word.is_empty() { end } else { start + word.len() };
        let sentence = begins_sentence || gap.contains(['.', '!', '?', '…', ':', '\n', '。', '—', '•']);
        begins_sentence = false;
        let breaks_run = gap != " ";
        rest = end;
        Some(Word { text: &text[start..end], start, begins_sentence: sentence, breaks_run })
    })
}

fn end_run<'a>(text: &'a str, run: &mut Vec<Word<'a>>, found: &mut Vec<&'a str>) {
    while run.last().is_some_and(|word| PARTICLES.contains(&word.text)) {
        run.pop();
    }
    if let (Some(first), Some(last)) = (run.first(), run.last())
        && run.len() <= MAX_RUN
    {
        let end = last.start + last.text.len();
        found.push(&text[first.start..end]);
        if first.begins_sentence
            && run.len() > 2
            && let Some(second) = run.get(1)
        {
            found.push(&text[second.start..end]);
        }
    }
    run.clear();
}

fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((at, open)) = rest.char_indices().find(|(_, c)| QUOTES.iter().any(|(open, _)| open == c)) {
        rest = &rest[at + open.len_utf8()..];
        let close = QUOTES.iter().find(|(quote, _)| *quote == open).map_or("", |(_, close)| close);
        // Not further than that: a text of nothing but opening marks is not searched to its end for each.
        let mut near = rest.char_indices().take(MAX_QUOTED_CHARS + 1);
        let Some((end, _)) = near.find(|(_, c)| close.contains(*c)) else { continue };
        let inner = rest[..end].trim();
        if !inner.is_empty() && inner.split_whitespace().count() <= MAX_QUOTED_WORDS {
            found.push(inner);
        }
        rest = rest[end..].trim_start_matches(|c| close.contains(c));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        assert_eq!(names(text), expect, "{text}");
    }

    #[test]
    fn capitals_make_names() {
        check("Alice Brown lives in Paris.", &["Alice Brown", "Paris"]);
        check("The favourite dish of Alice Brown is pho", &["Alice Brown"]);
        check("У Ивана Петрова есть собака", &["Ивана Петрова"]);
        check("Питомец Анны Смирновой — кот", &["Анны Смирновой"]);
        check("Коллеге Анны Смирновой 40 лет", &["Анны Смирновой"]);
        check("Соседка Анны Смирновой", &["Соседка Анны Смирновой", "Анны Смирновой"]);
        check("she read Vincent van Gogh, Bob and Ann", &["Vincent van Gogh", "Bob", "Ann"]);
        check("nothing here", &[]);
    }

    #[test]
    fn quotes_handles_and_identifiers_make_names() {
        check("работает в «Белый Парус»", &["Белый Парус", "Белый Парус"]);
        check("ask @mo about client/server", &["@mo", "client/server"]);
        check("sets max_size in gpt4 with C++", &["max_size", "gpt4", "C++"]);
        check("他喜欢《三体》", &["三体"]);
        check("in 2024 at 10/12", &[]);
        check("unclosed \"quote", &[]);
        check("liest »Der Weg« gern", &["Der Weg", "Der Weg"]);
        check("mail to a.b@c.example, see host-1.example.net", &["a.b@c.example", "host-1.example.net"]);
    }

    #[test]
    fn odd_texts_do_no_harm() {
        for text in ["", "@", "#", "...", "'''", "«»", "A.", "É", "Ǆ ǅ", "\u{301}A", "- - -", "\"\"\"\""] {
            let _ = names(text);
        }
        assert!(names(&"«".repeat(10_000)).is_empty());
    }
}
