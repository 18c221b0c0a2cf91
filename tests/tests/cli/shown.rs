//! What came back from a command, and the parts of it that are never twice the same.

/// How a command ended and what it printed, without the path of the scene.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Exit status, stdout and stderr, as far as there is any.
    pub(crate) fn shown(&self) -> String {
        let mut shown = format!("exit {}\n", self.status);
        for (name, text) in [("out", &self.out), ("err", &self.err)] {
            if !text.is_empty() {
                shown.push_str(&format!("---- {name}\n{}", steady(text)));
            }
        }
        shown
    }
}

/// A command line taken apart as a shell does it, as far as the tests need: blanks part, quotes keep together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    for char in line.chars() {
        match (char, quote) {
            ('\'' | '"', None) => (quote, begun) = (Some(char), true),
            (_, Some(open)) if char == open => quote = None,
            (' ' | '\n', None) => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            _ => {
                word.push(char);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

/// The text with hashes, measured times and process numbers replaced.
pub(crate) fn steady(text: &str) -> String {
    text.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // In the table of the status the sixth and seventh columns are times.
    let columns: Vec<_> = line.split_whitespace().collect();
    let is_row = columns.get(1..5).is_some_and(|counts| counts.iter().copied().all(is_number));
    let times = columns.get(5..7).filter(|_| is_row).unwrap_or_default();
    let mut steady = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(from.len());
        let (token, after) = from.split_at(end);
        steady.push_str(before);
        let last = steady.split_whitespace().last().unwrap_or_default();
        let is_hash = token.len() >= 12 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash {
            steady.push_str("[hash]");
        } else if token.contains('.') && times.contains(&token) {
            steady.truncate(steady.trim_end().len());
            steady.push_str(" [ms]");
        } else if after.starts_with(" ms") && is_number(&token.replace('.', "")) {
            steady.push_str("[…]");
        } else if last == "process" && is_number(token) {
            steady.push_str("[pid]");
        } else if last.ends_with("Landlock") && is_number(token) {
            steady.push_str("[version]");
        } else {
            steady.push_str(token);
        }
        rest = after;
    }
    steady.push_str(rest);
    calendar(&ago(&steady))
}

/// Times of the calendar: `2026-01-05 09:30:00 UTC` and `2026-01-05T09:30:00Z`.
fn calendar(line: &str) -> String {
    let mut line = line.to_owned();
    for (form, end) in [("0000-00-00 00:00:00 UTC", " UTC"), ("0000-00-00T00:00:00Z", "Z")] {
        let fits = |text: &str| {
            let same = |(found, form): (u8, u8)| if form == b'0' { found.is_ascii_digit() } else { found == form };
            text.bytes().zip(form.bytes()).all(same)
        };
        let mut from = 0;
        while let Some(end) = line[from..].find(end).map(|at| from + at + end.len()) {
            from = end;
            if let Some(start) = end.checked_sub(form.len())
                && line.get(start..end).is_some_and(fits)
            {
                line.replace_range(start..end, "[time]");
                from = start;
            }
        }
    }
    line
}

/// `just now` and `3 s ago` are the same to a test.
fn ago(line: &str) -> String {
    let mut line = line.replace("just now", "[ago]");
    while let Some(at) = line.find(" s ago") {
        let start = line[..at].trim_end_matches(|c: char| c.is_ascii_digit()).len();
        line.replace_range(start..at + " s ago".len(), "[ago]");
    }
    line
}
