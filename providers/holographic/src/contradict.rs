//! Pairs of facts that cannot both be so: the same subject and attribute with another value, or a statement and its negation.
//!
//! What a fact claims is read when it is stored ([`attributes`](crate::attributes)) and kept by subject and attribute. Only
//! facts that meet there are compared: a new one with those on its own subject, and all of them group by group.

use std::collections::HashSet;

use hermes_provider_api::Call;
use rusqlite::Connection;

use crate::attributes::{self, Claim, STATEMENT, Verdict};
use crate::audience::{Audience, VISIBLE};
use crate::error::Result;
use crate::facts::{self, Fact, Filter};

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
    let mut found = Vec::new();
    for (subject, attribute) in groups(db)? {
        call.check()?;
        let claims = claims_of(db, audience, &subject, &attribute)?;
        for (at, one) in claims.iter().enumerate() {
            let others = claims.iter().skip(at + 1);
            found.extend(others.filter_map(|other| Conflict::between(one, other)));
        }
    }
    for (short, full, attribute) in bare_names(db)? {
        call.check()?;
        let claims = claims_of(db, audience, &full, &attribute)?;
        for one in claims_of(db, audience, &short, &attribute)? {
            found.extend(claims.iter().filter_map(|other| Conflict::between(&one, other)));
        }
    }
    pairs(db, audience, filter, found, limit)
}

/// The facts that one fact contradicts.
pub(crate) fn of_fact(db: &Connection, audience: &Audience<'_>, filter: &Filter, fact: i64) -> Result<Vec<Pair>> {
    let mut select = db.prepare_cached("SELECT subject, attribute FROM claims WHERE fact_id = ?1")?;
    let keys = select.query_map([fact], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut found = Vec::new();
    for key in keys {
        let (subject, attribute) = key?;
        let claims = claims_of(db, audience, &subject, &attribute)?;
        for own in claims.iter().filter(|(id, _)| *id == fact) {
            let mut others = claims.clone();
            for other in same_subject(db, &subject)? {
                others.extend(claims_of(db, audience, &other, &attribute)?);
            }
            found.extend(others.iter().filter_map(|other| Conflict::between(own, other)));
        }
    }
    pairs(db, audience, filter, found, MAX_GROUP)
}

/// A fact and what it claims.
type Told = (i64, Claim);

struct Conflict {
    newer: i64,
    older: i64,
    certainty: f64,
    why: String,
}

impl Conflict {
    fn between(one: &Told, other: &Told) -> Option<Self> {
        let (newer, older) = if one.0 >= other.0 { (one, other) } else { (other, one) };
        if newer.0 == older.0 {
            return None;
        }
        let Verdict(certainty) = attributes::against(&newer.1, &older.1)?;
        Some(Self { newer: newer.0, older: older.0, certainty, why: why(&newer.1, &older.1) })
    }
}

fn why(one: &Claim, other: &Claim) -> String {
    if one.attribute.starts_with(STATEMENT) {
        return "one says what the other denies".to_owned();
    }
    let said = |claim: &Claim| format!("{}`{}`", if claim.negated { "not " } else { "" }, claim.value);
    let subject = if one.said == "@user" { "the user" } else { &one.said };
    format!("both say of {subject} `{}`: one {}, the other {}", one.attribute, said(one), said(other))
}

/// Loads the facts of conflicts. A correction makes a fact newer than one that was stored after it.
fn pairs(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    mut found: Vec<Conflict>,
    limit: usize,
) -> Result<Vec<Pair>> {
    found.sort_by(|a, b| b.certainty.total_cmp(&a.certainty).then(b.newer.cmp(&a.newer)).then(b.older.cmp(&a.older)));
    let mut seen = HashSet::new();
    let mut pairs = Vec::new();
    for conflict in found {
        if pairs.len() == limit || !seen.insert((conflict.newer, conflict.older)) {
            continue;
        }
        let facts = facts::many(db, audience, filter, [conflict.newer, conflict.older])?;
        if let Ok([one, two]) = <[Fact; 2]>::try_from(facts) {
            let (newer, older) = if one.updated >= two.updated { (one, two) } else { (two, one) };
            pairs.push(Pair { newer, older, certainty: conflict.certainty, why: conflict.why });
        }
    }
    Ok(pairs)
}

/// Subjects and attributes of which more than one thing is said.
fn groups(db: &Connection) -> Result<Vec<(String, String)>> {
    let mut select = db.prepare_cached(
        "SELECT subject, attribute FROM claims GROUP BY subject, attribute
         HAVING count(*) > 1 AND (min(value) <> max(value) OR min(negated) <> max(negated))",
    )?;
    Ok(select.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
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
        let claim = Claim {
            subject: subject.to_owned(),
            attribute: attribute.to_owned(),
            said: row.get(1)?,
            value: row.get(2)?,
            negated: row.get(3)?,
        };
        Ok((row.get(0)?, claim))
    })?;
    Ok(claims.collect::<Result<_, _>>()?)
}
