//! `plugins.lock`: what is installed, from where, and what the user allowed.
//!
//! Reading takes no lock, because the file is replaced as a whole. Writing does: [`Editor`] holds the lock between
//! processes from reading to writing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hermes_provider_api::Capabilities;
use semver::Version;
use serde::{Deserialize, Serialize};

use super::catalog::{Sha256Hex, Tier, TomlError, is_plugin_id, parse};
use crate::clock::UnixMillis;
use crate::error::Hint;
use crate::home::Home;
use crate::home::files::{self, FileError, FileLock};

/// The format that this host writes, and the only one that it reads.
const FORMAT: u64 = 1;

const HEAD: &str = "# Written by hermes: what is installed, and what you allowed it to do.\n";

/// Why the lockfile cannot be used. It is left as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// It cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is not what this host wrote.
    #[error("the lockfile {0}")]
    Damaged(#[from] TomlError),
    /// A newer host wrote it.
    #[error("the lockfile `{}` has format {found}, this hermes reads format {FORMAT}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
    },
}

impl Hint for LockError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) if error.source.kind() == std::io::ErrorKind::InvalidData => repair(&error.path),
            Self::File(error) => error.hints(),
            Self::Damaged(error) => repair(&error.path),
            Self::Newer { .. } => vec!["use the newer hermes that wrote it; nothing was changed".to_owned()],
        }
    }
}

fn repair(path: &Path) -> Vec<String> {
    let path = path.display();
    vec![format!("nothing was changed; repair it, or move `{path}` away and install the plugins again")]
}

/// Everything in the lockfile.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Lock {
    /// What is installed, by id.
    pub plugins: BTreeMap<String, Installed>,
    /// What the user allowed plugins that were removed since, by id.
    pub removed: BTreeMap<String, Grant>,
}

/// An installed plugin.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Installed {
    /// The version that is used.
    pub current: Record,
    /// The one before it, still in the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Record>,
}

impl Installed {
    /// Both versions, the one that is used first.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        [Some(&self.current), self.previous.as_ref()].into_iter().flatten()
    }
}

/// One installed version.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Record {
    /// The version.
    pub version: Version,
    /// The name of the library's file.
    pub library: String,
    /// The library's SHA-256.
    pub library_sha256: Sha256Hex,
    /// The SHA-256 of the archive that it came in.
    pub archive_sha256: Sha256Hex,
    /// Where the archive came from: a path or URL, as the catalog names it.
    pub source: String,
    /// When it was installed.
    pub installed_at: UnixMillis,
    /// The SHA-256 of the archive for each target, from the catalog.
    pub artifacts: BTreeMap<String, Sha256Hex>,
    /// What the user allowed.
    pub grant: Grant,
}

impl Record {
    /// Whether both name the same folder of the store.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.version == other.version && self.library_sha256 == other.library_sha256
    }

    /// Whether it was written on a machine of another target: what was installed is not the archive for this one.
    #[must_use]
    pub fn is_foreign(&self, target: &str) -> bool {
        !self.artifacts.is_empty() && self.artifacts.get(target) != Some(&self.archive_sha256)
    }

    /// Whether it was installed from a file that the user named, and not from a catalog.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.grant.catalog.is_empty()
    }

    /// On whose word it was installed, in a word or two.
    #[must_use]
    pub fn vouched_by(&self) -> &'static str {
        if self.is_local() { "from a file" } else { self.grant.tier.name() }
    }
}

/// What a user allowed a plugin, and on whose word.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Grant {
    /// The catalog that offered it, as [`CatalogRoot::name`](super::catalog::CatalogRoot::name); empty for a file that
    /// the user named.
    pub catalog: String,
    /// How far that catalog was trusted.
    pub tier: Tier,
    /// What the plugin may do.
    #[serde(default)]
    pub capabilities: Capabilities,
    /// What the settings that a capability names are until the user sets another: it was shown and agreed to as well.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, String>,
}

impl Lock {
    /// Reads the lockfile of a home; one that is not there is empty.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or was written by a newer host.
    pub fn read(home: &Home) -> Result<Self, LockError> {
        let path = home.lock_file();
        match files::read_text(&path)? {
            Some(text) => Self::parse(&path, &text),
            None => Ok(Self::default()),
        }
    }

    /// What the user last allowed a plugin, installed or removed.
    #[must_use]
    pub fn grant(&self, id: &str) -> Option<&Grant> {
        self.plugins.get(id).map(|installed| &installed.current.grant).or_else(|| self.removed.get(id))
    }

    /// Reads the text of a lockfile; `path` is for the error.
    ///
    /// # Errors
    /// When it is damaged or was written by a newer host.
    pub fn parse(path: &Path, text: &str) -> Result<Self, LockError> {
        #[derive(Deserialize)]
        struct Format {
            format: u64,
        }
        let Format { format } = parse(path, text)?;
        if format != FORMAT {
            return Err(LockError::Newer { path: path.to_owned(), found: format });
        }
        let lock: Self = parse(path, text)?;
        // Both become parts of paths.
        for (id, installed) in &lock.plugins {
            let names_fit = installed.records().all(|record| {
                Path::new(&record.library).file_name().is_some_and(|name| name == record.library.as_str())
            });
            if !names_fit || !is_plugin_id(id) {
                let message = format!("`{}` has an id or a library that is no plain name", id.escape_debug());
                return Err(TomlError::new(path, line_with(text, id), &message).into());
            }
        }
        Ok(lock)
    }

    /// The text of the lockfile.
    #[must_use]
    pub fn to_text(&self) -> String {
        let body = toml::to_string(self).expect("all keys are text, and numbers of 64 bits are written as they are");
        format!("{HEAD}format = {FORMAT}\n\n{body}")
    }
}

fn line_with(text: &str, id: &str) -> usize {
    text.lines().position(|line| line.contains(id)).map_or(1, |at| at + 1)
}

/// The lockfile while it is being changed: no other process changes it, or the store, until this is dropped.
#[derive(Debug)]
pub struct Editor {
    /// What is going to be written.
    pub lock: Lock,
    path: PathBuf,
    _guard: FileLock,
}

impl Editor {
    /// Waits until no other process changes the lockfile, and reads it.
    ///
    /// # Errors
    /// As [`Lock::read`].
    pub fn open(home: &Home) -> Result<Self, LockError> {
        let guard = FileLock::acquire(&home.store().with_file_name("install.lock"))?;
        files::clean(home.root());
        Ok(Self { lock: Lock::read(home)?, path: home.lock_file(), _guard: guard })
    }

    /// Writes the lockfile.
    ///
    /// # Errors
    /// When it cannot be written; the old one is then still there.
    pub fn save(&self) -> Result<(), FileError> {
        files::replace(&self.path, self.lock.to_text().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn record(version: &str) -> Record {
        let hash = |byte| Sha256Hex::from_digest(&[byte; 32]);
        Record {
            version: version.parse().unwrap(),
            library: "libnotes.so".to_owned(),
            library_sha256: hash(1),
            archive_sha256: hash(2),
            source: "notes.tar.gz".to_owned(),
            installed_at: 1_700_000_000_000,
            artifacts: [("x86_64-unknown-linux-gnu".to_owned(), hash(2))].into(),
            grant: Grant {
                catalog: "/catalog".into(),
                tier: Tier::Official,
                capabilities: Capabilities { secret: vec!["NOTES_KEY".to_owned()], ..Capabilities::default() },
                defaults: BTreeMap::new(),
            },
        }
    }

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        (folder, home)
    }

    #[test]
    fn what_is_written_is_read() {
        let (_folder, home) = home();
        assert_eq!(Lock::read(&home).unwrap(), Lock::default());
        let mut editor = Editor::open(&home).unwrap();
        editor.save().unwrap();
        assert_eq!(Lock::read(&home).unwrap(), Lock::default());
        let installed = Installed { current: record("1.1.0"), previous: Some(record("1.0.0")) };
        editor.lock.plugins.insert("notes".to_owned(), installed);
        editor.lock.removed.insert("other".to_owned(), record("1.0.0").grant);
        editor.save().unwrap();
        assert_eq!(Lock::read(&home).unwrap(), editor.lock);
        insta::assert_snapshot!(fs::read_to_string(home.lock_file()).unwrap(), @r#"
        # Written by hermes: what is installed, and what you allowed it to do.
        format = 1

        [plugins.notes.current]
        version = "1.1.0"
        library = "libnotes.so"
        library_sha256 = "0101010101010101010101010101010101010101010101010101010101010101"
        archive_sha256 = "0202020202020202020202020202020202020202020202020202020202020202"
        source = "notes.tar.gz"
        installed_at = 1700000000000

        [plugins.notes.current.artifacts]
        x86_64-unknown-linux-gnu = "0202020202020202020202020202020202020202020202020202020202020202"

        [plugins.notes.current.grant]
        catalog = "/catalog"
        tier = "official"

        [plugins.notes.current.grant.capabilities]
        secret = ["NOTES_KEY"]

        [plugins.notes.previous]
        version = "1.0.0"
        library = "libnotes.so"
        library_sha256 = "0101010101010101010101010101010101010101010101010101010101010101"
        archive_sha256 = "0202020202020202020202020202020202020202020202020202020202020202"
        source = "notes.tar.gz"
        installed_at = 1700000000000

        [plugins.notes.previous.artifacts]
        x86_64-unknown-linux-gnu = "0202020202020202020202020202020202020202020202020202020202020202"

        [plugins.notes.previous.grant]
        catalog = "/catalog"
        tier = "official"

        [plugins.notes.previous.grant.capabilities]
        secret = ["NOTES_KEY"]

        [removed.other]
        catalog = "/catalog"
        tier = "official"

        [removed.other.capabilities]
        secret = ["NOTES_KEY"]
        "#);
    }

    #[track_caller]
    fn refused(text: &str) -> String {
        let (folder, home) = home();
        home.create().unwrap();
        fs::write(home.lock_file(), text).unwrap();
        let failure = crate::error::Failure::from(Editor::open(&home).unwrap_err());
        assert_eq!(fs::read_to_string(home.lock_file()).unwrap(), text, "nothing was changed");
        let root = folder.path().to_string_lossy().into_owned();
        format!("{}\n{}", failure.message, failure.hints.join("\n")).replace(&root, "")
    }

    #[test]
    fn a_lockfile_that_cannot_be_used() {
        insta::assert_snapshot!(refused("format = 2\nanything = 'new'\n"), @r"
        the lockfile `/home/plugins.lock` has format 2, this hermes reads format 1
        use the newer hermes that wrote it; nothing was changed
        ");
        insta::assert_snapshot!(refused("format = 1\n\n[plugins.notes]\nversion = 'one'\n"), @r"
        the lockfile `/home/plugins.lock:3` is broken: missing field `current`
        nothing was changed; repair it, or move `/home/plugins.lock` away and install the plugins again
        ");
        insta::assert_snapshot!(refused("[plugins]\n"), @r"
        the lockfile `/home/plugins.lock:1` is broken: missing field `format`
        nothing was changed; repair it, or move `/home/plugins.lock` away and install the plugins again
        ");
        insta::assert_snapshot!(refused("format = 1\n[plug\u{0}ins"), @r"
        the lockfile `/home/plugins.lock:2` is broken: unclosed table, expected `]`
        nothing was changed; repair it, or move `/home/plugins.lock` away and install the plugins again
        ");
        for (id, library) in [("notes", "../../lib.so"), ("notes", ""), ("notes", "/x/lib.so"), ("../x", "lib.so")] {
            let installed =
                Installed { current: Record { library: library.into(), ..record("1.0.0") }, previous: None };
            let lock = Lock { plugins: [(id.to_owned(), installed)].into(), ..Lock::default() };
            let text = refused(&lock.to_text());
            assert!(text.contains("plugins.lock:4` is broken: "), "{text}");
        }
    }
}
