//! How the provider of a home has been doing: from the record, without loading anything, or by calling it.

use hermes_provider_api::records::{Health, RecallState, RecallStatus};
use hermes_provider_api::{Hook, Interface};
use serde::Serialize;

use super::{Files, ModelUse, Sessions, Strictness, Surroundings, not_asked};
use crate::clock::UnixMillis;
use crate::error::{Failure, Hint as _};
use crate::model;
use crate::outbox::{Backlog, Rows};
use crate::plugins::catalog::Catalogs;
use crate::plugins::health::{self, HookHealth, Quarantine, Streak};
use crate::plugins::hooks::Hooks;
use crate::plugins::load::sandbox::{Confinement, Part};
use crate::plugins::lock::Lock;
use crate::secrets::Mask;

/// How the provider of a home has been doing.
#[derive(Serialize, Debug)]
pub struct Status {
    /// The provider that the settings name.
    pub provider: Option<String>,
    /// `ok`, `degraded`, or `off` without a provider.
    pub state: &'static str,
    /// What is installed of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where its code runs.
    pub isolation: &'static str,
    /// What it may use. None when that is not known, because the plugin is not there or not what it should be.
    pub capabilities: Option<Vec<String>>,
    /// What of it goes to the user's model, and where that is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub model: Vec<ModelUse>,
    /// What holds it to that on this machine. None where nothing is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confinement: Option<Confinement>,
    /// What is wrong, each with what to type.
    pub problems: Vec<Problem>,
    /// Whether it crashed too often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
    /// Hooks that are left alone for a while.
    pub paused: Vec<Streak>,
    /// What has yet to reach a provider, this one or another.
    pub outbox: Vec<Backlog>,
    /// What it said just now, when it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// The last call that was answered. The host's own questions do not count.
    pub last_success: Option<Last>,
    /// The last call that failed, and why.
    pub last_failure: Option<Last>,
    /// How its calls went, hook by hook.
    pub hooks: Vec<HookHealth>,
    /// Installed and not in use.
    pub idle: Vec<String>,
    /// With settings, and neither installed nor in use.
    pub configured: Vec<String>,
    /// The memory files.
    pub curated: Files,
    /// The archive of what was said.
    pub sessions: Sessions,
    /// Masks the secrets that the provider may know.
    #[serde(skip)]
    pub mask: Option<Mask>,
}

/// When a hook was last answered, or last failed.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Last {
    /// The hook.
    pub hook: String,
    /// When.
    pub at: UnixMillis,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// Something that is wrong.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// One sentence.
    pub message: String,
    /// What to type.
    pub hints: Vec<String>,
}

/// What a provider says of itself when it is asked.
#[derive(Serialize, Debug)]
pub struct Check {
    /// Whether it works.
    pub ok: bool,
    /// In its words.
    pub detail: String,
    /// What its recall index is doing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<RecallStatus>,
}

impl From<Failure> for Problem {
    fn from(Failure { message, hints, .. }: Failure) -> Self {
        Self { message, hints }
    }
}

impl Status {
    /// What does not hold the provider as it should, a line each; nothing where all of it does.
    #[must_use]
    pub fn unconfined(&self) -> Vec<String> {
        let Some(confinement) = &self.confinement else { return Vec::new() };
        let gaps = confinement.gaps().filter_map(Part::gap).map(|gap| format!("  {gap}"));
        let gaps: Vec<String> = gaps.collect();
        if confinement.worker && gaps.is_empty() {
            return gaps;
        }
        std::iter::once(confinement.sentence()).chain(gaps).collect()
    }
}

impl Surroundings {
    /// How the provider has been doing, from the record; with `check` it is also called, in a worker of its own.
    ///
    /// # Errors
    /// When the record or the lockfile cannot be read.
    pub fn status(&self, check: bool) -> Result<Status, Failure> {
        let provider = self.config.provider().map(str::to_owned);
        let mut status = Status {
            provider: provider.clone(),
            state: "off",
            version: None,
            isolation: self.isolation().name(),
            capabilities: None,
            model: Vec::new(),
            confinement: None,
            problems: Vec::new(),
            quarantine: None,
            paused: Vec::new(),
            outbox: Vec::new(),
            check: None,
            last_success: None,
            last_failure: None,
            hooks: Vec::new(),
            idle: Vec::new(),
            configured: Vec::new(),
            curated: self.files(),
            sessions: self.sessions(),
            mask: None,
        };
        let lock = Lock::read(&self.home)?;
        status.idle = lock.plugins.keys().filter(|id| Some(*id) != provider.as_ref()).cloned().collect();
        if let Some(db) = &self.db {
            status.outbox = Rows(db).backlog()?;
        }
        let Some(id) = provider else {
            let configured = self.config.configured_providers().filter(|id| !lock.plugins.contains_key(*id));
            status.configured = configured.map(str::to_owned).collect();
            return Ok(status);
        };
        status.state = "ok";
        if let Some(installed) = lock.plugins.get(&id) {
            status.version = Some(installed.current.version.to_string());
            status.confinement = Some(self.confinement(&installed.current.grant.capabilities));
        }
        status.problems.extend(self.unkept.clone().map(Problem::from));
        if let Some(db) = &self.db {
            status.hooks = health::read(db, &id)?;
        }
        let health = || health::Health::new(&id, self.clock.clone(), self.db.clone());
        let known = health();
        (status.quarantine, status.paused) = (known.quarantine(), known.all_paused());
        if let Some(quarantine) = &status.quarantine {
            let message =
                format!("in quarantine after {} crashes, the last: {}", quarantine.crashes, quarantine.reason);
            let hints = [
                "it is tried once in each session, and is free again after ten minutes without a crash".to_owned(),
                format!("`hermes plugins quarantine clear {id}` frees it now"),
            ];
            status.problems.push(Problem { message, hints: hints.into() });
        } else if !check
            && status.paused.is_empty()
            && let Some(message) = fails_now(&status.hooks, self.clock.now())
        {
            let hint = "`hermes memory status --check` calls it now";
            status.problems.push(Problem { message, hints: vec![hint.to_owned()] });
        }
        let catalogs = self.readable_catalogs();
        for error in catalogs.unread() {
            status.problems.push(Problem { message: not_asked(error), hints: error.hints() });
        }
        if let Err(failure) = self.usable(&id, check, &mut status, &catalogs) {
            status.problems.push(failure.into());
        }
        // The provider is closed by now, and its calls are written down. A check that it passed has ended all pauses.
        if check && let Some(db) = &self.db {
            status.hooks = health::read(db, &id)?;
            status.paused = health().all_paused();
        }
        for streak in &status.paused {
            let hint = "`hermes memory status --check` tries the provider now, and ends the pause if it is healthy";
            let hints = if check { Vec::new() } else { vec![hint.to_owned()] };
            status.problems.push(Problem { message: streak.sentence(), hints });
        }
        if let Some(db) = self.db.as_ref().filter(|_| check) {
            status.outbox = Rows(db).backlog()?;
        }
        let waits = status.outbox.iter().find(|backlog| backlog.provider == id);
        status.problems.extend(waits.and_then(|backlog| undelivered(backlog, self.clock.now())));
        (status.last_success, status.last_failure) = (last_success(&status.hooks), last_failure(&status.hooks));
        if !status.problems.is_empty() {
            status.state = "degraded";
        }
        Ok(status)
    }

    /// Adds what the plugin says about itself, and with `check` what it says now.
    fn usable(&self, id: &str, check: bool, status: &mut Status, catalogs: &Catalogs) -> Result<(), Failure> {
        if status.version.is_none() {
            if !catalogs.unread().is_empty() {
                return Err(Failure::new(format!(
                    "`{id}` is not installed, and is not before every catalog can be read"
                )));
            }
            if let Some(reason) = self.why_not_lazily(id, catalogs)? {
                return Err(reason.into());
            }
            let failure = Failure::new(format!("`{id}` is not installed; its first use does that"));
            return Err(failure.hint(format!("or run `hermes memory setup {id}`")));
        }
        let verified = self.verified(id, catalogs)?;
        status.capabilities = Some(verified.granted.lines());
        let fields = verified.metadata.config.iter().map(|field| field.env_var.as_str());
        let variables = fields.chain(verified.granted.secret.iter().map(String::as_str));
        status.mask = Some(self.secrets.mask(variables.chain(model::KEYS)));
        let settings = self.config.provider_settings(id, &verified.metadata.config, |name| (self.env)(name))?;
        status.model = self.model_uses(&verified.metadata, &settings.values);
        status.problems.extend(status.model.iter().filter_map(ModelUse::problem).map(Problem::from));
        let loaded = self.load(&verified, Strictness::WhatIsMissingStops)?.provider;
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
}

/// The host asks these of itself whenever a memory opens: an answer says nothing of how the memory does.
fn is_own(hook: &HookHealth) -> bool {
    [Hook::UnavailableReason, Hook::RecallStatus].iter().any(|own| own.name() == hook.hook)
}

fn last_success(hooks: &[HookHealth]) -> Option<Last> {
    let times = hooks.iter().filter(|hook| !is_own(hook)).filter_map(|hook| Some((hook.last_ok_ms?, hook)));
    let (at, hook) = times.max_by_key(|(at, _)| *at)?;
    Some(Last { hook: hook.hook.clone(), at, cause: None })
}

fn last_failure(hooks: &[HookHealth]) -> Option<Last> {
    let times = hooks.iter().filter_map(|hook| Some((hook.last_error_ms?, hook)));
    let (at, hook) = times.max_by_key(|(at, _)| *at)?;
    Some(Last { hook: hook.hook.clone(), at, cause: hook.last_error.clone() })
}

/// What went wrong, when that was the last thing that happened. A tool's error may be the fault of who called it.
fn fails_now(hooks: &[HookHealth], now: UnixMillis) -> Option<String> {
    let fails = |hook: &HookHealth| hook.last_error_ms > hook.last_ok_ms;
    let hooks = hooks.iter().filter(|hook| hook.hook != Hook::CallTool.name() && (!is_own(hook) || fails(hook)));
    let last = hooks.max_by_key(|hook| hook.last_ok_ms.max(hook.last_error_ms))?;
    let at = last.last_error_ms.filter(|_| fails(last))?;
    let reason = last.last_error.as_deref().unwrap_or_default();
    Some(format!("its last call, {}, failed {}: {reason}", last.hook, ago(at, now)))
}

/// What is wrong with the deliveries: that some wait for a while is not.
fn undelivered(backlog: &Backlog, now: UnixMillis) -> Option<Problem> {
    let Backlog { waiting, dead, .. } = backlog;
    let message = match (dead, backlog.late_since(now)) {
        (0, None) => return None,
        (0, Some(at)) => format!("{waiting} undelivered, the oldest since {}", ago(at, now)),
        (dead, None) => format!("{dead} given up, and kept"),
        (dead, Some(at)) => {
            format!("{waiting} undelivered, the oldest since {}, and {dead} given up, and kept", ago(at, now))
        }
    };
    let hints = vec![
        "`hermes memory outbox list` shows what, and why".to_owned(),
        "`hermes memory outbox retry` tries again now".to_owned(),
    ];
    Some(Problem { message: format!("deliveries: {message}"), hints })
}

/// How long ago that was, as people say it.
#[must_use]
pub fn ago(at: UnixMillis, now: UnixMillis) -> String {
    let seconds = now.saturating_sub(at) / 1000;
    match seconds {
        0..=1 => "just now".to_owned(),
        2..=119 => format!("{seconds} s ago"),
        120..=7199 => format!("{} min ago", seconds / 60),
        7200..=172_799 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
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
