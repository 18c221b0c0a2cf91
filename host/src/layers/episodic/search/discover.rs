//! From a query to the sessions that it is about, with the best passages of each.

use std::collections::{HashMap, HashSet};

use hermes_text::contains_normalized;
use rusqlite::{Connection, Result};

use super::Settings;
use super::filter::{self, Admitted, Filter, Head, Others, Reader, SessionInfo};
use super::find::{Bounds, Having};
use super::index::{self, Stored, for_each_text};
use super::passage::{Excerpt, Hit, excerpt};
use super::query::Query;
use super::rank::{Scale, number, of_role};

/// How much is looked at: first, and where too little of what that gave is admitted.
const BOUNDS: [Bounds; 3] = [
    Bounds { occurrences: 20_000, by_common: false, looked_at: 4000 },
    Bounds { occurrences: 200_000, by_common: true, looked_at: 40_000 },
    Bounds { occurrences: 4_000_000, by_common: true, looked_at: 800_000 },
];
const NO_BOUNDS: Bounds = Bounds { occurrences: usize::MAX, by_common: true, looked_at: usize::MAX };
/// As many sessions make a search good enough not to look further back.
const ENOUGH: usize = 3;
/// Of so many of the newest sessions the titles are looked at, where messages did not give enough; where they gave
/// nothing, of more.
const TITLES: i64 = 1000;
/// How many messages are weighed by their text.
const WEIGHED: usize = 120;
/// The same where nothing but phrases is asked for: the newest that have them.
const PHRASES: usize = 60;
/// So many are looked through for phrases at once.
const AT_ONCE: usize = 400;
/// Of the best so many the messages beside them are looked at too.
const BESIDE: usize = 60;
/// What a word is worth that a message lacks and one beside it has: next to it, and one further on.
const NEXT: f64 = 0.7;
const AFTER_NEXT: f64 = 0.4;
/// What a title counts that has the words, and what the newest message counts more than one of a year ago.
const TITLE: f64 = 0.15;
const RECENT: f64 = 0.1;
/// What it is worth that a question's phrase stands in a message as it was quoted. The name of a thing may be quoted as
/// well as somebody's words, and be spelt otherwise in the answer: a query that is nothing but phrases is strict.
const PHRASE: f64 = 0.5;
/// After so many days a message counts half as recent.
const RECENCY_DAYS: f64 = 60.0;
/// Sessions that are nobody's own come first all the same where the user's have less than this share of what they have.
const OWN: f64 = 0.3;
/// A query without words is looked for letter by letter in so many of the newest messages.
const LITERAL: i64 = 5000;
const DAY_MS: f64 = 86_400_000.0;

/// What is looked for, and how much of it is wanted.
#[derive(Clone, Debug)]
pub struct Discover<'a> {
    /// Any text.
    pub query: &'a str,
    /// What is admitted.
    pub filter: &'a Filter,
    /// How many sessions.
    pub sessions: usize,
    /// How many passages of each.
    pub passages: usize,
    /// How many characters a passage has at most.
    pub chars: usize,
    /// Every message that has a word is looked at, however many they are: to measure what the bounds cost.
    pub thorough: bool,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The best first.
    pub sessions: Vec<SessionFound>,
    /// Only the newest messages were looked at, where the query has no word.
    pub only_newest: Option<i64>,
}

/// A session, and why it was found.
#[derive(Clone, Debug)]
pub struct SessionFound {
    /// The session.
    pub session: SessionInfo,
    /// How well it fits.
    pub score: f64,
    /// Its best passages, the best first; none where only its title was found.
    pub passages: Vec<Passage>,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The number of the message.
    pub message: i64,
    /// Who said it.
    pub role: String,
    /// When, in Unix milliseconds.
    pub at_ms: i64,
    /// How well it fits.
    pub score: f64,
    /// What was said.
    pub excerpt: Excerpt,
}

struct Weighed {
    head: Head,
    score: f64,
}

/// Looks for a query.
pub(super) fn discover(db: &Connection, reader: &Reader, ask: &Discover<'_>, settings: &Settings) -> Result<Found> {
    let messages: i64 =
        db.prepare_cached("SELECT coalesce(max(id), 0) FROM messages")?.query_row([], |row| row.get(0))?;
    let Some(query) = Query::read(db, ask.query, messages, settings)? else { return Ok(Found::default()) };
    let mut admitted = Admitted::new(db, reader, ask.filter)?;
    if let Some(literal) = &query.literal {
        let weighed = literally(db, &mut admitted, literal)?;
        let sessions = gather(db, &mut admitted, &query, weighed, ask)?;
        return Ok(Found { sessions, only_newest: Some(LITERAL) });
    }
    let mut weighed = Vec::new();
    for bounds in if ask.thorough { &[NO_BOUNDS][..] } else { &BOUNDS } {
        let having = Having::find(db, &query, &admitted, settings, messages, *bounds)?;
        weighed = weigh(db, &mut admitted, &query, &having, bounds.looked_at)?;
        let is_all = !having.cut && (!having.spared || !weighed.is_empty());
        if is_all || weighed.len() >= ask.sessions.min(ENOUGH) {
            break;
        }
    }
    let mut sessions = gather(db, &mut admitted, &query, weighed, ask)?;
    if sessions.len() < ask.sessions {
        by_title(db, &admitted, ask, &mut sessions)?;
    }
    Ok(Found { sessions, only_newest: None })
}

/// A message, weighed by its text alone.
struct Own {
    head: Head,
    score: f64,
    /// What each word of the query adds to it.
    words: Vec<f64>,
    has_phrases: bool,
}

/// Weighs a message, if it is admitted as far as it tells itself.
fn own(db: &Connection, admitted: &Admitted<'_>, query: &Query, scale: &Scale<'_>, id: i64) -> Result<Option<Own>> {
    let mut select = db.prepare_cached(index::SELECT_ONE)?;
    let mut rows = select.query([id])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let message = Stored::read(row)?;
    let head = Head {
        id,
        session: message.session,
        audience: message.audience,
        role: message.role.to_owned(),
        at_ms: message.at_ms,
    };
    let has_phrases = scale.has_phrases(message.content);
    if !admitted.admits(&head) || (query.is_phrase && !has_phrases) {
        return Ok(None);
    }
    let mut own = Own { head, score: 0.0, words: vec![0.0; query.words.len()], has_phrases };
    for_each_text(&message, usize::MAX, |text| {
        let fit = scale.weigh(text);
        if fit.score > own.score {
            (own.score, own.words) = (fit.score, fit.words);
        }
    });
    Ok(Some(own))
}

/// Those of these messages that have the phrases, if nothing else is asked for; in the same order. Where the words of a
/// phrase are common most messages that have them do not have it: all are looked through in the order in which they lie
/// in the file, and nothing is read but what was said.
fn with_phrases(db: &Connection, query: &Query, scale: &Scale<'_>, ranked: &[(f64, i64)]) -> Result<Vec<i64>> {
    let ids = ranked.iter().map(|(_, id)| *id);
    if !query.is_phrase {
        return Ok(ids.collect());
    }
    let mut sorted: Vec<i64> = ids.clone().collect();
    sorted.sort_unstable();
    let mut having = HashSet::new();
    let mut select = db.prepare_cached("SELECT content FROM messages WHERE id = ?1")?;
    for id in sorted {
        let mut rows = select.query([id])?;
        if let Some(row) = rows.next()?
            && scale.has_phrases(row.get_ref(0)?.as_str()?)
        {
            having.insert(id);
        }
    }
    Ok(ids.filter(|id| having.contains(id)).collect())
}

/// The messages before and behind one in its session, then those one further on.
type Neighbours = [Option<i64>; 4];

/// What may be shown.
struct Candidates {
    read: HashMap<i64, Own>,
    neighbours: HashMap<i64, Neighbours>,
}

/// The best of what has the words, as far as it is admitted, and what stands beside it: who answers a question often
/// repeats no word of it.
fn candidates(
    db: &Connection,
    admitted: &mut Admitted<'_>,
    query: &Query,
    scale: &Scale<'_>,
    having: &Having,
    looked_at: usize,
) -> Result<Candidates> {
    let (mut read, mut neighbours): (HashMap<i64, Own>, HashMap<i64, Neighbours>) = (HashMap::new(), HashMap::new());
    let mut best = Vec::new();
    let ranked = having.best(looked_at);
    let enough = if query.is_phrase { PHRASES } else { WEIGHED };
    let (first, others) = ranked.split_at(ranked.len().min(2 * WEIGHED));
    'parts: for part in std::iter::once(first).chain(others.chunks(AT_ONCE)) {
        for id in with_phrases(db, query, scale, part)? {
            let Some(own) = own(db, admitted, query, scale, id)? else { continue };
            if admitted.session(db, own.head.session)?.is_some() {
                best.push((id, own.head.session));
                read.insert(id, own);
            }
            if best.len() == enough {
                break 'parts;
            }
        }
    }
    for (at, (id, session)) in best.into_iter().enumerate() {
        let around = around(db, session, id)?;
        let place = around.iter().position(|other| *other == id).unwrap_or(0);
        for (at, id) in around.iter().enumerate().filter(|(at, _)| at.abs_diff(place) <= 1) {
            neighbours.entry(*id).or_insert_with(|| beside(&around, at));
        }
        for id in neighbours.get(&id).into_iter().flatten().take(2).flatten().filter(|_| at < BESIDE) {
            if !read.contains_key(id)
                && let Some(own) = own(db, admitted, query, scale, *id)?
            {
                read.insert(*id, own);
            }
        }
    }
    Ok(Candidates { read, neighbours })
}

/// Weighs messages by their texts, and by what stands beside them.
fn weigh(
    db: &Connection,
    admitted: &mut Admitted<'_>,
    query: &Query,
    having: &Having,
    looked_at: usize,
) -> Result<Vec<Weighed>> {
    let scale = Scale::new(query);
    let Candidates { read, neighbours } = candidates(db, admitted, query, &scale, having, looked_at)?;
    let newest = read.values().map(|own| own.head.at_ms).max().unwrap_or(0);
    let mut weighed = Vec::new();
    for (id, own) in &read {
        let mut all = own.words.clone();
        for (at, other) in neighbours.get(id).into_iter().flatten().enumerate() {
            let Some(other) = other else { continue };
            let near = if at < 2 { NEXT } else { AFTER_NEXT };
            // A word counts once, where it counts most: a name that all of them say tells nothing more.
            let mut take = |word: usize, worth: f64| {
                if let Some(all) = all.get_mut(word) {
                    *all = all.max(worth * near);
                }
            };
            match read.get(other) {
                Some(other) => other.words.iter().enumerate().for_each(|(word, worth)| take(word, *worth)),
                None => having.of(*other).iter().for_each(|(_, word, worth)| {
                    take(usize::try_from(*word).unwrap_or(usize::MAX), worth / query.total());
                }),
            }
        }
        let context = all.iter().sum::<f64>() - own.words.iter().sum::<f64>();
        let title = admitted.session(db, own.head.session)?.and_then(|session| session.title.as_deref());
        let title = title.map_or(0.0, |title| scale.weigh(title).score.min(1.0));
        let days = number_of_days(newest - own.head.at_ms);
        let recent = RECENT * 0.5_f64.powf(days / RECENCY_DAYS);
        let phrase = if own.has_phrases && !query.phrases.is_empty() { PHRASE } else { 0.0 };
        let score = (own.score + context) * of_role(&own.head.role) * (1.0 + TITLE * title + recent + phrase);
        if score > 0.0 {
            weighed.push(Weighed { head: own.head.clone(), score });
        }
    }
    Ok(weighed)
}

fn number_of_days(ms: i64) -> f64 {
    number(usize::try_from(ms.max(0) / 1000).unwrap_or(usize::MAX)) * 1000.0 / DAY_MS
}

/// A message of a session among three before and three behind it, ascending.
fn around(db: &Connection, session: i64, id: i64) -> Result<Vec<i64>> {
    let mut around = Vec::with_capacity(7);
    let mut before =
        db.prepare_cached("SELECT id FROM messages WHERE session = ?1 AND id < ?2 ORDER BY id DESC LIMIT 3")?;
    before.query_map((session, id), |row| row.get(0))?.try_for_each(|id| id.map(|id| around.push(id)))?;
    around.reverse();
    let mut from = db.prepare_cached("SELECT id FROM messages WHERE session = ?1 AND id >= ?2 ORDER BY id LIMIT 4")?;
    from.query_map((session, id), |row| row.get(0))?.try_for_each(|id| id.map(|id| around.push(id)))?;
    Ok(around)
}

/// Of one at a place.
fn beside(around: &[i64], at: usize) -> Neighbours {
    let before = |by: usize| at.checked_sub(by).and_then(|at| around.get(at).copied());
    let behind = |by: usize| around.get(at + by).copied();
    [before(1), behind(1), before(2), behind(2)]
}

/// Messages that hold a text letter by letter, among the newest.
fn literally(db: &Connection, admitted: &mut Admitted<'_>, literal: &str) -> Result<Vec<Weighed>> {
    let mut select = db
        .prepare_cached("SELECT id, session, audience, role, at_ms, content FROM messages ORDER BY id DESC LIMIT ?1")?;
    let mut rows = select.query([LITERAL])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if found.len() >= WEIGHED || !contains_normalized(row.get_ref(5)?.as_str()?, literal) {
            continue;
        }
        let head = Head {
            id: row.get(0)?,
            session: row.get(1)?,
            audience: row.get(2)?,
            role: row.get(3)?,
            at_ms: row.get(4)?,
        };
        if admitted.admits(&head) && admitted.session(db, head.session)?.is_some() {
            let score = of_role(&head.role) / (1.0 + number(found.len()) / number(WEIGHED));
            found.push(Weighed { head, score });
        }
    }
    Ok(found)
}

/// Puts messages together by their sessions, and cuts out what was found.
fn gather(
    db: &Connection,
    admitted: &mut Admitted<'_>,
    query: &Query,
    mut weighed: Vec<Weighed>,
    ask: &Discover<'_>,
) -> Result<Vec<SessionFound>> {
    weighed.sort_by(|one, other| other.score.total_cmp(&one.score).then(other.head.id.cmp(&one.head.id)));
    let mut sessions: Vec<(f64, SessionInfo, Vec<Weighed>)> = Vec::new();
    let mut places: HashMap<i64, usize> = HashMap::new();
    for message in weighed {
        let place = match places.get(&message.head.session) {
            Some(place) => *place,
            None => {
                let Some(session) = admitted.session(db, message.head.session)?.cloned() else { continue };
                places.insert(session.id, sessions.len());
                sessions.push((message.score, session, Vec::new()));
                sessions.len() - 1
            }
        };
        if let Some((.., messages)) = sessions.get_mut(place).filter(|(.., messages)| messages.len() < ask.passages) {
            messages.push(message);
        }
    }
    if admitted.others() == Others::Last {
        let best = sessions.iter().map(|(score, ..)| *score).fold(0.0, f64::max);
        let is_behind = |(score, session, _): &(f64, SessionInfo, Vec<Weighed>)| {
            let is_weak = *score < OWN * best;
            if session.is_own() { u8::from(is_weak) * 2 } else { 1 }
        };
        sessions.sort_by_key(is_behind);
    }
    sessions.truncate(ask.sessions);
    let scale = Scale::new(query);
    let sessions = sessions.into_iter().map(|(score, session, messages)| {
        let passages = messages.into_iter().map(|message| passage(db, &scale, query, message, ask.chars));
        Ok(SessionFound { session, score, passages: passages.collect::<Result<_>>()? })
    });
    sessions.collect()
}

/// Cuts the best part out of a message.
fn passage(db: &Connection, scale: &Scale<'_>, query: &Query, message: Weighed, chars: usize) -> Result<Passage> {
    let mut select = db.prepare_cached(index::SELECT_ONE)?;
    let mut rows = select.query([message.head.id])?;
    let mut best: Option<(f64, Excerpt)> = None;
    if let Some(row) = rows.next()? {
        for_each_text(&Stored::read(row)?, usize::MAX, |text| {
            let mut hits = scale.weigh_long(text).hits;
            hits.extend(query.literal.iter().flat_map(|literal| literal_hits(text, literal)));
            let worth: f64 = hits.iter().map(|hit| hit.worth).sum();
            if best.as_ref().is_none_or(|(other, _)| worth > *other) {
                best = Some((worth, excerpt(text, &hits, chars)));
            }
        });
    }
    let Weighed { head: Head { id, role, at_ms, .. }, score } = message;
    let excerpt = best.map(|(_, excerpt)| excerpt).unwrap_or_default();
    Ok(Passage { message: id, role, at_ms, score, excerpt })
}

fn literal_hits(text: &str, literal: &str) -> Vec<Hit> {
    text.match_indices(literal)
        .map(|(start, what)| Hit { start, end: start + what.len(), word: 0, worth: 1.0 })
        .collect()
}

/// Adds sessions whose title has words of the query, where messages did not give enough.
fn by_title(
    db: &Connection,
    admitted: &Admitted<'_>,
    ask: &Discover<'_>,
    sessions: &mut Vec<SessionFound>,
) -> Result<()> {
    let words: Vec<String> = hermes_text::tokens(ask.query).into_iter().map(|token| token.folded()).collect();
    if ask.filter.roles.iter().any(|role| role != "user") || words.is_empty() {
        return Ok(());
    }
    // The database knows no case but that of ASCII, and it is mostly the first letter that has another.
    let longest = words.iter().max_by_key(|word| word.chars().count()).map(String::as_str).unwrap_or_default();
    let rest = longest.chars().skip(usize::from(!longest.is_ascii())).collect::<String>();
    let which = "s.id IN (SELECT id FROM sessions WHERE title IS NOT NULL ORDER BY last_ms DESC LIMIT ?1)
        AND s.title LIKE ?2 ORDER BY s.last_ms DESC, s.id DESC";
    let newest = if sessions.is_empty() { 20 * TITLES } else { TITLES };
    let titled = filter::sessions_where(db, which, &[&newest, &format!("%{rest}%")])?;
    for session in titled {
        if sessions.len() >= ask.sessions {
            break;
        }
        let title = session.title.as_deref().unwrap_or_default();
        let has: Vec<String> = hermes_text::tokens(title).into_iter().map(|token| token.folded()).collect();
        let is_wanted = admitted.admits_session(&session)
            && filter::is_audible(db, admitted, session.id)?
            && ask.filter.since.is_none_or(|since| session.last_ms >= since)
            && ask.filter.until.is_none_or(|until| session.started_ms < until)
            && sessions.iter().all(|found| found.session.id != session.id)
            && words.iter().all(|word| has.contains(word));
        if is_wanted {
            sessions.push(SessionFound { session, score: 0.0, passages: Vec::new() });
        }
    }
    Ok(())
}
