//! TOML files with errors that name file and line, and keys that nobody asked for.

use std::fmt;
use std::path::{Path, PathBuf};

use hermes_text::truncate_chars;
use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};

use crate::config::suggest;

/// So many unknown keys of a file are told. To find the line of each takes time, and a stranger may have written it.
const MOST_UNKNOWN: usize = 20;

/// What is wrong with a TOML file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}:{line}` is broken: {message}", path.display())]
pub struct TomlError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl TomlError {
    /// An error at a line; the message is cut and freed of control characters, since it may quote the file.
    pub(in crate::plugins) fn new(path: &Path, line: usize, message: &str) -> Self {
        let message = message.replace(char::is_control, " ");
        Self { path: path.to_owned(), line, message: truncate_chars(&message, 300).to_owned() }
    }
}

/// A key that is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKey {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The key with those above it, such as `releases.sise`.
    pub key: String,
    /// The key that was perhaps meant.
    pub closest: Option<String>,
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, key, closest } = self;
        write!(f, "`{}:{line}`: unknown key `{}` is passed over", path.display(), key.escape_debug())?;
        match closest {
            Some(closest) => write!(f, "; did you mean `{closest}`?"),
            None => Ok(()),
        }
    }
}

/// Reads the text of a file as a `T`.
pub(in crate::plugins) fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, TomlError> {
    toml::from_str(text).map_err(|error| {
        let line = line_of(text, error.span().map_or(0, |span| span.start));
        TomlError::new(path, line, error.message())
    })
}

/// Finds the keys of a valid TOML text that are not in `known`, a list of paths such as `releases.version`; the
/// first of them, where there are many. Below a
/// path of the list anything goes.
pub(super) fn unknown_keys(path: &Path, text: &str, known: &[&str]) -> Vec<UnknownKey> {
    let mut found = Vec::new();
    if let Ok(table) = DeTable::parse(text) {
        collect("", table.get_ref(), known, &mut found);
    }
    let told = |Found { offset, key, closest }| UnknownKey {
        path: path.to_owned(),
        line: line_of(text, offset),
        key,
        closest,
    };
    found.into_iter().map(told).collect()
}

struct Found {
    offset: usize,
    key: String,
    closest: Option<String>,
}

fn collect(above: &str, table: &DeTable<'_>, known: &[&str], found: &mut Vec<Found>) {
    let paths = known.iter().filter_map(|path| path.strip_prefix(above));
    let siblings: Vec<_> = paths.map(|path| path.split('.').next().unwrap_or(path)).collect();
    for (name, value) in table {
        if found.len() == MOST_UNKNOWN {
            return;
        }
        let key = format!("{above}{}", name.get_ref());
        if known.contains(&key.as_str()) {
            continue;
        }
        if !siblings.contains(&name.get_ref().as_ref()) {
            let closest = suggest(name.get_ref(), siblings.iter().copied()).map(str::to_owned);
            found.push(Found { offset: name.span().start, key, closest });
            continue;
        }
        let inside = format!("{key}.");
        match value.get_ref() {
            DeValue::Table(table) => collect(&inside, table, known, found),
            DeValue::Array(items) => {
                for item in items {
                    if let DeValue::Table(table) = item.get_ref() {
                        collect(&inside, table, known, found);
                    }
                }
            }
            _ => {}
        }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}
