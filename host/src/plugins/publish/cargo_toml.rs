//! What the `Cargo.toml` of a plugin says, with what it inherits from its workspace.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{SourceError, Texts};
use crate::home::files;
use crate::plugins::catalog::parse;

/// A crate that a plugin is built from.
pub(super) struct Crate {
    /// The name of its library, without what the system puts around it.
    pub(super) library: String,
    /// Its version, where it says one.
    pub(super) version: Option<String>,
    /// What a new catalog entry says of it.
    pub(super) texts: Texts,
    /// The folder of its workspace; its own where it stands alone.
    pub(super) workspace: PathBuf,
}

impl Crate {
    /// Reads the crate in a folder.
    pub(super) fn read(folder: &Path) -> Result<Self, SourceError> {
        let file = folder.join("Cargo.toml");
        let manifest = table(&file)?.unwrap_or_default();
        let Some(package) = manifest.get("package").and_then(Value::as_table) else {
            return Err(SourceError::NoPackage { file });
        };
        let mut workspace = (folder.to_owned(), manifest.clone());
        if !manifest.contains_key("workspace") {
            for above in folder.ancestors().skip(1) {
                if let Some(found) = table(&above.join("Cargo.toml"))?.filter(|found| found.contains_key("workspace")) {
                    workspace = (above.to_owned(), found);
                    break;
                }
            }
        }
        let inherited = workspace.1.get("workspace").and_then(|workspace| workspace.get("package"));
        let value = |key: &str| match package.get(key)? {
            Value::Table(from) if from.get("workspace") == Some(&Value::Boolean(true)) => inherited?.get(key),
            own => Some(own),
        };
        let text = |key: &str| value(key).and_then(Value::as_str).map(one_line).filter(|text| !text.is_empty());
        let authors = value("authors").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let authors = authors.collect::<Vec<_>>().join(", ");
        let named = manifest.get("lib").and_then(|lib| lib.get("name")).and_then(Value::as_str);
        let Some(name) = named.or_else(|| package.get("name")?.as_str()) else {
            return Err(SourceError::NoPackage { file });
        };
        Ok(Self {
            library: name.replace('-', "_"),
            version: text("version"),
            texts: Texts {
                title: None,
                description: text("description"),
                maintainer: Some(one_line(&authors)).filter(|authors| !authors.is_empty()),
                category: None,
                licence: text("license"),
                docs_url: text("homepage").or_else(|| text("documentation")).or_else(|| text("repository")),
            },
            workspace: workspace.0,
        })
    }
}

fn table(file: &Path) -> Result<Option<Table>, SourceError> {
    match files::read_text(file)? {
        Some(text) => Ok(Some(parse(file, &text)?)),
        None => Ok(None),
    }
}

/// Descriptions are often broken into lines; an entry has them in one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
