//! `hermes plugins update`.

use serde_json::{Value, json};

use super::switched::{Switch, changes};
use super::{Agreement, install_now};
use crate::cli::{Context, Exit};
use crate::error::Failure;
use crate::plugins::install::{Outcome, Request, Step, UpdatePlan, update_plan};
use crate::plugins::lock::{Installed, Lock};
use crate::plugins::resolve::{Platform, Want};

/// An installed plugin, and what an update would do to it.
struct Candidate {
    id: String,
    installed: Installed,
    plan: UpdatePlan,
}

/// Tells what an update would do.
pub(super) fn check(names: &[String], context: &Context) -> Result<Exit, Failure> {
    let candidates = candidates(names, context)?;
    if context.json {
        let plugins: Vec<_> = candidates.iter().map(Candidate::json).collect();
        context.ui.json(&json!({ "plugins": plugins }));
        return Ok(Exit::Success);
    }
    for candidate in &candidates {
        let Candidate { id, installed, plan } = candidate;
        let version = &installed.current.version;
        match &plan.step {
            Step::To { gained, dropped, asks, .. } => {
                let asks = if *asks { "; somebody has to agree to it" } else { "" };
                context.ui.out(format!("{}{asks}", candidate.headline().unwrap_or_default()));
                changes(gained, dropped).for_each(|line| context.ui.out(line));
            }
            Step::Newest => context.ui.out(format!("{id} {version} is the newest that fits")),
            Step::Skipped { why } => context.ui.out(format!("{id} {version} stays: {why}")),
            Step::Blocked { why } => {
                context.ui.out(format!("{id} {version} must not be used, and nothing takes its place: {why}"));
            }
        }
        plan.passed_over.iter().for_each(|miss| context.ui.out(format!("  passed over: {miss}")));
    }
    let newer = candidates.iter().filter(|candidate| matches!(candidate.plan.step, Step::To { .. }));
    let newer: Vec<_> = newer.map(|candidate| candidate.id.as_str()).collect();
    if !newer.is_empty() {
        let hint = format!("hint: `hermes plugins update {}` does it", newer.join(" "));
        context.ui.note(context.with_catalogs(&hint));
    }
    Ok(Exit::Success)
}

/// Updates. One plugin that fails does not stop the others.
pub(super) fn run(names: &[String], agreement: Agreement, context: &Context) -> Result<Exit, Failure> {
    let (mut failed, mut told) = (false, Vec::new());
    for candidate in candidates(names, context)? {
        match candidate.update(agreement, context) {
            Ok(value) => told.push(value),
            Err(failure) => {
                failed = true;
                let mut value = candidate.json();
                value["state"] = "failed".into();
                (value["error"], value["hints"]) = (json!(failure.message), json!(failure.hints));
                told.push(value);
                context.ui.failure(&failure);
            }
        }
    }
    if context.json {
        context.ui.json(&json!({ "plugins": told }));
    }
    Ok(if failed { Exit::Failed } else { Exit::Success })
}

/// Those that were named, in that order, or all.
fn candidates(names: &[String], context: &Context) -> Result<Vec<Candidate>, Failure> {
    let lock = Lock::read(&context.home)?;
    let ids: Vec<_> = match names {
        [] => lock.plugins.keys().collect(),
        names => names.iter().collect(),
    };
    if ids.is_empty() && !context.json {
        context.ui.note("nothing is installed");
    }
    let installed = ids.into_iter().map(|id| Ok((id, lock.installed(id)?)));
    let installed: Vec<_> = installed.collect::<Result<_, Failure>>()?;
    let catalogs = context.surroundings()?.catalogs().map_err(Failure::from)?;
    let platform = Platform::current();
    let candidates = installed.into_iter().map(|(id, installed)| Candidate {
        plan: update_plan(id, installed, &catalogs, &platform),
        id: id.clone(),
        installed: installed.clone(),
    });
    Ok(candidates.collect())
}

impl Candidate {
    /// `notes 1.0.0 → 1.1.0`, if there is anything to go to.
    fn headline(&self) -> Option<String> {
        let Step::To { version, blocked, .. } = &self.plan.step else { return None };
        let away = blocked.as_ref().map(|why| format!(", since {why}")).unwrap_or_default();
        Some(format!("{} {} → {version}{away}", self.id, self.installed.current.version))
    }

    fn update(&self, agreement: Agreement, context: &Context) -> Result<Value, Failure> {
        let Self { id, installed, plan } = self;
        let current = &installed.current;
        let (version, gained, dropped) = match &plan.step {
            Step::To { version, gained, dropped, .. } => (version, gained, dropped),
            Step::Newest => {
                context.ui.note(format!("{id} {} is the newest that fits", current.version));
                self.tell_passed_over(context);
                return Ok(self.json());
            }
            Step::Skipped { why } => {
                context.ui.note(format!("{id} {} stays: {why}", current.version));
                return Ok(self.json());
            }
            Step::Blocked { why } => {
                let failure = Failure::new(format!("`{id}` {} must not be used: {why}", current.version));
                return Err(
                    failure.hint(format!("nothing takes its place; take it away with `hermes plugins remove {id}`"))
                );
            }
        };
        context.ui.note(self.headline().unwrap_or_default());
        changes(gained, dropped).for_each(|line| context.ui.note(line));
        self.tell_passed_over(context);
        let request = Request { name: id.clone(), want: Want::Exactly(version.clone()), force: false };
        let outcome = install_now(&request, agreement, context).map_err(|failure| self.explain(failure, context))?;
        let (Outcome::Installed { record, .. } | Outcome::AlreadyInstalled { record, .. }) = outcome;
        context.ui.note(format!("updated {id} to {}", record.version));
        let switch = Switch::new(id, current, &record, context);
        switch.tell(context);
        let mut value = switch.json();
        (value["state"], value["passed_over"]) = ("updated".into(), self.passed_over());
        Ok(value)
    }

    fn tell_passed_over(&self, context: &Context) {
        let Self { id, plan, .. } = self;
        plan.passed_over.iter().for_each(|miss| context.ui.note(format!("passed over: {id} {miss}")));
    }

    /// Where somebody has to agree and nobody can be asked, it says what is new rather than all that there is.
    fn explain(&self, failure: Failure, context: &Context) -> Failure {
        let Step::To { version, gained, asks, .. } = &self.plan.step else { return failure };
        if !failure.usage {
            return failure;
        }
        let id = &self.id;
        let why = match gained.as_slice() {
            [] if *asks => "its catalog is not the one that was agreed to".to_owned(),
            [] => "the address or folder that it uses until you set another has changed".to_owned(),
            gained => format!("it asks for more: {}", gained.join(", ")),
        };
        let message = format!("`{id}` was not updated to {version}: {why}; nobody can be asked here");
        Failure::new(message).hint(context.with_catalogs(&format!("to agree, run `hermes plugins update {id} --yes`")))
    }

    fn passed_over(&self) -> Value {
        let misses = self.plan.passed_over.iter();
        misses.map(|miss| json!({ "version": miss.version, "reasons": miss.reasons })).collect()
    }

    fn json(&self) -> Value {
        let mut value = json!({
            "id": self.id,
            "from": self.installed.current.version,
            "passed_over": self.passed_over(),
        });
        let state = match &self.plan.step {
            Step::To { version, gained, dropped, asks, blocked } => {
                value["to"] = json!(version);
                (value["gained"], value["dropped"]) = (json!(gained), json!(dropped));
                (value["asks"], value["blocked"]) = (json!(asks), json!(blocked));
                "available"
            }
            Step::Newest => "newest",
            Step::Skipped { why } => {
                value["reason"] = json!(why);
                "skipped"
            }
            Step::Blocked { why } => {
                value["reason"] = json!(why);
                "blocked"
            }
        };
        value["state"] = state.into();
        value
    }
}
