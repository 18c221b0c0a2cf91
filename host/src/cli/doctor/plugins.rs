//! The program, its catalogs, what is installed, and the provider in use.

use super::{Facts, Finding, Severity};
use crate::cli::{counted, executable, memory::status};
use crate::error::Hint as _;
use crate::open::Problem;
use crate::plugins::catalog::Tier;
use crate::plugins::store::version_folder;

pub(super) fn program(_: &Facts<'_>) -> Vec<Finding> {
    vec![match executable() {
        Ok(path) => Finding::ok(format!("hermes {} at `{}`", env!("CARGO_PKG_VERSION"), path.display())),
        Err(failure) => Finding::error(failure).hint("providers cannot be started; run it by its full path"),
    }]
}

pub(super) fn lockfile(facts: &Facts<'_>) -> Vec<Finding> {
    vec![match &facts.lock {
        Ok(lock) => Finding::ok(format!("{} installed", counted(lock.plugins.len(), "plugin"))),
        Err(error) => Finding::error(error),
    }]
}

pub(super) fn catalogs(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(surroundings) = &facts.surroundings else { return Vec::new() };
    let catalogs = &facts.catalogs;
    let mut findings: Vec<_> = catalogs.unread().iter().map(Finding::error).collect();
    findings.extend(
        catalogs.problems().map(|error| Finding { hints: error.hints(), ..Finding::warning(error.to_string()) }),
    );
    findings.extend(catalogs.unknown_keys().iter().map(|key| Finding::warning(key.to_string())));
    if !surroundings.roots.iter().any(|root| root.tier == Tier::Official) {
        let finding = Finding::warning(
            "the official catalog is not searched: none lies beside the program, or others are named in its place",
        );
        findings.push(finding.hint("name one with `--catalog`, or put it into `plugins.catalogs`"));
    }
    if findings.is_empty() {
        let offered = counted(catalogs.listings().count(), "plugin");
        let roots = counted(surroundings.roots.len(), "catalog");
        findings.push(Finding::ok(format!("{offered} in {roots}")));
    }
    findings
}

/// All plugins but the provider in use, which has a check of its own; and the versions that a rollback needs.
pub(super) fn installed(facts: &Facts<'_>) -> Vec<Finding> {
    let (Some(surroundings), Ok(lock)) = (&facts.surroundings, &facts.lock) else { return Vec::new() };
    let idle = lock.plugins.iter().filter(|(id, _)| facts.context.config.provider() != Some(id.as_str()));
    let checked = idle.map(|(id, plugin)| match surroundings.verified(id, &facts.catalogs) {
        Ok(_) => Finding::ok(format!("{id} {} is what it was when it was installed", plugin.current.version)),
        Err(error) => Finding::error(error),
    });
    let gone = lock.plugins.iter().filter_map(|(id, plugin)| {
        let before = plugin.previous.as_ref()?;
        let folder = version_folder(&facts.context.home, id, &before.version, &before.library_sha256);
        let message = format!("{id} {} is gone from the store, so there is no way back to it", before.version);
        (!folder.join(&before.library).is_file()).then(|| {
            Finding::warning(message).hint(format!("`hermes plugins install '{id}@={}'` gets it again", before.version))
        })
    });
    checked.chain(gone).collect()
}

pub(super) fn provider(facts: &Facts<'_>) -> Vec<Finding> {
    let context = facts.context;
    let Some(surroundings) = &facts.surroundings else {
        return vec![Finding::warning("not looked at, because the settings or secrets cannot be read")];
    };
    if facts.lock.is_err() {
        return vec![Finding::warning("not looked at, because the lockfile cannot be read")];
    }
    let Some(id) = context.config.provider() else {
        return vec![Finding::ok("no external provider is set up").hint("choose one with `hermes memory setup`")];
    };
    let status = match status(!facts.quick, context, surroundings) {
        Ok(status) => status,
        Err(failure) => return vec![Finding::error(failure)],
    };
    if status.problems.is_empty() {
        let said =
            status.check.map_or("not started, as you chose".to_owned(), |said| format!("it works: {}", said.detail));
        return vec![Finding::ok(format!("{id}: {said}"))];
    }
    let problems = status.problems.into_iter();
    problems
        .map(|Problem { message, hints }| Finding {
            severity: Severity::Error,
            message: match message.starts_with(&format!("`{id}` ")) {
                true => message,
                false => format!("{id}: {message}"),
            },
            hints,
            repair: None,
        })
        .collect()
}
