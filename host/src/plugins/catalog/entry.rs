//! One entry of a catalog: what a plugin is, and the releases that can be installed.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, Path};

use hermes_provider_api::Capabilities;
use semver::{Version, VersionReq};
use serde::{Deserialize, Deserializer, Serialize, de};

use super::programs::refused_program;
use super::toml_file::{TomlError, UnknownKey, parse, unknown_keys};
use super::{AbiVersion, Sha256Hex, is_plugin_id};

/// An entry of a catalog.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Entry {
    /// The plugin's id, and the name of the file without `.toml`.
    #[serde(deserialize_with = "plugin_id")]
    pub name: String,
    /// The name that people read.
    #[serde(deserialize_with = "line")]
    pub title: String,
    /// One sentence.
    #[serde(deserialize_with = "line")]
    pub description: String,
    /// Who answers for it.
    #[serde(deserialize_with = "line")]
    pub maintainer: String,
    /// What it is for, such as `memory`.
    #[serde(deserialize_with = "line")]
    pub category: String,
    /// An SPDX expression.
    #[serde(deserialize_with = "line")]
    pub licence: String,
    /// Where its documentation is; may be empty.
    #[serde(default, deserialize_with = "line")]
    pub docs_url: String,
    /// What does not work yet.
    #[serde(default, deserialize_with = "lines")]
    pub known_issues: Vec<String>,
    /// In a catalog of sources: the cargo package that it is built from.
    #[serde(default, rename = "crate", skip_serializing_if = "Option::is_none")]
    pub crate_name: Option<String>,
    /// What can be installed, in any order; empty in a catalog of sources.
    #[serde(default)]
    pub releases: Vec<Release>,
}

/// One version of a plugin.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Release {
    /// Its version.
    pub version: Version,
    /// The hosts that it works with.
    #[serde(default)]
    pub requires_host: VersionReq,
    /// The boundary that it was built for.
    pub abi: AbiVersion,
    /// The most that the catalog lets it ask for.
    #[serde(default, deserialize_with = "capabilities", skip_serializing_if = "Capabilities::is_empty")]
    pub capabilities: Capabilities,
    /// One archive for each target.
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
}

/// The archive of a release for one target.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(try_from = "RawArtifact", into = "RawArtifact")]
pub struct Artifact {
    /// The target triple.
    pub target: String,
    /// Where it is.
    pub location: Location,
    /// Its SHA-256.
    pub sha256: Sha256Hex,
    /// Its length in bytes.
    pub size: u64,
}

/// Where an archive is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Relative to the folder of the catalog, and inside it.
    Path(String),
    /// A `https:` or `file:` URL.
    Url(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(text) | Self::Url(text) => f.write_str(text),
        }
    }
}

const KNOWN: &[&str] = &[
    "name",
    "title",
    "description",
    "maintainer",
    "category",
    "licence",
    "docs_url",
    "known_issues",
    "crate",
    "releases.version",
    "releases.requires_host",
    "releases.abi",
    "releases.capabilities.http",
    "releases.capabilities.secret",
    "releases.capabilities.command",
    "releases.capabilities.stop",
    "releases.capabilities.file",
    "releases.capabilities.network",
    "releases.capabilities.model",
    "releases.artifacts.target",
    "releases.artifacts.path",
    "releases.artifacts.url",
    "releases.artifacts.sha256",
    "releases.artifacts.size",
];

impl Entry {
    /// Reads an entry; also answers the keys that are passed over.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn parse(file: &Path, text: &str) -> Result<(Self, Vec<UnknownKey>), TomlError> {
        let entry: Self = parse(file, text)?;
        if file.file_stem().is_none_or(|stem| stem != entry.name.as_str()) {
            let message = format!("its name is `{}`, so the file must be named `{0}.toml`", entry.name);
            return Err(TomlError::new(file, 1, &message));
        }
        let mut versions = BTreeSet::new();
        for release in &entry.releases {
            let version = &release.version;
            if !versions.insert(version) {
                return Err(TomlError::new(file, 1, &format!("release {version} is there twice")));
            }
            let mut targets = BTreeSet::new();
            for Artifact { target, .. } in &release.artifacts {
                if !targets.insert(target) {
                    let message = format!("release {version} has two artifacts for `{target}`");
                    return Err(TomlError::new(file, 1, &message));
                }
            }
        }
        let unknown = unknown_keys(file, text, KNOWN);
        Ok((entry, unknown))
    }
}

#[derive(Serialize, Deserialize)]
struct RawArtifact {
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    sha256: Sha256Hex,
    size: u64,
}

impl TryFrom<RawArtifact> for Artifact {
    type Error = String;

    fn try_from(RawArtifact { target, path, url, sha256, size }: RawArtifact) -> Result<Self, String> {
        let location = match (path, url) {
            (Some(path), None) if is_inside(&path) => Location::Path(path),
            (Some(path), None) => return Err(format!("`path = {path:?}` does not stay inside the catalog")),
            (None, Some(url)) if is_url(&url) => Location::Url(url),
            (None, Some(url)) => return Err(format!("`url = {url:?}` is neither `https://…` nor `file:…`")),
            _ => return Err("an artifact has either `path` or `url`".to_owned()),
        };
        Ok(Self { target, location, sha256, size })
    }
}

impl From<Artifact> for RawArtifact {
    fn from(Artifact { target, location, sha256, size }: Artifact) -> Self {
        let (path, url) = match location {
            Location::Path(path) => (Some(path), None),
            Location::Url(url) => (None, Some(url)),
        };
        Self { target, path, url, sha256, size }
    }
}

fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', ':'])
        && !path.contains(char::is_control)
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

fn is_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("file:"));
    rest.is_some_and(|rest| !rest.is_empty()) && !url.contains(|c: char| c.is_control() || c.is_whitespace())
}

fn plugin_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let id = String::deserialize(deserializer)?;
    if is_plugin_id(&id) {
        return Ok(id);
    }
    Err(de::Error::custom("a name is 1 to 64 lower-case letters, digits and `-`, beginning with a letter"))
}

/// Text that is printed as it is must not be able to move the cursor, nor to show what follows in another order.
fn line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let turns = |char| matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(|char: char| char.is_control() || turns(char)) {
        return Ok(text);
    }
    Err(de::Error::custom("the text holds a line break or another control character"))
}

fn lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    struct Line(#[serde(deserialize_with = "line")] String);
    Ok(Vec::<Line>::deserialize(deserializer)?.into_iter().map(|Line(text)| text).collect())
}

fn capabilities<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Capabilities, D::Error> {
    let capabilities = Capabilities::deserialize(deserializer)?;
    capabilities.validate().map_err(de::Error::custom)?;
    if let Some(problem) = refused_program(&capabilities) {
        return Err(de::Error::custom(problem));
    }
    Ok(capabilities)
}
