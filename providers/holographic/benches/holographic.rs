//! What each operation takes with ten thousand facts: `cargo bench -p hermes-provider-holographic`.

use std::cell::Cell;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hermes_provider_api::records::{OpenRequest, PrefetchQuery, ToolRequest};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, MemoryProvider as _};
use hermes_provider_holographic::Holographic;
use serde_json::{Value, json};

mod people;

const FACTS: usize = 10_000;
const BATCH: usize = 1000;

fn tool(provider: &Holographic, args: Value) -> Value {
    let request = ToolRequest { tool: "fact_store".to_owned(), args, ..ToolRequest::default() };
    provider.call_tool(&request, &Call::default()).expect("the tool answers")
}

fn add(provider: &Holographic, from: usize, count: usize) {
    let facts: Vec<String> = (from..from + count).map(people::fact).collect();
    tool(provider, json!({"action": "add", "facts": facts}));
}

fn operations(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let provider = Holographic::open(FakeHost::new(folder.path()).host(), OpenRequest::default()).expect("it opens");
    (0..FACTS).step_by(BATCH).for_each(|from| add(&provider, from, BATCH));
    // Each run asks something else.
    let asked = Cell::new(0);
    let next = || asked.replace(asked.get() + 1);
    let who = |at: usize| people::person(at * 13 % (FACTS / 10));

    criterion.bench_function("prefetch", |bencher| {
        bencher.iter(|| {
            let query = PrefetchQuery { query: people::question(next()), limit: 5, ..PrefetchQuery::default() };
            black_box(provider.prefetch(&query, &Call::default()).expect("it answers"))
        });
    });
    let mut ask = |name: &str, args: &dyn Fn(usize) -> Value| {
        criterion.bench_function(name, |bencher| bencher.iter(|| black_box(tool(&provider, args(next())))));
    };
    ask("search", &|at| json!({"action": "search", "query": people::question(at)}));
    ask("probe", &|at| json!({"action": "probe", "entity": who(at)}));
    ask("related", &|at| json!({"action": "related", "entity": who(at)}));
    ask("reason", &|at| json!({"action": "reason", "entities": [who(at), who(at + 1)]}));
    ask("contradict", &|_| json!({"action": "contradict"}));
    let added = Cell::new(FACTS);
    ask("add", &|_| json!({"action": "add", "content": people::fact(added.replace(added.get() + 1))}));
    let mut group = criterion.benchmark_group("batches");
    group.sample_size(10).throughput(Throughput::Elements(BATCH as u64));
    group.bench_function("add a thousand", |bencher| {
        bencher.iter(|| add(&provider, added.replace(added.get() + BATCH), BATCH));
    });
}

criterion_group!(benches, operations);
criterion_main!(benches);
