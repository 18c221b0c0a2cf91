//! The conversation at the terminal: lines with an editor and a history, answers as they come.

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use super::command::{self, Next};
use super::say_not_kept;
use super::show::Show;
use crate::cli::memory::ask_now;
use crate::cli::{Context, Exit};
use crate::error::Failure;
use crate::open::OpenMemory;
use crate::surfaces::chat::Chat;
use crate::turn::Ending;

const PROMPT: &str = "› ";
/// The lines that are kept for the arrow keys, in this file of the home.
const HISTORY: usize = 1000;
const HISTORY_FILE: &str = "chat_history";

/// Talks until the person has enough.
pub(super) fn talk(
    chat: &mut Chat<'_>,
    mut show: Show<'_>,
    opened: &OpenMemory,
    context: &Context,
) -> Result<Exit, Failure> {
    let mut editor = editor()?;
    let file = context.home.root().join(HISTORY_FILE);
    // There is none at first.
    let _ = editor.load_history(&file);
    context.ui.note(format!("session {}; `/help` lists the commands, Ctrl-D ends", chat.session().id()));
    let mut interrupted = false;
    loop {
        let line = match editor.readline(PROMPT) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) if interrupted => break,
            Err(ReadlineError::Interrupted) => {
                interrupted = true;
                context.ui.note("Ctrl-C once more, or Ctrl-D, ends");
                continue;
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(Failure::new(format!("the terminal cannot be read: {error}"))),
        };
        interrupted = false;
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let _ = editor.add_history_entry(line);
        match command::run(line, chat, opened, context) {
            Next::Say => say(chat, line, &mut show, opened, context),
            Next::Go => {}
            Next::Quit => break,
        }
    }
    if let Err(error) = editor.save_history(&file) {
        context.ui.warn(format!("`{}` cannot be written: {error}", file.display()));
    }
    chat.session().end()?;
    Ok(Exit::Success)
}

fn say(chat: &mut Chat<'_>, line: &str, show: &mut Show<'_>, opened: &OpenMemory, context: &Context) {
    let said = chat.say(line, show);
    show.end();
    match said {
        Ok(said) => {
            if said.ending == Ending::Interrupted {
                context.ui.note("the answer is not complete; it is on record as broken off");
            }
            say_not_kept(&said, context);
        }
        Err(error) => context.ui.failure(&error.into()),
    }
    let waiting = show.take_waiting();
    ask_now(opened, &waiting, context);
}

fn editor() -> Result<Editor<(), FileHistory>, Failure> {
    let no_terminal = |error| Failure::new(format!("the terminal cannot be used: {error}"));
    let config = Config::builder().max_history_size(HISTORY).map_err(no_terminal)?;
    Editor::with_config(config.history_ignore_space(true).build()).map_err(no_terminal)
}
