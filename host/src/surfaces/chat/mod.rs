//! A conversation with the user's own model, with the memory in it: what `hermes chat` is made of, without a terminal.
//!
//! Each message is a turn of a session. What is recalled goes below the message, the memory's tools are offered and run
//! in a loop with a bound, and what was sent once is sent again byte for byte, so that the model's cache stays warm.

mod answer;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hermes_provider_api::Scope;
use hermes_provider_api::records::{Caller, Context, Message, Role, ToolCall};
use serde_json::json;

use crate::model::wire::{Answer, WireMessage};
use crate::model::{ModelError, Models, Question, Use};
use crate::outbox::NotKept;
use crate::turn::tool_loop::{Step, ToolLoop};
use crate::turn::{Ending, Memory, News, Session, TurnHandle};

/// How long a model may take to begin its answer, and for each piece of it.
const PATIENCE: Duration = Duration::from_secs(180);

/// Sees a turn as it goes.
pub trait Watch {
    /// It has begun, and this was recalled.
    fn began(&mut self, turn: &TurnHandle);
    /// The next piece of the answer, without any memory block that the model repeats.
    fn piece(&mut self, text: &str);
    /// The model called these tools, and they were run.
    fn called(&mut self, calls: &[ToolCall]);
    /// Something became of the memory files.
    fn news(&mut self, news: Vec<News>);
    /// Whether the person wants no more of the answer. Asked several times a second.
    fn is_stopped(&self) -> bool;
}

/// How a turn went.
#[derive(Clone, Debug)]
pub struct Said {
    /// The number of the turn in its session.
    pub turn: u64,
    /// The answer, as far as it came.
    pub text: String,
    /// Whether that is all of it.
    pub ending: Ending,
    /// The tools that were called, in order.
    pub tools: Vec<String>,
    /// The turn could not be written down yet.
    pub not_kept: Option<NotKept>,
}

/// A conversation.
pub struct Chat<'m> {
    memory: &'m Memory,
    models: Arc<Models>,
    session: Session,
    /// All that was said, as the model was shown it, without the system prompt.
    messages: Vec<WireMessage>,
    offers_tools: bool,
}

impl<'m> Chat<'m> {
    /// A conversation in this session; its audience is the scope's.
    #[must_use]
    pub fn new(memory: &'m Memory, models: Models, id: &str, scope: Scope, offers_tools: bool) -> Self {
        let session = memory.session(id, scope, Context::Primary);
        Self { memory, models: Arc::new(models), session, messages: Vec::new(), offers_tools }
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The models, of which that to chat with answers.
    #[must_use]
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Who speaks, for what a person decides.
    #[must_use]
    pub fn caller(&self) -> Caller {
        self.session.speaker()
    }

    /// Goes on with what was said before, in another process: texts alone, since tools that were called are over.
    pub fn remember(&mut self, said: impl IntoIterator<Item = (Role, String)>) {
        for (role, content) in said.into_iter().filter(|(_, content)| !content.is_empty()) {
            let role = match role {
                Role::User => "user",
                Role::Assistant => "assistant",
                _ => continue,
            };
            self.messages.push(WireMessage::new(json!({"role": role, "content": content})));
        }
    }

    /// Ends this conversation and begins another.
    ///
    /// # Errors
    /// When the end could not be written down yet; the other one has begun all the same.
    pub fn restart(&mut self, id: &str) -> Result<(), NotKept> {
        let ended = self.session.end();
        self.session = self.memory.session(id, self.session.scope(), Context::Primary);
        self.messages.clear();
        ended
    }

    /// Another model answers from now on. What is said goes on; the system prompt is made anew, since no cache holds it.
    pub fn ask_another(&mut self, models: Models) {
        self.models = Arc::new(models);
        self.session = self.session.restarted();
    }

    /// Says something and waits for the answer.
    ///
    /// # Errors
    /// When the model gives none. The turn is then on record as broken off, and the conversation as it was.
    pub fn say(&mut self, text: &str, watch: &mut dyn Watch) -> Result<Said, ModelError> {
        let turn = self.session.begin(text);
        if let Some(target) = self.models.target(Use::Chat) {
            self.session.answered_by(&target.name);
        }
        watch.began(&turn);
        let mut asked = vec![WireMessage::new(json!({"role": "user", "content": turn.prompt}))];
        let mut tools = Vec::new();
        let (number, outcome) = (turn.number, self.answered(&mut asked, &mut tools, watch));
        let (said, ending) = match &outcome {
            Ok((answer, ending)) => (answer.text(), *ending),
            Err(_) => ("", Ending::Interrupted),
        };
        let message = (!said.is_empty()).then(|| Message::new(Role::Assistant, said));
        let not_kept = self.session.finish(turn, message.as_slice(), ending).err();
        watch.news(self.session.take_news());
        let (answer, ending) = outcome?;
        // A message without an answer is none that a model was ever shown.
        if ending == Ending::Complete || !answer.text().is_empty() {
            self.messages.append(&mut asked);
            self.messages.push(WireMessage::new(json!({"role": "assistant", "content": answer.text()})));
        }
        Ok(Said { turn: number, text: answer.text().to_owned(), ending, tools, not_kept })
    }

    /// Asks until the model calls no more tools. What was asked and answered in between is added to `asked`.
    fn answered(
        &self,
        asked: &mut Vec<WireMessage>,
        tools: &mut Vec<String>,
        watch: &mut dyn Watch,
    ) -> Result<(Answer, Ending), ModelError> {
        let offered = if self.offers_tools { self.session.tools().offered.clone() } else { Vec::new() };
        let mut tool_loop = ToolLoop::default();
        loop {
            let may_call = tool_loop.goes_on();
            let question = Question {
                messages: self.system().into_iter().chain(self.messages.iter().chain(&*asked).cloned()).collect(),
                tools: offered.clone(),
                may_call,
                patience: PATIENCE,
            };
            let answer = answer::gather(&self.models, question, watch)?;
            if answer.finish.is_none() {
                return Ok((answer, Ending::Interrupted));
            }
            let calls = answer.calls();
            // Nobody else has tools here: a name that the model made up is answered as one, and where none are offered
            // none are run.
            let ours: BTreeSet<String> = match self.offers_tools {
                true => calls.iter().map(|call| call.name.clone()).collect(),
                false => BTreeSet::new(),
            };
            let Step::Again(new) = tool_loop.answered(&self.session, &answer, &ours) else {
                return Ok((answer, Ending::Complete));
            };
            asked.extend(new);
            tools.extend(calls.iter().map(|call| call.name.clone()));
            watch.called(&calls);
            watch.news(self.session.take_news());
        }
    }

    fn system(&self) -> Option<WireMessage> {
        let prompt = self.session.system_prompt();
        (!prompt.is_empty()).then(|| WireMessage::new(json!({"role": "system", "content": prompt})))
    }
}
