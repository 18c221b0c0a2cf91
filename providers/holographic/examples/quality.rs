//! Runs quality data (facts and queries as JSON lines) through the provider's tools and writes the ranked answers.
//!
//! `cargo run --release -p hermes-provider-holographic --example quality -- FACTS QUERIES RESULTS`
//!
//! Each set is a store of its own. A line of RESULTS is `{"id", "ranked": [fact ids]}` or `{"id", "pairs": [[id, id]]}`.
//! With a fourth argument `recall` the text of `search` queries goes through prefetch instead.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write as _;

use hermes_provider_api::records::{OpenRequest, PrefetchQuery, ToolRequest};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, MemoryProvider as _};
use hermes_provider_holographic::Holographic;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [facts, queries, results, rest @ ..] = arguments.as_slice() else {
        return Err("usage: quality FACTS QUERIES RESULTS [recall]".into());
    };
    let recall = rest.first().is_some_and(|mode| mode == "recall");
    let mut sets: BTreeMap<String, Set> = BTreeMap::new();
    for fact in lines(facts)? {
        let set = text(&fact, "set");
        if !sets.contains_key(&set) {
            sets.insert(set.clone(), Set::new()?);
        }
        if let Some(set) = sets.get_mut(&set) {
            let args = json!({"action": "add", "content": fact["content"]});
            let id = set.tool(args)?["fact_id"].as_i64().ok_or("no fact_id")?;
            set.names.insert(id, text(&fact, "id"));
        }
    }
    let mut out = fs::File::create(results)?;
    let began = std::time::Instant::now();
    let mut count = 0_u32;
    for query in lines(queries)? {
        let set = sets.get(&text(&query, "set")).ok_or("a query of an unknown set")?;
        count += 1;
        writeln!(out, "{}", set.answer(&query, recall)?)?;
    }
    writeln!(std::io::stderr(), "{count} queries, {:?} each", began.elapsed() / count.max(1))?;
    Ok(())
}

struct Set {
    provider: Holographic,
    names: BTreeMap<i64, String>,
    _folder: tempfile::TempDir,
}

impl Set {
    fn new() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let provider = Holographic::open(FakeHost::new(folder.path()).host(), OpenRequest::default())?;
        Ok(Self { provider, names: BTreeMap::new(), _folder: folder })
    }

    fn tool(&self, args: Value) -> Result<Value, Box<dyn Error>> {
        let request = ToolRequest { tool: "fact_store".to_owned(), args, ..ToolRequest::default() };
        Ok(self.provider.call_tool(&request, &Call::default())?)
    }

    fn answer(&self, query: &Value, recall: bool) -> Result<Value, Box<dyn Error>> {
        let name = |id: &Value| id.as_i64().and_then(|id| self.names.get(&id)).cloned().unwrap_or_default();
        let op = text(query, "op");
        if recall && op == "search" {
            let query_text = text(&query["args"], "query");
            let wish = PrefetchQuery { query: query_text, ..PrefetchQuery::default() };
            let items = self.provider.prefetch(&wish, &Call::default())?.items;
            let ranked: Vec<String> = items.iter().map(|item| name(&json!(item.id.parse::<i64>().ok()))).collect();
            return Ok(json!({"id": query["id"], "ranked": ranked}));
        }
        let mut args = query["args"].clone();
        args["action"] = json!(op);
        args["limit"] = if op == "contradict" { json!(100) } else { query["k"].clone() };
        let answer = self.tool(args)?;
        if op == "contradict" {
            let pairs = answer["contradictions"].as_array().ok_or("no contradictions")?;
            let pairs: Vec<[String; 2]> =
                pairs.iter().map(|pair| ["fact_a", "fact_b"].map(|side| name(&pair[side]["fact_id"]))).collect();
            return Ok(json!({"id": query["id"], "pairs": pairs}));
        }
        let ranked: Vec<String> =
            answer["results"].as_array().ok_or("no results")?.iter().map(|fact| name(&fact["fact_id"])).collect();
        Ok(json!({"id": query["id"], "ranked": ranked}))
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn lines(path: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}
