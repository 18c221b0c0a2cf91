//! The search over recorded sessions: LoCoMo's conversations as they were held, XQuAD's paragraphs as messages, and words
//! in other forms and misspelt, of our own.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use hermes_host::db::Db;
use hermes_host::layers::episodic::search::{self, Discover, Filter, Reader, Searcher, Settings};
use hermes_host::layers::episodic::{NewMessage, SessionHead, append};
use hermes_provider_api::records::Role;

use crate::conversations::{self, Turn};
use crate::score::Score;
use crate::{Result, Way, paragraphs, read, say};

/// What is to be reached: LoCoMo at 5 and 10, XQuAD at 5, forms and misspellings.
const GOALS: &str = "Goals: 69 and 78; 98 in every language; 90 in every language.";
const DEPTHS: [usize; 3] = [5, 10, 20];

/// An archive in memory.
struct Archive {
    db: Arc<Db>,
    /// What the data calls a message.
    names: HashMap<i64, String>,
}

impl Archive {
    fn new() -> Result<Self> {
        Ok(Self { db: Arc::new(Db::in_memory()?), names: HashMap::new() })
    }

    fn say(&mut self, session: &str, said: &[(String, NewMessage)]) -> Result<()> {
        let head = SessionHead { name: session.to_owned(), ..SessionHead::default() };
        let messages: Vec<NewMessage> = said.iter().map(|(_, message)| message.clone()).collect();
        let written = self.db.with(|db| {
            let transaction = db.transaction()?;
            let written = append(&transaction, &head, &messages)?;
            transaction.commit()?;
            Ok(written)
        })?;
        self.names.extend(written.messages.into_iter().zip(said.iter().map(|(name, _)| name.clone())));
        Ok(())
    }

    fn searcher(&self) -> Result<Searcher> {
        let settings = Settings::default();
        self.db.with(|db| search::catch_up(db, &settings, i64::MAX))?;
        Ok(Searcher::new(Arc::clone(&self.db), settings))
    }

    /// The names of the messages that are found, the best first.
    fn ask(&self, searcher: &Searcher, query: &str, limit: usize) -> Result<Vec<String>> {
        let ask = Discover {
            query,
            filter: &Filter::default(),
            sessions: limit,
            passages: limit,
            chars: 400,
            thorough: false,
        };
        let mut found: Vec<_> =
            searcher.discover(&Reader::Owner, &ask)?.sessions.into_iter().flat_map(|found| found.passages).collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
        let names = found.iter().take(limit).map(|passage| self.names.get(&passage.message).cloned());
        Ok(names.map(Option::unwrap_or_default).collect())
    }
}

fn message(name: &str, role: Role, content: &str) -> (String, NewMessage) {
    (name.to_owned(), NewMessage { role, content: content.to_owned(), ..NewMessage::default() })
}

pub(crate) fn measure(bench: &Path, way: &Way) -> Result<String> {
    let mut text = String::new();
    for (name, measure) in
        [("locomo", locomo as fn(&Path, &Way) -> Result<String>), ("xquad", xquad as fn(&Path, &Way) -> Result<String>)]
    {
        let folder = bench.join(name);
        if folder.is_dir() {
            text.push_str(&measure(&folder, way)?);
        } else {
            say(&format!("{name} is skipped: there is no `{}`", folder.display()));
        }
    }
    text.push_str(&forms(way)?);
    let _ = writeln!(text, "\n{GOALS}");
    Ok(text)
}

fn locomo(folder: &Path, way: &Way) -> Result<String> {
    let mut scores: BTreeMap<usize, [Score; 3]> = BTreeMap::new();
    for sample in conversations::samples(folder)? {
        let mut archive = Archive::new()?;
        let mut texts = HashMap::new();
        for (session, date, turns) in conversations::sessions(&sample.conversation)? {
            let first = turns.first().map(|turn| turn.speaker.clone()).unwrap_or_default();
            let said: Vec<_> = turns
                .iter()
                .map(|turn: &Turn| {
                    let role = if turn.speaker == first { Role::User } else { Role::Assistant };
                    message(&turn.dia_id, role, &turn.content(&date))
                })
                .collect();
            texts.extend(said.iter().map(|(name, message)| (name.clone(), message.content.clone())));
            archive.say(&session, &said)?;
        }
        let searcher = archive.searcher()?;
        for question in sample.qa {
            let gold = question.gold(|name| texts.contains_key(name));
            if gold.is_empty() {
                continue;
            }
            let ranked = archive.ask(&searcher, &question.question, DEPTHS[2])?;
            for group in [0, question.category] {
                for (score, k) in scores.entry(group).or_default().iter_mut().zip(DEPTHS) {
                    let found = score.take(&ranked, &gold, k);
                    if way.misses && !found && group == 0 && k == DEPTHS[1] {
                        say(&format!("{} {}", question.category, question.question));
                        gold.iter().filter_map(|name| texts.get(name)).for_each(|text| say(&format!("    {text}")));
                    }
                }
            }
        }
    }
    let mut table =
        "\n| LoCoMo as sessions | n | recall@5 | recall@10 | recall@20 |\n|---|---|---|---|---|\n".to_owned();
    for (group, scores) in scores {
        let recalls = scores.map(|score| format!("{:.1}", 100.0 * score.recall()));
        let name = conversations::category(group);
        let _ = writeln!(table, "| {name} | {} | {} |", scores[0].questions(), recalls.join(" | "));
    }
    Ok(table)
}

fn xquad(folder: &Path, way: &Way) -> Result<String> {
    let mut table = "\n| XQuAD as messages | questions | hit@1 | hit@5 |\n|---|---|---|---|\n".to_owned();
    for language in paragraphs::languages(folder)? {
        let mut archive = Archive::new()?;
        for (at, text) in language.docs.iter().enumerate() {
            archive.say(&at.to_string(), &[message(&at.to_string(), Role::User, text)])?;
        }
        let searcher = archive.searcher()?;
        let mut score = [Score::default(); 2];
        for question in &language.queries {
            let ranked = archive.ask(&searcher, &question.q, DEPTHS[0])?;
            let gold = [question.doc.to_string()];
            score[0].take(&ranked, &gold, 1);
            if !score[1].take(&ranked, &gold, DEPTHS[0]) && way.misses {
                say(&format!("{} {}", language.lang, question.q));
            }
        }
        let [first, fifth] = score.map(|score| format!("{:.1}", 100.0 * score.recall()));
        let _ = writeln!(table, "| {} | {} | {first} | {fifth} |", language.lang, score[0].questions());
    }
    Ok(table)
}

/// All languages in one archive: what is asked in one must not be answered in another.
fn forms(way: &Way) -> Result<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/sessions/forms.tsv");
    let text = read(&file)?;
    let mut archive = Archive::new()?;
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    for (at, row) in rows.iter().enumerate() {
        let content = row.get(1).ok_or_else(|| format!("line {} has no message", at + 1))?;
        archive.say(&format!("s{at}"), &[message(&at.to_string(), Role::User, content)])?;
    }
    let searcher = archive.searcher()?;
    let mut scores: BTreeMap<&str, [Score; 2]> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let [language, _, forms, typos] = row[..] else { return Err(format!("line {}: four columns", at + 1).into()) };
        for (column, queries) in [forms, typos].into_iter().enumerate() {
            for query in queries.split('|') {
                let ranked = archive.ask(&searcher, query, 3)?;
                let score = &mut scores.entry(language).or_default()[column];
                if !score.take(&ranked, &[at.to_string()], 3) && way.misses {
                    say(&format!("{language} {query}"));
                }
            }
        }
    }
    let mut table = "\n| words of our own | other forms, hit@3 | misspelt, hit@3 |\n|---|---|---|\n".to_owned();
    for (language, scores) in scores {
        let [forms, typos] = scores.map(|score| format!("{:.1}", 100.0 * score.recall()));
        let _ = writeln!(table, "| {language} | {forms} | {typos} |");
    }
    Ok(table)
}
