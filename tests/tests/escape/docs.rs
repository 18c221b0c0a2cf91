//! The table in `SECURITY.md` is the one that was tried.

use std::fmt::Write as _;
use std::fs;

use hermes_tests::workspace;

use crate::ways::{self, GROUPS, Outside};

fn table() -> String {
    let mut text = String::new();
    for (heading, ways) in GROUPS {
        write!(text, "\n### {heading}\n\n| way out | what it tries | refused by | otherwise |\n|---|---|---|---|\n")
            .unwrap();
        for way in ways {
            let holders: Vec<_> = way.held_by.iter().map(|holder| holder.name()).collect();
            let outside = match way.outside {
                Outside::Open => "open",
                Outside::Rights => "open to root",
                Outside::Ends => "open: it takes the worker's place",
                Outside::Untried(reason) => &format!("not tried: {reason}"),
            };
            writeln!(text, "| `{}` | {} | {} | {outside} |", way.name, way.tries, holders.join(", ")).unwrap();
        }
    }
    text
}

#[test]
fn the_documentation_shows_the_ways_as_they_were_tried() {
    let text = fs::read_to_string(workspace().join("SECURITY.md")).unwrap();
    let begin = "<!-- the table of tests/tests/escape/ways.rs -->\n";
    let shown = text.split_once(begin).and_then(|(_, rest)| rest.split_once("\n<!-- end -->"));
    let shown = shown.unwrap_or_else(|| panic!("`SECURITY.md` has no table between its marks")).0;
    let table = table();
    assert!(shown.trim() == table.trim(), "the table in `SECURITY.md` should be:\n{table}");
    assert!(text.contains(&format!("{} ways out", ways::all().count())), "the number of ways has changed");
}
