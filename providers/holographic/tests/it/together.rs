//! Two instances on one file, as two processes would have it.

use std::collections::HashSet;

use hermes_provider_api::records::ToolRequest;
use hermes_provider_api::{Call, MemoryProvider as _};
use serde_json::{Value, json};

use crate::support::{Case, open};

#[test]
fn both_write_and_read_at_once_and_nothing_is_lost() {
    let case = Case::new();
    let other = open(case.folder.path());
    let providers = [&case.provider, &other];
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let provider = providers[worker % 2];
            scope.spawn(move || {
                for number in 0..25 {
                    let run = |args: Value| {
                        let request = ToolRequest { tool: "fact_store".into(), args, ..ToolRequest::default() };
                        provider.call_tool(&request, &Call::default()).unwrap()
                    };
                    run(json!({"action": "add", "content": format!("worker {worker} stored number {number}")}));
                    run(json!({"action": "add", "content": format!("everyone stored number {number}")}));
                    run(json!({"action": "search", "query": format!("number {number}")}));
                }
            });
        }
    });
    let facts = case.store(json!({"action": "list", "limit": 100}));
    let contents: HashSet<String> =
        facts["results"].as_array().unwrap().iter().map(|fact| fact["content"].to_string()).collect();
    assert_eq!(contents.len(), 100, "no doubles among the newest");
    assert_eq!(case.provider.health(&Call::default()).unwrap().detail, "125 facts");
}

#[test]
fn opening_at_once_makes_one_store() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(open(folder.path()).health(&Call::default()).unwrap().ok));
        }
    });
    assert_eq!(open(folder.path()).health(&Call::default()).unwrap().detail, "0 facts");
}
