//! `hermes replay`: a recorded conversation, run again through the memory.
//!
//! The recording has one OpenAI message object per line, each with a `session_id`. A user's message begins a turn and
//! the assistant's next message without tool calls ends it. Tools of this memory that the assistant calls are really
//! run, and their results take the place of the recorded ones; of other tools the recorded results are kept. A session
//! ends after its last line in the file. Each turn, switch and end is delivered to the provider before the next turn
//! begins, as it would be between a person's messages.
//!
//! Sessions may be interleaved, as those of a server are: each has its own turn under way. The conversation switches to
//! another session when a turn begins there while none is under way where it was.

pub(super) mod input;
pub(super) mod scratch;
mod show;
#[cfg(test)]
mod tests;
mod watch;

pub(super) use watch::Watch;

use std::collections::{HashMap, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_provider_api::Scope;
use hermes_provider_api::records::Role;

use super::open;
use super::{Context, Exit, Ui};
use crate::clock::Clock;
use crate::db::Db;
use crate::error::Failure;
use crate::home::Home;
use crate::home::copy::copy;
use crate::open::prepare;
use crate::outbox::{NotKept, Rows, Selection};
use crate::turn::{Ending, Memory, Session, Switch, TurnHandle, forget_unmirrored};
use input::{BadLine, Line};
use scratch::Scratch;
use show::{Detail, Form, Show};

/// How long a turn, a switch or an end may take to reach the provider before the next turn begins.
const BETWEEN_TURNS: Duration = Duration::from_secs(30);
/// How many bad lines are named.
const BAD_LINES: usize = 10;

/// A recording and how to run it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each line is an OpenAI message object with a `session_id` and, where known, a `timestamp` and a `scope`. Calls of the \
memory's tools are really run; their recorded results are passed over.

A provider that is missing or fails does not end a conversation: it goes on without, with a warning and status 0. \
What could not be delivered to the provider is named at the end, with status 1.

Examples:
  hermes replay conversation.jsonl
  hermes replay conversation.jsonl --show-prompt
  hermes replay conversation.jsonl --live --json")]
pub struct Args {
    /// The recording, JSON lines; `-` for stdin
    #[arg(value_name = "CONVERSATION")]
    conversation: PathBuf,
    /// Use the home itself and keep what is learnt; otherwise a copy that is thrown away
    #[arg(long)]
    live: bool,
    /// Show exactly what the model would have been given
    #[arg(long)]
    show_prompt: bool,
}

/// Replays.
///
/// # Errors
/// When the recording cannot be read or has a bad line, when the home cannot be copied, or the memory not be opened.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let ui = &context.ui;
    let (name, bytes) = read(&args.conversation)?;
    // Checked before anything is copied or opened; the scope is that of the open memory.
    check(&name, input::read(&bytes, &Scope::default()).1, ui)?;
    if input::read(&bytes, &Scope::default()).0.is_empty() {
        ui.warn(format!("`{name}` holds no messages"));
        return Ok(Exit::Success);
    }
    let temporary;
    let home = if args.live {
        prepare(&context.home, &context.config);
        context.home.clone()
    } else {
        temporary = Scratch::new(&std::env::temp_dir())?;
        let home = context.home.copied_to(temporary.home());
        for link in copy(context.home.root(), home.root())? {
            ui.warn(format!(
                "`{}` leads out of the home: what is written there is not written to a copy",
                link.display()
            ));
        }
        forget_deliveries(&home)?;
        ui.note("replayed on a copy of the home; `--live` keeps what is learnt");
        home
    };
    let opened = open::memory_in(context, &home)?;
    open::say_remarks(&opened, context);
    let (lines, _) = input::read(&bytes, &open::scope(&home));
    let mut show = Show {
        ui,
        form: if context.json { Form::Json } else { Form::Text },
        detail: if args.show_prompt { Detail::Prompt } else { Detail::Said },
    };
    let tell = || {
        if let Some(degraded) = opened.known_degradation() {
            open::say_degraded(&degraded, context);
        }
    };
    let mut replay = Replay::new(&opened.memory, open::scope(&home), &name, &context.clock, &mut show);
    replay.tell = &tell;
    let played = replay.play(&lines);
    let mut closed = opened.close();
    if !args.live && opened.degraded.is_some() {
        // That the provider is not there was said, and for a copy nobody waits.
        closed.deliveries.waiting.clear();
    } else if !args.live {
        closed.deliveries = closed.deliveries.without_a_next_time("it was not in time, and the copy is thrown away");
    }
    let closed = open::say_closed(&closed, ui);
    Ok(if played == Exit::Success { closed } else { played })
}

/// What waits in the home is delivered there, and not by its copy as well.
pub(super) fn forget_deliveries(home: &Home) -> Result<(), Failure> {
    if home.database().exists() {
        let db = Db::open(home)?.db;
        Rows(&db).drop_rows(&Selection::default())?;
        forget_unmirrored(&db)?;
    }
    Ok(())
}

/// The recording's name for messages, and its bytes.
pub(super) fn read(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let (name, read) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        ("stdin".to_owned(), std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (path.display().to_string(), std::fs::read(path))
    };
    match read {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => Err(Failure::new(format!("cannot read `{name}`: {error}"))),
    }
}

/// Names what is wrong with a recording.
pub(super) fn check(name: &str, bad: Vec<BadLine>, ui: &Ui) -> Result<(), Failure> {
    if bad.is_empty() {
        return Ok(());
    }
    for BadLine { number, reason } in bad.iter().take(BAD_LINES) {
        ui.warn(format!("{name}:{number}: {reason}"));
    }
    let count = if bad.len() == 1 { "1 line is".to_owned() } else { format!("{} lines are", bad.len()) };
    Err(Failure::new(format!("`{name}` was not replayed: {count} not a message of a conversation"))
        .hint("each line is like {\"role\": \"user\", \"content\": \"…\", \"session_id\": \"…\"}"))
}

/// A replay under way.
pub(super) struct Replay<'a, W: Watch> {
    memory: &'a Memory,
    default: Scope,
    name: &'a str,
    clock: &'a Clock,
    /// Tells, at the beginning of a session, what keeps the memory from working fully.
    tell: &'a dyn Fn(),
    watch: &'a mut W,
    sessions: HashMap<String, Played<W::Record>>,
    /// The session that the provider knows the conversation to be in.
    at: Option<String>,
    /// The session that was shown last.
    shown: Option<String>,
    /// Becomes a failure when something was lost on the way.
    exit: Exit,
}

/// A session, and its turn under way.
struct Played<R> {
    session: Session,
    /// For the record of its first turn.
    head: R,
    turn: Option<(TurnHandle, R)>,
    /// Calls whose results are real, so that the recorded ones are passed over.
    run: HashSet<String>,
}

impl<'a, W: Watch> Replay<'a, W> {
    /// A replay of the recording `name`; `default` is the scope of lines that name none.
    pub(super) fn new(memory: &'a Memory, default: Scope, name: &'a str, clock: &'a Clock, watch: &'a mut W) -> Self {
        Self {
            memory,
            default,
            name,
            clock,
            tell: &|| {},
            watch,
            sessions: HashMap::new(),
            at: None,
            shown: None,
            exit: Exit::Success,
        }
    }

    /// Answers whether all that was sent on the way has arrived, as far as is known.
    pub(super) fn play(mut self, lines: &[Line]) -> Exit {
        let ends: HashMap<&str, usize> = lines.iter().map(|line| (line.session.as_str(), line.number)).collect();
        for line in lines {
            if !self.watch.goes_on() {
                break;
            }
            self.enter(line);
            self.line(line);
            if ends.get(line.session.as_str()) == Some(&line.number) {
                self.leave(&line.session);
            }
        }
        self.exit
    }

    /// Goes on in the session of a line.
    fn enter(&mut self, line: &Line) {
        let elsewhere = self.shown.as_ref() != Some(&line.session);
        if let Some(played) = self.sessions.get(&line.session) {
            if elsewhere && played.turn.is_some() {
                self.watch.back(&played.session);
                self.shown = Some(line.session.clone());
            }
        } else {
            let scope = line.scope.clone().unwrap_or_else(|| self.default.clone());
            let session = self.memory.session(&*line.session, scope, hermes_provider_api::Context::Primary);
            // The first one was told when the memory was opened.
            if !self.sessions.is_empty() {
                (self.tell)();
            }
            let head = self.watch.session(&session);
            self.shown = Some(line.session.clone());
            self.sessions.insert(line.session.clone(), Played { session, head, turn: None, run: HashSet::new() });
        }
    }

    /// A turn is about to begin in a session: the conversation moves there, unless it also goes on where it was.
    fn move_to(&mut self, session: &str) {
        self.shown = Some(session.to_owned());
        let Some(at) = &self.at else {
            self.at = Some(session.to_owned());
            return;
        };
        let (Some(from), Some(to)) = (self.sessions.get(at), self.sessions.get(session)) else { return };
        if at == session || from.turn.is_some() {
            return;
        }
        let sent = self.memory.switch(&from.session, &to.session, Switch::Reset);
        self.at = Some(session.to_owned());
        self.settle(sent);
    }

    fn line(&mut self, line: &Line) {
        let message = &line.message;
        match message.role {
            Role::System => self.passed_over(line, "the agent's own instructions are not the memory's"),
            Role::User => {
                self.finish(&line.session, "", Ending::Interrupted);
                self.move_to(&line.session);
                let Some(played) = self.sessions.get_mut(&line.session) else { return };
                if let Some(scope) = &line.scope {
                    played.session.set_scope(scope.clone());
                }
                let at = line.at.unwrap_or_else(|| self.clock.now());
                let handle = played.session.begin_at(&message.content, at);
                let head = std::mem::take(&mut played.head);
                let record = self.watch.begin(head, &played.session, &handle, line, at);
                played.turn = Some((handle, record));
            }
            Role::Assistant if message.tool_calls.is_empty() => {
                if self.sessions.get(&line.session).is_none_or(|played| played.turn.is_none()) {
                    return self.passed_over(line, "it answers no message of the user");
                }
                self.finish(&line.session, &message.content, Ending::Complete);
            }
            Role::Assistant => {
                let Some(Played { session, turn: Some((_, record)), run, .. }) = self.sessions.get_mut(&line.session)
                else {
                    return self.passed_over(line, "it calls tools, but no turn is under way");
                };
                session.note(message.clone());
                for call in &message.tool_calls {
                    let outcome = session.tools().offers(&call.name).then(|| session.tool(call));
                    // Ids may be used again for another call.
                    match outcome {
                        Some(_) => _ = run.insert(call.id.clone()),
                        None => _ = run.remove(&call.id),
                    }
                    self.watch.tool(record, call, outcome.as_ref());
                    self.watch.news(record, &session.take_news());
                }
            }
            // A tool's result, or somebody else's words.
            _ => {
                let Some(Played { session, turn: Some(_), run, .. }) = self.sessions.get(&line.session) else {
                    return self.passed_over(line, "it answers no tool call");
                };
                if !run.contains(&message.tool_call_id) {
                    session.note(message.clone());
                }
            }
        }
    }

    /// Ends the turn that is under way in a session, if there is one.
    fn finish(&mut self, session: &str, answer: &str, ending: Ending) {
        let Some(played) = self.sessions.get_mut(session) else { return };
        let Some((handle, mut record)) = played.turn.take() else { return };
        played.run.clear();
        let said = match ending {
            Ending::Complete => vec![hermes_provider_api::records::Message::new(Role::Assistant, answer)],
            Ending::Interrupted => Vec::new(),
        };
        let sent = played.session.finish(handle, &said, ending);
        self.watch.news(&mut record, &played.session.take_news());
        self.watch.finish(record, answer, ending);
        self.settle(sent);
    }

    /// Waits until the provider has what was sent, as it would between a person's messages.
    fn settle(&mut self, sent: Result<(), NotKept>) {
        if let Err(error) = sent {
            self.watch.warn(&error.into());
        }
        // What does not arrive in this time is told at the end.
        let watch = &*self.watch;
        for lost in self.memory.settle_while(BETWEEN_TURNS, &|| watch.goes_on()).lost {
            self.exit = Exit::Failed;
            self.watch.lost(&lost);
        }
    }

    fn leave(&mut self, session: &str) {
        self.finish(session, "", Ending::Interrupted);
        if let Some(played) = self.sessions.get(session) {
            let sent = played.session.end();
            self.settle(sent);
        }
    }

    fn passed_over(&mut self, line: &Line, why: &str) {
        self.watch.warn(&Failure::new(format!("{}:{}: passed over: {why}", self.name, line.number)));
    }
}
