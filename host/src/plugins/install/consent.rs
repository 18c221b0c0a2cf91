//! What a plugin may do, put so that a person can agree to it.

use std::collections::BTreeMap;

use hermes_provider_api::Capabilities;
use hermes_provider_api::metadata::Metadata;

use super::Origin;
use crate::plugins::catalog::{CatalogRoot, Listing, Tier};
use crate::plugins::load::sandbox::{Kernel, Piece, Pretended};
use crate::plugins::lock::Grant;

/// The answer to a [`Consent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// Yes.
    Granted,
    /// No.
    Declined,
    /// There is nobody to ask.
    CannotAsk,
}

/// What the user is asked before a plugin is installed.
#[derive(Clone, Debug, PartialEq)]
pub struct Consent {
    /// The plugin.
    pub id: String,
    /// The name that people read.
    pub title: String,
    /// The version.
    pub version: String,
    /// The folder of the catalog, or the file or folder that the user named and no catalog vouches for.
    pub catalog: String,
    /// How far that is trusted.
    pub tier: Tier,
    /// What it may do.
    pub capabilities: Capabilities,
    /// What the settings that a capability names are unless the user sets another.
    defaults: BTreeMap<String, String>,
    covered: bool,
    from_file: bool,
}

impl Consent {
    pub(super) fn new(from: Origin<'_>, metadata: &Metadata, before: Option<&Grant>) -> Self {
        let defaults = named_defaults(metadata);
        let known = |(key, default)| before.is_some_and(|grant| grant.defaults.get(key) == Some(default));
        let (title, catalog, tier, covered) = match from {
            Origin::Catalog(Listing { entry, root, .. }) => {
                let covered = is_covered(root, &metadata.capabilities, before) && defaults.iter().all(known);
                (entry.title.clone(), root.name(), root.tier, covered)
            }
            // Nobody has read the title, and a line break in it would begin a line of this question.
            Origin::File(path) => {
                let title = metadata.title.escape_debug().to_string();
                (title, path.to_string_lossy().into_owned(), Tier::Community, false)
            }
        };
        Self {
            id: metadata.id.clone(),
            title,
            version: metadata.version.clone(),
            catalog,
            tier,
            capabilities: metadata.capabilities.clone(),
            defaults,
            covered,
            from_file: matches!(from, Origin::File(_)),
        }
    }

    /// Whether the user has to be asked: not for a plugin of the official catalog that needs nothing, nor for what was
    /// granted before.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        !self.covered
    }

    /// What it may do, a line each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let Self { title, version, tier, capabilities, .. } = self;
        let from = match tier {
            _ if self.from_file => format!("from a file that no catalog vouches for: `{}`", self.catalog),
            Tier::Official => "from the catalog that came with hermes".to_owned(),
            Tier::Community => {
                format!("from a community catalog, which nobody at hermes reviews: `{}`", self.catalog)
            }
        };
        let mut lines = vec![format!("{title} {version}, {from}")];
        if capabilities.awake().is_empty() {
            lines.push("asks for nothing beyond its own data folder".to_owned());
        }
        lines.extend(capabilities.http.iter().map(|entry| match entry.strip_prefix("config:") {
            Some(key) => format!("may call the address that you set as `{key}`{}", self.unless_set(key)),
            None => format!("may call {entry}"),
        }));
        lines.extend(capabilities.secret.iter().map(|name| format!("may read the secret {name}")));
        lines.extend(capabilities.command.iter().map(|name| {
            format!("may run `{name}`: such a program runs with your full authority, outside the confinement")
        }));
        lines.extend(capabilities.stop.iter().map(|line| format!("is ended by running `{line}`")));
        lines.extend(capabilities.file.iter().map(|entry| match entry.split_once(':') {
            Some((verb, what)) => format!("may {verb} the files that you set as `{what}`{}", self.unless_set(what)),
            None => format!("may use {entry}"),
        }));
        if capabilities.network == "direct" {
            lines.push("may open network connections of its own to anywhere".to_owned());
        }
        lines.extend(capabilities.model.iter().map(|entry| model_line(entry)));
        let kernel = Kernel::with(&Pretended::default());
        lines.push(match kernel.has(Piece::Landlock) && kernel.has(Piece::Seccomp) {
            true => "its worker is confined to that by the kernel".to_owned(),
            false => "it is native code that this machine cannot confine to that: install it only if you trust who \
                      made it"
                .to_owned(),
        });
        lines
    }
}

impl Consent {
    /// A grant by the name of a setting is one of the plugin's choice as long as the user sets nothing.
    fn unless_set(&self, key: &str) -> String {
        let default = self.defaults.get(key);
        default.map_or_else(String::new, |text| format!(", which is `{}` until then", text.escape_debug()))
    }
}

/// What the settings that a capability names are as long as the user sets nothing. With another default the same words
/// grant something else.
pub(super) fn named_defaults(metadata: &Metadata) -> BTreeMap<String, String> {
    let Capabilities { http, file, .. } = &metadata.capabilities;
    let addresses = http.iter().filter_map(|entry| entry.strip_prefix("config:"));
    let folders = file.iter().filter_map(|entry| Some(entry.split_once(':')?.1));
    let named: Vec<_> = addresses.chain(folders).collect();
    let fields = metadata.config.iter().filter(|field| named.contains(&field.key.as_str()));
    fields
        .filter_map(|field| Some((field.key.clone(), field.default.clone().filter(|text| !text.is_empty())?)))
        .collect()
}

/// Whether an earlier answer, or that there is nothing to ask, covers these capabilities.
///
/// What was granted on the word of one catalog does not count for another that is trusted less.
pub(super) fn is_covered(root: &CatalogRoot, capabilities: &Capabilities, before: Option<&Grant>) -> bool {
    let official = root.tier == Tier::Official;
    // What is dormant is agreed to with the setting that it waits for.
    let asked = if official { capabilities.awake() } else { capabilities.clone() };
    let granted = before.is_some_and(|grant| {
        asked.missing_from(&grant.capabilities).is_empty() && (official || grant.catalog == root.name())
    });
    granted || (official && asked.is_empty())
}

/// What an entry of the capability `model` allows, for a person.
pub(super) fn model_line(entry: &str) -> String {
    let (kind, key) = entry.split_once(":config:").map_or((entry, None), |(kind, key)| (kind, Some(key)));
    let line = format!(
        "may send texts to the model that you set up as `model.{}`",
        match kind {
            "chat" => "chat",
            _ => "embedding",
        }
    );
    match key {
        Some(key) => format!("{line} once you turn `{key}` on, and nothing until then"),
        None => line,
    }
}
