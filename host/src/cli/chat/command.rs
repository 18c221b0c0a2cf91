//! `/…` at the terminal.

use super::{Chat, models, new_id, skills};
use crate::cli::sessions::{archive, line};
use crate::cli::{Context, memory};
use crate::error::Failure;
use crate::layers::episodic::Filter;
use crate::model::Use;
use crate::open::OpenMemory;

const HELP: &str = "\
/new, /reset            end this session and begin another
/model [name]           which model answers, or another from now on
/memory …               the memory files and what waits for you: `/memory help`
/skills                 what lies in the folder `skills` of the home; hermes itself uses none
/sessions [words]       the newest sessions, or those with such a title; `hermes chat --resume` goes on with one
/status                 the memory and its provider
/quit                   end; Ctrl-D does the same";

/// How many sessions are listed.
const SESSIONS: usize = 10;

/// What follows a line.
pub(super) enum Next {
    /// It is said to the model.
    Say,
    /// The next one.
    Go,
    /// No more.
    Quit,
}

/// Does what a line says if it is a command.
pub(super) fn run(line: &str, chat: &mut Chat<'_>, opened: &OpenMemory, context: &Context) -> Next {
    let Some(rest) = line.strip_prefix('/') else { return Next::Say };
    let (verb, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let done = match (verb, argument.trim()) {
        ("quit" | "exit", _) => return Next::Quit,
        ("help", _) => {
            context.ui.out(HELP);
            Ok(())
        }
        ("new" | "reset", _) => begin_again(chat, context),
        ("model", "") => model(context, chat),
        ("model", name) => models(context, Some(name)).map(|models| {
            context.ui.note(format!("{name} answers from now on"));
            chat.ask_another(models);
        }),
        ("memory", _) => match opened.memory.memory_command(line, &chat.caller()) {
            Some(answer) => answer.map(|answer| context.ui.out(answer)),
            None => Ok(()),
        },
        ("sessions", words) => sessions(words, context),
        ("skills", _) => {
            context.ui.out(skills::listed(context.home.root()));
            Ok(())
        }
        ("status", _) => memory::show_status(context),
        // A path, or a word with a stroke: not every line that begins so is meant for us.
        (verb, _) if verb.contains('/') || !verb.starts_with(char::is_alphabetic) => return Next::Say,
        (verb, _) => Err(Failure::new(format!("there is no command /{verb}")).hint("`/help` lists them")),
    };
    if let Err(failure) = done {
        context.ui.failure(&failure);
    }
    Next::Go
}

fn begin_again(chat: &mut Chat<'_>, context: &Context) -> Result<(), Failure> {
    let id = new_id();
    let ended = chat.restart(&id);
    context.ui.note(format!("session {id}"));
    Ok(ended?)
}

fn model(context: &Context, chat: &Chat<'_>) -> Result<(), Failure> {
    if let Some(target) = chat.models().target(Use::Chat) {
        context.ui.out(format!("{} at {}", target.name, target.place()));
    }
    Ok(())
}

fn sessions(words: &str, context: &Context) -> Result<(), Failure> {
    let title = Some(words).filter(|words| !words.is_empty()).map(str::to_owned);
    let filter = Filter { title, limit: Some(SESSIONS), ..Filter::default() };
    let found = archive(context)?.map(|archive| archive.list(&filter)).transpose()?.unwrap_or_default();
    let now = context.clock.now();
    found.iter().for_each(|session| context.ui.out(line(session, now)));
    if found.is_empty() {
        context.ui.note("no session fits");
    }
    Ok(())
}
