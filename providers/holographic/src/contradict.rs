//! Pairs of facts that cannot both be so: the same subject and attribute with another value, or a statement and its negation.
//!
//! What a fact claims is read when it is stored ([`attributes`](crate::attributes)) and kept by subject and attribute. Only
//! facts that meet there are compared: a new one with those on its own subject, and all of them group by group.

mod surest;

use hermes_provider_api::Call;
use rusqlite::Connection;

use crate::attributes::{Claim, STATEMENT};
use crate::audience::{Audience, VISIBLE};
use crate::error::{Error, Result};
use crate::facts::{self, Fact, Filter};
use crate::search::Rows;
use surest::Surest;

/// More claims than this in one fact are a document.
const MAX_CLAIMS: usize = 16;
/// Of a subject's facts with one attribute the newest are compared.
const MAX_GROUP: usize = 100;

/// Two facts.
pub(crate) struct Pair {
    pub newer: Fact,
    pub older: Fact,
    /// How sure it is that they do not fit together, 0 to 1.
    pub certainty: f64,
    /// In one sentence.
    pub why: String,
}

/// Keeps what a fact claims.
pub(crate) fn store(db: &Connection, fact: i64, claims: &[Claim]) -> Result<()> {
    let mut insert = db.prepare_cached(
        "INSERT OR IGNORE INTO claims (subject, attribute, fact_id, said, value, negated) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut word = db.prepare_cached("INSERT OR IGNORE INTO claim_words (word, subject) VALUES (?1, ?2)")?;
    for claim in claims.iter().take(MAX_CLAIMS) {
        insert.execute((&claim.subject, &claim.attribute, fact, &claim.said, &claim.value, claim.negated))?;
        if claim.subject.contains(' ') && !claim.attribute.starts_with(STATEMENT) {
            for part in claim.subject.split(' ') {
                word.execute((part, &claim.subject))?;
            }
        }
    }
    Ok(())
}

/// Takes away what a fact claims.
pub(crate) fn forget(db: &Connection, fact: i64) -> Result<()> {
    let mut of_fact = db.prepare_cached("SELECT DISTINCT subject FROM claims WHERE fact_id = ?1")?;
    let subjects = of_fact.query_map([fact], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    db.prepare_cached("DELETE FROM claims WHERE fact_id = ?1")?.execute([fact])?;
    for subject in subjects {
        db.prepare_cached(
            "DELETE FROM claim_words WHERE word = ?2 AND subject = ?1
             AND NOT EXISTS (SELECT 1 FROM claims WHERE subject = ?1)",
        )
        .and_then(|mut delete| subject.split(' ').try_for_each(|word| delete.execute((&subject, word)).map(drop)))?;
    }
    Ok(())
}

/// All pairs that contradict each other, the surest first, then the newest.
pub(crate) fn contradictions(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<Pair>> {
    let mut surest = Surest::new(Rows::new(db, audience, filter), limit);
    each_group(db, |subject, attribute, claims| {
        call.check()?;
        // Of a group with many claims most may be of others.
        match claims {
            Some(claims) => surest.among(claims),
            None => surest.among(&claims_of(db, audience, subject, attribute)?),
        }
    })?;
    for (short, full, attribute) in bare_names(db)? {
        call.check()?;
        let [some, others] = [&short, &full].map(|subject| claims_of(db, audience, subject, &attribute));
        surest.across(&some?, &others?)?;
    }
    pairs(db, audience, filter, surest)
}

/// The facts that one fact contradicts.
pub(crate) fn of_fact(db: &Connection, audience: &Audience<'_>, filter: &Filter, fact: i64) -> Result<Vec<Pair>> {
    let mut select = db.prepare_cached("SELECT subject, attribute FROM claims WHERE fact_id = ?1")?;
    let keys = select.query_map([fact], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut surest = Surest::new(Rows::new(db, audience, filter), MAX_GROUP);
    for key in keys {
        let (subject, attribute) = key?;
        let claims = claims_of(db, audience, &subject, &attribute)?;
        for own in claims.iter().filter(|(id, _)| *id == fact) {
            surest.across(std::slice::from_ref(own), &claims)?;
            for other in same_subject(db, &subject)? {
                surest.across(std::slice::from_ref(own), &claims_of(db, audience, &other, &attribute)?)?;
            }
        }
    }
    pairs(db, audience, filter, surest)
}

/// A fact and what it claims.
type Told = (i64, Claim);

fn why(one: &Claim, other: &Claim) -> String {
    if one.attribute.starts_with(STATEMENT) {
        return "one says what the other denies".to_owned();
    }
    let said = |claim: &Claim| format!("{}`{}`", if claim.negated { "not " } else { "" }, claim.value);
    let subject = if one.said == "@user" { "the user" } else { &one.said };
    format!("both say of {subject} `{}`: one {}, the other {}", one.attribute, said(one), said(other))
}

/// Reads the facts of conflicts. A correction makes a fact newer than one that was stored after it.
fn pairs(db: &Connection, audience: &Audience<'_>, filter: &Filter, conflicts: Surest<'_>) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for ((newer, older), certainty, why) in conflicts.take() {
        if let Ok([one, two]) = <[Fact; 2]>::try_from(facts::many(db, audience, filter, [newer, older])?) {
            let (newer, older) = if one.updated >= two.updated { (one, two) } else { (two, one) };
            pairs.push(Pair { newer, older, certainty, why });
        }
    }
    Ok(pairs)
}

/// Hands over what is said of each subject and attribute of which more than one thing is said, the newest first; of
/// many claims only what they are about. They lie in this order: all are read once, one group is kept.
fn each_group(db: &Connection, mut take: impl FnMut(&str, &str, Option<&[Told]>) -> Result<()>) -> Result<()> {
    let mut select = db.prepare_cached(
        "SELECT subject, attribute, fact_id, said, value, negated FROM claims ORDER BY subject, attribute, fact_id",
    )?;
    let mut rows = select.query(())?;
    let (mut subject, mut attribute, mut group, mut count) = (String::new(), String::new(), Vec::<Told>::new(), 0);
    loop {
        let row = rows.next()?;
        let key = row.map(|row| Ok::<_, Error>((row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?))).transpose()?;
        if key != Some((&subject, &attribute)) {
            let varies = |pair: &[Told]| match pair {
                [(_, one), (_, other)] => one.value != other.value || one.negated != other.negated,
                _ => false,
            };
            if count > MAX_GROUP || group.windows(2).any(varies) {
                group.reverse();
                take(&subject, &attribute, (count <= MAX_GROUP).then_some(&group))?;
            }
            group.clear();
            count = 0;
        }
        let (Some(row), Some(key)) = (row, key) else { return Ok(()) };
        if count == 0 {
            for (known, new) in [(&mut subject, key.0), (&mut attribute, key.1)] {
                known.clear();
                known.push_str(new);
            }
        }
        count += 1;
        if count <= MAX_GROUP {
            group.push((row.get(2)?, claim(&subject, &attribute, row.get(3)?, row.get(4)?, row.get(5)?)));
        }
    }
}

/// Subjects with one name ("Ada") that can only be one with more ("Ada Byron"), where both have an attribute.
fn bare_names(db: &Connection) -> Result<Vec<(String, String, String)>> {
    let mut select = db.prepare_cached(
        "SELECT w.word, w.subject, c.attribute FROM (
             SELECT word, min(subject) AS subject FROM claim_words GROUP BY word HAVING count(*) = 1) w
         JOIN claims c ON c.subject = w.word
         WHERE EXISTS (SELECT 1 FROM claims o WHERE o.subject = w.subject AND o.attribute = c.attribute)
         GROUP BY w.word, w.subject, c.attribute",
    )?;
    let rows = select.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The same for one subject, in both directions.
fn same_subject(db: &Connection, subject: &str) -> Result<Vec<String>> {
    let mut longer = db.prepare_cached("SELECT subject FROM claim_words WHERE word = ?1 LIMIT 2")?;
    let mut longer = |word: &str| -> Result<Vec<String>> {
        Ok(longer.query_map([word], |row| row.get(0))?.collect::<Result<_, _>>()?)
    };
    if !subject.contains(' ') {
        return Ok(longer(subject)?).map(|found| if found.len() == 1 { found } else { Vec::new() });
    }
    let mut found = Vec::new();
    for word in subject.split(' ') {
        if longer(word)?.len() == 1 {
            found.push(word.to_owned());
        }
    }
    Ok(found)
}

/// What the facts of an audience say of a subject, newest first.
fn claims_of(db: &Connection, audience: &Audience<'_>, subject: &str, attribute: &str) -> Result<Vec<Told>> {
    let sql = format!(
        "SELECT c.fact_id, c.said, c.value, c.negated FROM claims c JOIN facts f USING (fact_id)
         WHERE {VISIBLE} AND c.subject = ?3 AND c.attribute = ?4 ORDER BY c.fact_id DESC LIMIT {MAX_GROUP}"
    );
    let mut select = db.prepare_cached(&sql)?;
    let claims = select.query_map((&audience.key, audience.platform, subject, attribute), |row| {
        Ok((row.get(0)?, claim(subject, attribute, row.get(1)?, row.get(2)?, row.get(3)?)))
    })?;
    Ok(claims.collect::<Result<_, _>>()?)
}

fn claim(subject: &str, attribute: &str, said: String, value: String, negated: bool) -> Claim {
    Claim { subject: subject.to_owned(), attribute: attribute.to_owned(), said, value, negated }
}
