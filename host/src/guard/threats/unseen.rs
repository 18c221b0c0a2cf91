//! Characters that carry a text which nobody sees, or show another than there is.
//!
//! Many scripts need characters without width: ZWNJ and ZWJ in Persian, Kurdish and the Indic scripts and in emoji, ZWSP
//! in Thai and Khmer, marks of direction in mixed text, variation selectors, tags in flags. They are found only where no
//! script has them.

use std::ops::Range;

use memchr::{memchr3_iter, memmem};

use super::{Family, Scope};

/// So many characters without width in a row say something by themselves.
const ROW: usize = 6;
/// So many words that are broken by characters without width are no accident.
const BROKEN: usize = 3;
/// The longest tag sequence of a flag.
const FLAG: usize = 7;

/// What was found: its name and the bytes in the text.
pub(super) struct Unseen {
    pub(super) name: &'static str,
    pub(super) at: Range<usize>,
}

impl Unseen {
    pub(super) const FAMILY: Family = Family::Smuggling;
}

/// What a text has of them, by the measure of a scope.
pub(super) fn find(text: &str, scope: Scope) -> Vec<Unseen> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    if !may_have_any(bytes) {
        return found;
    }
    let mut walk = Walk::default();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x80 {
            walk.seen(char::from(byte), at, &mut found);
            at += 1;
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        match sort(c) {
            Sort::Seen => walk.seen(c, at, &mut found),
            sort => walk.unseen(c, sort, at..at + c.len_utf8(), &mut found),
        }
        at += c.len_utf8();
    }
    walk.seen('\n', at, &mut found);
    if scope >= Scope::Strict {
        if walk.broken.len() >= BROKEN {
            found.push(Unseen { name: "broken_words", at: walk.broken[0]..walk.broken[walk.broken.len() - 1] });
        }
        if let Some(at) = walk.left_open {
            found.push(Unseen { name: "open_isolate", at });
        }
    }
    found
}

/// Whether one of them may be in a text, by their first bytes: most texts have none, and without one there is nothing to
/// find.
fn may_have_any(text: &[u8]) -> bool {
    let next = |at: usize, by: usize| text.get(at + by).copied().unwrap_or_default();
    memchr3_iter(0xE2, 0xEF, 0xF3, text).any(|at| match text[at] {
        0xE2 => next(at, 1) == 0x81 || next(at, 1) == 0x80 && matches!(next(at, 2), 0x8B..=0x8D | 0xAD | 0xAE),
        0xEF => matches!(next(at, 1), 0xB8 | 0xBB | 0xBF),
        _ => true,
    }) || memmem::find(text, "\u{180E}".as_bytes()).is_some()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Seen,
    /// Without width: joiners, spaces, invisible operators.
    Narrow,
    Selector,
    Tag,
    Override,
    IsolateStart,
    IsolateEnd,
    /// Of no use in any text.
    Obsolete,
}

fn sort(c: char) -> Sort {
    match c {
        '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{180E}' => Sort::Narrow,
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => Sort::Selector,
        '\u{E0000}'..='\u{E007F}' => Sort::Tag,
        '\u{202D}' | '\u{202E}' => Sort::Override,
        '\u{2066}'..='\u{2068}' => Sort::IsolateStart,
        '\u{2069}' => Sort::IsolateEnd,
        '\u{206A}'..='\u{206F}' | '\u{FFF9}'..='\u{FFFB}' => Sort::Obsolete,
        _ => Sort::Seen,
    }
}

#[derive(Default)]
struct Walk {
    /// The last character that is seen, and whether a narrow one stands behind it.
    last: Option<char>,
    narrow_behind: bool,
    /// The row of the same sort that ends here.
    row: Option<(Sort, Range<usize>, usize)>,
    ends_flag: bool,
    broken: Vec<usize>,
    isolates: usize,
    open_isolate: Option<Range<usize>>,
    /// The first that its line left open.
    left_open: Option<Range<usize>>,
}

impl Walk {
    fn seen(&mut self, c: char, at: usize, found: &mut Vec<Unseen>) {
        self.end_row(found);
        if self.narrow_behind && self.last.is_some_and(is_whole) && is_whole(c) {
            self.broken.push(at);
        }
        if c == '\n' {
            // A line ends what was begun in it (UAX #9, X8): nothing on the next closes it.
            self.isolates = 0;
            let open = self.open_isolate.take();
            self.left_open = self.left_open.take().or(open);
        }
        self.last = Some(c);
        self.narrow_behind = false;
    }

    fn unseen(&mut self, c: char, sort: Sort, at: Range<usize>, found: &mut Vec<Unseen>) {
        match sort {
            Sort::Narrow => self.narrow_behind = true,
            Sort::Override => found.push(Unseen { name: "direction_override", at: at.clone() }),
            Sort::Obsolete => found.push(Unseen { name: "obsolete_controls", at: at.clone() }),
            Sort::IsolateStart => {
                self.isolates += 1;
                self.open_isolate = Some(at.clone());
            }
            Sort::IsolateEnd => {
                self.isolates = self.isolates.saturating_sub(1);
                if self.isolates == 0 {
                    self.open_isolate = None;
                }
            }
            _ => {}
        }
        match &mut self.row {
            Some((of, row, count)) if *of == sort => {
                row.end = at.end;
                *count += 1;
            }
            _ => {
                self.end_row(found);
                self.row = Some((sort, at, 1));
            }
        }
        self.ends_flag = c == '\u{E007F}';
    }

    fn end_row(&mut self, found: &mut Vec<Unseen>) {
        let Some((sort, at, count)) = self.row.take() else { return };
        let before = self.last.unwrap_or('\n');
        let name = match sort {
            Sort::Narrow if count >= ROW => "invisible_characters",
            // One selector chooses the look of the character before it; letters of ASCII have but one.
            Sort::Selector if count > 1 || before.is_ascii_alphabetic() => "variation_selectors",
            Sort::Tag if before != '\u{1F3F4}' || count > FLAG || !self.ends_flag => "tag_characters",
            _ => return,
        };
        found.push(Unseen { name, at });
    }
}

/// Whether no character without width stands between two of these.
fn is_whole(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' | '\u{370}'..='\u{52F}' | '\u{4E00}'..='\u{9FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<_> = find(text, Scope::Strict).into_iter().map(|found| found.name).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn no_character_of_a_sort_is_passed_over() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|c| sort(*c) != Sort::Seen) {
            assert!(may_have_any(format!("ж {c}.").as_bytes()), "{c:?}");
        }
        assert!(!may_have_any("plain — „ж“, 好。 ประชุม 👩".as_bytes()));
    }

    #[test]
    fn what_scripts_need_is_left() {
        for text in [
            "می\u{200C}خواهم خانه\u{200C}ها",
            "क्\u{200D}ष र्\u{200D}ह श्\u{200C}र",
            "👩\u{200D}👩\u{200D}👧 ❤\u{FE0F} 1\u{FE0F}\u{20E3}",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "ประชุม\u{200B}วันจันทร์",
            "\u{200F}נמצא ב-staging\u{200F} \u{2068}Nora\u{2069}",
            "co\u{AD}op\u{AD}er\u{AD}a\u{AD}tion",
            "\u{FEFF}text a\u{200B}b",
            "葛\u{E0100}飾区 辻\u{FE00}",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn what_no_script_needs_is_found() {
        check("a\u{E0069}\u{E0067}b", &["tag_characters"]);
        check("🏴\u{E0069}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}\u{E0020}\u{E007F}", &["tag_characters"]);
        check("😀\u{FE01}\u{E0110}", &["variation_selectors"]);
        check("a\u{FE01}", &["variation_selectors"]);
        check("a\u{200B}\u{200C}\u{200B}\u{200B}\u{200C}\u{200B}", &["invisible_characters"]);
        check("photo_\u{202E}gnp.exe", &["direction_override"]);
        check("i\u{200B}g\u{2060}n\u{200D}ore", &["broken_words"]);
        check("a \u{2066}// b", &["open_isolate"]);
        check("a \u{2066}// b\n\u{2066}c\u{2069}", &["open_isolate"]);
        check("a \u{2066}// b\n\u{2069}c", &["open_isolate"]);
        check("a\u{206A}b", &["obsolete_controls"]);
    }
}
