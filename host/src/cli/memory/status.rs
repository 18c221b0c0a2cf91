//! `hermes memory status`: from the record, without loading anything; with `--check`, by calling the provider.

use hermes_provider_api::records::{Health, RecallState, RecallStatus};
use hermes_provider_api::{Hook, Interface};
use serde::Serialize;

use crate::cli::{Context, Exit};
use crate::clock::UnixMillis;
use crate::error::{Failure, Hint as _};
use crate::open::{Strictness, Surroundings, not_asked};
use crate::plugins::catalog::Catalogs;
use crate::plugins::health::{self, HookHealth, Quarantine};
use crate::plugins::hooks::Hooks;
use crate::plugins::lock::Lock;

#[derive(Serialize)]
struct Status {
    provider: Option<String>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    isolation: &'static str,
    /// None when that is not known, because the plugin is not there or not what it should be.
    capabilities: Option<Vec<String>>,
    /// What is wrong, each with what to type.
    problems: Vec<Problem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quarantine: Option<Quarantine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check>,
    hooks: Vec<HookHealth>,
    /// Installed and not in use.
    idle: Vec<String>,
}

#[derive(Serialize)]
struct Problem {
    message: String,
    hints: Vec<String>,
}

#[derive(Serialize)]
struct Check {
    ok: bool,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<RecallStatus>,
}

pub(super) fn run(check: bool, context: &Context) -> Result<Exit, Failure> {
    let status = gather(check, context, &context.surroundings()?)?;
    let degraded = !matches!(status.state, "ok" | "off");
    if context.json {
        context.ui.json(&status);
    } else {
        print(&status, context);
    }
    Ok(if check && degraded { Exit::Failed } else { Exit::Success })
}

/// What is wrong with the provider in use, each with what to type; and with `check` what it says now.
///
/// # Errors
/// When the lockfile or the database cannot be read.
pub(in crate::cli) fn problems(
    check: bool,
    context: &Context,
    surroundings: &Surroundings,
) -> Result<(Vec<Failure>, Option<String>), Failure> {
    let Status { problems, check, .. } = gather(check, context, surroundings)?;
    let problems = problems.into_iter().map(|Problem { message, hints }| Failure { hints, ..Failure::new(message) });
    Ok((problems.collect(), check.map(|check| check.detail)))
}

fn gather(check: bool, context: &Context, surroundings: &Surroundings) -> Result<Status, Failure> {
    let provider = context.config.provider().map(str::to_owned);
    let mut status = Status {
        provider: provider.clone(),
        state: "off",
        version: None,
        isolation: surroundings.isolation().name(),
        capabilities: None,
        problems: Vec::new(),
        quarantine: None,
        check: None,
        hooks: Vec::new(),
        idle: Vec::new(),
    };
    let lock = Lock::read(&context.home)?;
    status.idle = lock.plugins.keys().filter(|id| Some(*id) != provider.as_ref()).cloned().collect();
    let Some(id) = provider else { return Ok(status) };
    status.state = "ok";
    status.version = lock.plugins.get(&id).map(|installed| installed.current.version.to_string());
    if let Some(db) = &surroundings.db {
        status.hooks = health::read(db, &id)?;
    }
    status.quarantine = health::Health::new(&id, context.clock.clone(), surroundings.db.clone()).quarantine();
    if let Some(quarantine) = &status.quarantine {
        let message = format!("in quarantine after {} crashes, the last: {}", quarantine.crashes, quarantine.reason);
        let hint = "it is tried once in each session, and is free again after ten minutes without a crash";
        status.problems.push(Problem { message, hints: vec![hint.to_owned()] });
    } else if !check && let Some(message) = last_failure(&status.hooks, context.clock.now()) {
        let hint = "`hermes memory status --check` calls it now";
        status.problems.push(Problem { message, hints: vec![hint.to_owned()] });
    }
    let catalogs = surroundings.readable_catalogs();
    for error in catalogs.unread() {
        status.problems.push(Problem { message: not_asked(error), hints: error.hints() });
    }
    if let Err(failure) = usable(&id, check, context, surroundings, &mut status, &catalogs) {
        let Failure { message, hints, .. } = context.failure_with_catalogs(failure);
        status.problems.push(Problem { message, hints });
    }
    // The provider is closed by now, and its calls are written down.
    if check && let Some(db) = &surroundings.db {
        status.hooks = health::read(db, &id)?;
    }
    if !status.problems.is_empty() {
        status.state = "degraded";
    }
    Ok(status)
}

/// Adds what the plugin says about itself, and with `check` what it says now.
fn usable(
    id: &str,
    check: bool,
    context: &Context,
    surroundings: &Surroundings,
    status: &mut Status,
    catalogs: &Catalogs,
) -> Result<(), Failure> {
    if status.version.is_none() {
        if !catalogs.unread().is_empty() {
            return Err(Failure::new(format!("`{id}` is not installed, and is not before every catalog can be read")));
        }
        if let Some(reason) = surroundings.why_not_lazily(id, catalogs)? {
            return Err(reason.into());
        }
        let failure = Failure::new(format!("`{id}` is not installed; its first use does that"));
        return Err(failure.hint(format!("or run `hermes memory setup {id}`")));
    }
    let verified = surroundings.verified(id, catalogs)?;
    status.capabilities = Some(verified.granted.lines());
    let fields = verified.metadata.config.iter().map(|field| field.env_var.as_str());
    let variables = fields.chain(verified.granted.secret.iter().map(String::as_str));
    context.ui.mask(context.load_secrets()?.mask(variables));
    let loaded = surroundings.load(&verified, Strictness::WhatIsMissingStops)?.provider;
    if !check {
        return Ok(());
    }
    let provider: &dyn Hooks = &loaded;
    let reason: Option<String> = provider.ask(Hook::UnavailableReason, &())?;
    let health = match reason {
        Some(reason) => Health::degraded(reason),
        None => provider.ask(Hook::Health, &())?,
    };
    let recall = match provider.has(Interface::Prefetch) {
        true => Some(provider.ask::<RecallStatus>(Hook::RecallStatus, &())?),
        false => None,
    };
    let slow =
        recall.as_ref().filter(|recall| recall.state == RecallState::Degraded).map(|recall| recall.detail.clone());
    let ok = health.ok && slow.is_none();
    if !health.ok {
        status.problems.push(Problem { message: health.detail.clone(), hints: Vec::new() });
    }
    status.problems.extend(slow.map(|message| Problem { message, hints: Vec::new() }));
    status.check = Some(Check { ok, detail: health.detail, recall });
    Ok(())
}

fn print(status: &Status, context: &Context) {
    let ui = &context.ui;
    let Some(id) = &status.provider else {
        ui.out("memory: no external provider");
        hint_idle(status, context);
        if status.idle.is_empty() {
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

/// What went wrong, when that was the last thing that happened. A tool's error may be the fault of who called it.
fn last_failure(hooks: &[HookHealth], now: UnixMillis) -> Option<String> {
    let hooks = hooks.iter().filter(|hook| hook.hook != Hook::CallTool.name());
    let last = hooks.max_by_key(|hook| hook.last_ok_ms.max(hook.last_error_ms))?;
    let at = last.last_error_ms.filter(|_| last.last_error_ms > last.last_ok_ms)?;
    let reason = last.last_error.as_deref().unwrap_or_default();
    Some(format!("its last call, {}, failed {}: {reason}", last.hook, ago(at, now)))
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

fn ago(at: UnixMillis, now: UnixMillis) -> String {
    let seconds = now.saturating_sub(at) / 1000;
    match seconds {
        0..=1 => "just now".to_owned(),
        2..=119 => format!("{seconds} s ago"),
        120..=7199 => format!("{} min ago", seconds / 60),
        7200..=172_799 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

fn hint_idle(status: &Status, context: &Context) {
    for id in &status.idle {
        context.ui.note(format!("hint: `{id}` is installed and not in use; `hermes memory setup {id}` turns it on"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_people_do() {
        let told = |seconds: u64| ago(1_000_000_000_000, 1_000_000_000_000 + seconds * 1000);
        assert_eq!(
            [0, 5, 119, 120, 7199, 7200, 172_800].map(told),
            ["just now", "5 s ago", "119 s ago", "2 min ago", "119 min ago", "2 h ago", "2 days ago"]
        );
        assert_eq!(ago(10, 5), "just now", "a clock that went back");
    }
}
