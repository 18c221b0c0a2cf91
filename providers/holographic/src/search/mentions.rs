//! Facts that mention something: a person, a place, a tool, any word.
//!
//! A mention is looked for in the word index, where every word is, and among the names by sound. That a name was
//! recognised as such only raises the rank.

use std::collections::{HashMap, HashSet};

use hermes_provider_api::Call;
use hermes_text::{Script, Token, TokenKind, script_of, tokens, truncate_chars};
use rusqlite::Connection;

use super::{Hit, quoted, ratio, sort, trusted};
use crate::audience::{Audience, VISIBLE};
use crate::entities::{self, Entity};
use crate::error::Result;
use crate::facts::{self, Filter};

/// How sure it is that a fact with the name as a part of a longer one, or with another spelling of it, means it.
pub(crate) const PART_OF_NAME: f64 = 0.95;
/// The same where it sounds alike in the same alphabet: the name in another case.
const SAME_SOUND: f64 = 0.99;
/// What a fact that has another name of the same is worth.
const OTHER_NAME: f64 = 0.98;
/// A name is not longer.
const MAX_CHARS: usize = 200;
/// No more facts than this are looked at for one name.
const MAX_MENTIONS: usize = 300;
/// Facts whose other names are followed by [`related`], and how common such a name may be.
const MAX_FOLLOWED: usize = 50;
const MAX_SHARED: i64 = 50;
/// The share of the words of a name that will do when no fact has them all («доктор Анна Смирнова»).
const ENOUGH: f64 = 0.6;

/// Facts that mention `entity` by any of its names.
pub(crate) fn probe(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    entity: &str,
    call: &Call<'_>,
) -> Result<Vec<Hit>> {
    let entity = truncate_chars(entity, MAX_CHARS);
    let mut hits = by_name(db, audience, filter, entity, call)?;
    let mut known: HashSet<i64> = hits.iter().map(|hit| hit.fact.id).collect();
    for other in entities::other_names(db, audience, entity)? {
        for hit in by_name(db, audience, filter, &other, call)? {
            if known.insert(hit.fact.id) {
                hits.push(Hit { score: hit.score * OTHER_NAME, ..hit });
            }
        }
    }
    sort(&mut hits);
    Ok(hits)
}

/// Facts that mention `entity` by this name.
fn by_name(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    entity: &str,
    call: &Call<'_>,
) -> Result<Vec<Hit>> {
    // A title is not looked for: «г-н Орлов» may stand as «Орлов» in a fact, 佐藤さん as 佐藤.
    let bare = entities::names::bare(entity);
    let words = words_of(if bare == entities::USER { entity } else { &bare });
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let all: Vec<_> = words.iter().map(|word| format!("({})", word.expression)).collect();
    let mut ids: HashSet<i64> = matching(db, audience, &all.join(" AND "))?.into_iter().collect();
    let mut by_word: Vec<HashMap<i64, bool>> = Vec::new();
    for word in &words {
        call.check()?;
        by_word.push(entities::sounding(db, &word.token)?);
    }
    if ids.is_empty() || by_word.iter().any(|sounds| !sounds.is_empty()) {
        let mut shares: HashMap<i64, usize> = HashMap::new();
        for (word, sounds) in words.iter().zip(&by_word) {
            call.check()?;
            let mut having: HashSet<i64> = matching(db, audience, &word.expression)?.into_iter().collect();
            having.extend(sounds.keys().copied());
            for id in having {
                *shares.entry(id).or_default() += 1;
            }
        }
        ids.extend(shares.iter().filter(|(_, count)| **count == words.len()).map(|(id, _)| *id));
        if ids.is_empty() {
            let enough = |count: usize| ratio(count, words.len()) >= ENOUGH;
            ids.extend(shares.iter().filter(|(_, count)| enough(**count)).map(|(id, _)| *id));
        }
    }
    let names = entities::of_facts(db, ids.iter().copied())?;
    let stems: HashSet<&str> = words.iter().map(|word| word.token.stem.as_str()).collect();
    let mut hits = Vec::new();
    for fact in facts::many(db, audience, filter, ids)? {
        let by_stem = strength(&stems, &fact.terms, names.get(&fact.id).map_or(&[], Vec::as_slice));
        let by_sound = by_word.iter().map(|sounds| sounds.get(&fact.id)).collect::<Option<Vec<_>>>();
        let strength = match by_sound {
            Some(same) if same.iter().all(|same| **same) => by_stem.max(SAME_SOUND),
            Some(_) => by_stem.max(PART_OF_NAME),
            None => by_stem,
        };
        let score = trusted(strength, &fact);
        hits.push(Hit { fact, score, coverage: strength, matched: words.len() });
    }
    sort(&mut hits);
    Ok(hits)
}

/// Facts that mention `entity`, then facts that share other names with those.
pub(crate) fn related(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    entity: &str,
    call: &Call<'_>,
) -> Result<Vec<Hit>> {
    let mut hits = probe(db, audience, filter, entity, call)?;
    let mentioning: HashSet<i64> = hits.iter().map(|hit| hit.fact.id).collect();
    let stems: HashSet<String> = words_of(entity).into_iter().map(|word| word.token.stem).collect();
    let names = entities::of_facts(db, hits.iter().take(MAX_FOLLOWED).map(|hit| hit.fact.id))?;
    let others: HashMap<i64, &Entity> = names
        .values()
        .flatten()
        .filter(|name| !name.stems.split(' ').any(|stem| stems.contains(stem)))
        .map(|name| (name.id, name))
        .collect();
    let mut closeness: HashMap<i64, f64> = HashMap::new();
    for id in others.into_keys() {
        call.check()?;
        let sharing = entities::facts_with(db, id, MAX_SHARED)?;
        for fact in sharing.iter().filter(|fact| !mentioning.contains(fact)) {
            *closeness.entry(*fact).or_default() += ratio(1, sharing.len());
        }
    }
    let ids: Vec<i64> = closeness.keys().copied().collect();
    for fact in facts::many(db, audience, filter, ids)? {
        let near = closeness.get(&fact.id).copied().unwrap_or_default();
        let strength = 0.4 * near / (1.0 + near);
        hits.push(Hit { score: trusted(strength, &fact), coverage: strength, matched: 0, fact });
    }
    sort(&mut hits);
    Ok(hits)
}

/// Facts that mention most of the entities together; where none does, those that lead from one to another through a name
/// that they share; and where none does that either, what is known of each.
pub(crate) fn reason(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    entities: &[String],
    call: &Call<'_>,
) -> Result<Vec<Hit>> {
    let mut together: HashMap<i64, (Hit, HashSet<usize>)> = HashMap::new();
    for (number, entity) in entities.iter().enumerate() {
        for hit in probe(db, audience, filter, entity, call)? {
            match together.get_mut(&hit.fact.id) {
                Some((known, of)) => {
                    known.score += hit.score;
                    of.insert(number);
                }
                None => {
                    together.insert(hit.fact.id, (hit, HashSet::from([number])));
                }
            }
        }
    }
    let several = together.values().any(|(_, of)| of.len() > 1);
    let links = if several { HashSet::new() } else { links(db, &together, entities, call)? };
    let mut hits: Vec<Hit> = Vec::new();
    for (hit, of) in together.into_values() {
        let linked = links.contains(&hit.fact.id);
        if entities.len() > 1 && ((several && of.len() < 2) || (!links.is_empty() && !linked)) {
            continue;
        }
        let coverage = ratio(of.len(), entities.len());
        let score = hit.score / f64::from(u32::try_from(entities.len()).unwrap_or(u32::MAX));
        hits.push(Hit { score, coverage, matched: of.len(), fact: hit.fact });
    }
    sort(&mut hits);
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.matched));
    Ok(hits)
}

/// Facts about different entities that share another name, one that is not common.
fn links(
    db: &Connection,
    found: &HashMap<i64, (Hit, HashSet<usize>)>,
    entities: &[String],
    call: &Call<'_>,
) -> Result<HashSet<i64>> {
    let own: HashSet<String> =
        entities.iter().flat_map(|entity| words_of(entity)).map(|word| word.token.stem).collect();
    let mut sharing: HashMap<i64, Vec<i64>> = HashMap::new();
    for (fact, names) in entities::of_facts(db, found.keys().copied())? {
        for name in names.iter().filter(|name| !name.stems.split(' ').any(|stem| own.contains(stem))) {
            sharing.entry(name.id).or_default().push(fact);
        }
    }
    let mut links = HashSet::new();
    for (name, facts) in sharing {
        call.check()?;
        let of: HashSet<usize> =
            facts.iter().filter_map(|fact| found.get(fact)).flat_map(|(_, of)| of.iter().copied()).collect();
        if of.len() > 1 && entities::facts_with(db, name, MAX_SHARED)?.len() < usize::try_from(MAX_SHARED).unwrap_or(0)
        {
            links.extend(facts);
        }
    }
    Ok(links)
}

/// One word of a name and the FTS5 expression that finds it.
struct Word {
    token: Token,
    expression: String,
}

/// The words of a name. A word with an ending after an apostrophe (Kaya'nın) or with a Korean particle may also be
/// found without it.
fn words_of(entity: &str) -> Vec<Word> {
    let all = tokens(truncate_chars(entity, MAX_CHARS));
    let mut words: Vec<Word> = Vec::new();
    let mut end = 0;
    for (at, token) in all.iter().enumerate() {
        let run =
            token.kind == TokenKind::Gram && token.stem.chars().next().and_then(script_of) != Some(Script::Hangul);
        if token.start < end && !run {
            continue;
        }
        end = token.end;
        let parts: Vec<&Token> =
            all.iter().skip(at + 1).take_while(|part| part.start < token.end && part.end <= token.end).collect();
        let mut expression = quoted(&token.stem);
        if token.text.contains(['\'', '’'])
            && let Some(longest) = parts.iter().rev().max_by_key(|part| part.stem.chars().count())
        {
            expression.push_str(&format!(" OR {}", quoted(&longest.stem)));
        } else if let [pairs @ .., _] = parts.as_slice()
            && parts.iter().all(|part| part.kind == TokenKind::Gram)
            && !pairs.is_empty()
            && !run
        {
            let pairs: Vec<_> = pairs.iter().map(|part| quoted(&part.stem)).collect();
            expression.push_str(&format!(" OR ({})", pairs.join(" AND ")));
        }
        words.push(Word { token: token.clone(), expression });
    }
    words
}

fn matching(db: &Connection, audience: &Audience<'_>, expression: &str) -> Result<Vec<i64>> {
    let sql = format!(
        "SELECT f.fact_id FROM facts_fts JOIN facts f ON f.fact_id = facts_fts.rowid
         WHERE facts_fts MATCH ?3 AND {VISIBLE} ORDER BY facts_fts.rowid DESC LIMIT {MAX_MENTIONS}"
    );
    let mut select = db.prepare_cached(&sql)?;
    let ids = select.query_map((&audience.key, audience.platform, expression), |row| row.get(0))?;
    Ok(ids.collect::<Result<Vec<_>, _>>()?)
}

/// 1 for the very name, less for a part of a longer name, a phrase, and words that stand apart.
fn strength(stems: &HashSet<&str>, terms: &str, names: &[Entity]) -> f64 {
    let of_name = |name: &Entity| {
        let words: HashSet<&str> = name.stems.split(' ').collect();
        (words == *stems, stems.is_subset(&words))
    };
    if names.iter().any(|name| of_name(name).0) {
        return 1.0;
    }
    if names.iter().any(|name| of_name(name).1) {
        return PART_OF_NAME;
    }
    let longest_run = terms
        .split(' ')
        .fold((0, 0), |(longest, run), term| {
            let run = if stems.contains(term) { run + 1 } else { 0 };
            (longest.max(run), run)
        })
        .0;
    if longest_run >= stems.len() { 0.9 } else { 0.8 }
}
