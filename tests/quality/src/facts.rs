//! Facts and queries with known answers: one store a set, every operation of `fact_store`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::memory::Memory;
use crate::score::Score;
use crate::{Result, Way, lines, say};

/// Where the peer's figures are, as its scorer prints them.
const PEER: &str = "../peer_dev_keyword.md";

#[derive(Deserialize)]
struct Fact {
    id: String,
    set: String,
    content: String,
}

#[derive(Deserialize)]
struct Query {
    set: String,
    op: String,
    #[serde(default)]
    variant: String,
    args: Value,
    k: usize,
    #[serde(default)]
    expected: Vec<String>,
    #[serde(default)]
    expected_pairs: Vec<[String; 2]>,
    #[serde(default)]
    hard_negative_pairs: Vec<[String; 2]>,
}

pub(crate) fn measure(folder: &Path, way: &Way) -> Result<String> {
    let mut sets: BTreeMap<String, Memory> = BTreeMap::new();
    let mut contents = HashMap::new();
    for fact in lines::<Fact>(&folder.join("facts.jsonl"))? {
        if !sets.contains_key(&fact.set) {
            sets.insert(fact.set.clone(), Memory::new(way)?);
        }
        if let Some(memory) = sets.get_mut(&fact.set) {
            memory.add(&fact.id, &fact.content)?;
        }
        contents.insert(fact.id, fact.content);
    }
    for memory in sets.values() {
        memory.settle()?;
    }
    let mut groups: Vec<([String; 3], Score)> = Vec::new();
    let mut contradictions =
        "\n| set | planted | found | of them in the first | flagged | not planted | alike but true |\n\
                              |---|---|---|---|---|---|---|\n"
            .to_owned();
    for query in lines::<Query>(&folder.join("queries.jsonl"))? {
        let memory = sets.get(&query.set).ok_or_else(|| format!("a query of an unknown set `{}`", query.set))?;
        if query.op == "contradict" {
            let _ = writeln!(contradictions, "{}", contradicting(&query, &memory.contradictions()?));
            continue;
        }
        let ranked = memory.ask(&query.op, &query.args, query.k)?;
        let key = [query.set, query.op, query.variant];
        let at = groups.iter().position(|(other, _)| *other == key).unwrap_or_else(|| {
            groups.push((key.clone(), Score::default()));
            groups.len() - 1
        });
        let found = groups.get_mut(at).is_some_and(|(_, score)| score.take(&ranked, &query.expected, query.k));
        if way.misses && !found {
            let text = |name: &String| contents.get(name).map_or("?", String::as_str);
            say(&format!("{}: {}", key.join(" "), query.args));
            query.expected.iter().for_each(|name| say(&format!("    wanted {}", text(name))));
            ranked.iter().for_each(|name| say(&format!("    found  {}", text(name))));
        }
    }
    let peer = Peer::read(&folder.join(PEER));
    let mut table = "| set | op | variant | n | recall@k | precision@k | hit@1 | MRR | the peer's recall@k |\n\
                     |---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for (key, score) in groups {
        let _ = writeln!(
            table,
            "| {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {} |",
            key.join(" | "),
            score.questions(),
            score.recall(),
            score.precision(),
            score.first(),
            score.reciprocal(),
            peer.recall(&key),
        );
    }
    Ok(table + &contradictions)
}

/// A row of the second table.
fn contradicting(query: &Query, flagged: &[[String; 2]]) -> String {
    let unordered = |pairs: &[[String; 2]]| -> Vec<[String; 2]> {
        let sorted = |pair: &[String; 2]| {
            let [one, other] = pair;
            if one < other { pair.clone() } else { [other.clone(), one.clone()] }
        };
        pairs.iter().map(sorted).collect()
    };
    let flagged = unordered(flagged);
    let planted: HashSet<_> = unordered(&query.expected_pairs).into_iter().collect();
    let alike: HashSet<_> = unordered(&query.hard_negative_pairs).into_iter().collect();
    let found = |pairs: &[[String; 2]]| pairs.iter().filter(|pair| planted.contains(*pair)).count();
    format!(
        "| {} | {} | {} | {} of {} | {} | {} | {} of {} |",
        query.set,
        planted.len(),
        found(&flagged),
        found(flagged.get(..query.k).unwrap_or(&flagged)),
        query.k,
        flagged.len(),
        flagged.len() - found(&flagged),
        flagged.iter().filter(|pair| alike.contains(*pair)).count(),
        alike.len(),
    )
}

/// What the Python peer reaches, from a table that lies beside the data.
struct Peer(HashMap<[String; 3], String>);

impl Peer {
    /// Nothing where there is no such table.
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let row = |line: &str| {
            let cells: Vec<_> = line.split('|').map(|cell| cell.trim().to_owned()).collect();
            match cells.as_slice() {
                [_, set, op, variant, _, _, recall, ..] if recall.parse::<f64>().is_ok() => {
                    Some(([set.clone(), op.clone(), variant.clone()], recall.clone()))
                }
                _ => None,
            }
        };
        Self(text.lines().filter_map(row).collect())
    }

    fn recall(&self, key: &[String; 3]) -> &str {
        self.0.get(key).map_or("–", String::as_str)
    }
}
