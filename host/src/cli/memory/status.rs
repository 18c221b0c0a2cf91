//! `hermes memory status`: from the record, without loading anything; with `--check`, by calling the provider.

use clap::builder::styling::AnsiColor;
use hermes_provider_api::Hook;

use crate::cli::{Context, Exit, Ui, counted_of};
use crate::clock::{UnixMillis, utc};
use crate::error::Failure;
use crate::open::{Files, Last, ModelUse, Sessions, Status, Surroundings, ago, off_line};
use crate::outbox::Backlog;
use crate::plugins::health::HookHealth;

pub(super) fn run(check: bool, context: &Context) -> Result<Exit, Failure> {
    let surroundings = context.surroundings()?;
    let mut status = gather(check, context, &surroundings)?;
    for hint in status.problems.iter_mut().flat_map(|problem| &mut problem.hints) {
        *hint = context.with_catalogs(hint);
    }
    let degraded = !matches!(status.state, "ok" | "off");
    if context.json {
        context.ui.json(&status);
    } else {
        print(&status, context);
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

/// Prints it for a person, without a check.
pub(in crate::cli) fn show(context: &Context) -> Result<(), Failure> {
    print(&gather(false, context, &context.surroundings()?)?, context);
    Ok(())
}

fn print(status: &Status, context: &Context) {
    let ui = &context.ui;
    let Some(id) = &status.provider else {
        ui.out("memory: no external provider");
        files(status, context);
        sessions(&status.sessions, context);
        outbox(status, context);
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
    let colour = if status.state == "ok" { AnsiColor::Green } else { AnsiColor::Red };
    ui.out_marked(&format!("memory: {id} {version} · {} · ", status.isolation), colour, status.state, "");
    files(status, context);
    sessions(&status.sessions, context);
    match status.capabilities.as_deref() {
        Some([]) => ui.out("may use: nothing outside its data folder"),
        // What is said of the model below says more.
        Some(lines)
            if lines.iter().all(|line| line.starts_with("model ")) && !status.model.iter().any(|used| used.on) =>
        {
            ui.out("may use: nothing outside its data folder");
        }
        Some(lines) => ui.out(format!("may use: {}", lines.join(", "))),
        None => {}
    }
    status.model.iter().filter_map(ModelUse::sent).chain(off_line(&status.model)).for_each(|line| ui.out(line));
    // Only what is not as it should be: `plugins info` shows all of it.
    status.unconfined().into_iter().for_each(|line| ui.out(line));
    if let Some(check) = &status.check {
        ui.out(format!("checked now: {}", check.detail));
    }
    for problem in &status.problems {
        ui.out_marked("", AnsiColor::Red, "problem", &format!(": {}", problem.message));
        problem.hints.iter().for_each(|hint| ui.note(format!("hint: {hint}")));
    }
    let now = context.clock.now();
    for (what, last) in [("last success", &status.last_success), ("last failure", &status.last_failure)] {
        if let Some(Last { hook, at, cause }) = last {
            let cause = cause.as_deref().map(|cause| format!(": {cause}")).unwrap_or_default();
            ui.out(format!("{what}: {hook}, {}{cause}", ago(*at, now)));
        }
    }
    outbox(status, context);
    table(&status.hooks, now, ui);
    hint_idle(status, context);
}

/// The memory files, and what waits for the user.
fn files(status: &Status, context: &Context) {
    let Files { files, write_approval, waiting, oldest_waiting_ms, problems } = &status.curated;
    // Of files that nobody has used yet there is nothing to say.
    if files.iter().any(|file| !file.on || file.entries != Some(0)) {
        files.iter().for_each(|file| context.ui.out(file.line()));
    }
    if status.provider.is_some() && files.iter().any(|file| !file.on) {
        context.ui.note("the external provider is another memory, and stays on; `hermes memory off` turns it off");
    }
    if *write_approval {
        context.ui.out("writes of the agent wait for your approval");
    }
    if let Some(oldest) = oldest_waiting_ms {
        context.ui.out(format!(
            "waiting for your approval: {waiting}, the oldest since {}",
            ago(*oldest, context.clock.now())
        ));
        context.ui.note("hint: `hermes memory pending` lists them");
    }
    for problem in problems {
        context.ui.out_marked("", AnsiColor::Yellow, "odd", &format!(": {}", problem.message));
        problem.hints.iter().for_each(|hint| context.ui.note(format!("hint: {hint}")));
    }
}

/// The archive of what was said.
fn sessions(Sessions { on, totals, index, problem }: &Sessions, context: &Context) {
    let totals = totals.clone().unwrap_or_default();
    let mut line =
        format!("archive: {}, {}", counted_of(totals.sessions, "session"), counted_of(totals.messages, "message"));
    line.extend(totals.last_ms.map(|at| format!(", the last {}", ago(at, context.clock.now()))));
    if !on {
        line.push_str("; off: `sessions.enabled` is false, and nothing is added");
    }
    // Of one that nobody has used yet there is nothing to say.
    if !on || totals.sessions > 0 {
        context.ui.out(line);
    }
    match index {
        Some(index) if !index.on => context.ui.out_marked(
            "search: ",
            AnsiColor::Yellow,
            "off",
            ": `sessions.index` is false, and only the newest messages are found",
        ),
        Some(index) if index.is_behind() => {
            let behind = format!(": {} messages are not in the index yet", index.behind);
            context.ui.out_marked("search: ", AnsiColor::Yellow, "behind", &behind);
            context.ui.note("hint: `hermes sessions reindex` enters them now, searches and turns do so bit by bit");
        }
        _ => {}
    }
    if let Some(problem) = problem {
        context.ui.out_marked("archive: ", AnsiColor::Red, "degraded", &format!(": {}", problem.message));
        problem.hints.iter().for_each(|hint| context.ui.note(format!("hint: {hint}")));
    }
}

/// What has yet to reach a provider.
fn outbox(status: &Status, context: &Context) {
    let now = context.clock.now();
    for Backlog { provider, waiting, dead, oldest_ms, held } in &status.outbox {
        let mut line = format!("outbox of {provider}: {waiting} to deliver");
        if let Some(at) = oldest_ms {
            line.push_str(&format!(", the oldest {}", ago(*at, now)));
        }
        if *dead > 0 {
            line.push_str(&format!("; {dead} given up"));
        }
        if let Some(hold) = held.as_ref().filter(|hold| hold.until_ms > now) {
            line.push_str(&format!("; left alone until {}: {}", utc(hold.until_ms), hold.reason));
        }
        context.ui.out(line);
    }
}

/// One line for each hook that was called; the host's own questions only where one failed.
fn table(hooks: &[HookHealth], now: UnixMillis, ui: &Ui) {
    if hooks.is_empty() {
        return ui.out("not called yet");
    }
    ui.out(format!(
        "{:<19} {:>6} {:>6} {:>8} {:>7} {:>8} {:>8} {:>5}  last",
        "hook", "calls", "errors", "timeouts", "refused", "p50 ms", "p95 ms", "hits"
    ));
    for hook in hooks {
        let HookHealth { hook: name, calls, errors, timeouts, refused, hits, .. } = hook;
        let is_own = [Hook::UnavailableReason, Hook::RecallStatus].iter().any(|own| own.name() == name);
        if is_own && errors + timeouts + refused == 0 {
            continue;
        }
        let time = |ms: Option<f64>| ms.map_or_else(|| "–".to_owned(), |ms| format!("{ms:.1}"));
        let hits = if name == Hook::Prefetch.name() { hits.to_string() } else { "–".to_owned() };
        ui.out(format!(
            "{name:<19} {calls:>6} {errors:>6} {timeouts:>8} {refused:>7} {:>8} {:>8} {hits:>5}  {}",
            time(hook.p50_ms),
            time(hook.p95_ms),
            last(hook, now)
        ));
    }
}

/// How the last call went. Why it failed stands above the table, and for every hook in the JSON.
fn last(hook: &HookHealth, now: UnixMillis) -> String {
    match (hook.last_ok_ms, hook.last_error_ms) {
        (ok, Some(at)) if ok <= Some(at) => format!("failed {}", ago(at, now)),
        (Some(at), _) => format!("ok {}", ago(at, now)),
        _ => "–".to_owned(),
    }
}

fn hint_idle(status: &Status, context: &Context) {
    for id in &status.idle {
        context.ui.note(format!("hint: `{id}` is installed and not in use; `hermes memory setup {id}` turns it on"));
    }
}
