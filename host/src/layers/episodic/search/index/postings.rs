//! Which messages have a word: the newest beside the word, older ones in blocks, all ascending.

use rusqlite::{Connection, OptionalExtension as _, Result};

use hermes_text::Languages;

use super::{damaged, list};

/// So many messages make a block.
const BLOCK: usize = 128;

/// The row of a word.
#[derive(Default)]
struct Row {
    messages: i64,
    /// By whose rules its forms are entered.
    languages: Languages,
    newest: Vec<i64>,
}

impl Row {
    /// The newest message with the word.
    fn last(&self, db: &Connection, word: &str) -> Result<Option<i64>> {
        if !self.newest.is_empty() || self.messages == 0 {
            return Ok(self.newest.last().copied());
        }
        let mut ids = Vec::with_capacity(BLOCK);
        let mut select =
            db.prepare_cached("SELECT ids FROM search_blocks WHERE word = ?1 ORDER BY first DESC LIMIT 1")?;
        let mut rows = select.query([word])?;
        if let Some(row) = rows.next()? {
            list::decode(row.get_ref(0)?.as_blob()?, &mut ids).ok_or_else(damaged)?;
        }
        Ok(ids.last().copied())
    }
}

fn row(db: &Connection, word: &str) -> Result<Option<Row>> {
    let mut select = db.prepare_cached("SELECT messages, languages, newest FROM search_words WHERE word = ?1")?;
    let read = |row: &rusqlite::Row<'_>| {
        let mut newest = Vec::with_capacity(BLOCK);
        let read = list::decode(row.get_ref(2)?.as_blob()?, &mut newest);
        let languages = Languages::from_bits(row.get(1)?);
        Ok((Row { messages: row.get(0)?, languages, newest }, read))
    };
    let found = select.query_row([word], read).optional()?;
    found.map(|(row, read)| read.map(|()| row).ok_or_else(damaged)).transpose()
}

fn put(db: &Connection, word: &str, row: &Row) -> Result<()> {
    let mut put =
        db.prepare_cached("REPLACE INTO search_words (word, messages, languages, newest) VALUES (?1, ?2, ?3, ?4)")?;
    put.execute((word, row.messages, row.languages.bits(), list::encode(&row.newest)))?;
    Ok(())
}

fn put_block(db: &Connection, word: &str, ids: &[i64]) -> Result<()> {
    let mut put = db.prepare_cached("REPLACE INTO search_blocks (word, first, ids) VALUES (?1, ?2, ?3)")?;
    put.execute((word, ids.first(), list::encode(ids)))?;
    Ok(())
}

fn count(ids: &[i64]) -> i64 {
    count_of(ids.len())
}

/// Adds messages to those that have the word; what is no newer than the newest of these was added before. Answers by the
/// rules of which languages its forms were entered; None when no message had it before.
pub(super) fn append(db: &Connection, word: &str, ids: &[i64], languages: Languages) -> Result<Option<Languages>> {
    let found = row(db, word)?;
    let known = found.as_ref().map(|row| row.languages);
    let mut row = found.unwrap_or_default();
    row.languages = row.languages.and(languages);
    let ids = match row.last(db, word)? {
        Some(last) => &ids[ids.partition_point(|id| *id <= last)..],
        None => ids,
    };
    row.messages += count(ids);
    row.newest.extend_from_slice(ids);
    if row.newest.len() > BLOCK {
        let left = row.newest.len() % BLOCK;
        let full = row.newest.len() - if left == 0 { BLOCK } else { left };
        let rest = row.newest.split_off(full);
        for block in row.newest.chunks(BLOCK) {
            put_block(db, word, block)?;
        }
        row.newest = rest;
    }
    put(db, word, &row)?;
    Ok(known)
}

/// Takes messages out, which ascend. Where no message has the word any more, it answers by the rules of which languages its
/// forms were entered.
pub(super) fn remove(db: &Connection, word: &str, ids: &[i64]) -> Result<Option<Languages>> {
    let Some(mut row) = row(db, word)? else { return Ok(None) };
    let is_among = |id: &i64| ids.binary_search(id).is_ok();
    let before = row.newest.len();
    row.newest.retain(|id| !is_among(id));
    row.messages -= count_of(before - row.newest.len());
    let (Some(oldest), Some(youngest)) = (ids.first(), ids.last()) else { return Ok(None) };
    let mut select = db.prepare_cached(
        "SELECT first, ids FROM search_blocks WHERE word = ?1 AND first <= ?3 AND first >=
            coalesce((SELECT max(first) FROM search_blocks WHERE word = ?1 AND first <= ?2), 0)",
    )?;
    let blocks = select.query_map((word, oldest, youngest), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let blocks: Vec<(i64, Vec<u8>)> = blocks.collect::<Result<_>>()?;
    for (first, bytes) in blocks {
        let mut block = Vec::with_capacity(BLOCK);
        list::decode(&bytes, &mut block).ok_or_else(damaged)?;
        let before = block.len();
        block.retain(|id| !is_among(id));
        if block.len() == before {
            continue;
        }
        row.messages -= count_of(before - block.len());
        db.prepare_cached("DELETE FROM search_blocks WHERE word = ?1 AND first = ?2")?.execute((word, first))?;
        if !block.is_empty() {
            put_block(db, word, &block)?;
        }
    }
    let is_gone = row.messages <= 0;
    if is_gone {
        db.prepare_cached("DELETE FROM search_words WHERE word = ?1")?.execute([word])?;
    } else {
        put(db, word, &row)?;
    }
    Ok(is_gone.then_some(row.languages))
}

fn count_of(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// How many messages have a word.
pub(in super::super) fn frequency(db: &Connection, word: &str) -> Result<i64> {
    let mut select = db.prepare_cached("SELECT messages FROM search_words WHERE word = ?1")?;
    Ok(select.query_row([word], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// At least `most` messages with a word, if there are so many, newest first: whole blocks. And whether these are all.
pub(in super::super) fn newest(db: &Connection, word: &str, most: usize) -> Result<(Vec<i64>, bool)> {
    let Some(Row { messages, newest: mut ids, .. }) = row(db, word)? else { return Ok((Vec::new(), true)) };
    ids.reverse();
    if messages > count(&ids) && ids.len() < most {
        let mut select = db.prepare_cached("SELECT ids FROM search_blocks WHERE word = ?1 ORDER BY first DESC")?;
        let mut rows = select.query([word])?;
        while ids.len() < most
            && let Some(row) = rows.next()?
        {
            let start = ids.len();
            list::decode(row.get_ref(0)?.as_blob()?, &mut ids).ok_or_else(damaged)?;
            ids[start..].reverse();
        }
    }
    let all = count(&ids) >= messages;
    Ok((ids, all))
}

/// All messages with a word from one on, ascending.
pub(in super::super) fn since(db: &Connection, word: &str, from: i64) -> Result<Vec<i64>> {
    let Some(Row { newest, .. }) = row(db, word)? else { return Ok(Vec::new()) };
    let mut ids = Vec::new();
    let mut select = db.prepare_cached(
        "SELECT ids FROM search_blocks WHERE word = ?1 AND first >=
            coalesce((SELECT max(first) FROM search_blocks WHERE word = ?1 AND first <= ?2), 0) ORDER BY first",
    )?;
    let mut rows = select.query((word, from))?;
    while let Some(row) = rows.next()? {
        list::decode(row.get_ref(0)?.as_blob()?, &mut ids).ok_or_else(damaged)?;
    }
    ids.extend(newest);
    ids.drain(..ids.partition_point(|id| *id < from));
    Ok(ids)
}
