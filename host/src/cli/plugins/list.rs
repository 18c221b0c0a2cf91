//! `hermes plugins list`.

use serde_json::{Value, json};

use crate::cli::Context;
use crate::error::Failure;
use crate::plugins::catalog::Listing;
use crate::plugins::lock::{Installed, Lock};
use crate::plugins::resolve::{Platform, Want, resolve};

pub(super) fn run(context: &Context) -> Result<(), Failure> {
    let lock = Lock::read(&context.home)?;
    let catalogs = context.surroundings()?.catalogs()?;
    catalogs.problems().for_each(|problem| context.ui.warn(problem));
    catalogs.unknown_keys().iter().for_each(|key| context.ui.warn(key));
    let newest = |listing: &Listing| {
        let blocked = catalogs.blocklist().name(&listing.entry.name).map(ToString::to_string);
        let selected = resolve(&listing.entry, &Platform::current(), catalogs.blocklist(), &Want::Newest);
        match (blocked, selected) {
            (Some(blocked), _) => Err(blocked),
            (None, Ok(selected)) => Ok(selected.release.version.clone()),
            (None, Err(error)) => Err(error.to_string()),
        }
    };
    let blocklist = catalogs.blocklist();
    let blocked = |id: &str, Installed { current, .. }: &Installed| {
        blocklist.installed(id, &current.source, [&current.archive_sha256, &current.library_sha256])
    };
    let is_active = |id: &str| context.config.provider() == Some(id);
    let available: Vec<_> =
        catalogs.listings().filter(|listing| !lock.plugins.contains_key(&listing.entry.name)).collect();
    let update_of = |id: &str, Installed { current, .. }: &Installed| {
        let newest = catalogs.find(id).ok().and_then(|listing| newest(listing).ok());
        newest.filter(|newest| *newest > current.version)
    };

    if context.json {
        let installed = lock.plugins.iter().map(|(id, plugin)| {
            let Installed { current, previous } = plugin;
            json!({
                "id": id,
                "version": current.version,
                "previous": previous.as_ref().map(|previous| &previous.version),
                "active": is_active(id),
                "tier": current.grant.tier,
                "catalog": current.grant.catalog,
                "granted": current.grant.capabilities,
                "installed_at": current.installed_at,
                "newest": update_of(id, plugin),
                "blocked": blocked(id, plugin).map(ToString::to_string),
            })
        });
        let offered = available.iter().map(|listing| {
            let (version, reason) = match newest(listing) {
                Ok(version) => (Some(version), None),
                Err(reason) => (None, Some(reason)),
            };
            let Listing { entry, root, .. } = listing;
            json!({
                "id": entry.name,
                "title": entry.title,
                "description": entry.description,
                "tier": root.tier,
                "version": version,
                "reason": reason,
            })
        });
        let lists = json!({
            "installed": installed.collect::<Vec<Value>>(),
            "available": offered.collect::<Vec<Value>>(),
        });
        context.ui.json(&lists);
        return Ok(());
    }

    for (id, plugin) in &lock.plugins {
        let Installed { current, .. } = plugin;
        let mut line = format!("{id} {}  installed, {}", current.version, current.vouched_by());
        if is_active(id) {
            line.push_str(", active");
        }
        if let Some(blocked) = blocked(id, plugin) {
            line = format!("{line}; not used any more: {blocked}");
        } else if let Some(newest) = update_of(id, plugin) {
            let hint = context.with_catalogs(&format!("`hermes plugins update {id}`"));
            line = format!("{line}; {newest} is there: {hint}");
        }
        context.ui.out(line);
    }
    for listing in available {
        let Listing { entry, root, .. } = listing;
        match newest(listing) {
            Ok(version) => {
                context.ui.out(format!("{} {version}  {}: {}", entry.name, root.tier.name(), entry.description));
            }
            Err(reason) => context.ui.out(format!("{}  cannot be installed: {reason}", entry.name)),
        }
    }
    let offers = catalogs.listings().next().is_some() || catalogs.problems().next().is_some();
    if lock.plugins.is_empty() && !offers {
        context.ui.note("nothing is installed, and no catalog offers anything; name one with `--catalog`");
    }
    Ok(())
}
