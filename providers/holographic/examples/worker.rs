//! Works on a store until it is done or killed, for the tests of crashes and of several processes.
//!
//! `worker FOLDER open`, `worker FOLDER add NAME COUNT` or `worker FOLDER churn SEED`; to measure,
//! `worker FOLDER bulk COUNT` adds in batches of a thousand and says how long that took. A line is printed for each thing
//! that the provider has confirmed: `open`, `add ID TEXT`, `update ID TEXT`, `merge ID OTHER`, `forget ID`.

use std::error::Error;
use std::io::Write as _;

use hermes_provider_api::records::{OpenRequest, ToolRequest};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, MemoryProvider as _};
use hermes_provider_holographic::Holographic;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [folder, task, rest @ ..] = arguments.as_slice() else { return Err("usage: worker FOLDER TASK …".into()) };
    let provider = Holographic::open(FakeHost::new(*folder).host(), OpenRequest::default())?;
    match (*task, rest) {
        ("open", []) => confirm("open"),
        ("add", [name, count]) => add(&provider, name, count.parse()?),
        ("bulk", [count]) => bulk(&provider, count.parse()?),
        ("churn", [seed]) => churn(&provider, seed),
        _ => Err("there is no such task".into()),
    }
}

fn add(provider: &Holographic, name: &str, count: u32) -> Result<(), Box<dyn Error>> {
    for number in 0..count {
        let text = format!("Process {name} stored its number {number}");
        let id = run(provider, &json!({"action": "add", "content": text}))?["fact_id"].clone();
        confirm(&format!("add {id} {text}"))?;
    }
    Ok(())
}

fn bulk(provider: &Holographic, count: usize) -> Result<(), Box<dyn Error>> {
    const PEOPLE: [&str; 8] =
        ["Ann Baker", "Bob Carter", "Chen Wei", "Dora Klein", "Emil Novak", "Farah Aziz", "Gil Torres", "Hana Sato"];
    const TASKS: [&str; 5] =
        ["works on the release of", "reviews the design of", "wrote the manual of", "tests the backup of", "prefers"];
    let fact = |number: usize| {
        let (person, task) = (PEOPLE[number % PEOPLE.len()], TASKS[number / 7 % TASKS.len()]);
        format!("{person} {task} component{number} in the city of Town{} since March", number % 997)
    };
    let began = std::time::Instant::now();
    for start in (0..count).step_by(1000) {
        let facts: Vec<String> = (start..count.min(start + 1000)).map(fact).collect();
        run(provider, &json!({"action": "add", "facts": facts}))?;
    }
    confirm(&format!("{count} facts in {:?}", began.elapsed()))
}

/// Adds, changes, merges and forgets for ever.
fn churn(provider: &Holographic, seed: &str) -> Result<(), Box<dyn Error>> {
    let mut last = Value::Null;
    for number in 0_u32.. {
        let text = format!("Courier {seed}x{number} waits at gate {number} in Harbourtown");
        let id = run(provider, &json!({"action": "add", "content": text}))?["fact_id"].clone();
        confirm(&format!("add {id} {text}"))?;
        match number % 4 {
            1 => {
                let text = format!("Courier {seed}x{number} rides to gate {number} in Riverside");
                run(provider, &json!({"action": "update", "fact_id": id, "content": text}))?;
                confirm(&format!("update {id} {text}"))?;
            }
            2 => {
                run(provider, &json!({"action": "merge", "fact_id": id, "other": last}))?;
                confirm(&format!("merge {id} {last}"))?;
            }
            3 => {
                run(provider, &json!({"action": "forget", "fact_id": last}))?;
                confirm(&format!("forget {last}"))?;
            }
            _ => {}
        }
        last = id;
    }
    Ok(())
}

fn run(provider: &Holographic, args: &Value) -> Result<Value, Box<dyn Error>> {
    let request = ToolRequest { tool: "fact_store".to_owned(), args: args.clone(), ..ToolRequest::default() };
    Ok(provider.call_tool(&request, &Call::default())?)
}

fn confirm(line: &str) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
