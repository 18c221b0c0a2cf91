//! The checks before any code of a plugin runs. All that does not fit is told at once.

mod hash;
mod mismatch;

pub use hash::{sha256_of, sha256_of_stored};
pub use mismatch::{Mismatch, Mismatches};

use std::fs;
use std::path::{Path, PathBuf};

use hermes_provider_api::Capabilities;
use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::ConfigField;
use semver::{Version, VersionReq};

use super::catalog::{AbiVersion, Catalogs, Sha256Hex, refused_program};
use super::inspect::inspect;
use super::resolve::{Platform, Want, resolve};
use crate::config::Isolation;
use crate::home::Home;

/// A library and what it has to be.
#[derive(Clone, Debug)]
pub struct Check<'a> {
    /// The home in whose store it lies.
    pub home: &'a Home,
    /// The library.
    pub library: &'a Path,
    /// Its SHA-256, from the lockfile or as it was unpacked.
    pub sha256: &'a Sha256Hex,
    /// The SHA-256 of the archive that it came in.
    pub archive_sha256: &'a Sha256Hex,
    /// Where that archive came from, a path or URL.
    pub source: &'a str,
    /// The plugin's id.
    pub id: &'a str,
    /// Its version.
    pub version: &'a Version,
    /// What the user granted; None while it is being installed and nobody has been asked yet.
    pub granted: Option<&'a Capabilities>,
    /// Where it is going to run.
    pub isolation: Isolation,
    /// What it has to fit.
    pub platform: &'a Platform,
    /// What the catalogs admit and block, where they are at hand. A worker has none: its host has asked them.
    pub catalogs: Option<&'a Catalogs>,
    /// Whether it came from a catalog: only then counts what its entry there admits.
    pub admitted: bool,
}

/// A library that passed all checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// The file to load.
    pub library: PathBuf,
    /// What it says about itself.
    pub metadata: Metadata,
    /// Its SHA-256.
    pub sha256: String,
    /// What it may do: what it asks for, all of which the user granted or is about to be asked for.
    pub granted: Capabilities,
}

impl Check<'_> {
    /// Runs all checks.
    ///
    /// # Errors
    /// Everything that does not fit, in one error.
    pub fn run(&self) -> Result<Verified, Box<Mismatches>> {
        let mut found = Vec::new();
        let metadata = self.file_and_section(&mut found);
        if let Some(metadata) = &metadata {
            self.fits_host(metadata, &mut found);
            self.is_the_entry(metadata, &mut found);
            self.is_allowed(metadata, &mut found);
        }
        self.is_not_blocked(&mut found);
        match metadata {
            Some(metadata) if found.is_empty() => Ok(Verified {
                library: self.library.to_owned(),
                granted: metadata.capabilities.clone(),
                sha256: self.sha256.to_string(),
                metadata,
            }),
            _ => Err(self.mismatches(found)),
        }
    }

    /// What the host has against a plugin by what it says about itself, wherever its file lies.
    #[must_use]
    pub fn judge(&self, metadata: &Metadata) -> Vec<Mismatch> {
        let mut found = Vec::new();
        self.fits_host(metadata, &mut found);
        self.is_allowed(metadata, &mut found);
        self.is_not_blocked(&mut found);
        found
    }

    fn file_and_section(&self, found: &mut Vec<Mismatch>) -> Option<Metadata> {
        if matches!(fs::symlink_metadata(self.library), Err(error) if error.kind() == std::io::ErrorKind::NotFound) {
            found.push(Mismatch::Gone { library: self.library.to_owned() });
            return None;
        }
        let is_file = fs::symlink_metadata(self.library).is_ok_and(|metadata| metadata.is_file());
        let inside = match (fs::canonicalize(self.library), fs::canonicalize(self.home.store())) {
            (Ok(library), Ok(store)) => library.starts_with(store),
            _ => false,
        };
        if !is_file || !inside {
            found.push(Mismatch::NotInStore { library: self.library.to_owned() });
            return None;
        }
        match sha256_of_stored(self.home, self.library) {
            Ok(sha256) if sha256 == *self.sha256 => {}
            Ok(sha256) => found.push(Mismatch::Changed { locked: self.sha256.clone(), found: sha256 }),
            Err(error) => found.push(Mismatch::Unreadable(error.into())),
        }
        inspect(self.library).map_err(|error| found.push(Mismatch::Unreadable(error))).ok()
    }

    fn fits_host(&self, metadata: &Metadata, found: &mut Vec<Mismatch>) {
        let Platform { host, abi, target } = self.platform;
        if metadata.target != *target {
            found.push(Mismatch::Target { plugin: metadata.target.clone(), host: target.clone() });
        }
        // Any minor will do: an older plugin offers fewer interfaces, and those of a newer one that this host does not
        // know are passed over.
        let plugin = AbiVersion { major: metadata.abi_major, minor: metadata.abi_minor };
        if plugin.major != abi.major {
            found.push(Mismatch::Abi { plugin, host: *abi });
        }
        if metadata.panic != "unwind" && self.isolation == Isolation::InProcess {
            found.push(Mismatch::Aborts);
        }
        let range = VersionReq::parse(&metadata.requires_host).ok();
        if !range.is_some_and(|range| self.platform.is_in(&range)) {
            found.push(Mismatch::Host { range: metadata.requires_host.clone(), host: host.clone() });
        }
    }

    fn is_the_entry(&self, metadata: &Metadata, found: &mut Vec<Mismatch>) {
        if metadata.id != self.id {
            found.push(Mismatch::Id { plugin: metadata.id.clone(), entry: self.id.to_owned() });
        }
        let version = Version::parse(&metadata.version).ok();
        if version.is_none_or(|version| version != *self.version) {
            found.push(Mismatch::Version { plugin: metadata.version.clone(), entry: self.version.clone() });
        }
    }

    fn is_allowed(&self, metadata: &Metadata, found: &mut Vec<Mismatch>) {
        let declared = &metadata.capabilities;
        if let Err(error) = declared.validate() {
            found.push(Mismatch::Grammar(error));
        }
        found.extend(refused_program(declared).map(Mismatch::Grammar));
        found
            .extend(metadata.config.iter().filter_map(|field| setting_problem(field, declared)).map(Mismatch::Grammar));
        let catalogs = self.catalogs.filter(|_| self.admitted);
        let releases = catalogs.and_then(|catalogs| catalogs.find(self.id).ok());
        let mut releases = releases.iter().flat_map(|listing| &listing.entry.releases);
        if let Some(release) = releases.find(|release| release.version == *self.version) {
            let missing = declared.missing_from(&release.capabilities);
            if !missing.is_empty() {
                found.push(Mismatch::NotAdmitted(missing));
            }
        }
        let missing = self.granted.map(|granted| declared.missing_from(granted)).unwrap_or_default();
        if !missing.is_empty() {
            found.push(Mismatch::NotGranted(missing));
        }
    }

    fn is_not_blocked(&self, found: &mut Vec<Mismatch>) {
        let Some(blocklist) = self.catalogs.map(Catalogs::blocklist) else { return };
        let blocked = blocklist.installed(self.id, self.source, [self.archive_sha256, self.sha256]);
        found.extend(blocked.cloned().map(Mismatch::Blocked));
    }

    fn mismatches(&self, items: Vec<Mismatch>) -> Box<Mismatches> {
        let fits = self.catalogs.and_then(|catalogs| {
            let listing = catalogs.find(self.id).ok()?;
            let selected = resolve(&listing.entry, self.platform, catalogs.blocklist(), &Want::Newest).ok()?;
            Some(selected.release.version.clone())
        });
        // The release that is just being installed is no way out.
        let fits = fits.filter(|fits| self.granted.is_some() || fits != self.version);
        Box::new(Mismatches { id: self.id.to_owned(), version: self.version.clone(), items, fits })
    }
}

/// What is wrong with a setting, if anything is. A variable of the environment is handed over as its value: one that holds a secret only
/// on the word of a granted capability.
#[must_use]
pub fn setting_problem(field: &ConfigField, declared: &Capabilities) -> Option<String> {
    let ConfigField { key, env_var, .. } = field;
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let looks_secret = || {
        let marks = ["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"];
        marks.iter().any(|mark| env_var.to_ascii_uppercase().contains(mark))
    };
    let problem = match field.secret {
        _ if key.is_empty() || !is_plain(key) => "is not named by letters, digits, `_` and `-`".to_owned(),
        true if !declared.secret.contains(env_var) => {
            format!("is a secret, and the plugin does not ask for the capability secret `{}`", env_var.escape_debug())
        }
        false if !env_var.is_empty() && looks_secret() => {
            format!("would be read from `{}`, which only a secret may be", env_var.escape_debug())
        }
        _ => return None,
    };
    Some(format!("the setting `{}` {problem}", key.escape_debug()))
}

#[cfg(test)]
mod tests;
