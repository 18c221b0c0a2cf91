//! `hermes memory pilot`: a recorded conversation, played to providers before one of them is trusted.
//!
//! Each provider gets a copy of the home of its own, in which it is installed if need be, and which is thrown away. The
//! home is only read; what hermes itself logs goes where it always does. Without `--copy-profile` the copy has the settings and the plugins, and no provider knows anything.
//!
//! A service keeps what it is told elsewhere. There the trial runs under names of its own: the settings that the
//! provider marks as a [namespace](hermes_provider_api::Field::namespace) and the users of the conversation are called
//! `hermes-pilot-<random>`. What was stored under them is deleted afterwards, entry by entry, if the provider offers that;
//! whether it does is said before anything is sent.
//!
//! Measured are the delay of each answer, the tokens that the memory adds (`tokens` has the formula), and how many of
//! the marked questions were given what they are about (`marks` has the form of a mark). A fact counts as found when it
//! was in the block of its turn, or in one that was given earlier in the same session, which the window still holds.

mod clean;
mod destinations;
mod html;
mod marks;
mod measure;
mod plot;
mod report;
mod stop;
mod table;
mod tokens;
mod transcript;
mod trial;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::plugins::{self, Agreement};
use crate::cli::replay::scratch::Scratch;
use crate::cli::{Context, Exit, open};
use crate::clock::nonce;
use crate::error::Failure;
use crate::home::files;
use clean::Cleanup;
use report::{Report, Row};
use stop::Stop;
use transcript::Transcript;
use trial::{Plan, Trial};

/// What of a trial goes wrong is told so often for each provider.
const TOLD: usize = 5;

/// Which providers are tried on what.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The transcript is a recording as `hermes replay` takes it. A message of the user may say what its recall should hold, in \
a field `expects`: a list of texts that all have to be there, where a list within the list is one thing in several \
wordings. Case and Unicode forms make no difference. `hermes replay` passes over these marks.

  {\"role\": \"user\", \"session_id\": \"b\", \"content\": \"When?\", \"expects\": [\"Typst\", [\"May\", \"мае\"]]}

The home stays as it is: each provider works in a copy that is thrown away. At a service, the trial has a project and \
users of its own, `hermes-pilot-…`, and what it stored is deleted afterwards if the provider can do that. What would \
leave this machine is listed and asked for first. Tokens are an estimate.

The exit status is 1 when a provider could not be tried, or when something did not reach it or could not be deleted.

Examples:
  hermes memory pilot none holographic --transcript conversations.jsonl
  hermes memory pilot retaindb --transcript conversations.jsonl --html report.html
  hermes memory pilot holographic --transcript conversations.jsonl --copy-profile --json")]
pub(super) struct Args {
    /// The providers, installed or not; `none` is the conversation without a memory
    #[arg(required = true, value_name = "PROVIDER", value_parser = plugins::plugin_name)]
    providers: Vec<String>,
    /// The recorded conversation, JSON lines; `-` for stdin
    #[arg(long, value_name = "FILE")]
    transcript: PathBuf,
    /// Let the providers begin with what they know now, in their copies
    #[arg(long)]
    copy_profile: bool,
    /// Write a report with plots, one file that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Ask nothing: agree to what is installed into the copies, and to what leaves this machine
    #[arg(short, long)]
    yes: bool,
}

/// Tries the providers, one after the other.
///
/// # Errors
/// When the conversation cannot be read, the report not be written, or the user does not want to go on. A provider that
/// cannot be tried is no error but a line of the report.
pub(super) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let transcript = Transcript::read(&args.transcript, &open::scope(&context.home), &context.ui)?;
    args.html.as_deref().map_or(Ok(()), can_be_written)?;
    let stop = Stop::new()?;
    let scratch = Scratch::new(&std::env::temp_dir())?;
    let plan = Plan {
        context,
        with_data: args.copy_profile,
        agreement: if args.yes { Agreement::Given } else { Agreement::Asked },
        name: format!("hermes-pilot-{:016x}", nonce()),
    };
    let mut trials = Vec::new();
    let mut known = BTreeSet::new();
    for id in args.providers.iter().filter(|id| known.insert(*id)) {
        stop.check()?;
        let home = context.home.copied_to(scratch.home_of(&format!("home-{}", trials.len())));
        match plan.prepare(id, &home) {
            Err(failure) if failure.usage => return Err(failure),
            prepared => trials.push((id.as_str(), prepared)),
        }
    }
    ask(&trials, &transcript, &plan, args.yes)?;
    let said = transcript.tokens;
    let mut report = Report { transcript, rows: Vec::new() };
    let mut exit = Exit::Success;
    for (id, prepared) in trials {
        stop.check()?;
        let (version, sent, deletes, result) = match prepared {
            Ok(trial) => {
                let sent = trial.destinations.iter().map(|to| to.what.clone()).collect();
                (trial.version.clone(), sent, trial.deletes, trial.run(&plan, &report.transcript, &stop))
            }
            Err(failure) => (None, Vec::new(), false, Err(context.failure_with_catalogs(failure))),
        };
        if let (Ok(measured), true) = (&result, report.rows.is_empty()) {
            // What is odd about the recording is so for each provider.
            measured.odd.iter().for_each(|odd| context.ui.warn(odd));
        }
        let row = Row::new(id, version, sent, result, said, &context.ui);
        if !row.is_whole(deletes) {
            exit = Exit::Failed;
        }
        if let Some(cleanup) = row.result.as_ref().ok().and_then(|tried| tried.cleanup.as_ref()) {
            tell_cleanup(id, cleanup, &plan);
        }
        stop.check()?;
        tell(&row, context);
        report.rows.push(row);
    }
    show(&report, args.html.as_deref(), context)?;
    Ok(exit)
}

/// Says what would leave this machine, and asks whether it may.
fn ask(
    trials: &[(&str, Result<Trial, Failure>)],
    transcript: &Transcript,
    plan: &Plan<'_>,
    yes: bool,
) -> Result<(), Failure> {
    let ui = &plan.context.ui;
    let mut leaving = Vec::new();
    for (id, trial) in trials.iter().filter_map(|(id, trial)| Some((id, trial.as_ref().ok()?))) {
        if trial.destinations.is_empty() {
            if *id != trial::NONE {
                ui.note(format!("{id}: nothing leaves this machine"));
            }
            continue;
        }
        ui.note(format!(
            "{id} is told what is said in {} of `{}`, secrets masked, and may pass it to:",
            transcript.extent(),
            transcript.name
        ));
        trial.destinations.iter().for_each(|to| ui.note(format!("  {}", to.what)));
        if trial.has_service() {
            let named: String = trial.namespaces.iter().map(|key| format!("`{key}` and ")).collect();
            ui.note(format!("  there {named}the users are called `{}`", plan.name));
            ui.note(match trial.deletes {
                true => "  what it stores for them is deleted afterwards, entry by entry".to_owned(),
                false => format!("  {id} offers no deletion: what is stored there stays, until you delete it there"),
            });
        }
        if trial.destinations.iter().any(|to| to.is_elsewhere) {
            leaving.push(*id);
        }
    }
    if leaving.is_empty() || yes {
        return Ok(());
    }
    let question = format!("Have {} try it?", leaving.join(" and "));
    ui.agree(&question, "nothing was sent", "the same command with `--yes`")
}

/// Says what went wrong beside the figures.
fn tell(Row { provider, result, .. }: &Row, context: &Context) {
    let ui = &context.ui;
    match result {
        Ok(tried) => {
            tried.lost.iter().take(TOLD).for_each(|lost| ui.warn(format!("{provider}: {lost}")));
            if tried.lost.len() > TOLD {
                ui.warn(format!("{provider}: {} more like this", tried.lost.len() - TOLD));
            }
        }
        Err(failure) => {
            let message = format!("{provider} was not tried: {}", failure.message);
            ui.warn_of(&Failure { message, ..failure.clone() });
        }
    }
}

/// Says what became of what a service was told.
fn tell_cleanup(provider: &str, Cleanup { deleted, problem }: &Cleanup, plan: &Plan<'_>) {
    let (ui, name) = (&plan.context.ui, &plan.name);
    match problem {
        Some(problem) => ui.warn(format!("{provider}: something may be left under `{name}`: {problem}")),
        None => ui.note(format!("{provider}: deleted what was stored under `{name}`, {deleted} in all")),
    }
}

fn show(report: &Report, html: Option<&Path>, context: &Context) -> Result<(), Failure> {
    let ui = &context.ui;
    if let Some(path) = html {
        files::replace(path, html::page(report).as_bytes())?;
        ui.note(format!("the report is in `{}`", path.display()));
    }
    if context.json {
        ui.json(&report.to_json());
        return Ok(());
    }
    table::print(report, ui);
    let Transcript { name, marks, tokens, .. } = &report.transcript;
    ui.note(format!("`{name}`: {}, {tokens} tokens of messages", report.transcript.extent()));
    ui.note(tokens::FORMULA);
    if marks.is_empty() {
        ui.note("hint: mark questions with `expects` to learn what is found; see `hermes memory pilot --help`");
    }
    Ok(())
}

/// A report that cannot be written in the end would be hours of work for nothing.
fn can_be_written(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() || !folder.is_dir() {
        let wrong = if path.is_dir() { "it is a folder" } else { "its folder is not there" };
        return Err(Failure::new(format!("the report cannot be written to `{}`: {wrong}", path.display())));
    }
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(format!("the report cannot be written to `{}`: {error}", path.display()))),
    }
}
