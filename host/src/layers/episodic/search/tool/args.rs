//! What the tool is asked, read from what a model wrote.

use serde_json::{Map, Value};

use super::super::{Filter, Others};
use crate::clock::UnixMillis;
use crate::config::suggest;
use crate::guard::fence;

/// How many sessions are answered, by itself and at most; how many messages around one, likewise.
pub(super) const LIMIT: usize = 5;
pub(super) const MOST: usize = 20;
const AROUND: usize = 5;
pub(super) const MOST_AROUND: usize = 50;
pub(super) const ROLES: [&str; 4] = ["user", "assistant", "tool", "system"];
pub(super) const OTHERS: [&str; 3] = ["last", "mixed", "none"];
const FIELDS: [&str; 16] = [
    "query",
    "around",
    "before",
    "after",
    "limit",
    "title",
    "since",
    "until",
    "platform",
    "chat",
    "user",
    "project",
    "role",
    "sessions",
    "not_sessions",
    "others",
];
/// How much of a wrong value an error repeats, in characters.
const SHOWN: usize = 60;
const DAY_MS: i64 = 86_400_000;

/// What is wanted.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) shape: Shape,
    pub(super) filter: Filter,
    pub(super) limit: usize,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Discover { query: String },
    Scroll { around: i64, before: usize, after: usize },
    Browse { title: Option<String> },
}

impl Request {
    /// Reads the arguments.
    pub(super) fn read(arguments: &Value, now: UnixMillis) -> Result<Self, String> {
        let fields = arguments.as_object().ok_or("the arguments are not a JSON object")?;
        if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            let near = suggest(unknown, FIELDS).map_or(".".to_owned(), |near| format!("; do you mean `{near}`?"));
            let shown = fence::shorten(unknown, SHOWN);
            return Err(format!("there is no `{shown}`{near} The fields are {}", quoted(&FIELDS)));
        }
        let fields = Fields(fields);
        let (query, title) = (fields.text("query")?, fields.text("title")?);
        let around = fields.number("around")?;
        let shape = match (query, around) {
            (Some(_), Some(_)) => return Err("`query` and `around` are both given: give one of them".to_owned()),
            (Some(query), None) => Shape::Discover { query },
            (None, Some(around)) => {
                let count = |name| Ok::<_, String>(fields.count(name)?.unwrap_or(AROUND).min(MOST_AROUND));
                Shape::Scroll { around, before: count("before")?, after: count("after")? }
            }
            (None, None) => Shape::Browse { title },
        };
        let filter = Filter {
            since: fields.when("since", now)?,
            until: fields.when("until", now)?,
            platform: fields.text("platform")?,
            chat: fields.text("chat")?,
            user: fields.text("user")?,
            project: fields.text("project")?,
            roles: fields.one_of("role", &ROLES)?.into_iter().collect(),
            sessions: fields.texts("sessions")?,
            not_sessions: fields.texts("not_sessions")?,
            others: match fields.one_of("others", &OTHERS)?.as_deref() {
                Some("mixed") => Others::Mixed,
                Some("none") => Others::None,
                _ => Others::Last,
            },
        };
        Ok(Self { shape, filter, limit: fields.count("limit")?.unwrap_or(LIMIT).clamp(1, MOST) })
    }
}

/// Models write null and empty texts for what they do not mean, and numbers as texts.
struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn field(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null() && value.as_str() != Some(""))
    }

    fn text(&self, name: &str) -> Result<Option<String>, String> {
        match self.field(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(other.to_string())),
            Some(other) => Err(wrong(name, other, "a text")),
        }
    }

    fn number(&self, name: &str) -> Result<Option<i64>, String> {
        let Some(value) = self.field(name) else { return Ok(None) };
        let number = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
        number.filter(|number| *number >= 0).map(Some).ok_or_else(|| wrong(name, value, "a whole number, not below 0"))
    }

    fn count(&self, name: &str) -> Result<Option<usize>, String> {
        Ok(self.number(name)?.map(|number| usize::try_from(number).unwrap_or(usize::MAX)))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let list = || "a list of texts";
        match self.field(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text.clone()]),
            Some(value @ Value::Array(items)) => {
                let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
                texts.collect::<Option<_>>().ok_or_else(|| wrong(name, value, list()))
            }
            Some(other) => Err(wrong(name, other, list())),
        }
    }

    fn one_of(&self, name: &str, words: &[&str]) -> Result<Option<String>, String> {
        let Some(value) = self.field(name) else { return Ok(None) };
        let word = value.as_str().filter(|word| words.contains(word));
        word.map(|word| Some(word.to_owned())).ok_or_else(|| wrong(name, value, &format!("one of {}", quoted(words))))
    }

    fn when(&self, name: &str, now: UnixMillis) -> Result<Option<i64>, String> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        let at = day(text.trim()).or_else(|| Some(now.saturating_sub(age(text.trim())?)));
        at.map(Some).ok_or_else(|| wrong(name, &text.into(), "a day as 2026-01-31, or how long ago as 12h, 7d or 2w"))
    }
}

fn wrong(name: &str, value: &Value, has_to_be: &str) -> String {
    format!("`{name}` is {}, and has to be {has_to_be}", fence::shorten(&value.to_string(), SHOWN))
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// `12h`, `7d` or `2w` in milliseconds.
fn age(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let ms = match unit {
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => DAY_MS,
        'w' => 7 * DAY_MS,
        _ => return None,
    };
    text[..text.len() - 1].parse::<u32>().ok().and_then(|number| i64::from(number).checked_mul(ms))
}

/// The beginning of a day, or the moment in the time of day that follows it, in UTC.
fn day(text: &str) -> Option<i64> {
    let (day, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let mut parts = day.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || !(1970..10_000).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let (before, from) = lengths.split_at(usize::try_from(month - 1).ok()?);
    if !(1..=*from.first()?).contains(&day) {
        return None;
    }
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    let days = (year - 1970) * 365 + leaps(year - 1) - leaps(1969) + before.iter().sum::<i64>() + day - 1;
    let mut seconds = 0;
    for (at, part) in time.trim_end_matches('Z').split(':').enumerate().filter(|(_, part)| !part.is_empty()) {
        let whole: i64 = part.split('.').next()?.parse().ok()?;
        seconds += whole * [3600, 60, 1].get(at)?;
    }
    (0..=86_400).contains(&seconds).then_some(days * DAY_MS + seconds * 1000)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: u64 = 1_767_225_600_000;

    fn read(arguments: Value) -> Result<Request, String> {
        Request::read(&arguments, NOW)
    }

    #[test]
    fn what_is_given_tells_the_shape() {
        let shape = |arguments| read(arguments).unwrap().shape;
        assert_eq!(shape(json!({"query": "tea"})), Shape::Discover { query: "tea".into() });
        assert_eq!(shape(json!({"around": "7", "before": 1000})), Shape::Scroll { around: 7, before: 50, after: 5 });
        assert_eq!(shape(json!({})), Shape::Browse { title: None });
        assert_eq!(
            shape(json!({"query": "", "around": null, "title": "x"})),
            Shape::Browse { title: Some("x".into()) }
        );
    }

    #[test]
    fn an_error_names_the_field_and_what_it_may_be() {
        for (arguments, told) in [
            (json!([]), "not a JSON object"),
            (json!({"querry": "tea"}), "there is no `querry`; do you mean `query`? The fields are `query`, `around`"),
            (json!({"query": "a", "around": 1}), "`query` and `around` are both given"),
            (json!({"around": -1}), "`around` is -1, and has to be a whole number"),
            (json!({"role": "bot"}), "`role` is \"bot\", and has to be one of `user`, `assistant`, `tool`, `system`"),
            (json!({"since": "soon"}), "`since` is \"soon\", and has to be a day as 2026-01-31"),
            (json!({"until": "2026-02-30"}), "`until`"),
            (json!({"sessions": [1]}), "`sessions` is [1], and has to be a list of texts"),
            (json!({"query": {"a": 1}}), "`query` is {\"a\":1}, and has to be a text"),
            (json!({"others": true}), "`others` is true, and has to be one of `last`, `mixed`, `none`"),
        ] {
            let error = read(arguments).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn times() {
        let since = |text: &str| read(json!({"since": text})).unwrap().filter.since;
        let now = i64::try_from(NOW).unwrap();
        assert_eq!(
            (since("2026-01-01"), since("1970-01-01"), since("2000-02-29")),
            (Some(now), Some(0), Some(951_782_400_000))
        );
        assert_eq!(since("2026-01-01T12:30:00Z"), Some(now + 45_000_000));
        assert_eq!(
            (since("7d"), since("2w"), since("1h")),
            (Some(now - 7 * DAY_MS), Some(now - 14 * DAY_MS), Some(now - 3_600_000))
        );
        for wrong in ["д", "2026-13-01", "2026-01", "2026-01-01-01", "99999999999d", "2026-01-01T99:00"] {
            assert!(read(json!({"since": wrong})).is_err(), "{wrong}");
        }
    }
}
