//! One request of a client, from what it asks to what the model is asked, and from what the model answers to what is on
//! record. Whatever is called here may wait for the memory, for as long as its deadlines.

use std::collections::BTreeSet;
use std::sync::Arc;

use hermes_provider_api::records::{Message, Role, ToolSchema};
use serde_json::json;
use serde_json::value::RawValue;

use super::chain::Chain;
use super::conversation::{Conversation, Open};
use super::{Asked, Conversations, Who};
use crate::model::wire::{Answer, Digest, WireMessage, raw};
use crate::outbox::NotKept;
use crate::turn::tool_loop::{Step, ToolLoop};
use crate::turn::{Ending, Memory, RecallOutcome, TurnHandle};

/// What a client asks.
#[derive(Debug)]
pub struct Request<'a> {
    /// Who asks.
    pub who: &'a Who,
    /// The session that the client names.
    pub session: Option<&'a str>,
    /// The whole conversation.
    pub messages: &'a [WireMessage],
    /// The names of the client's own tools. It keeps its own where the memory has one of the same name.
    pub tools: BTreeSet<String>,
    /// Whether the memory's tools are offered.
    pub offers: bool,
}

/// A request that is being answered. Dropped without an end, its turn is on record as interrupted.
pub struct Exchange {
    conversations: Arc<Conversations>,
    conversation: Arc<Conversation>,
    chain: Chain,
    /// The hash up to the message that the turn began with.
    at: Digest,
    turn: Option<TurnHandle>,
    messages: Vec<Box<RawValue>>,
    tools: Vec<ToolSchema>,
    ours: BTreeSet<String>,
    tool_loop: ToolLoop,
    asked: usize,
    /// The turn goes on with the next request.
    waits: bool,
}

impl Exchange {
    /// Begins a turn, or goes on with the one that waits for this. None when no user speaks in the conversation: such
    /// requests are none of the memory's business.
    #[must_use]
    pub fn begin(conversations: &Arc<Conversations>, memory: &Memory, request: Request<'_>) -> Option<Self> {
        let Request { who, session, messages, tools: theirs, offers } = request;
        let user = messages.iter().rposition(|message| message.role() == "user")?;
        let chain = Chain::new(&who.key(), messages);
        let at = chain.said(user);
        let ask = Asked { messages, chain: &chain, turn: at };
        let conversation = conversations.take(memory, who, session, &ask);
        // From here on, a drop gives it back.
        let mut exchange = Self {
            conversations: Arc::clone(conversations),
            conversation,
            chain,
            at,
            turn: None,
            messages: Vec::new(),
            tools: Vec::new(),
            ours: BTreeSet::new(),
            tool_loop: ToolLoop::default(),
            asked: messages.len(),
            waits: false,
        };
        exchange.turn = Some(exchange.open(messages, user));
        exchange.conversations.stands_at(&exchange.conversation, exchange.chain.last());
        if offers {
            let offered = &exchange.conversation.session.tools().offered;
            exchange.tools = offered.iter().filter(|tool| !theirs.contains(&tool.name)).cloned().collect();
            exchange.ours = exchange.tools.iter().map(|tool| tool.name.clone()).collect();
        }
        exchange.assemble(messages);
        Some(exchange)
    }

    fn open(&self, messages: &[WireMessage], user: usize) -> TurnHandle {
        let session = &self.conversation.session;
        let (open, before) = {
            let mut state = self.conversation.state();
            let before = state.kept(&self.at).filter(|kept| kept.began).map(|kept| kept.block.clone());
            (state.open.take().filter(|open| open.at == self.at), before)
        };
        if let Some(open) = open {
            let new = messages.iter().skip(open.noted).filter(|message| !message.instructs());
            new.for_each(|message| session.note(message.to_record()));
            return open.turn;
        }
        let text = messages[user].text();
        if let Some(block) = before {
            return session.begin_again(&text, block);
        }
        let turn = session.begin(&text);
        self.conversation.keep(self.at, |kept| (kept.began, kept.block) = (true, turn.block.clone()));
        turn
    }

    /// Puts the memory's part of the system prompt behind the application's, where it is the same in every turn, and
    /// everything hidden where it was.
    fn assemble(&mut self, messages: &[WireMessage]) {
        let system = self.conversation.session.system_prompt();
        let mut all = Vec::with_capacity(messages.len() + 1);
        let mut rest = messages;
        if !system.is_empty() {
            match messages.split_first().filter(|(first, _)| first.instructs()) {
                Some((first, others)) => {
                    all.push(first.with_below(system));
                    rest = others;
                }
                None => all.push(raw(&json!({"role": "system", "content": system}))),
            }
        }
        let state = self.conversation.state();
        let skipped = messages.len() - rest.len();
        for (at, message) in rest.iter().enumerate() {
            state.put_back(message, &self.chain.said(skipped + at), &mut all);
        }
        drop(state);
        self.messages = all;
    }

    /// The id of its session.
    #[must_use]
    pub fn session(&self) -> &str {
        self.conversation.session.id()
    }

    /// What the memory did for the turn.
    #[must_use]
    pub fn recall(&self) -> Option<&RecallOutcome> {
        self.turn.as_ref().map(|turn| &turn.recall)
    }

    /// What the model is given now.
    #[must_use]
    pub fn messages(&self) -> &[Box<RawValue>] {
        &self.messages
    }

    /// The memory's tools that are offered beside the client's.
    #[must_use]
    pub fn tools(&self) -> &[ToolSchema] {
        &self.tools
    }

    /// Whether a tool is one of them.
    #[must_use]
    pub fn is_ours(&self, tool: &str) -> bool {
        self.ours.contains(tool)
    }

    /// Whether the model may still call tools. If not, it is asked with `tool_choice` `none`.
    #[must_use]
    pub fn may_call(&self) -> bool {
        self.tool_loop.goes_on()
    }

    /// Whether the turn has ended. It has not while the client's tools are at work.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.turn.is_none() && !self.waits
    }

    /// The model answers. `shown` is all that the client has seen or will see of the request's text. Answers whether
    /// the model is asked again, with [`messages`](Self::messages) as they are then; if not, the request is over.
    ///
    /// # Errors
    /// When the turn could not be written down yet. It is in memory then, and the answer stands.
    pub fn answered(&mut self, answer: &Answer, shown: &str) -> Result<bool, NotKept> {
        match self.tool_loop.answered(&self.conversation.session, answer, &self.ours) {
            Step::Again(hidden) => {
                let hidden: Vec<_> = hidden.iter().map(|message| message.raw().to_owned()).collect();
                self.messages.extend(hidden.iter().cloned());
                let [_, last] = self.chain.last();
                self.conversation.keep(last, |kept| kept.after.extend(hidden));
                Ok(true)
            }
            Step::Theirs(results) => {
                let results = results.iter().map(|message| message.raw().to_owned()).collect();
                self.stand_behind(answer, shown, results);
                if let Some(turn) = self.turn.take() {
                    let open = Open { turn, at: self.at, noted: self.asked + 1 };
                    self.conversation.state().open = Some(open);
                    self.waits = true;
                }
                Ok(false)
            }
            Step::Over => {
                self.stand_behind(answer, shown, Vec::new());
                self.close(answer.text(), Ending::Complete).map(|()| false)
            }
        }
    }

    /// There is no answer, and the client may ask the same again: the turn waits.
    pub fn postpone(mut self) {
        if let Some(turn) = self.turn.take() {
            self.conversation.state().open = Some(Open { turn, at: self.at, noted: self.asked });
        }
    }

    /// The answer was broken off after this text.
    ///
    /// # Errors
    /// When the turn could not be written down yet.
    pub fn break_off(mut self, answer: &Answer, shown: &str) -> Result<(), NotKept> {
        if !shown.is_empty() {
            let text = Answer::of_text(shown);
            self.stand_behind(&text, shown, Vec::new());
        }
        self.close(answer.text(), Ending::Interrupted)
    }

    /// The conversation goes on behind what the client sees of an answer.
    fn stand_behind(&mut self, answer: &Answer, shown: &str, results: Vec<Box<RawValue>>) {
        let visible = answer.shown(shown, |tool| !self.ours.contains(tool));
        self.chain.push(&visible);
        let heads = self.chain.last();
        let dropped = answer.calls().iter().any(|call| self.ours.contains(&call.name));
        let is_changed = answer.text() != shown || dropped;
        if is_changed {
            // Calls that were not run have no results, and a model may not be shown one without the other.
            let seen = if results.is_empty() {
                answer.shown(answer.text(), |tool| !self.ours.contains(tool))
            } else {
                answer.message()
            };
            self.conversation.keep(heads[1], |kept| {
                (kept.instead, kept.after) = (Some(seen.raw().to_owned()), results);
            });
        }
        self.conversations.stands_at(&self.conversation, heads);
    }

    fn close(&mut self, text: &str, ending: Ending) -> Result<(), NotKept> {
        let Some(turn) = self.turn.take() else { return Ok(()) };
        let said = Message::new(Role::Assistant, text);
        let said = if text.is_empty() { &[] } else { std::slice::from_ref(&said) };
        self.conversation.session.finish(turn, said, ending)
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Err(error) = self.close("", Ending::Interrupted) {
            tracing::warn!(session = self.session(), %error, "a turn that was broken off");
        }
        self.conversation.give_back(self.conversations.clock.now());
    }
}
