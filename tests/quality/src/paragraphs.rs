//! XQuAD (Artetxe et al. 2020): the same paragraphs and questions in twelve languages, one store a language.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use crate::memory::Memory;
use crate::score::Score;
use crate::{Result, Way, read, say};

/// What the Python peer's search reaches: language, hit@1, hit@5.
const PEER: [(&str, u32, u32); 3] = [("ru", 76, 87), ("tr", 78, 93), ("zh", 4, 6)];

#[derive(Deserialize)]
pub(crate) struct Language {
    pub(crate) lang: String,
    pub(crate) docs: Vec<String>,
    pub(crate) queries: Vec<Question>,
}

#[derive(Deserialize)]
pub(crate) struct Question {
    pub(crate) q: String,
    pub(crate) doc: usize,
}

/// The languages in the folder, in the order of their codes.
pub(crate) fn languages(folder: &Path) -> Result<Vec<Language>> {
    let mut files: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.iter().map(|file| Ok(serde_json::from_str(&read(file)?)?)).collect()
}

pub(crate) fn measure(folder: &Path, way: &Way) -> Result<String> {
    let mut table = "\n| XQuAD | questions | hit@1 | hit@5 | the peer's at 1 / 5 |\n|---|---|---|---|---|\n".to_owned();
    for Language { lang, docs, queries } in languages(folder)? {
        let mut memory = Memory::new(way)?;
        for (name, content) in docs.iter().enumerate() {
            memory.add(&name.to_string(), content)?;
        }
        memory.settle()?;
        let mut score = [Score::default(); 2];
        for question in queries {
            let ranked = memory.ask("search", &json!({"query": question.q}), 5)?;
            let gold = [question.doc.to_string()];
            score[0].take(&ranked, &gold, 1);
            if !score[1].take(&ranked, &gold, 5) && way.misses {
                say(&format!("{lang} {}\n    {}", question.q, docs.get(question.doc).map_or("", String::as_str)));
            }
        }
        let peer = PEER.iter().find(|(of, ..)| *of == lang);
        let peer = peer.map_or_else(|| "–".to_owned(), |(_, first, fifth)| format!("{first} / {fifth}"));
        let [first, fifth] = score.map(|score| format!("{:.1}", 100.0 * score.recall()));
        let _ = writeln!(table, "| {lang} | {} | {first} | {fifth} | {peer} |", score[0].questions());
    }
    Ok(table)
}
