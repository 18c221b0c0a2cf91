//! LoCoMo (Maharana et al. 2024): questions on long conversations, each turn one fact, one store a conversation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::memory::Memory;
use crate::score::Score;
use crate::{Result, Way, read, say};

const DEPTHS: [usize; 3] = [5, 10, 20];
/// The categories as the data numbers them.
const CATEGORIES: [&str; 5] = ["several turns", "time", "open domain", "one turn", "adversarial"];
/// What the Python peer's search reaches on the same five conversations, rounded.
const PEER: [u32; 3] = [53, 60, 66];

#[derive(Deserialize)]
pub(crate) struct Sample {
    pub(crate) conversation: Map<String, Value>,
    pub(crate) qa: Vec<Question>,
}

#[derive(Deserialize)]
pub(crate) struct Question {
    pub(crate) question: String,
    #[serde(default)]
    evidence: Vec<String>,
    pub(crate) category: usize,
}

#[derive(Deserialize)]
pub(crate) struct Turn {
    pub(crate) speaker: String,
    pub(crate) dia_id: String,
    text: String,
    blip_caption: Option<String>,
}

impl Question {
    /// The turns that answer it, of those that are there.
    pub(crate) fn gold(&self, is_there: impl Fn(&str) -> bool) -> Vec<String> {
        // Some lists of evidence are one text.
        let evidence = self.evidence.iter().flat_map(|names| names.split([';', ' ', ',']));
        evidence.filter(|name| is_there(name)).map(str::to_owned).collect()
    }
}

impl Turn {
    /// What is remembered of it.
    pub(crate) fn content(&self, date: &str) -> String {
        let mut content = format!("[{date}] {}: {}", self.speaker, self.text);
        if let Some(caption) = &self.blip_caption {
            let _ = write!(content, " ({caption})");
        }
        content
    }
}

pub(crate) fn samples(folder: &Path) -> Result<Vec<Sample>> {
    Ok(serde_json::from_str(&read(&folder.join("dev.json"))?)?)
}

/// The name of a group of questions, 0 for all.
pub(crate) fn category(group: usize) -> &'static str {
    group.checked_sub(1).map_or(Some(&"all"), |at| CATEGORIES.get(at)).unwrap_or(&"other")
}

/// The sessions of a conversation in order, each with its date and turns.
pub(crate) fn sessions(conversation: &Map<String, Value>) -> Result<Vec<(String, String, Vec<Turn>)>> {
    let mut sessions = Vec::new();
    for (key, session) in conversation.iter().filter(|(_, value)| value.is_array()) {
        let date = conversation.get(&format!("{key}_date_time")).and_then(Value::as_str).unwrap_or_default();
        sessions.push((key.clone(), date.to_owned(), Vec::<Turn>::deserialize(session)?));
    }
    let number = |key: &str| key.rsplit('_').next().and_then(|number| number.parse::<u32>().ok());
    sessions.sort_by_key(|(key, ..)| number(key));
    Ok(sessions)
}

pub(crate) fn measure(folder: &Path, way: &Way) -> Result<String> {
    let mut scores: BTreeMap<usize, [Score; 3]> = BTreeMap::new();
    for sample in samples(folder)? {
        let mut memory = Memory::new(way)?;
        let turns = turns(&sample.conversation)?;
        for (name, content) in &turns {
            memory.add(name, content)?;
        }
        memory.settle()?;
        for question in sample.qa {
            let gold = question.gold(|name| turns.contains_key(name));
            if gold.is_empty() {
                continue;
            }
            let ranked = memory.ask("search", &json!({"query": question.question}), DEPTHS[2])?;
            for group in [0, question.category] {
                let scores = scores.entry(group).or_default();
                for (score, k) in scores.iter_mut().zip(DEPTHS) {
                    let found = score.take(&ranked, &gold, k);
                    if way.misses && !found && group == 0 && k == DEPTHS[1] {
                        say(&format!("{} {}", question.category, question.question));
                        gold.iter().filter_map(|name| turns.get(name)).for_each(|turn| say(&format!("    {turn}")));
                    }
                }
            }
        }
    }
    let mut table = "\n| LoCoMo | n | recall@5 | recall@10 | recall@20 | the peer's at 5 / 10 / 20 |\n\
                     |---|---|---|---|---|---|\n"
        .to_owned();
    for (group, scores) in scores {
        let name = category(group);
        let recalls = scores.map(|score| format!("{:.1}", 100.0 * score.recall()));
        let peer = if group == 0 { PEER.map(|recall| format!("≈ {recall}")).join(" / ") } else { "–".to_owned() };
        let _ = writeln!(table, "| {name} | {} | {} | {peer} |", scores[0].questions(), recalls.join(" | "));
    }
    Ok(table)
}

/// The turns of a conversation as facts, by their ids.
fn turns(conversation: &Map<String, Value>) -> Result<BTreeMap<String, String>> {
    let mut turns = BTreeMap::new();
    for (_, date, session) in sessions(conversation)? {
        turns.extend(session.into_iter().map(|turn| (turn.dia_id.clone(), turn.content(&date))));
    }
    Ok(turns)
}
