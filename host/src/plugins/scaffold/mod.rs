//! A new provider: a crate that builds, passes the conformance kit and packs, for its author to change.
//!
//! The templates are the files of that crate, each with `.in` behind its name.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::catalog::{RESERVED, is_plugin_id};
use crate::error::Hint;
use crate::home::files::{self, At as _, FileError};

const API: &str = "hermes-provider-api";

macro_rules! templates {
    ($($file:literal from $template:literal),+ $(,)?) => {
        const TEMPLATES: &[(&str, &str)] = &[$(($file, include_str!(concat!("template/", $template, ".in")))),+];
    };
}

templates! {
    ".gitignore" from "gitignore",
    "Cargo.toml" from "Cargo.toml",
    "LICENSE.md" from "LICENSE.md",
    "README.md" from "README.md",
    "rustfmt.toml" from "rustfmt.toml",
    "src/lib.rs" from "src/lib.rs",
    "src/provider.rs" from "src/provider.rs",
    "src/store.rs" from "src/store.rs",
    "src/words.rs" from "src/words.rs",
    "tests/conformance.rs" from "tests/conformance.rs",
    "tests/provider.rs" from "tests/provider.rs",
}

/// Where a new crate takes `hermes-provider-api` from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiSource {
    /// Its folder.
    Path(PathBuf),
    /// The repository that it is in.
    Git(String),
}

/// Why no crate was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScaffoldError {
    /// The name is no plugin's id.
    #[error("`{}` is no name of a plugin: {rule}", name.escape_debug())]
    Name {
        /// The name.
        name: String,
        /// What it breaks.
        rule: &'static str,
        /// A name like it that can be had.
        legal: Option<String>,
    },
    /// The folder is used.
    #[error("`{}` is there already, and it is not empty", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that was named is not that of `hermes-provider-api`.
    #[error("`{}` is not the folder of `{API}`: it has no `Cargo.toml` of that name", path.display())]
    NotTheApi {
        /// The folder.
        path: PathBuf,
    },
    /// Nobody said where `hermes-provider-api` is.
    #[error("this hermes does not know where its `{API}` is, which the new crate depends on")]
    NoApi,
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Hint for ScaffoldError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Name { legal, .. } => {
                legal.iter().map(|legal| format!("this one fits: `hermes plugins new {legal}`")).collect()
            }
            Self::Occupied { .. } => vec!["name another folder with `--dir`".to_owned()],
            Self::NotTheApi { .. } | Self::NoApi => {
                vec!["name the folder `provider-api` of a checkout of hermes with `--provider-api`".to_owned()]
            }
            Self::File(error) => error.hints(),
        }
    }
}

impl ApiSource {
    /// The folder that was named; without one, that of the checkout in which the program lies, or was built as far as it
    /// is still there; without either, the repository of this release.
    ///
    /// # Errors
    /// When the folder that was named is another, or none of them is there.
    pub fn find(
        named: Option<&Path>,
        executable: &Path,
        built_in: &Path,
        repository: &str,
    ) -> Result<Self, ScaffoldError> {
        if let Some(path) = named {
            // The checkout itself will do as well.
            let found = [path.to_owned(), path.join("provider-api")].into_iter().find_map(|path| api_in(&path));
            return found.map(Self::Path).ok_or_else(|| ScaffoldError::NotTheApi { path: path.to_owned() });
        }
        let executable = fs::canonicalize(executable).unwrap_or_default();
        let mut checkouts = executable.ancestors().skip(1).chain([built_in]);
        match checkouts.find_map(|checkout| api_in(&checkout.join("provider-api"))) {
            Some(path) => Ok(Self::Path(path)),
            None if repository.is_empty() => Err(ScaffoldError::NoApi),
            None => Ok(Self::Git(repository.to_owned())),
        }
    }

    /// As the keys of a dependency.
    fn keys(&self) -> String {
        let quoted = |text: &str| toml_edit::Value::from(text).to_string();
        match self {
            Self::Path(path) => format!("path = {}", quoted(&path.to_string_lossy())),
            Self::Git(url) => format!("git = {}", quoted(url)),
        }
    }
}

/// The folder, if it is that of the API. A manifest names only UTF-8.
fn api_in(folder: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).ok().filter(|folder| folder.to_str().is_some())?;
    let manifest: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()?;
    (manifest.get("package")?.get("name")?.as_str()? == API).then_some(folder)
}

/// Writes a new crate into a folder, which is made, or is there and empty. Answers its files, relative to the folder.
///
/// # Errors
/// Why not. The name and the folder are checked before anything is written.
pub fn create(name: &str, folder: &Path, api: &ApiSource) -> Result<Vec<&'static str>, ScaffoldError> {
    check_name(name)?;
    match fs::read_dir(folder) {
        Ok(mut items) => {
            if items.next().is_some() {
                return Err(ScaffoldError::Occupied { folder: folder.to_owned() });
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).at("read", folder).map_err(ScaffoldError::File),
    }
    let mut host = env!("CARGO_PKG_VERSION").split('.');
    let host = format!("{}.{}", host.next().unwrap_or_default(), host.next().unwrap_or_default());
    let package = format!("hermes-provider-{name}");
    // The name of a tool has 64 characters at the most.
    let tool = format!("{}_search", hermes_text::truncate_chars(&name.replace('-', "_"), 57));
    let values = [
        ("{{id}}", name.to_owned()),
        ("{{title}}", title(name)),
        ("{{lib}}", package.replace('-', "_")),
        ("{{crate}}", package),
        ("{{tool}}", tool),
        ("{{host}}", host),
        ("{{api}}", api.keys()),
    ];
    for (file, template) in TEMPLATES {
        let text = values.iter().fold((*template).to_owned(), |text, (key, value)| text.replace(key, value));
        files::publish(&folder.join(file), |to| to.write_all(text.as_bytes()))?;
    }
    Ok(TEMPLATES.iter().map(|(file, _)| *file).collect())
}

/// Checks a name by the rule of the catalog.
///
/// # Errors
/// What it breaks, with a name like it that can be had.
pub fn check_name(name: &str) -> Result<(), ScaffoldError> {
    let rule = match name {
        name if RESERVED.contains(&name) => "another file of a catalog is called so",
        name if is_plugin_id(name) => return Ok(()),
        _ => "1 to 64 lower-case letters, digits and `-`, beginning with a letter",
    };
    Err(ScaffoldError::Name { name: name.to_owned(), rule, legal: legal(name) })
}

/// The name with what is not allowed left out, in the usual spelling: `My_Notes` and `MyNotes` become `my-notes`.
fn legal(name: &str) -> Option<String> {
    let mut legal = String::new();
    let mut after_small = false;
    for c in name.chars() {
        let letter = c.to_ascii_lowercase();
        if !letter.is_ascii_lowercase() && (!letter.is_ascii_digit() || legal.is_empty()) {
            after_small = false;
            if !legal.is_empty() && !legal.ends_with('-') {
                legal.push('-');
            }
            continue;
        }
        if c.is_ascii_uppercase() && after_small {
            legal.push('-');
        }
        legal.push(letter);
        after_small = !c.is_ascii_uppercase();
    }
    legal.truncate(64);
    let legal = legal.trim_end_matches('-');
    (is_plugin_id(legal) && !RESERVED.contains(&legal)).then(|| legal.to_owned())
}

fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.trim().chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_like_it_is_offered() {
        for (name, expected) in [
            ("My_Notes", Some("my-notes")),
            ("MyNotes 2", Some("my-notes-2")),
            ("2-notes_", Some("notes")),
            ("ABC", Some("abc")),
            ("пример", None),
            ("", None),
            ("../notes", Some("notes")),
            ("removed", None),
        ] {
            assert_eq!(legal(name).as_deref(), expected, "{name}");
            assert!(check_name(name).is_err(), "{name}");
        }
        check_name("notes-2").unwrap();
        assert_eq!(title("my-notes"), "My notes");
    }

    #[test]
    fn the_api_is_where_somebody_says_or_where_the_program_was_built() {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let api = ApiSource::Path(checkout.join("provider-api"));
        let nowhere = Path::new("/nowhere/hermes");
        for named in [checkout.to_owned(), checkout.join("provider-api")] {
            assert_eq!(ApiSource::find(Some(&named), nowhere, nowhere, "").unwrap(), api);
        }
        assert_eq!(ApiSource::find(None, &std::env::current_exe().unwrap(), nowhere, "https://x").unwrap(), api);
        assert_eq!(ApiSource::find(None, nowhere, checkout, "https://x").unwrap(), api);
        let git = ApiSource::find(None, nowhere, nowhere, "https://git.example/hermes").unwrap();
        assert_eq!(git.keys(), r#"git = "https://git.example/hermes""#);
        assert!(matches!(ApiSource::find(None, nowhere, nowhere, ""), Err(ScaffoldError::NoApi)));
        let wrong = ApiSource::find(Some(&checkout.join("host")), nowhere, nowhere, "https://x");
        assert!(matches!(wrong, Err(ScaffoldError::NotTheApi { .. })));
        let odd = "/it's \"here\"\\";
        let read: toml::Table = ApiSource::Path(odd.into()).keys().parse().unwrap();
        assert_eq!(read["path"].as_str(), Some(odd));
    }

    #[test]
    fn every_mark_of_a_template_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("a{}", "-b".repeat(31));
        let files = create(&name, &folder.path().join("new"), &ApiSource::Git("https://x".to_owned())).unwrap();
        for file in files {
            let text = fs::read_to_string(folder.path().join("new").join(file)).unwrap();
            assert!(!text.contains("{{") && !text.is_empty(), "{file}");
        }
        let error = create(&name, folder.path(), &ApiSource::Git(String::new())).unwrap_err();
        assert!(matches!(error, ScaffoldError::Occupied { .. }));
    }
}
