//! A request with a conversation, in either form of the API: what it asks, and what the model is asked in its place.

use std::collections::BTreeSet;

use axum::http::HeaderMap;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::model::wire::{Form, Object, WireMessage, raw};
use crate::turn::conversations::{Exchange, Since};

/// The header in which a client may name its session.
const SESSION: &str = "x-hermes-session";
/// The longest name of a session.
const LONGEST_NAME: usize = 128;

/// The form of the API that is spoken at a path.
pub(super) fn form_at(path: &str) -> Option<Form> {
    [Form::Chat, Form::Responses].into_iter().find(|form| path_of(*form) == path)
}

/// The path behind `/v1`.
pub(super) fn path_of(form: Form) -> &'static str {
    match form {
        Form::Chat => "/chat/completions",
        Form::Responses => "/responses",
    }
}

/// The field that has the messages.
fn messages_of(form: Form) -> &'static str {
    match form {
        Form::Chat => "messages",
        Form::Responses => "input",
    }
}

/// A request.
#[derive(Clone)]
pub(super) struct Ask {
    pub(super) form: Form,
    /// All but the messages.
    pub(super) body: Object,
    pub(super) messages: Vec<WireMessage>,
    /// The names of the client's own tools.
    pub(super) tools: BTreeSet<String>,
    /// The session that it names.
    pub(super) session: Option<String>,
    /// The ids of the conversation, or of the answer, that its server knows.
    held: Option<String>,
    pub(super) previous: Option<String>,
}

impl Ask {
    /// None for what is no conversation.
    pub(super) fn read(form: Form, mut body: Object, headers: &HeaderMap) -> Option<Self> {
        let messages: Vec<Box<RawValue>> = match form {
            Form::Chat => body.read("messages")?,
            Form::Responses => match body.read::<String>("input") {
                Some(text) => vec![raw(&json!({"role": "user", "content": text}))],
                None => body.read("input")?,
            },
        };
        // What is answered later is fetched elsewhere.
        if form == Form::Responses && body.read("background").unwrap_or(false) {
            return None;
        }
        let messages = messages.into_iter().map(WireMessage::read).collect::<Result<_, _>>().ok()?;
        let in_header = headers.get(SESSION).and_then(|name| name.to_str().ok()).map(str::to_owned);
        let in_body = || body.read::<Value>("metadata")?["session_id"].as_str().map(str::to_owned);
        let session = in_header.or_else(in_body).filter(|name| is_name(name));
        let tools: Vec<Value> = body.read("tools").unwrap_or_default();
        let name = |tool: &Value| tool["function"]["name"].as_str().or(tool["name"].as_str()).map(str::to_owned);
        let tools = tools.iter().filter_map(name).collect();
        let (mut held, mut previous) = (None, None);
        if form == Form::Responses {
            let id = |value: Value| value.as_str().or(value["id"].as_str()).map(str::to_owned);
            held = body.read("conversation").and_then(id).filter(|id| is_name(id));
            previous = body.read("previous_response_id").and_then(id);
        }
        // They stand there once: a conversation may be long.
        body.set(messages_of(form), raw(&()));
        Some(Self { form, body, messages, tools, session, held, previous })
    }

    /// What its messages go on from.
    pub(super) fn since(&self) -> Since<'_> {
        match (&self.held, &self.previous) {
            (Some(id), _) => Since::Held(id),
            (None, Some(id)) => Since::Answer(id),
            (None, None) => Since::Start,
        }
    }

    /// The model that it asks.
    pub(super) fn model(&self) -> String {
        self.body.read("model").unwrap_or_default()
    }

    /// The person whom it names.
    pub(super) fn user(&self) -> Option<String> {
        self.body.read::<String>("user").filter(|user| is_name(user))
    }

    /// Whether the memory's tools may be offered: a model that has to call a tool of the client must find no other, and
    /// several answers at once are no conversation.
    pub(super) fn leaves_room_for_tools(&self) -> bool {
        let must_call = self.body.read::<String>("tool_choice").is_some_and(|choice| choice == "required");
        let is_one = self.body.read::<u64>("n").is_none_or(|n| n <= 1);
        !must_call && is_one && self.body.get("functions").is_none()
    }

    pub(super) fn streams(&self) -> bool {
        self.body.read("stream").unwrap_or(false)
    }

    /// The body that the model is sent, with the memory's tools.
    pub(super) fn with_tools(&self, exchange: &Exchange) -> Object {
        let mut body = self.body.clone();
        let ours = exchange.tools();
        if ours.is_empty() {
            return body;
        }
        let theirs: Vec<Box<RawValue>> = body.read("tools").unwrap_or_default();
        let both: Vec<&RawValue> = theirs.iter().map(|tool| &**tool).chain(ours).collect();
        body.set("tools", raw(&both));
        body
    }

    /// Puts the conversation, as it is now, into the body.
    pub(super) fn put(&self, exchange: &Exchange, body: &mut Object) {
        body.set(messages_of(self.form), raw(exchange.messages()));
        if let Some(system) = exchange.instructions() {
            let own = self.body.read::<String>("instructions").filter(|own| !own.is_empty());
            let both = own.map_or_else(|| system.to_owned(), |own| format!("{own}\n\n{system}"));
            body.set("instructions", raw(&both));
        }
        if let Some(previous) = exchange.previous() {
            body.set("previous_response_id", raw(previous));
        }
        if !exchange.may_call() {
            body.set("tool_choice", raw("none"));
        }
    }

    /// Makes what a response says of its request what the client asked.
    pub(super) fn restore(&self, response: &mut Value, ours: &dyn Fn(&str) -> bool) {
        let Some(fields) = response.as_object_mut() else { return };
        let asked = |name: &str| self.body.read::<Value>(name).unwrap_or_default();
        for name in ["instructions", "previous_response_id"] {
            if let Some(field) = fields.get_mut(name) {
                *field = asked(name);
            }
        }
        if let Some(Value::Array(tools)) = fields.get_mut("tools") {
            tools.retain(|tool| tool["type"] != "function" || !ours(tool["name"].as_str().unwrap_or_default()));
        }
        if let Some(choice) = fields.get_mut("tool_choice").filter(|choice| **choice == "none") {
            *choice = Some(asked("tool_choice")).filter(|asked| !asked.is_null()).unwrap_or("auto".into());
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control)
}
