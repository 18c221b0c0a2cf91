//! The best part of a message: whole sentences around what was found.

use hermes_text::char_count;

/// A piece of a message as it was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// Where in it the words are that were found, in bytes.
    pub hits: Vec<(usize, usize)>,
    /// More was said before it.
    pub cut_before: bool,
    /// More was said after it.
    pub cut_after: bool,
}

/// A word that was found: where it stands, which of the query's it is, what it is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) word: usize,
    pub(super) worth: f64,
}

/// The part of a text that has most of what was found, no longer than so many characters.
pub(super) fn excerpt(text: &str, hits: &[Hit], chars: usize) -> Excerpt {
    let (start, end) = if char_count(text) <= chars { (0, text.len()) } else { window(text, hits, chars) };
    let (start, end) = trimmed(text, start, end);
    let mut marks: Vec<(usize, usize)> = Vec::new();
    let mut inside: Vec<&Hit> = hits.iter().filter(|hit| hit.start >= start && hit.end <= end).collect();
    inside.sort_by_key(|hit| (hit.start, hit.end));
    for hit in inside {
        let (from, to) = (hit.start - start, hit.end - start);
        match marks.last_mut().filter(|last| from <= last.1) {
            Some(last) => last.1 = last.1.max(to),
            None => marks.push((from, to)),
        }
    }
    let (cut_before, cut_after) = (!text[..start].trim().is_empty(), !text[end..].trim().is_empty());
    Excerpt { text: text[start..end].to_owned(), hits: marks, cut_before, cut_after }
}

/// Without the white space around it.
fn trimmed(text: &str, start: usize, end: usize) -> (usize, usize) {
    let part = &text[start..end];
    let before = part.len() - part.trim_start().len();
    (start + before, start + before.max(part.trim_end().len()))
}

fn window(text: &str, hits: &[Hit], chars: usize) -> (usize, usize) {
    let sentences = sentences(text, chars);
    let lengths: Vec<usize> = sentences.iter().map(|(start, end)| char_count(&text[*start..*end])).collect();
    let worth = |from: usize, to: usize| {
        let (start, end) = (sentences[from].0, sentences[to - 1].1);
        let mut best: Vec<(usize, f64)> =
            hits.iter().filter(|hit| hit.start >= start && hit.end <= end).map(|hit| (hit.word, hit.worth)).collect();
        best.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
        best.dedup_by_key(|(word, _)| *word);
        best.iter().map(|(_, worth)| worth).sum::<f64>()
    };
    // A long text is looked at around its hits alone.
    let with_hits = |at: &usize| hits.iter().any(|hit| hit.start < sentences[*at].1 && hit.end > sentences[*at].0);
    let (mut best, mut found) = (-1.0, (0, 1));
    for from in (0..sentences.len()).filter(with_hits).take(200) {
        let (mut to, mut length) = (from, 0);
        while to < sentences.len() && (to == from || length + lengths[to] <= chars) {
            length += lengths[to];
            to += 1;
        }
        // No more than is needed for the hits: what is left goes around them.
        let full = worth(from, to);
        while to > from + 1 && worth(from, to - 1) >= full {
            to -= 1;
        }
        if full > best {
            (best, found) = (full, (from, to));
        }
    }
    let (mut from, mut to) = found;
    let mut length: usize = lengths[from..to].iter().sum();
    loop {
        let after = lengths.get(to).is_some_and(|more| length + more <= chars);
        let before = from > 0 && length + lengths[from - 1] <= chars;
        if before && (!after || to - found.1 >= found.0 - from) {
            from -= 1;
            length += lengths[from];
        } else if after {
            length += lengths[to];
            to += 1;
        } else {
            break;
        }
    }
    (sentences[from].0, sentences[to - 1].1)
}

/// The sentences and lines of a text, each with the white space behind it, and none longer than so many characters.
fn sentences(text: &str, chars: usize) -> Vec<(usize, usize)> {
    let chars = chars.max(1);
    let (mut sentences, mut start, mut count) = (Vec::new(), 0, 0);
    // The last place where a long one may be cut.
    let mut gap = None;
    let mut all = text.char_indices().peekable();
    while let Some((at, c)) = all.next() {
        let end = at + c.len_utf8();
        count += 1;
        let next = all.peek().map(|(_, next)| *next);
        let ends = match c {
            '\n' => next.is_none_or(|next| !next.is_whitespace()),
            '。' | '！' | '？' | '।' => true,
            '.' | '!' | '?' | '…' | '؟' | '۔' => false,
            _ => c.is_whitespace() && text[start..at].trim_end().ends_with(['.', '!', '?', '…', '؟', '۔']),
        };
        if c.is_whitespace() {
            gap = Some(end);
        }
        if ends || next.is_none() {
            sentences.push((start, end));
            (start, count, gap) = (end, 0, None);
        } else if count >= chars {
            let cut = gap.unwrap_or(end);
            sentences.push((start, cut));
            (start, count, gap) = (cut, char_count(&text[cut..end]), None);
        }
    }
    if sentences.is_empty() {
        sentences.push((0, text.len()));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(text: &str, words: &[&str]) -> Vec<Hit> {
        let of = |(word, what): (usize, &&str)| {
            let starts: Vec<_> = text.match_indices(*what).map(|(start, _)| start).collect();
            let len = what.len();
            starts.into_iter().map(move |start| Hit { start, end: start + len, word, worth: 1.0 })
        };
        words.iter().enumerate().flat_map(of).collect()
    }

    #[test]
    fn whole_sentences_around_the_words_are_shown() {
        let text =
            "The first one says nothing. Then the gateway came up. It was restarted at noon! And so on? Nobody knows.";
        let found = excerpt(text, &hits(text, &["gateway", "noon"]), 60);
        assert_eq!(found.text, "Then the gateway came up. It was restarted at noon!");
        assert_eq!(
            found.hits.iter().map(|(from, to)| &found.text[*from..*to]).collect::<Vec<_>>(),
            ["gateway", "noon"]
        );
        assert!(found.cut_before && found.cut_after);
        let whole = excerpt(text, &[], 1000);
        assert_eq!((whole.text.as_str(), whole.cut_before, whole.cut_after), (text, false, false));
    }

    #[test]
    fn no_excerpt_is_longer_than_its_budget() {
        let texts = [
            "да ".repeat(2000),
            "重启".repeat(3000),
            "a".repeat(5000),
            "一二三。".repeat(900),
            "👩‍🚀\n".repeat(800),
            String::new(),
        ];
        for text in &texts {
            for chars in [1, 7, 50, 400] {
                let found = excerpt(text, &hits(text, &["да", "重", "二"]), chars);
                assert!(char_count(&found.text) <= chars, "{} of {chars}", char_count(&found.text));
            }
        }
    }
}
