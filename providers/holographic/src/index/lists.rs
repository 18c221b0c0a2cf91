//! Reading the lists of facts.

use rusqlite::{CachedStatement, Connection, OptionalExtension as _};

use super::{BLOCK, Word, count, damaged, list};
use crate::error::Result;

/// The lists of one transaction.
pub(crate) struct Lists<'db> {
    count: CachedStatement<'db>,
    newest: CachedStatement<'db>,
    older: CachedStatement<'db>,
}

impl<'db> Lists<'db> {
    /// The lists of a file whose facts are all entered.
    pub(crate) fn new(db: &'db Connection) -> Result<Self> {
        Ok(Self {
            count: db.prepare_cached("SELECT facts FROM words WHERE word = ?1 AND block = 0")?,
            newest: db.prepare_cached("SELECT facts, ids FROM words WHERE word = ?1 AND block = 0")?,
            older: db.prepare_cached("SELECT ids FROM words WHERE word = ?1 AND block > 0 ORDER BY block DESC")?,
        })
    }

    /// How many facts have a word.
    pub(crate) fn count(&mut self, word: Word) -> Result<i64> {
        let found = self.count.query_row([word.number()], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or(0))
    }

    /// At least `most` facts that have a word, if there are so many, newest first: whole blocks.
    pub(crate) fn newest(&mut self, word: Word, most: usize) -> Result<Vec<i64>> {
        let mut ids = Vec::with_capacity(most.min(2 * BLOCK));
        let mut rows = self.newest.query([word.number()])?;
        let Some(row) = rows.next()? else { return Ok(ids) };
        let facts: i64 = row.get(0)?;
        take(row.get_ref(1)?.as_blob()?, &mut ids)?;
        if facts > count(&ids) && ids.len() < most {
            let mut rows = self.older.query([word.number()])?;
            while ids.len() < most
                && let Some(row) = rows.next()?
            {
                take(row.get_ref(0)?.as_blob()?, &mut ids)?;
            }
        }
        Ok(ids)
    }

    /// The facts that have all of the words, newest first; looked for among the newest `most` of each.
    pub(crate) fn with_all(&mut self, words: &[Word], most: usize) -> Result<Vec<i64>> {
        let mut lists = words.iter().map(|word| self.newest(*word, most)).collect::<Result<Vec<_>>>()?;
        lists.sort_by_key(Vec::len);
        let mut lists = lists.into_iter();
        let mut common = lists.next().unwrap_or_default();
        for list in lists {
            common = shared(&common, &list);
        }
        Ok(common)
    }
}

/// Appends the ids of a block, newest first.
fn take(block: &[u8], ids: &mut Vec<i64>) -> Result<()> {
    let start = ids.len();
    list::decode(block, ids).ok_or_else(|| damaged("a list of facts"))?;
    ids[start..].reverse();
    Ok(())
}

/// What two lists share that are in descending order.
pub(crate) fn shared(one: &[i64], other: &[i64]) -> Vec<i64> {
    let mut others = other.iter().peekable();
    let has = |id: &&i64| {
        while others.next_if(|other| other > id).is_some() {}
        others.peek() == Some(id)
    };
    one.iter().filter(has).copied().collect()
}

/// What is in one of two lists that are in descending order.
pub(crate) fn joined(mut one: Vec<i64>, other: Vec<i64>) -> Vec<i64> {
    one.extend(other);
    one.sort_unstable_by(|a, b| b.cmp(a));
    one.dedup();
    one
}
