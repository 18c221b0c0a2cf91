//! The archive with many messages: how fast it is filled, how large its index is, how fast it is searched.

mod corpus;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_host::db::Db;
use hermes_host::home::Home;
use hermes_host::layers::episodic::search::{self, Discover, Filler, Filter, Reader, Searcher, Settings};
use hermes_host::layers::episodic::{NewMessage, SessionHead, append};
use hermes_provider_api::records::Role;

use crate::Result;
use corpus::{Dice, SESSION, message, text};

/// The argument that says so.
pub(crate) const ARGUMENT: &str = "sessions";
/// So many messages are written in one transaction.
const BATCH: usize = 5000;
/// How many questions of each kind are asked, unless the arguments say otherwise.
const RUNS: usize = 200;

fn failed(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Measures with so many messages, in this folder or in a throw-away one, and answers the table.
pub(crate) fn measure(messages: &str, folder: Option<&str>) -> Result<String> {
    let messages: usize = messages.parse().map_err(failed)?;
    let thrown = tempfile::Builder::new().prefix("hermes-bench-").tempdir().map_err(failed)?;
    let folder = folder.map_or(thrown.path(), Path::new);
    let home = Home::at(folder);
    let db = Arc::new(Db::open(&home).map_err(failed)?.db);
    let settings = Settings::default();
    let mut out = format!("{messages} messages");
    let there: i64 =
        db.with(|db| db.query_row("SELECT count(*) FROM messages", [], |row| row.get(0))).map_err(failed)?;
    if usize::try_from(there).unwrap_or(0) < messages {
        let begun = Instant::now();
        let without = fill(&db, &settings, messages)?;
        let (took, rate) = (begun.elapsed().as_secs_f64(), messages as f64);
        let _ = write!(
            out,
            ", written in batches of {BATCH}: {:.0} a second with the index, {:.0} until only the index was missing",
            rate / took,
            rate / without.as_secs_f64()
        );
    }
    out.push_str(&size(&db)?);
    out.push_str("\n\n| what | p50 | p95 | p99 | longest |\n|---|---|---|---|---|\n");
    let searcher = Searcher::new(Arc::clone(&db), settings);
    let mut recall = (0.0, 0.0);
    for (name, make) in QUESTIONS {
        let questions: Vec<String> = (0..RUNS).map(|at| make(&mut Dice(at as u64 * 7 + 1), messages)).collect();
        let mut times = Vec::new();
        for question in &questions {
            times.push(timed(|| ask(&searcher, question, false))?.0);
        }
        row(&mut out, name, times);
        for question in questions.iter().take(10) {
            let (found, all) = (ask(&searcher, question, false)?, ask(&searcher, question, true)?);
            recall.0 += found.iter().filter(|id| all.contains(id)).count() as f64;
            recall.1 += all.len() as f64;
        }
    }
    let mut dice = Dice(3);
    let mut scrolls = Vec::new();
    for _ in 0..RUNS {
        let around = i64::try_from(dice.below(messages) + 1).map_err(failed)?;
        scrolls.push(timed(|| searcher.scroll(&Reader::Owner, around, [5, 5], 2000).map_err(failed))?.0);
    }
    row(&mut out, "scroll, 5 before and 5 after", scrolls);
    let browses = (0..RUNS).map(|_| {
        let browse = || searcher.browse(&Reader::Owner, &Filter::default(), None, 20, 200).map_err(failed);
        Ok(timed(browse)?.0)
    });
    row(&mut out, "browse, 20 sessions", browses.collect::<Result<_>>()?);
    row(&mut out, "a live turn of 5 messages, synced", turns(&db, &settings, messages)?);
    let _ = writeln!(
        out,
        "\nA search looks at a bounded number of messages: it finds {:.1} % of the ten sessions that one without bounds finds.",
        100.0 * recall.0 / f64::max(recall.1, 1.0)
    );
    Ok(out)
}

/// Writes the corpus, and beside it the index. Answers how long it took until all but the index was written.
fn fill(db: &Arc<Db>, settings: &Settings, messages: usize) -> Result<Duration> {
    let filler = Filler::start(Arc::clone(db), *settings);
    let begun = Instant::now();
    for start in (0..messages).step_by(BATCH) {
        // To make the texts is no part of it, but is so little that it is not taken out.
        let batch: Vec<NewMessage> = (start..messages.min(start + BATCH)).map(message).collect();
        db.with(|db| {
            let transaction = db.transaction()?;
            for (at, session) in batch.chunks(SESSION).enumerate() {
                append(&transaction, &head(start / SESSION + at), session)?;
            }
            transaction.commit()
        })
        .map_err(failed)?;
    }
    let without = begun.elapsed();
    filler.finish(drop).map_err(failed)?;
    Ok(without)
}

fn head(session: usize) -> SessionHead {
    let title = session.is_multiple_of(3).then(|| text(&mut Dice(session as u64), 0, 5));
    SessionHead { name: format!("session-{session}"), title, ..SessionHead::default() }
}

fn size(db: &Db) -> Result<String> {
    let sizes = |sql: &str| db.with(|db| db.query_row(sql, [], |row| row.get::<_, i64>(0))).map_err(failed);
    let text = sizes("SELECT sum(octet_length(content)) FROM messages")?;
    let index = sizes("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'search%'")?;
    let file = sizes("SELECT sum(pgsize) FROM dbstat")?;
    let mib = |bytes: i64| bytes as f64 / 1024.0 / 1024.0;
    let mut told = format!(
        ".\nText {:.1} MiB, index {:.1} MiB ({:.1} % of the text), file {:.1} MiB.\n",
        mib(text),
        mib(index),
        100.0 * mib(index) / mib(text),
        mib(file)
    );
    for table in ["search_words", "search_blocks", "search_forms", "search_ends"] {
        let bytes = sizes(&format!("SELECT sum(pgsize) FROM dbstat WHERE name = '{table}'"))?;
        let rows = sizes(&format!("SELECT count(*) FROM {table}"))?;
        let _ = writeln!(told, "- `{table}`: {rows} rows, {:.1} MiB", mib(bytes));
    }
    Ok(told)
}

type Make = fn(&mut Dice, usize) -> String;

/// What is asked, each from a message of the corpus.
const QUESTIONS: [(&str, Make); 8] = [
    ("a rare word", |dice, messages| rare(&words(dice, messages, 0))),
    ("a common word", |dice, messages| {
        words(dice, messages, 0).into_iter().find(|word| word.len() < 6).unwrap_or_default()
    }),
    ("a question of six words", |dice, messages| {
        words(dice, messages, 0).into_iter().take(6).collect::<Vec<_>>().join(" ")
    }),
    ("a phrase", |dice, messages| {
        let words = words(dice, messages, 2);
        format!("\"{}\"", words.into_iter().take(2).collect::<Vec<_>>().join(" "))
    }),
    ("four Chinese characters", |dice, messages| said(dice, messages, 3).chars().skip(2).take(4).collect()),
    ("Russian in another form", |dice, messages| {
        let word = rare(&words(dice, messages, 1));
        let stem: String = word.chars().take(word.chars().count().saturating_sub(1).max(3)).collect();
        format!("{stem}ами")
    }),
    ("a misspelt word", |dice, messages| {
        let mut letters: Vec<char> = rare(&words(dice, messages, 0)).chars().collect();
        let at = 1 + dice.below(letters.len().saturating_sub(3));
        if letters.len() > at + 1 {
            letters.swap(at, at + 1);
        }
        letters.into_iter().collect()
    }),
    ("the beginning of a word", |dice, messages| {
        let start: String = rare(&words(dice, messages, 0)).chars().take(5).collect();
        format!("{start}*")
    }),
];

/// What the user said somewhere in a language.
fn said(dice: &mut Dice, messages: usize, tongue: usize) -> String {
    let sessions = messages / SESSION;
    let session = (dice.below(sessions.max(10)) / 10 * 10 + [0, 4, 6, 8, 9][tongue]).min(sessions.saturating_sub(1));
    message(session * SESSION + 5 * dice.below(8)).content
}

fn words(dice: &mut Dice, messages: usize, tongue: usize) -> Vec<String> {
    let said = said(dice, messages, tongue);
    said.split([' ', '.', '，']).filter(|word| word.chars().count() > 3).map(str::to_owned).collect()
}

/// The longest of the words, which is mostly a rare one.
fn rare(words: &[String]) -> String {
    words.iter().max_by_key(|word| word.chars().count()).cloned().unwrap_or_default()
}

fn ask(searcher: &Searcher, query: &str, thorough: bool) -> Result<Vec<String>> {
    let filter = Filter::default();
    let ask = Discover { query, filter: &filter, sessions: 10, passages: 3, chars: 400, thorough };
    let found = searcher.discover(&Reader::Owner, &ask).map_err(failed)?;
    Ok(found.sessions.into_iter().map(|found| found.session.name).collect())
}

/// Turns as they are recorded: each in a transaction of its own.
fn turns(db: &Db, settings: &Settings, messages: usize) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for turn in 0..RUNS * 2 {
        let said: Vec<NewMessage> = (0..5).map(|at| message(messages + turn * 5 + at)).collect();
        let said: Vec<_> = said.into_iter().map(|said| NewMessage { role: Role::User, ..said }).collect();
        let write = || {
            db.with(|db| {
                let transaction = db.transaction()?;
                append(&transaction, &head(usize::MAX), &said)?;
                search::settle(&transaction, settings, i64::MAX)?;
                transaction.commit()
            })
            .map_err(failed)
        };
        times.push(timed(write)?.0);
    }
    Ok(times)
}

fn timed<T>(run: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
    let begun = Instant::now();
    let answer = run()?;
    Ok((begun.elapsed(), answer))
}

fn row(out: &mut String, name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |percent: usize| {
        let place = times.len().saturating_sub(1) * percent / 100;
        format!("{:.2} ms", times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3))
    };
    let _ = writeln!(out, "| {name} | {} | {} | {} | {} |", at(50), at(95), at(99), at(100));
}
