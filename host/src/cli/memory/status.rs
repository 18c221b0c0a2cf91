//! `hermes memory status`: from the record, without loading anything; with `--check`, by calling the provider.

use hermes_provider_api::Hook;
use serde::Serialize;

use crate::cli::{Context, Exit};
use crate::clock::UnixMillis;
use crate::error::Failure;
use crate::open::{Status, Surroundings, ago};
use crate::plugins::health::HookHealth;
use crate::plugins::load::sandbox::{Confinement, Part};
use crate::plugins::lock::Lock;

pub(super) fn run(check: bool, context: &Context) -> Result<Exit, Failure> {
    let surroundings = context.surroundings()?;
    let mut status = gather(check, context, &surroundings)?;
    for hint in status.problems.iter_mut().flat_map(|problem| &mut problem.hints) {
        *hint = context.with_catalogs(hint);
    }
    let degraded = !matches!(status.state, "ok" | "off");
    let confinement = confinement(&status, context, &surroundings)?;
    if context.json {
        context.ui.json(&Shown { status: &status, confinement: confinement.as_ref() });
    } else {
        print(&status, confinement.as_ref(), context);
    }
    Ok(if check && degraded { Exit::Failed } else { Exit::Success })
}

/// The status, with the secrets that the provider may know masked from now on.
pub(in crate::cli) fn gather(check: bool, context: &Context, surroundings: &Surroundings) -> Result<Status, Failure> {
    let mut status = surroundings.status(check)?;
    if let Some(mask) = status.mask.take() {
        context.ui.mask(mask);
    }
    Ok(status)
}

/// The status, and what holds the provider on this machine.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    status: &'a Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    confinement: Option<&'a Confinement>,
}

/// None where no provider is in use.
fn confinement(
    status: &Status,
    context: &Context,
    surroundings: &Surroundings,
) -> Result<Option<Confinement>, Failure> {
    let Some(id) = &status.provider else { return Ok(None) };
    let lock = Lock::read(&context.home)?;
    let Some(installed) = lock.plugins.get(id) else { return Ok(None) };
    Ok(Some(surroundings.confinement(&installed.current.grant.capabilities)))
}

fn print(status: &Status, confinement: Option<&Confinement>, context: &Context) {
    let ui = &context.ui;
    let Some(id) = &status.provider else {
        ui.out("memory: no external provider");
        hint_idle(status, context);
        for id in &status.configured {
            ui.note(format!("hint: `{id}` has settings and is not in use; `hermes memory setup {id}` turns it on"));
        }
        if status.idle.is_empty() && status.configured.is_empty() {
            ui.note("hint: choose one with `hermes memory setup`");
        }
        return;
    };
    let version = status.version.as_deref().unwrap_or("(not installed)");
    ui.out(format!("memory: {id} {version} · {} · {}", status.isolation, status.state));
    match status.capabilities.as_deref() {
        Some([]) => ui.out("may use: nothing outside its data folder"),
        Some(capabilities) => ui.out(format!("may use: {}", capabilities.join(", "))),
        None => {}
    }
    // Only what is not as it should be: `plugins info` shows all of it.
    match confinement {
        Some(confinement) if !confinement.worker => ui.out(confinement.sentence()),
        Some(confinement) if confinement.gaps().count() > 0 => {
            ui.out(confinement.sentence());
            confinement.gaps().filter_map(Part::gap).for_each(|gap| ui.out(format!("  {gap}")));
        }
        _ => {}
    }
    if let Some(check) = &status.check {
        ui.out(format!("checked now: {}", check.detail));
    }
    for problem in &status.problems {
        ui.out(format!("problem: {}", problem.message));
        problem.hints.iter().for_each(|hint| ui.note(format!("hint: {hint}")));
    }
    let now = context.clock.now();
    if status.hooks.is_empty() {
        ui.out("not called yet");
    } else {
        ui.out(format!(
            "{:<19} {:>6} {:>6} {:>8} {:>9} {:>6}  last",
            "hook", "calls", "errors", "timeouts", "mean ms", "hits"
        ));
    }
    for hook in &status.hooks {
        let HookHealth { hook: name, calls, errors, timeouts, hits, mean_ms, .. } = hook;
        let hits = if name == Hook::Prefetch.name() { hits.to_string() } else { "–".to_owned() };
        ui.out(format!(
            "{name:<19} {calls:>6} {errors:>6} {timeouts:>8} {mean_ms:>9.1} {hits:>6}  {}",
            last(hook, now)
        ));
    }
    hint_idle(status, context);
}

fn last(hook: &HookHealth, now: UnixMillis) -> String {
    let ok = hook.last_ok_ms.map(|at| format!("ok {}", ago(at, now)));
    let failed = hook
        .last_error_ms
        .map(|at| format!("failed {}: {}", ago(at, now), hook.last_error.as_deref().unwrap_or_default()));
    // The newer of the two comes first.
    let mut both = [ok, failed];
    if hook.last_error_ms > hook.last_ok_ms {
        both.reverse();
    }
    both.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn hint_idle(status: &Status, context: &Context) {
    for id in &status.idle {
        context.ui.note(format!("hint: `{id}` is installed and not in use; `hermes memory setup {id}` turns it on"));
    }
}
