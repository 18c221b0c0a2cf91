//! What a model sends, read kindly: `"12"` for 12 and `"a, b"` for a list are clear enough. What is not clear gets an
//! error that says how to call.

use hermes_provider_api::ProviderError;
use hermes_text::char_count;
use serde_json::{Map, Value, json};

use crate::dates::{self, Span};
use crate::error::Result;
use crate::facts::CATEGORIES;

const MAX_TAGS: usize = 20;
const MAX_TAG: usize = 64;
/// No answer has more facts, whatever `limit` says.
pub(super) const MAX_LIMIT: i64 = 100;

/// The arguments of a call.
pub(super) struct Args(Map<String, Value>);

impl Args {
    /// The arguments; some models send the object as JSON text.
    pub(super) fn new(args: &Value) -> Result<Self> {
        match args {
            Value::Object(map) => Ok(Self(map.clone())),
            Value::Null => Ok(Self(Map::new())),
            Value::String(text) => match serde_json::from_str(text) {
                Ok(Value::Object(map)) => Ok(Self(map)),
                _ => Err(wrong("the arguments must be a JSON object", r#"{"action": "search", "query": "…"}"#)),
            },
            _ => Err(wrong("the arguments must be a JSON object", r#"{"action": "search", "query": "…"}"#)),
        }
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// A text, trimmed; None when it is missing or empty.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => Err(wrong(&format!("`{key}` must be a text"), &format!(r#"{{"{key}": "…"}}"#))),
        }
    }

    /// A text that must be there.
    pub(super) fn required(&self, key: &str, example: &str) -> Result<String> {
        self.text(key)?.ok_or_else(|| wrong(&format!("`{key}` is missing"), example))
    }

    fn number(&self, key: &str) -> Result<Option<f64>> {
        let number = match self.get(key) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        let finite = number.filter(|number: &f64| number.is_finite());
        finite.map(Some).ok_or_else(|| wrong(&format!("`{key}` must be a number"), &format!(r#"{{"{key}": 0.5}}"#)))
    }

    /// A whole number.
    pub(super) fn integer(&self, key: &str) -> Result<Option<i64>> {
        let whole = |number: f64| {
            // Beyond 2^53 a float does not say which whole number is meant.
            let exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
            exact.then(|| format!("{number:.0}").parse().ok()).flatten()
        };
        let parsed: Option<i64> = match self.get(key) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_i64().or_else(|| number.as_f64().and_then(whole)),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().trim_start_matches('#').parse().ok(),
            Some(_) => None,
        };
        parsed
            .map(Some)
            .ok_or_else(|| wrong(&format!("`{key}` must be a whole number"), &format!(r#"{{"{key}": 12}}"#)))
    }

    /// The id of a fact.
    pub(super) fn fact_id(&self) -> Result<i64> {
        self.integer("fact_id")?.ok_or_else(|| {
            wrong("`fact_id` is missing: it is in the answers of `search` and `list`", r#"{"fact_id": 12}"#)
        })
    }

    /// How many facts to answer: 10 when not said, at least 1, at most 100.
    pub(super) fn limit(&self) -> Result<usize> {
        self.limit_or(10)
    }

    /// The same where another number is meant when none is given.
    pub(super) fn limit_or(&self, default: i64) -> Result<usize> {
        let limit = self.integer("limit")?.unwrap_or(default).clamp(1, MAX_LIMIT);
        Ok(usize::try_from(limit).unwrap_or(1))
    }

    /// A date; see [`dates::parse`]. Numbers are Unix milliseconds, but four digits are a year.
    pub(super) fn date(&self, key: &str) -> Result<Option<Span>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let moment = || text.parse::<u64>().ok().filter(|_| text.len() > 4);
        let span = dates::parse(&text).or_else(|| moment().map(|start| Span { start, end: start.saturating_add(1) }));
        span.map(Some).ok_or_else(|| {
            let message = format!("`{key}` must be a date: a year, month, day or moment in UTC");
            wrong(&message, &format!(r#"{{"{key}": "2026-03-05"}} or {{"{key}": "2026-03-05T09:30:00Z"}}"#))
        })
    }

    /// Several objects; a text stands for an object that has it as `main`. None when the key is missing.
    pub(super) fn objects(&self, key: &str, main: &str) -> Result<Option<Vec<Self>>> {
        let wrong = || {
            let example = format!(r#"{{"{key}": ["…", {{"{main}": "…"}}]}}"#);
            wrong(&format!("`{key}` must be a list of texts or objects"), &example)
        };
        let list = match self.get(key) {
            None => return Ok(None),
            // Some models send a list as JSON text.
            Some(Value::String(text)) => serde_json::from_str(text).map_err(|_| wrong())?,
            Some(list) => list.clone(),
        };
        let Value::Array(values) = list else { return Err(wrong()) };
        let one = |value: Value| match value {
            Value::Object(map) => Ok(Self(map)),
            Value::String(text) => Ok(Self(Map::from_iter([(main.to_owned(), json!(text))]))),
            _ => Err(wrong()),
        };
        values.into_iter().map(one).collect::<Result<_>>().map(Some)
    }

    /// The least trust, 0 to 1.
    pub(super) fn min_trust(&self, default: f64) -> Result<f64> {
        Ok(self.number("min_trust")?.unwrap_or(default))
    }

    /// A change of trust.
    pub(super) fn trust_delta(&self) -> Result<Option<f64>> {
        self.number("trust_delta")
    }

    /// One of the categories.
    pub(super) fn category(&self) -> Result<Option<String>> {
        let Some(category) = self.text("category")? else { return Ok(None) };
        if CATEGORIES.contains(&category.as_str()) {
            return Ok(Some(category));
        }
        let message = format!("there is no category `{category}`; the categories are {}", CATEGORIES.join(", "));
        Err(ProviderError::invalid(message).hint("leave `category` out for `general`").into())
    }

    /// Labels, as a list or as text with commas; without repeats.
    pub(super) fn tags(&self) -> Result<Option<Vec<String>>> {
        let Some(tags) = self.list("tags")? else { return Ok(None) };
        if tags.len() > MAX_TAGS || tags.iter().any(|tag| char_count(tag) > MAX_TAG) {
            let message = format!("a fact has at most {MAX_TAGS} tags of at most {MAX_TAG} characters");
            return Err(wrong(&message, r#"{"tags": ["travel", "2026"]}"#));
        }
        Ok(Some(tags))
    }

    /// Several texts, as a list or as text with commas; None when the key is missing.
    pub(super) fn list(&self, key: &str) -> Result<Option<Vec<String>>> {
        let parts: Vec<String> = match self.get(key) {
            None => return Ok(None),
            Some(Value::String(text)) => text.split([',', '，', '、', ';']).map(str::to_owned).collect(),
            Some(Value::Array(values)) => values
                .iter()
                .map(|value| match value {
                    Value::String(text) => Ok(text.clone()),
                    Value::Number(number) => Ok(number.to_string()),
                    _ => {
                        Err(wrong(&format!("`{key}` must be a list of texts"), &format!(r#"{{"{key}": ["…", "…"]}}"#)))
                    }
                })
                .collect::<Result<_>>()?,
            Some(_) => {
                return Err(wrong(&format!("`{key}` must be a list of texts"), &format!(r#"{{"{key}": ["…", "…"]}}"#)));
            }
        };
        let mut kept: Vec<String> = Vec::new();
        for part in parts {
            let part: String = part.chars().filter(|c| !c.is_control()).collect();
            let part = part.trim();
            if !part.is_empty() && !kept.iter().any(|known| known == part) {
                kept.push(part.to_owned());
            }
        }
        Ok(Some(kept))
    }

    /// Whether the key is there and says yes.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
            Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        }
    }
}

/// An error that shows how to call.
pub(super) fn wrong(message: &str, example: &str) -> crate::error::Error {
    ProviderError::invalid(message).hint(format!("for example {example}")).into()
}
