//! Names where no capital shows them: by what stands before or after a name in Chinese, Japanese, Korean and Thai.

use hermes_text::{Script, script_of};

use super::names::{AFTER, BEFORE};

/// A name is not longer.
const MAX_NAME: usize = 8;

/// Whether most letters of a text are of a script that puts no spaces between words.
pub(crate) fn is_unspaced(text: &str) -> bool {
    let (mut without, mut with) = (0_usize, 0_usize);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        if matches!(script_of(c), Some(Script::Han | Script::Kana | Script::Thai)) { without += 1 } else { with += 1 }
    }
    without > with
}

/// The names in a text that a title gives away.
pub(super) fn names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if text.is_ascii() {
        return found;
    }
    for title in AFTER {
        for (at, _) in text.match_indices(title) {
            found.extend(ending_at(text, at));
        }
    }
    for title in BEFORE {
        for (at, _) in text.match_indices(title) {
            found.extend(beginning_at(text, at + title.len()));
        }
    }
    found.dedup();
    found
}

/// The run of signs of one sort before `end`: a name in Chinese characters, in kana, or a Korean word.
fn ending_at(text: &str, end: usize) -> Option<&str> {
    let before = text.get(..end)?.trim_end_matches(' ');
    let script = before.chars().next_back().and_then(script_of)?;
    if !matches!(script, Script::Han | Script::Kana | Script::Hangul) {
        return None;
    }
    let begin =
        before.char_indices().rev().take(MAX_NAME + 1).take_while(|(_, c)| script_of(*c) == Some(script)).last()?.0;
    let name = before.get(begin..)?;
    let length = name.chars().count();
    (2..=MAX_NAME).contains(&length).then_some(name)
}

/// A Thai word after a title, to the next space.
fn beginning_at(text: &str, begin: usize) -> Option<&str> {
    let rest = text.get(begin..)?;
    let thai = rest.char_indices().take(MAX_NAME * 2 + 1).take_while(|(_, c)| script_of(*c) == Some(Script::Thai));
    let end = thai.last().map_or(0, |(at, c)| at + c.len_utf8());
    let name = rest.get(..end)?;
    (2..=MAX_NAME * 2).contains(&name.chars().count()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_give_names_away() {
        assert_eq!(names("田中さんと鈴木様が来た"), ["田中", "鈴木"]);
        assert_eq!(names("王老师在家"), [""; 0], "one sign is too little");
        assert_eq!(names("欧阳老师在家"), ["欧阳"]);
        assert_eq!(names("김민수 씨가 왔다"), ["김민수"]);
        assert_eq!(names("คุณมานี มาแล้ว"), ["มานี"]);
        assert_eq!(names("Ada lives here"), [""; 0]);
    }
}
