//! Finds the fences of memory blocks, also in a text of which not all is there yet.

use std::ops::Range;

use super::letters::{LONGEST, Letter, is_invisible, is_opening, letter};

/// What is left of the name in a fence without its dash.
const NAME: [char; 13] = ['m', 'e', 'm', 'o', 'r', 'y', 'c', 'o', 'n', 't', 'e', 'x', 't'];
/// The most bytes between the name in a fence and its `>`.
const ATTRIBUTES: usize = 200;

pub(super) struct Fence {
    pub(super) at: Range<usize>,
    pub(super) closes: bool,
}

/// The next fence at or after `from` that is wanted.
pub(super) fn next_fence(text: &str, from: usize, wanted: fn(&Fence) -> bool) -> Option<Fence> {
    let mut finder = Finder::from(from);
    loop {
        let fence = finder.next(text, true)?;
        if wanted(&fence) {
            return Some(fence);
        }
    }
}

/// How far a text has been looked through. Linear however the text comes: what is looked at after a `<` never holds
/// another, and nothing is looked at twice but that.
#[derive(Debug, Default)]
pub(super) struct Finder {
    at: usize,
    begun: Option<Begun>,
}

/// A fence of which the beginning is there.
#[derive(Debug)]
struct Begun {
    start: usize,
    /// Behind its `<`.
    inside: usize,
    next: usize,
    letters: usize,
    /// Behind the last letter of the name.
    end: usize,
    closes: bool,
}

enum Step {
    More,
    None,
    Found(Fence),
}

impl Finder {
    pub(super) fn from(at: usize) -> Self {
        Self { at, begun: None }
    }

    /// From this byte on, what comes may still make a fence of what is there.
    pub(super) fn settled(&self) -> usize {
        self.begun.as_ref().map_or(self.at, |begun| begun.start)
    }

    /// So many bytes, which were settled, are gone from the beginning of the text.
    pub(super) fn shift(&mut self, bytes: usize) {
        self.at = self.at.saturating_sub(bytes);
        if let Some(begun) = &mut self.begun {
            for place in [&mut begun.start, &mut begun.inside, &mut begun.next, &mut begun.end] {
                *place -= bytes;
            }
        }
    }

    /// The next fence; None when there is none in what is there. `is_whole` says that nothing comes after it.
    pub(super) fn next(&mut self, text: &str, is_whole: bool) -> Option<Fence> {
        loop {
            if self.begun.is_none() {
                self.begun = Some(self.begin(text, is_whole)?);
            }
            let begun = self.begun.as_mut()?;
            match begun.go_on(text, is_whole) {
                Step::More => return None,
                Step::None => self.at = begun.inside,
                Step::Found(fence) => {
                    *self = Self::from(fence.at.end);
                    return Some(fence);
                }
            }
            self.begun = None;
        }
    }

    /// The next `<`, however it is written.
    fn begin(&mut self, text: &str, is_whole: bool) -> Option<Begun> {
        loop {
            let Some(found) = may_open(&text.as_bytes()[self.at..]) else {
                self.at = text.len();
                return None;
            };
            self.at += found;
            let c = text[self.at..].chars().next()?;
            if !c.is_ascii() && !is_opening(c) {
                self.at += c.len_utf8();
                continue;
            }
            let Letter { plain, at } = sure_letter(text, self.at, is_whole)?;
            if plain == '<' {
                return Some(Begun {
                    start: at.start,
                    inside: at.end,
                    next: at.end,
                    letters: 0,
                    end: at.end,
                    closes: false,
                });
            }
            self.at = at.end;
        }
    }
}

/// The first byte that a `<` may begin with, however it is written: nearly every character is passed over here.
fn may_open(text: &[u8]) -> Option<usize> {
    /// So many are looked at together.
    const MANY: usize = 32;
    // The others begin the characters that look like one.
    let may_open = |byte: u8| {
        matches!(byte, b'<' | b'&') | (byte == b'\\') | (byte == b'%') | matches!(byte, 0xCB | 0xE1..=0xE3 | 0xEF)
    };
    let many = text.chunks_exact(MANY).take_while(|many| !many.iter().fold(false, |any, byte| any | may_open(*byte)));
    let passed = many.count() * MANY;
    Some(passed + text[passed..].iter().position(|byte| may_open(*byte))?)
}

impl Begun {
    /// Case, spaces, invisible characters and the sort of dash do not matter.
    fn go_on(&mut self, text: &str, is_whole: bool) -> Step {
        while let Some(&wanted) = NAME.get(self.letters) {
            let Some(found) = sure_letter(text, self.next, is_whole) else {
                return if is_whole { Step::None } else { Step::More };
            };
            self.next = found.at.end;
            match found.plain {
                c if c == wanted => (self.letters, self.end) = (self.letters + 1, self.next),
                '/' => self.closes = true,
                '-' | '_' => {}
                c if c.is_whitespace() || is_invisible(c) => {}
                _ => return Step::None,
            }
        }
        // Up to the `>`, if there is one near.
        while self.next < self.end + ATTRIBUTES {
            let Some(found) = sure_letter(text, self.next, is_whole) else {
                if is_whole {
                    break;
                }
                return Step::More;
            };
            self.next = found.at.end;
            match found.plain {
                '>' => return Step::Found(Fence { at: self.start..self.next, closes: self.closes }),
                '<' | '\n' => break,
                _ => {}
            }
        }
        Step::Found(Fence { at: self.start..self.end, closes: self.closes })
    }
}

/// The letter at a byte, if it would be the same whatever came behind the text.
fn sure_letter(text: &str, at: usize, is_whole: bool) -> Option<Letter> {
    let bytes = &text.as_bytes()[at..];
    let may_grow = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b';' | b'{' | b'}');
    let is_escape = matches!(bytes.first(), Some(b'&' | b'\\' | b'%'));
    if is_escape && !is_whole && bytes.len() < LONGEST && bytes[1..].iter().all(may_grow) {
        return None;
    }
    letter(text, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_opening_is_passed_over() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|c| is_opening(*c)) {
            assert_eq!(may_open(c.encode_utf8(&mut [0; 4]).as_bytes()), Some(0), "{c:?}");
        }
    }
}
