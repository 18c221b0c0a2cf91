//! `hermes doctor`: everything that can be looked at, and what to do about what is wrong.
//!
//! Looking repairs nothing: no home is made, and a broken database is not set aside. What is safe, `--fix` repairs.

mod confinement;
mod files;
mod memory;
mod outbox;
mod permissions;
mod plugins;
mod reach;
mod repair;
mod sessions;

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::{Context, Exit, counted};
use crate::config::{Config, ConfigError};
use crate::db::{Db, DbError, Examined, examine};
use crate::error::Failure;
use crate::open::{Surroundings, open_database};
use crate::plugins::catalog::Catalogs;
use crate::plugins::lock::{Lock, LockError};
use repair::Repair;

/// What to look at.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The exit status is 1 when something is broken; warnings do not count.

Examples:
  hermes doctor
  hermes doctor --quick --json
  hermes doctor --fix")]
pub struct Args {
    /// Do not start the memory provider
    #[arg(long)]
    quick: bool,
    /// Repair first what is safe to: close what is open to other users, delete what was cut short
    #[arg(long)]
    fix: bool,
}

/// How bad a finding is, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Severity {
    Ok,
    Warning,
    Error,
}

/// What a check found.
#[derive(Debug)]
struct Finding {
    severity: Severity,
    message: String,
    hints: Vec<String>,
    repair: Option<Repair>,
}

impl Finding {
    fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, message: message.into(), hints: Vec::new(), repair: None }
    }

    fn ok(message: impl Into<String>) -> Self {
        Self::new(Severity::Ok, message)
    }

    fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    fn error(failure: impl Into<Failure>) -> Self {
        let Failure { message, hints, .. } = failure.into();
        Self { hints, ..Self::new(Severity::Error, message) }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    fn repaired_by(mut self, repair: Repair) -> Self {
        self.repair = Some(repair);
        self.hint("`hermes doctor --fix` does that")
    }
}

/// What is looked at, read once.
struct Facts<'a> {
    /// With the settings of the file, or the defaults where that cannot be read.
    context: &'a Context,
    quick: bool,
    settings: Result<(), ConfigError>,
    database: Result<Examined, DbError>,
    /// To look at. One of an older schema is left to the next command that uses it.
    record: Option<Arc<Db>>,
    lock: Result<Lock, LockError>,
    /// None where the settings or secrets cannot be read: nothing could be opened then.
    surroundings: Option<Surroundings>,
    catalogs: Catalogs,
}

type Check = fn(&Facts<'_>) -> Vec<Finding>;

/// All checks by name.
const CHECKS: &[(&str, Check)] = &[
    ("program", plugins::program),
    ("home", files::home),
    ("permissions", permissions::permissions),
    ("settings", files::settings),
    ("secrets", files::secrets),
    ("database", files::database),
    ("archive", sessions::sessions),
    ("memory", memory::memory),
    ("outbox", outbox::outbox),
    ("disk", files::disk),
    ("leftovers", files::leftovers),
    ("lockfile", plugins::lockfile),
    ("catalogs", plugins::catalogs),
    ("network", reach::network),
    ("clock", reach::clock),
    ("plugins", plugins::installed),
    ("provider", plugins::provider),
    ("confinement", confinement::confinement),
];

/// Runs all checks.
///
/// # Errors
/// None of its own: what is wrong is a finding.
pub(super) fn run(args: &Args, mut context: Context) -> Result<Exit, Failure> {
    let fixed: Vec<_> = match args.fix {
        // To repair files no provider has to be started.
        true => {
            let found = look(true, &mut context).into_iter();
            found.filter_map(|(_, finding)| finding.repair?.run(&context.home).transpose()).collect()
        }
        false => Vec::new(),
    };
    let mut findings = look(args.quick, &mut context);
    let not_fixed = fixed.iter().filter_map(|done| done.as_ref().err());
    findings.extend(not_fixed.map(|failure| ("fix", Finding::warning(failure.as_str()))));
    let fixed: Vec<_> = fixed.iter().flatten().collect();
    // The worst last, where it is still on the screen.
    findings.sort_by_key(|(_, finding)| finding.severity);
    for hint in findings.iter_mut().flat_map(|(_, finding)| &mut finding.hints) {
        *hint = context.with_catalogs(hint);
    }
    let count = |severity| findings.iter().filter(|(_, finding)| finding.severity == severity).count();
    let (errors, warnings, fine) = (count(Severity::Error), count(Severity::Warning), count(Severity::Ok));
    if context.json {
        let checks = findings.iter().map(|(check, Finding { severity, message, hints, repair })| {
            let fixable = repair.is_some();
            json!({ "check": check, "severity": severity, "message": message, "hints": hints, "fixable": fixable })
        });
        let mut report = json!({
            "ok": errors == 0,
            "home": context.home.root(),
            "profile": context.home.profile(),
            "errors": errors,
            "warnings": warnings,
            "checks": checks.collect::<Vec<_>>(),
        });
        if args.fix {
            report["fixed"] = json!(fixed);
        }
        context.ui.json(&report);
    } else {
        fixed.iter().for_each(|done| context.ui.out(format!("{:<8} {done}", "fixed")));
        for (check, Finding { severity, message, hints, .. }) in &findings {
            let mark = match severity {
                Severity::Ok => "ok",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            let message = message.replace('\n', &format!("\n{:22}", ""));
            context.ui.out(format!("{mark:<8} {check:<12} {message}"));
            hints.iter().for_each(|hint| context.ui.out(format!("{:21} hint: {hint}", "")));
        }
        context.ui.out(format!("{}, {}, {fine} ok", counted(errors, "error"), counted(warnings, "warning")));
    }
    Ok(if errors == 0 { Exit::Success } else { Exit::Failed })
}

/// All findings, each with the name of its check.
fn look(quick: bool, context: &mut Context) -> Vec<(&'static str, Finding)> {
    let settings = Config::load(&context.home).map(|config| {
        context.offline |= config.offline();
        context.config = config;
    });
    let facts = gather(quick, settings, context);
    CHECKS.iter().flat_map(|(name, check)| check(&facts).into_iter().map(move |finding| (*name, finding))).collect()
}

fn gather<'a>(quick: bool, settings: Result<(), ConfigError>, context: &'a Context) -> Facts<'a> {
    // Before the database is opened: closing the file would drop the locks of this process on it.
    let database = examine(&context.home);
    let record = match &database {
        Ok(Examined::Whole { .. }) => Db::open_read_only(&context.home).ok().flatten().map(Arc::new),
        _ => None,
    };
    let surroundings = settings.is_ok().then(|| {
        // Without a call of the provider there is nothing to write.
        let db = if quick { record.clone() } else { record.as_ref().and_then(|_| open_database(&context.home).0) };
        context.surroundings_with(&context.home, context.config.clone(), db).ok()
    });
    let surroundings = surroundings.flatten();
    let catalogs = surroundings.as_ref().map(Surroundings::readable_catalogs).unwrap_or_default();
    Facts { context, quick, settings, database, record, lock: Lock::read(&context.home), surroundings, catalogs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_are_in_order() {
        assert!(Severity::Ok < Severity::Warning && Severity::Warning < Severity::Error);
    }
}
