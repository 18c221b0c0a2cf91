//! Writers of one memory file that are killed at any moment, while others write and a person edits.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::kills::Dice;
use crate::scene::{Scene, files};

/// How many calls a writer makes in a round.
const CALLS: usize = 6;

/// How many rounds: `HERMES_MEMORY_ROUNDS`, else few.
fn rounds() -> u64 {
    std::env::var("HERMES_MEMORY_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(25)
}

/// A text of which a part can be told from the whole.
fn entry(name: &str) -> String {
    format!("{name} = {name}.")
}

fn is_whole(text: &str) -> bool {
    text.strip_suffix('.').and_then(|text| text.split_once(" = ")).is_some_and(|(one, other)| one == other)
}

/// What one writer is told to do, and what its entries are after each step.
struct Script {
    prefix: String,
    lines: String,
    states: Vec<BTreeSet<String>>,
}

impl Script {
    fn new(prefix: String, dice: &mut Dice) -> Self {
        let (mut lines, mut state, mut states) = (String::new(), BTreeSet::new(), vec![BTreeSet::new()]);
        for number in 0..CALLS {
            let new = entry(&format!("{prefix} n{number}"));
            let old: Option<String> = state.iter().next().cloned();
            let args = match (dice.below(4), old) {
                (0, Some(old)) => {
                    state.remove(&old);
                    json!({"action": "remove", "old_text": old})
                }
                (1, Some(old)) => {
                    state.remove(&old);
                    state.insert(new.clone());
                    json!({"action": "replace", "old_text": old, "content": new})
                }
                _ => {
                    state.insert(new.clone());
                    json!({"action": "add", "content": new})
                }
            };
            lines.push_str(&format!("{}\n", json!({"tool": "memory", "args": args})));
            states.push(state.clone());
        }
        Self { prefix, lines, states }
    }

    fn start(&self, scene: &Scene) -> Child {
        let mut child = scene.command(["tools", "call", "--stdin"]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(self.lines.as_bytes()).unwrap();
        child
    }

    /// Every call that was answered is done; the next one may be.
    fn check(&self, child: Child, is_killed: bool, entries: &[&str], round: u64) {
        let output = child.wait_with_output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let answers = out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let done = answers.inspect(|answer| assert_eq!(answer["ok"], true, "round {round}: {answer}")).count();
        assert!(is_killed || done == CALLS, "round {round}: {out}");
        let prefix = format!("{} ", self.prefix);
        let found: BTreeSet<String> =
            entries.iter().filter(|entry| entry.starts_with(&prefix)).map(|&entry| entry.to_owned()).collect();
        let may_be = &self.states[done..(done + 2).min(self.states.len())];
        assert!(may_be.contains(&found), "round {round}, after {done} answers: {found:?} is none of {may_be:?}");
    }
}

/// No entry is lost, none comes back, and none is torn.
#[test]
fn whatever_is_killed_the_entries_are_what_was_answered() {
    let mut dice = Dice::new();
    let scene = Scene::without_plugins();
    scene.does("config set memory.memory_char_limit 1000000");
    let path = scene.path("home/memories/MEMORY.md");
    for round in 0..rounds() {
        if round % 20 == 0 {
            let _ = fs::remove_dir_all(scene.path("home/memories"));
            scene.write("home/memories/MEMORY.md", entry("begun"));
        }
        let scripts = [0, 1].map(|writer| Script::new(format!("r{round} w{writer}"), &mut dice));
        let mut children = scripts.each_ref().map(|script| script.start(&scene));
        std::thread::sleep(Duration::from_millis(dice.below(60)));
        let by_hand = entry(&format!("r{round} by hand"));
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(format!("\n§\n{by_hand}").as_bytes()).unwrap();
        drop(file);
        std::thread::sleep(Duration::from_millis(dice.below(60)));
        children[0].kill().unwrap();
        let [killed, other] = children;
        let killed = (killed, &scripts[0], true);
        let other = (other, &scripts[1], false);
        // The other one ends before the file is looked at.
        let mut ended = Vec::new();
        for (mut child, script, is_killed) in [killed, other] {
            // Its answers are few enough for the pipe.
            child.wait().unwrap();
            ended.push((child, script, is_killed));
        }
        let text = fs::read_to_string(&path).unwrap();
        let entries: Vec<&str> = text.split("\n§\n").collect();
        let torn: Vec<_> = entries.iter().filter(|entry| !is_whole(entry)).collect();
        assert!(torn.is_empty(), "round {round}: torn are {torn:?}");
        for (child, script, is_killed) in ended {
            script.check(child, is_killed, &entries, round);
        }
        // Who appends without a lock to a file that is replaced at that moment finds it in the version before, which a
        // writer that is killed then leaves beside the file.
        let versions: Vec<_> = ["home/memories/.backups", "home/memories"]
            .iter()
            .flat_map(|folder| files(&scene.path(folder)))
            .filter(|path| path.is_file())
            .collect();
        let kept = || versions.iter().any(|version| fs::read_to_string(version).unwrap().contains(&by_hand));
        assert!(entries.contains(&by_hand.as_str()) || kept(), "round {round}: what was typed is lost");
    }
    // The lock is free for the next one.
    scene.does("memory add after");
}
