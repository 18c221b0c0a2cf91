//! A message as sentences that are the user's own: no code, no quotes, no questions, nothing that is to be worked on.

use hermes_text::normalize;

use super::cues::CUES;

/// Words before a point that does not end a sentence.
const ABBREVIATIONS: &str =
    "dr mr mrs ms st ste prof sr sra srta jr inc ltd vs etc mme mlle bzw ca nr dipl г ул им д стр т";
/// What may stand around quoted words. A single quotation mark is an apostrophe too.
const OPENING: [char; 7] = ['«', '“', '„', '「', '『', '《', '‹'];
const CLOSING: [char; 7] = ['»', '”', '“', '」', '』', '》', '›'];
/// How the host masks a secret, in lower case.
const MASK: &str = "[redacted";

/// A text as it is compared, with the place of each character in the original.
pub(super) struct Folded<'a> {
    pub original: &'a str,
    /// In normal form, with one form of the apostrophe, and without joiners that only shape letters.
    pub chars: Vec<(char, usize)>,
}

impl<'a> Folded<'a> {
    pub(super) fn new(original: &'a str) -> Self {
        let mut chars = Vec::with_capacity(original.len());
        for (at, c) in original.char_indices() {
            match c {
                '’' | '‘' | 'ʼ' => chars.push(('\'', at)),
                '\u{200C}' => {}
                c if c.is_whitespace() => chars.push((' ', at)),
                c if c.is_ascii() => chars.push((c.to_ascii_lowercase(), at)),
                c => chars.extend(normalize(c.encode_utf8(&mut [0; 4])).chars().map(|c| (c, at))),
            }
        }
        Self { original, chars }
    }

    /// The original between two places.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        let at = |place: usize| self.chars.get(place).map_or(self.original.len(), |(_, at)| *at);
        self.original.get(at(start)..at(end)).unwrap_or_default()
    }

    pub(super) fn get(&self, place: usize) -> Option<char> {
        self.chars.get(place).map(|(c, _)| *c)
    }
}

/// The sentences of a message in which users speak for themselves.
pub(super) fn own_sentences(message: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if CUES.is_task(message) {
        return found;
    }
    let mut fence: Option<&str> = None;
    for line in message.lines().map(str::trim) {
        let marks = ["```", "~~~"].into_iter().find(|marks| line.starts_with(marks));
        if let Some(marks) = marks.filter(|marks| fence.is_none_or(|open| open == *marks)) {
            fence = if fence.is_some() { None } else { Some(marks) };
            continue;
        }
        if fence.is_some() || line.starts_with(['>', '|', '#']) {
            continue;
        }
        let line = item(line);
        found.extend(sentences(line).into_iter().filter(|sentence| is_stated(sentence)));
        // "Translate this:" stands before what is not said by the user; "about me:" before what is.
        if line.ends_with([':', '：']) && !CUES.is_about_user(line) {
            break;
        }
    }
    found
}

/// A line of a list without its mark or number.
fn item(line: &str) -> &str {
    let line = line.trim_start_matches(['-', '*', '•', ' ']);
    let rest = line.trim_start_matches(char::is_numeric);
    match rest.strip_prefix(['.', ')']) {
        Some(text) if rest.len() < line.len() => text.trim_start(),
        _ => line,
    }
}

fn is_stated(sentence: &str) -> bool {
    let asks = sentence.contains(['?', '？', '؟', '¿']);
    let masked = sentence.to_lowercase().contains(MASK);
    !asks && !masked && !sentence.contains('`') && !CUES.is_unreal(sentence)
}

/// The sentences of a line with their marks, but those that begin within quotation marks.
fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut quoted, mut began_quoted, mut plain_quote) = (0, 0_u32, false, false);
    let mut word = String::new();
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '"' {
            plain_quote = !plain_quote;
        } else if OPENING.contains(&c) && !(CLOSING.contains(&c) && quoted > 0) {
            quoted += 1;
        } else if CLOSING.contains(&c) {
            quoted = quoted.saturating_sub(1);
        }
        let next = chars.peek().map(|(_, next)| *next);
        let ends = match c {
            '。' | '！' | '？' | ';' | '；' | '؟' => true,
            '!' | '?' | '…' => next.is_none_or(char::is_whitespace),
            '.' => next.is_none_or(char::is_whitespace) && !is_abbreviation(&word),
            _ => false,
        };
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase())
        } else if c != '\'' {
            word.clear()
        }
        if ends {
            let end = at + c.len_utf8();
            found.extend(line.get(start..end).filter(|_| !began_quoted));
            start = end;
            began_quoted = quoted > 0 || plain_quote;
        }
    }
    found.extend(line.get(start..).filter(|rest| !began_quoted && !rest.trim().is_empty()));
    found
}

/// Also the initial of a name ("J. Kim"), and an ordinal («9. März»).
fn is_abbreviation(word: &str) -> bool {
    let mut chars = word.chars();
    let single = chars.next().is_some() && chars.next().is_none();
    let ordinal = !word.is_empty() && word.chars().count() < 3 && word.chars().all(char::is_numeric);
    single || ordinal || ABBREVIATIONS.split(' ').any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: &[&str]) {
        let found: Vec<&str> = own_sentences(message).into_iter().map(str::trim).collect();
        assert_eq!(found, expected, "{message}");
    }

    #[test]
    fn code_quotes_questions_and_tasks_are_not_the_users_words() {
        check("One two. Three four!", &["One two.", "Three four!"]);
        check("```\nOne two.\n```\nThree four.", &["Three four."]);
        check("> One two.\nThree four.", &["Three four."]);
        check("One two? Three four.", &["Three four."]);
        check("Ann is “One. Two three. Four” Five.", &["Ann is “One."]);
        check("Make this shorter:\nOne two.", &["Make this shorter:"]);
        check("Some things about me:\n- One two.", &["Some things about me:", "One two."]);
        check("1. One two.\n2) Three four.", &["One two.", "Three four."]);
        check("A key is [REDACTED:token] here. One two.", &["One two."]);
        check("Dr. J. Kim is in. On 9. March too.", &["Dr. J. Kim is in.", "On 9. March too."]);
    }
}
