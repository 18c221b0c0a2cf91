//! Two names for one: "Ada Byron, aka Countess", «Сергей, он же Серый», 李建国，又名老李.
//!
//! A fact that says so joins the two names for everybody who may see that fact, and no longer than it is there.

use hermes_text::normalize;
use rusqlite::Connection;

use super::names::{self, is_title};
use super::unspaced::is_unspaced;
use crate::audience::{Audience, VISIBLE};
use crate::error::Result;

/// What stands between the names, in normal form.
const MARKS: [&str; 46] = [
    "is also known as",
    "are also known as",
    "also known as",
    "better known as",
    "is known as",
    "known as",
    "a.k.a.",
    "aka",
    "is nicknamed",
    "nicknamed",
    "goes by the name",
    "also goes by",
    "goes by",
    "также известна как",
    "также известен как",
    "известная как",
    "известный как",
    "она же",
    "он же",
    "оно же",
    "по прозвищу",
    "по кличке",
    "auch bekannt als",
    "bekannt als",
    "genannt",
    "nam-ı diğer",
    "también conocido como",
    "también conocida como",
    "conocido como",
    "conocida como",
    "aussi connu sous le nom de",
    "surnommée",
    "surnommé",
    "alias",
    "又名",
    "又叫",
    "人称",
    "外号",
    "绰号",
    "こと",
    "別名",
    "通称",
    "ชื่อเล่นว่า",
    "หรือที่เรียกว่า",
    "معروف به",
    "ملقب به",
];
const QUOTES: &[char] = &['"', '“', '”', '«', '»', '„', '「', '」', '『', '』', '\'', '‘', '’'];
/// A name has no more words than this.
const MAX_WORDS: usize = 4;
const MAX_CHARS: usize = 60;
/// No more names than this are followed from one.
const MAX_OTHERS: usize = 6;

/// The pairs of names that a text joins.
pub(super) fn pairs(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let lower = text.to_lowercase();
    // Where lower case has other lengths, places in it are not places in the text.
    if lower.len() != text.len() {
        return found;
    }
    let mut end_of_last = 0;
    for (at, mark) in places(&lower) {
        if at < end_of_last {
            continue;
        }
        let (Some(before), Some(after)) = (text.get(..at), text.get(at + mark.len()..)) else { continue };
        if let (Some(one), Some(other)) = (last_name(before), first_name(after)) {
            end_of_last = at + mark.len();
            found.push((one, other));
        }
    }
    found
}

/// The marks in a text, in order, of two at one place the longer.
fn places(lower: &str) -> Vec<(usize, &'static str)> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    // Most texts have none, and to see that is quick.
    for mark in MARKS.into_iter().filter(|mark| lower.contains(mark)) {
        let stands_alone = |at: usize| {
            is_unspaced(mark)
                || (!lower[..at].ends_with(char::is_alphanumeric)
                    && !lower[at + mark.len()..].starts_with(char::is_alphanumeric))
        };
        found.extend(lower.match_indices(mark).filter(|(at, _)| stands_alone(*at)).map(|(at, _)| (at, mark)));
    }
    found.sort_by_key(|(at, mark)| (*at, std::cmp::Reverse(mark.len())));
    found
}

fn is_break(c: char) -> bool {
    matches!(
        c,
        ',' | ';' | '(' | ')' | '，' | '、' | '。' | '（' | '）' | '.' | '!' | '?' | '\n' | ':' | '—' | '–' | '،'
    )
}

/// The name that a text ends with, quoted or by its capitals.
fn last_name(text: &str) -> Option<String> {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || is_break(c));
    if let Some(quoted) = text.strip_suffix(QUOTES) {
        return checked(quoted.rsplit(QUOTES).next()?);
    }
    let clause = text.rsplit(is_break).next()?.trim();
    if is_unspaced(clause) {
        return checked(clause);
    }
    let mut words: Vec<&str> =
        clause.split_whitespace().rev().take_while(|word| is_name_word(word)).take(MAX_WORDS).collect();
    words.reverse();
    checked(&words.join(" "))
}

/// The name that a text begins with.
fn first_name(text: &str) -> Option<String> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '.' | ','));
    if let Some(quoted) = text.strip_prefix(QUOTES) {
        return checked(quoted.split(QUOTES).next()?);
    }
    let clause = text.split(is_break).next()?.trim();
    if is_unspaced(clause) {
        return checked(clause.split(['は', 'が', ' ']).next()?);
    }
    let words: Vec<&str> = clause.split_whitespace().take_while(|word| is_name_word(word)).take(MAX_WORDS).collect();
    // A handle is written small.
    if words.is_empty() { checked(clause.split_whitespace().next()?) } else { checked(&words.join(" ")) }
}

fn is_name_word(word: &str) -> bool {
    let first = word.trim_start_matches(QUOTES).chars().next();
    first.is_some_and(|c| c.is_alphabetic() && !c.is_lowercase()) || is_title(&normalize(word))
}

fn checked(name: &str) -> Option<String> {
    let name = name.trim().trim_matches(QUOTES);
    let fits = name.chars().any(char::is_alphabetic) && name.chars().nth(MAX_CHARS).is_none();
    fits.then(|| name.to_owned())
}

/// Keeps the aliases that a fact tells.
pub(super) fn store(db: &Connection, fact: i64, content: &str) -> Result<()> {
    let mut insert = db.prepare_cached("INSERT OR IGNORE INTO aliases (name, other, fact_id) VALUES (?1, ?2, ?3)")?;
    for (one, other) in pairs(content) {
        let (key, other_key) = (names::key(&names::bare(&one)), names::key(&names::bare(&other)));
        if !key.is_empty() && !other_key.is_empty() && key != other_key {
            insert.execute((&key, &other, fact))?;
            insert.execute((&other_key, &one, fact))?;
        }
    }
    Ok(())
}

pub(super) fn forget(db: &Connection, fact: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM aliases WHERE fact_id = ?1")?.execute([fact])?;
    Ok(())
}

/// The other names of what has a name, as far as an audience has been told.
pub(crate) fn others(db: &Connection, audience: &Audience<'_>, name: &str) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT DISTINCT a.other FROM aliases a JOIN facts f USING (fact_id)
         WHERE {VISIBLE} AND a.name = ?3 ORDER BY a.fact_id LIMIT {MAX_OTHERS}"
    );
    let mut select = db.prepare_cached(&sql)?;
    let mut keys = vec![names::key(&names::bare(name))];
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(key) = keys.get(at).cloned() {
        at += 1;
        for other in select.query_map((&audience.key, audience.platform, &key), |row| row.get::<_, String>(0))? {
            let other = other?;
            let other_key = names::key(&names::bare(&other));
            if found.len() < MAX_OTHERS && !keys.contains(&other_key) {
                keys.push(other_key);
                found.push(other);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, one: &str, other: &str) {
        assert_eq!(pairs(text), [(one.to_owned(), other.to_owned())], "{text}");
    }

    #[test]
    fn two_names_are_joined() {
        check("Ada Byron, aka Countess, wrote it", "Ada Byron", "Countess");
        check("“Ada Byron” is also known as “the countess”.", "Ada Byron", "the countess");
        check("I met Ada Byron (a.k.a. Countess)", "Ada Byron", "Countess");
        check("Сергей Дягин, он же Серый, дома", "Сергей Дягин", "Серый");
        check("李建国，又名老李，是邻居。", "李建国", "老李");
        check("Friedrich Amsel, genannt Fritz", "Friedrich Amsel", "Fritz");
        assert!(pairs("known as").is_empty() && pairs("takaka").is_empty() && pairs("он же").is_empty());
    }
}
