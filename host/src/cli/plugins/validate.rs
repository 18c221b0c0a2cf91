//! `hermes plugins validate`: for authors, what users would notice of a plugin.

use std::path::PathBuf;

use hermes_provider_api::metadata::{Metadata, TARGET};
use hermes_provider_api::testkit::conformance::{Kit, Report, Severity};
use serde_json::{Map, Value, json};

use crate::cli::{Context, Exit, counted, executable};
use crate::config::Isolation;
use crate::error::Failure;
use crate::plugins::validate::{Check, Loader, Located, locate, static_checks};
use crate::plugins::verify::sha256_of;

/// What to check, and how.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes plugins validate                       # the crate in this folder, as it was built last
  hermes plugins validate notes-0.1.0.tar.gz
  hermes plugins validate target/release/libnotes.so --set base_url=https://notes.example --json

The plugin's code runs with made-up memories and keys in throw-away folders.
Exit status: 1 when a user would lose something; warnings alone are 0.")]
pub(super) struct Args {
    /// A library, an archive, a folder with a library, or a crate that was built
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Look at the file only, and run none of its code
    #[arg(long)]
    quick: bool,
    /// Where its code runs: first in a worker, and in this process if no worker crashed
    #[arg(long, value_name = "WHERE", default_value = "both")]
    isolation: Where,
    /// A setting of the plugin; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Where {
    Process,
    InProcess,
    Both,
}

/// One way of running the scenarios.
struct Tried {
    isolation: Isolation,
    outcome: Result<Report, String>,
}

/// Checks what was named, and says what came of it.
pub(super) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let kit = Kit::new(Value::Object(settings(&args.set)?));
    let target_dir = context.env.get("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let located = locate(&args.path, target_dir)?;
    let (checks, metadata) = static_checks(&located);
    if !context.json {
        show_file(&located, &checks, context);
    }
    let tried = match &metadata {
        Some(metadata) if !args.quick => run_code(args, &kit, &located, metadata, context)?,
        _ => Vec::new(),
    };
    let reports = || tried.iter().filter_map(|one| one.outcome.as_ref().ok());
    let count = |severity: Severity| {
        let of_file = checks.iter().filter(|check| check.severity == Some(severity)).count();
        let of_runs = reports().flat_map(|report| &report.findings).filter(|one| one.severity == severity).count();
        of_file + of_runs
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if context.json {
        context.ui.json(&json!({
            "library": located.shown,
            "metadata": metadata,
            "checks": checks,
            "runs": tried.iter().map(Tried::json).collect::<Vec<_>>(),
            "errors": errors,
            "warnings": warnings,
            "ok": errors == 0,
        }));
    } else {
        let of_file = checks.iter().any(|check| check.severity == Some(Severity::Error));
        let verdict = match errors {
            _ if metadata.is_none() => "no hermes can load this",
            _ if of_file => "hermes or a catalog would refuse this plugin",
            0 if args.quick => "nothing is wrong with the file; its code was not run",
            0 if reports().next().is_none() => "nothing is wrong with the file; its code could not be run here",
            0 => "users lose nothing by this plugin, as far as was tried",
            _ => "users would lose something by this plugin",
        };
        context.ui.out(format!("\n{}, {}: {verdict}", counted(errors, "error"), counted(warnings, "warning")));
    }
    Ok(if errors == 0 { Exit::Success } else { Exit::Failed })
}

fn settings(given: &[String]) -> Result<Map<String, Value>, Failure> {
    let pairs = given.iter().map(|pair| match pair.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), Value::from(value))),
        None => Err(Failure::usage(format!("`--set {pair}` has no value")).hint("write `--set key=value`")),
    });
    pairs.collect()
}

/// Runs the scenarios where they were asked for: in a worker first, whose end is not the end of this process.
fn run_code(
    args: &Args,
    kit: &Kit,
    located: &Located,
    metadata: &Metadata,
    context: &Context,
) -> Result<Vec<Tried>, Failure> {
    let ways: &[Isolation] = match args.isolation {
        Where::Process => &[Isolation::Process],
        Where::InProcess => &[Isolation::InProcess],
        Where::Both => &[Isolation::Process, Isolation::InProcess],
    };
    let executable = executable()?;
    let sha256 = sha256_of(&located.library)?.to_string();
    let mut died: Option<String> = None;
    let mut tried = Vec::new();
    for &isolation in ways {
        let reason = if metadata.target != TARGET {
            Some(format!("it was built for `{}`", metadata.target.escape_debug()))
        } else if isolation == Isolation::InProcess && metadata.panic != "unwind" {
            Some("its panics end the process that they happen in".to_owned())
        } else if isolation == Isolation::InProcess {
            died.clone().map(|reason| format!("a worker crashed, and this process would: {reason}"))
        } else {
            None
        };
        let outcome = match reason {
            Some(reason) => Err(reason),
            None => {
                let place = place(isolation);
                context.ui.note(format!("running the plugin's code {place} …"));
                let spinner = context.ui.progress(format!("scenarios {place}"), None);
                let loader = Loader {
                    library: located.library.clone(),
                    sha256: sha256.clone(),
                    metadata: metadata.clone(),
                    isolation,
                    executable: executable.clone(),
                };
                let run = loader.run(kit);
                spinner.finish_and_clear();
                died = died.or(run.died);
                Ok(run.report)
            }
        };
        let one = Tried { isolation, outcome };
        if !context.json {
            show_run(&one, context);
        }
        tried.push(one);
    }
    Ok(tried)
}

fn place(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Process => "in a worker",
        Isolation::InProcess => "in this process",
    }
}

fn show_file(located: &Located, checks: &[Check], context: &Context) {
    let how = located.how.as_ref().map(|how| format!("  ({how})")).unwrap_or_default();
    context.ui.out(format!("{}{how}", located.shown.display()));
    context.ui.out("\nthe file, before any of its code runs");
    for Check { severity, name, text, hint } in checks {
        let mark = severity.map_or_else(|| "ok".to_owned(), |severity| severity.to_string());
        context.ui.out(format!("  {mark:<8}{name}: {text}"));
        if !hint.is_empty() {
            context.ui.out(format!("          hint: {hint}"));
        }
    }
}

fn show_run(tried: &Tried, context: &Context) {
    let place = place(tried.isolation);
    match &tried.outcome {
        Ok(report) => {
            context.ui.out(format!("\nits code, {place}"));
            report.to_string().lines().for_each(|line| context.ui.out(format!("  {line}")));
        }
        Err(reason) => context.ui.out(format!("\nits code, {place}: not run, since {reason}")),
    }
}

impl Tried {
    fn json(&self) -> Value {
        match &self.outcome {
            Ok(report) => json!({
                "isolation": self.isolation.name(),
                "scenarios": report.scenarios,
                "findings": report.findings,
            }),
            Err(reason) => json!({"isolation": self.isolation.name(), "not_run": reason}),
        }
    }
}
