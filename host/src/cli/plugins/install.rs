//! `hermes plugins install`.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::json;

use super::progress::Downloads;
use super::{Agreement, plugin_name};
use crate::cli::Context;
use crate::error::Failure;
use crate::home::Home;
use crate::plugins::fetch::Step;
use crate::plugins::install::{
    Approval, Consent, InstallContext, InstallError, Outcome, Request, install, install_file,
};
use crate::plugins::resolve::{Platform, Want};

/// What may be installed without a catalog, by the ending of its name.
const ENDINGS: [&str; 6] = [".tar.gz", ".tgz", ".tar.zst", ".so", ".dylib", ".dll"];

/// Installs what was named, and says what came of it.
pub(super) fn run(plugin: &OsStr, agreement: Agreement, force: bool, context: &Context) -> Result<(), Failure> {
    if is_path(plugin) {
        let path = Path::new(plugin);
        if !path.exists() {
            let failure = Failure::new(format!("there is no file or folder `{}`", path.display()));
            return Err(failure.hint("a name without `/` is looked for in the catalogs"));
        }
        let (id, outcome) = with_context(&context.home, agreement, context, |cx| install_file(path, force, cx))?;
        report(&outcome, &id, context);
        return Ok(());
    }
    let Some(name) = plugin.to_str() else {
        return Err(Failure::usage(format!("`{}` is no name of a plugin", plugin.display())));
    };
    let Ok(name) = plugin_name(name);
    let request = Request { force, ..request(&name)? };
    let outcome = install_now(&request, agreement, context)?;
    report(&outcome, &request.name, context);
    Ok(())
}

/// Whether a file or folder is meant: a bare name never is, unless there is such a file and it ends like a plugin.
fn is_path(plugin: &OsStr) -> bool {
    let text = plugin.to_string_lossy();
    text.contains('/') || (ENDINGS.iter().any(|end| text.ends_with(end)) && Path::new(plugin).exists())
}

/// Installs a plugin, asking as far as there is something to ask.
///
/// # Errors
/// Why it was not installed; nothing was changed then.
pub fn install_now(request: &Request, agreement: Agreement, context: &Context) -> Result<Outcome, Failure> {
    install_in(&context.home, request, agreement, context)
}

/// The same into another home, a copy.
///
/// # Errors
/// As [`install_now`].
pub fn install_in(home: &Home, request: &Request, agreement: Agreement, context: &Context) -> Result<Outcome, Failure> {
    with_context(home, agreement, context, |cx| install(request, cx))
}

fn with_context<T>(
    home: &Home,
    agreement: Agreement,
    context: &Context,
    install: impl FnOnce(&InstallContext<'_>) -> Result<T, InstallError>,
) -> Result<T, Failure> {
    let surroundings = context.surroundings_in(home, context.config.clone())?;
    let approve = |consent: &Consent| approve(consent, agreement, context);
    let downloads = Downloads::new(&context.ui);
    let step = |step: Step<'_>| downloads.show(step);
    let cx = InstallContext {
        home,
        clock: &context.clock,
        catalogs: &surroundings.catalogs()?,
        fetch: surroundings.fetcher(&step),
        platform: &Platform::current(),
        approve: &approve,
        load_test: &|verified| surroundings.load_test(verified),
        progress: &|line| context.ui.detail(line),
    };
    install(&cx).map_err(|error| {
        let usage = matches!(error, InstallError::CannotAsk { .. });
        context.failure_with_catalogs(Failure { usage, ..error.into() })
    })
}

pub(super) fn request(plugin: &str) -> Result<Request, Failure> {
    let Some((name, version)) = plugin.split_once('@') else {
        return Ok(Request { name: plugin.to_owned(), want: Want::Newest, force: false });
    };
    let want = version.parse().map_err(|error| {
        Failure::usage(format!("`{version}` is neither a version nor a range: {error}"))
            .hint(format!("write `{name}@1.2.0` or `{name}@^1`"))
    })?;
    Ok(Request { name: name.to_owned(), want, force: false })
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

fn report(outcome: &Outcome, id: &str, context: &Context) {
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
