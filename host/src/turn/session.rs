//! A session: its prompt, its turns, its end.

mod audiences;
mod curated;
mod search;
mod surface;

pub use curated::News;
use surface::Surface;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_provider_api::Interface;
use hermes_provider_api::records::{
    Caller, Context, Message, PreCompress, Recall, Role, Scope, SessionEnd, ToolCall, ToolRequest, Turn,
};

use self::audiences::ForAudience;
use super::archive::{Finished, Recorder};
use super::recall::{Found, choose, unless_blocked};
use super::said::Said;
use super::tools::{ToolFailure, ToolOutcome, Tools, read_arguments};
use super::window::Window;
use super::{Core, Problem, RecallOutcome, Recalled, Skip, caller, line};
use crate::clock::UnixMillis;
use crate::guard::{fence, threats};
use crate::layers::curated::Attempts;
use crate::layers::external::{External, LateRecall, Outgoing, Question};
use crate::outbox::{NotKept, Write};
use crate::secrets::Mask;

/// A conversation. May be used from any thread; it has one turn at a time.
pub struct Session {
    core: Arc<Core>,
    id: String,
    context: Context,
    state: Arc<Mutex<State>>,
    /// One for each handle of the same session. The state has others who hold it for a moment.
    handles: Arc<()>,
    surfaces: ForAudience<Surface>,
    /// The curated memory as it was when the session started.
    frozen: Arc<ForAudience<String>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Session").field(&self.id).finish()
    }
}

/// A turn that has begun.
#[derive(Debug)]
pub struct TurnHandle {
    /// What the model is given for the user's message: the message, and below it the block.
    pub prompt: String,
    /// The block alone.
    pub block: Option<String>,
    /// What the memory did.
    pub recall: RecallOutcome,
    /// The same in one line for the user; None when recall was skipped.
    pub line: Option<String>,
    /// The number of the turn in its session, from 1, going on from those on record.
    pub number: u64,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The answer is complete.
    Complete,
    /// It was broken off.
    Interrupted,
}

struct State {
    scope: Scope,
    /// The number of the last turn; None until the first one here begins.
    last: Option<u64>,
    open: Option<OpenTurn>,
    window: Window,
    late: Option<Late>,
    /// For the end of the session.
    said: Said,
    ended: bool,
    /// The session that it goes on from.
    parent: Option<String>,
    /// What answers.
    model: Option<String>,
    /// How the turn's calls of the `memory` tool went.
    attempts: Attempts,
    news: Vec<News>,
}

struct OpenTurn {
    number: u64,
    caller: Caller,
    messages: Vec<Message>,
    /// When each was said.
    times: Vec<UnixMillis>,
    /// When it began here; its first message may be from another time.
    begun: UnixMillis,
    /// Why nothing is recalled for its message.
    skip: Option<Skip>,
    /// What the provider was asked for it.
    question: Option<Question>,
    /// What is written in the same transaction.
    also: Option<Write>,
}

impl OpenTurn {
    fn say(&mut self, message: Message, now: UnixMillis) {
        self.messages.push(message);
        self.times.push(self.times[0].saturating_add(now.saturating_sub(self.begun)));
    }
}

/// What was found in time, how long that took, and why there is nothing.
type Answer = (Recall, Duration, Option<Problem>);

/// A recall that came after its turn.
struct Late {
    turn: u64,
    scope: Scope,
    recall: Recall,
}

impl Session {
    pub(super) fn new(core: Arc<Core>, id: String, scope: Scope, context: Context) -> Self {
        let state = State {
            scope: core.of_profile(scope),
            last: None,
            open: None,
            window: Window::default(),
            late: None,
            said: Said::default(),
            ended: false,
            parent: None,
            model: None,
            attempts: Attempts::default(),
            news: Vec::new(),
        };
        let (surfaces, frozen) = Default::default();
        let state = Arc::new(Mutex::new(state));
        Self { core, id, context, state, handles: Arc::default(), surfaces, frozen }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The same session, which asks the provider anew what it offers: nothing that was said goes with it, and to the
    /// provider no session begins. What it shows of the curated memory stays as it is.
    #[must_use]
    pub fn with_new_surface(&self) -> Self {
        let mut session = Self::new(Arc::clone(&self.core), self.id.clone(), self.scope(), self.context);
        session.frozen = Arc::clone(&self.frozen);
        session
    }

    /// The same session where its window starts again, after compression or for another model: with a system prompt that
    /// is built anew, and the curated memory as it is now. Turns, window and number go on; use this one from now on.
    #[must_use]
    pub fn restarted(&self) -> Self {
        self.thaw();
        let (core, state) = (Arc::clone(&self.core), Arc::clone(&self.state));
        let (surfaces, frozen) = Default::default();
        let handles = Arc::clone(&self.handles);
        Self { core, id: self.id.clone(), context: self.context, state, handles, surfaces, frozen }
    }

    /// The role that it runs in.
    #[must_use]
    pub fn context(&self) -> Context {
        self.context
    }

    /// The audience of what is said.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.state().scope.clone()
    }

    /// From the next turn on, what is said has another audience. A late recall for the old one is dropped, and the end of
    /// the session carries only what was said since: it names one audience.
    pub fn set_scope(&self, scope: Scope) {
        let scope = self.core.of_profile(scope);
        let mut state = self.state();
        if !is_for(&state.scope, &scope) {
            state.said.take();
        }
        state.scope = scope;
    }

    /// The memory's part of the system prompt: built at the first call, the same bytes ever after, also where another
    /// process takes the session up. Where others read along from some turn on, or do not any more, it is another one.
    #[must_use]
    pub fn system_prompt(&self) -> &str {
        &self.surface().prompt
    }

    /// The tools of the session, chosen together with the system prompt.
    #[must_use]
    pub fn tools(&self) -> &Arc<Tools> {
        &self.surface().tools
    }

    /// Begins a turn with the user's message. A turn that is still open is recorded as interrupted.
    #[must_use]
    pub fn begin(&self, message: &str) -> TurnHandle {
        self.begin_at(message, self.core.clock.now())
    }

    /// The same for a message that was written at another time.
    #[must_use]
    pub fn begin_at(&self, message: &str, at: UnixMillis) -> TurnHandle {
        let skip = skip(message);
        let (caller, number) = self.open_turn(message, at, skip);
        let (block, recall) = self.recall(message, &caller, number, skip);
        let prompt = with_block(message, block.as_deref());
        let provider = self.core.external.as_ref().map_or("", |external| external.id());
        TurnHandle { prompt, block, line: line(provider, &recall), recall, number }
    }

    /// Begins a turn with a message that was answered before, as a user does who wants another answer: what was recalled
    /// for it then is given again, and nothing else.
    #[must_use]
    pub fn begin_again(&self, message: &str, block: Option<String>) -> TurnHandle {
        let (_, number) = self.open_turn(message, self.core.clock.now(), Some(Skip::Again));
        let prompt = with_block(message, block.as_deref());
        TurnHandle { prompt, block, recall: RecallOutcome::Skipped(Skip::Again), line: None, number }
    }

    /// What a turn with this message would recall if its window were empty. It is no turn: nothing is recorded, and
    /// whoever asks again is given the same again.
    #[must_use]
    pub fn peek(&self, message: &str) -> (Option<String>, RecallOutcome) {
        let caller = self.caller(self.core.clock.now());
        let external = match self.asks(skip(message)) {
            Ok(external) => external,
            Err(skip) => return (None, RecallOutcome::Skipped(skip)),
        };
        let (_, (new, elapsed, problem)) = self.ask(external, message, &caller, Box::new(drop));
        let found = Found { new, late: Recall::default() };
        let core = &self.core;
        let (block, recalled) = choose(&found, &caller.scope, &mut Window::default(), &core.settings, &core.redactor);
        external.recalled(recalled.memories.len());
        (block, RecallOutcome::Asked(Recalled { elapsed, problem, ..recalled }))
    }

    /// Records a turn for which nothing was to be recalled, or was [peeked](Self::peek) for. Answers its number, and
    /// whether it is written down.
    pub fn record_turn(&self, message: &str, answer: &[Message]) -> (u64, Result<(), NotKept>) {
        let (_, number) = self.open_turn(message, self.core.clock.now(), skip(message));
        (number, self.close(number, answer, Ending::Complete))
    }

    /// Notes something that was said in the turn besides the tools that [`Self::tool`] runs: a message that calls tools,
    /// or the result of a tool that is not the memory's.
    pub fn note(&self, message: Message) {
        if let Some(turn) = &mut self.state().open {
            turn.say(message, self.core.clock.now());
        }
    }

    /// Runs one of the memory's tools and notes call and result in the turn, where one is open.
    pub fn tool(&self, call: &ToolCall) -> ToolOutcome {
        let outcome = ToolOutcome { tool: call.name.clone(), result: self.run_tool(call) };
        if let Some(turn) = &mut self.state().open {
            let now = self.core.clock.now();
            let noted = !call.id.is_empty()
                && turn.messages.iter().any(|message| message.tool_calls.iter().any(|other| other.id == call.id));
            if !noted {
                let tool_calls = vec![call.clone()];
                turn.say(Message { role: Role::Assistant, tool_calls, ..Message::default() }, now);
            }
            let result = Message::new(Role::Tool, outcome.content());
            turn.say(Message { tool_call_id: call.id.clone(), ..result }, now);
        }
        outcome
    }

    /// Ends the turn with what the assistant said and was not [noted](Self::note) yet. It is on disk when this returns,
    /// and the provider gets it in the background. A handle of an earlier turn is passed over.
    ///
    /// # Errors
    /// When it could not be written down yet. It is in memory then; the conversation can go on.
    pub fn finish(&self, handle: TurnHandle, answer: &[Message], ending: Ending) -> Result<(), NotKept> {
        self.close(handle.number, answer, ending)
    }

    fn close(&self, number: u64, answer: &[Message], ending: Ending) -> Result<(), NotKept> {
        let mut state = self.state();
        let Some(turn) = state.open.as_mut().filter(|turn| turn.number == number) else {
            tracing::debug!(session = self.id, turn = number, "this turn was over already");
            return Ok(());
        };
        answer.iter().for_each(|message| turn.say(message.clone(), self.core.clock.now()));
        let goes_on = ending == Ending::Complete && !self.core.settings.one_shot && self.context.may_write();
        let asks_next = goes_on && turn.skip.is_none();
        self.record(&mut state, ending, asks_next)
    }

    /// What is written in the same transaction as the turn that is open, where sessions are archived.
    pub(super) fn write_with_turn(&self, write: Write) {
        if let Some(turn) = &mut self.state().open {
            turn.also = Some(write);
        }
    }

    /// The middle of the window is about to be folded. Answers what the provider wants the summary to keep, which may be
    /// nothing; afterwards memories that were in it may be given again. The archive keeps what was said, and marks it.
    #[must_use]
    pub fn compress(&self, folded: Vec<Message>) -> String {
        self.state().window.compress();
        if let Some(Err(error)) = self.core.recorder.as_ref().map(|recorder| recorder.fold(&self.id, &folded)) {
            tracing::warn!(%error, "what was folded is not marked in the archive");
        }
        let Some(external) = &self.core.external else { return String::new() };
        match external.pre_compress(&PreCompress { caller: self.caller(self.core.clock.now()), messages: folded }) {
            Ok(note) => fence::clean(&unless_blocked(self.core.redactor.redact(&note.text), "a note for the summary")),
            Err(error) => {
                tracing::warn!(%error, "the summary is made without the provider");
                String::new()
            }
        }
    }

    /// Ends the session: the provider is told after its last turn. Ending it again does nothing, unless another turn was
    /// begun in between.
    ///
    /// The provider gets the messages since the last end and the last change of the audience, of a very long session only
    /// the newest: together at most 8 MiB as JSON. It had them all with their turns.
    ///
    /// # Errors
    /// When it could not be written down yet.
    pub fn end(&self) -> Result<(), NotKept> {
        let mut state = self.state();
        let recorded = self.record(&mut state, Ending::Interrupted, false);
        if std::mem::replace(&mut state.ended, true) {
            return recorded;
        }
        self.thaw();
        let now = self.core.clock.now();
        let archived = self.core.recorder.as_ref().map(|_| Recorder::end(&self.id, now, "ended"));
        if !self.context.may_write() {
            return recorded.and(self.core.send([], archived));
        }
        let messages = state.said.take();
        let caller = caller(&self.id, state.scope.clone(), self.context, now);
        let end = SessionEnd { caller, idempotency_key: self.core.key(), messages };
        recorded.and(self.core.send([&|outgoing| outgoing.session_end(&end)], archived))
    }

    /// Records a turn that is still open as interrupted.
    pub(super) fn close_turn(&self) -> Result<(), NotKept> {
        self.record(&mut self.state(), Ending::Interrupted, false)
    }

    /// Which model answers from now on, for the record.
    pub fn answered_by(&self, model: &str) {
        self.state().model = Some(model.to_owned()).filter(|model| !model.is_empty());
    }

    /// It began where another stopped.
    pub(super) fn goes_on_from(&self, parent: &str) {
        self.state().parent = Some(parent.to_owned());
    }

    pub(super) fn take_window(&self, from: &Self) {
        let window = from.state().window.clone();
        self.state().window = window;
    }

    /// The person who speaks in it now.
    #[must_use]
    pub fn speaker(&self) -> Caller {
        self.caller(self.core.clock.now())
    }

    pub(super) fn caller(&self, at: UnixMillis) -> Caller {
        caller(&self.id, self.state().scope.clone(), self.context, at)
    }

    /// Opens a turn, in place of one that is still open.
    fn open_turn(&self, message: &str, at: UnixMillis, skip: Option<Skip>) -> (Caller, u64) {
        let (caller, number) = {
            let mut state = self.state();
            self.record_or_log(&mut state);
            let number = state.last.unwrap_or_else(|| self.core.last_turn(&self.id)).saturating_add(1);
            state.last = Some(number);
            state.ended = false;
            let caller = caller(&self.id, state.scope.clone(), self.context, at);
            let message = Message::new(Role::User, message);
            state.window.say(&message);
            let (begun, times) = (self.core.clock.now(), vec![at]);
            state.open = Some(OpenTurn {
                number,
                caller: caller.clone(),
                messages: vec![message],
                times,
                begun,
                skip,
                question: None,
                also: None,
            });
            (caller, number)
        };
        // A hint is never written down.
        let _ = self.core.send([&|outgoing| outgoing.turn_start(&caller, number, message)], None);
        (caller, number)
    }

    /// Whom to ask; or why nobody is asked.
    fn asks(&self, skip: Option<Skip>) -> Result<&External, Skip> {
        let external = self.core.external.as_deref().filter(|external| external.has(Interface::Prefetch));
        external.ok_or(Skip::NoRecall).and_then(|external| skip.map_or(Ok(external), Err))
    }

    /// What was asked; and what was found in time, how long that took, and why there is nothing.
    fn ask(&self, external: &External, message: &str, caller: &Caller, late: LateRecall) -> (Question, Answer) {
        let question = external.outgoing().question(caller, message, self.core.settings.recall_limit);
        let started = Instant::now();
        let answer = external.prefetch(&question, late);
        let elapsed = started.elapsed();
        let problem = answer.as_ref().err().map(|error| Problem::new(error, &self.core.redactor));
        (question, (answer.unwrap_or_default(), elapsed, problem))
    }

    fn recall(
        &self,
        message: &str,
        caller: &Caller,
        number: u64,
        skip: Option<Skip>,
    ) -> (Option<String>, RecallOutcome) {
        let external = match self.asks(skip) {
            Ok(external) => external,
            Err(skip) => return (None, RecallOutcome::Skipped(skip)),
        };
        let (state, scope) = (Arc::downgrade(&self.state), caller.scope.clone());
        let keep = Box::new(move |recall| {
            let Some(state) = state.upgrade() else { return };
            let mut state = lock(&state);
            if state.late.as_ref().is_none_or(|late| late.turn < number) {
                state.late = Some(Late { turn: number, scope, recall });
            }
        });
        let (question, (new, elapsed, problem)) = self.ask(external, message, caller, keep);
        let mut state = self.state();
        if let Some(turn) = state.open.as_mut().filter(|turn| turn.number == number) {
            turn.question = Some(question);
        }
        // An answer to this very turn, a moment after the deadline, is for the next one.
        let late = state.late.take_if(|late| late.turn < number).filter(|late| late.scope == caller.scope);
        let late = late.map(|late| late.recall).unwrap_or_default();
        let found = Found { new, late };
        let core = &self.core;
        let (block, recalled) = choose(&found, &caller.scope, &mut state.window, &core.settings, &core.redactor);
        external.recalled(recalled.memories.len());
        (block, RecallOutcome::Asked(Recalled { elapsed, problem, ..recalled }))
    }

    fn run_tool(&self, call: &ToolCall) -> Result<serde_json::Value, ToolFailure> {
        let mask = self.core.redactor.known();
        if let Some(curated) = self.curated_for(call) {
            let answer = self.run_memory(curated, call);
            return answer.map_err(|failure| failure.masked(mask)).map(|answer| masked(answer, mask));
        }
        if let Some(searcher) = self.searcher_for(call) {
            return self.run_search(searcher, call);
        }
        let tools = self.tools();
        let external = self.core.external.as_ref().filter(|_| tools.offers(&call.name));
        let external = external.ok_or_else(|| ToolFailure::unknown(&call.name, tools))?;
        let args = read_arguments(&call.arguments)?;
        let request = ToolRequest { caller: self.tool_caller(), tool: call.name.clone(), args };
        let answer = match self.gated(external, &request) {
            Some(staged) => staged,
            None => external.call_tool(&request).map_err(ToolFailure::from),
        };
        let mut answer = answer.map_err(|failure| {
            let failure = failure.masked(mask);
            ToolFailure { message: unless_blocked(failure.message, "an error of a tool").into_owned(), ..failure }
        })?;
        if threats::block_json(&mut answer, threats::Scope::Context) {
            tracing::warn!(tool = call.name, "texts that attack their reader are kept from the model");
        }
        Ok(masked(answer, mask))
    }

    /// Who calls a tool: the turn that is open.
    fn tool_caller(&self) -> Caller {
        let state = self.state();
        match &state.open {
            Some(turn) => turn.caller.clone(),
            None => caller(&self.id, state.scope.clone(), self.context, self.core.clock.now()),
        }
    }

    /// Closes the open turn, if there is one: archives it, sends it, and what will probably be asked next.
    fn record(&self, state: &mut State, ending: Ending, asks_next: bool) -> Result<(), NotKept> {
        let Some(turn) = state.open.take() else { return Ok(()) };
        let OpenTurn { number, caller, messages, times, skip, mut question, also, .. } = turn;
        self.end_attempts(state);
        // The user's message is in the window since the turn began.
        messages.iter().skip(1).for_each(|message| state.window.say(message));
        let core = &self.core;
        let said = question.as_mut().and_then(Question::take_said);
        let interrupted = ending == Ending::Interrupted;
        let turn = Turn { caller, idempotency_key: core.key(), number, messages, interrupted };
        let clean = core.cleaner.turn(&turn, said);
        let mut deliveries = Vec::new();
        if self.context.may_write() {
            let next = |outgoing: &Outgoing| {
                let first = &turn.messages[0].content;
                let ask = || outgoing.question(&turn.caller, first, core.settings.recall_limit);
                outgoing.queue_prefetch(question.unwrap_or_else(ask))
            };
            deliveries = core.deliveries([&|outgoing| outgoing.turn(&clean)]);
            if asks_next {
                deliveries.extend(core.outgoing.as_ref().and_then(next));
            }
        }
        let archived = core.recorder.as_ref().map(|recorder| {
            let finished = Finished {
                session: &self.id,
                context: self.context,
                turn: &turn,
                times: &times,
                parent: state.parent.as_deref(),
                model: state.model.as_deref(),
                speaks: skip.is_none(),
            };
            recorder.turn(&finished, clean).and(also)
        });
        let is_told = core.outgoing.as_ref().is_some_and(Outgoing::hears_of_ends) && self.context.may_write();
        if is_told && is_for(&turn.caller.scope, &state.scope) {
            state.said.push(turn.messages);
        }
        core.push(deliveries, archived)
    }

    /// The same where nobody can be told: the outbox goes on trying, and tells at the end.
    fn record_or_log(&self, state: &mut State) {
        if let Err(error) = self.record(state, Ending::Interrupted, false) {
            tracing::warn!(%error, "a turn that was broken off");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A turn goes on in a session that was restarted.
        if Arc::strong_count(&self.handles) == 1 {
            let state = &mut self.state();
            self.record_or_log(state);
            self.end_attempts(state);
        }
    }
}

fn with_block(message: &str, block: Option<&str>) -> String {
    block.map_or_else(|| message.to_owned(), |block| format!("{message}\n\n{block}"))
}

/// Why there is nothing to recall for a message.
fn skip(message: &str) -> Option<Skip> {
    if hermes_text::is_command(message) {
        return Some(Skip::Command);
    }
    hermes_text::is_trivial(message).then_some(Skip::Trivial)
}

fn masked(mut answer: serde_json::Value, mask: &Mask) -> serde_json::Value {
    mask.apply_json(&mut answer);
    answer
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether what was said to one audience is for another too.
fn is_for(said_to: &Scope, audience: &Scope) -> bool {
    said_to == audience || said_to.visible_to(audience)
}
