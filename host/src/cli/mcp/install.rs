//! `hermes mcp install`: puts the memory into the settings of a client.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};

use super::super::{Context, Exit, executable};
use crate::error::{Failure, Hint as _};
use crate::home;
use crate::home::profiles::DEFAULT_PROFILE;
use crate::surfaces::clients::{
    Action, Change, Client, Entry, Found, Place, Replace, Scope, Where, change, look, shown,
};

/// Which client, and what to do to it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Only the entry of hermes is changed: comments, order and whatever else is in the file stay. What stood there before is
kept beside it, with `.before-hermes` behind the name. A file that is not understood is not touched.
Flags such as `--profile` and `--home` are passed on to the server.

Examples:
  hermes mcp install
  hermes mcp install claude-code
  hermes mcp install vscode --scope project
  hermes --profile work mcp install codex --name work-memory
  hermes mcp install zed --print
  hermes mcp install cursor --remove")]
pub(super) struct Install {
    /// The client; without one, those that are here are listed with how they stand
    #[arg(value_parser = one_of(Client::ALL, Client::name))]
    client: Option<Client>,
    /// For yourself in every project, or for everybody who works in this folder
    #[arg(long, default_value = "user", value_parser = one_of(Scope::ALL, Scope::name))]
    scope: Scope,
    /// How the client calls the server
    #[arg(long, default_value = "hermes", value_parser = name)]
    name: String,
    /// Show what would stand in the file, and change nothing
    #[arg(long, requires = "client", conflicts_with = "remove")]
    print: bool,
    /// Take the entry out again
    #[arg(long, requires = "client")]
    remove: bool,
    /// Make the file although the client was not found, or replace another server of the same name
    #[arg(long, requires = "client")]
    force: bool,
}

/// Does it.
pub(super) fn run(install: &Install, context: &Context) -> Result<Exit, Failure> {
    let project = std::env::current_dir()
        .map_err(|error| Failure::new(format!("the folder that this runs in is not known: {error}")))?;
    let env = |name: &str| context.env.get(name);
    let machine = Where { env: &env, project: &project, is_mac: cfg!(target_os = "macos") };
    let Some(client) = install.client else {
        list(&machine, install, context)?;
        return Ok(Exit::Success);
    };
    let place = machine.place(client, install.scope)?;
    let entry = entry(install, install.scope, context)?;
    if install.print {
        print(client, &place, &entry, context);
        return Ok(Exit::Success);
    }
    let replace = if install.force { Replace::Replace } else { Replace::Refuse };
    let action = if install.remove { Action::Remove(&entry.name) } else { Action::Put(&entry, replace) };
    let changed = change(client, &place, action, install.force)?;
    say(client, install, &place, &changed, context);
    Ok(Exit::Success)
}

/// The server as the client has to start it, from wherever and with whatever environment.
fn entry(install: &Install, scope: Scope, context: &Context) -> Result<Entry, Failure> {
    // What a project shares names no folder of one user's.
    let command = match scope {
        Scope::Project => "hermes".to_owned(),
        Scope::User => text(executable()?)?,
    };
    let mut args = vec!["mcp".to_owned()];
    let base = context.home.base();
    let usual = home::locate(None, |name| context.env.get(name).filter(|_| name == "HOME")).ok();
    if usual.is_none_or(|usual| usual.home.root() != base.root()) {
        args.extend(["--home".to_owned(), text(base.root().to_owned())?]);
    }
    if context.home.profile() != DEFAULT_PROFILE {
        args.extend(["--profile".to_owned(), context.home.profile().to_owned()]);
    }
    for catalog in &context.catalogs {
        args.extend(["--catalog".to_owned(), text(catalog.clone())?]);
    }
    if context.offline {
        args.push("--offline".to_owned());
    }
    Ok(Entry { name: install.name.clone(), command, args })
}

fn text(path: PathBuf) -> Result<String, Failure> {
    let not_text =
        |path| Failure::new(format!("`{}` is no text, and cannot stand in settings", PathBuf::from(path).display()));
    path.into_os_string().into_string().map_err(not_text)
}

fn print(client: Client, place: &Place, entry: &Entry, context: &Context) {
    let content = shown(client, entry);
    if context.json {
        return context.ui.json(&json!({"client": client.name(), "file": place.file, "content": content}));
    }
    context.ui.note(format!("`{}` would have, besides what is there:", place.file.display()));
    context.ui.out(content.trim_end());
}

fn say(client: Client, install: &Install, place: &Place, changed: &Change, context: &Context) {
    let (file, next) = (place.file.display(), client.next_step(install.scope));
    let (state, before) = match changed {
        Change::None => ("unchanged", None),
        Change::Made => ("made", None),
        Change::Changed { before } => ("changed", Some(before)),
    };
    if context.json {
        return context.ui.json(&json!({
            "client": client.name(), "file": place.file, "change": state, "before": before, "next": next,
        }));
    }
    let title = client.title();
    let line = match (changed, install.remove) {
        (Change::None, false) => format!("{title} has the memory already: {file}"),
        (Change::None, true) => format!("{title} does not have the memory: {file}"),
        (_, false) => format!("{title} has the memory now: {file}"),
        (_, true) => format!("{title} does not have the memory any more: {file}"),
    };
    context.ui.out(line);
    if let Some(before) = before {
        context.ui.note(format!("what stood there before: {}", before.display()));
    }
    if *changed != Change::None {
        context.ui.note(format!("hint: {next}"));
    }
}

fn list(machine: &Where<'_>, install: &Install, context: &Context) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for (client, scope) in Client::ALL.into_iter().flat_map(|client| [(client, Scope::User), (client, Scope::Project)])
    {
        let Ok(place) = machine.place(client, scope) else { continue };
        // The folder of a project says nothing of which clients are used in it.
        if scope == Scope::Project && !place.file.exists() {
            continue;
        }
        rows.push((client, scope, look(client, &place, &entry(install, scope, context)?), place.file));
    }
    let state = |found: &Result<Found, _>| match found {
        Ok(Found::SetUp) => "set up",
        Ok(Found::Otherwise) => "set up otherwise",
        Ok(Found::NotSetUp) => "not set up",
        Ok(Found::NoClient) => "not found",
        Err(_) => "not understood",
    };
    if context.json {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(client, scope, found, file)| {
                let problem = found.as_ref().err().map(ToString::to_string);
                json!({"client": client.name(), "scope": scope.name(), "state": state(found), "file": file, "problem": problem})
            })
            .collect();
        context.ui.json(&json!({ "clients": rows }));
        return Ok(());
    }
    for (client, _, found, file) in &rows {
        context.ui.out(format!("{:<15} {:<17} {}", client.name(), state(found), file.display()));
    }
    for problem in rows.iter().filter_map(|(_, _, found, _)| found.as_ref().err()) {
        context.ui.warn(problem);
        problem.hints().iter().for_each(|hint| context.ui.detail(format!("hint: {hint}")));
    }
    context.ui.note("hint: `hermes mcp install <name>` sets one up");
    Ok(())
}

/// One of these, by its name.
fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.map(name));
    names.try_map(move |typed| all.into_iter().find(|one| name(*one) == typed).ok_or("it is not known"))
}

/// Clients make names of tools of it.
fn name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match (1..=64).contains(&text.len()) && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("a name has 1 to 64 of the characters a-z, A-Z, 0-9, `-` and `_`".to_owned()),
    }
}
