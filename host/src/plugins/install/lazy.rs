//! What to do when the configuration names a plugin that is not installed.

use super::consent::is_covered;
use crate::error::Hint as _;
use crate::plugins::catalog::{CatalogError, Catalogs, Tier};
use crate::plugins::fetch::Fetcher;
use crate::plugins::lock::Lock;
use crate::plugins::resolve::{Platform, Want, resolve};

/// Whether plugins may be installed unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LazyPolicy {
    /// `security.allow_lazy_installs` is on.
    Allowed,
    /// `security.allow_lazy_installs = false`.
    Forbidden,
}

/// What to do about a plugin that is not installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LazyPlan {
    /// Install it at once.
    Install,
    /// Go on without it, and say so.
    Ask {
        /// The command that installs it.
        command: String,
        /// Why it is not done at once.
        why: String,
    },
    /// Go on without it, and say so: no command would install it as things are.
    Impossible {
        /// Why not.
        why: String,
        /// What may help.
        hints: Vec<String>,
    },
    /// No catalog has it.
    Unknown {
        /// The name that was perhaps meant.
        closest: Option<String>,
    },
}

/// Decides whether a plugin that is not installed may be installed at once: it comes from an official catalog, fits,
/// can be had (without a network, if there is none), and needs nothing or only what had been granted before.
#[must_use]
pub fn lazy_plan(
    id: &str,
    catalogs: &Catalogs,
    lock: &Lock,
    platform: &Platform,
    policy: LazyPolicy,
    fetch: &Fetcher<'_>,
) -> LazyPlan {
    // Setup installs, and asks for what the plugin needs beyond that.
    let ask = |why: String| LazyPlan::Ask { command: format!("hermes memory setup {id}"), why };
    let listing = match catalogs.find(id) {
        Ok(listing) => listing,
        Err(CatalogError::Unknown { closest, .. }) => return LazyPlan::Unknown { closest },
        Err(error) => return LazyPlan::Impossible { why: error.to_string(), hints: error.hints() },
    };
    if let Some(blocked) = catalogs.blocklist().name(id) {
        let hints = vec!["choose another with `hermes memory setup`".to_owned()];
        return LazyPlan::Impossible { why: blocked.to_string(), hints };
    }
    let selected = match resolve(&listing.entry, platform, catalogs.blocklist(), &Want::Newest) {
        Ok(selected) => selected,
        Err(error) => return LazyPlan::Impossible { why: error.to_string(), hints: error.hints() },
    };
    if let Some(error) = fetch.out_of_reach(listing, &selected) {
        return LazyPlan::Impossible { why: error.to_string(), hints: error.hints() };
    }
    if policy == LazyPolicy::Forbidden {
        return ask("`security.allow_lazy_installs` is off".to_owned());
    }
    if listing.root.tier != Tier::Official {
        return ask("it comes from a community catalog".to_owned());
    }
    let capabilities = &selected.release.capabilities;
    if is_covered(&listing.root, capabilities, lock.grant(id)) {
        return LazyPlan::Install;
    }
    ask(format!("it asks for {}", capabilities.lines().join(", ")))
}
