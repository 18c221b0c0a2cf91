//! `cargo xtask bench holographic`: a store of many facts, beside the Python peer's where that is there.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::Peer;
use super::tables::{ratio, shown};
use crate::cargo::{self, Profile};
use crate::{Result, say};

/// What is measured, by the names of the program that measures, and the goals for it in milliseconds: with 10 000 facts
/// and with a million.
const OPERATIONS: [(&str, Option<(f64, f64)>); 7] = [
    ("prefetch", Some((2.0, 10.0))),
    ("search", Some((2.0, 10.0))),
    ("probe", Some((2.0, 10.0))),
    ("related", Some((2.0, 10.0))),
    ("reason", Some((2.0, 10.0))),
    ("add", Some((2.0, 2.0))),
    ("contradict", None),
];
/// With more facts the peer's vectors take minutes for one question.
const MOST_VECTORS: usize = 10_000;

pub(crate) fn run(facts: usize, runs: usize, folder: Option<&Path>, peer: &Peer) -> Result<String> {
    say("building what measures, optimised");
    let built = cargo::build_example("hermes-provider-holographic", "measure", Profile::Release)?;
    say(&format!("measuring holographic with {facts} facts"));
    let mut command = cargo::command(built);
    command.args([facts.to_string(), runs.to_string()]).args(folder);
    let output = command.output().map_err(|error| format!("the measurement: {error}"))?;
    let line = String::from_utf8_lossy(&output.stdout);
    let ours: Value = serde_json::from_str(line.trim()).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("nothing was measured: {}", said.lines().last().unwrap_or("it said nothing"))
    })?;
    let mut theirs = Vec::new();
    for (name, more) in [("words", Some("--no-numpy")), ("vectors", None)] {
        if more.is_none() && facts > MOST_VECTORS {
            say(&format!("the peer's vectors are skipped: more than {MOST_VECTORS} facts"));
            continue;
        }
        let size = facts.to_string();
        let few = [&size, "--search", "50", "--algebra", "3", "--contradict", "1", "--ops", "probe,related,reason"];
        match peer.run("holo_query.py", &few.into_iter().chain(more).collect::<Vec<_>>()) {
            Ok(measured) => theirs.push((name, measured)),
            Err(why) => {
                say(&format!("the peer is skipped: {why}"));
                break;
            }
        }
    }
    Ok(table(facts, &ours, &theirs))
}

fn table(facts: usize, ours: &Value, theirs: &[(&str, Value)]) -> String {
    let mut table = format!("{facts} facts");
    if let (Some(added), Some(seconds)) =
        (ours["added"].as_f64().filter(|added| *added > 0.0), ours["seconds"].as_f64())
    {
        let _ = write!(table, ", added in batches of a thousand: {:.0} a second", added / seconds);
    }
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let resident = &ours["resident_kib"];
    let _ = writeln!(
        table,
        "; {:.0} bytes a fact on disk; resident {:.1} MiB when opened, {:.1} MiB after the questions, {:.1} MiB at most.\n",
        number(&ours["bytes"]) / number(&ours["facts"]).max(1.0),
        number(&resident["opened"]) / 1024.0,
        number(&resident["asked"]) / 1024.0,
        number(&resident["most"]) / 1024.0,
    );
    let _ = writeln!(
        table,
        "A search looks at a bounded number of facts: it finds {:.1} % of the ten best that one without bounds finds, and \
         for {:.1} % of them a fact that is as good.\n",
        100.0 * number(&ours["recall"]["same"]),
        100.0 * number(&ours["recall"]["as_good"]),
    );
    let mut head = "| what | median | p95 | p99 | of the processor: median | p99 | goal |".to_owned();
    for (name, _) in theirs {
        let _ = write!(head, " the peer's, {name} | the peer takes |");
    }
    let columns = head.matches('|').count() - 1;
    let _ = writeln!(table, "{head}\n|{}", "---|".repeat(columns));
    for (what, goals) in OPERATIONS {
        let time = &ours["times"][what];
        let of = |clock: &str, part: &str| number(&time[clock][part]);
        let goal = goals.map_or("–".to_owned(), |(ten_thousand, million)| {
            let most = if facts <= 10_000 { ten_thousand } else { million };
            let met = if of("us", "p99") < most * 1e3 { "met" } else { "**missed**" };
            format!("p99 < {most} ms: {met}")
        });
        let _ = write!(
            table,
            "| {what} | {} | {} | {} | {} | {} | {goal} |",
            shown(of("us", "p50")),
            shown(of("us", "p95")),
            shown(of("us", "p99")),
            shown(of("cpu_us", "p50")),
            shown(of("cpu_us", "p99")),
        );
        for (_, peer) in theirs {
            let _ = match peer["ms"][what]["wall"]["p50"].as_f64() {
                Some(millis) => {
                    write!(table, " {} | **{}** |", shown(millis * 1e3), ratio(millis * 1e3, of("us", "p50")))
                }
                None => write!(table, " – | – |"),
            };
        }
        table.push('\n');
    }
    table
}
