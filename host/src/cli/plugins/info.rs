//! `hermes plugins info`: all that is known of one plugin, from the catalogs, the lockfile, the store and the record of
//! its health.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_provider_api::Capabilities;
use indicatif::HumanBytes;
use serde_json::{Value, json};

use crate::cli::Context;
use crate::clock::utc;
use crate::error::Failure;
use crate::open::{ModelUse, Surroundings, not_asked, off_line};
use crate::plugins::catalog::{CatalogError, Catalogs, Listing, Release};
use crate::plugins::health::{self, Health, Quarantine, Streak};
use crate::plugins::inspect::inspect;
use crate::plugins::load::sandbox::Confinement;
use crate::plugins::lock::{Installed, Lock, Record};
use crate::plugins::resolve::{Platform, releases};
use crate::plugins::store::version_folder;

/// What is known.
struct Known<'a> {
    id: &'a str,
    listing: Option<&'a Listing>,
    /// Each release, newest first, with the reasons why it does not fit.
    releases: Vec<(&'a Release, Vec<String>)>,
    blocked: Option<String>,
    installed: Option<(&'a Installed, OnDisk)>,
    /// What holds the installed version on this machine.
    confinement: Option<Confinement>,
    data: PathBuf,
    data_size: Option<u64>,
    calls: u64,
    errors: u64,
    timeouts: u64,
    quarantine: Option<Quarantine>,
    paused: Vec<Streak>,
}

/// The installed version as it is on disk.
struct OnDisk {
    library: PathBuf,
    size: Option<u64>,
    /// What it asks for; None when it cannot be read.
    asks: Option<Capabilities>,
    problem: Option<Failure>,
    /// What of it goes to the user's model.
    model: Vec<ModelUse>,
}

pub(super) fn run(name: &str, context: &Context) -> Result<(), Failure> {
    let surroundings = context.surroundings()?;
    let lock = Lock::read(&context.home)?;
    let catalogs = surroundings.readable_catalogs();
    catalogs.unread().iter().for_each(|error| context.ui.warn(not_asked(error)));
    let known = gather(name, &surroundings, &lock, &catalogs, context)?;
    match context.json {
        true => context.ui.json(&known.json(context)),
        false => known.print(context),
    }
    Ok(())
}

fn gather<'a>(
    id: &'a str,
    surroundings: &Surroundings,
    lock: &'a Lock,
    catalogs: &'a Catalogs,
    context: &Context,
) -> Result<Known<'a>, Failure> {
    let installed = lock.plugins.get(id);
    let listing = match catalogs.find(id) {
        Ok(listing) => Some(listing),
        Err(CatalogError::Unknown { .. }) if installed.is_some() => None,
        Err(error) if installed.is_some() => {
            context.ui.warn_of(&error.into());
            None
        }
        // What was meant may be installed, and in no catalog.
        Err(CatalogError::Unknown { closest: None, .. }) if !lock.plugins.is_empty() => {
            lock.installed(id)?;
            None
        }
        Err(error) => return Err(error.into()),
    };
    let blocklist = catalogs.blocklist();
    let mut known = Known {
        id,
        listing,
        releases: listing.map(|listing| releases(&listing.entry, &Platform::current(), blocklist)).unwrap_or_default(),
        blocked: blocklist.name(id).map(ToString::to_string),
        installed: installed.map(|installed| (installed, OnDisk::new(id, &installed.current, surroundings, catalogs))),
        confinement: installed.map(|plugin| surroundings.confinement(&plugin.current.grant.capabilities)),
        data: context.home.provider_data(id),
        data_size: size_of(&context.home.provider_data(id)),
        calls: 0,
        errors: 0,
        timeouts: 0,
        quarantine: None,
        paused: Vec::new(),
    };
    if let Some(db) = &surroundings.db {
        for hook in health::read(db, id)? {
            known.calls += hook.calls;
            known.errors += hook.errors;
            known.timeouts += hook.timeouts;
        }
        let health = Health::new(id, context.clock.clone(), Some(db.clone()));
        (known.quarantine, known.paused) = (health.quarantine(), health.all_paused());
    }
    Ok(known)
}

impl OnDisk {
    fn new(id: &str, record: &Record, surroundings: &Surroundings, catalogs: &Catalogs) -> Self {
        let folder = version_folder(&surroundings.home, id, &record.version, &record.library_sha256);
        let library = folder.join(&record.library);
        let verified = surroundings.verified(id, catalogs).map_err(Failure::from);
        let model = verified.as_ref().ok().and_then(|verified| {
            let fields = &verified.metadata.config;
            let settings = surroundings.config.provider_settings(id, fields, |name| (surroundings.env)(name)).ok()?;
            Some(surroundings.model_uses(&verified.metadata, &settings.values))
        });
        Self {
            size: size_of(&folder),
            asks: inspect(&library).ok().map(|metadata| metadata.capabilities),
            problem: verified.err(),
            model: model.unwrap_or_default(),
            library,
        }
    }
}

/// The bytes of all files in a folder; links are not followed. None when there is no folder.
fn size_of(folder: &Path) -> Option<u64> {
    let sizes = fs::read_dir(folder).ok()?.flatten().map(|item| match item.metadata() {
        Ok(metadata) if metadata.is_dir() => size_of(&item.path()).unwrap_or(0),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    Some(sizes.sum())
}

fn list(lines: &[String]) -> String {
    if lines.is_empty() { "nothing beyond its data folder".to_owned() } else { lines.join(", ") }
}

impl Known<'_> {
    fn print(&self, context: &Context) {
        let ui = &context.ui;
        match self.listing {
            Some(Listing { entry, root, .. }) => {
                ui.out(format!("{}: {}", entry.name, entry.title));
                ui.out(&entry.description);
                ui.out(format!("by {}, {}, {}", entry.maintainer, entry.licence, entry.category));
                if !entry.docs_url.is_empty() {
                    ui.out(format!("see {}", entry.docs_url));
                }
                ui.out(format!("catalog: `{}`, {}", root.path.display(), root.tier.name()));
                entry.known_issues.iter().for_each(|issue| ui.out(format!("known issue: {issue}")));
            }
            None => ui.out(format!("{}: in no catalog", self.id)),
        }
        if let Some(blocked) = &self.blocked {
            ui.out(format!("blocked: {blocked}"));
        }
        match &self.installed {
            Some((installed, copy)) => self.print_installed(installed, copy, context),
            None => ui.out("not installed"),
        }
        if let Some(confinement) = &self.confinement {
            ui.out(confinement.sentence());
            confinement.parts.iter().for_each(|part| ui.out(format!("  {}", part.line())));
        }
        if let Some(size) = self.data_size {
            ui.out(format!("data: `{}`, {}", self.data.display(), HumanBytes(size)));
        }
        if self.calls > 0 {
            ui.out(format!("calls: {}, {} failed, {} too slow", self.calls, self.errors, self.timeouts));
        }
        if let Some(Quarantine { crashes, reason, until, .. }) = &self.quarantine {
            ui.out(format!("in quarantine until {} after {crashes} crashes, the last: {reason}", utc(*until)));
        }
        self.paused.iter().for_each(|streak| ui.out(streak.sentence()));
        for (release, reasons) in &self.releases {
            let is_installed =
                self.installed.as_ref().is_some_and(|(installed, _)| installed.current.version == release.version);
            let fits = if reasons.is_empty() { "fits".to_owned() } else { reasons.join("; ") };
            let installed = if is_installed { ", installed" } else { "" };
            ui.out(format!("release {}  {fits}{installed}", release.version));
        }
        if self.installed.is_none() && self.releases.iter().any(|(_, reasons)| reasons.is_empty()) {
            ui.note(context.with_catalogs(&format!("hint: `hermes plugins install {}` installs it", self.id)));
        }
    }

    fn print_installed(&self, installed: &Installed, copy: &OnDisk, context: &Context) {
        let ui = &context.ui;
        let Installed { current, previous } = installed;
        let active = if context.config.provider() == Some(self.id) { ", active" } else { "" };
        ui.out(format!("installed: {} on {}{active}", current.version, utc(current.installed_at)));
        ui.out(match current.is_local() {
            true => format!("  from `{}`, which no catalog vouches for", current.source),
            false => {
                format!("  from `{}` of `{}`, {}", current.source, current.grant.catalog, current.grant.tier.name())
            }
        });
        let size = copy.size.map_or_else(|| "not there".to_owned(), |size| HumanBytes(size).to_string());
        ui.out(format!("  library `{}`, {size}", copy.library.display()));
        ui.out(format!("  sha256 {}", current.library_sha256));
        ui.out(format!("  sha256 of the archive {}", current.archive_sha256));
        let granted = &current.grant.capabilities;
        ui.out(format!("  granted: {}", list(&granted.lines())));
        for line in copy.model.iter().filter_map(ModelUse::sent).chain(off_line(&copy.model)) {
            ui.out(format!("  {line}"));
        }
        if let Some(asks) = copy.asks.as_ref().filter(|asks| *asks != granted) {
            ui.out(format!("  asks for: {}", list(&asks.lines())));
        }
        if let Some(previous) = previous {
            ui.out(format!("  the version before: {}", previous.version));
        }
        if let Some(failure) = &copy.problem {
            let failure = context.failure_with_catalogs(failure.clone());
            ui.out(format!("  problem: {}", failure.message));
            failure.hints.iter().for_each(|hint| ui.note(format!("hint: {hint}")));
        }
    }

    fn json(&self, context: &Context) -> Value {
        let entry = self.listing.map(|Listing { entry, root, .. }| {
            json!({
                "title": entry.title,
                "description": entry.description,
                "maintainer": entry.maintainer,
                "licence": entry.licence,
                "category": entry.category,
                "docs_url": entry.docs_url,
                "known_issues": entry.known_issues,
                "catalog": root.name(),
                "tier": root.tier,
            })
        });
        let releases = self.releases.iter().map(|(release, reasons)| {
            json!({
                "version": release.version,
                "fits": reasons.is_empty(),
                "reasons": reasons,
                "capabilities": release.capabilities,
                "artifacts": release.artifacts,
            })
        });
        let installed = self.installed.as_ref().map(|(Installed { current, previous }, copy)| {
            json!({
                "version": current.version,
                "previous": previous.as_ref().map(|previous| &previous.version),
                "active": context.config.provider() == Some(self.id),
                "installed_at": current.installed_at,
                "source": current.source,
                "catalog": current.grant.catalog,
                "tier": current.grant.tier,
                "library": copy.library,
                "library_sha256": current.library_sha256.to_string(),
                "archive_sha256": current.archive_sha256.to_string(),
                "size": copy.size,
                "granted": current.grant.capabilities,
                "asks": copy.asks,
                "model": copy.model,
                "problem": copy.problem.as_ref().map(|failure| &failure.message),
            })
        });
        json!({
            "id": self.id,
            "entry": entry,
            "blocked": self.blocked,
            "releases": releases.collect::<Vec<_>>(),
            "installed": installed,
            "confinement": self.confinement,
            "data": { "path": self.data, "size": self.data_size },
            "health": {
                "calls": self.calls,
                "errors": self.errors,
                "timeouts": self.timeouts,
                "quarantine": self.quarantine,
                "paused": self.paused,
            },
        })
    }
}
