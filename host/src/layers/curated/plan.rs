//! What a request makes of the entries of a file, all of it or nothing.

use serde::{Deserialize, Serialize};

use super::text::{SEPARATOR_CHARS, chars};
use super::{Checks, NotAnEntry, Operation, Refusal, id_of};

/// What really changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Change {
    /// A new entry.
    Add {
        /// Its text.
        content: String,
    },
    /// An entry has another text.
    Replace {
        /// The one before.
        previous: String,
        /// The one now.
        content: String,
    },
    /// An entry is gone.
    Remove {
        /// What it was.
        previous: String,
    },
}

/// The entries afterwards, and what changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) entries: Vec<String>,
    pub(super) changes: Vec<Change>,
    /// How many additions were there already.
    pub(super) duplicates: usize,
}

/// Checks the texts of a request. Operations keep their places.
///
/// # Errors
/// At the first text that cannot be an entry.
pub(super) fn admit(operations: &[Operation], checks: &Checks) -> Result<Vec<Operation>, Refusal> {
    let admitted = operations.iter().enumerate().map(|(at, operation)| {
        let text = |content: &String| {
            checks.admit(content).map_err(|reason| Refusal::Text { place: place(operations, at, "content"), reason })
        };
        let part = |old_text: &String| match super::text::line_ends(old_text).trim() {
            "" => Err(Refusal::Text { place: place(operations, at, "old_text"), reason: NotAnEntry::Empty }),
            part => Ok(part.to_owned()),
        };
        Ok(match operation {
            Operation::Add { content } => Operation::Add { content: text(content)? },
            Operation::Replace { old_text, content } => {
                Operation::Replace { old_text: part(old_text)?, content: text(content)? }
            }
            Operation::Remove { old_text } => Operation::Remove { old_text: part(old_text)? },
        })
    });
    admitted.collect()
}

/// Does admitted operations one after the other. Only the size at the end counts, and only if it grew.
///
/// # Errors
/// At the first operation that finds no entry, or more than one; when the entries would be too long.
pub(super) fn plan(entries: &[String], operations: &[Operation], limit: usize) -> Result<Plan, Refusal> {
    let plan = unlimited(entries, operations)?;
    let (before, after) = (chars(entries), chars(&plan.entries));
    if after > limit && after > before {
        return Err(Refusal::OverLimit {
            used: before,
            needed: after,
            limit,
            entries: entries.to_vec(),
            oldest: Vec::new(),
        });
    }
    Ok(plan)
}

/// The same for what may become longer than a file may be.
pub(super) fn unlimited(entries: &[String], operations: &[Operation]) -> Result<Plan, Refusal> {
    let mut plan = Plan { entries: entries.to_vec(), ..Plan::default() };
    for (at, operation) in operations.iter().enumerate() {
        let find = |old_text: &str, entries: &[String]| {
            find(entries, old_text).map_err(|matches| Refusal::NoEntry {
                place: place(operations, at, "old_text"),
                old_text: old_text.to_owned(),
                entries: if matches.is_empty() { entries.to_vec() } else { matches.clone() },
                ambiguous: !matches.is_empty(),
            })
        };
        match operation {
            Operation::Add { content } if plan.entries.contains(content) => plan.duplicates += 1,
            Operation::Add { content } => {
                plan.entries.push(content.clone());
                plan.changes.push(Change::Add { content: content.clone() });
            }
            Operation::Replace { old_text, content } => {
                let found = find(old_text, &plan.entries)?;
                let previous = plan.entries[found].clone();
                if previous == *content {
                    plan.duplicates += 1;
                } else if plan.entries.contains(content) {
                    plan.entries.remove(found);
                    plan.changes.push(Change::Remove { previous });
                } else {
                    plan.entries[found].clone_from(content);
                    plan.changes.push(Change::Replace { previous, content: content.clone() });
                }
            }
            Operation::Remove { old_text } => {
                let found = find(old_text, &plan.entries)?;
                plan.changes.push(Change::Remove { previous: plan.entries.remove(found) });
            }
        }
    }
    if plan.entries == entries {
        plan.changes.clear();
    }
    Ok(plan)
}

/// The one entry that holds a text; otherwise all that do. Where none has it letter by letter, one that has it in other
/// letters counts: models change blanks, quotation marks of the keyboard and capitals when they repeat.
fn find(entries: &[String], part: &str) -> Result<usize, Vec<String>> {
    let loose = |text: &str| hermes_text::normalize(text);
    let wanted = loose(part);
    let ways: [&dyn Fn(&String) -> bool; 4] = [
        &|entry| entry == part,
        &|entry| entry.contains(part),
        // What is not shown to a model is named by its id.
        &|entry| id_of(entry) == part,
        &|entry| loose(entry).contains(&wanted),
    ];
    for is_it in ways {
        let found: Vec<usize> = (0..entries.len()).filter(|&at| is_it(&entries[at])).collect();
        match *found {
            [] => {}
            [one] => return Ok(one),
            _ => return Err(found.into_iter().map(|at| entries[at].clone()).collect()),
        }
    }
    Err(Vec::new())
}

/// Where something stands in a request, as its sender wrote it.
fn place(operations: &[Operation], at: usize, field: &str) -> String {
    if operations.len() == 1 { field.to_owned() } else { format!("operations[{at}].{field}") }
}

/// What was changed between two versions of a file, in the order of the file.
pub(super) fn difference(before: &[String], after: &[String]) -> Vec<Change> {
    let gone = before.iter().filter(|entry| !after.contains(entry));
    let new = after.iter().filter(|entry| !before.contains(entry));
    let gone = gone.map(|entry| Change::Remove { previous: entry.clone() });
    gone.chain(new.map(|entry| Change::Add { content: entry.clone() })).collect()
}

/// Puts into `ours` what another writer did to `base`, from which both began: nothing that either added is lost, and
/// nothing that either took away comes back.
pub(super) fn merge(base: &[String], theirs: &[String], ours: &[String]) -> Vec<String> {
    let mut merged: Vec<String> =
        ours.iter().filter(|entry| theirs.contains(entry) || !base.contains(entry)).cloned().collect();
    for new in theirs.iter().filter(|entry| !base.contains(entry)) {
        if !merged.contains(new) {
            merged.push(new.clone());
        }
    }
    merged
}

/// How many characters adding a text takes.
pub(super) fn cost(entry: &str) -> usize {
    entry.chars().count() + SEPARATOR_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    fn add(content: &str) -> Operation {
        Operation::Add { content: content.to_owned() }
    }

    fn replace(old_text: &str, content: &str) -> Operation {
        Operation::Replace { old_text: old_text.to_owned(), content: content.to_owned() }
    }

    fn remove(old_text: &str) -> Operation {
        Operation::Remove { old_text: old_text.to_owned() }
    }

    #[track_caller]
    fn check(entries: &[&str], operations: &[Operation], expected: &[&str], changes: usize) {
        let plan = plan(&texts(entries), operations, 40).unwrap();
        assert_eq!((plan.entries, plan.changes.len()), (texts(expected), changes));
    }

    /// A duplicate that counts as a change would be told to the provider a second time.
    #[test]
    fn only_what_changes_something_is_a_change() {
        check(&["tea"], &[add("tea")], &["tea"], 0);
        check(&["tea"], &[add("tea"), add("rye")], &["tea", "rye"], 1);
        check(&["tea"], &[replace("te", "tea")], &["tea"], 0);
        check(&["tea", "rye"], &[replace("rye", "tea")], &["tea"], 1);
        check(&["tea"], &[add("rye"), remove("rye")], &["tea"], 0);
    }

    #[test]
    fn a_batch_may_free_and_add_at_once() {
        check(
            &["0123456789 a", "0123456789 b"],
            &[remove("a"), add("0123456789 cdefghijkl")],
            &["0123456789 b", "0123456789 cdefghijkl"],
            2,
        );
        let refused = plan(&texts(&["0123456789 a", "0123456789 b"]), &[add("0123456789 cdefghijkl")], 40);
        assert!(matches!(refused, Err(Refusal::OverLimit { used: 27, needed: 51, limit: 40, .. })));
        // A file that is too long already may become shorter.
        let long = texts(&["x".repeat(50).as_str(), "y"]);
        assert!(plan(&long, &[remove("y")], 40).is_ok());
        assert!(plan(&long, &[replace("y", "z")], 40).is_ok());
        assert!(plan(&long, &[replace("y", "zz")], 40).is_err());
    }

    /// A copy with other blanks and capitals is the same text to a reader.
    #[test]
    fn an_entry_is_found_by_a_part_that_no_other_has() {
        let found = |part: &str| find(&texts(&["Port 80 is open", "port 8080 is open", "Чай — «зелёный»"]), part).ok();
        assert_eq!(
            (found("Port 80"), found("8080"), found("port  80 IS"), found("ЧАЙ — «зелёный"), found("coffee")),
            (Some(0), Some(1), Some(0), Some(2), None)
        );
        assert_eq!(find(&texts(&["a b", "a c"]), "a").unwrap_err(), ["a b", "a c"]);
        assert_eq!(find(&texts(&["a", "a b"]), "a"), Ok(0), "a whole entry is meant before a part");
    }

    #[test]
    fn nothing_is_done_when_one_of_a_batch_cannot_be() {
        let refused = plan(&texts(&["tea"]), &[add("rye"), remove("coffee")], 40).unwrap_err();
        let Refusal::NoEntry { place, entries, ambiguous: false, .. } = refused else { panic!("{refused}") };
        assert_eq!((place.as_str(), entries), ("operations[1].old_text", texts(&["tea", "rye"])));
    }

    /// The last of two writers wins nothing, and what one of them deleted does not rise again.
    #[test]
    fn two_writers_are_both_heard() {
        let merged = merge(&texts(&["a", "b", "c"]), &texts(&["b", "c", "theirs"]), &texts(&["a", "b", "ours"]));
        assert_eq!(merged, texts(&["b", "ours", "theirs"]));
    }
}
