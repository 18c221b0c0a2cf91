//! Changing `config.toml`: several keys in one write, comments and order kept.

use std::path::{Path, PathBuf};

use hermes_provider_api::records::ConfigField;
use toml_edit::{Document, DocumentMut, InlineTable, Item, Key, Table};

use super::{ConfigError, keys, line_at, provider};
use crate::home::Home;
use crate::home::files::{self, FileLock};

/// Changes to make. They are checked as they are collected, and made together by [`ConfigEdit::apply`].
#[derive(Clone, Debug, Default)]
pub struct ConfigEdit {
    pub(super) changes: Vec<Change>,
}

/// A value to set, or None to unset.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) path: Vec<Key>,
    pub(super) value: Option<toml_edit::Value>,
}

impl ConfigEdit {
    /// Sets a key to what was typed for it. The type is that of the known key; a provider's setting that looks like
    /// a number or a boolean becomes one.
    ///
    /// # Errors
    /// A key that does not exist, a value that it cannot have, or a provider's key that looks like a secret.
    pub fn set(&mut self, key: &str, text: &str) -> Result<&mut Self, ConfigError> {
        let path = parse_path(key)?;
        let value = match keys::find(key) {
            Some(known) => {
                let refuse = |expected| ConfigError::Argument { key: key.to_owned(), expected };
                known.kind.parse(text).map_err(refuse)?.1
            }
            None => free_value(key, &path, text)?,
        };
        self.changes.push(Change { path, value: Some(value) });
        Ok(self)
    }

    /// Sets one of a provider's fields, with the field's own checks; an empty text unsets it.
    ///
    /// # Errors
    /// A secret, or a value that the field does not allow.
    pub fn set_field(&mut self, id: &str, field: &ConfigField, text: &str) -> Result<&mut Self, ConfigError> {
        let path = vec![Key::new("providers"), Key::new(id), Key::new(&field.key)];
        let key = format!("providers.{id}.{}", field.key);
        if field.secret {
            return Err(ConfigError::Secret { key, provider: id.to_owned() });
        }
        provider::check(field, text).map_err(|expected| ConfigError::Argument { key, expected })?;
        let value = match provider::typed(field.field_type, text) {
            _ if text.is_empty() => None,
            serde_json::Value::Bool(flag) => Some(flag.into()),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(whole) => Some(whole.into()),
                None => number.as_f64().map(Into::into),
            },
            _ => Some(text.into()),
        };
        self.changes.push(Change { path, value });
        Ok(self)
    }

    /// Takes a key, or a whole table, out of the file. It need not be a known one.
    ///
    /// # Errors
    /// A text that is not a dotted key.
    pub fn unset(&mut self, key: &str) -> Result<&mut Self, ConfigError> {
        self.changes.push(Change { path: parse_path(key)?, value: None });
        Ok(self)
    }

    /// Makes the changes to the home's file, as it is by then; says whether the file is now another.
    ///
    /// # Errors
    /// A file that cannot be read or written or is not TOML, or a value where a table would have to be. The file is
    /// then as it was.
    pub fn apply(&self, home: &Home) -> Result<bool, ConfigError> {
        let path = home.config_file();
        let _lock = FileLock::acquire(&lock_path(&path))?;
        let old = files::read_text(&path)?.unwrap_or_default();
        let (mark, body) = match old.strip_prefix('\u{feff}') {
            Some(body) => ("\u{feff}", body),
            None => ("", old.as_str()),
        };
        let windows = body.find('\n').is_some_and(|end| body[..end].ends_with('\r'));
        let mut text = body.replace("\r\n", "\n");
        for change in &self.changes {
            text = match &change.value {
                Some(value) => set(&text, &path, &change.path, value)?,
                None => unset(&text, &path, &change.path)?,
            };
        }
        // Whatever the edits made of an odd file: one that cannot be read again is not written.
        Document::parse(text.as_str()).map_err(|error| ConfigError::syntax(&path, &text, &error))?;
        let text = if windows { text.replace('\n', "\r\n") } else { text };
        let new = format!("{mark}{text}");
        if new == old {
            return Ok(false);
        }
        files::rewrite(&path, new.as_bytes())?;
        Ok(true)
    }
}

impl ConfigEdit {
    /// Puts this text in place of the home's file, unless that is not `old` any more: None for one that was not there.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn replace(home: &Home, old: Option<&str>, new: &str) -> Result<bool, ConfigError> {
        let path = home.config_file();
        let _lock = FileLock::acquire(&lock_path(&path))?;
        if files::read_text(&path)?.as_deref() != old {
            return Ok(false);
        }
        files::rewrite(&path, new.as_bytes())?;
        Ok(true)
    }
}

fn lock_path(path: &Path) -> PathBuf {
    path.with_extension("toml.lock")
}

fn parse_path(key: &str) -> Result<Vec<Key>, ConfigError> {
    Key::parse(key).map_err(|_| ConfigError::unknown(key))
}

/// A value below `[providers.<id>]`, whose fields are not known here.
fn free_value(key: &str, path: &[Key], text: &str) -> Result<toml_edit::Value, ConfigError> {
    let (id, name) = match path {
        [providers, id, .., name] if providers.get() == "providers" => (id, name),
        _ => return Err(ConfigError::unknown(key)),
    };
    if keys::looks_secret(name.get()) {
        return Err(ConfigError::Secret { key: key.to_owned(), provider: id.get().to_owned() });
    }
    // Only what comes back as it was typed becomes a number: `0x1F` or `1_0` may well be a name.
    if let Some(whole) = text.parse::<i64>().ok().filter(|whole| whole.to_string() == text) {
        return Ok(whole.into());
    }
    if let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite() && number.to_string() == text) {
        return Ok(number.into());
    }
    if let Ok(flag) = text.parse::<bool>() {
        return Ok(flag.into());
    }
    let array = text.parse::<toml_edit::Value>().ok().filter(toml_edit::Value::is_array);
    Ok(array.unwrap_or_else(|| text.into()))
}

fn set(text: &str, file: &Path, path: &[Key], value: &toml_edit::Value) -> Result<String, ConfigError> {
    let mut document = text.parse::<DocumentMut>().map_err(|error| ConfigError::syntax(file, text, &error))?;
    let Some((name, tables)) = path.split_last() else { return Ok(text.to_owned()) };
    let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
    let mut has_new_header = false;
    let mut item = document.as_item_mut();
    for (depth, key) in tables.iter().enumerate() {
        let (inline, dotted) = (item.is_inline_table(), item.as_table().is_some_and(Table::is_dotted));
        let refuse = || conflict(text, file, &tables[..depth], "must be a table");
        let table = item.as_table_like_mut().ok_or_else(refuse)?;
        item = table.entry(key.get()).or_insert_with(|| {
            if inline {
                return toml_edit::value(InlineTable::new());
            }
            has_new_header |= !dotted;
            let mut table = new_table(&trailing, text);
            table.set_dotted(dotted);
            table.set_implicit(depth + 1 < tables.len());
            Item::Table(table)
        });
    }
    let table = item.as_table_like_mut().ok_or_else(|| conflict(text, file, tables, "must be a table"))?;
    match table.get_mut(name.get()) {
        None => {
            table.insert(name.get(), toml_edit::value(value.clone()));
        }
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = value.clone();
            *old.decor_mut() = decor;
        }
        Some(_) => return Err(conflict(text, file, path, "must be a value, not a table")),
    }
    if has_new_header {
        document.set_trailing("");
    }
    Ok(document.to_string())
}

/// A table at the end of the file, below a free line. A comment that stands there belongs to what is above it.
fn new_table(trailing: &str, text: &str) -> Table {
    let mut table = Table::new();
    table.set_position(Some(isize::MAX));
    let gap = match (text.trim().is_empty(), trailing.is_empty() || trailing.ends_with('\n')) {
        (true, true) => "",
        (_, true) => "\n",
        (_, false) => "\n\n",
    };
    table.decor_mut().set_prefix(format!("{trailing}{gap}"));
    table
}

/// Cuts the lines of the value, and no comment above it.
fn unset(text: &str, file: &Path, path: &[Key]) -> Result<String, ConfigError> {
    let document = Document::parse(text).map_err(|error| ConfigError::syntax(file, text, &error))?;
    let Some((name, tables)) = path.split_last() else { return Ok(text.to_owned()) };
    let parent = tables.iter().try_fold(document.as_item(), |item, key| item.get(key.get()));
    let Some(table) = parent.and_then(Item::as_table_like) else { return Ok(text.to_owned()) };
    let Some(item) = table.get(name.get()) else { return Ok(text.to_owned()) };
    let key_span = table.key(name.get()).and_then(Key::span);
    let in_line = parent.is_some_and(Item::is_inline_table);
    if let (false, true, Some(key), Some(value)) = (in_line, item.is_value(), key_span, item.span()) {
        let start = text[..key.start].rfind('\n').map_or(0, |end| end + 1);
        let end = text[value.end..].find('\n').map_or(text.len(), |end| value.end + end + 1);
        return Ok(format!("{}{}", &text[..start], &text[end..]));
    }
    let mut document = document.into_mut();
    let parent = tables.iter().try_fold(document.as_item_mut(), |item, key| item.get_mut(key.get()));
    if let Some(table) = parent.and_then(Item::as_table_like_mut) {
        table.remove(name.get());
    }
    Ok(document.to_string())
}

/// A value or table that stands where the other would have to be.
fn conflict(text: &str, file: &Path, path: &[Key], expected: &str) -> ConfigError {
    let key = path.iter().map(|key| key.display_repr()).collect::<Vec<_>>().join(".");
    let line = Document::parse(text).ok().and_then(|document| {
        let (name, tables) = path.split_last()?;
        let parent = tables.iter().try_fold(document.as_item(), |item, key| item.get(key.get()))?;
        let span = parent.as_table_like()?.key(name.get())?.span()?;
        Some(line_at(text, span.start))
    });
    ConfigError::value(file, line.unwrap_or(1), &key, expected)
}
