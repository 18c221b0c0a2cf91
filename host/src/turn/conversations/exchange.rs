//! One request of a client, from what it asks to what the model is asked, and from what the model answers to what is on
//! record. Whatever is called here may wait for the memory, for as long as its deadlines.

use std::collections::BTreeSet;
use std::sync::Arc;

use hermes_provider_api::records::{Message, Role};
use serde_json::json;
use serde_json::value::RawValue;

use super::chain::{Chain, of_answer, of_item};
use super::conversation::{Conversation, Open};
use super::store::Store;
use super::{Asked, Conversations, Who};
use crate::guard::Scrubber;
use crate::model::wire::{Answer, Digest, Form, Piece, WireMessage, raw};
use crate::outbox::NotKept;
use crate::turn::tool_loop::{Step, ToolLoop};
use crate::turn::{Ending, Memory, RecallOutcome, TurnHandle};

/// What of a conversation is in a request.
#[derive(Clone, Copy, Debug, Default)]
pub enum Since<'a> {
    /// All of it.
    #[default]
    Start,
    /// What is new since the answer with this id. The model's server knows the rest.
    Answer(&'a str),
    /// What is new in the conversation that the model's server calls so.
    Held(&'a str),
}

/// What a client asks.
#[derive(Debug)]
pub struct Request<'a> {
    /// Who asks.
    pub who: &'a Who,
    /// The session that the client names.
    pub session: Option<&'a str>,
    /// How it is spelt.
    pub form: Form,
    /// What its messages go on from.
    pub from: Since<'a>,
    /// The conversation, or what is new of it.
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
    store: Option<Store>,
    form: Form,
    /// Names of answers are known in a space of their own for each who.
    space: String,
    /// The answer that it goes on from, as the model's server calls it.
    previous: Option<String>,
    /// The model's server keeps the conversation itself.
    held: bool,
    chain: Chain,
    /// The hash up to the message that the turn began with.
    at: Digest,
    turn: Option<TurnHandle>,
    begins: bool,
    messages: Vec<Box<RawValue>>,
    /// The names of the memory's tools that are offered.
    ours: BTreeSet<String>,
    tool_loop: ToolLoop,
    /// How many messages of the next request are on record, if nothing more is.
    asked: usize,
    /// What the client sees of answers after which the model was asked again, and what their server calls those.
    seen: Vec<WireMessage>,
    ids: Vec<String>,
    /// The turn goes on with the next request.
    waits: bool,
}

impl Exchange {
    /// Begins a turn, or goes on with the one that waits for this. None when no user speaks in the conversation: such
    /// requests are none of the memory's business.
    #[must_use]
    pub fn begin(conversations: &Arc<Conversations>, memory: &Memory, request: Request<'_>) -> Option<Self> {
        let Request { who, session, form, from, messages, tools: theirs, offers } = request;
        let user = messages.iter().rposition(|message| message.role() == "user");
        if user.is_none() && (matches!(from, Since::Start) || messages.is_empty()) {
            return None;
        }
        let space = who.space(form);
        // Chat came first, and what is known of it stays known.
        let start = match from {
            Since::Start if form == Form::Chat => None,
            Since::Start => Some(of_answer(&space, "")),
            Since::Answer(id) | Since::Held(id) => Some(of_answer(&space, id)),
        };
        let chain = match start {
            Some(start) => Chain::after([start; 2], messages),
            None => Chain::new(&who.key(), messages),
        };
        let session = session.or(match from {
            Since::Held(id) => Some(id),
            _ => None,
        });
        let at = user.map_or(chain.start(), |user| chain.said(user));
        let named = messages.iter().rev().find_map(WireMessage::refers_to).map(|id| of_item(&space, id));
        let from_answer = start.filter(|_| !matches!(from, Since::Start));
        let ask = Asked { messages, chain: &chain, turn: at, from: from_answer, named };
        let store = Store::of(memory);
        let conversation = conversations.take(memory, store.as_ref(), who, session, &ask);
        // From here on, a drop gives it back.
        let mut exchange = Self {
            conversations: Arc::clone(conversations),
            conversation,
            store,
            form,
            space,
            previous: None,
            held: matches!(from, Since::Held(_)),
            chain,
            at,
            turn: None,
            begins: false,
            messages: Vec::new(),
            ours: BTreeSet::new(),
            tool_loop: ToolLoop::default(),
            asked: if matches!(from, Since::Start) { messages.len() } else { 0 },
            seen: Vec::new(),
            ids: Vec::new(),
            waits: false,
        };
        exchange.go_on_from(from, messages, user);
        exchange.turn = exchange.open(messages, user);
        exchange.conversations.stands_at(&exchange.conversation, exchange.chain.last());
        if offers {
            let offered = exchange.conversation.session.tools().offered.iter().map(|tool| &tool.name);
            exchange.ours = offered.filter(|name| !theirs.contains(*name)).cloned().collect();
        }
        exchange.assemble(messages);
        Some(exchange)
    }

    /// Finds out what really was before these messages, where the request only names it.
    fn go_on_from(&mut self, from: Since<'_>, messages: &[WireMessage], user: Option<usize>) {
        let state = self.conversation.state();
        let start = match from {
            Since::Start => return,
            Since::Answer(id) => {
                let kept = state.kept(&of_answer(&self.space, id)).and_then(|kept| kept.goes_by.as_deref());
                let id = kept.unwrap_or(id);
                self.previous = Some(id.to_owned());
                Some([of_answer(&self.space, id); 2])
            }
            Since::Held(_) => state.answered,
        };
        let open = state.open.as_ref().map(|open| open.at);
        drop(state);
        if let Some(start) = start {
            self.chain = Chain::after(start, messages);
        }
        // Results of the client's tools belong to the turn that waits for them.
        self.at = user.map_or_else(|| open.unwrap_or(self.chain.start()), |user| self.chain.said(user));
    }

    fn open(&mut self, messages: &[WireMessage], user: Option<usize>) -> Option<TurnHandle> {
        let session = &self.conversation.session;
        let (open, before) = {
            let mut state = self.conversation.state();
            let before = state.kept(&self.at).filter(|kept| kept.began).map(|kept| kept.block.clone());
            (state.open.take().filter(|open| open.at == self.at), before)
        };
        if let Some(open) = open {
            // What the model said is noted when it says so.
            let new = messages.iter().skip(open.noted).filter(|message| message.role() == "tool");
            new.for_each(|message| session.note(message.to_record()));
            return Some(open.turn);
        }
        let text = messages[user?].text();
        if let Some(block) = before {
            return Some(session.begin_again(&text, block));
        }
        let turn = session.begin(&text);
        self.begins = true;
        self.conversation.keep(self.at, |kept| (kept.began, kept.block) = (true, turn.block.clone()));
        Some(turn)
    }

    /// Puts the memory's part of the system prompt behind the application's, where it is the same in every turn, and
    /// everything hidden where it was.
    fn assemble(&mut self, messages: &[WireMessage]) {
        let mut all = Vec::with_capacity(messages.len() + 1);
        let mut rest = messages;
        let system = self.conversation.session.system_prompt();
        if self.form == Form::Chat && !system.is_empty() {
            match messages.split_first().filter(|(first, _)| first.instructs()) {
                Some((first, others)) => {
                    all.push(first.with_below(system));
                    rest = others;
                }
                None => all.push(raw(&json!({"role": "system", "content": system}))),
            }
        }
        let state = self.conversation.state();
        let before = state.kept(&self.chain.start()).map(|kept| kept.after.as_slice());
        all.extend(before.unwrap_or_default().iter().cloned());
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

    /// Which model is asked, for the record.
    pub fn answered_by(&self, model: &str) {
        self.conversation.session.answered_by(model);
    }

    /// What the memory did for the turn, if it begins with this request.
    #[must_use]
    pub fn recall(&self) -> Option<&RecallOutcome> {
        self.turn.as_ref().filter(|_| self.begins).map(|turn| &turn.recall)
    }

    /// The memory's part of the system prompt, where it is no message.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        Some(self.conversation.session.system_prompt()).filter(|text| self.form == Form::Responses && !text.is_empty())
    }

    /// The answer that the request goes on from, as the model's server calls it.
    #[must_use]
    pub fn previous(&self) -> Option<&str> {
        self.previous.as_deref()
    }

    /// What the model is given now.
    #[must_use]
    pub fn messages(&self) -> &[Box<RawValue>] {
        &self.messages
    }

    /// The memory's tools that are offered beside the client's, as a request has them.
    #[must_use]
    pub fn tools(&self) -> Vec<&RawValue> {
        let tools = self.conversation.session.tools();
        let all = tools.offered.iter().zip(tools.spelt(self.form));
        all.filter(|(tool, _)| self.is_ours(&tool.name)).map(|(_, spelt)| &**spelt).collect()
    }

    /// Their names.
    #[must_use]
    pub fn ours(&self) -> &BTreeSet<String> {
        &self.ours
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
                let pieces = self.pieces(answer, "", false);
                if self.form == Form::Responses {
                    self.seen.extend(pieces.into_iter().filter_map(|piece| piece.shown).filter(|one| !one.is_beside()));
                }
                self.ids.push(answer.id.clone());
                if self.held {
                    // Its server has added all but the results.
                    let results = hidden.iter().filter(|message| message.role() == "tool");
                    self.messages = results.map(|message| message.raw().to_owned()).collect();
                    return Ok(true);
                }
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
                    let open = Open { turn, at: self.at, noted: self.asked };
                    self.conversation.state().open = Some(open);
                    self.waits = true;
                }
                self.save();
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
        self.save();
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

    fn pieces(&self, answer: &Answer, shown: &str, ran: bool) -> Vec<Piece> {
        answer.pieces(shown, &Scrubber::scrubbed, &|tool| !self.ours.contains(tool), ran)
    }

    /// The conversation goes on behind what the client sees of an answer.
    fn stand_behind(&mut self, answer: &Answer, shown: &str, results: Vec<Box<RawValue>>) {
        // What was seen before is hidden with what it belongs to, and not given again.
        let earlier = std::mem::take(&mut self.seen);
        let mut is_changed = !earlier.is_empty();
        for message in earlier {
            self.chain.push(&message);
            self.conversation.keep(self.chain.last()[1], |kept| kept.instead = Some(Vec::new()));
        }
        let mut before = Vec::new();
        let mut is_hidden = false;
        for Piece { own, shown } in self.pieces(answer, shown, !results.is_empty()) {
            let own = own.raw().to_owned();
            let Some(shown) = shown.filter(|shown| !shown.is_beside()) else {
                is_hidden |= !self.is_beside(&own);
                before.push(own);
                continue;
            };
            self.chain.push(&shown);
            if let Some(id) = shown.id() {
                self.conversations.known_as(&self.conversation, of_item(&self.space, id));
            }
            is_changed |= is_hidden || own.get() != shown.raw().get();
            if is_changed {
                before.push(own);
                let instead = std::mem::take(&mut before);
                self.conversation.keep(self.chain.last()[1], |kept| kept.instead = Some(instead));
            }
            (is_changed, is_hidden) = (false, false);
            before.clear();
        }
        let heads = self.chain.last();
        if !is_hidden {
            before.clear();
        }
        if !before.is_empty() || !results.is_empty() {
            let after: Vec<_> = before.into_iter().chain(results.iter().cloned()).collect();
            self.conversation.keep(heads[1], |kept| kept.after = after);
        }
        self.conversation.state().answered = Some(heads);
        self.conversations.stands_at(&self.conversation, heads);
        self.goes_by(&answer.id, results);
    }

    /// What goes on from the answer, or one before it in the same request, goes on with this conversation.
    fn goes_by(&mut self, id: &str, results: Vec<Box<RawValue>>) {
        let earlier = std::mem::take(&mut self.ids);
        if id.is_empty() {
            return;
        }
        let last = of_answer(&self.space, id);
        self.conversations.known_as(&self.conversation, last);
        if !results.is_empty() {
            self.conversation.keep(last, |kept| kept.after = results);
        }
        for other in earlier.iter().filter(|other| !other.is_empty() && *other != id) {
            let other = of_answer(&self.space, other);
            self.conversations.known_as(&self.conversation, other);
            self.conversation.keep(other, |kept| kept.goes_by = Some(id.to_owned()));
        }
    }

    fn is_beside(&self, own: &RawValue) -> bool {
        WireMessage::read(own.to_owned()).is_ok_and(|own| own.is_beside())
    }

    /// Writes down what was put into the conversation, without waiting for the disk.
    fn save(&self) {
        if let Some(store) = &self.store {
            store.save(&self.conversation, self.conversations.clock.now());
        }
    }

    fn close(&mut self, text: &str, ending: Ending) -> Result<(), NotKept> {
        let Some(turn) = self.turn.take() else { return Ok(()) };
        let said = Message::new(Role::Assistant, text);
        let said = if text.is_empty() { &[] } else { std::slice::from_ref(&said) };
        if let Some(store) = &self.store {
            let now = self.conversations.clock.now();
            self.conversation.session.write_with_turn(store.write(&self.conversation, now));
        }
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
