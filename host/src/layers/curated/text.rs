//! A memory file as text: entries that are separated by lines of one `§`.
//!
//! People edit these files, and other programs write them. What is read here is more than what is written: blank lines
//! and blanks around a separator, CRLF and a byte order mark are understood, and a file that is plain Markdown is taken
//! apart at its headings. Line ends and the mark are kept when the file is written again.

use super::Target;

/// What separates two entries.
pub(super) const SEPARATOR: &str = "\n§\n";
/// How many characters it has.
pub(super) const SEPARATOR_CHARS: usize = 3;
/// The largest file that is read, in bytes.
pub(super) const MOST_BYTES: u64 = 32 << 20;
const MARK: &str = "\u{feff}";

/// The entries of a file, and how it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileText {
    /// In their order, each once, with `\n` as line ends.
    pub(super) entries: Vec<String>,
    /// What was found instead of entries.
    pub(super) shape: Shape,
    /// Its lines end with CRLF.
    pub(super) crlf: bool,
    /// It begins with a byte order mark.
    pub(super) mark: bool,
}

/// How the entries were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shape {
    /// They are separated as they should be.
    #[default]
    Entries,
    /// There were no separators, and a part for each heading.
    Headings,
    /// There was neither, and the text is longer than all entries may be together.
    OneLong,
}

impl FileText {
    /// Reads the bytes of a file. `limit` is how many characters its entries should have at most.
    ///
    /// # Errors
    /// What keeps it from being text.
    pub(super) fn read(bytes: &[u8], limit: usize) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
            format!("line {line} is not UTF-8 text")
        })?;
        let mark = text.starts_with(MARK);
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let crlf = text.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r'));
        let text = line_ends(text);
        let mut entries = split(&text, |line| line.trim() == "§", false);
        let mut shape = Shape::Entries;
        if let [whole] = &*entries
            && whole.chars().count() > limit
        {
            let parts = split(whole, |line| line.starts_with('#'), true);
            shape = if parts.len() > 1 { Shape::Headings } else { Shape::OneLong };
            entries = parts;
        }
        let mut seen = std::collections::HashSet::new();
        entries.retain(|entry| seen.insert(entry.clone()));
        Ok(Self { entries, shape, crlf, mark })
    }

    /// The bytes of a file with other entries, written as this one was.
    pub(super) fn write(&self, entries: &[String]) -> Vec<u8> {
        let mut text = entries.join(SEPARATOR);
        if self.crlf {
            text = text.replace('\n', "\r\n");
        }
        if self.mark { format!("{MARK}{text}").into_bytes() } else { text.into_bytes() }
    }
}

/// How many characters these entries have in a file.
pub(super) fn chars(entries: &[String]) -> usize {
    let text: usize = entries.iter().map(|entry| entry.chars().count()).sum();
    text + entries.len().saturating_sub(1) * SEPARATOR_CHARS
}

/// The text with `\n` as its only line end.
pub(super) fn line_ends(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

/// A text as it is kept: without blanks around it, with `\n` as line ends.
pub(super) fn plain(text: &str) -> String {
    line_ends(text).trim_matches(is_blank).to_owned()
}

/// What is not kept around an entry: blanks, and the byte order mark, which at the start of a file would be taken for its
/// own.
pub(super) fn is_blank(char: char) -> bool {
    char.is_whitespace() || char == '\u{feff}'
}

/// Cuts a text at the lines of a kind, which begin the next part if they are kept. Empty parts are none.
fn split(text: &str, is_border: impl Fn(&str) -> bool, keeps: bool) -> Vec<String> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        if is_border(line) {
            parts.push(&text[start..at]);
            start = if keeps { at } else { at + line.len() };
        }
        at += line.len();
    }
    parts.push(&text[start..]);
    parts
        .into_iter()
        .map(|part| part.trim_matches(is_blank))
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// What a person is told of how a file was read, in one line.
pub(super) fn remark(target: Target, text: &FileText, limit: usize) -> Option<String> {
    let name = target.file_name();
    match text.shape {
        Shape::Entries => {
            let used = chars(&text.entries);
            (used > limit).then(|| {
                format!(
                    "`{name}` has {used} characters and may have {limit}: the agent can add nothing until it is shorter"
                )
            })
        }
        Shape::Headings => Some(format!(
            "`{name}` has no lines of `§`: it was read as {} entries, one for each heading",
            text.entries.len()
        )),
        Shape::OneLong => Some(format!(
            "`{name}` has neither lines of `§` nor headings, so it is one entry, and longer than all of them may be \
             ({limit} characters)"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &[&str], written: &[u8]) {
        let text = FileText::read(bytes, 2200).unwrap();
        assert_eq!(text.entries, expected, "{:?}", String::from_utf8_lossy(bytes));
        assert_eq!(text.write(&text.entries), written, "{:?}", String::from_utf8_lossy(bytes));
        assert_eq!(FileText::read(written, 2200).unwrap().entries, expected, "what was written is read the same");
    }

    /// A separator that only one way of writing knows makes one entry of all, and the next change takes all of it.
    #[test]
    fn entries_are_found_however_the_file_was_written() {
        check(b"", &[], b"");
        check("чай\n§\nдве\nстроки".as_bytes(), &["чай", "две\nстроки"], "чай\n§\nдве\nстроки".as_bytes());
        check("a\r\n§\r\nb\r\nc\r\n".as_bytes(), &["a", "b\nc"], "a\r\n§\r\nb\r\nc".as_bytes());
        check("\u{feff}a\n§\nb".as_bytes(), &["a", "b"], "\u{feff}a\n§\nb".as_bytes());
        check("§\na\n\n § \n\n§\nb\n§".as_bytes(), &["a", "b"], "a\n§\nb".as_bytes());
        check("a\n§\nb\n§\na".as_bytes(), &["a", "b"], "a\n§\nb".as_bytes());
        check("a\rb".as_bytes(), &["a\nb"], b"a\nb");
        check("\u{feff}\u{feff}a\n§\n\u{feff}b".as_bytes(), &["a", "b"], "\u{feff}a\n§\nb".as_bytes());
    }

    /// The sign alone is an ordinary one: a contract's `§ 12` is no separator.
    #[test]
    fn a_sign_inside_of_a_line_separates_nothing() {
        check(
            "cites § 12\n§ 13 too\n§§".as_bytes(),
            &["cites § 12\n§ 13 too\n§§"],
            "cites § 12\n§ 13 too\n§§".as_bytes(),
        );
    }

    /// Plain Markdown must not look empty, and must not pass unnoticed.
    #[test]
    fn plain_markdown_is_taken_apart_at_its_headings() {
        let long = "word ".repeat(100);
        let text = FileText::read(format!("intro\n# A\n{long}\n## B\n{long}").as_bytes(), 200).unwrap();
        assert_eq!((text.entries.len(), text.shape), (3, Shape::Headings));
        assert!(text.entries[1].starts_with("# A\nword") && text.entries[2].starts_with("## B\n"));
        assert!(remark(Target::Memory, &text, 200).unwrap().contains("3 entries, one for each heading"));
        let text = FileText::read(long.as_bytes(), 200).unwrap();
        assert_eq!((text.entries.len(), text.shape), (1, Shape::OneLong));
        let short = FileText::read(b"# A\nx\n# B\ny", 200).unwrap();
        assert_eq!((short.entries.len(), short.shape), (1, Shape::Entries));
    }

    #[test]
    fn what_is_no_text_is_named_by_its_line() {
        assert_eq!(FileText::read(b"a\nb\ncaf\xe9", 2200).unwrap_err(), "line 3 is not UTF-8 text");
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        assert_eq!(chars(&["чай".to_owned(), "🍵".to_owned()]), 3 + 3 + 1);
        assert_eq!(chars(&[]), 0);
    }
}
