//! The grammar of `.env`.
//!
//! A line is empty, a comment that begins with `#`, or `NAME=value` with an optional `export ` in front. Spaces around
//! the name and the value do not count. A value is one of
//!
//! - bare: up to the end of the line, or up to a `#` with a space before it; taken as it is, no `\` and no `$`;
//! - in single quotes: taken as it is, may go over several lines;
//! - in double quotes: may go over several lines; `\n`, `\r`, `\t`, `\\`, `\"` and `\$` are escapes, any other `\`
//!   stands for itself.
//!
//! After a quoted value only a comment may follow. The last line of a name counts. Other lines are reported and kept.

use std::ops::Range;

/// One variable.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its value.
    pub(super) value: String,
    /// Where the value stands in the text, with its quotes.
    pub(super) span: Range<usize>,
}

/// Whether this can be the name of a variable.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The variables in their order; for a line that is not understood, its number and what is wrong with it.
pub(super) fn parse(text: &str) -> impl Iterator<Item = Result<Entry<'_>, (usize, &'static str)>> {
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut number = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            number += 1;
            let line = text[at..].split('\n').next().unwrap_or_default();
            let start = at;
            at += line.len() + 1;
            let content = line.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let line = line.strip_suffix('\r').unwrap_or(line);
            let entry = match entry(text, start, line) {
                Ok(entry) => entry,
                Err(reason) => return Some(Err((number, reason))),
            };
            // A quoted value may end on a later line.
            let rest = &text[entry.span.end..];
            number += text[start..entry.span.end].matches('\n').count();
            at = entry.span.end + rest.find('\n').unwrap_or(rest.len()) + 1;
            return Some(Ok(entry));
        }
        None
    })
}

fn entry<'a>(text: &'a str, start: usize, line: &'a str) -> Result<Entry<'a>, &'static str> {
    let (left, right) = line.split_once('=').ok_or("there is no `=`")?;
    let left = left.trim();
    let name = left.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).map_or(left, str::trim);
    if !is_name(name) {
        return Err("what stands before `=` is no name");
    }
    let blank = right.len() - right.trim_start().len();
    let from = start + line.len() - right.len() + blank;
    match text[from..].chars().next() {
        Some(quote @ ('\'' | '"')) => {
            let (value, length) = quoted(&text[from + 1..], quote).ok_or("the quote is not closed")?;
            let end = from + 1 + length + 1;
            let rest = text[end..].split('\n').next().unwrap_or_default().trim();
            if !rest.is_empty() && !rest.starts_with('#') {
                return Err("there is more after the closing quote");
            }
            Ok(Entry { name, value, span: from..end })
        }
        _ => {
            let right = &right[blank..];
            let comment = right
                .match_indices('#')
                .map(|(at, _)| at)
                .find(|&at| at == 0 && blank > 0 || right[..at].ends_with([' ', '\t']));
            let value = right[..comment.unwrap_or(right.len())].trim_end();
            Ok(Entry { name, value: value.to_owned(), span: from..from + value.len() })
        }
    }
}

/// The value up to the closing quote, and how many bytes it takes in the text.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            _ if char == quote => return Some((value, at)),
            '\\' if quote == '"' => match chars.next()?.1 {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                known @ ('\\' | '"' | '$') => value.push(known),
                other => value.extend(['\\', other]),
            },
            _ => value.push(char),
        }
    }
    None
}

/// The text with the variable set: where it counts now, else at the end.
pub(super) fn set(text: &str, name: &str, value: &str) -> String {
    let value = quote(value);
    let entries = parse(text).filter_map(Result::ok).filter(|entry| entry.name == name);
    if let Some(Entry { span, .. }) = entries.last() {
        let (before, after) = (&text[..span.start], &text[span.end..]);
        // `NAME= # comment` has no blank of its own between an empty value and what follows.
        let blank = if after.starts_with('#') { " " } else { "" };
        return format!("{before}{value}{blank}{after}");
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if text.is_empty() || text == "\u{feff}" || text.ends_with('\n') { "" } else { end };
    format!("{text}{gap}{name}={value}{end}")
}

/// The shortest way to write a value.
fn quote(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,=~".contains(&byte);
    if value.bytes().all(plain) {
        return value.to_owned();
    }
    if !value.contains(['\'', '\n', '\r']) {
        return format!("'{value}'");
    }
    let mut quoted = String::from("\"");
    for char in value.chars() {
        match char {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\\' | '"' | '$' => quoted.extend(['\\', char]),
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[Result<(&str, &str), usize>]) {
        let parsed: Vec<_> = parse(text).collect();
        let parsed: Vec<_> = parsed
            .iter()
            .map(|line| line.as_ref().map(|entry| (entry.name, entry.value.as_str())).map_err(|(line, _)| *line))
            .collect();
        assert_eq!(parsed, expect, "{text:?}");
    }

    #[test]
    fn bare_values() {
        check("A=1", &[Ok(("A", "1"))]);
        check("\u{feff}# c\r\n\r\n  export  A = b c \r\nB=x#y # z\r\n", &[Ok(("A", "b c")), Ok(("B", "x#y"))]);
        check(
            "A=\nB= # empty\nC=#kept\nD=\\n$A\n",
            &[Ok(("A", "")), Ok(("B", "")), Ok(("C", "#kept")), Ok(("D", "\\n$A"))],
        );
        check("exported=1\nexport=2\nA=b=c", &[Ok(("exported", "1")), Ok(("export", "2")), Ok(("A", "b=c"))]);
        check("A=ключ 🔑", &[Ok(("A", "ключ 🔑"))]);
    }

    #[test]
    fn quoted_values() {
        check("A='a # \\n \"b\"' # c\nB=\"x\\ny\\\"\\$\\q\"", &[Ok(("A", "a # \\n \"b\"")), Ok(("B", "x\ny\"$\\q"))]);
        check(
            "A='one\ntwo\n'\n?\nB=\"three\r\nfour\"\n?",
            &[Ok(("A", "one\ntwo\n")), Err(4), Ok(("B", "three\r\nfour")), Err(7)],
        );
        check("A=''\nB=\"\"", &[Ok(("A", "")), Ok(("B", ""))]);
    }

    #[test]
    fn other_lines_are_reported_with_their_number() {
        check("what\nA='open\nB=1\n", &[Err(1), Err(2), Ok(("B", "1"))]);
        check("A='x' y\nB=\"\\\nC=2\n=3\n1D=4\nя=5", &[Err(1), Err(2), Ok(("C", "2")), Err(4), Err(5), Err(6)]);
    }

    #[track_caller]
    fn check_set(before: &str, value: &str, after: &str) {
        assert_eq!(set(before, "A", value), after);
        let found = parse(after).filter_map(Result::ok).filter(|entry| entry.name == "A").last();
        assert_eq!(found.unwrap().value, value);
    }

    #[test]
    fn setting_keeps_the_rest() {
        check_set("", "sk-1_2", "A=sk-1_2\n");
        check_set("# c\nB=1", "x", "# c\nB=1\nA=x\n");
        check_set("\u{feff}B=1\r\n", "x y", "\u{feff}B=1\r\nA='x y'\r\n");
        check_set("A=1\nodd line\nexport A = 'old' # why\nB=2\n", "new", "A=1\nodd line\nexport A = new # why\nB=2\n");
        check_set("A='a\nb'\nB=1\n", "x", "A=x\nB=1\n");
        check_set("A= # c\n", "x", "A= x # c\n");
        check_set("A=1\n", "it's \"$5\"\n\\n", "A=\"it's \\\"\\$5\\\"\\n\\\\n\"\n");
        check_set("A=1\n", "#x", "A='#x'\n");
        check_set("A=1\n", " ключ\t", "A=' ключ\t'\n");
        check_set("A=1 # c\n", "", "A= # c\n");
        check_set("A=\r\nB=1\r\n", "x", "A=x\r\nB=1\r\n");
    }
}
