//! `hermes memory browse`: what the provider has stored, shown as the files that it is kept in where it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use hermes_provider_api::Context as Role;
use hermes_provider_api::records::{Caller, ListEntries, Origin, RecallItem};
use serde_json::{Value, json};

use super::say::usable;
use crate::cli::{Context, Exit, editor, open};
use crate::clock::date;
use crate::error::Failure;
use crate::guard::fence::shorten;

/// How much of an entry stands in a list, in characters.
const LINE: usize = 72;
/// How many entries are asked for at once.
const PAGE: usize = 100;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes memory browse                       # everything, newest first, or as a tree of files
  hermes memory browse cat private/people/ann.md
  hermes memory browse edit private/people/ann.md
  grep -r honey \"$(hermes memory browse path)\"")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the entries; as a tree where each is a file
    List,
    /// Print one entry
    Cat {
        /// Its name, as in the list
        entry: String,
    },
    /// Print where the file of an entry lies; without one, the folder of the provider
    Path {
        /// Its name, as in the list
        entry: Option<String>,
    },
    /// Open the file of an entry in your editor, `VISUAL` or `EDITOR`
    Edit {
        /// Its name, as in the list
        entry: String,
    },
}

pub(super) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let (id, entries) = entries(context)?;
    let folder = context.home.provider_data(&id);
    match args.action.unwrap_or(Action::List) {
        Action::List if context.json => {
            let entries: Vec<_> = entries.iter().map(|entry| shown(entry, &folder, &id)).collect();
            context.ui.json(&json!({ "provider": id, "folder": folder, "entries": entries }));
        }
        Action::List => list(&entries, context),
        Action::Cat { entry } => match find(&entries, &entry)? {
            entry if context.json => context.ui.json(&shown(entry, &folder, &id)),
            entry => context.ui.out(entry.text.strip_suffix('\n').unwrap_or(&entry.text)),
        },
        Action::Path { entry } => {
            let path = entry.map_or(Ok(folder.clone()), |entry| file(find(&entries, &entry)?, &folder, &id))?;
            match context.json {
                true => context.ui.json(&json!({ "path": path })),
                false => context.ui.out(path.display()),
            }
        }
        Action::Edit { entry } => edit(&file(find(&entries, &entry)?, &folder, &id)?, context)?,
    }
    Ok(Exit::Success)
}

/// All that the provider lists for this user.
fn entries(context: &Context) -> Result<(String, Vec<RecallItem>), Failure> {
    let opened = usable(context)?;
    let external = opened.memory.external().ok_or_else(super::say::no_provider)?;
    let caller = Caller {
        scope: open::scope(&context.home),
        origin: Origin { session: "cli".to_owned(), at: context.clock.now(), ..Origin::default() },
        context: Role::Subagent,
    };
    let mut list = ListEntries { caller, cursor: String::new(), limit: PAGE };
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    let all = loop {
        match external.list_entries(&list) {
            Ok(page) => {
                found.extend(page.entries);
                // A provider that leads back to where it was is not followed.
                if page.next.is_empty() || !seen.insert(page.next.clone()) {
                    break Ok(());
                }
                list.cursor = page.next;
            }
            Err(error) => break Err(error),
        }
    };
    let id = external.id().to_owned();
    open::close(opened, &context.ui);
    all?;
    Ok((id, found))
}

fn find<'a>(entries: &'a [RecallItem], name: &str) -> Result<&'a RecallItem, Failure> {
    let found = entries.iter().find(|entry| entry.id == name || (!entry.path.is_empty() && entry.path == name));
    found.ok_or_else(|| Failure::new(format!("there is no entry `{name}`")).hint("`hermes memory browse` lists them"))
}

/// The file of an entry. A provider names it, so it has to lie where providers keep their files.
fn file(entry: &RecallItem, folder: &Path, id: &str) -> Result<PathBuf, Failure> {
    if entry.path.is_empty() {
        return Err(Failure::new(format!("`{id}` keeps `{}` in no file of its own", entry.id))
            .hint(format!("see it with `hermes memory browse cat {}`", entry.id)));
    }
    let relative = Path::new(&entry.path);
    let path = folder.join(relative);
    let names = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let real = |path: &Path| path.canonicalize().ok();
    match (real(&path), real(folder)) {
        (Some(file), Some(folder)) if names && file.starts_with(&folder) && file.is_file() => Ok(path),
        _ => Err(Failure::new(format!("`{id}` names a file that is not in its folder: `{}`", entry.path))),
    }
}

fn edit(path: &Path, context: &Context) -> Result<(), Failure> {
    let instead = format!("name an editor in the variable `EDITOR`; the file is `{}`", path.display());
    let editor = editor::find(context, &instead)?;
    let status = editor::start(&editor, path)
        .map_err(|error| Failure::new(format!("cannot start the editor `{editor}`: {error}")).hint(instead))?;
    if !status.success() {
        return Err(Failure::new(format!("the editor `{editor}` {}", editor::ended(status))));
    }
    match context.json {
        true => context.ui.json(&json!({ "path": path })),
        false => context.ui.note(format!("edited `{}`", path.display())),
    }
    Ok(())
}

fn shown(entry: &RecallItem, folder: &Path, id: &str) -> Value {
    let path = file(entry, folder, id).ok();
    json!({ "id": entry.id, "path": path, "updated_ms": entry.updated, "text": entry.text })
}

/// What is in files as a tree of them, below it what is not.
fn list(entries: &[RecallItem], context: &Context) {
    let ui = &context.ui;
    if entries.is_empty() {
        return ui.note("nothing is stored yet");
    }
    let (files, others): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| !entry.path.is_empty());
    let mut folders: BTreeMap<&str, BTreeMap<&str, &RecallItem>> = BTreeMap::new();
    for entry in files {
        let (folder, name) = entry.id.rsplit_once('/').unwrap_or(("", &entry.id));
        folders.entry(folder).or_default().insert(name, entry);
    }
    for (folder, files) in folders {
        ui.out(format!("{folder}/"));
        files.iter().for_each(|(name, entry)| ui.out(format!("  {name}  {}", line(entry))));
    }
    others.iter().for_each(|entry| ui.out(format!("{}  {}", entry.id, line(entry))));
}

/// The day, and how the text begins: of Markdown with what it is about at the head, that.
fn line(entry: &RecallItem) -> String {
    let day = entry.updated.and_then(date).unwrap_or_default();
    let text = entry.text.trim_start_matches("---\n").trim();
    let first = text.lines().next().unwrap_or_default();
    let first = first.strip_prefix("title:").unwrap_or(first).trim().trim_matches(['"', '\'']);
    format!("{day}  {}", shorten(first, LINE))
}
