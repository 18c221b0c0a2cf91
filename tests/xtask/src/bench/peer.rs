//! The Python peer's own scripts, run in the same minutes as our measurement.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use super::{Time, Times};
use crate::cargo::command;
use crate::{Result, say};

/// Where the peer is.
pub(crate) struct Peer {
    /// The folder of its scripts.
    pub(crate) scripts: PathBuf,
    /// The Python that has it installed.
    pub(crate) python: PathBuf,
}

impl Peer {
    /// Times under the same names as ours, where there is something to compare.
    pub(super) fn measure(&self, quick: bool) -> Result<Times> {
        let mut times = Times::new();
        let mut take = |what: String, summary: &Value, micros: f64| {
            let at = |percent: &str| summary[percent].as_f64().map(|time| time * micros);
            let time = at("p50").zip(at("p95")).map(|(p50_us, p95_us)| Time { p50_us, p95_us });
            times.insert(what.clone(), time.ok_or_else(|| format!("the peer told no time of {what}"))?);
            Ok::<_, String>(())
        };
        let cli = self.run("cli.py", &[if quick { "3" } else { "7" }])?;
        for (what, command) in [("start/version", "version"), ("start/status", "memory_status_holographic")] {
            take(what.to_owned(), &cli["cmd"][command]["wall_ms"], 1e3)?;
        }
        let turns = self.run("turn_overhead.py", &["100", "--rounds", "3"])?;
        take("turn".to_owned(), &turns["us"]["noop"]["single_turn_us"], 1.0)?;
        for (name, vectors) in [("vectors", None), ("words", Some("--no-numpy"))] {
            for size in ["1000", "10000"] {
                let few = [size, "--search", if quick { "50" } else { "200" }, "--ops", "none"];
                // At least one of each of its other questions, which are not ours.
                let arguments: Vec<_> =
                    few.into_iter().chain(["--algebra", "1", "--contradict", "1"]).chain(vectors).collect();
                let recall = self.run("holo_query.py", &arguments)?;
                take(format!("recall/{name}/{size}"), &recall["ms"]["prefetch"]["wall"], 1e3)?;
            }
        }
        Ok(times)
    }

    /// What a script prints: one line of JSON.
    pub(super) fn run(&self, script: &str, arguments: &[&str]) -> Result<Value> {
        say(&format!("measuring the peer: {script} {}", arguments.join(" ")));
        let output = command(&self.python)
            .arg(self.scripts.join(script))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`{}`: {error}", self.python.display()))?;
        let line = String::from_utf8_lossy(&output.stdout);
        let line = line.lines().last().unwrap_or_default();
        serde_json::from_str(line).map_err(|_| {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().last().unwrap_or("nothing").to_owned();
            format!("the peer's {script} does not run, it said: {last}; its README tells what must be installed")
        })
    }
}
