//! Measures a store of many facts, for `cargo xtask bench holographic`: how fast facts come in, what each question
//! takes, how large the file and the process get. `measure FACTS [RUNS [FOLDER [NUMBERS [NAME]]]]` prints one line of
//! JSON; a folder that has the facts already is asked as it is. With NUMBERS every fact gets a vector of so many numbers,
//! and what a search by meaning takes is measured too. With a NAME only the operation of that name is run, for a profile.
//!
//! Beside the time on the clock stands the time of the processor, which a busy machine leaves alone.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use hermes_provider_api::host::Embeddings;
use hermes_provider_api::records::{OpenRequest, PrefetchQuery, ToolRequest};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, MemoryProvider as _};
use hermes_provider_holographic::Holographic;
use rusqlite::Connection;
use serde_json::{Value, json};

#[path = "../benches/people.rs"]
mod people;

/// So many facts come in one call.
const BATCH: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count: usize = arguments.first().ok_or("usage: measure FACTS [RUNS [FOLDER [NUMBERS [NAME]]]]")?.parse()?;
    let runs: usize = arguments.get(1).map_or(Ok(200), |runs| runs.parse())?;
    let own = tempfile::Builder::new().prefix("hermes-measure-").tempdir()?;
    let folder = arguments.get(2).map_or(own.path(), Path::new);
    let open = || Holographic::open(FakeHost::new(folder).host(), OpenRequest::default());

    let filler = open()?;
    let began = Instant::now();
    let known = usize::try_from(
        tool(&filler, json!({"action": "list", "limit": 1}))?["results"][0]["fact_id"].as_u64().unwrap_or(0),
    )?;
    for start in (known..count).step_by(BATCH) {
        let facts: Vec<String> = (start..count.min(start + BATCH)).map(people::fact).collect();
        tool(&filler, json!({"action": "add", "facts": facts}))?;
    }
    let filled = began.elapsed().as_secs_f64();
    drop(filler);
    let size: u64 =
        fs::read_dir(folder)?.flatten().filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum();

    let provider = open()?;
    let before = status("VmRSS:");
    let mut times = serde_json::Map::new();
    let only = arguments.get(4);
    let mut take =
        |name: &str, runs: usize, ask: &dyn Fn(usize) -> Result<(), Box<dyn Error>>| -> Result<(), Box<dyn Error>> {
            if only.is_none_or(|only| only == name) {
                times.insert(name.to_owned(), measured(runs, ask)?);
            }
            Ok(())
        };
    let who = |at: usize| people::person(at * 13 % (count / 10).max(1));
    take("prefetch", runs, &|at| {
        let query = PrefetchQuery { query: people::question(at), limit: 5, ..PrefetchQuery::default() };
        provider.prefetch(&query, &Call::default())?;
        Ok(())
    })?;
    let ask = |args: Value| tool(&provider, args).map(drop);
    take("search", runs, &|at| ask(json!({"action": "search", "query": people::question(at)})))?;
    take("probe", runs, &|at| ask(json!({"action": "probe", "entity": who(at)})))?;
    take("related", runs, &|at| ask(json!({"action": "related", "entity": who(at)})))?;
    take("reason", runs, &|at| ask(json!({"action": "reason", "entities": [who(at), who(at + 1)]})))?;
    let asked = status("VmHWM:");
    let questions = if only.is_none() { runs.min(50) } else { 0 };
    let [same, as_good] = provider.recall_within_bounds(&(0..questions).map(people::question).collect::<Vec<_>>())?;
    take("add", runs, &|at| ask(json!({"action": "add", "content": people::fact(known.max(count) + at)})))?;
    take("contradict", 3, &|_| ask(json!({"action": "contradict"})))?;
    drop(provider);
    let numbers = arguments.get(3).map_or(Ok(0), |numbers| numbers.parse())?;
    if numbers > 0 {
        let meaning = by_meaning(folder, numbers, runs)?;
        times.insert("meaning".to_owned(), meaning);
    }
    let line = json!({
        "facts": count, "added": count - known.min(count), "seconds": filled, "bytes": size, "times": times, "recall": {"same": same, "as_good": as_good},
        "resident_kib": {"opened": before, "asked": asked, "most": status("VmHWM:")},
    });
    #[expect(clippy::print_stdout, reason = "what was measured")]
    {
        println!("{line}");
    }
    Ok(())
}

/// What a search takes beside vectors of so many numbers, which are chance: how near they are does not matter here.
fn by_meaning(folder: &Path, numbers: usize, runs: usize) -> Result<Value, Box<dyn Error>> {
    let mut chance = 7_u64;
    let mut bytes = move |count: usize| -> Vec<u8> {
        let next = |_| {
            // The constants of Knuth's MMIX.
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            chance.to_be_bytes()[0]
        };
        (0..count).map(next).collect()
    };
    let mut vector = |count: usize| [&0.001_f32.to_le_bytes()[..], &bytes(count)].concat();
    let mut db = Connection::open(folder.join("facts.db"))?;
    let tx = db.transaction()?;
    let probes: Vec<u8> = (0..20).flat_map(|_| vector(numbers)).collect();
    tx.execute(
        "INSERT OR REPLACE INTO semantic_models (model_id, name, dimensions, probes) VALUES (1, 'fake-embeddings', ?1, ?2)",
        (i64::try_from(numbers)?, probes),
    )?;
    let mut facts = tx.prepare("SELECT fact_id, digest FROM facts")?;
    let mut keep = tx.prepare("INSERT OR REPLACE INTO semantic_vectors VALUES (?1, 1, ?2, ?3)")?;
    let mut rows = facts.query(())?;
    while let Some(row) = rows.next()? {
        keep.execute((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, vector(numbers)))?;
    }
    drop(rows);
    drop((facts, keep));
    tx.commit()?;
    drop(db);
    let host = FakeHost::new(folder).with_config(json!({"semantic": "on"})).with_embeddings(move |request| {
        let vectors =
            request.texts.iter().map(|text| (0..numbers).map(|at| ((text.len() * at) as f32).sin()).collect());
        Ok(Embeddings { model: "fake-embeddings".to_owned(), vectors: vectors.collect() })
    });
    let provider = Holographic::open(host.host(), OpenRequest::default())?;
    measured(runs, &|at| tool(&provider, json!({"action": "search", "query": people::question(at)})).map(drop))
}

fn tool(provider: &Holographic, args: Value) -> Result<Value, Box<dyn Error>> {
    let request = ToolRequest { tool: "fact_store".to_owned(), args, ..ToolRequest::default() };
    Ok(provider.call_tool(&request, &Call::default())?)
}

/// Times in microseconds, the first few runs not counted.
fn measured(runs: usize, ask: &dyn Fn(usize) -> Result<(), Box<dyn Error>>) -> Result<Value, Box<dyn Error>> {
    let warm = runs / 20;
    let (mut clock, mut processor) = (Vec::with_capacity(runs), Vec::with_capacity(runs));
    for at in 0..warm + runs {
        let (began, worked) = (Instant::now(), cpu());
        ask(at)?;
        if at >= warm {
            clock.push(began.elapsed().as_secs_f64() * 1e6);
            processor.push(cpu() - worked);
        }
    }
    let of = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        let at = |percent: usize| times.get(times.len().saturating_sub(1) * percent / 100).map(|micros| micros.round());
        json!({"p50": at(50), "p95": at(95), "p99": at(99)})
    };
    Ok(json!({"runs": runs, "us": of(&mut clock), "cpu_us": of(&mut processor)}))
}

/// The processor's time of this thread, in microseconds.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    std::time::Duration::try_from(time).unwrap_or_default().as_secs_f64() * 1e6
}

/// A line of what the kernel tells of this process, in KiB; 0 where it tells nothing.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
