//! `hermes sessions import`: conversations with other programs, taken into the archive.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use indicatif::ProgressBar;
use serde_json::json;

use crate::cli::{Context, Exit, Ui, counted};
use crate::db::Db;
use crate::error::Failure;
use crate::guard::Redactor;
use crate::home::files::{FileLock, create_dir};
use crate::layers::episodic::Archive;
use crate::layers::episodic::import::{Defaults, Importer, Report, Step, Unit, read, work_folder};
use crate::layers::episodic::search::Settings;

/// So many places are shown one by one.
const SHOWN: usize = 10;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
What it is, is seen by its content: the Python agent's `state.db`, a data export of ChatGPT or Claude (`conversations.json`,
its folder or the `.zip`), JSONL with messages as OpenAI's API takes them, what `hermes sessions export` wrote, or a folder
with such files. The source is only read. Run it again when the source has grown: only what is new is added.

Examples:
  hermes sessions import --from ~/.hermes/state.db
  hermes sessions import --from chatgpt-export.zip --user anna --dry-run
  hermes sessions import --from sessions.jsonl")]
pub(super) struct Import {
    /// The file or folder
    #[arg(long, value_name = "PATH")]
    from: PathBuf,
    /// The platform of sessions that tell none; otherwise the name of the source: `hermes`, `chatgpt`, `claude`, `import`
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
    /// The chat of sessions that tell none
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    chat: String,
    /// The user of sessions that tell none
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    user: String,
    /// The project of sessions that tell none
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    project: String,
    /// Count what would be added, and add nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(import: &Import, context: &Context) -> Result<Exit, Failure> {
    let home = &context.home;
    let db = match import.dry_run {
        true => Db::open_read_only(home)?,
        false => {
            let opened = Db::open(home)?;
            opened.warning.iter().for_each(|warning| context.ui.warn(warning));
            Some(opened.db)
        }
    };
    let work = work_folder(home);
    create_dir(&work)?;
    let _lock = FileLock::acquire(&work.join("import.lock"))?;
    // Copies that an import left which was ended from outside.
    for old in fs::read_dir(&work).into_iter().flatten().flatten() {
        if old.file_name().as_encoded_bytes().starts_with(b"import-") {
            let _ = fs::remove_file(old.path());
        }
    }
    let redactor = context.config.sessions_redacted().then(|| {
        let mask = crate::cli::context::mask_of(home, context.secrets()?);
        Ok::<_, Failure>(Redactor::new(mask))
    });
    let defaults = Defaults {
        profile: home.profile().to_owned(),
        platform: import.platform.clone(),
        chat: import.chat.clone(),
        user: import.user.clone(),
        project: import.project.clone(),
    };
    let db = db.map(Arc::new);
    let shown = Shown::new(&context.ui);
    let (now, show) = (context.clock.now(), |step| shown.step(step));
    let mut importer = Importer::new(
        db.clone(),
        import.dry_run,
        redactor.transpose()?,
        Settings::from(&context.config),
        defaults,
        now,
        show,
    );
    let done = read(&import.from, home, &mut importer).and_then(|()| importer.finish());
    shown.end();
    let report = done?;
    say(import, &report, context);
    if let (Some(db), false, 1..) = (db, import.dry_run, report.sessions) {
        say_old(&Archive::new(db), context)?;
    }
    Ok(if report.left_out == 0 { Exit::Success } else { Exit::Failed })
}

fn say(import: &Import, report: &Report, context: &Context) {
    if context.json {
        let mut answer = json!(report);
        answer["from"] = json!(import.from.display().to_string());
        answer["dry_run"] = json!(import.dry_run);
        return context.ui.json(&answer);
    }
    let count = |count: u64, noun: &str| counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
    let verb = if import.dry_run { "would add" } else { "added" };
    let mut told = format!("{verb} {} with {}", count(report.sessions, "session"), count(report.messages, "message"));
    if report.grown > 0 {
        told.push_str(&format!(", some of them to {} already there", count(report.grown, "session")));
    }
    context.ui.note(told);
    let more = |number: u64, what: &str| {
        if number > 0 {
            context.ui.note(what);
        }
    };
    more(report.known, &format!("{} already there", count(report.known, "message")));
    more(
        report.taken_back,
        &format!("{} left out that the source itself has taken back", count(report.taken_back, "message")),
    );
    more(report.empty, &format!("{} without a message left out", count(report.empty, "session")));
    report.remarks.iter().take(SHOWN).for_each(|remark| context.ui.warn(remark));
    report.problems.iter().take(SHOWN).for_each(|problem| context.ui.warn(format!("left out: {problem}")));
    let rest = usize::try_from(report.left_out).unwrap_or(usize::MAX).saturating_sub(SHOWN);
    if rest > 0 {
        context.ui.note(format!("{rest} more were left out; `--json` names them"));
    }
}

/// Says that old sessions go with the next prune: whoever imports them wants them, and they may be of last year.
fn say_old(archive: &Archive, context: &Context) -> Result<(), Failure> {
    let Some(kept) = context.config.sessions_retention() else { return Ok(()) };
    let kept_ms = u64::try_from(kept.as_millis()).unwrap_or(u64::MAX);
    let old = archive.older_than(context.clock.now().saturating_sub(kept_ms))?.len();
    if old > 0 {
        let days = kept_ms / 86_400_000;
        context
            .ui
            .note(format!("{} older than {days} days, which `hermes sessions prune` deletes", counted(old, "session")));
        context.ui.note("hint: `hermes config set sessions.retention_days 0` keeps all");
    }
    Ok(())
}

/// How far it is.
struct Shown<'a> {
    ui: &'a Ui,
    bar: RefCell<Option<ProgressBar>>,
}

impl<'a> Shown<'a> {
    fn new(ui: &'a Ui) -> Self {
        Self { ui, bar: RefCell::default() }
    }

    fn step(&self, step: Step) {
        match step {
            Step::Begins { what, unit, total } => {
                self.end();
                let bar = match unit {
                    Unit::Bytes => self.ui.progress(what, Some(total)),
                    Unit::Messages => self.ui.progress_of_steps(what, usize::try_from(total).unwrap_or(usize::MAX)),
                };
                *self.bar.borrow_mut() = Some(bar);
            }
            Step::At(position) => self.bar.borrow().iter().for_each(|bar| bar.set_position(position)),
        }
    }

    fn end(&self) {
        self.bar.take().iter().for_each(ProgressBar::finish_and_clear);
    }
}
