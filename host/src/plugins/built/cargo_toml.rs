//! What the `Cargo.toml` of a plugin says, with what it inherits from its workspace.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::CrateError;
use crate::home::files;
use crate::plugins::catalog::parse;

/// A crate that a plugin is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crate {
    /// Its folder.
    pub folder: PathBuf,
    /// The folder of its workspace; its own where it stands alone.
    pub workspace: PathBuf,
    /// The name of its library, without what the system puts around it.
    pub library: String,
    /// Whether it makes a library that can be loaded.
    pub is_cdylib: bool,
    /// Its version, where it says one.
    pub version: Option<String>,
    /// What it is, in a line.
    pub description: Option<String>,
    /// Who wrote it.
    pub authors: Option<String>,
    /// Its licence, as it says it.
    pub licence: Option<String>,
    /// Where there is more about it.
    pub url: Option<String>,
}

impl Crate {
    /// Reads the crate in a folder, given as an absolute path.
    ///
    /// # Errors
    /// When its `Cargo.toml`, or that of its workspace, cannot be read, or is that of no package.
    pub fn read(folder: &Path) -> Result<Self, CrateError> {
        let file = folder.join("Cargo.toml");
        let manifest = table(&file)?.unwrap_or_default();
        let Some(package) = manifest.get("package").and_then(Value::as_table) else {
            return Err(CrateError::NoPackage { file });
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
        let lib = manifest.get("lib");
        let kinds = lib.and_then(|lib| lib.get("crate-type").or_else(|| lib.get("crate_type")));
        let named = lib.and_then(|lib| lib.get("name")).and_then(Value::as_str);
        let Some(name) = named.or_else(|| package.get("name")?.as_str()) else {
            return Err(CrateError::NoPackage { file });
        };
        Ok(Self {
            folder: folder.to_owned(),
            library: name.replace('-', "_"),
            is_cdylib: kinds.and_then(Value::as_array).is_some_and(|kinds| kinds.contains(&Value::from("cdylib"))),
            version: text("version"),
            description: text("description"),
            authors: Some(one_line(&authors)).filter(|authors| !authors.is_empty()),
            licence: text("license"),
            url: text("homepage").or_else(|| text("documentation")).or_else(|| text("repository")),
            workspace: workspace.0,
        })
    }
}

fn table(file: &Path) -> Result<Option<Table>, CrateError> {
    match files::read_text(file)? {
        Some(text) => Ok(Some(parse(file, &text)?)),
        None => Ok(None),
    }
}

/// Descriptions are often broken into lines; an entry has them in one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
