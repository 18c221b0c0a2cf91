//! What an update of an installed plugin would do. [`install`](super::install) does it.

use hermes_provider_api::Capabilities;
use semver::Version;

use super::consent::is_covered;
use crate::plugins::catalog::{Blocklist, Catalogs, Entry, Listing};
use crate::plugins::lock::{Installed, Record};
use crate::plugins::resolve::{Miss, Platform, Want, resolve};

/// What an update would do.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatePlan {
    /// What comes of it.
    pub step: Step,
    /// Newer releases that do not fit this host.
    pub passed_over: Vec<Miss>,
}

/// What comes of an update.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Another release takes the place of the installed one.
    To {
        /// The release.
        version: Version,
        /// What it may do that was not granted, each as in [`Capabilities::lines`].
        gained: Vec<String>,
        /// What was granted and is not needed any more.
        dropped: Vec<String>,
        /// Whether somebody has to agree: it may do more, or its catalog is trusted less. What its settings are until
        /// they are set is in the archive, which is not read for a plan; if that has changed, the install asks.
        asks: bool,
        /// Why the installed one must not be used, if that is so. The release may then be an older one.
        blocked: Option<String>,
    },
    /// The installed one is the newest that fits.
    Newest,
    /// Nothing is done, for a reason that is no fault.
    Skipped {
        /// The reason.
        why: String,
    },
    /// The installed one must not be used, and no other release may take its place.
    Blocked {
        /// By what.
        why: String,
    },
}

/// Finds what an update of an installed plugin would do. It changes nothing.
#[must_use]
pub fn update_plan(id: &str, installed: &Installed, catalogs: &Catalogs, platform: &Platform) -> UpdatePlan {
    let current = &installed.current;
    let only = |step| UpdatePlan { step, passed_over: Vec::new() };
    let blocklist = catalogs.blocklist();
    if let Some(blocked) = blocklist.name(id) {
        return only(Step::Blocked { why: blocked.to_string() });
    }
    let hashes = [&current.archive_sha256, &current.library_sha256];
    let blocked = blocklist.installed(id, &current.source, hashes).map(ToString::to_string);
    if blocked.is_none() && current.is_local() {
        return only(Step::Skipped { why: format!("it was installed from `{}`, not from a catalog", current.source) });
    }
    let listing = match catalogs.find(id) {
        Ok(listing) => listing,
        Err(error) => {
            let why = error.to_string();
            return only(blocked.map_or(Step::Skipped { why }, |why| Step::Blocked { why }));
        }
    };
    match blocked {
        Some(why) => away(listing, current, blocklist, platform, why),
        None => newer(listing, current, blocklist, platform),
    }
}

fn newer(listing: &Listing, current: &Record, blocklist: &Blocklist, platform: &Platform) -> UpdatePlan {
    let is_newer = |miss: &Miss| miss.version > current.version && miss.version.pre.is_empty();
    let misses = match resolve(&listing.entry, platform, blocklist, &Want::Newest) {
        Ok(selected) if selected.release.version > current.version => {
            return UpdatePlan {
                step: to(listing, current, &selected.release.version, &selected.release.capabilities, None),
                passed_over: selected.passed_over,
            };
        }
        Ok(selected) => selected.passed_over,
        Err(error) => error.misses,
    };
    let step = match current.is_foreign(&platform.target) {
        true => {
            let again = format!("`hermes plugins install {}@{}`", listing.entry.name, current.version);
            Step::Skipped { why: format!("it was installed on another machine; {again} installs it here") }
        }
        false => Step::Newest,
    };
    UpdatePlan { step, passed_over: misses.into_iter().filter(is_newer).collect() }
}

/// The newest release but the one that is blocked, which may be an older one. The catalogs know an archive by its own
/// hash; the library in it may be blocked by its.
fn away(listing: &Listing, current: &Record, blocklist: &Blocklist, platform: &Platform, why: String) -> UpdatePlan {
    let mut others = Entry { releases: listing.entry.releases.clone(), ..listing.entry.clone() };
    others.releases.retain(|release| release.version != current.version);
    match resolve(&others, platform, blocklist, &Want::Newest) {
        Ok(selected) => UpdatePlan {
            step: to(listing, current, &selected.release.version, &selected.release.capabilities, Some(why)),
            passed_over: selected.passed_over,
        },
        Err(error) => UpdatePlan { step: Step::Blocked { why }, passed_over: error.misses },
    }
}

fn to(
    listing: &Listing,
    current: &Record,
    version: &Version,
    capabilities: &Capabilities,
    blocked: Option<String>,
) -> Step {
    let granted = &current.grant.capabilities;
    Step::To {
        version: version.clone(),
        gained: capabilities.missing_from(granted),
        dropped: granted.missing_from(capabilities),
        asks: !is_covered(&listing.root, capabilities, Some(&current.grant)),
        blocked,
    }
}
