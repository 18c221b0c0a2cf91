//! `hermes chat`: a conversation with the user's own model in a terminal, or one question.

mod command;
mod show;
mod skills;
mod talk;

use std::io::{IsTerminal as _, Read as _};

use hermes_provider_api::records::Role;
use serde_json::json;

use super::{Context, Exit, open};
use crate::clock::nonce;
use crate::error::Failure;
use crate::layers::episodic::{Archive, NewMessage};
use crate::model::{ModelError, Models, Use};
use crate::open::{OpenMemory, prepare};
use crate::surfaces::chat::{Chat, Said};
use crate::turn::Ending;
use show::Show;

/// How much of an earlier session a model is shown, in characters: the newest.
const RESUMED: usize = 100_000;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The model is the one of the settings:

  hermes config set model.base_url http://localhost:11434/v1
  hermes config set model.chat qwen3

In a conversation, Ctrl-C stops an answer, Ctrl-D ends, and `/help` lists the commands. Without a terminal, stdin is the \
message.

Examples:
  hermes chat
  hermes chat -q \"What treats can I buy for Biscuit?\"
  git diff | hermes chat -q \"What does this change?\"
  hermes chat --resume chat-18c2")]
pub struct Args {
    /// Ask this, print the answer, and end; what comes on stdin follows the question
    #[arg(short, long, value_name = "TEXT")]
    query: Option<String>,
    /// Go on with an earlier session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    resume: Option<String>,
    /// Ask this model instead of `model.chat`
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Offer the model no tools
    #[arg(long)]
    no_tools: bool,
}

/// Talks.
///
/// # Errors
/// When no model is set up, the memory cannot be opened, or, for one question, the model does not answer.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let models = models(context, args.model.as_deref())?;
    let message = message(args.query.as_deref(), context)?;
    prepare(&context.home, &context.config);
    let opened = open::memory(context)?;
    open::say_remarks(&opened, context);
    let talked = talk(&args, message, models, &opened, context);
    let closed = open::close(opened, &context.ui);
    Ok(if talked? == Exit::Success { closed } else { Exit::Failed })
}

fn talk(
    args: &Args,
    message: Option<String>,
    models: Models,
    opened: &OpenMemory,
    context: &Context,
) -> Result<Exit, Failure> {
    let earlier = args.resume.as_deref().map(|which| resumed(which, context)).transpose()?;
    let id = earlier.as_ref().map_or_else(new_id, |(id, _)| id.clone());
    let mut chat = Chat::new(&opened.memory, models, &id, open::scope(&context.home), !args.no_tools);
    chat.remember(earlier.into_iter().flat_map(|(_, said)| said));
    let show = Show::new(context)?;
    match message {
        Some(message) => ask(&mut chat, &message, show, context),
        None => talk::talk(&mut chat, show, opened, context),
    }
}

/// One question.
fn ask(chat: &mut Chat<'_>, message: &str, mut show: Show<'_>, context: &Context) -> Result<Exit, Failure> {
    let said = chat.say(message, &mut show)?;
    show.end();
    say_not_kept(&said, context);
    let ended = chat.session().end();
    if context.json {
        context.ui.json(&json!({
            "session": chat.session().id(),
            "turn": said.turn,
            "answer": said.text,
            "complete": said.ending == Ending::Complete,
            "recall": show.recalled(),
            "tools": said.tools,
        }));
    }
    ended?;
    Ok(if said.ending == Ending::Complete { Exit::Success } else { Exit::Failed })
}

fn say_not_kept(said: &Said, context: &Context) {
    if let Some(error) = &said.not_kept {
        context.ui.warn_of(&error.clone().into());
    }
}

/// What is asked once; None for a conversation.
fn message(query: Option<&str>, context: &Context) -> Result<Option<String>, Failure> {
    let mut parts: Vec<String> = query.map(str::to_owned).into_iter().collect();
    if !std::io::stdin().is_terminal() {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::new(format!("cannot read stdin: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|_| Failure::usage("stdin is not UTF-8 text"))?;
        parts.extend(Some(text).filter(|text| !text.trim().is_empty()));
    }
    if parts.is_empty() && context.ui.is_interactive() {
        return Ok(None);
    }
    let whole = parts.join("\n\n");
    match whole.trim() {
        "" => Err(Failure::usage("there is nothing to ask").hint("`hermes chat -q \"…\"` asks one question")),
        text => Ok(Some(text.to_owned())),
    }
}

/// The models of the settings, with this one to chat with.
fn models(context: &Context, model: Option<&str>) -> Result<Models, Failure> {
    let name = model.or(context.config.text(Use::Chat.setting()));
    let models = Models::chatting_with(&context.config, context.secrets()?, name);
    match models.target(Use::Chat) {
        Some(_) => Ok(models),
        None => Err(ModelError::NotConfigured { setting: Use::Chat.setting() }.into()),
    }
}

/// Unlike that of any other conversation.
fn new_id() -> String {
    format!("chat-{:016x}", nonce())
}

type Earlier = (String, Vec<(Role, String)>);

/// An earlier session and what was said in it.
fn resumed(which: &str, context: &Context) -> Result<Earlier, Failure> {
    let archive = super::sessions::archive(context)?.ok_or_else(|| Failure::new("nothing was ever recorded here"))?;
    let session = archive.find(which)?;
    let said = newest(&archive, &session)?;
    let said = said.into_iter().map(|message| (message.role, message.content)).collect();
    Ok((session.head.name, said))
}

fn newest(archive: &Archive, session: &crate::layers::episodic::Session) -> Result<Vec<NewMessage>, Failure> {
    let (mut all, mut after) = (Vec::new(), 0);
    loop {
        let page = archive.messages(session, after, 500)?;
        let Some(last) = page.last() else { break };
        after = last.id;
        all.extend(page.into_iter().map(|message| message.said).filter(|said| !said.folded));
    }
    let mut room = RESUMED;
    let from = all.iter().rposition(|message| {
        let chars = message.content.chars().count();
        let full = chars > room;
        room = room.saturating_sub(chars);
        full
    });
    let newest = all.split_off(from.map_or(0, |at| at + 1));
    // A conversation begins with the user.
    let start = newest.iter().position(|message| message.role == Role::User).unwrap_or(newest.len());
    Ok(newest.into_iter().skip(start).collect())
}
