//! The files that say what may be installed and what is.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use hermes_host::plugins::catalog::{Blocklist, Entry, Location, Sha256Hex, UnknownKey};
use hermes_host::plugins::lock::Lock;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Table;

/// The text of an entry, and of a list of what is blocked.
///
/// # Panics
/// When what is read cannot be written and read again, leads out of the catalog, or blocks less than it says.
#[must_use]
pub fn catalog(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let entry = entry(text);
    let blocks = blocklist(text);
    entry || blocks
}

fn entry(text: &str) -> bool {
    let named = text.lines().find_map(|line| line.strip_prefix("name = \"")?.split('"').next()).unwrap_or("notes");
    let file = Path::new("catalog").join(format!("{named}.toml"));
    let (entry, unknown) = match Entry::parse(&file, text) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert_harmless(&error.message);
            return false;
        }
    };
    check_unknown(text, &unknown);
    let lines = [&entry.title, &entry.description, &entry.maintainer, &entry.category, &entry.licence, &entry.docs_url];
    lines.into_iter().chain(&entry.known_issues).for_each(|line| assert_harmless(line));
    for artifact in entry.releases.iter().flat_map(|release| &release.artifacts) {
        if let Location::Path(path) = &artifact.location {
            let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
            assert!(is_inside && !path.is_empty(), "`{path}` leads out of the catalog");
        }
    }
    let (again, unknown) = Entry::parse(&file, &written(&entry)).expect("what was written can be read");
    assert_eq!(again, entry);
    assert_eq!(unknown, []);
    true
}

/// The entry as a file.
fn written(entry: &Entry) -> String {
    let Entry { name, title, description, maintainer, category, licence, docs_url, .. } = entry;
    let texts = [
        ("name", name),
        ("title", title),
        ("description", description),
        ("maintainer", maintainer),
        ("category", category),
        ("licence", licence),
        ("docs_url", docs_url),
    ];
    let mut table: Table = texts.map(|(key, text)| (key.to_owned(), text.as_str().into())).into_iter().collect();
    table.insert("known_issues".to_owned(), entry.known_issues.clone().into());
    if let Some(package) = &entry.crate_name {
        table.insert("crate".to_owned(), package.as_str().into());
    }
    let releases = BTreeMap::from([("releases", &entry.releases)]);
    let write = "what was read can be written";
    format!("{}\n{}", toml::to_string(&table).expect(write), toml::to_string(&releases).expect(write))
}

fn blocklist(text: &str) -> bool {
    let file = Path::new("catalog/removed.toml");
    let mut blocklist = Blocklist::default();
    let unknown = match blocklist.add(file, text) {
        Ok(unknown) => unknown,
        Err(error) => {
            assert_harmless(&error.message);
            return false;
        }
    };
    check_unknown(text, &unknown);
    let lists: Lists = toml::from_str(text).expect("it was read as a list");
    for name in lists.names.keys() {
        assert_harmless(&blocklist.name(name).expect("the name is blocked").to_string());
    }
    for source in lists.sources.keys() {
        assert_harmless(&blocklist.source(source).expect("the source is blocked").to_string());
        assert!(blocklist.source(&format!("{source}/a/b.tar.gz")).is_some(), "what is below `{source}` is blocked");
    }
    for hash in lists.sha256.keys() {
        let hash = Sha256Hex::try_from(hash.clone()).expect("it was read as a hash");
        assert_harmless(&blocklist.hash(&hash).expect("the hash is blocked").to_string());
    }
    [lists.names, lists.sources, lists.sha256].iter().any(|list| !list.is_empty())
}

/// The keys of a list of what is blocked.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Lists {
    names: BTreeMap<String, IgnoredAny>,
    sources: BTreeMap<String, IgnoredAny>,
    sha256: BTreeMap<String, IgnoredAny>,
}

fn check_unknown(text: &str, unknown: &[UnknownKey]) {
    let lines = text.matches('\n').count() + 1;
    for key in unknown {
        assert!((1..=lines).contains(&key.line), "{key:?}");
        assert_harmless(&key.to_string());
    }
}

/// What is shown must not act on a terminal.
fn assert_harmless(shown: &str) {
    assert!(!shown.contains(char::is_control), "{shown:?} holds a control character");
}

/// The text of `plugins.lock`.
///
/// # Panics
/// When what is read cannot be written and read again, or names something that is no plain file name.
#[must_use]
pub fn lockfile(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let path = Path::new("plugins.lock");
    let lock = match Lock::parse(path, text) {
        Ok(lock) => lock,
        Err(error) => {
            assert_harmless(&error.to_string());
            return false;
        }
    };
    for installed in lock.plugins.values() {
        for record in [Some(&installed.current), installed.previous.as_ref()].into_iter().flatten() {
            let parts: Vec<_> = Path::new(&record.library).components().collect();
            assert!(matches!(parts[..], [Component::Normal(_)]), "`{}` leads elsewhere", record.library);
        }
    }
    assert_eq!(Lock::parse(path, &lock.to_text()).expect("what was written can be read"), lock);
    true
}
