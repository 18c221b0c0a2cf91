//! Processes that are killed while they write the memory files: whatever is in the file, the provider hears of it, once.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::time::Duration;

use hermes_tests::cargo::command;
use hermes_tests::crash::home::Scene;
use hermes_tests::crash::{Dice, arrived, run_to_the_end};
use hermes_tests::fixtures;
use serde_json::json;

use crate::kills::say;

/// How many entries a process is told to add in a round.
const ENTRIES: u64 = 20;

fn rounds() -> u64 {
    std::env::var("HERMES_MEMORY_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(25)
}

#[test]
fn what_came_into_a_file_reaches_the_provider_whoever_is_killed() {
    let parts = fixtures().crash();
    let scene = Scene::new(&parts).unwrap();
    let home = scene.home();
    let hermes = |args: &[&str]| {
        let mut hermes = command(&parts.hermes);
        hermes.args(args).env("HERMES_HOME", home.root()).stdin(Stdio::null());
        hermes.stdout(Stdio::piped()).stderr(Stdio::null());
        hermes
    };
    assert!(hermes(&["config", "set", "memory.memory_char_limit", "1000000"]).status().unwrap().success());
    let seed = Dice::seed("HERMES_CRASH_SEED");
    say(&format!("HERMES_CRASH_SEED={seed}"));
    let mut dice = Dice::new(seed);
    for round in 0..rounds() {
        let mut child = hermes(&["tools", "call", "--stdin"]).stdin(Stdio::piped()).spawn().unwrap();
        let lines: String = (0..ENTRIES)
            .map(|number| {
                json!({"tool": "memory", "args": {"content": format!("r{round} n{number}.")}}).to_string() + "\n"
            })
            .collect();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        // So that most are killed while they write.
        let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..dice.below(ENTRIES) {
            let answer = answers.next().unwrap().unwrap();
            assert!(answer.contains("\"ok\":true"), "round {round}: {answer}");
        }
        std::thread::sleep(Duration::from_micros(dice.below(30_000)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let orders = json!({"home": home.root(), "life": 1, "sessions": "end", "writers": 0, "turns": 0, "drain": 120});
    run_to_the_end(&parts, &orders).unwrap();
    let text = fs::read_to_string(home.memories().join("MEMORY.md")).unwrap();
    let mut told: BTreeMap<String, u32> = BTreeMap::new();
    for write in arrived(&scene.data()).into_iter().filter(|line| line.of.what == "write" && !line.repeat) {
        *told.entry(write.of.text).or_default() += 1;
    }
    let twice: Vec<_> = told.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "told twice: {twice:?}");
    let entries: Vec<&str> = text.split("\n§\n").collect();
    let missed: Vec<_> = entries.iter().filter(|entry| !told.contains_key(**entry)).collect();
    assert!(missed.is_empty(), "in the file, and never told: {missed:?}");
    let made_up: Vec<_> = told.keys().filter(|text| !entries.contains(&text.as_str())).collect();
    assert!(made_up.is_empty(), "told, and not in the file: {made_up:?}");
    say(&format!("{} entries in {} rounds", entries.len(), rounds()));
}
