//! `hermes sessions search`.

mod pager;

use std::sync::Arc;

use clap::builder::styling::AnsiColor;
use serde_json::{Value, json};

use super::{Place, when};
use crate::cli::{Context, Exit};
use crate::clock::utc;
use crate::db::Db;
use crate::error::Failure;
use crate::guard::fence;
use crate::layers::episodic::search::{
    Discover, Excerpt, Filter, Found, Others, Passage, Progress, Reader, Searcher, SessionFound, Settings,
};
use crate::open::ago;

/// How many messages that are not in the index yet are entered before a search.
const CAUGHT_UP: i64 = 20_000;
/// The longest title in a listing, in characters.
const TITLE: usize = 80;

/// What to look for.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes sessions search \"which port did we choose for the gateway\"
  hermes sessions search '\"exactly this\"' deplo* --since 30d
  hermes sessions search 网关 --platform telegram --open
  hermes sessions search -- --force")]
pub(super) struct Search {
    /// Words in any language and form, all in any order; \"in quotes\" for a phrase, begin* for the beginning of a word
    #[arg(required = true)]
    query: Vec<String>,
    /// At most so many sessions
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 10)]
    limit: usize,
    /// At most so many passages of each
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    passages: usize,
    /// Only what was said since: `2026-01-05`, or so long ago: `12h`, `30d`, `2w`
    #[arg(long, value_name = "WHEN", value_parser = when::parse)]
    since: Option<when::When>,
    /// Only what was said before: a date or an age
    #[arg(long, value_name = "WHEN", value_parser = when::parse)]
    until: Option<when::When>,
    #[command(flatten)]
    place: Place,
    /// Only what was said by
    #[arg(long, value_name = "ROLE", value_parser = ["user", "assistant", "tool", "system"])]
    role: Vec<String>,
    /// Only of this session; may be repeated
    #[arg(long, value_name = "ID")]
    session: Vec<String>,
    /// Not of this session; may be repeated
    #[arg(long, value_name = "ID")]
    not_session: Vec<String>,
    /// Sessions of scheduled jobs and of helpers
    #[arg(long, value_name = "WHERE", default_value = "last")]
    others: Where,
    /// Open a session that was found in the pager, at what was found: the first, or the one of this number
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, default_missing_value = "1", require_equals = true)]
    open: Option<usize>,
}

/// Where sessions come that are nobody's own.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Where {
    /// After your own
    Last,
    /// Among them
    Mixed,
    /// Nowhere
    None,
}

impl Search {
    fn filter(&self, now: u64) -> Filter {
        let at = |when: Option<when::When>| when.map(|when| i64::try_from(when.at(now)).unwrap_or(i64::MAX));
        Filter {
            since: at(self.since),
            until: at(self.until),
            platform: self.place.platform.clone(),
            chat: self.place.chat.clone(),
            user: self.place.user.clone(),
            project: self.place.project.clone(),
            roles: self.role.clone(),
            sessions: self.session.clone(),
            not_sessions: self.not_session.clone(),
            others: match self.others {
                Where::Last => Others::Last,
                Where::Mixed => Others::Mixed,
                Where::None => Others::None,
            },
        }
    }
}

pub(super) fn run(search: &Search, context: &Context) -> Result<Exit, Failure> {
    let settings = Settings::from(&context.config);
    let Some(db) = database(context)? else {
        return none_at_all(context);
    };
    let searcher = Searcher::new(Arc::clone(&db), settings);
    searcher.catch_up(CAUGHT_UP);
    let (now, query) = (context.clock.now(), search.query.join(" "));
    let filter = search.filter(now);
    let (sessions, passages) = (search.limit.max(search.open.unwrap_or(0)), search.passages.max(1));
    let ask = Discover { query: &query, filter: &filter, sessions, passages, chars: 300, thorough: false };
    let found = searcher.discover(&Reader::Owner, &ask)?;
    if let Some(number) = search.open {
        let session = number.checked_sub(1).and_then(|at| found.sessions.get(at));
        let session = session.ok_or_else(|| Failure::new(format!("no session number {number} was found")))?;
        return pager::open(session, db, context);
    }
    let progress = searcher.progress()?;
    if context.json {
        context.ui.json(&to_json(&found, &query, progress));
        return Ok(Exit::Success);
    }
    for (at, session) in found.sessions.iter().enumerate() {
        show(at + 1, session, now, context);
        if context.ui.is_closed() {
            return Ok(Exit::Success);
        }
    }
    if found.sessions.is_empty() {
        context.ui.note("nothing was found");
    }
    remarks(&found, progress, context);
    Ok(Exit::Success)
}

/// The home's database; None where nothing was ever recorded.
pub(super) fn database(context: &Context) -> Result<Option<Arc<Db>>, Failure> {
    if !context.home.database().exists() {
        return Ok(None);
    }
    let opened = Db::open(&context.home)?;
    opened.warning.iter().for_each(|warning| context.ui.warn(warning));
    Ok(Some(Arc::new(opened.db)))
}

fn none_at_all(context: &Context) -> Result<Exit, Failure> {
    if context.json {
        context.ui.json(&json!({"sessions": []}));
    } else {
        context.ui.note("nothing is recorded yet");
    }
    Ok(Exit::Success)
}

fn remarks(found: &Found, progress: Progress, context: &Context) {
    if let Some(newest) = found.only_newest {
        context.ui.note(format!("the query has no words: only the newest {newest} messages were looked at"));
    }
    if !progress.on {
        context.ui.warn("the index is off: only the newest messages were looked at");
        context.ui.note("hint: `hermes config set sessions.index true`, then `hermes sessions reindex`");
    } else if progress.is_behind() {
        context.ui.warn(format!("{} messages are not in the index yet", progress.behind));
        context.ui.note("hint: run `hermes sessions reindex`");
    }
}

fn show(number: usize, found: &SessionFound, now: u64, context: &Context) {
    let session = &found.session;
    let title = session.title.as_deref().map_or("(no title)".into(), |title| fence::shorten(title, TITLE));
    let title = title.replace(['\n', '\r'], " ");
    let mut line = format!("{number}. {}  {title}  {}", session.name, ago(session.last_ms.cast_unsigned(), now));
    for more in [session.platform.as_str(), if session.is_own() { "" } else { &session.context }] {
        if !more.is_empty() {
            line.push_str(&format!(", {more}"));
        }
    }
    context.ui.out(line);
    for passage in &found.passages {
        let before = format!("   {}, {}: ", passage.role, utc(passage.at_ms.cast_unsigned()));
        let text = passage.excerpt.text.replace(['\n', '\r', '\t'], " ");
        let mut pieces = vec![(before.as_str(), false)];
        pieces.extend(pieces_of(&passage.excerpt, &text));
        context.ui.out_pieces(AnsiColor::Yellow, &pieces);
    }
}

/// An excerpt as pieces, those marked that were found. `text` is its text, as it is shown.
fn pieces_of<'t>(excerpt: &Excerpt, text: &'t str) -> Vec<(&'t str, bool)> {
    let (mut pieces, mut done) = (Vec::new(), 0);
    if excerpt.cut_before {
        pieces.push(("…", false));
    }
    for (from, to) in &excerpt.hits {
        pieces.extend([(&text[done..*from], false), (&text[*from..*to], true)]);
        done = *to;
    }
    pieces.push((&text[done..], false));
    if excerpt.cut_after {
        pieces.push(("…", false));
    }
    pieces
}

fn to_json(found: &Found, query: &str, progress: Progress) -> Value {
    let passage = |passage: &Passage| {
        let Excerpt { text, hits, cut_before, cut_after } = &passage.excerpt;
        json!({
            "message": passage.message, "role": passage.role, "at_ms": passage.at_ms, "score": passage.score,
            "text": text, "hits": hits, "cut_before": cut_before, "cut_after": cut_after,
        })
    };
    let session = |found: &SessionFound| {
        let session = &found.session;
        json!({
            "session": session.name, "title": session.title, "platform": session.platform, "context": session.context,
            "parent": session.parent, "started_ms": session.started_ms, "last_ms": session.last_ms,
            "messages": session.messages, "score": found.score,
            "passages": found.passages.iter().map(passage).collect::<Vec<_>>(),
        })
    };
    json!({
        "query": query, "sessions": found.sessions.iter().map(session).collect::<Vec<_>>(),
        "only_newest": found.only_newest,
        "index": {"on": progress.on, "behind": progress.behind, "messages": progress.messages},
    })
}
