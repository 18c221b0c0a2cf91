//! `hermes sessions delete`: really, and with a word on where the text may still be.

use std::fs;

use serde_json::json;

use super::{list, say_emptied, session};
use crate::cli::{Context, Exit, counted};
use crate::error::Failure;
use crate::layers::episodic::{Archive, Session};
use crate::outbox::Rows;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Deleted are the messages, what is found by them, and what the log of the database has of them. A provider, the memory
files and your backups may have the same; what to type about each is said afterwards.")]
pub(super) struct Delete {
    /// Their ids, or how each begins
    #[arg(required = true)]
    ids: Vec<String>,
    /// Ask nothing
    #[arg(short, long)]
    yes: bool,
}

pub(super) fn run(delete: &Delete, context: &Context) -> Result<Exit, Failure> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut archive: Option<Archive> = None;
    for id in &delete.ids {
        let (of, session) = session(id, context)?;
        archive.get_or_insert(of);
        if sessions.iter().all(|other| other.row != session.row) {
            sessions.push(session);
        }
    }
    let Some(archive) = archive else { return Ok(Exit::Success) };
    if !delete.yes {
        let now = context.clock.now();
        sessions.iter().for_each(|session| context.ui.note(list::line(session, now)));
        let names: Vec<&str> = sessions.iter().map(|session| session.head.name.as_str()).collect();
        let question = format!("Delete {} for good?", counted(sessions.len(), "session"));
        let command = format!("`hermes sessions delete {} --yes`", names.join(" "));
        context.ui.agree(&question, "nothing was deleted", &command)?;
    }
    let emptied = archive.delete(&sessions)?;
    let elsewhere = elsewhere(&archive, &sessions, context)?;
    if context.json {
        let names: Vec<&String> = sessions.iter().map(|session| &session.head.name).collect();
        context.ui.json(&json!({ "deleted": names, "log_emptied": emptied.log, "elsewhere": elsewhere }));
        return Ok(Exit::Success);
    }
    context.ui.note(format!("{} deleted", counted(sessions.len(), "session")));
    say_emptied(emptied, context);
    elsewhere.iter().for_each(|place| context.ui.note(format!("hint: {place}")));
    Ok(Exit::Success)
}

/// Where the text may be all the same, and what to type about it.
fn elsewhere(archive: &Archive, sessions: &[Session], context: &Context) -> Result<Vec<String>, Failure> {
    let mut places = Vec::new();
    let names: Vec<&str> = sessions.iter().map(|session| session.head.name.as_str()).collect();
    let waiting = Rows(archive.db()).of_lanes(&names)?;
    if !waiting.is_empty() {
        let ids: Vec<String> = waiting.iter().map(ToString::to_string).collect();
        let ids = ids.join(" ");
        places.push(format!("some of it waits for a provider: `hermes memory outbox drop {ids}` forgets that too"));
    }
    if let Some(id) = context.config.provider() {
        places.push(format!("`{id}` may have learnt from it: `hermes memory browse` shows what it knows"));
    }
    places.push("the agent may have noted some of it: `hermes memory list` shows its memory files".to_owned());
    let database = context.home.database();
    let name = database.file_name().unwrap_or_default().to_string_lossy().into_owned() + ".corrupt-";
    let aside = fs::read_dir(context.home.root()).into_iter().flatten().flatten();
    if aside.into_iter().any(|file| file.file_name().to_string_lossy().starts_with(&name)) {
        places.push(format!(
            "broken databases were put aside as `{}…`: delete them",
            context.home.root().join(name).display()
        ));
    }
    places
        .push("your backups of the home, and where you imported it from or exported it to, are not touched".to_owned());
    Ok(places)
}
