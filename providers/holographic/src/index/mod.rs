//! The word index: which facts have a word, and how many they are.
//!
//! A table of our own and not SQLite's full-text index: that one counts the facts with a word by reading all of them,
//! ranks them by reading all of them, and knows no audiences. Here the number of facts of each word lies beside the newest
//! of them, and older ones follow in blocks, newest first. A row holds numbers alone, no word.
//!
//! New facts are entered when their transaction ends ([`settle`]), so that of a thousand facts each word is entered once.

mod list;
mod lists;
#[cfg(test)]
mod tests;
mod word;

use rusqlite::{Connection, OptionalExtension as _};

use crate::error::{Error, Result};

pub(crate) use lists::{Lists, joined, shared};
pub(crate) use word::{Map, Numbers, Packed, Word};

/// So many facts make a block.
const BLOCK: usize = 128;
/// So many facts are entered at a time.
const SETTLED_AT_ONCE: i64 = 2000;
/// So many facts are looked up by a check of the index, and as many of the newest.
const CHECKED: i64 = 50;

/// The tables of the index.
pub(crate) const TABLES: &str = "
CREATE TABLE words (
    word INTEGER NOT NULL,         -- see `index::Word`
    block INTEGER NOT NULL,        -- 0 for the newest facts, else no higher than the first of the block
    facts INTEGER NOT NULL,        -- in block 0: of all blocks
    ids BLOB NOT NULL,             -- see `index::list`
    PRIMARY KEY (word, block)
) STRICT, WITHOUT ROWID;
CREATE TABLE settled (fact_id INTEGER NOT NULL) STRICT; -- one row: up to which fact all are entered
INSERT INTO settled VALUES (0);
";

fn damaged(what: &str) -> Error {
    Error::DamagedIndex(what.to_owned())
}

/// Enters the facts that came since it was last called.
pub(crate) fn settle(db: &Connection) -> Result<()> {
    loop {
        let settled: i64 = db.prepare_cached("SELECT fact_id FROM settled")?.query_row((), |row| row.get(0))?;
        let mut select = db.prepare_cached(
            "SELECT fact_id, audience, words FROM facts WHERE fact_id > ?1 ORDER BY fact_id LIMIT ?2",
        )?;
        let mut rows = select.query((settled, SETTLED_AT_ONCE))?;
        let (mut last, mut entries): (i64, Vec<(Word, i64)>) = (settled, Vec::new());
        while let Some(row) = rows.next()? {
            last = row.get(0)?;
            for word in words_of(row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_blob()?)? {
                entries.push((word, last));
            }
        }
        if last == settled {
            return Ok(());
        }
        entries.sort_unstable();
        for same in entries.chunk_by(|one, other| one.0 == other.0) {
            if let Some((word, _)) = same.first() {
                let ids: Vec<i64> = same.iter().map(|(_, id)| *id).collect();
                append(db, *word, &ids)?;
            }
        }
        db.prepare_cached("UPDATE settled SET fact_id = ?1")?.execute([last])?;
    }
}

/// The words of a row of `facts`; none for one that was merged into another.
fn words_of(audience: &str, row: &[u8]) -> Result<Vec<Word>> {
    let mut words = Packed::read(row).ok_or_else(|| damaged("the words of a fact"))?.distinct();
    if !row.is_empty() {
        words.push(Numbers::of(audience).every());
    }
    Ok(words)
}

/// Enters a fact that was there before, with other words.
pub(crate) fn insert(db: &Connection, fact: i64, audience: &str, row: &[u8]) -> Result<()> {
    settle(db)?;
    words_of(audience, row)?.into_iter().try_for_each(|word| change(db, word, fact, true))
}

/// Takes a fact out.
pub(crate) fn remove(db: &Connection, fact: i64, audience: &str, row: &[u8]) -> Result<()> {
    settle(db)?;
    words_of(audience, row)?.into_iter().try_for_each(|word| change(db, word, fact, false))
}

/// Makes the index again from the words of the facts.
pub(crate) fn rebuild(db: &Connection) -> Result<()> {
    db.execute_batch("DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS settled")?;
    db.execute_batch(TABLES)?;
    settle(db)
}

/// Looks some facts up by each of their words: the newest, and others of all ages.
pub(crate) fn check(db: &Connection) -> Result<()> {
    let mut select = db.prepare_cached(
        "SELECT fact_id, audience, words FROM facts WHERE fact_id <= ?1 AND length(words) > 0 ORDER BY fact_id DESC LIMIT ?2",
    )?;
    let newest: i64 = db.query_row("SELECT coalesce(max(fact_id), 0) FROM facts", (), |row| row.get(0))?;
    let ages = (1..=CHECKED).map(|part| (newest * part / CHECKED, 1)).chain([(newest, CHECKED)]);
    for (from, count) in ages {
        let mut rows = select.query((from, count))?;
        while let Some(row) = rows.next()? {
            let fact: i64 = row.get(0)?;
            for word in words_of(row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_blob()?)? {
                if !has(db, word, fact)? {
                    return Err(damaged("a word of a fact is not in it"));
                }
            }
        }
    }
    Ok(())
}

/// One row of the table.
#[derive(Default)]
struct Block {
    block: i64,
    facts: i64,
    ids: Vec<i64>,
}

fn newest(db: &Connection, word: Word) -> Result<Option<Block>> {
    block(db, "SELECT block, facts, ids FROM words WHERE word = ?1 AND block = ?2", word, 0)
}

/// The older block that a fact is in, if it is in any.
fn older(db: &Connection, word: Word, fact: i64) -> Result<Option<Block>> {
    let sql =
        "SELECT block, facts, ids FROM words WHERE word = ?1 AND block > 0 AND block <= ?2 ORDER BY block DESC LIMIT 1";
    block(db, sql, word, fact)
}

fn block(db: &Connection, sql: &str, word: Word, fact: i64) -> Result<Option<Block>> {
    let mut select = db.prepare_cached(sql)?;
    let read = |row: &rusqlite::Row<'_>| -> rusqlite::Result<(Block, Option<()>)> {
        let mut ids = Vec::with_capacity(BLOCK);
        let read = list::decode(row.get_ref(2)?.as_blob()?, &mut ids);
        Ok((Block { block: row.get(0)?, facts: row.get(1)?, ids }, read))
    };
    let found = select.query_row((word.number(), fact), read).optional()?;
    found.map(|(block, read)| read.map(|()| block).ok_or_else(|| damaged("a list of facts"))).transpose()
}

fn put(db: &Connection, word: Word, block: &Block) -> Result<()> {
    let mut put =
        db.prepare_cached("INSERT OR REPLACE INTO words (word, block, facts, ids) VALUES (?1, ?2, ?3, ?4)")?;
    put.execute((word.number(), block.block, block.facts, list::encode(&block.ids)))?;
    Ok(())
}

fn count(ids: &[i64]) -> i64 {
    i64::try_from(ids.len()).unwrap_or(i64::MAX)
}

/// Adds facts that are newer than all in the list.
fn append(db: &Connection, word: Word, ids: &[i64]) -> Result<()> {
    let mut newest = newest(db, word)?.unwrap_or_default();
    let has_older = newest.facts > count(&newest.ids);
    newest.facts += count(ids);
    newest.ids.extend_from_slice(ids);
    put_newest(db, word, newest, has_older)
}

/// Keeps no more than a block of them together.
fn put_newest(db: &Connection, word: Word, mut newest: Block, mut has_older: bool) -> Result<()> {
    while newest.ids.len() > BLOCK {
        let rest = newest.ids.split_off(BLOCK);
        let ids = std::mem::replace(&mut newest.ids, rest);
        // The oldest block is where all facts belong that are older still.
        let block = ids.first().copied().filter(|_| has_older).unwrap_or(1);
        put(db, word, &Block { block, facts: count(&ids), ids })?;
        has_older = true;
    }
    put(db, word, &newest)
}

/// Adds a fact wherever it belongs, or takes it out.
fn change(db: &Connection, word: Word, fact: i64, add: bool) -> Result<()> {
    let mut newest = newest(db, word)?.unwrap_or_default();
    let has_older = newest.facts > count(&newest.ids);
    let mut within = match newest.ids.first() {
        Some(first) if *first <= fact => None,
        _ => older(db, word, fact)?,
    };
    let ids = within.as_mut().map_or(&mut newest.ids, |within| &mut within.ids);
    match (ids.binary_search(&fact), add) {
        (Err(at), true) => {
            ids.insert(at, fact);
            newest.facts += 1;
        }
        (Ok(at), false) => {
            ids.remove(at);
            newest.facts -= 1;
        }
        // As it is wanted already.
        _ => return Ok(()),
    }
    if newest.facts == 0 {
        db.prepare_cached("DELETE FROM words WHERE word = ?1")?.execute([word.number()])?;
        return Ok(());
    }
    if let Some(mut within) = within {
        if within.ids.len() > 2 * BLOCK {
            let ids = within.ids.split_off(BLOCK);
            put(db, word, &Block { block: ids.first().copied().unwrap_or(1), facts: count(&ids), ids })?;
        }
        within.facts = count(&within.ids);
        put(db, word, &within)?;
    }
    if has_older && newest.facts == count(&newest.ids) {
        db.prepare_cached("DELETE FROM words WHERE word = ?1 AND block > 0")?.execute([word.number()])?;
    }
    put_newest(db, word, newest, has_older)
}

fn has(db: &Connection, word: Word, fact: i64) -> Result<bool> {
    let within = |block: Option<Block>| block.is_some_and(|block| block.ids.binary_search(&fact).is_ok());
    Ok(within(newest(db, word)?) || within(older(db, word, fact)?))
}
