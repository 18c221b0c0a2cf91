//! `hermes plugins install`.

use serde_json::json;

use super::Agreement;
use crate::cli::Context;
use crate::error::Failure;
use crate::plugins::install::{Approval, Consent, InstallContext, InstallError, Outcome, Request, install};
use crate::plugins::resolve::{Platform, Want};

/// Installs what was named, and says what came of it.
pub(super) fn run(plugin: &str, agreement: Agreement, context: &Context) -> Result<(), Failure> {
    let outcome = install_now(&request(plugin)?, agreement, context)?;
    report(&outcome, plugin, context);
    Ok(())
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
