//! What does not fit between a plugin and its host, in words.

use std::fmt;
use std::path::PathBuf;

use semver::Version;

use crate::error::Hint;
use crate::plugins::catalog::{AbiVersion, Blocked, Sha256Hex};
use crate::plugins::inspect::InspectError;

/// One thing that does not fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// The library is a link, or elsewhere.
    #[error("`{}` is not a plain file in the store", library.display())]
    NotInStore {
        /// The library.
        library: PathBuf,
    },
    /// The library is not there.
    #[error("`{}` is not there any more", library.display())]
    Gone {
        /// The library.
        library: PathBuf,
    },
    /// The library is not the one that was installed.
    #[error("the file was changed: its sha256 is {}…, the lockfile says {}…", found.short(), locked.short())]
    Changed {
        /// What the lockfile says.
        locked: Sha256Hex,
        /// What the file has.
        found: Sha256Hex,
    },
    /// The library or its section cannot be read.
    #[error(transparent)]
    Unreadable(#[from] InspectError),
    /// It is for another machine.
    #[error("target: the plugin was built for `{}`, hermes for `{host}`", plugin.escape_debug())]
    Target {
        /// The plugin's.
        plugin: String,
        /// The host's.
        host: String,
    },
    /// It was built with another boundary.
    #[error("ABI: the plugin has {plugin}, hermes has {host}; {} is the older side", older(*plugin, *host))]
    Abi {
        /// The plugin's.
        plugin: AbiVersion,
        /// The host's.
        host: AbiVersion,
    },
    /// A panic of it ends the process.
    #[error("panics: the plugin was built with `panic = \"abort\"`, so it runs only in a worker")]
    Aborts,
    /// It does not work with this host.
    #[error("host: the plugin needs hermes `{}`, this is {host}", range.escape_debug())]
    Host {
        /// What it needs.
        range: String,
        /// What there is.
        host: Version,
    },
    /// It is another plugin.
    #[error("id: the plugin calls itself `{}`, its catalog entry is `{entry}`", plugin.escape_debug())]
    Id {
        /// What it says.
        plugin: String,
        /// What was expected.
        entry: String,
    },
    /// It is another version.
    #[error("version: the plugin says {}, its catalog entry {entry}", plugin.escape_debug())]
    Version {
        /// What it says.
        plugin: String,
        /// What was expected.
        entry: Version,
    },
    /// A capability or a setting breaks a rule.
    #[error("{0}")]
    Grammar(String),
    /// It asks for more than its catalog entry allows.
    #[error("it asks for more than its catalog entry allows: {}", list(_0))]
    NotAdmitted(Vec<String>),
    /// It asks for more than the user allowed.
    #[error("it asks for more than was granted: {}", list(_0))]
    NotGranted(Vec<String>),
    /// It must not be used.
    #[error(transparent)]
    Blocked(#[from] Blocked),
}

/// All that does not fit.
#[derive(Debug)]
pub struct Mismatches {
    /// The plugin.
    pub id: String,
    /// The version that was checked.
    pub version: Version,
    /// In the order of the checks; at least one.
    pub items: Vec<Mismatch>,
    /// The newest version in the catalogs that fits.
    pub fits: Option<Version>,
}

impl Mismatches {
    /// Whether the file itself is gone or not what was installed, so that the same version can be installed anew.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        let is_file = |item: &Mismatch| {
            matches!(
                item,
                Mismatch::NotInStore { .. }
                    | Mismatch::Gone { .. }
                    | Mismatch::Changed { .. }
                    | Mismatch::Unreadable(_)
            )
        };
        let is_blocked = |item: &Mismatch| matches!(item, Mismatch::Blocked(_));
        self.items.iter().any(is_file) && !self.items.iter().any(is_blocked)
    }

    /// With the library named as the archive names it, for one that lies in a folder which is about to go.
    pub(crate) fn without_folders(mut self: Box<Self>) -> Box<Self> {
        let shorter = |item| match item {
            Mismatch::Unreadable(error) => Mismatch::Unreadable(error.without_folders()),
            other => other,
        };
        self.items = self.items.into_iter().map(shorter).collect();
        self
    }
}

impl std::error::Error for Mismatches {}

impl fmt::Display for Mismatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {} cannot be used", self.id, self.version)?;
        self.items.iter().try_for_each(|item| write!(f, "\n  {}", describe(item)))
    }
}

impl Hint for Mismatches {
    fn hints(&self) -> Vec<String> {
        let Self { id, version, items, fits } = self;
        if items.iter().any(|item| matches!(item, Mismatch::Blocked(_))) {
            return vec![format!("take it away with `hermes plugins remove {id}`")];
        }
        let mut hints: Vec<_> = items.iter().filter_map(|item| hint(item, id)).collect();
        hints.dedup();
        hints.extend(fits.iter().map(|fits| match fits == version {
            true => format!("install it anew: `hermes plugins install {id}`"),
            false => format!("{fits} fits: `hermes plugins install {id}@{fits}`"),
        }));
        hints
    }
}

fn hint(item: &Mismatch, id: &str) -> Option<String> {
    match item {
        Mismatch::Aborts => Some("`hermes config set plugins.isolation process` runs it in a worker".to_owned()),
        Mismatch::Abi { plugin, host } if host < plugin => Some(format!("update hermes to one with ABI {plugin}")),
        Mismatch::Host { range, .. } => Some(format!("use hermes `{}`", range.escape_debug())),
        Mismatch::NotGranted(_) => Some(format!("`hermes plugins install {id}` asks for them")),
        Mismatch::Id { .. } | Mismatch::Version { .. } | Mismatch::NotAdmitted(_) => {
            Some("the plugin and its catalog entry disagree; whoever maintains them has to know".to_owned())
        }
        Mismatch::Unreadable(error) => error.hints().into_iter().next(),
        _ => None,
    }
}

/// With its causes, as [`crate::error::Failure`] puts them.
fn describe(item: &Mismatch) -> String {
    let mut text = item.to_string();
    let mut source = std::error::Error::source(item);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

fn older(plugin: AbiVersion, host: AbiVersion) -> &'static str {
    if plugin < host { "the plugin" } else { "hermes" }
}

fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("`{}`", line.escape_debug())).collect::<Vec<_>>().join(", ")
}
