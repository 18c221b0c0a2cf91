//! The rules for what an author writes into a manifest, as `const fn`s: the compiler checks them for the author, and
//! the host checks the same ones for itself, since a section need not come from this crate.
//!
//! They work on bytes and with loops, because little else runs at compile time.

/// The bytes that a word may be made of; digits belong to each.
#[derive(Clone, Copy)]
enum Class {
    Digit,
    Id,
    Setting,
    Key,
    Variable,
    Program,
    Argument,
    Host,
    Address,
    Identifier,
}

/// Whether a word is not empty and made of these bytes alone.
const fn consists_of(word: &[u8], class: Class) -> bool {
    let mut at = 0;
    while at < word.len() {
        let fits = match (class, word[at]) {
            (_, b'0'..=b'9') => true,
            (Class::Digit, _) => false,
            (Class::Id, byte) => matches!(byte, b'a'..=b'z' | b'-'),
            (Class::Key, byte) => matches!(byte, b'a'..=b'z' | b'_' | b'-'),
            (Class::Setting, byte) => matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'-'),
            (Class::Variable, byte) => matches!(byte, b'A'..=b'Z' | b'_'),
            (Class::Program, byte) => matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'-' | b'.' | b'+'),
            (Class::Argument, byte) => {
                matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'-' | b'.' | b'+' | b'=' | b':' | b'/' | b',' | b'@')
            }
            (Class::Host, byte) => matches!(byte, b'a'..=b'z' | b'-' | b'.'),
            (Class::Address, byte) => matches!(byte, b'a'..=b'f' | b'A'..=b'F' | b':' | b'.'),
            (Class::Identifier, byte) => matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'-'),
        };
        if !fits {
            return false;
        }
        at += 1;
    }
    !word.is_empty()
}

/// What follows `prefix`, if that is how the text begins.
const fn after<'a>(text: &'a [u8], prefix: &str) -> Option<&'a [u8]> {
    let prefix = prefix.as_bytes();
    if text.len() < prefix.len() {
        return None;
    }
    let (start, rest) = text.split_at(prefix.len());
    if same(start, prefix) { Some(rest) } else { None }
}

/// The text up to the first of these bytes, and the rest from there on.
const fn until<'a>(text: &'a [u8], stops: &str) -> (&'a [u8], &'a [u8]) {
    let mut at = 0;
    while at < text.len() {
        if contains(stops.as_bytes(), text[at]) {
            return text.split_at(at);
        }
        at += 1;
    }
    (text, &[])
}

const fn contains(bytes: &[u8], wanted: u8) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == wanted {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether two texts are equal: `==` does not run at compile time.
pub(crate) const fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// `holographic`, `notes-2`.
pub(crate) const fn is_plugin_id(id: &str) -> bool {
    let id = id.as_bytes();
    consists_of(id, Class::Id) && id.len() <= 64 && id[0].is_ascii_lowercase()
}

/// The key of a setting.
pub(crate) const fn is_setting(key: &str) -> bool {
    consists_of(key.as_bytes(), Class::Setting)
}

/// `https://host`, with a port perhaps, or `config:<key>`. Of an IPv6 address only the letters are looked at.
pub(crate) const fn is_http_entry(entry: &str) -> bool {
    let entry = entry.as_bytes();
    if let Some(key) = after(entry, "config:") {
        return consists_of(key, Class::Key);
    }
    let authority = match (after(entry, "https://"), after(entry, "http://")) {
        (Some(authority), _) | (None, Some(authority)) => authority,
        _ => return false,
    };
    let (host_fits, port) = match after(authority, "[") {
        Some(rest) => {
            let (address, rest) = until(rest, "]");
            let Some(port) = after(rest, "]") else { return false };
            (consists_of(address, Class::Address), port)
        }
        None => {
            let (host, port) = until(authority, ":");
            (consists_of(host, Class::Host), port)
        }
    };
    host_fits && (port.is_empty() || is_port(port))
}

const fn is_port(text: &[u8]) -> bool {
    let Some(digits) = after(text, ":") else { return false };
    if !consists_of(digits, Class::Digit) || digits.len() > 5 {
        return false;
    }
    let (mut number, mut at) = (0_u32, 0);
    while at < digits.len() {
        number = number * 10 + (digits[at] - b'0') as u32;
        at += 1;
    }
    number > 0 && number <= 65_535
}

/// The name of an environment variable.
pub(crate) const fn is_variable(name: &str) -> bool {
    let name = name.as_bytes();
    consists_of(name, Class::Variable) && !name[0].is_ascii_digit()
}

/// The bare name of a program.
pub(crate) const fn is_program(name: &str) -> bool {
    is_program_name(name.as_bytes())
}

const fn is_program_name(name: &[u8]) -> bool {
    consists_of(name, Class::Program) && !matches!(name[0], b'.' | b'-')
}

/// A program and its arguments, with single spaces.
pub(crate) const fn is_stop(line: &str) -> bool {
    let (program, mut rest) = until(line.as_bytes(), " ");
    if !is_program_name(program) {
        return false;
    }
    while !rest.is_empty() {
        let (word, more) = until(rest.split_at(1).1, " ");
        if !consists_of(word, Class::Argument) {
            return false;
        }
        rest = more;
    }
    true
}

/// `read:<key>` or `write:<key>`.
pub(crate) const fn is_file_entry(entry: &str) -> bool {
    match (after(entry.as_bytes(), "read:"), after(entry.as_bytes(), "write:")) {
        (Some(key), _) | (None, Some(key)) => consists_of(key, Class::Key),
        _ => false,
    }
}

/// `embed` or `chat`, alone or with `:config:<key>`.
pub(crate) const fn is_model_entry(entry: &str) -> bool {
    let (kind, rest) = until(entry.as_bytes(), ":");
    if !same(kind, b"embed") && !same(kind, b"chat") {
        return false;
    }
    match after(rest, ":config:") {
        Some(key) => consists_of(key, Class::Key),
        None => rest.is_empty(),
    }
}

/// Whether a variable is named like one that holds a secret.
pub(crate) const fn looks_secret(variable: &str) -> bool {
    const MARKS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"];
    let mut rest = variable.as_bytes();
    while !rest.is_empty() {
        let mut at = 0;
        while at < MARKS.len() {
            if rest.len() >= MARKS[at].len()
                && rest.split_at(MARKS[at].len()).0.eq_ignore_ascii_case(MARKS[at].as_bytes())
            {
                return true;
            }
            at += 1;
        }
        rest = rest.split_at(1).1;
    }
    false
}

/// A version in the sense of semver, in full.
pub(crate) const fn is_version(text: &str) -> bool {
    match partial(text.as_bytes()) {
        Some((parts, false, rest)) => parts == 3 && rest.is_empty(),
        _ => false,
    }
}

/// A range of versions in the sense of semver: comparators between commas, or `*`.
pub(crate) const fn is_range(text: &str) -> bool {
    let mut rest = trimmed(text.as_bytes());
    if rest.len() == 1 && is_wildcard(rest[0]) {
        return true;
    }
    loop {
        rest = trimmed(operator(rest));
        let Some((_, _, behind)) = partial(rest) else { return false };
        rest = trimmed(behind);
        if rest.is_empty() {
            return true;
        }
        let Some(next) = after(rest, ",") else { return false };
        rest = trimmed(next);
    }
}

const fn operator(text: &[u8]) -> &[u8] {
    const OPERATORS: [&str; 7] = [">=", "<=", ">", "<", "=", "~", "^"];
    let mut at = 0;
    while at < OPERATORS.len() {
        if let Some(rest) = after(text, OPERATORS[at]) {
            return rest;
        }
        at += 1;
    }
    text
}

/// The numbers of a version that has one to three of them: how many, whether one was a `*`, and what follows them and
/// their labels.
const fn partial(text: &[u8]) -> Option<(usize, bool, &[u8])> {
    let (mut parts, mut wild, mut rest) = (0, false, text);
    loop {
        if parts > 0 && !rest.is_empty() && is_wildcard(rest[0]) {
            (wild, rest) = (true, rest.split_at(1).1);
        } else if wild {
            return None;
        } else {
            let (number, behind) = until(rest, " ,.-+");
            // The largest number of semver has 20 digits, and no version has it.
            if !consists_of(number, Class::Digit) || number.len() > 19 || (number[0] == b'0' && number.len() > 1) {
                return None;
            }
            rest = behind;
        }
        parts += 1;
        match after(rest, ".") {
            Some(next) if parts < 3 => rest = next,
            Some(_) => return None,
            None => break,
        }
    }
    if parts < 3 || wild {
        return Some((parts, wild, rest));
    }
    if let Some(label) = after(rest, "-") {
        let (label, behind) = until(label, " ,+");
        if !is_label(label, true) {
            return None;
        }
        rest = behind;
    }
    if let Some(label) = after(rest, "+") {
        let (label, behind) = until(label, " ,");
        if !is_label(label, false) {
            return None;
        }
        rest = behind;
    }
    Some((parts, wild, rest))
}

/// Identifiers between dots; those before a release that are numbers have no leading zero.
const fn is_label(text: &[u8], before_release: bool) -> bool {
    let mut rest = text;
    loop {
        let (word, behind) = until(rest, ".");
        let zero = before_release && word.len() > 1 && word[0] == b'0' && consists_of(word, Class::Digit);
        if !consists_of(word, Class::Identifier) || zero {
            return false;
        }
        match after(behind, ".") {
            Some(next) => rest = next,
            None => return true,
        }
    }
}

const fn is_wildcard(byte: u8) -> bool {
    matches!(byte, b'*' | b'x' | b'X')
}

const fn trimmed(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while !rest.is_empty() && rest[0] == b' ' {
        rest = rest.split_at(1).1;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_ranges_are_those_of_semver() {
        let texts = "*|x|*.1|1|1.2|1.2.3|1.*|1.x.X|1.*.3|1.2.*|>=0.1, <2|>= 0.1,<2 |  ^1|~1.2|=1.2.3-a.1|1.2.3-01|1.2.3-0a\
                     |1.2.3+01|1.2.3-a+b|1.2-a|01|1.02|>=1,|,1|>|>>1|>=*|* , 1|1 2|1..2|1.2.3.4|v1|1.2.3-|1.2.3+|1.2.3-a..b\
                     |-1|1.é|é||=<1|99999999999999999999|1.2.3-a, 2|1.2.3 -a|1.*-a";
        for text in texts.split('|') {
            assert_eq!(is_range(text), semver::VersionReq::parse(text).is_ok(), "range {text:?}");
            assert_eq!(is_version(text), semver::Version::parse(text).is_ok(), "version {text:?}");
        }
    }

    #[test]
    fn names_of_secrets() {
        assert!(looks_secret("NOTES_API_KEY") && looks_secret("notes_token") && looks_secret("PASSWD"));
        assert!(!looks_secret("NOTES_URL") && !looks_secret("") && !looks_secret("KE"));
    }
}
