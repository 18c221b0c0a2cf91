//! Facts: what is kept of one, and reading them. Changes are in [`write`], what they replace in [`crate::history`].

mod fold;
mod write;

use hermes_provider_api::records::{Origin, UnixMillis};
use hermes_provider_api::{ProviderError, Scope};
use hermes_text::char_count;
use rusqlite::types::{FromSql, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row};
use serde_json::{Value, json};

use crate::audience::{Audience, VISIBLE, WITHIN};
use crate::config::Settings;
use crate::dates::rfc3339;
use crate::error::Result;

pub(crate) use fold::{bag, bag_of, digest, telling, terms_of};
pub(crate) use write::{
    Added, Change, Feedback, NewFact, Past, add, compact, derive_all, find_same, forget, index, shifted, unindex,
    update,
};

/// The longest content, in Unicode scalar values.
pub(crate) const MAX_CONTENT: usize = 8000;
/// The only categories.
pub(crate) const CATEGORIES: [&str; 4] = ["user_pref", "project", "tool", "general"];
/// What a new fact is trusted with, unless the settings say otherwise.
pub(crate) const FIRST_TRUST: f64 = 0.5;

/// The columns of `facts` that [`read`] reads.
pub(crate) const COLUMNS: &str = "f.fact_id, f.content, f.words, f.category, f.tags, f.trust, f.created_ms, f.updated_ms, f.retrieval_count, \
     f.helpful_count, f.unhelpful_count, f.scope, f.origin, f.source, f.used_ms, f.valid_from_ms, f.valid_to_ms, \
     f.recorded_ms, f.merged_into";

/// A stored fact.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub id: i64,
    pub content: String,
    /// Terms of content and tags as the row keeps them, see [`crate::index::Packed`]; none in a former version.
    pub words: Vec<u8>,
    pub category: String,
    pub tags: Vec<String>,
    pub trust: f64,
    /// The trust that counts in a ranking: less for an old fact where the settings say so.
    pub standing: f64,
    pub created: UnixMillis,
    pub updated: UnixMillis,
    /// When it was last given to somebody; 0 for never.
    pub used: UnixMillis,
    pub retrieval_count: i64,
    pub helpful_count: i64,
    pub unhelpful_count: i64,
    pub scope: Scope,
    pub origin: Origin,
    pub source: Source,
    /// Since when it is so in the world.
    pub valid_from: UnixMillis,
    /// When it ceased to be so.
    pub valid_to: Option<UnixMillis>,
    /// When these words were stored.
    pub recorded: UnixMillis,
    /// The fact that took it in.
    pub merged_into: Option<i64>,
}

/// How a fact came into the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Source {
    /// A model's call of the tool.
    #[default]
    Tool,
    /// The user's own wish.
    User,
    /// The curated memory.
    Mirror,
    /// It was read out of a conversation.
    Extraction,
    /// Another memory.
    Import,
}

impl Source {
    const ALL: [Self; 5] = [Self::Tool, Self::User, Self::Mirror, Self::Extraction, Self::Import];

    /// Its name in the file and in answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::User => "user",
            Self::Mirror => "mirror",
            Self::Extraction => "extraction",
            Self::Import => "import",
        }
    }
}

impl FromSql for Source {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = value.as_str()?;
        Ok(Self::ALL.into_iter().find(|source| source.name() == name).unwrap_or_default())
    }
}

/// Which facts are asked for, and how they age.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub category: Option<String>,
    pub min_trust: f64,
    /// Only what was so at this time.
    pub at: Option<UnixMillis>,
    /// Only what has not ended at this time; what is yet to come is admitted. Also what ages are counted to.
    pub now: UnixMillis,
    /// After so many days without a change the trust in a fact counts half; 0 for never.
    pub half_life_days: f64,
}

impl Filter {
    /// Facts of some trust that hold now, aging as the settings say.
    pub(crate) fn current(settings: &Settings, min_trust: f64, now: UnixMillis) -> Self {
        Self { category: None, min_trust, at: None, now, half_life_days: settings.half_life_days }
    }

    /// Whether neither the category of a fact matters nor when it began to be so.
    pub(crate) fn is_plain(&self) -> bool {
        self.category.is_none() && self.at.is_none()
    }

    /// Whether trust fades.
    pub(crate) fn ages(&self) -> bool {
        self.half_life_days > 0.0
    }

    /// Whether a fact is asked for.
    pub(crate) fn admits(&self, fact: &Fact) -> bool {
        self.fits(fact.trust, &fact.category, fact.valid_from, fact.valid_to)
    }

    /// The same by what counts for it.
    pub(crate) fn fits(&self, trust: f64, category: &str, from: UnixMillis, to: Option<UnixMillis>) -> bool {
        let then = self.at.is_none_or(|at| from <= at && to.is_none_or(|end| at < end));
        let ended = self.at.is_none() && self.now > 0 && to.is_some_and(|end| end <= self.now);
        let same_category = self.category.as_ref().is_none_or(|asked| asked == category);
        trust >= self.min_trust && then && !ended && same_category
    }

    /// The fact with its standing at this time.
    pub(crate) fn aged(&self, mut fact: Fact) -> Fact {
        fact.standing = self.standing(fact.trust, fact.updated.max(fact.used));
        fact
    }

    /// What a trust counts that nobody has touched since then.
    pub(crate) fn standing(&self, trust: f64, touched: UnixMillis) -> f64 {
        if !self.ages() {
            return trust;
        }
        let hours = self.now.saturating_sub(touched) / 3_600_000;
        let days = u32::try_from(hours).map_or(f64::from(u32::MAX), f64::from) / 24.0;
        trust * 0.5_f64.powf(days / self.half_life_days)
    }
}

/// Content as it is stored: without control characters but tab and line feed, trimmed, not empty, not too long.
pub(crate) fn clean(content: &str) -> Result<String> {
    let kept = without_controls(content);
    if kept.is_empty() {
        return Err(ProviderError::invalid("`content` is empty").hint("say the fact in one sentence").into());
    }
    let count = char_count(&kept);
    if count > MAX_CONTENT {
        let message = format!("`content` has {count} characters, a fact may have {MAX_CONTENT}");
        return Err(ProviderError::invalid(message).hint("split it into several facts").into());
    }
    Ok(kept)
}

/// The same of any length, also none.
pub(crate) fn without_controls(content: &str) -> String {
    let kept: String = content.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    kept.trim().to_owned()
}

/// The fact with this id, unless it was merged into another.
pub(crate) fn get(db: &Connection, audience: &Audience<'_>, id: i64) -> Result<Fact> {
    one(db, audience, id, VISIBLE)
}

/// The same, also if it was merged into another.
pub(crate) fn get_any(db: &Connection, audience: &Audience<'_>, id: i64) -> Result<Fact> {
    one(db, audience, id, WITHIN)
}

fn one(db: &Connection, audience: &Audience<'_>, id: i64, condition: &str) -> Result<Fact> {
    let sql = format!("SELECT {COLUMNS} FROM facts f WHERE {condition} AND f.fact_id = ?3");
    let fact = db.prepare_cached(&sql)?.query_row((&audience.key, audience.platform, id), read).optional()?;
    fact.filter(|fact| fact.scope.visible_to(audience.scope)).ok_or_else(|| {
        ProviderError::not_found(format!("there is no fact {id}"))
            .hint("call fact_store with action `search` or `list` to see the ids")
            .into()
    })
}

/// Facts, newest first, older than `before`.
pub(crate) fn list(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<Fact>> {
    // By number, from the newest on: by an index of audiences all facts would be read and sorted first, which the `+` forbids.
    let visible = VISIBLE.replacen("f.audience", "+f.audience", 1);
    let sql = format!(
        "SELECT {COLUMNS} FROM facts f
         WHERE {visible} AND f.fact_id < ?3 AND f.trust >= ?4 AND (?5 IS NULL OR f.category = ?5)
         ORDER BY f.fact_id DESC"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let before = before.unwrap_or(i64::MAX);
    let parameters = (&audience.key, audience.platform, before, filter.min_trust, &filter.category);
    let mut facts = Vec::new();
    for fact in statement.query_map(parameters, read)? {
        let fact = fact?;
        if fact.scope.visible_to(audience.scope) && filter.admits(&fact) {
            facts.push(filter.aged(fact));
        }
        if facts.len() >= limit {
            break;
        }
    }
    Ok(facts)
}

/// The facts with these ids that the audience may see and the filter admits, in no particular order.
pub(crate) fn many(
    db: &Connection,
    audience: &Audience<'_>,
    filter: &Filter,
    ids: impl IntoIterator<Item = i64>,
) -> Result<Vec<Fact>> {
    let sql = format!("SELECT {COLUMNS} FROM facts f WHERE {VISIBLE} AND f.fact_id = ?3");
    let mut statement = db.prepare_cached(&sql)?;
    let mut facts = Vec::new();
    for id in ids {
        let fact = statement.query_row((&audience.key, audience.platform, id), read).optional()?;
        let admitted = fact.filter(|fact| fact.scope.visible_to(audience.scope) && filter.admits(fact));
        facts.extend(admitted.map(|fact| filter.aged(fact)));
    }
    Ok(facts)
}

/// How many facts the file holds, for all audiences; those that were merged into others count as one with them.
pub(crate) fn count(db: &Connection) -> Result<i64> {
    let merged = "SELECT count(*) FROM facts WHERE merged_into IS NOT NULL";
    Ok(db.query_row(&format!("SELECT (SELECT count(*) FROM facts) - ({merged})"), (), |row| row.get(0))?)
}

/// A row of [`COLUMNS`].
pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Fact> {
    let time = |at| row.get(at).map(|millis: i64| UnixMillis::try_from(millis).unwrap_or_default());
    let text = |at| row.get::<_, String>(at);
    let trust = row.get(5)?;
    Ok(Fact {
        id: row.get(0)?,
        content: row.get(1)?,
        words: row.get(2)?,
        category: row.get(3)?,
        tags: serde_json::from_str(&text(4)?).unwrap_or_default(),
        trust,
        standing: trust,
        created: time(6)?,
        updated: time(7)?,
        retrieval_count: row.get(8)?,
        helpful_count: row.get(9)?,
        unhelpful_count: row.get(10)?,
        // Without its scope a fact is nobody's: a profile that no host uses.
        scope: serde_json::from_str(&text(11)?)
            .unwrap_or_else(|_| Scope { profile: "\0".to_owned(), ..Scope::default() }),
        origin: serde_json::from_str(&text(12)?).unwrap_or_default(),
        source: row.get(13)?,
        used: time(14)?,
        valid_from: time(15)?,
        valid_to: row.get::<_, Option<i64>>(16)?.map(|millis| UnixMillis::try_from(millis).unwrap_or_default()),
        recorded: time(17)?,
        merged_into: row.get(18)?,
    })
}

/// A time as the file has it.
pub(crate) fn millis(time: UnixMillis) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}

impl Fact {
    /// The fact as tools answer it, before a score is added. Times are RFC 3339.
    pub(crate) fn to_json(&self) -> Value {
        let mut json = json!({
            "fact_id": self.id, "content": self.content, "category": self.category, "tags": self.tags,
            "trust": self.trust, "created": rfc3339(self.created), "updated": rfc3339(self.updated),
            "retrieval_count": self.retrieval_count, "helpful_count": self.helpful_count,
            "unhelpful_count": self.unhelpful_count, "source": self.source.name(),
            "valid_from": rfc3339(self.valid_from),
        });
        if let Value::Object(json) = &mut json {
            json.extend(self.valid_to.map(|end| ("valid_to".to_owned(), json!(rfc3339(end)))));
            json.extend((self.used > 0).then(|| ("last_used".to_owned(), json!(rfc3339(self.used)))));
            json.extend(self.merged_into.map(|into| ("merged_into".to_owned(), json!(into))));
        }
        json
    }
}
