//! `removed.toml`: what must not be installed or loaded, with a reason each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::toml_file::{TomlError, UnknownKey, parse, unknown_keys};
use super::{Location, Release, Sha256Hex};
use crate::net::shown;

/// Something that is blocked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is blocked by `{}`: {reason}", file.display())]
pub struct Blocked {
    /// The name, source or hash.
    pub what: String,
    /// Why.
    pub reason: String,
    /// The list that says so.
    pub file: PathBuf,
}

/// All that is blocked: the union over all catalogs.
#[derive(Clone, Debug, Default)]
pub struct Blocklist {
    names: BTreeMap<String, Blocked>,
    sources: BTreeMap<String, Blocked>,
    hashes: BTreeMap<Sha256Hex, Blocked>,
}

#[derive(Serialize, Deserialize)]
struct RawRemoved {
    #[serde(default)]
    names: BTreeMap<String, String>,
    #[serde(default)]
    sources: BTreeMap<String, String>,
    #[serde(default)]
    sha256: BTreeMap<Sha256Hex, String>,
}

impl Blocklist {
    /// Adds the list of one catalog. What is blocked already keeps its first reason.
    ///
    /// # Errors
    /// When the text is not such a list.
    pub fn add(&mut self, file: &Path, text: &str) -> Result<Vec<UnknownKey>, TomlError> {
        let raw: RawRemoved = parse(file, text)?;
        let blocked = |what: String, reason: String| {
            let reason = reason.replace(char::is_control, " ");
            Blocked { what: what.escape_debug().to_string(), reason, file: file.to_owned() }
        };
        for (name, reason) in raw.names {
            let value = blocked(format!("`{name}`"), reason);
            self.names.entry(name).or_insert(value);
        }
        for (source, reason) in raw.sources {
            let source = canonical(&source);
            let value = blocked(format!("the source `{source}`"), reason);
            self.sources.entry(source.trim_end_matches('/').to_owned()).or_insert(value);
        }
        for (hash, reason) in raw.sha256 {
            let value = blocked(format!("the file with sha256 {}…", hash.short()), reason);
            self.hashes.entry(hash).or_insert(value);
        }
        Ok(unknown_keys(file, text, &["names", "sources", "sha256"]))
    }

    /// The text of a list of all this, without what it was read from.
    #[must_use]
    pub fn to_text(&self) -> String {
        let reasons = |blocked: &BTreeMap<String, Blocked>| {
            blocked.iter().map(|(what, blocked)| (what.clone(), blocked.reason.clone())).collect()
        };
        let raw = RawRemoved {
            names: reasons(&self.names),
            sources: reasons(&self.sources),
            sha256: self.hashes.iter().map(|(hash, blocked)| (hash.clone(), blocked.reason.clone())).collect(),
        };
        toml::to_string(&raw).expect("all keys and values are text")
    }

    /// Why a name is blocked.
    #[must_use]
    pub fn name(&self, name: &str) -> Option<&Blocked> {
        self.names.get(name)
    }

    /// Why a URL is blocked: it, or something above it, is in the list. A user's name in it makes no other of it, nor
    /// does another spelling of the host.
    #[must_use]
    pub fn source(&self, url: &str) -> Option<&Blocked> {
        let url = canonical(url);
        let mut at = url.as_str();
        loop {
            if let Some(blocked) = self.sources.get(at) {
                return Some(blocked);
            }
            at = &at[..at.rfind('/')?];
        }
    }

    /// Why a file with this hash is blocked: an archive or a library.
    #[must_use]
    pub fn hash(&self, sha256: &Sha256Hex) -> Option<&Blocked> {
        self.hashes.get(sha256)
    }

    /// Why a plugin that is installed is blocked: by its name, by where it came from, or by the hash of a file of it.
    #[must_use]
    pub fn installed(&self, name: &str, source: &str, hashes: [&Sha256Hex; 2]) -> Option<&Blocked> {
        let found = self.name(name).or_else(|| self.source(source));
        found.or_else(|| hashes.into_iter().find_map(|hash| self.hash(hash)))
    }

    /// Why the archive of a release for a target is blocked, apart from its name.
    #[must_use]
    pub fn release(&self, release: &Release, target: &str) -> Option<&Blocked> {
        let artifact = release.artifacts.iter().find(|artifact| artifact.target == target)?;
        let source = match &artifact.location {
            Location::Url(url) => self.source(url),
            Location::Path(_) => None,
        };
        source.or_else(|| self.hash(&artifact.sha256))
    }
}

/// An address without credentials, with its host as it is looked up: in lower case, and without the port that it has
/// anyway or the point that ends a full name.
fn canonical(url: &str) -> String {
    let url = shown(url);
    let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| *scheme != "file") else { return url };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let authority = authority.to_lowercase();
    let host = authority.strip_suffix(":443").unwrap_or(&authority);
    format!("{scheme}://{}{path}", host.strip_suffix('.').unwrap_or(host))
}
