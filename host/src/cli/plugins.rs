//! `hermes plugins`: what can be installed, what is, and how it goes away again.

use serde_json::{Value, json};

use super::{Context, Exit};
use crate::error::Failure;
use crate::plugins::catalog::Listing;
use crate::plugins::install::{Approval, Consent, InstallContext, InstallError, Outcome, Request, install, remove};
use crate::plugins::lock::{Installed, Lock};
use crate::plugins::resolve::{Platform, Want, resolve};

/// What to do with plugins.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes plugins list
  hermes plugins install holographic
  hermes plugins install 'holographic@^0.1'
  hermes plugins remove holographic --yes")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Install a plugin, or another version of it
    Install {
        /// Its name in the catalog, and perhaps a version: `notes`, `notes@1.2.0`, `notes@^1`
        #[arg(value_name = "NAME[@VERSION]")]
        plugin: String,
        /// Agree to what it may do
        #[arg(short, long)]
        yes: bool,
    },
    /// List what is installed, and what else the catalogs offer
    List,
    /// Remove a plugin; what it stored is kept
    Remove {
        /// Its name
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
}

/// How the user agrees to what a plugin may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// By `--yes`.
    Given,
    /// By answering a question, where there is a terminal.
    Asked,
}

/// Does what was asked.
///
/// # Errors
/// What could not be installed, listed or removed; nothing was changed then.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agreement = |yes| if yes { Agreement::Given } else { Agreement::Asked };
    match args.action {
        Action::Install { plugin, yes } => {
            let outcome = install_now(&request(&plugin)?, agreement(yes), context)?;
            report(&outcome, &plugin, context);
        }
        Action::List => list(context)?,
        Action::Remove { name, yes } => remove_now(&name, agreement(yes), context)?,
    }
    Ok(Exit::Success)
}

/// Installs a plugin, asking as far as there is something to ask.
///
/// # Errors
/// Why it was not installed; nothing was changed then.
pub fn install_now(request: &Request, agreement: Agreement, context: &Context) -> Result<Outcome, Failure> {
    let surroundings = context.surroundings()?;
    let approve = |consent: &Consent| approve(consent, agreement, context);
    let cx = InstallContext {
        home: &context.home,
        clock: &context.clock,
        catalogs: &surroundings.catalogs()?,
        platform: &Platform::current(),
        approve: &approve,
        load_test: &|verified| surroundings.load_test(verified),
        progress: &|line| context.ui.detail(line),
    };
    install(request, &cx).map_err(|error| {
        let usage = matches!(error, InstallError::CannotAsk { .. });
        context.failure_with_catalogs(Failure { usage, ..error.into() })
    })
}

fn request(plugin: &str) -> Result<Request, Failure> {
    let Some((name, version)) = plugin.split_once('@') else {
        return Ok(Request { name: plugin.to_owned(), want: Want::Newest });
    };
    let want = version.parse().map_err(|error| {
        Failure::usage(format!("`{version}` is neither a version nor a range: {error}"))
            .hint(format!("write `{name}@1.2.0` or `{name}@^1`"))
    })?;
    Ok(Request { name: name.to_owned(), want })
}

fn approve(consent: &Consent, agreement: Agreement, context: &Context) -> Approval {
    let ui = &context.ui;
    if agreement == Agreement::Asked && !ui.is_interactive() {
        return Approval::CannotAsk;
    }
    consent.lines().iter().for_each(|line| ui.note(line));
    if agreement == Agreement::Given {
        return Approval::Granted;
    }
    match ui.confirm(&format!("Install {}?", consent.id), "--yes") {
        Ok(Some(true)) => Approval::Granted,
        Ok(_) => Approval::Declined,
        Err(_) => Approval::CannotAsk,
    }
}

fn report(outcome: &Outcome, plugin: &str, context: &Context) {
    let id = plugin.split('@').next().unwrap_or(plugin);
    let (record, installed, replaced, passed_over) = match outcome {
        Outcome::Installed { record, replaced, passed_over } => (record, true, replaced.as_ref(), passed_over),
        Outcome::AlreadyInstalled { record, passed_over } => (record, false, None, passed_over),
    };
    let version = &record.version;
    if context.json {
        context.ui.json(&json!({
            "id": id,
            "version": version,
            "installed": installed,
            "replaced": replaced,
            "tier": record.grant.tier,
            "granted": record.grant.capabilities,
        }));
        return;
    }
    passed_over.iter().for_each(|miss| context.ui.note(format!("passed over: {id} {miss}")));
    match (installed, replaced) {
        (true, None) => context.ui.note(format!("installed {id} {version}")),
        (true, Some(old)) if old == version => context.ui.note(format!("installed {id} {version} anew")),
        (true, Some(old)) => context.ui.note(format!("installed {id} {version}, which replaces {old}")),
        (false, _) => context.ui.note(format!("{id} {version} was installed already; nothing was changed")),
    }
    if context.config.provider() != Some(id) {
        context.ui.note(context.with_catalogs(&format!("next: `hermes memory setup {id}`")));
    }
}

fn list(context: &Context) -> Result<(), Failure> {
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
        let mut line = format!("{id} {}  installed, {}", current.version, current.grant.tier.name());
        if is_active(id) {
            line.push_str(", active");
        }
        if let Some(blocked) = blocked(id, plugin) {
            line = format!("{line}; not used any more: {blocked}");
        } else if let Some(newest) = update_of(id, plugin) {
            let hint = context.with_catalogs(&format!("`hermes plugins install {id}`"));
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

fn remove_now(name: &str, agreement: Agreement, context: &Context) -> Result<(), Failure> {
    let active = context.config.provider() == Some(name);
    // A name that is not installed needs no question.
    if agreement == Agreement::Asked && Lock::read(&context.home)?.plugins.contains_key(name) {
        let question = match active {
            true => format!("Remove {name}, the active memory provider?"),
            false => format!("Remove {name}?"),
        };
        if !context.ui.is_interactive() {
            let failure = Failure::usage(format!("`{name}` was not removed: nobody can be asked here"));
            return Err(failure.hint(format!("run `hermes plugins remove {name} --yes`")));
        }
        if context.ui.confirm(&question, "--yes")? != Some(true) {
            return Err(Failure::new(format!("`{name}` was not removed, as you chose")));
        }
    }
    let removed = remove(&context.home, name)?;
    if context.json {
        context.ui.json(&json!({"id": name, "version": removed.version, "active": active, "data": removed.data}));
        return Ok(());
    }
    context.ui.note(format!("removed {name} {}", removed.version));
    if let Some(data) = removed.data {
        context.ui.note(format!("what it stored is kept in `{}`", data.display()));
    }
    if active {
        context.ui.note(
            "`memory.provider` still names it, and its next use may install it again; `hermes memory off` ends that",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests;
