//! `hermes plugins verify`: everything that is installed, checked anew.

use serde_json::{Value, json};

use crate::cli::{Context, Exit};
use crate::error::{Failure, quoted};
use crate::open::{Surroundings, not_asked};
use crate::plugins::catalog::Catalogs;
use crate::plugins::install::{NotUsable, check_record};
use crate::plugins::lock::{Editor, Installed, Lock, Record};
use crate::plugins::resolve::Platform;
use crate::plugins::store::{leftovers, version_folder};
use crate::plugins::verify::sha256_of;

/// One installed version.
struct Checked {
    id: String,
    record: Record,
    is_current: bool,
    problem: Option<Failure>,
}

pub(super) fn run(names: &[String], context: &Context) -> Result<Exit, Failure> {
    let surroundings = context.surroundings()?;
    let catalogs = surroundings.readable_catalogs();
    catalogs.unread().iter().for_each(|error| context.ui.warn(not_asked(error)));
    let check_all = |lock: &Lock| {
        let mut checked = Vec::new();
        for id in if names.is_empty() { lock.plugins.keys().collect() } else { names.iter().collect::<Vec<_>>() } {
            let installed = lock.installed(id)?;
            for record in installed.records() {
                let problem = check(id, installed, record, &catalogs, &surroundings).err();
                let problem = problem.map(|failure| context.failure_with_catalogs(failure));
                let is_current = std::ptr::eq(record, &installed.current);
                checked.push(Checked { id: id.clone(), record: record.clone(), is_current, problem });
            }
        }
        Ok::<_, Failure>(checked)
    };
    let is_whole = |checked: &[Checked]| checked.iter().all(|one| one.problem.is_none());
    let mut checked = check_all(&Lock::read(&context.home)?)?;
    // Another process may just have replaced what was looked at: a second look is under the lock.
    if !is_whole(&checked)
        && let Ok(editor) = Editor::open(&context.home)
    {
        checked = check_all(&editor.lock)?;
    }
    // A home without a store has nothing to look through, and no lock has to be made in it.
    let leftovers = match names.is_empty() && context.home.store().is_dir() {
        true => match Editor::open(&context.home) {
            Ok(editor) => leftovers(&context.home, &editor),
            Err(error) => {
                context.ui.warn(format!("what is left over is not known: {}", Failure::from(error).message));
                Vec::new()
            }
        },
        false => Vec::new(),
    };
    let ok = is_whole(&checked);
    if context.json {
        let plugins: Vec<_> = checked.iter().map(Checked::json).collect();
        context.ui.json(&json!({ "ok": ok, "plugins": plugins, "leftovers": leftovers }));
    } else {
        checked.iter().for_each(|one| one.tell(context));
        for path in &leftovers {
            context.ui.out(format!("left over: `{}`", path.display()));
        }
        if !leftovers.is_empty() {
            context.ui.note("nothing uses what is left over; it may be deleted");
        }
        if checked.is_empty() {
            context.ui.note("nothing is installed");
        }
    }
    Ok(if ok { Exit::Success } else { Exit::Failed })
}

/// All checks that loading makes, and the bytes themselves: hashes that were remembered do not count here.
fn check(
    id: &str,
    installed: &Installed,
    record: &Record,
    catalogs: &Catalogs,
    surroundings: &Surroundings,
) -> Result<(), Failure> {
    let (home, isolation) = (&surroundings.home, surroundings.isolation());
    let what = match record.is_local() {
        true => quoted(record.source.trim_start_matches("file:")),
        false => format!("{id}@{}", record.version),
    };
    let again = |failure: Failure| failure.hint(format!("`hermes plugins install {what}` repairs it"));
    match check_record(home, id, record, isolation, &Platform::current(), catalogs) {
        Err(NotUsable::Mismatches(error)) if error.is_damaged() => {
            return Err(again(Failure { hints: Vec::new(), ..error.into() }));
        }
        other => other?,
    };
    let folder = version_folder(home, id, &record.version, &record.library_sha256);
    if sha256_of(&folder.join(&record.library))? != record.library_sha256 {
        let message = format!("`{id}` {} was changed behind the memory of its hash", record.version);
        return Err(again(Failure::new(message)));
    }
    if installed.previous.as_ref().is_some_and(|previous| previous.is_same(&installed.current)) {
        return Err(again(Failure::new(format!("the lockfile has `{id}` {} twice", record.version))));
    }
    Ok(())
}

impl Checked {
    fn tell(&self, context: &Context) {
        let Self { id, record, is_current, problem } = self;
        let which = if *is_current { "" } else { ", the version before" };
        match problem {
            None => context.ui.out(format!("{id} {}  whole{which}", record.version)),
            Some(failure) => {
                context.ui.out(format!("{id} {}  broken{which}: {}", record.version, failure.message));
                failure.hints.iter().for_each(|hint| context.ui.note(format!("hint: {hint}")));
            }
        }
    }

    fn json(&self) -> Value {
        json!({
            "id": self.id,
            "version": self.record.version,
            "current": self.is_current,
            "ok": self.problem.is_none(),
            "problem": self.problem.as_ref().map(|failure| &failure.message),
            "hints": self.problem.as_ref().map(|failure| &failure.hints),
        })
    }
}
