//! What a setting may be: how it is read from TOML, from a typed text, and shown.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a setting may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The id of a provider, or nothing.
    Provider,
    /// A whole number within bounds, both included.
    Whole {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// Yes or no.
    Flag,
    /// A time: `2s`, `800ms`, `1m`, or a number of seconds.
    Duration,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// An array of folders or `file:` URLs.
    Paths,
    /// A web address without credentials and query, or nothing.
    Url,
    /// A name of one line, or nothing.
    Text,
}

/// A value of a known setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of [`Kind::Provider`], [`Kind::Choice`], [`Kind::Url`] and [`Kind::Text`].
    Text(String),
    /// Of [`Kind::Whole`].
    Whole(i64),
    /// Of [`Kind::Flag`].
    Flag(bool),
    /// Of [`Kind::Duration`].
    Duration(Duration),
    /// Of [`Kind::Paths`], as they are written.
    Paths(Vec<String>),
}

impl Kind {
    /// The rule for its values: `must be …`.
    #[must_use]
    pub fn rule(self) -> String {
        match self {
            Self::Provider => "must be the name of a provider: lower-case letters, digits and `-`".to_owned(),
            Self::Whole { min, max } => format!("must be a whole number from {min} to {max}"),
            Self::Flag => "must be true or false".to_owned(),
            Self::Duration => {
                "must be a time of 1ms to 24h, such as \"2s\", \"800ms\" or a number of seconds".to_owned()
            }
            Self::Choice(words) => format!("must be one of {}", words.join(", ")),
            Self::Paths => "must be an array of folders or `file:` URLs".to_owned(),
            Self::Url => {
                "must be a web address without name, password and query, such as \"http://localhost:11434/v1\""
                    .to_owned()
            }
            Self::Text => "must be a text of one line, with at most 200 characters".to_owned(),
        }
    }

    /// Reads a value of the file.
    ///
    /// # Errors
    /// The [rule](Self::rule) that it breaks.
    pub fn read(self, value: &toml_edit::Value) -> Result<Value, String> {
        let number = |value: &toml_edit::Value| {
            value.as_float().or_else(|| value.as_integer().and_then(|number| u32::try_from(number).ok()).map(f64::from))
        };
        let read = match self {
            Self::Provider => {
                value.as_str().map(str::trim).filter(|id| is_provider_id(id)).map(|id| Value::Text(id.to_owned()))
            }
            Self::Whole { min, max } => {
                value.as_integer().filter(|number| (min..=max).contains(number)).map(Value::Whole)
            }
            Self::Flag => value.as_bool().map(Value::Flag),
            Self::Duration => match value.as_str() {
                Some(text) => parse_duration(text),
                None => number(value).and_then(seconds),
            }
            .map(Value::Duration),
            Self::Choice(words) => {
                value.as_str().filter(|word| words.contains(word)).map(|word| Value::Text(word.to_owned()))
            }
            Self::Paths => value.as_array().and_then(|array| {
                let path = |item: &toml_edit::Value| {
                    item.as_str().filter(|path| local_path(path).is_some()).map(str::to_owned)
                };
                array.iter().map(path).collect::<Option<Vec<_>>>().map(Value::Paths)
            }),
            Self::Url => value.as_str().map(str::trim).filter(|url| is_url(url)).map(|url| Value::Text(url.to_owned())),
            Self::Text => {
                value.as_str().map(str::trim).filter(|text| is_line(text)).map(|text| Value::Text(text.to_owned()))
            }
        };
        read.ok_or_else(|| self.rule())
    }

    /// Reads what a person typed, and how it is written into the file. A list is typed as TOML, or as its only item;
    /// a relative folder starts where the person is.
    ///
    /// # Errors
    /// The [rule](Self::rule) that it breaks.
    pub fn parse(self, text: &str) -> Result<(Value, toml_edit::Value), String> {
        let text = text.trim();
        let typed: toml_edit::Value = match self {
            Self::Whole { .. } => text.parse::<i64>().map_err(|_| self.rule())?.into(),
            Self::Flag => text.parse::<bool>().map_err(|_| self.rule())?.into(),
            Self::Provider | Self::Duration | Self::Choice(_) | Self::Url | Self::Text => text.into(),
            Self::Paths => match text.parse::<toml_edit::Value>() {
                Ok(array) if array.is_array() => array,
                _ if text.is_empty() => toml_edit::Array::new().into(),
                _ => std::iter::once(text).collect::<toml_edit::Array>().into(),
            },
        };
        let value = match self.read(&typed)? {
            Value::Paths(paths) => Value::Paths(paths.into_iter().map(absolute).collect()),
            value => value,
        };
        let written = match &value {
            Value::Text(text) => text.as_str().into(),
            Value::Whole(number) => (*number).into(),
            Value::Flag(flag) => (*flag).into(),
            Value::Duration(duration) => show_duration(*duration).into(),
            Value::Paths(paths) => paths.iter().map(String::as_str).collect::<toml_edit::Array>().into(),
        };
        Ok((value, written))
    }
}

impl Value {
    /// As JSON; a time as text.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Whole(number) => (*number).into(),
            Self::Flag(flag) => (*flag).into(),
            Self::Duration(duration) => show_duration(*duration).into(),
            Self::Paths(paths) => paths.as_slice().into(),
        }
    }
}

/// A folder, or a `file:` URL of this machine, as a path; None for anything else.
pub(super) fn local_path(text: &str) -> Option<PathBuf> {
    let Some(rest) = text.strip_prefix("file:") else {
        let other_url = text.contains("://");
        return (!text.is_empty() && !other_url && !text.contains('\0')).then(|| text.into());
    };
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    let decoded = percent_decode(path)?;
    (decoded.first() == Some(&b'/') && !decoded.contains(&0)).then(|| OsString::from_vec(decoded).into())
}

fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        decoded.push(u8::try_from(high * 16 + low).ok()?);
    }
    Some(decoded)
}

fn absolute(path: String) -> String {
    if path.starts_with("file:") || Path::new(&path).starts_with("~") {
        return path;
    }
    std::path::absolute(&path).ok().and_then(|path| path.into_os_string().into_string().ok()).unwrap_or(path)
}

fn is_provider_id(id: &str) -> bool {
    let letters = id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    id.is_empty() || (letters && id.len() <= 64 && id.as_bytes()[0].is_ascii_lowercase())
}

/// Credentials belong in `.env`, and an address with a query would be no base for others.
fn is_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let plain = |rest: &str| {
        let host = rest.split('/').next().unwrap_or_default();
        !host.is_empty() && !rest.contains(|c: char| c.is_whitespace() || c.is_control() || "@?#\\".contains(c))
    };
    url.is_empty() || (url.len() <= 2000 && rest.is_some_and(plain))
}

fn is_line(text: &str) -> bool {
    text.chars().count() <= 200 && !text.contains(char::is_control)
}

fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let unit = units.iter().find_map(|(unit, scale)| text.strip_suffix(unit).map(|number| (number, *scale)));
    let (number, scale) = unit.unwrap_or((text, 1.0));
    number.trim_end().parse::<f64>().ok().and_then(|number| seconds(number * scale))
}

fn seconds(number: f64) -> Option<Duration> {
    let bounds = Duration::from_millis(1)..=Duration::from_secs(24 * 3600);
    Duration::try_from_secs_f64(number).ok().filter(|duration| bounds.contains(duration))
}

fn show_duration(duration: Duration) -> String {
    match duration.subsec_millis() {
        0 => format!("{}s", duration.as_secs()),
        _ => format!("{}ms", duration.as_millis()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: Kind, typed: &str, written: Result<&str, &str>) {
        let parsed = kind.parse(typed).map(|(_, written)| written.to_string());
        match written {
            Ok(written) => assert_eq!(parsed.as_deref(), Ok(written)),
            Err(part) => assert!(parsed.is_err_and(|error| error.contains(part))),
        }
    }

    #[test]
    fn times_have_units_and_bounds() {
        for (typed, written) in [
            ("2s", "\"2s\""),
            ("800ms", "\"800ms\""),
            (" 1.5 s ", "\"1500ms\""),
            ("3", "\"3s\""),
            ("2m", "\"120s\""),
            ("24h", "\"86400s\""),
        ] {
            check(Kind::Duration, typed, Ok(written));
        }
        for wrong in ["", "0", "-1s", "25h", "soon", "NaN", "inf", "1e400s", "2 days"] {
            check(Kind::Duration, wrong, Err("must be a time"));
        }
    }

    #[test]
    fn numbers_flags_and_words_are_checked() {
        let whole = Kind::Whole { min: 1, max: 20 };
        check(whole, "7", Ok("7"));
        check(whole, "21", Err("from 1 to 20"));
        check(whole, "7.0", Err("whole number"));
        check(Kind::Flag, "true", Ok("true"));
        check(Kind::Flag, "yes", Err("true or false"));
        check(Kind::Choice(&["a", "b"]), "b", Ok("\"b\""));
        check(Kind::Choice(&["a", "b"]), "c", Err("one of a, b"));
        check(Kind::Provider, "mem-0", Ok("\"mem-0\""));
        check(Kind::Provider, "", Ok("\"\""));
        for wrong in ["../x", "Mem", "9x", "память", &"x".repeat(65)] {
            check(Kind::Provider, wrong, Err("name of a provider"));
        }
    }

    #[test]
    fn addresses_and_names_are_of_one_line() {
        for good in ["http://localhost:11434/v1", "https://api.example", "http://[::1]:80/a/b", ""] {
            check(Kind::Url, &format!(" {good} "), Ok(&format!("\"{good}\"")));
        }
        for wrong in
            ["localhost:11434", "https://", "https:///v1", "https://jo:pw@a", "https://a?key=1", "ftp://a", "a b"]
        {
            check(Kind::Url, wrong, Err("web address"));
        }
        check(Kind::Text, "nomic-embed-text:v1.5", Ok("\"nomic-embed-text:v1.5\""));
        check(Kind::Text, "модель", Ok("\"модель\""));
        check(Kind::Text, "a\nb", Err("one line"));
        check(Kind::Text, &"x".repeat(201), Err("one line"));
    }

    #[test]
    fn catalogs_are_folders_of_this_machine() {
        check(Kind::Paths, "/a b", Ok("[\"/a b\"]"));
        check(Kind::Paths, "[\"/a\", 'file:///b%20c']", Ok("[\"/a\", \"file:///b%20c\"]"));
        check(Kind::Paths, "", Ok("[]"));
        check(Kind::Paths, "https://example.org/catalog", Err("folders"));
        check(Kind::Paths, "file://elsewhere/a", Err("folders"));
        check(Kind::Paths, "[1]", Err("folders"));
        assert_eq!(local_path("file:///b%20%D1%8F"), Some("/b я".into()));
        assert_eq!(local_path("file://localhost/b"), Some("/b".into()));
        assert_eq!(local_path("file:///%zz"), None);
        let (Value::Paths(paths), _) = Kind::Paths.parse("here").unwrap() else { unreachable!() };
        assert!(paths[0].starts_with('/') && paths[0].ends_with("/here"));
    }
}
