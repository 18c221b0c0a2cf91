//! The entry of a catalog, with one more release or artifact; all else in the file stays as its author wrote it.

use std::path::Path;

use hermes_provider_api::Capabilities;
use hermes_provider_api::metadata::Metadata;
use semver::Version;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use super::{Pack, PublishError};
use crate::plugins::catalog::{AbiVersion, Entry, Release, Sha256Hex, TomlError};

/// What an entry says to people. Each may be unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// The name that people read.
    pub title: Option<String>,
    /// One sentence.
    pub description: Option<String>,
    /// Who answers for it.
    pub maintainer: Option<String>,
    /// What it is for.
    pub category: Option<String>,
    /// An SPDX expression.
    pub licence: Option<String>,
    /// Where its documentation is.
    pub docs_url: Option<String>,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Entry,
    /// It has a new release.
    Release,
    /// A release of it has an artifact for one more target.
    Artifact,
    /// An artifact took the place of another.
    Replaced,
    /// It had this artifact already.
    Nothing,
}

/// A release with one artifact.
pub(super) struct NewRelease<'a> {
    pub(super) metadata: &'a Metadata,
    pub(super) version: Version,
    pub(super) abi: AbiVersion,
    pub(super) archive: &'a str,
    pub(super) sha256: &'a Sha256Hex,
    pub(super) size: u64,
}

/// The text of an entry with a release in it.
pub(super) fn with_release(
    file: &Path,
    before: Option<String>,
    new: &NewRelease<'_>,
    request: &Pack<'_>,
) -> Result<(String, Change), PublishError> {
    let is_new = before.is_none();
    let text = match before {
        Some(text) => text,
        None => head(new.metadata, request)?,
    };
    let (entry, _) = Entry::parse(file, &text)?;
    let broken = |reason: String| TomlError::new(file, 1, &reason);
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| broken(error.to_string()))?;
    for (key, text) in request.given.keys() {
        if let (false, Some(text)) = (is_new, text) {
            set(&mut document, key, text);
        }
    }

    let releases = tables(&mut document, "releases").ok_or_else(|| broken("`releases` is no list".to_owned()))?;
    let at = entry.releases.iter().position(|release| release.version == new.version);
    let change = match at.and_then(|at| Some((&entry.releases[at], releases.get_mut(at)?))) {
        None => {
            let mut release = Table::new();
            release["version"] = value(new.version.to_string());
            describe(&mut release, new);
            release["artifacts"] = Item::ArrayOfTables(ArrayOfTables::from_iter([artifact(new, request.base_url)]));
            releases.push(release);
            if is_new { Change::Entry } else { Change::Release }
        }
        Some((known, release)) => {
            let change = compare(file, known, new, request.force)?;
            if matches!(change, Change::Replaced) && known.artifacts.len() == 1 {
                describe(release, new);
            }
            let at = known.artifacts.iter().position(|artifact| artifact.target == new.metadata.target);
            let list = tables(release, "artifacts").ok_or_else(|| broken("`artifacts` is no list".to_owned()))?;
            match at.and_then(|at| list.get_mut(at)) {
                Some(known) => {
                    for (key, item) in artifact(new, request.base_url) {
                        if let Ok(value) = item.into_value() {
                            set(known, &key, value);
                        }
                    }
                    known.remove(if request.base_url.is_some() { "path" } else { "url" });
                }
                None => list.push(artifact(new, request.base_url)),
            }
            change
        }
    };
    let text = document.to_string();
    Entry::parse(file, &text)?;
    Ok((text, change))
}

impl Texts {
    fn keys(&self) -> [(&'static str, Option<&str>); 6] {
        let Self { title, description, maintainer, category, licence, docs_url } = self;
        [
            ("title", title.as_deref()),
            ("description", description.as_deref()),
            ("maintainer", maintainer.as_deref()),
            ("category", category.as_deref()),
            ("licence", licence.as_deref()),
            ("docs_url", docs_url.as_deref()),
        ]
    }
}

/// A new entry without a release.
fn head(metadata: &Metadata, request: &Pack<'_>) -> Result<String, PublishError> {
    let mut document = DocumentMut::new();
    document["name"] = value(&metadata.id);
    let mut missing = Vec::new();
    for ((key, given), (_, found)) in request.given.keys().into_iter().zip(request.found.keys()) {
        let by_itself = match key {
            "title" => Some(metadata.title.as_str()),
            "category" => Some("memory"),
            "docs_url" => Some(""),
            _ => None,
        };
        match given.or(found).or(by_itself) {
            Some("") if key == "docs_url" => {}
            Some(text) if !text.is_empty() => document[key] = value(text),
            _ => missing.push(key),
        }
    }
    if missing.is_empty() { Ok(document.to_string()) } else { Err(PublishError::Missing { keys: missing }) }
}

/// What a release that is there becomes, if it may.
fn compare(file: &Path, known: &Release, new: &NewRelease<'_>, force: bool) -> Result<Change, PublishError> {
    let Metadata { id, target, capabilities, .. } = new.metadata;
    let listed = known.artifacts.iter().find(|artifact| artifact.target == *target);
    if listed.is_some_and(|listed| listed.sha256 == *new.sha256) {
        return Ok(Change::Nothing);
    }
    if let (Some(listed), false) = (listed, force) {
        return Err(PublishError::Exists {
            entry: file.to_owned(),
            id: id.clone(),
            version: new.version.clone(),
            target: target.clone(),
            listed: listed.sha256.clone(),
            packed: new.sha256.clone(),
        });
    }
    let missing = capabilities.missing_from(&known.capabilities);
    let differs = match known.abi == new.abi {
        false => Some(format!("ABI {}, and this library has {}", known.abi, new.abi)),
        true if missing.is_empty() => None,
        true => Some(format!("fewer capabilities than this library asks for: {}", missing.join(", "))),
    };
    let alone = listed.is_some() && known.artifacts.len() == 1;
    match differs {
        Some(differs) if !alone => {
            Err(PublishError::Differs { entry: file.to_owned(), id: id.clone(), version: new.version.clone(), differs })
        }
        _ => Ok(if listed.is_some() { Change::Replaced } else { Change::Artifact }),
    }
}

/// Writes what a release says of all its artifacts.
fn describe(release: &mut Table, new: &NewRelease<'_>) {
    set(release, "requires_host", new.metadata.requires_host.as_str());
    set(release, "abi", new.abi.to_string());
    match inline(&new.metadata.capabilities) {
        capabilities if capabilities.is_empty() => {
            release.remove("capabilities");
        }
        capabilities => set(release, "capabilities", capabilities),
    }
}

fn inline(capabilities: &Capabilities) -> InlineTable {
    let Capabilities { http, secret, command, stop, file, network, model } = capabilities;
    let mut table = InlineTable::new();
    for (kind, entries) in [("http", http), ("secret", secret), ("command", command), ("stop", stop), ("file", file)] {
        if !entries.is_empty() {
            table.insert(kind, Value::Array(entries.iter().collect::<Array>()));
        }
    }
    if !network.is_empty() {
        table.insert("network", network.into());
    }
    if !model.is_empty() {
        table.insert("model", Value::Array(model.iter().collect::<Array>()));
    }
    table
}

fn artifact(new: &NewRelease<'_>, base_url: Option<&str>) -> Table {
    let mut artifact = Table::new();
    artifact["target"] = value(&new.metadata.target);
    match base_url {
        Some(base) => artifact["url"] = value(format!("{}/{}", base.trim_end_matches('/'), new.archive)),
        None => artifact["path"] = value(new.archive),
    }
    artifact["sha256"] = value(new.sha256.as_str());
    artifact["size"] = value(i64::try_from(new.size).unwrap_or(i64::MAX));
    artifact
}

/// Sets a value; the comment behind the old one stays.
fn set(table: &mut Table, key: &str, new: impl Into<Value>) {
    let mut new = new.into();
    if let Some(old) = table.get(key).and_then(Item::as_value) {
        *new.decor_mut() = old.decor().clone();
    }
    table[key] = Item::Value(new);
}

/// The tables of a list, also of one that is written within brackets.
fn tables<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut ArrayOfTables> {
    let item = table.entry(key).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if item.as_array().is_some_and(Array::is_empty) {
        *item = Item::ArrayOfTables(ArrayOfTables::new());
    }
    *item = match std::mem::take(item).into_array_of_tables() {
        Ok(tables) => Item::ArrayOfTables(tables),
        Err(other) => other,
    };
    item.as_array_of_tables_mut()
}
