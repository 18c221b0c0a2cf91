//! Facts that mention something: a person, a place, a tool, any word.
//!
//! A mention is looked for in the word index, where every word is, and among the names by sound. That a name was
//! recognised as such only raises the rank.

use std::collections::{HashMap, HashSet};

use hermes_provider_api::Call;
use hermes_text::{Script, Token, TokenKind, script_of, tokens, truncate_chars};
use rusqlite::Connection;

use super::rows::Rows;
use super::{Found, Hit, load, ratio, sort};
use crate::audience::Audience;
use crate::entities::{self, Entity};
use crate::error::Result;
use crate::facts::Filter;
use crate::index::{Lists, Map, Numbers, Packed, Word, joined, shared};

/// How sure it is that a fact with the name as a part of a longer one, or with another spelling of it, means it.
pub(crate) const PART_OF_NAME: f64 = 0.95;
/// The same where it sounds alike in the same alphabet: the name in another case.
const SAME_SOUND: f64 = 0.99;
/// What a fact that has another name of the same is worth.
const OTHER_NAME: f64 = 0.98;
/// A name is not longer.
const MAX_CHARS: usize = 200;
/// No more facts than this are looked at for one name, the newest.
const MAX_MENTIONS: usize = 300;
/// No more than these of each of its words are looked through for facts that have all of them; and of a name that no fact
/// has as such, no more than these.
const MAX_NEWEST: usize = 10_000;
const MAX_LISTED: usize = 200_000;
/// Facts whose other names are followed from one name, how common such a name may be, and to how many facts they lead.
const MAX_FOLLOWED: usize = 50;
const MAX_SHARED: usize = 50;
const MAX_NEAR: usize = 200;
/// The share of the words of a name that will do when no fact has them all («доктор Анна Смирнова»).
const ENOUGH: f64 = 0.6;

/// The best `limit` facts that mention `entity` by any of its names.
pub(crate) fn probe(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    entity: &str,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<Hit>> {
    answered(db, audience, filter, mentioning(db, audience, filter, entity, call)?, limit)
}

/// Reads the best of them.
fn answered(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    mut found: Vec<Found>,
    limit: usize,
) -> Result<Vec<Hit>> {
    found.truncate(limit);
    load(db, audience, filter, found)
}

/// The same without the facts themselves, and all of them.
pub(crate) fn mentioning(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    entity: &str,
    call: &Call<'_>,
) -> Result<Vec<Found>> {
    let entity = truncate_chars(entity, MAX_CHARS);
    let mut found = by_name(db, audience, filter, entity, call)?;
    let mut known: HashSet<i64> = found.iter().map(|found| found.id).collect();
    for other in entities::other_names(db, audience, entity)? {
        for more in by_name(db, audience, filter, &other, call)? {
            if known.insert(more.id) {
                found.push(Found { score: more.score * OTHER_NAME, ..more });
            }
        }
    }
    sort(&mut found);
    Ok(found)
}

/// Facts that mention `entity` by this name.
fn by_name(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    entity: &str,
    call: &Call<'_>,
) -> Result<Vec<Found>> {
    // A title is not looked for: «г-н Орлов» may stand as «Орлов» in a fact, 佐藤さん as 佐藤.
    let bare = entities::names::bare(entity);
    let name = if bare == entities::USER { entity } else { &bare };
    let words = words_of(name);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let numbers = Numbers::of(&audience.key);
    let mut lists = Lists::new(db)?;
    let named: HashSet<i64> = entities::facts_named(db, name, MAX_MENTIONS)?.into_iter().collect();
    let mut having = listed(&words, &mut lists, numbers, MAX_NEWEST)?;
    let mut all = in_all(&having);
    if named.is_empty() && all.len() < MAX_MENTIONS && having.iter().any(|list| list.len() >= MAX_NEWEST) {
        having = listed(&words, &mut lists, numbers, MAX_LISTED)?;
        all = in_all(&having);
    }
    let mut ids: HashSet<i64> = all.into_iter().take(MAX_MENTIONS).collect();
    let mut by_word: Vec<HashMap<i64, bool>> = Vec::new();
    for word in &words {
        call.check()?;
        by_word.push(entities::sounding(db, &word.token)?);
    }
    if ids.is_empty() || by_word.iter().any(|sounds| !sounds.is_empty()) {
        let mut shares: Map<i64, usize> = Map::default();
        for (list, sounds) in having.iter().zip(&by_word) {
            let mut having: HashSet<i64> = list.iter().copied().take(MAX_MENTIONS).collect();
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
    ids.extend(&named);
    call.check()?;
    let stems: HashSet<&str> = words.iter().map(|word| word.token.stem.as_str()).collect();
    let own: HashSet<Word> = stems.iter().map(|stem| numbers.word(stem)).collect();
    let others = ids.iter().copied().filter(|id| !named.contains(id));
    let by_name = entities::strongest(db, others, |name| of_name(&stems, name))?;
    let mut found = Vec::new();
    Rows::new(db, audience, filter).each(&mut ids.into_iter().collect::<Vec<_>>(), |fact| {
        let by_stem = match (named.contains(&fact.id), by_name.get(&fact.id)) {
            (true, _) => 1.0,
            (false, Some(worth)) => *worth,
            (false, None) => in_text(&own, fact.words),
        };
        let by_sound = by_word.iter().map(|sounds| sounds.get(&fact.id)).collect::<Option<Vec<_>>>();
        let strength = match by_sound {
            Some(same) if same.iter().all(|same| **same) => by_stem.max(SAME_SOUND),
            Some(_) => by_stem.max(PART_OF_NAME),
            None => by_stem,
        };
        found.push(Found { id: fact.id, score: fact.trusted(strength), coverage: strength, matched: words.len() });
    })?;
    sort(&mut found);
    Ok(found)
}

/// Facts that mention `entity`, then facts that share other names with those.
pub(crate) fn related(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    entity: &str,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<Hit>> {
    let mut found = mentioning(db, audience, filter, entity, call)?;
    let mentioned: HashSet<i64> = found.iter().map(|found| found.id).collect();
    let stems: HashSet<String> = words_of(entity).into_iter().map(|word| word.token.stem).collect();
    let names = entities::of_facts(db, found.iter().take(MAX_FOLLOWED).map(|found| found.id))?;
    let others: HashMap<i64, &Entity> = names
        .values()
        .flatten()
        .filter(|name| !name.stems.split(' ').any(|stem| stems.contains(stem)))
        .map(|name| (name.id, name))
        .collect();
    let mut closeness: Map<i64, f64> = Map::default();
    for id in others.into_keys() {
        call.check()?;
        let sharing = entities::facts_with(db, id, MAX_SHARED)?;
        for fact in sharing.iter().filter(|fact| !mentioned.contains(fact)) {
            *closeness.entry(*fact).or_default() += ratio(1, sharing.len());
        }
    }
    let mut nearest: Vec<(f64, i64)> = closeness.iter().map(|(id, near)| (*near, *id)).collect();
    nearest.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    nearest.truncate(MAX_NEAR);
    Rows::new(db, audience, filter).each(&mut nearest.into_iter().map(|(_, id)| id).collect::<Vec<_>>(), |fact| {
        let near = closeness.get(&fact.id).copied().unwrap_or_default();
        let strength = 0.4 * near / (1.0 + near);
        found.push(Found { id: fact.id, score: fact.trusted(strength), coverage: strength, matched: 0 });
    })?;
    sort(&mut found);
    answered(db, audience, filter, found, limit)
}

/// Facts that mention most of the entities together; where none does, those that lead from one to another through a name
/// that they share; and where none does that either, what is known of each.
pub(crate) fn reason(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    entities: &[String],
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<Hit>> {
    let mut together: Together = HashMap::new();
    let mut followed = Vec::new();
    for (number, entity) in entities.iter().enumerate() {
        let mentions = mentioning(db, audience, filter, entity, call)?;
        followed.extend(mentions.iter().take(MAX_FOLLOWED).map(|found| found.id));
        for found in mentions {
            let (known, of) = together.entry(found.id).or_insert((Found { score: 0.0, ..found }, HashSet::new()));
            known.score += found.score;
            of.insert(number);
        }
    }
    let several = together.values().any(|(_, of)| of.len() > 1);
    let links = if several { HashSet::new() } else { links(db, &together, followed, entities, call)? };
    let mut found: Vec<Found> = Vec::new();
    for (one, of) in together.into_values() {
        let linked = links.contains(&one.id);
        if entities.len() > 1 && ((several && of.len() < 2) || (!links.is_empty() && !linked)) {
            continue;
        }
        let coverage = ratio(of.len(), entities.len());
        let score = one.score / f64::from(u32::try_from(entities.len()).unwrap_or(u32::MAX));
        found.push(Found { id: one.id, score, coverage, matched: of.len() });
    }
    sort(&mut found);
    found.sort_by_key(|found| std::cmp::Reverse(found.matched));
    answered(db, audience, filter, found, limit)
}

/// Facts, and which of several entities they mention.
type Together = HashMap<i64, (Found, HashSet<usize>)>;

/// Facts about different entities that share another name, one that is not common.
fn links(
    db: &Connection,
    found: &Together,
    mut followed: Vec<i64>,
    entities: &[String],
    call: &Call<'_>,
) -> Result<HashSet<i64>> {
    followed.sort_unstable();
    followed.dedup();
    let own: HashSet<String> =
        entities.iter().flat_map(|entity| words_of(entity)).map(|word| word.token.stem).collect();
    let mut sharing: HashMap<i64, Vec<i64>> = HashMap::new();
    for (fact, names) in entities::of_facts(db, followed)? {
        for name in names.iter().filter(|name| !name.stems.split(' ').any(|stem| own.contains(stem))) {
            sharing.entry(name.id).or_default().push(fact);
        }
    }
    let mut links = HashSet::new();
    for (name, facts) in sharing {
        call.check()?;
        let of: HashSet<usize> =
            facts.iter().filter_map(|fact| found.get(fact)).flat_map(|(_, of)| of.iter().copied()).collect();
        if of.len() > 1 && entities::facts_with(db, name, MAX_SHARED)?.len() < MAX_SHARED {
            links.extend(facts);
        }
    }
    Ok(links)
}

/// One word of a name.
struct NameWord {
    token: Token,
    /// What finds it: all terms of one of these.
    any: Vec<Vec<String>>,
}

impl NameWord {
    /// The facts that have it, newest first; looked for among the newest `most` of each term.
    fn having(&self, lists: &mut Lists<'_>, numbers: Numbers, most: usize) -> Result<Vec<i64>> {
        let mut having = Vec::new();
        for all in &self.any {
            let words: Vec<Word> = all.iter().map(|term| numbers.word(term)).collect();
            let more = lists.with_all(&words, most)?;
            having = if having.is_empty() { more } else { joined(having, more) };
        }
        Ok(having)
    }
}

/// The facts that have each of the words.
fn listed(words: &[NameWord], lists: &mut Lists<'_>, numbers: Numbers, most: usize) -> Result<Vec<Vec<i64>>> {
    words.iter().map(|word| word.having(lists, numbers, most)).collect()
}

/// What is in all of the lists.
fn in_all(lists: &[Vec<i64>]) -> Vec<i64> {
    let mut lists: Vec<&Vec<i64>> = lists.iter().collect();
    lists.sort_by_key(|list| list.len());
    let first = lists.first().map_or_else(Vec::new, |list| (*list).clone());
    lists.into_iter().skip(1).fold(first, |all, list| shared(&all, list))
}

/// The words of a name. A word with an ending after an apostrophe (Kaya'nın) or with a Korean particle may also be
/// found without it.
fn words_of(entity: &str) -> Vec<NameWord> {
    let all = tokens(truncate_chars(entity, MAX_CHARS));
    let mut words: Vec<NameWord> = Vec::new();
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
        let mut any = vec![vec![token.stem.clone()]];
        if token.text.contains(['\'', '’'])
            && let Some(longest) = parts.iter().rev().max_by_key(|part| part.stem.chars().count())
        {
            any.push(vec![longest.stem.clone()]);
        } else if let [pairs @ .., _] = parts.as_slice()
            && parts.iter().all(|part| part.kind == TokenKind::Gram)
            && !pairs.is_empty()
            && !run
        {
            any.push(pairs.iter().map(|part| part.stem.clone()).collect());
        }
        words.push(NameWord { token: token.clone(), any });
    }
    words
}

/// 1 where a name is this one, less where this one is a part of it.
fn of_name(stems: &HashSet<&str>, name: &str) -> Option<f64> {
    let words: HashSet<&str> = name.split(' ').collect();
    match words == *stems {
        true => Some(1.0),
        false => stems.is_subset(&words).then_some(PART_OF_NAME),
    }
}

/// How sure it is of words that are no name in the text: less where they stand apart.
fn in_text(own: &HashSet<Word>, words: Packed<'_>) -> f64 {
    let (longest, _) = words.head().fold((0, 0), |(longest, run), word| {
        let run = if own.contains(&word) { run + 1 } else { 0 };
        (longest.max(run), run)
    });
    if longest >= own.len() { 0.9 } else { 0.8 }
}
