//! The store of the Python plugin of the same name: `memory_store.db`.
//!
//! Columns are read by name. Those that are not known here are kept as they are; vectors are not: they are computed from
//! the text.

use std::fmt::Write as _;
use std::path::Path;

use hermes_provider_api::ProviderError;
use hermes_provider_api::records::UnixMillis;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Value, json};

use super::{Found, content};
use crate::dates;
use crate::error::Result;
use crate::facts::{CATEGORIES, NewFact, Past, Source};

/// So many facts are read at once.
const PAGE: i64 = 1000;
/// The columns that have a place of their own here, and the vector, which needs none.
const KNOWN: [&str; 11] = [
    "fact_id",
    "content",
    "category",
    "tags",
    "trust_score",
    "retrieval_count",
    "helpful_count",
    "unhelpful_count",
    "created_at",
    "updated_at",
    "hrr_vector",
];

/// Some facts of the file.
pub(super) struct Page {
    pub facts: Vec<Found>,
    /// Where the next page begins; empty after the last one.
    pub next: String,
    /// How many facts there are in all; told with the first page.
    pub total: Option<u64>,
}

/// Reads facts from where `cursor` says.
pub(super) fn read(path: &Path, cursor: &str, trust: f64) -> Result<Page> {
    let after: i64 = match cursor {
        "" => i64::MIN,
        cursor => {
            cursor.parse().map_err(|_| ProviderError::invalid(format!("`{cursor}` is not a cursor of an import")))?
        }
    };
    page(path, after, trust).map_err(|error| match error {
        Failed::Schema(tables) => ProviderError::invalid(format!(
            "this is not a store of the Python plugin: it needs a table `facts` with `fact_id` and `content`, and has {tables}"
        ))
        .hint("the plugin keeps its store as `memory_store.db` in its home")
        .into(),
        Failed::Sqlite(error) => ProviderError::invalid(format!("the file cannot be read as a database: {error}"))
            .hint("check that it is the plugin's `memory_store.db`, and whole")
            .into(),
    })
}

/// Why there is no page.
enum Failed {
    /// The tables that are there instead.
    Schema(String),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn page(path: &Path, after: i64, trust: f64) -> Result<Page, Failed> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    // Nothing that the file brings along may run.
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")?;
    let has = |column: &str| {
        let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_info('facts') WHERE name = ?1)";
        db.query_row(sql, [column], |row| row.get::<_, bool>(0))
    };
    if !has("fact_id")? || !has("content")? {
        return Err(Failed::Schema(tables(&db)?));
    }
    let total = match after {
        i64::MIN => db.query_row("SELECT count(*) FROM facts", (), |row| row.get::<_, i64>(0))?.try_into().ok(),
        _ => None,
    };
    let mut select = db.prepare("SELECT * FROM facts WHERE fact_id > ?1 ORDER BY fact_id LIMIT ?2")?;
    let columns: Vec<String> = select.column_names().map(str::to_owned).collect();
    let mut rows = select.query((after, PAGE))?;
    let mut facts = Vec::new();
    let mut last = None;
    while let Some(row) = rows.next()? {
        let row = Columns { row, names: &columns };
        let id = row.integer("fact_id");
        last = id.or(last);
        facts.push(Found { name: format!("fact {}", id.unwrap_or_default()), fact: fact(&row, trust) });
    }
    let more = i64::try_from(facts.len()).is_ok_and(|count| count == PAGE);
    let next = last.filter(|_| more).map(|id| id.to_string()).unwrap_or_default();
    Ok(Page { facts, next, total })
}

fn tables(db: &Connection) -> rusqlite::Result<String> {
    let mut select = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name LIMIT 20")?;
    let names: Vec<String> = select.query_map((), |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(if names.is_empty() { "no tables".to_owned() } else { format!("`{}`", names.join("`, `")) })
}

fn fact(row: &Columns<'_, '_>, trust: f64) -> Result<NewFact, String> {
    let content = content(&row.text("content").unwrap_or_default())?;
    let mut extra = row.unknown();
    let category = row.text("category").unwrap_or_else(|| "general".to_owned());
    let known = CATEGORIES.contains(&category.as_str());
    if !known && !category.is_empty() {
        extra.insert("category".to_owned(), json!(category));
    }
    Ok(NewFact {
        category: if known { category } else { "general".to_owned() },
        tags: tags(&row.text("tags").unwrap_or_default()),
        trust: row.real("trust_score").unwrap_or(trust).clamp(0.0, 1.0),
        past: Some(Past {
            created: row.time("created_at"),
            updated: row.time("updated_at"),
            retrieval_count: row.integer("retrieval_count").unwrap_or_default().max(0),
            helpful_count: row.integer("helpful_count").unwrap_or_default().max(0),
            unhelpful_count: row.integer("unhelpful_count").unwrap_or_default().max(0),
            extra: (!extra.is_empty()).then(|| Value::Object(extra).to_string()),
        }),
        ..NewFact::new(content, Source::Import, trust)
    })
}

/// Labels with commas between them, without repeats.
fn tags(text: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in text.split(',').map(str::trim) {
        if !tag.is_empty() && !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    tags
}

/// A row whose columns are asked for by name. Any of them may be missing, and hold anything.
struct Columns<'a, 'row> {
    row: &'a Row<'row>,
    names: &'a [String],
}

impl Columns<'_, '_> {
    fn value(&self, name: &str) -> ValueRef<'_> {
        let at = self.names.iter().position(|column| column == name);
        at.and_then(|at| self.row.get_ref(at).ok()).unwrap_or(ValueRef::Null)
    }

    fn text(&self, name: &str) -> Option<String> {
        match self.value(name) {
            ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Integer(number) => Some(number.to_string()),
            ValueRef::Real(number) => Some(number.to_string()),
            ValueRef::Blob(_) | ValueRef::Null => None,
        }
    }

    fn integer(&self, name: &str) -> Option<i64> {
        match self.value(name) {
            ValueRef::Integer(number) => Some(number),
            ValueRef::Real(number) => format!("{number:.0}").parse().ok(),
            ValueRef::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
            ValueRef::Blob(_) | ValueRef::Null => None,
        }
    }

    fn real(&self, name: &str) -> Option<f64> {
        self.text(name)?.trim().parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// UTC text, or seconds since 1970.
    fn time(&self, name: &str) -> Option<UnixMillis> {
        let text = self.text(name)?;
        match text.trim().parse::<f64>() {
            Ok(seconds) => format!("{:.0}", seconds * 1000.0).parse().ok(),
            Err(_) => dates::parse(&text).map(|span| span.start),
        }
    }

    /// The columns that have no place here.
    fn unknown(&self) -> Map<String, Value> {
        let unknown = self.names.iter().filter(|name| !KNOWN.contains(&name.as_str()));
        let values = unknown.map(|name| (name.clone(), to_json(self.value(name))));
        values.filter(|(_, value)| !value.is_null()).collect()
    }
}

/// Bytes become hexadecimal digits.
fn to_json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => json!(bytes.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })),
    }
}
