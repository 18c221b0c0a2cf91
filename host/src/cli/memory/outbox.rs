//! `hermes memory outbox`: what has yet to reach a provider, and what was given up.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::{Context, Exit, open, plugins};
use crate::clock::utc;
use crate::db::Db;
use crate::error::Failure;
use crate::home::files;
use crate::open::ago;
use crate::outbox::{DrainReport, Row, RowState, Rows, Selection};

/// How long `retry` and `setup` deliver.
const AT_MOST: Duration = Duration::from_secs(60);

/// What to do with what waits.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Action {
    /// List what waits, and what was given up
    List {
        #[command(flatten)]
        of: Of,
    },
    /// Show one delivery, and what it carries
    Show {
        /// Its number
        id: i64,
    },
    /// Try again now: what waits, and what was given up
    Retry {
        #[command(flatten)]
        which: Which,
    },
    /// Forget deliveries for good; the archive keeps what was said
    Drop {
        #[command(flatten)]
        which: Which,
        /// All of them
        #[arg(long, conflicts_with = "ids")]
        all: bool,
        /// Ask nothing
        #[arg(short, long)]
        yes: bool,
    },
    /// Write deliveries with what they carry as JSON, one a line
    Export {
        #[command(flatten)]
        of: Of,
        /// To this file instead of stdout
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Of {
    /// Only those for this provider
    #[arg(long, value_name = "NAME", value_parser = plugins::plugin_name)]
    provider: Option<String>,
    /// Only those that were given up
    #[arg(long)]
    dead: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Which {
    /// Their numbers; without any, all that fit
    ids: Vec<i64>,
    #[command(flatten)]
    of: Of,
}

impl From<Of> for Selection {
    fn from(of: Of) -> Self {
        Self { provider: of.provider, ids: Vec::new(), only_dead: of.dead }
    }
}

impl From<Which> for Selection {
    fn from(Which { ids, of }: Which) -> Self {
        Self { ids, ..of.into() }
    }
}

pub(super) fn run(action: Action, context: &Context) -> Result<Exit, Failure> {
    let db = database(context)?;
    match action {
        Action::List { of } => list(&of.into(), db.as_deref(), context)?,
        Action::Show { id } => show(id, db.as_deref(), context)?,
        Action::Retry { which } => return retry(&which.into(), db.as_deref(), context),
        Action::Drop { which, all, yes } => {
            let named = all || !which.ids.is_empty() || which.of.dead || which.of.provider.is_some();
            if !named {
                let failure = Failure::usage("which deliveries are to be forgotten?");
                return Err(failure.hint("name their numbers, `--dead`, `--provider <NAME>`, or `--all`"));
            }
            forget(&which.into(), yes, db.as_deref(), context)?;
        }
        Action::Export { of, output } => export(&of.into(), output, db.as_deref(), context)?,
    }
    Ok(Exit::Success)
}

/// None: nothing was ever recorded here.
fn database(context: &Context) -> Result<Option<Arc<Db>>, Failure> {
    if !context.home.database().exists() {
        return Ok(None);
    }
    let opened = Db::open(&context.home)?;
    opened.warning.iter().for_each(|warning| context.ui.warn(warning));
    Ok(Some(Arc::new(opened.db)))
}

/// The rows; it is an error to name one that is not there.
fn rows(selection: &Selection, db: Option<&Db>) -> Result<Vec<Row>, Failure> {
    let rows = db.map(|db| Rows(db).list(selection)).transpose()?.unwrap_or_default();
    match selection.ids.iter().find(|id| !rows.iter().any(|row| row.id == **id)) {
        Some(id) => Err(Failure::new(format!("there is no such delivery {id}"))
            .hint("`hermes memory outbox list` shows those that wait or were given up")),
        None => Ok(rows),
    }
}

fn list(selection: &Selection, db: Option<&Db>, context: &Context) -> Result<(), Failure> {
    let rows = rows(selection, db)?;
    let backlog = db.map(|db| Rows(db).backlog()).transpose()?.unwrap_or_default();
    if context.json {
        context.ui.json(&json!({ "providers": backlog, "deliveries": rows }));
        return Ok(());
    }
    if rows.is_empty() {
        context.ui.note("nothing waits: everything has reached its provider");
        return Ok(());
    }
    let now = context.clock.now();
    for row in &rows {
        let state = match (row.state, row.tries) {
            (RowState::Dead, _) => "given up".to_owned(),
            (RowState::Waiting, 0) => "waits".to_owned(),
            (RowState::Waiting, 1) => "waits, tried once".to_owned(),
            (RowState::Waiting, tries) => format!("waits, tried {tries} times"),
        };
        let why = row.last_error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        let Row { id, provider, what, .. } = row;
        context.ui.out(format!("{id}  {provider}  {what}, {}  {state}{why}", ago(row.added_ms, now)));
        if context.ui.is_closed() {
            return Ok(());
        }
    }
    for one in backlog.iter().filter(|one| selection.provider.as_ref().is_none_or(|id| *id == one.provider)) {
        if let Some(hold) = one.held.as_ref().filter(|hold| hold.until_ms > now) {
            context.ui.note(format!("`{}` is left alone until {}: {}", one.provider, utc(hold.until_ms), hold.reason));
        }
    }
    context.ui.note("hint: `hermes memory outbox retry` tries again now");
    Ok(())
}

fn show(id: i64, db: Option<&Db>, context: &Context) -> Result<(), Failure> {
    let row = rows(&Selection { ids: vec![id], ..Selection::default() }, db)?.remove(0);
    context.ui.json(&with_payload(&row, db)?);
    Ok(())
}

fn with_payload(row: &Row, db: Option<&Db>) -> Result<Value, Failure> {
    let payload = db.map(|db| Rows(db).payload(row.id)).transpose()?.flatten();
    let mut value = json!(row);
    value["payload"] = payload.map_or(Value::Null, |payload| json!(payload));
    Ok(value)
}

fn retry(selection: &Selection, db: Option<&Db>, context: &Context) -> Result<Exit, Failure> {
    let rows = rows(selection, db)?;
    let Some(db) = db.filter(|_| !rows.is_empty()) else {
        context.ui.note("nothing waits: everything has reached its provider");
        if context.json {
            context.ui.json(&json!({ "delivered": 0, "waiting": [] }));
        }
        return Ok(Exit::Success);
    };
    Rows(db).retry(selection)?;
    let providers: BTreeSet<&str> = rows.iter().map(|row| row.provider.as_str()).collect();
    let (mut delivered, mut waiting, mut exit) = (0, Vec::new(), Exit::Success);
    for id in providers {
        let report = deliver(id, context)?;
        delivered += report.delivered;
        open::say_undelivered(&report, &context.ui);
        if !report.is_complete() {
            exit = Exit::Failed;
        }
        waiting.extend(report.waiting);
    }
    match (context.json, delivered) {
        (true, _) => context.ui.json(&json!({ "delivered": delivered, "waiting": waiting })),
        (false, 1) => context.ui.note("1 delivery reached its provider"),
        (false, _) => context.ui.note(format!("{delivered} deliveries reached their provider")),
    }
    Ok(exit)
}

/// Opens a provider and gives it all that waits for it.
fn deliver(id: &str, context: &Context) -> Result<DrainReport, Failure> {
    let opened = context.surroundings_in(&context.home, context.config.clone())?.memory_of(Some(id))?;
    if let Some(failure) = opened.degraded {
        return Err(context.failure_with_catalogs(failure));
    }
    context.ui.mask(opened.mask.clone());
    let progress = context.ui.progress(format!("delivering to {id}"), None);
    let report = opened.memory.deliver_all(AT_MOST);
    progress.finish_and_clear();
    if let Some(problem) = opened.close().problem {
        context.ui.warn(format!("the provider did not end cleanly: {problem}"));
    }
    Ok(report)
}

fn forget(selection: &Selection, yes: bool, db: Option<&Db>, context: &Context) -> Result<(), Failure> {
    let rows = rows(selection, db)?;
    let count = deliveries(rows.len() as u64);
    if !yes && !rows.is_empty() {
        let question = format!("Forget {count} for good?");
        context.ui.agree(&question, "nothing was forgotten", "the same command with `--yes`")?;
    }
    // Those that were asked about, and not what came in between.
    let ids = rows.iter().map(|row| row.id).collect::<Vec<_>>();
    let forgotten = match db.filter(|_| !ids.is_empty()) {
        Some(db) => Rows(db).drop_rows(&Selection { ids, ..Selection::default() })?,
        None => 0,
    };
    match context.json {
        true => context.ui.json(&json!({ "dropped": forgotten })),
        false => context.ui.note(format!("forgot {}", deliveries(forgotten as u64))),
    }
    Ok(())
}

fn export(selection: &Selection, output: Option<PathBuf>, db: Option<&Db>, context: &Context) -> Result<(), Failure> {
    let rows = rows(selection, db)?;
    let mut text = Vec::new();
    for row in &rows {
        writeln!(text, "{}", with_payload(row, db)?).map_err(|error| Failure::new(error.to_string()))?;
    }
    match output {
        Some(path) => {
            files::replace(&path, &text)?;
            context.ui.note(format!("wrote {} to `{}`", deliveries(rows.len() as u64), path.display()));
        }
        None if !rows.is_empty() => context.ui.out(String::from_utf8_lossy(&text).trim_end()),
        None => {}
    }
    Ok(())
}

/// Before another provider takes the place of one: offers to deliver what waits for the old one.
pub(super) fn offer_to_deliver(old: &str, context: &Context) -> Result<(), Failure> {
    let waiting = waiting(old, context);
    let question = format!("Give `{old}` what waits for it first ({})?", deliveries(waiting));
    let now = waiting > 0 && context.ui.is_interactive() && context.ui.confirm(&question, "--yes")? == Some(true);
    if now {
        match deliver(old, context) {
            Ok(report) => open::say_undelivered(&report, &context.ui),
            Err(failure) => context.ui.warn(failure.message),
        }
    }
    say_kept(old, context);
    Ok(())
}

/// Says what stays for a provider that is not in use any more.
pub(in crate::cli) fn say_kept(id: &str, context: &Context) {
    let waiting = waiting(id, context);
    if waiting > 0 {
        let kept = if waiting == 1 { "1 delivery for it is" } else { &format!("{waiting} deliveries for it are") };
        context.ui.note(format!("{kept} kept until `{id}` is back; `hermes memory outbox list` shows what"));
    }
}

/// How much is kept for a provider; nothing, as far as a database tells that cannot be read.
fn waiting(id: &str, context: &Context) -> u64 {
    let Ok(Some(db)) = database(context) else { return 0 };
    let backlog = Rows(&db).backlog().unwrap_or_default();
    backlog.iter().find(|one| one.provider == id).map_or(0, |one| one.waiting + one.dead)
}

pub(in crate::cli) fn deliveries(count: u64) -> String {
    if count == 1 { "1 delivery".to_owned() } else { format!("{count} deliveries") }
}
